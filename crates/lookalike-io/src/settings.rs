//! Settings of reading: fields, limits, and the unit of text that is one document.

use crate::bounds::InputLimit;
use crate::web::{Extract, PageText};

/// Settings for reading files.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a setting of its own, on or off")]
pub struct Settings {
    /// The fields of a document.
    pub fields: Fields,
    /// The unit of text that is one document in a text file.
    pub split: Split,
    /// The text of a page to compare.
    pub extract: Extract,
    /// True if the descriptions of a page's images are part of its text.
    pub alt: bool,
    /// True if the targets of a page's links are part of its text.
    pub links: bool,
    /// True if the text field contains pages.
    pub is_html: bool,
    /// The separator of cells in CSV files; detected if not given.
    pub delimiter: Option<u8>,
    /// True if the first row of a CSV file has the names of its columns. Otherwise they are named 1, 2, 3 …
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

    /// The parts of a page to extract.
    pub(crate) fn page_text(&self) -> PageText {
        PageText { extract: self.extract, alt: self.alt, links: self.links }
    }

    /// The same settings without a limit, for examining files that are read and counted elsewhere.
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
            alt: false,
            links: false,
            is_html: false,
            delimiter: None,
            has_header: true,
            longest: 256_000_000,
            limit: InputLimit::default(),
        }
    }
}

lookalike_core::word_enum! {
    /// The unit of text that is one document in a text file.
    #[derive(Default)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub enum Split {
        /// The whole file.
        #[default]
        File,
        /// A line.
        Line,
        /// A paragraph; paragraphs are separated by blank lines.
        Paragraph,
    }
}

/// The fields of an entry that are used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fields {
    /// The text. A name with dots is a path: `body.content` is the field `content` of the field `body`. Several names
    /// separated by commas are combined to one text, and `messages[].content` is the field of every element of a list.
    pub text: String,
    /// True if the fields of a text are marked in it.
    pub tells_fields_apart: bool,
    /// The id. Without it, documents are identified by file and position, and those of a WARC file by WARC-Record-ID.
    pub id: Option<String>,
    /// The source of a document.
    pub source: Option<String>,
    /// The field for keep order.
    pub value: Option<String>,
    /// Additional fields, passed on unchanged.
    pub others: Vec<String>,
    /// Another field, numbered after them: an object with all data of a document, as exported by an index.
    pub object: Option<String>,
}

impl Default for Fields {
    fn default() -> Self {
        Self {
            text: "text".to_owned(),
            tells_fields_apart: false,
            id: None,
            source: None,
            value: None,
            others: Vec::new(),
            object: None,
        }
    }
}

impl Fields {
    /// All requested fields, each with its role.
    pub(crate) fn wanted(&self) -> impl Iterator<Item = Wanted<'_>> {
        let others = [(Role::Id, &self.id), (Role::Source, &self.source), (Role::Value, &self.value)];
        let others = others.into_iter().filter_map(|(role, path)| Some((role, path.as_ref()?)));
        let more = self.others.iter().chain(&self.object).enumerate().map(|(at, path)| (Role::Other(at), path));
        [(Role::Text, &self.text)].into_iter().chain(others).chain(more).map(|(role, path)| Wanted { role, path })
    }
}

/// The role of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Text,
    Id,
    Source,
    Value,
    /// One of [`Fields::others`].
    Other(usize),
}

/// A requested field: its name, or the path to it through other fields.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted<'f> {
    pub(crate) role: Role,
    pub(crate) path: &'f str,
}

impl<'f> Wanted<'f> {
    /// The request within a field's own fields, if it is on the path.
    pub(crate) fn inside(&self, field: &str) -> Option<Wanted<'f>> {
        let path = self.path.strip_prefix(field)?.strip_prefix('.')?;
        Some(Wanted { role: self.role, path })
    }
}
