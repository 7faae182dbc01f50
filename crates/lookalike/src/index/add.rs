//! Adds documents from files to an index.

use std::borrow::Cow;
use std::io;

use lookalike_index::{NewDocument, Put, Writer};
use lookalike_io::input::discover::LeftOut;
use rayon::prelude::*;
use serde::Serialize;

use crate::corpus::stored_id::{field_of_ids, stored_id};
use crate::corpus::walk::{ROUND_BYTES, Walked, walk_rounds};
use crate::error::Result;
use crate::options::AddOptions;
use crate::output::sink::{Cell, Row};
use crate::progress::Progress;
use crate::report::summary::SkippedEntry;

/// Maximum bytes of documents in memory before they become a segment.
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
    /// Documents without the id field; their ids are generated from file, position and text.
    pub without_id_count: u64,
    /// The field that ids were taken from without being named: every document has its own value in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id_field: Option<String>,
    /// Entries that were skipped.
    pub skipped_count: u64,
    /// The first skipped entries, each with the reason.
    pub skipped: Vec<SkippedEntry>,
    /// Files and folders that were left out.
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

impl Duplicate {
    /// Names of its columns, in the order of its cells.
    pub const COLUMNS: [&str; 4] = ["id", "kept_id", "similarity", "exact_copy"];
}

impl Row for Duplicate {
    fn each_cell(&self, each: &mut dyn FnMut(Cell<'_>) -> io::Result<()>) -> io::Result<()> {
        each(Cell::Text(&self.id))?;
        each(Cell::Text(&self.kept_id))?;
        each(Cell::Real(self.similarity))?;
        each(Cell::Flag(self.exact_copy))
    }
}

/// Reads documents and puts them into an index. Each round is durable once it is written; an interrupted run can simply
/// be repeated, since documents that are already stored change nothing.
///
/// # Errors
///
/// If an input cannot be read, or the index cannot be written to. Documents added before remain.
pub fn add(writer: &Writer, options: &AddOptions, progress: &dyn Progress) -> Result<Added> {
    add_with(writer, options, &mut |_| Ok(()), progress)
}

/// Adds documents like [`add`], and passes each duplicate to `each_duplicate`.
///
/// # Errors
///
/// As [`add`], and if `each_duplicate` fails.
pub fn add_with(
    writer: &Writer,
    options: &AddOptions,
    each_duplicate: &mut (dyn FnMut(Duplicate) -> Result<()> + Send),
    progress: &dyn Progress,
) -> Result<Added> {
    // An implicit id field is determined before the first document is stored.
    let id_field = field_of_ids(&options.read, progress)?;
    let mut read = options.read.clone();
    read.settings.fields.id = read.settings.fields.id.or(id_field.clone());
    let mut added = Added { id_field, ..Added::default() };
    // A round is in memory as read, as texts and serialized, while the next is read; documents of a new segment are in
    // memory twice.
    let round_bytes = ROUND_BYTES.min(options.resources.memory.bytes() / 96);
    writer.set_memory(MOST_UNSAVED_BYTES.min(options.resources.memory.bytes() / 24) as usize);
    let skips = walk_rounds(&read, "index", round_bytes, progress, |round| {
        let fields: Vec<String> = round.iter().map(fields).collect();
        let ids: Vec<Cow<'_, str>> = round.par_iter().map(id).collect();
        let documents: Vec<NewDocument<'_>> = round
            .iter()
            .zip(ids.iter().zip(&fields))
            .map(|(document, (id, fields))| NewDocument::new(id, &document.text).with_fields(fields))
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

/// The id under which a document is stored.
fn id(document: &Walked) -> Cow<'_, str> {
    let Walked { id, format, text, .. } = document;
    if document.has_own_id { Cow::Borrowed(id) } else { stored_id(id, *format, text) }
}

/// The data stored with a document: the requested fields, and the address of a page.
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
