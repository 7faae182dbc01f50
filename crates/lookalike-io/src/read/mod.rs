//! Files to documents, in two steps: a [`Stream`] unpacks a file and cuts it into [`Chunk`]s, one after the other; then
//! any thread parses a chunk. So one part is unpacked while another is parsed and sketched.
//!
//! A format is a file here with two functions: `cut` finds the whole entries in a run of bytes, and `parse` makes a
//! document of the bytes of one.

mod ahead;
mod arc;
mod cells;
mod chunk;
mod csv;
mod cut;
mod detect;
mod fields;
mod foreign;
mod json;
mod jsonl;
mod member_header;
mod members;
mod sequential;
mod source;
mod stream;
mod units;
mod utf16;
mod warc;

use std::borrow::Cow;

use lookalike_core::resolve::keep::FieldValue;

pub use crate::bounds::MOST_COLUMNS;
use crate::input::shelf::Place;
use crate::refused::{Refused, listed};
pub use crate::settings::{Fields, Settings, Split};
use crate::settings::{Role, Wanted};
use crate::skipped::SkipReason;

pub use cells::{CellReader, ReadAs, Row, RowContent};
pub use chunk::{Chunk, Parser};
pub use csv::Table;
pub(crate) use csv::raw_cells;
pub use detect::FileKind;
pub use fields::json_fields;
pub(crate) use json::fields as object_fields;
pub use sequential::SequentialReader;
pub use stream::{Next, Stream};
pub use units::{UNIT_BYTES, Unit, units};
pub use warc::{Links, links};
pub(crate) use warc::{goes_on, header_length, is_field};

/// One document as read from its file.
#[derive(Clone, Debug, PartialEq)]
pub struct Document<'a> {
    /// Its own id, if it has one.
    pub id: Option<Cow<'a, str>>,
    /// The text that is compared.
    pub text: &'a str,
    /// The address of a page.
    pub uri: Option<Cow<'a, str>>,
    /// Its source, if a field gives one.
    pub source: Option<Cow<'a, str>>,
    /// The value that the keep order compares.
    pub value: FieldValue,
    /// Those of [`Fields::others`] that it has, by their number, each as JSON.
    pub others: Box<[(usize, String)]>,
}

/// A text as JSON.
fn json_string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The kind of a record whose text is null.
pub const NULL_TEXT: &str = "null text";

/// The kind of a record without the text field.
pub const NO_TEXT_FIELD: &str = "no text field";

/// The kind of blank lines between documents.
pub const BLANK: &str = "blank";

/// The kind of a table's header row.
pub const HEADER: &str = "header";

/// What an entry of a file is.
#[derive(Debug)]
pub enum Entry<'a> {
    /// A document.
    Document(Document<'a>),
    /// Not a document, but written along with the file, such as a `request` record or a record without text; with its
    /// kind.
    Carried(&'static str),
    /// Something that should be a document but cannot be read; with the reason.
    Skipped(SkipReason),
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
