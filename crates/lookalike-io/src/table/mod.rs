//! Files to tables of records: CSV and TSV, JSONL, Parquet; also as gzip or zstd.
//!
//! A row that cannot be read is skipped and told with its place; a file of which no row can be read ends the job.

mod delimited;
mod objects;

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use lookalike_core::table::Table;

use crate::compression::{Compression, buffered};
use crate::error::{Error, Result};
use crate::parquet;
use crate::web::charset;

/// A table as it was read.
#[derive(Debug)]
pub struct ReadTable {
    /// Its columns.
    pub table: Table,
    /// Rows that were skipped: the first ones.
    pub skipped: Vec<SkippedRow>,
    /// How many were.
    pub skipped_count: u64,
}

/// A row that was skipped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedRow {
    /// Which row, counted from 1; the names of the columns are none.
    pub row: u64,
    /// Why.
    pub reason: String,
}

/// What a Parquet file begins with.
const PARQUET: &[u8] = b"PAR1";

/// How many skipped rows are named.
const NAMED: usize = 1000;

impl ReadTable {
    fn new(table: Table) -> Self {
        Self { table, skipped: Vec::new(), skipped_count: 0 }
    }

    fn skip(&mut self, row: u64, reason: String) {
        self.skipped_count += 1;
        if self.skipped.len() < NAMED {
            self.skipped.push(SkippedRow { row, reason });
        }
    }
}

/// Reads a file, or standard input for `-`.
///
/// # Errors
///
/// When it cannot be read, or has no columns.
pub fn read_table(path: &Path) -> Result<ReadTable> {
    table_of(read_bytes(path)?, path)
}

/// The bytes of a file, unpacked; or of standard input for `-`.
///
/// # Errors
///
/// When it cannot be read.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>> {
    unpacked(path).map_err(Error::unreadable(path))
}

/// Whether these bytes are a table by what they begin with. CSV does not show itself.
pub fn is_table(bytes: &[u8]) -> bool {
    bytes.starts_with(PARQUET) || bytes.trim_ascii_start().starts_with(b"{")
}

/// The text of bytes, whatever its charset.
pub fn text_of(bytes: &[u8]) -> Cow<'_, str> {
    charset::decode(bytes, None, false)
}

/// The table of the bytes of a file.
///
/// # Errors
///
/// When it has no columns.
pub fn table_of(bytes: Vec<u8>, path: &Path) -> Result<ReadTable> {
    let not_a_table = |reason: String| Error::NotATable { path: shown(path), reason };
    if bytes.starts_with(PARQUET) {
        return parquet_table(bytes).map_err(not_a_table);
    }
    let text = text_of(&bytes);
    let start = text.trim_start();
    if start.is_empty() {
        return Err(not_a_table("it is empty".to_owned()));
    }
    if start.starts_with('{') { Ok(objects::read(&text)) } else { delimited::read(&text).map_err(not_a_table) }
}

fn unpacked(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if path == Path::new("-") {
        io::stdin().read_to_end(&mut bytes)?;
    } else {
        File::open(path)?.read_to_end(&mut bytes)?;
    }
    match Compression::of(&bytes) {
        Compression::None => Ok(bytes),
        packed => {
            let mut unpacked = Vec::new();
            packed.decode(buffered(io::Cursor::new(bytes)))?.read_to_end(&mut unpacked)?;
            Ok(unpacked)
        }
    }
}

fn parquet_table(bytes: Vec<u8>) -> std::result::Result<ReadTable, String> {
    let mut read: Option<ReadTable> = None;
    let mut number = 0;
    parquet::each_record(bytes, |names, row| {
        let read = read.get_or_insert_with(|| ReadTable::new(Table::new(names.iter().cloned())));
        number += 1;
        if let Err(error) =
            row.map_err(str::to_owned).and_then(|row| read.table.push(row).map_err(|error| error.to_string()))
        {
            read.skip(number, error);
        }
    })?;
    read.ok_or_else(|| "it has no rows".to_owned())
}

/// The path that messages show.
pub fn shown(path: &Path) -> PathBuf {
    if path == Path::new("-") { PathBuf::from("standard input") } else { path.to_owned() }
}
