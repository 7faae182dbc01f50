//! Settings of reading: fields, limits, and the unit of text that is one document.

use crate::bounds::InputLimit;
use crate::web::Extract;

/// How files are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The fields of a document.
    pub fields: Fields,
    /// What one document is in a text file.
    pub split: Split,
    /// Which text of a page is compared.
    pub extract: Extract,
    /// Whether the field of the text holds pages.
    pub is_html: bool,
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
            is_html: false,
            delimiter: None,
            has_header: true,
            longest: 256_000_000,
            limit: InputLimit::default(),
        }
    }
}

lookalike_core::word_enum! {
    /// What one document is in a text file.
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
    /// The text. A name with dots is a path: `body.content` is the field `content` of the field `body`.
    pub text: String,
    /// The id. Without it, documents are identified by file and position, and those of a WARC file by WARC-Record-ID.
    pub id: Option<String>,
    /// The source of a document.
    pub source: Option<String>,
    /// The field that the keep order compares.
    pub value: Option<String>,
    /// More fields, to be handed on as they are.
    pub others: Vec<String>,
    /// One more field, whose number follows theirs: an object with everything that belongs to a document, as an index exports it.
    pub object: Option<String>,
}

impl Default for Fields {
    fn default() -> Self {
        Self { text: "text".to_owned(), id: None, source: None, value: None, others: Vec::new(), object: None }
    }
}

impl Fields {
    /// All fields that are wanted, each with what for.
    pub(crate) fn wanted(&self) -> impl Iterator<Item = Wanted<'_>> {
        let others = [(Role::Id, &self.id), (Role::Source, &self.source), (Role::Value, &self.value)];
        let others = others.into_iter().filter_map(|(role, path)| Some((role, path.as_ref()?)));
        let more = self.others.iter().chain(&self.object).enumerate().map(|(at, path)| (Role::Other(at), path));
        [(Role::Text, &self.text)].into_iter().chain(others).chain(more).map(|(role, path)| Wanted { role, path })
    }
}

/// What a field is wanted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Text,
    Id,
    Source,
    Value,
    /// One of [`Fields::others`].
    Other(usize),
}

/// A field that is wanted: its name, or the path to it through other fields.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted<'f> {
    pub(crate) role: Role,
    pub(crate) path: &'f str,
}

impl<'f> Wanted<'f> {
    /// What is wanted of a field's own fields, if it is on the path.
    pub(crate) fn inside(&self, field: &str) -> Option<Wanted<'f>> {
        let path = self.path.strip_prefix(field)?.strip_prefix('.')?;
        Some(Wanted { role: self.role, path })
    }
}
