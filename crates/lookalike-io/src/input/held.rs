//! Rows that the caller holds in memory, read where they lie as if they were a file.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use lookalike_core::resolve::keep::FieldValue;

use super::discover::Discovered;
use super::file::{InputFile, Origin};

/// A table in the memory of the caller. Any thread reads any row, as often as it needs it, and a row is always the same.
pub trait HeldRows: fmt::Debug + Send + Sync {
    /// Number of rows.
    fn row_count(&self) -> u64;

    /// The text of a row.
    fn text(&self, row: u64) -> HeldText<'_>;

    /// Bytes of all texts, by which progress is measured.
    fn byte_count(&self) -> u64 {
        (0..self.row_count()).map(|row| self.text(row).len() as u64).sum()
    }

    /// The id of a row, if it has one of its own.
    fn id(&self, _row: u64) -> Option<Cow<'_, str>> {
        None
    }

    /// Where a row comes from, if that is known.
    fn source(&self, _row: u64) -> Option<Cow<'_, str>> {
        None
    }

    /// The value that the keep order compares.
    fn value(&self, _row: u64) -> FieldValue {
        FieldValue::Missing
    }

    /// What else belongs to a row, as a JSON object.
    fn fields(&self, _row: u64) -> Option<&str> {
        None
    }
}

/// The text of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeldText<'a> {
    /// A text.
    Text(&'a str),
    /// There is none. The row is counted, and kept.
    Null,
    /// What is there cannot be read as a text; with the reason.
    Unusable(&'static str),
}

impl HeldText<'_> {
    /// Number of bytes.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Null | Self::Unusable(_) => 0,
        }
    }
}

/// Texts with nothing else: a row is one of them.
impl<T: AsRef<str> + fmt::Debug + Send + Sync> HeldRows for Vec<T> {
    fn row_count(&self) -> u64 {
        self.len() as u64
    }

    fn text(&self, row: u64) -> HeldText<'_> {
        HeldText::Text(self[row as usize].as_ref())
    }
}

/// A table in memory as an input, with the name that stands for it in ids and messages.
#[derive(Clone)]
pub struct HeldTable {
    /// Its name.
    pub name: String,
    /// Its rows.
    pub rows: Arc<dyn HeldRows>,
}

impl HeldTable {
    /// A table of this name.
    pub fn new(name: impl Into<String>, rows: impl HeldRows + 'static) -> Self {
        Self { name: name.into(), rows: Arc::new(rows) }
    }
}

/// Texts may be large, and are nobody's business in a message.
impl fmt::Debug for HeldTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} rows", self.name, self.rows.row_count())
    }
}

impl Discovered {
    /// The same with tables in memory, after the files.
    #[must_use]
    pub fn with_tables(mut self, tables: &[HeldTable]) -> Self {
        let file = |table: &HeldTable| InputFile::new(Origin::Held(table.clone()), table.name.clone(), true, None);
        self.files.extend(tables.iter().map(file));
        self
    }
}
