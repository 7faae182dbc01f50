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

/// Changes of options with which an entry skipped for this reason would be read; any one of them is enough.
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
    /// What one document is in a text file.
    pub split: Split,
    /// Which text of a page is compared.
    pub extract: Extract,
    /// The separator of cells in CSV files; detected if not given.
    pub delimiter: Option<u8>,
    /// Whether the first row of a CSV file has the names of its columns. If not, they are named 1, 2, 3 …
    pub has_header: bool,
    /// Maximum length of an entry in bytes. Longer ones are skipped, so that they cannot fill the memory.
    pub longest: u32,
    /// Limit on the input of all files together.
    pub limit: InputLimit,
}

impl Settings {
    /// The same settings for another run, with the count of the limit at zero.
    #[must_use]
    pub fn anew(&self) -> Self {
        Self { limit: self.limit.anew(), ..self.clone() }
    }

    /// The same settings without a limit, for looking into files that are read and counted elsewhere.
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

/// What one document is in a text file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Split {
    /// The whole file.
    #[default]
    File,
    /// A line.
    Line,
    /// A paragraph; paragraphs are separated by blank lines.
    Paragraph,
}

/// The fields of an entry that are used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fields {
    /// The text. A name with dots is a path: `body.content` is the field `content` of the field `body`.
    pub text: String,
    /// The id. Without it, documents are identified by file and position, and those of a WARC file by WARC-Record-ID.
    pub id: Option<String>,
    /// The source of a document.
    pub source: Option<String>,
    /// The field that the keep order compares.
    pub value: Option<String>,
}

impl Default for Fields {
    fn default() -> Self {
        Self { text: "text".to_owned(), id: None, source: None, value: None }
    }
}

impl Fields {
    /// All fields that are wanted, each with what for.
    fn wanted(&self) -> impl Iterator<Item = Wanted<'_>> {
        let others = [(Role::Id, &self.id), (Role::Source, &self.source), (Role::Value, &self.value)];
        let others = others.into_iter().filter_map(|(role, path)| Some((role, path.as_ref()?)));
        [(Role::Text, &self.text)].into_iter().chain(others).map(|(role, path)| Wanted { role, path })
    }
}

/// What a field is wanted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Text,
    Id,
    Source,
    Value,
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
    Skipped(String),
}

/// A skipped entry, or a lost part of a file, with its place and the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// Which of the input files.
    pub file: u32,
    /// Which entry of the file, counted from 1: a line of JSONL, a record of WARC.
    pub position: u64,
    /// Why it was skipped.
    pub reason: String,
    /// Whether the file is damaged, rather than the entry; this may explain odd entries before it.
    pub is_damage: bool,
    /// Number of entries lost: this one and those after it.
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
