//! Documents of files into an index.

use std::borrow::Cow;

use lookalike_index::{NewDocument, Put, Writer};
use lookalike_io::input::discover::LeftOut;
use rayon::prelude::*;
use serde::Serialize;

use crate::corpus::stored_id::{field_of_ids, stored_id};
use crate::corpus::walk::{ROUND_BYTES, Walked, walk_rounds};
use crate::error::Result;
use crate::options::AddOptions;
use crate::progress::Progress;
use crate::report::summary::SkippedEntry;

/// How many bytes of documents are in memory before they become a segment, at most.
const MOST_UNSAVED_BYTES: u64 = 64 << 20;

/// The result of [`add`].
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Added {
    /// Documents that were read.
    pub document_count: u64,
    /// Bytes that were read, decompressed.
    pub input_bytes: u64,
    /// Documents that are new.
    pub added_count: u64,
    /// Documents that replaced others with the same id.
    pub replaced_count: u64,
    /// Documents that were stored already, with the same text and fields.
    pub unchanged_count: u64,
    /// Documents that were not added because the index has a near-duplicate of them.
    pub duplicate_count: u64,
    /// Records without text.
    pub without_text_count: u64,
    /// Documents without the id field; their ids are made of file, position and text.
    pub without_id_count: u64,
    /// The field that ids were taken from though nobody named it: every document has one of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id_field: Option<String>,
    /// Entries that were skipped.
    pub skipped_count: u64,
    /// The first skipped entries, each with the reason.
    pub skipped: Vec<SkippedEntry>,
    /// What was left out.
    pub left_out: LeftOut,
    /// Options that have no effect on files of these formats.
    pub without_effect: Vec<String>,
}

/// A document that was not added because the index has a near-duplicate of it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Duplicate {
    /// The document that was not added.
    pub id: String,
    /// The stored document.
    pub kept_id: String,
    /// Similarity of the two.
    pub similarity: f64,
    /// True if they are equal in every character, up to Unicode's NFC and white space at line ends.
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

/// Like [`add`], and passes each duplicate to `each_duplicate`.
///
/// # Errors
///
/// As [`add`], and when `each_duplicate` fails.
pub fn add_with(
    writer: &Writer,
    options: &AddOptions,
    each_duplicate: &mut (dyn FnMut(Duplicate) -> Result<()> + Send),
    progress: &dyn Progress,
) -> Result<Added> {
    // A field of ids that nobody named is known before the first document is stored.
    let id_field = field_of_ids(&options.read, progress)?;
    let mut read = options.read.clone();
    read.settings.fields.id = read.settings.fields.id.or(id_field.clone());
    let mut added = Added { id_field, ..Added::default() };
    // A round is there as it was read, as texts and as it is packed, while the next is read; what becomes a segment is there twice.
    let round_bytes = ROUND_BYTES.min(options.resources.memory.bytes() / 96);
    writer.set_memory(MOST_UNSAVED_BYTES.min(options.resources.memory.bytes() / 24) as usize);
    let skips = walk_rounds(&read, "index", round_bytes, progress, |round| {
        let fields: Vec<String> = round.iter().map(fields).collect();
        let ids: Vec<Cow<'_, str>> = round.par_iter().map(id).collect();
        let documents: Vec<NewDocument<'_>> = round
            .iter()
            .zip(ids.iter().zip(&fields))
            .map(|(document, (id, fields))| NewDocument { id, fields, text: &document.text })
            .collect();
        let put =
            if options.unless_duplicate { writer.put_if_new(&documents)? } else { writer.put_many(&documents)? };
        for (document, put) in round.iter().zip(put) {
            match put {
                Put::Added => added.added_count += 1,
                Put::Replaced => added.replaced_count += 1,
                Put::Unchanged => added.unchanged_count += 1,
                Put::Duplicate { id: kept_id, similarity, exact_copy, .. } => {
                    added.duplicate_count += 1;
                    each_duplicate(Duplicate { id: document.id.clone(), kept_id, similarity, exact_copy })?;
                }
            }
        }
        Ok(())
    })?;
    Ok(Added {
        document_count: skips.documents,
        input_bytes: skips.bytes,
        without_text_count: skips.without_text,
        without_id_count: skips.without_id,
        skipped_count: skips.count,
        skipped: skips.named,
        left_out: skips.left_out,
        without_effect: skips.without_effect,
        ..added
    })
}

/// What a document is stored under.
fn id(document: &Walked) -> Cow<'_, str> {
    let Walked { id, format, text, .. } = document;
    if document.has_own_id { Cow::Borrowed(id) } else { stored_id(id, *format, text) }
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
