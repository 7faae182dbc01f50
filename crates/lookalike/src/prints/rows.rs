//! Pairs of prints as typed rows.

use std::io;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::output::sink::{Cell, Row, Sink};

/// Two prints that may be of the same finger: a row of `prints`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct PrintPair {
    /// The id of the left print; with a second collection, of the query.
    pub left_id: String,
    /// The id of the right print.
    pub right_id: String,
    /// Their similarity, from 0 to 1.
    pub similarity: f64,
    /// Number of minutiae of the two that were paired; absent with a grid, which aligns nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paired_count: Option<u64>,
    /// The rank among the matches of the query, from 1, with a second collection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rank: Option<u64>,
    /// Number of buckets of a grid that they share.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared_bucket_count: Option<u64>,
}

impl PrintPair {
    pub(super) fn new(left_id: &str, right_id: &str, similarity: f64) -> Self {
        let [left_id, right_id] = [left_id, right_id].map(str::to_owned);
        Self { left_id, right_id, similarity: rounded(similarity), ..Self::default() }
    }
}

/// Six digits: more than the precision of a score, and few enough to hide rounding differences between processors.
fn rounded(score: f64) -> f64 {
    (score * 1e6).round() / 1e6
}

impl Row for PrintPair {
    fn each_cell(&self, each: &mut dyn FnMut(Cell<'_>) -> io::Result<()>) -> io::Result<()> {
        each(Cell::Text(&self.left_id))?;
        each(Cell::Text(&self.right_id))?;
        each(Cell::Real(self.similarity))?;
        let counts = [self.paired_count, self.rank, self.shared_bucket_count];
        counts.into_iter().flatten().try_for_each(|count| each(Cell::Whole(count)))
    }
}

/// Passes rows to a sink.
pub(super) struct Rows<'a> {
    sink: &'a mut dyn Sink<PrintPair>,
    count: u64,
}

impl<'a> Rows<'a> {
    pub(super) fn new(sink: &'a mut dyn Sink<PrintPair>) -> Self {
        Self { sink, count: 0 }
    }

    /// Sets the names of the columns after the similarity.
    pub(super) fn start(&mut self, columns: &[&str]) -> Result<()> {
        let columns = [&["left_id", "right_id", "similarity"], columns].concat();
        self.sink.start(&columns).map_err(Error::unwritable)
    }

    pub(super) fn take(&mut self, rows: Vec<PrintPair>) -> Result<()> {
        self.count += rows.len() as u64;
        self.sink.take(rows).map_err(Error::unwritable)
    }

    /// Ends the output, and returns the number of rows.
    pub(super) fn finish(self) -> Result<u64> {
        self.sink.finish().map_err(Error::unwritable)?;
        Ok(self.count)
    }
}
