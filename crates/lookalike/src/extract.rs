//! Extraction: the text by which each document is compared, as it comes out of reading.
//!
//! Text that a scheme ignores as boilerplate is left out; other changes to texts, such as folding accents, are not
//! shown.

use std::io::{self, Write};

use lookalike_core::hash::Key;
use lookalike_core::text::shingle::Shingler;
use lookalike_io::input::discover::LeftOut;
use lookalike_io::input::shelf::Shelf;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::boilerplate::Learn;
use crate::corpus::Ignoring;
use crate::corpus::walk::{ROUND_BYTES, Walked, walk_shelf};
use crate::error::{Error, Result, until_closed};
use crate::options::{ExtractOptions, Scheme};
use crate::output::sink::{Cell, Row, RowWriter, Sink};
use crate::progress::Progress;
use crate::report::summary::SkippedEntry;

/// A document and its text: a row of `extract`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ExtractedText {
    /// The document's id.
    pub id: String,
    /// The text by which it is compared.
    pub text: String,
}

impl ExtractedText {
    /// The names of its columns, in the order of its cells.
    pub const COLUMNS: [&str; 2] = ["id", "text"];
}

impl Row for ExtractedText {
    fn each_cell(&self, each: &mut dyn FnMut(Cell<'_>) -> io::Result<()>) -> io::Result<()> {
        each(Cell::Text(&self.id))?;
        each(Cell::Text(&self.text))
    }
}

/// Result of a run of `extract`.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ExtractReport {
    /// Documents that were read, and so rows.
    pub document_count: u64,
    /// Bytes that were read, decompressed.
    pub input_bytes: u64,
    /// Bytes of their texts.
    pub text_bytes: u64,
    /// Documents without a text to compare, since nearly all of it is boilerplate of their source.
    pub undecided_count: u64,
    /// Records without text.
    pub without_text_count: u64,
    /// Documents without the id field, which are named by file and position.
    pub without_id_count: u64,
    /// Entries that were skipped.
    pub skipped_count: u64,
    /// The first skipped entries, each with the reason.
    pub skipped: Vec<SkippedEntry>,
    /// Files and entries that were left out.
    pub left_out: LeftOut,
    /// Options that have no effect on files of these formats.
    pub without_effect: Vec<String>,
}

/// Writes each document with the text by which it is compared, in the order of the input.
///
/// ```
/// use lookalike::{ExtractRequest, Silent, extract};
///
/// # let folder = tempfile::tempdir()?;
/// # let page = folder.path().join("page.html");
/// # std::fs::write(&page, "<html><title>A title</title><p>One <b>two</b>.")?;
/// let mut lines = Vec::new();
/// extract(&ExtractRequest::new([&page]).check()?, &mut lines, &Silent)?;
/// assert!(String::from_utf8(lines)?.ends_with("\"text\":\"A title\\nOne two.\"}\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// Fails if an input cannot be read, or `writer` cannot be written to.
pub fn extract(
    options: &ExtractOptions,
    writer: &mut (dyn Write + Send),
    progress: &dyn Progress,
) -> Result<ExtractReport> {
    extract_into(options, &mut RowWriter::new(writer, options.format), progress)
}

/// Hands the rows that [`extract`] would write to a sink; `options.format` does not matter.
///
/// # Errors
///
/// Fails if an input cannot be read, or the sink fails.
pub fn extract_into(
    options: &ExtractOptions,
    sink: &mut (dyn Sink<ExtractedText> + Send),
    progress: &dyn Progress,
) -> Result<ExtractReport> {
    until_closed(rows(options, sink, progress))
}

fn rows(
    options: &ExtractOptions,
    sink: &mut (dyn Sink<ExtractedText> + Send),
    progress: &dyn Progress,
) -> Result<ExtractReport> {
    let scheme = match options.learning {
        Some(learning) => {
            let learn = Learn::new(learning, &options.read, &options.scheme, options.resources.memory);
            Some(Learn { output: options.output.as_deref(), ..learn }.scheme(progress)?)
        }
        None => options.scheme.boilerplate().map(|_| options.scheme.clone()),
    };
    sink.start(&ExtractedText::COLUMNS).map_err(Error::unwritable)?;
    let (mut text_bytes, mut undecided_count) = (0, 0);
    // A round is there as it was read, as texts and as lines while the next is read.
    let round_bytes = ROUND_BYTES.min(options.resources.memory.bytes() / 96);
    let mut shelf = Shelf::new(options.read.discover(options.output.as_deref())?);
    progress.stage("extract", Some(shelf.files().iter().map(|file| file.bytes).sum()));
    let skips = walk_shelf(&mut shelf, &options.read.settings, (round_bytes, false), progress, |round| {
        let rows = match &scheme {
            Some(scheme) => {
                let (rows, undecided) = remaining(round, scheme);
                undecided_count += undecided;
                rows
            }
            None => round.into_iter().map(|Walked { id, text, .. }| ExtractedText { id, text }).collect(),
        };
        text_bytes += rows.iter().map(|row| row.text.len() as u64).sum::<u64>();
        sink.take(rows).map_err(Error::unwritable)
    })?;
    sink.finish().map_err(Error::unwritable)?;
    Ok(ExtractReport {
        document_count: skips.documents,
        input_bytes: skips.bytes,
        text_bytes,
        undecided_count,
        without_text_count: skips.without_text,
        without_id_count: skips.without_id,
        skipped_count: skips.count,
        skipped: skips.named,
        left_out: skips.left_out,
        without_effect: skips.without_effect,
    })
}

/// Documents, each with the part of its text that is not boilerplate of its source; and how many of them have nearly
/// nothing else, and so no text to compare.
fn remaining(round: Vec<Walked>, scheme: &Scheme) -> (Vec<ExtractedText>, u64) {
    let ignoring = Ignoring::of(scheme);
    let row = |shingler: &mut Shingler, document: Walked| {
        let source = ignoring.as_ref().and_then(|ignoring| ignoring.place(document.origin()));
        let Walked { id, text, .. } = document;
        let Some(source) = source else { return (ExtractedText { id, text }, false) };
        let parts = shingler.remaining(source, &text);
        let is_undecided = parts.is_empty() && !text.trim().is_empty();
        let parts: Vec<&str> = parts.into_iter().map(|part| &text[part]).collect();
        (ExtractedText { id, text: parts.join("\n") }, is_undecided)
    };
    // The sketches' key: the text of a table is hashed once for it, not for every round.
    let shingler = || scheme.shingler(Key::FIXED);
    let rows: Vec<(ExtractedText, bool)> = round.into_par_iter().map_init(shingler, row).collect();
    let undecided_count = rows.iter().filter(|(_, is_undecided)| *is_undecided).count() as u64;
    (rows.into_iter().map(|(row, _)| row).collect(), undecided_count)
}
