//! The contents of a row, for all readers.

use std::ops::Range;

use lookalike_core::resolve::keep::FieldValue;

/// One row: the requested values, as ranges of the accompanying bytes.
#[derive(Debug)]
pub(crate) struct Row {
    /// The text, or the reason why there is none.
    pub(crate) text: Result<Range<usize>, NoText>,
    /// The user's own id.
    pub(crate) id: Option<Range<usize>>,
    /// The source of the document.
    pub(crate) source: Option<Range<usize>>,
    /// The value for keep order.
    pub(crate) value: FieldValue,
    /// The other requested fields that it has, by their numbers.
    pub(crate) others: Vec<(usize, Range<usize>)>,
}

/// Reason why a row has no text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NoText {
    /// It is null.
    Null,
    /// The value is not a text.
    Unusable(String),
}

/// Damage: rows up to the end of a row group that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lost {
    /// Number of rows, according to the file.
    pub(crate) rows: u64,
    /// Reason.
    pub(crate) reason: String,
}

/// Result of reading the next row.
pub(crate) enum NextRow {
    /// Its cells were filled.
    Cells,
    /// The row cannot be read, for this reason.
    Skipped(String),
    /// Rows up to the end of a row group cannot be read.
    Lost(Lost),
    /// The end.
    End,
}
