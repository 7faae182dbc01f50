//! Results of `link` as typed rows: matches, clusters, and the rows of the tables with their clusters.

use std::io;

use serde::{Deserialize, Serialize};

use crate::output::sink::{Cell, Row};

/// Takes the cells of a row.
type Each<'a> = &'a mut dyn FnMut(Cell<'_>) -> io::Result<()>;

/// Two records that refer to the same thing: a row of `matches.csv`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct MatchRow {
    /// The id of the left record.
    pub left_id: String,
    /// The id of the right record.
    pub right_id: String,
    /// The number of the left record's table, from 1, if several tables are linked as one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_table: Option<u32>,
    /// The number of the right record's table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub right_table: Option<u32>,
    /// The logarithm of the odds that they are a match, to base 2.
    pub bits: f64,
    /// The probability that they are a match.
    pub probability: f64,
    /// The evidence of each compared column. A table has four columns for each: `NAME_bits`, `NAME_points`, `NAME_left`
    /// and `NAME_right`.
    pub fields: Vec<FieldMatch>,
}

/// The evidence of a column for or against a match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct FieldMatch {
    /// The name of the column.
    pub name: String,
    /// The bits that it adds.
    pub bits: f64,
    /// Agreement of the values, from 0 to 100.
    pub points: u8,
    /// The value of the left record.
    pub left: String,
    /// The value of the right record.
    pub right: String,
}

impl Row for MatchRow {
    fn each_cell(&self, each: Each<'_>) -> io::Result<()> {
        each(Cell::Text(&self.left_id))?;
        each(Cell::Text(&self.right_id))?;
        [self.left_table, self.right_table].into_iter().flatten().try_for_each(|table| each(whole(table)))?;
        each(bits(self.bits))?;
        each(Cell::Fixed(self.probability, 6))?;
        for field in &self.fields {
            each(bits(field.bits))?;
            each(whole(field.points))?;
            each(Cell::Text(&field.left))?;
            each(Cell::Text(&field.right))?;
        }
        Ok(())
    }
}

fn whole(number: impl Into<u64>) -> Cell<'static> {
    Cell::Whole(number.into())
}

/// Bits to two digits, but never -0.00.
fn bits(weight: f64) -> Cell<'static> {
    Cell::Fixed((weight * 100.0).round() / 100.0 + 0.0, 2)
}

/// The cluster of a record: a row of `clusters.csv`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ClusterRow {
    /// The id of the record.
    pub id: String,
    /// The number of its cluster.
    pub cluster: u64,
    /// The number of its table, from 1, if there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<u32>,
}

impl Row for ClusterRow {
    fn each_cell(&self, each: Each<'_>) -> io::Result<()> {
        each(Cell::Text(&self.id))?;
        each(Cell::Whole(self.cluster))?;
        self.table.map_or(Ok(()), |table| each(whole(table)))
    }
}

/// A record as it was read, with its cluster: a row of `linked.csv`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct LinkedRow {
    /// The number of its cluster.
    pub cluster: u64,
    /// True if it is the best record of its cluster.
    pub best: bool,
    /// The number of its table, from 1, if there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<u32>,
    /// Its cells, in the order of the columns.
    pub cells: Vec<String>,
}

impl Row for LinkedRow {
    fn each_cell(&self, each: Each<'_>) -> io::Result<()> {
        each(Cell::Whole(self.cluster))?;
        each(Cell::Flag(self.best))?;
        self.table.map_or(Ok(()), |table| each(whole(table)))?;
        self.cells.iter().try_for_each(|cell| each(Cell::Text(cell)))
    }
}

/// A pair that contradicts a known answer: a row of `wrong.csv` or `missed.csv`.
#[derive(Serialize)]
pub(super) struct JudgedMatch {
    pub(super) reason: String,
    pub(super) in_cluster: bool,
    #[serde(flatten)]
    pub(super) pair: MatchRow,
}

impl Row for JudgedMatch {
    fn each_cell(&self, each: Each<'_>) -> io::Result<()> {
        each(Cell::Text(&self.reason))?;
        each(Cell::Flag(self.in_cluster))?;
        self.pair.each_cell(each)
    }
}

/// A row of texts.
#[derive(Serialize)]
pub(super) struct TextRow<'a>(pub(super) Vec<&'a str>);

impl Row for TextRow<'_> {
    fn each_cell(&self, each: Each<'_>) -> io::Result<()> {
        self.0.iter().try_for_each(|cell| each(Cell::Text(cell)))
    }
}
