//! Files to tables of records: CSV and TSV, JSONL, Parquet; also as gzip or zstd.
//!
//! A row that cannot be read is skipped and told with its place; a file of which no row can be read ends the job.

mod delimited;
mod objects;

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use lookalike_core::table::Table;

use crate::compression::{Compression, buffered};
use crate::error::{Error, Result};
use crate::parquet;
use crate::web::charset;

/// A table as it was read.
#[derive(Debug)]
pub struct ReadTable {
    /// The file, as messages show it.
    pub name: String,
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
        Self { name: String::new(), table, skipped: Vec::new(), skipped_count: 0 }
    }

    fn skip(&mut self, row: u64, reason: String) {
        self.skipped_count += 1;
        if self.skipped.len() < NAMED {
            self.skipped.push(SkippedRow { row, reason });
        }
    }
}

impl ReadTable {
    /// Refuses a table without rows.
    ///
    /// # Errors
    ///
    /// [`Error::NotATable`].
    pub fn require_rows(&self) -> Result<()> {
        if self.table.row_count() > 0 {
            return Ok(());
        }
        let reason = match self.skipped_count {
            0 => "it has no rows".to_owned(),
            count => format!("none of its {count} rows can be read, the first because {}", self.skipped[0].reason),
        };
        Err(Error::NotATable { path: self.name.clone().into(), reason })
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
    let read = if bytes.starts_with(PARQUET) { parquet_table(bytes) } else { text_table(&bytes) };
    let read = read.map_err(|reason| Error::NotATable { path: shown(path).into(), reason })?;
    Ok(ReadTable { name: shown(path), ..read })
}

fn text_table(bytes: &[u8]) -> std::result::Result<ReadTable, String> {
    let text = text_of(bytes);
    match text.trim_start().chars().next() {
        None => Err("it is empty".to_owned()),
        Some('{') => Ok(objects::read(&text)),
        Some(_) => delimited::read(&text),
    }
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
        let pushed = row.map_err(str::to_owned).and_then(|row| read.table.push(row).map_err(|error| error.to_string()));
        if let Err(reason) = pushed {
            read.skip(number, reason);
        }
    })?;
    read.ok_or_else(|| "it has no rows".to_owned())
}

/// The path that messages show.
pub fn shown(path: &Path) -> String {
    if path == Path::new("-") { "standard input".to_owned() } else { path.display().to_string() }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ::parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int32Type, Int64Type};
    use ::parquet::file::writer::SerializedFileWriter;
    use ::parquet::schema::parser::parse_message_type;
    use proptest::prelude::*;

    use super::*;

    /// Two rows; the second has an id and a code alone.
    fn parquet() -> Vec<u8> {
        let schema = "message table { required int64 id; optional binary name (STRING); optional int32 born (DATE); \
                      optional double price; required binary code; }";
        let schema = Arc::new(parse_message_type(schema).unwrap());
        let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::default()).unwrap();
        let mut group = writer.next_row_group().unwrap();
        let one = Some(&[1_i16, 0][..]);
        let mut at = 0;
        while let Some(mut column) = group.next_column().unwrap() {
            match at {
                0 => column.typed::<Int64Type>().write_batch(&[1, 2], None, None),
                1 => column.typed::<ByteArrayType>().write_batch(&[ByteArray::from(" Ann ")], one, None),
                2 => column.typed::<Int32Type>().write_batch(&[-9903], one, None),
                3 => column.typed::<DoubleType>().write_batch(&[9.5], one, None),
                _ => column.typed::<ByteArrayType>().write_batch(&["x7", "y"].map(ByteArray::from), None, None),
            }
            .unwrap();
            column.close().unwrap();
            at += 1;
        }
        group.close().unwrap();
        writer.into_inner().unwrap()
    }

    proptest! {
        #[test]
        fn hostile_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..300), at in 0_usize..5) {
            // Of each kind a beginning that shows what it is.
            let start: &[u8] = [&b""[..], b"a,b\n1,", b"{\"a\":1}\n{", b"PAR1", b"\x1f\x8b\x08"][at];
            if let Ok(read) = table_of([start, &bytes].concat(), Path::new("hostile")) {
                let cells = (0..read.table.row_count()).map(|row| read.table.row(row).count());
                prop_assert!(cells.into_iter().all(|count| count == read.table.names().len()));
            }
        }

        #[test]
        fn a_damaged_parquet_file_is_read_or_refused(at in any::<prop::sample::Index>(), byte in any::<u8>()) {
            let mut bytes = parquet();
            let at = at.index(bytes.len());
            bytes[at] = byte;
            let _ = table_of(bytes, Path::new("damaged"));
        }
    }

    #[test]
    fn cells_of_parquet_are_as_a_person_writes_them() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let bytes = parquet();
        std::fs::write(file.path(), &bytes).unwrap();
        let read = read_table(file.path()).unwrap();
        assert_eq!(read.table.names(), ["id", "name", "born", "price", "code"]);
        assert_eq!(read.table.row(0).collect::<Vec<_>>(), ["1", "Ann", "1942-11-21", "9.5", "x7"]);
        assert_eq!(read.table.row(1).collect::<Vec<_>>(), ["2", "", "", "", "y"]);

        std::fs::write(file.path(), &bytes[..bytes.len() / 2]).unwrap();
        assert!(matches!(read_table(file.path()), Err(Error::NotATable { .. })));
    }
}
