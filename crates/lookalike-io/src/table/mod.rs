//! Reads tables of records from files: CSV and TSV, Excel, JSON, Parquet; also as gzip or zstd, from folders, patterns
//! and addresses.
//!
//! A row that cannot be read is skipped and reported with its position. The columns of several files are joined by
//! name, and columns missing in one of them are missing values in its rows; a file that shares no column with the
//! previous ones ends the job.

pub mod memory;

use std::path::{Path, PathBuf};

use lookalike_core::table::Table;

use crate::error::{Error, Result};
use crate::input::discover::{Exclude, InputFile, discover_except};
use crate::read::{CellReader, ReadAs, RowContent, Settings};
use crate::remote::shown_path;
use crate::skipped::{SkipReason, SkippedEntry};

/// An input table.
#[derive(Debug)]
pub struct ReadTable {
    /// The input, for messages.
    pub name: String,
    /// The unit of positions: rows, lines, objects.
    pub entry: &'static str,
    /// Its columns.
    pub table: Table,
    /// Rows whose position is not one more than that of the row before, and their positions in their file.
    jumps: Vec<(usize, u64)>,
    /// Rows that were skipped: the first ones.
    pub skipped: Vec<SkippedEntry>,
    /// Number of skipped rows.
    pub skipped_count: u64,
    /// Rows without a value, which are ignored.
    pub empty_count: u64,
    /// Sheets of workbooks that have cells and were not read, each with its file.
    pub other_sheets: Vec<(String, String)>,
    /// True if it was in the caller's memory.
    is_in_memory: bool,
}

/// Maximum number of skipped rows to list.
pub const NAMED_ROWS: usize = 1000;

/// Number of rows between calls of `go_on`.
const ROWS_BETWEEN: usize = 4096;

impl ReadTable {
    fn new(name: String) -> Self {
        Self::of(name, Table::default())
    }

    /// A table from another source, of which nothing was skipped.
    pub fn of(name: impl Into<String>, table: Table) -> Self {
        Self {
            name: name.into(),
            entry: "row",
            table,
            jumps: Vec::new(),
            skipped: Vec::new(),
            skipped_count: 0,
            empty_count: 0,
            other_sheets: Vec::new(),
            is_in_memory: false,
        }
    }

    fn skip(&mut self, file: &InputFile, entry: &'static str, position: u64, reason: SkipReason, count: u64) {
        let file = file.shown().display().to_string();
        self.add_skipped(SkippedEntry { file, entry, position, reason, count });
    }

    fn add_skipped(&mut self, entry: SkippedEntry) {
        self.skipped_count += entry.count;
        if self.skipped.len() < NAMED_ROWS {
            self.skipped.push(entry);
        }
    }

    /// Records the position of the last added row, unless it follows that of the previous row.
    fn note_position(&mut self, position: u64, before: u64) {
        if position != before + 1 {
            self.jumps.push((self.table.row_count() - 1, position));
        }
    }

    /// The position of a row in its file.
    pub fn position(&self, row: usize) -> u64 {
        match self.jumps.partition_point(|(first, _)| *first <= row) {
            0 => row as u64 + 1,
            at => self.jumps[at - 1].1 + (row - self.jumps[at - 1].0) as u64,
        }
    }

    /// Returns an error for a table without rows.
    ///
    /// # Errors
    ///
    /// [`Error::NotATable`], or [`Error::UnusableTable`] for one in memory.
    pub fn require_rows(&self) -> Result<()> {
        if self.table.row_count() > 0 {
            return Ok(());
        }
        let reason = match self.skipped_count {
            0 if self.table.names().is_empty() => "it is empty".to_owned(),
            0 if self.empty_count > 0 => "all its rows are empty".to_owned(),
            0 => "it has no rows".to_owned(),
            count => format!("none of its {count} rows can be read, the first because {}", self.skipped[0].reason),
        };
        Err(if self.is_in_memory {
            Error::UnusableTable { name: self.name.clone(), reason, advice: "pass a table with at least one row" }
        } else {
            Error::NotATable { path: self.name.clone().into(), reason }
        })
    }
}

/// Progress of reading.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// Rows so far.
    pub rows: u64,
    /// Their memory.
    pub bytes: u64,
    /// Number of columns so far.
    pub columns: usize,
    /// The share of the input read so far, if its size is known: above 0, at most 1.
    pub share: f64,
}

/// Reads one table from files, folders, patterns, addresses or standard input. `go_on` is called from time to time.
///
/// # Errors
///
/// If an input does not exist or cannot be read, files do not form one table, or `go_on` fails.
pub fn read_table<E: From<Error>>(
    inputs: &[PathBuf],
    output: Option<&Path>,
    settings: &Settings,
    go_on: impl FnMut(Reading) -> std::result::Result<(), E>,
) -> std::result::Result<ReadTable, E> {
    read_table_except(inputs, &Exclude::default(), output, settings, go_on)
}

