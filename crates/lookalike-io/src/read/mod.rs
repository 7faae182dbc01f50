//! Files to documents, in two steps: a [`Stream`] unpacks a file and cuts it into [`Chunk`]s, one after the other; then
//! any thread parses a chunk. So unpacking one part goes on beside parsing and sketching another.

mod chunk;
mod jsonl;
mod members;
mod stream;
mod wet;

use std::borrow::Cow;

use lookalike_core::keep::FieldValue;

use crate::place::Place;

pub use chunk::{Chunk, Parser};
pub use stream::Stream;

/// Which fields of an entry are wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fields {
    /// The text of a JSONL document.
    pub text: String,
    /// The user's own id. Without it JSONL documents are known by file and line, WET documents by WARC-Record-ID.
    pub id: Option<String>,
    /// What keep order compares.
    pub value: Option<String>,
}

impl Default for Fields {
    fn default() -> Self {
        Self { text: "text".to_owned(), id: None, value: None }
    }
}

/// One document as it stands in its file.
#[derive(Clone, Debug, PartialEq)]
pub struct Document<'a> {
    /// The user's own id, if there is one.
    pub id: Option<Cow<'a, str>>,
    /// What is compared.
    pub text: &'a str,
    /// The address of a page.
    pub uri: Option<&'a str>,
    /// What keep order compares.
    pub value: FieldValue,
}

/// What an entry of a file is.
#[derive(Debug)]
pub enum Entry<'a> {
    /// A document.
    Document(Document<'a>),
    /// Something that belongs to the file and is carried along, such as a `warcinfo` record.
    Carried,
    /// Something that should be a document and is not.
    Skipped(String),
}

/// An entry that was skipped, or a part of a file that was lost: with its place, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// Which of the input files.
    pub file: u32,
    /// Which entry of the file, counted from 1: a line of JSONL, a record of WET.
    pub position: u64,
    /// Why it was skipped.
    pub reason: String,
    /// Whether it is the file that is damaged, and not the entry: that may be why entries before it are odd.
    pub is_damage: bool,
}

/// An entry with its place and its position inside the chunk, counted from 0.
#[derive(Debug)]
pub struct Placed<'a> {
    /// Which entry of the chunk.
    pub position: u64,
    /// Where it can be read again.
    pub place: Place,
    /// What it is.
    pub entry: Entry<'a>,
}
