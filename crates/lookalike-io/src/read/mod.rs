//! Reads documents from files in two steps: a [`Stream`] decompresses a file and cuts it into [`Chunk`]s; then any
//! thread parses a chunk. One part is thus decompressed while another is parsed and sketched.
//!
//! A format is a file here with two functions: `cut` finds the complete entries in a buffer, and `parse` makes a
//! document from the bytes of one.

mod ahead;
mod arc;
mod cells;
mod chunk;
mod csv;
mod cut;
mod detect;
mod fields;
mod foreign;
mod gather;
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
pub use crate::composed::BETWEEN_FIELDS;
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

/// A document.
#[derive(Clone, Debug, PartialEq)]
pub struct Document<'a> {
    /// Its own id, if it has one.
    pub id: Option<Cow<'a, str>>,
    /// The text to compare.
    pub text: &'a str,
    /// The address of a page.
    pub uri: Option<Cow<'a, str>>,
    /// Its source, if a field gives one.
    pub source: Option<Cow<'a, str>>,
    /// The value for keep order.
    pub value: FieldValue,
    /// The requested [`Fields::others`] that it has, by their number, each as JSON.
    pub others: Box<[(usize, String)]>,
}

/// A text as a JSON string.
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

/// An entry of a file.
#[derive(Debug)]
pub enum Entry<'a> {
    /// A document.
    Document(Document<'a>),
    /// Not a document, but copied with the file, such as a `request` record or a record without text; with its kind.
    Carried(&'static str),
    /// An entry that should be a document but cannot be read; with the reason.
    Skipped(SkipReason),
}

/// An entry with its location and its position in the chunk, counted from 0.
#[derive(Debug)]
pub struct Placed<'a> {
    /// Number of the entry in the chunk.
    pub position: u64,
    /// Location for reading it again.
    pub place: Place,
    /// The entry.
    pub entry: Entry<'a>,
    /// Its bytes; empty for a row of a columnar table.
    pub bytes: &'a [u8],
}
