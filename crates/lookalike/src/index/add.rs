//! Documents of files into an index.

use lookalike_index::{NewDocument, Put, Writer};
use serde::Serialize;

use crate::corpus::walk::{ROUND_BYTES, Walked, walk_rounds};
use crate::error::Result;
use crate::options::ReadOptions;
use crate::progress::Progress;
use crate::report::summary::SkippedEntry;
use crate::resources::memory::Memory;

/// How many bytes of documents are in memory before they become a segment, at most.
const MOST_UNSAVED_BYTES: u64 = 64 << 20;

/// What [`add`] is asked to do.
#[derive(Clone, Debug)]
pub struct AddOptions {
    /// What to read. [`Fields::others`](lookalike_io::read::Fields::others) are stored with the documents.
    pub read: ReadOptions,
    /// Whether documents are left out that have a near-duplicate in the index, or among the documents before them.
    pub unless_alike: bool,
    /// How much memory adding may take.
    pub memory: Memory,
}

impl AddOptions {
    /// All documents of this input.
    pub fn new(read: ReadOptions) -> Self {
        Self { read, unless_alike: false, memory: Memory::default() }
    }

    /// Only those without a near-duplicate.
    #[must_use]
    pub fn unless_alike(self) -> Self {
        Self { unless_alike: true, ..self }
    }
}

/// What became of the documents that were read.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Added {
    /// How many were read.
    pub documents: u64,
    /// How many bytes they and what lies between them have, unpacked.
    pub bytes: u64,
    /// How many are new.
    pub added: u64,
    /// How many have the place of another with the same id.
    pub replaced: u64,
    /// How many were there already.
    pub unchanged: u64,
    /// How many were left out, for a near-duplicate that is there.
    pub alike: u64,
    /// How many records have no text.
    pub without_text: u64,
    /// How many documents lack the field of the id, and are known by file and position.
    pub without_id: u64,
    /// How many entries were skipped.
    pub skipped_count: u64,
    /// What was skipped, and why: the first of them.
    pub skipped: Vec<SkippedEntry>,
}

/// A document that was left out.
#[derive(Clone, Debug, Serialize)]
pub struct LeftOut {
    /// The document that was left out.
    pub id: String,
    /// The one that is there.
    pub kept_id: String,
    /// How similar they are.
    pub similarity: f64,
    /// Whether they are equal in every character, up to Unicode's NFC and white space at line ends.
    pub exact_copy: bool,
}

/// Reads documents and puts them into an index. What was read is on the disk, round by round; a run that was interrupted is simply
/// repeated, since documents that are there already change nothing.
///
/// # Errors
///
/// When an input cannot be read, or the index cannot be written to. What was added before stays.
pub fn add(writer: &Writer, options: &AddOptions, progress: &dyn Progress) -> Result<Added> {
    add_with(writer, options, &mut |_| Ok(()), progress)
}

/// The same, and tells which documents were left out.
///
/// # Errors
///
/// As [`add`], and when `left_out` fails.
pub fn add_with(
    writer: &Writer,
    options: &AddOptions,
    left_out: &mut (dyn FnMut(LeftOut) -> Result<()> + Send),
    progress: &dyn Progress,
) -> Result<Added> {
    let mut added = Added::default();
    // A round is there as it was read, as texts and as it is packed, while the next is read; what becomes a segment is there twice.
    let round_bytes = ROUND_BYTES.min(options.memory.bytes() / 96);
    writer.set_memory(MOST_UNSAVED_BYTES.min(options.memory.bytes() / 24) as usize);
    let skips = walk_rounds(&options.read, "index", round_bytes, progress, |round| {
        let fields: Vec<String> = round.iter().map(fields).collect();
        let documents: Vec<NewDocument<'_>> = round
            .iter()
            .zip(&fields)
            .map(|(document, fields)| NewDocument { id: &document.id, fields, text: &document.text })
            .collect();
        let put =
            if options.unless_alike { writer.put_unless_alike(&documents)? } else { writer.put_many(&documents)? };
        for (document, put) in round.iter().zip(put) {
            match put {
                Put::Added => added.added += 1,
                Put::Replaced => added.replaced += 1,
                Put::Unchanged => added.unchanged += 1,
                Put::Alike { id, similarity, is_exact_copy, .. } => {
                    added.alike += 1;
                    left_out(LeftOut { id: document.id.clone(), kept_id: id, similarity, exact_copy: is_exact_copy })?;
                }
            }
        }
        Ok(())
    })?;
    Ok(Added {
        documents: skips.documents,
        bytes: skips.bytes,
        without_text: skips.without_text,
        without_id: skips.without_id,
        skipped_count: skips.count,
        skipped: skips.named,
        ..added
    })
}

/// What is stored with a document: the fields that were asked for, and the address of a page.
fn fields(document: &Walked) -> String {
    let Walked { uri, fields, .. } = document;
    let uri = uri.as_ref().map(|uri| format!("\"uri\":{}", serde_json::Value::from(&**uri)));
    match (fields, uri) {
        (None, None) => String::new(),
        (Some(fields), None) => fields.clone(),
        (None, Some(uri)) => format!("{{{uri}}}"),
        (Some(fields), Some(uri)) => format!("{},{uri}}}", &fields[..fields.len() - 1]),
    }
}
