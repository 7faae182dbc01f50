//! The rows of `passages` as types, with the same content as the lines of its files.

use std::io;

use serde::{Deserialize, Serialize};

use crate::output::sink::{Cell, Row};

/// A passage that another document has: a line of `cuts.jsonl`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct RepeatedPassage {
    /// The document it is in.
    pub document_id: String,
    /// Its first byte in the text of the document.
    pub start: u64,
    /// The byte after it.
    pub end: u64,
    /// The first document of the input that has the beginning of the passage.
    pub first_document_id: String,
    /// The first byte of that in its text.
    pub first_start: u64,
    /// Number of documents that have every part of it, at least.
    pub copies: u64,
    /// The file of the document.
    pub file: String,
    /// Its position in the file, counted from 1.
    pub position: u64,
    /// The file of the first document.
    pub first_file: String,
    /// The position of the first document in its file, counted from 1.
    pub first_position: u64,
    /// Identifies its content: 16 hexadecimal digits, the same in every run.
    pub fingerprint: String,
    /// True if the baseline does not have it; none without a baseline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new: Option<bool>,
    /// The number of the document among all of the input, counted from 0.
    #[serde(skip)]
    pub(crate) document: u32,
    /// That of the first document.
    #[serde(skip)]
    pub(crate) first_document: u32,
}

impl RepeatedPassage {
    /// The names of its cells.
    pub(crate) const COLUMNS: [&'static str; 12] = [
        "document_id",
        "start",
        "end",
        "first_document_id",
        "first_start",
        "copies",
        "file",
        "position",
        "first_file",
        "first_position",
        "fingerprint",
        "new",
    ];
}

impl Row for RepeatedPassage {
    fn each_cell(&self, each: &mut dyn FnMut(Cell<'_>) -> io::Result<()>) -> io::Result<()> {
        each(Cell::Text(&self.document_id))?;
        each(Cell::Whole(self.start))?;
        each(Cell::Whole(self.end))?;
        each(Cell::Text(&self.first_document_id))?;
        each(Cell::Whole(self.first_start))?;
        each(Cell::Whole(self.copies))?;
        each(Cell::Text(&self.file))?;
        each(Cell::Whole(self.position))?;
        each(Cell::Text(&self.first_file))?;
        each(Cell::Whole(self.first_position))?;
        each(Cell::Text(&self.fingerprint))?;
        each(self.new.map_or(Cell::Empty, Cell::Flag))
    }
}

/// A document with few words outside its repeated passages: a line of `husks.jsonl`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Husk {
    /// Its id.
    pub document_id: String,
    /// Number of words outside its passages.
    pub word_count: u64,
    /// Bytes of its passages.
    pub cut_bytes: u64,
    /// Its file.
    pub file: String,
    /// Its position in the file, counted from 1.
    pub position: u64,
}

impl Husk {
    /// The names of its cells.
    pub(crate) const COLUMNS: [&'static str; 5] = ["document_id", "word_count", "cut_bytes", "file", "position"];
}

impl Row for Husk {
    fn each_cell(&self, each: &mut dyn FnMut(Cell<'_>) -> io::Result<()>) -> io::Result<()> {
        each(Cell::Text(&self.document_id))?;
        each(Cell::Whole(self.word_count))?;
        each(Cell::Whole(self.cut_bytes))?;
        each(Cell::Text(&self.file))?;
        each(Cell::Whole(self.position))
    }
}
