//! Files to documents, in two steps: a [`Stream`] unpacks a file and cuts it into [`Chunk`]s, one after the other; then
//! any thread parses a chunk. So unpacking one part goes on beside parsing and sketching another.
//!
//! A format is a file here with two functions: `cut` finds the whole entries in a run of bytes, and `parse` makes a
//! document of the bytes of one.

mod ahead;
mod arc;
mod cells;
mod chunk;
mod csv;
mod cut;
mod fields;
mod json;
mod jsonl;
mod members;
mod source;
mod stream;
mod units;
mod utf16;
mod warc;

use std::borrow::Cow;

use lookalike_core::remedy::{JobOption, Remedy};
use lookalike_core::resolve::keep::FieldValue;

use crate::bounds::InputLimit;
use crate::input::shelf::Place;
use crate::web::Extract;

pub(crate) use arc::is_record as is_arc_record;
pub use cells::{CellReader, MOST_COLUMNS, ReadAs, Row, RowContent};
pub use chunk::{Chunk, Parser};
pub use csv::Table;
pub(crate) use csv::raw_cells;
pub use fields::json_fields;
pub(crate) use fields::{Refused, listed};
pub(crate) use json::fields as object_fields;
pub use stream::{Next, Stream};
pub use units::{UNIT_BYTES, Unit, units};
pub use warc::{Links, links};
pub(crate) use warc::{goes_on, header_length, is_field};

/// What the reason of a skipped entry calls the limit that it exceeds.
pub(crate) const RECORD_LIMIT: &str = "the longest record that is read";

/// What the reason of a skipped entry says where memory is short.
pub(crate) const WINDOW_LIMIT: &str = "for which there is too little memory";

/// The changes of options with which an entry that was skipped for this reason would be read, any one of them.
pub fn remedies(reason: &str) -> Vec<Remedy> {
    if reason.contains(RECORD_LIMIT) {
        vec![Remedy::Raise(JobOption::MaxRecord)]
    } else if reason.contains(WINDOW_LIMIT) {
        vec![Remedy::Raise(JobOption::Memory), Remedy::Lower(JobOption::Threads)]
    } else {
        Vec::new()
    }
}

/// How files are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The fields of a document.
    pub fields: Fields,
    /// What a document of a text file is.
    pub split: Split,
    /// What of a page is its text.
    pub extract: Extract,
    /// What stands between the cells of a CSV file; found out, if not given.
    pub delimiter: Option<u8>,
    /// Whether the first row of a CSV file has the names of its columns. Without, they are named 1, 2, 3 …
    pub has_header: bool,
    /// The longest entry that is read, in bytes. Longer ones are skipped, so that one of them cannot fill the memory.
    pub longest: u32,
    /// How much is read of all files together.
    pub limit: InputLimit,
}

impl Settings {
    /// The same, for a run that reads its input anew.
    #[must_use]
    pub fn anew(&self) -> Self {
        Self { limit: self.limit.anew(), ..self.clone() }
    }

    /// The same, to look into files that are read by somebody else.
    #[must_use]
    pub fn unlimited(&self) -> Self {
        Self { limit: self.limit.unlimited(), ..self.clone() }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            fields: Fields::default(),
            split: Split::File,
            extract: Extract::default(),
            delimiter: None,
            has_header: true,
            longest: 256_000_000,
            limit: InputLimit::default(),
        }
    }
}

/// What a document of a text file is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Split {
    /// The whole file.
    #[default]
    File,
    /// A line.
    Line,
    /// What lies between blank lines.
    Paragraph,
}

/// Which fields of an entry are wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fields {
    /// The text. A name with dots is a path: `body.content` is the field `content` of the field `body`.
    pub text: String,
    /// The user's own id. Without it documents are known by file and position, those of a WARC file by WARC-Record-ID.
    pub id: Option<String>,
    /// Where a document comes from.
    pub source: Option<String>,
    /// What keep order compares.
    pub value: Option<String>,
    /// More fields, to be handed on as they are.
    pub others: Vec<String>,
}

impl Default for Fields {
    fn default() -> Self {
        Self { text: "text".to_owned(), id: None, source: None, value: None, others: Vec::new() }
    }
}

impl Fields {
    /// All fields that are wanted, each with what for.
    fn wanted(&self) -> impl Iterator<Item = Wanted<'_>> {
        let others = [(Role::Id, &self.id), (Role::Source, &self.source), (Role::Value, &self.value)];
        let others = others.into_iter().filter_map(|(role, path)| Some((role, path.as_ref()?)));
        let more = self.others.iter().enumerate().map(|(at, path)| (Role::Other(at), path));
        [(Role::Text, &self.text)].into_iter().chain(others).chain(more).map(|(role, path)| Wanted { role, path })
    }
}

/// What a field is wanted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Text,
    Id,
    Source,
    Value,
    /// One of [`Fields::others`].
    Other(usize),
}

/// A field that is wanted: its name, or the path to it through other fields.
#[derive(Clone, Copy, Debug)]
struct Wanted<'f> {
    role: Role,
    path: &'f str,
}

impl<'f> Wanted<'f> {
    /// What is wanted of a field's own fields, if it is on the path.
    fn inside(&self, field: &str) -> Option<Wanted<'f>> {
        let path = self.path.strip_prefix(field)?.strip_prefix('.')?;
        Some(Wanted { role: self.role, path })
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
    pub uri: Option<Cow<'a, str>>,
    /// Where it comes from, if a field says so.
    pub source: Option<Cow<'a, str>>,
    /// What keep order compares.
    pub value: FieldValue,
    /// Those of [`Fields::others`] that it has, by their number, each as JSON.
    pub others: Vec<(usize, String)>,
}

/// A text as JSON.
fn json_string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The kind of a record whose text is null.
pub const NULL_TEXT: &str = "null text";

/// The kind of a record that does not have the field of the text.
pub const NO_TEXT_FIELD: &str = "no text field";

/// The kind of lines between documents that have nothing in them.
pub const BLANK: &str = "blank";

/// The kind of a table's row with the names of its columns.
pub const HEADER: &str = "header";

/// What an entry of a file is.
#[derive(Debug)]
pub enum Entry<'a> {
    /// A document.
    Document(Document<'a>),
    /// Something that belongs to the file and is carried along, such as a `request` record or one without a text: of this kind.
    Carried(&'static str),
    /// Something that should be a document and is not.
    Skipped(String),
}

/// An entry that was skipped, or a part of a file that was lost: with its place, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// Which of the input files.
    pub file: u32,
    /// Which entry of the file, counted from 1: a line of JSONL, a record of WARC.
    pub position: u64,
    /// Why it was skipped.
    pub reason: String,
    /// Whether it is the file that is damaged, and not the entry: that may be why entries before it are odd.
    pub is_damage: bool,
    /// How many entries are lost, this one and those after it.
    pub count: u64,
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