/// Reads one table like [`read_table`], without files that patterns exclude.
///
/// # Errors
///
/// As [`read_table`].
pub fn read_table_except<E: From<Error>>(
    inputs: &[PathBuf],
    exclude: &Exclude,
    output: Option<&Path>,
    settings: &Settings,
    mut go_on: impl FnMut(Reading) -> std::result::Result<(), E>,
) -> std::result::Result<ReadTable, E> {
    let files = discover_except(inputs, &[], output, exclude)?.files;
    let total: u64 = files.iter().map(|file| file.bytes).sum();
    let mut read = ReadTable::new(shown(inputs));
    let mut before = 0;
    for file in &files {
        let is_named = is_named(file, inputs);
        let reader = CellReader::open(file, settings, if is_named { ReadAs::Table } else { ReadAs::ShownTable });
        let mut reader = match reader {
            Ok(reader) => reader,
            // Folders contain files of all kinds.
            Err(Error::NotATable { reason, .. }) if !is_named => {
                read.skip(file, "file", 1, reason.into(), 1);
                continue;
            }
            Err(Error::Unreadable { cause, .. }) if !file.is_named => {
                read.skip(file, "file", 1, file.why_skipped(&cause).into(), 1);
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        let file_name = || file.shown().display().to_string();
        read.other_sheets.extend(reader.other_sheets().iter().map(|sheet| (file_name(), sheet.clone())));
        let mut rows = Rows::start(file, &reader, &mut read);
        while rows.read(&mut reader, &mut read, ROWS_BETWEEN)? {
            let share = (before + reader.packed_bytes()) as f64 / total.max(1) as f64;
            // If the size is unknown, everything may have been read.
            let share = if total == 0 || share <= 0.0 { 1.0 } else { share.min(1.0) };
            let (row_count, bytes) = (read.table.row_count() as u64, read.table.byte_count());
            go_on(Reading { rows: row_count, bytes, columns: read.table.names().len(), share })?;
        }
        rows.check_columns(&read)?;
        before += file.bytes;
    }
    Ok(read)
}

/// Reads the table of one file in parts of about this many bytes, and passes each to `each`, which decides whether to
/// continue.
///
/// # Errors
///
/// If it cannot be read, or `each` fails.
pub fn read_in_parts<E: From<Error>>(
    file: &InputFile,
    reader: &mut CellReader,
    part_bytes: u64,
    mut each: impl FnMut(&ReadTable) -> std::result::Result<(), E>,
) -> std::result::Result<(), E> {
    loop {
        let mut read = ReadTable::new(file.shown().display().to_string());
        let mut rows = Rows::start(file, reader, &mut read);
        let mut is_more = true;
        while is_more && read.table.byte_count() < part_bytes {
            is_more = rows.read(reader, &mut read, ROWS_BETWEEN)?;
        }
        each(&read)?;
        if !is_more {
            return Ok(());
        }
    }
}

/// True if a file was named, by itself or by a pattern, and not found in a folder.
pub fn is_named(file: &InputFile, inputs: &[PathBuf]) -> bool {
    let shown = file.shown();
    !inputs.iter().any(|input| shown != *input && shown.starts_with(input))
}

/// The inputs that messages show.
pub fn shown(inputs: &[PathBuf]) -> String {
    let shown = |path: &PathBuf| {
        if path == Path::new("-") { "standard input".to_owned() } else { shown_path(path) }
    };
    inputs.iter().map(shown).collect::<Vec<_>>().join(", ")
}

/// Adds the rows of a file to a table.
struct Rows<'f> {
    file: &'f InputFile,
    entry: &'static str,
    /// The index in the table of each column of the file.
    places: Vec<usize>,
    /// Number of columns before.
    columns_before: usize,
    last_position: Option<u64>,
}

impl<'f> Rows<'f> {
    fn start(file: &'f InputFile, reader: &CellReader, read: &mut ReadTable) -> Self {
        let entry = reader.format().entry_name();
        read.entry = entry;
        let columns_before = read.table.names().len();
        let mut rows = Self { file, entry, places: Vec::new(), columns_before, last_position: None };
        rows.add_columns(reader.names(), &mut read.table);
        rows
    }

    /// Adds the columns of the file that the table does not have yet.
    fn add_columns(&mut self, names: &[String], table: &mut Table) {
        for name in &names[self.places.len()..] {
            self.places.push(table.find(name).unwrap_or_else(|_| table.add_column(name)));
        }
    }

    /// Adds up to `most` rows. Returns false when there are no more.
    fn read(&mut self, reader: &mut CellReader, read: &mut ReadTable, most: usize) -> Result<bool> {
        for _ in 0..most {
            let known = self.places.len();
            if reader.names().len() > known {
                self.add_columns(reader.names(), &mut read.table);
            }
            let Some(row) = reader.next_row()? else { return Ok(false) };
            match row.content {
                RowContent::Cells(cells) if cells.iter().all(String::is_empty) => read.empty_count += 1,
                RowContent::Cells(cells) => {
                    let position = row.position;
                    if cells.len() > known {
                        // Columns that first occur in this row.
                        let cells = cells.to_vec();
                        self.add_columns(reader.names(), &mut read.table);
                        read.table.push_cells(self.places.iter().copied().zip(&cells));
                    } else {
                        read.table.push_cells(self.places.iter().copied().zip(cells));
                    }
                    self.note(position, read);
                }
                RowContent::Line(_) => {}
                RowContent::Skipped(reason) => read.skip(self.file, self.entry, row.position, reason, row.count),
            }
        }
        Ok(true)
    }

    fn note(&mut self, position: u64, read: &mut ReadTable) {
        let row = read.table.row_count() - 1;
        // Without a recorded position, rows are numbered from 1.
        let expected = self.last_position.map_or(u64::from(row == 0), |last| last + 1);
        if position != expected {
            read.jumps.push((row, position));
        }
        self.last_position = Some(position);
    }

    /// A file that shares no column with the previous ones is not part of their table.
    fn check_columns(&self, read: &ReadTable) -> Result<()> {
        let is_part = self.columns_before == 0
            || self.places.is_empty()
            || self.places.iter().any(|place| *place < self.columns_before);
        if is_part {
            return Ok(());
        }
        let names = read.table.names();
        let of_file: Vec<&str> = self.places.iter().map(|place| names[*place].as_str()).collect();
        let reason = format!(
            "its columns ({}) are none of those of the files before ({})",
            of_file.join(", "),
            names[..self.columns_before].join(", ")
        );
        Err(Error::NotATable { path: self.file.shown(), reason })
    }
}

#[cfg(test)]
mod tests;
