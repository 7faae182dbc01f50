//! Pairs of prints as lines: JSON objects, or cells with tabs or commas between.

use std::io::{self, Write};

use serde::Serializer as _;
use serde::ser::SerializeMap as _;

use crate::error::{Error, Result};
use crate::options::RowFormat;

/// Rows on their way out.
pub(super) struct Rows<'a> {
    format: RowFormat,
    writer: &'a mut dyn Write,
    /// What follows `left_id`, `right_id` and `score`.
    columns: &'static [&'static str],
    count: u64,
}

/// A pair of prints.
pub(super) struct Row<'a, const N: usize> {
    pub(super) left_id: &'a str,
    pub(super) right_id: &'a str,
    pub(super) score: f64,
    /// One for each further column.
    pub(super) counts: [u64; N],
}

impl<'a> Rows<'a> {
    pub(super) fn new(format: RowFormat, writer: &'a mut dyn Write) -> Self {
        Self { format, writer, columns: &[], count: 0 }
    }

    /// Names the columns after the score, and writes the header where there is one.
    pub(super) fn start(&mut self, columns: &'static [&'static str]) -> Result<()> {
        self.columns = columns;
        if self.format == RowFormat::Jsonl {
            return Ok(());
        }
        let between = self.format.separator();
        let columns: String = columns.iter().map(|column| format!("{between}{column}")).collect();
        writeln!(self.writer, "left_id{between}right_id{between}score{columns}").map_err(Error::unwritable)
    }

    pub(super) fn write<const N: usize>(&mut self, row: &Row<'_, N>) -> Result<()> {
        self.count += 1;
        let written = match self.format {
            RowFormat::Jsonl => self.write_object(row),
            RowFormat::Tsv | RowFormat::Csv => self.write_cells(row),
        };
        written.map_err(Error::unwritable)
    }

    fn write_object<const N: usize>(&mut self, row: &Row<'_, N>) -> io::Result<()> {
        let mut serializer = serde_json::Serializer::new(&mut *self.writer);
        let mut object = serializer.serialize_map(None)?;
        object.serialize_entry("left_id", row.left_id)?;
        object.serialize_entry("right_id", row.right_id)?;
        object.serialize_entry("score", &rounded(row.score))?;
        for (column, count) in self.columns.iter().zip(row.counts) {
            object.serialize_entry(column, &count)?;
        }
        object.end()?;
        self.writer.write_all(b"\n")
    }

    fn write_cells<const N: usize>(&mut self, row: &Row<'_, N>) -> io::Result<()> {
        let (between, score) = (self.format.separator(), rounded(row.score));
        let [left_id, right_id] = [row.left_id, row.right_id].map(|id| self.format.cell(id));
        write!(self.writer, "{left_id}{between}{right_id}{between}{score}")?;
        row.counts.iter().try_for_each(|count| write!(self.writer, "{between}{count}"))?;
        self.writer.write_all(b"\n")
    }

    /// How many rows there are.
    pub(super) fn finish(self) -> Result<u64> {
        self.writer.flush().map_err(Error::unwritable)?;
        Ok(self.count)
    }
}

/// Six digits: more than a score is worth, and fewer than different processors may round differently.
fn rounded(score: f64) -> f64 {
    (score * 1e6).round() / 1e6
}
