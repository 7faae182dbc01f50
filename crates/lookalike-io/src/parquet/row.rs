//! What is told of a row, whatever reads it.

use std::ops::Range;

use lookalike_core::resolve::keep::FieldValue;

/// One row: what is wanted of it, as ranges of the bytes that came with it.
#[derive(Debug)]
pub(crate) struct Row {
    /// The text; or why there is none.
    pub(crate) text: Result<Range<usize>, NoText>,
    /// The user's own id.
    pub(crate) id: Option<Range<usize>>,
    /// Where the document came from.
    pub(crate) source: Option<Range<usize>>,
    /// What keep order compares.
    pub(crate) value: FieldValue,
    /// Those of the other fields that it has, by their number.
    pub(crate) others: Vec<(usize, Range<usize>)>,
}

/// Why a row has no text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NoText {
    /// There is none.
    Null,
    /// What is there cannot be read as one.
    Unusable(String),
}

/// Damage: rows up to the end of a row group that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lost {
    /// How many, as the file says.
    pub(crate) rows: u64,
    /// Why.
    pub(crate) reason: String,
}

/// What the next row is.
pub(crate) enum NextRow {
    /// Its cells were filled.
    Cells,
    /// It cannot be read: this is why.
    Skipped(String),
    /// Rows up to the end of a row group cannot be read.
    Lost(Lost),
    /// There is none.
    End,
}
