//! Rows in the caller's memory, read in place as if they were a file.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use lookalike_core::resolve::keep::FieldValue;

use super::discover::Discovered;
use super::file::{InputFile, Origin};

/// A table in the caller's memory. Any thread may read any row repeatedly, and a row must not change.
pub trait HeldRows: fmt::Debug + Send + Sync {
    /// Number of rows.
    fn row_count(&self) -> u64;

    /// The text of a row.
    fn text(&self, row: u64) -> HeldText<'_>;

    /// Total bytes of all texts, for progress.
    fn byte_count(&self) -> u64 {
        (0..self.row_count()).map(|row| self.text(row).len() as u64).sum()
    }

    /// The id of a row, if it has one.
    fn id(&self, _row: u64) -> Option<Cow<'_, str>> {
        None
    }

    /// The source of a row, if it is known.
    fn source(&self, _row: u64) -> Option<Cow<'_, str>> {
        None
    }

    /// The value for keep order.
    fn value(&self, _row: u64) -> FieldValue {
        FieldValue::Missing
    }

    /// Other data of a row, as a JSON object.
    fn fields(&self, _row: u64) -> Option<&str> {
        None
    }
}

/// The text of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeldText<'a> {
    /// A text.
    Text(&'a str),
    /// The row has no text. It is counted, and kept.
    Null,
    /// The value is not a text; with the reason.
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

/// A list of texts: each row is one of them.
impl<T: AsRef<str> + fmt::Debug + Send + Sync> HeldRows for Vec<T> {
    fn row_count(&self) -> u64 {
        self.len() as u64
    }

    fn text(&self, row: u64) -> HeldText<'_> {
        HeldText::Text(self[row as usize].as_ref())
    }
}

/// A table in memory as an input, with a name for ids and messages.
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

/// Texts may be large or private, and are not shown.
impl fmt::Debug for HeldTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} rows", self.name, self.rows.row_count())
    }
}

impl Discovered {
    /// Adds tables in memory, after the files.
    #[must_use]
    pub fn with_tables(mut self, tables: &[HeldTable]) -> Self {
        let file = |table: &HeldTable| InputFile::new(Origin::Held(table.clone()), table.name.clone(), true, None);
        self.files.extend(tables.iter().map(file));
        self
    }
}
