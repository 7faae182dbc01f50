//! Tables that lookalike writes for itself and for SQL engines, as Parquet: the files between the stages of a run.
//!
//! Columns are numbers of 64 bits, byte strings, or lists of numbers, and none is null. A table is written in row
//! groups, each of which can be read separately.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::column::reader::get_typed_column_reader;
use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
use parquet::errors::Result as ParquetResult;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{Type, TypePtr};

use super::guard::{guarded, reason};
use crate::error::{Error, Result};

/// The kind of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Numbers of 64 bits; unsigned ones as the signed number with the same bits.
    Whole,
    /// Byte strings.
    Bytes,
    /// Lists of numbers of 64 bits.
    Wholes,
}

/// The values of a column in one row group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Values {
    /// Of a column of the kind [`Kind::Whole`].
    Whole(Vec<i64>),
    /// Of a column of the kind [`Kind::Bytes`].
    Bytes(Vec<Vec<u8>>),
    /// Of a column of the kind [`Kind::Wholes`].
    Wholes(Vec<Vec<i64>>),
}

impl Values {
    /// The numbers of a column; none if it has others.
    pub fn into_whole(self) -> Vec<i64> {
        if let Self::Whole(values) = self { values } else { Vec::new() }
    }

    /// The byte strings of a column; none if it has others.
    pub fn into_bytes(self) -> Vec<Vec<u8>> {
        if let Self::Bytes(values) = self { values } else { Vec::new() }
    }
}

/// The columns of a table: their names and kinds.
pub type Columns<'a> = &'a [(&'a str, Kind)];

/// Writes a table.
pub struct TableWriter {
    path: PathBuf,
    writer: SerializedFileWriter<File>,
    rows: u64,
    groups: usize,
}

impl TableWriter {
    /// Creates a file.
    ///
    /// # Errors
    ///
    /// If it cannot be created.
    pub fn create(path: &Path, columns: Columns<'_>) -> Result<Self> {
        let file = File::create(path).map_err(Error::unwritable(path))?;
        // Hashes and sketches do not compress, and nobody searches by statistics.
        let properties = WriterProperties::builder()
            .set_dictionary_enabled(false)
            .set_statistics_enabled(EnabledStatistics::None)
            .set_created_by("lookalike".to_owned());
        let made =
            schema(columns).and_then(|schema| SerializedFileWriter::new(file, schema, Arc::new(properties.build())));
        let writer = made.map_err(|error| unwritable(path, &reason(&error)))?;
        Ok(Self { path: path.to_owned(), writer, rows: 0, groups: 0 })
    }

    /// Writes a row group: the values of every column, the same number of each. One without rows is not written.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn write(&mut self, columns: &[Values]) -> Result<()> {
        let count = columns.first().map_or(0, count);
        debug_assert!(columns.iter().all(|values| self::count(values) == count), "columns of the same length");
        if count == 0 {
            return Ok(());
        }
        let (writer, path) = (&mut self.writer, &self.path);
        guarded(|| write_group(writer, columns)).map_err(|reason| unwritable(path, &reason))?;
        self.rows += count as u64;
        self.groups += 1;
        Ok(())
    }

    /// The number of row groups so far.
    pub fn group_count(&self) -> usize {
        self.groups
    }

    /// Completes the file, and returns the number of its rows.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn finish(self) -> Result<u64> {
        let Self { path, writer, rows, .. } = self;
        let file = guarded(|| writer.into_inner()).map_err(|reason| unwritable(&path, &reason))?;
        file.sync_all().map_err(Error::unwritable(&path))?;
        Ok(rows)
    }
}

fn count(values: &Values) -> usize {
    match values {
        Values::Whole(values) => values.len(),
        Values::Bytes(values) => values.len(),
        Values::Wholes(values) => values.len(),
    }
}

fn schema(columns: Columns<'_>) -> ParquetResult<TypePtr> {
    let whole = |name: &str| {
        Ok::<_, parquet::errors::ParquetError>(Arc::new(
            Type::primitive_type_builder(name, Physical::INT64).with_repetition(Repetition::REQUIRED).build()?,
        ))
    };
    let field = |(name, kind): &(&str, Kind)| {
        Ok(match kind {
            Kind::Whole => whole(name)?,
            Kind::Bytes => Arc::new(
                Type::primitive_type_builder(name, Physical::BYTE_ARRAY)
                    .with_repetition(Repetition::REQUIRED)
                    .build()?,
            ),
            Kind::Wholes => {
                let list = Type::group_type_builder("list")
                    .with_repetition(Repetition::REPEATED)
                    .with_fields(vec![whole("element")?])
                    .build()?;
                let group = Type::group_type_builder(name)
                    .with_repetition(Repetition::REQUIRED)
                    .with_logical_type(Some(LogicalType::List))
                    .with_fields(vec![Arc::new(list)]);
                Arc::new(group.build()?)
            }
        })
    };
    let fields = columns.iter().map(field).collect::<ParquetResult<Vec<TypePtr>>>()?;
    Ok(Arc::new(Type::group_type_builder("table").with_fields(fields).build()?))
}

fn write_group(writer: &mut SerializedFileWriter<File>, columns: &[Values]) -> ParquetResult<()> {
    let mut group = writer.next_row_group()?;
    for values in columns {
        let Some(mut column) = group.next_column()? else { break };
        match values {
            Values::Whole(values) => {
                column.typed::<Int64Type>().write_batch(values, None, None)?;
            }
            Values::Bytes(values) => {
                let values: Vec<ByteArray> = values.iter().map(|value| ByteArray::from(value.clone())).collect();
                column.typed::<ByteArrayType>().write_batch(&values, None, None)?;
            }
            Values::Wholes(lists) => {
                let values: Vec<i64> = lists.iter().flatten().copied().collect();
                // An empty list is an entry without a value.
                let (mut defined, mut repeated) = (Vec::new(), Vec::new());
                for list in lists {
                    defined.extend((0..list.len().max(1)).map(|_| i16::from(!list.is_empty())));
                    repeated.extend((0..list.len().max(1)).map(|at| i16::from(at > 0)));
                }
                column.typed::<Int64Type>().write_batch(&values, Some(&defined), Some(&repeated))?;
            }
        }
        column.close()?;
    }
    group.close().map(drop)
}

/// Reads a table that [`TableWriter`] wrote.
pub struct TableReader {
    path: PathBuf,
    reader: SerializedFileReader<File>,
    kinds: Vec<Kind>,
}

impl TableReader {
    /// Opens a file with these columns.
    ///
    /// # Errors
    ///
    /// If it cannot be read, or is another table.
    pub fn open(path: &Path, columns: Columns<'_>) -> Result<Self> {
        let file = File::open(path).map_err(Error::unreadable(path))?;
        let reader = guarded(|| SerializedFileReader::new(file)).map_err(|reason| unreadable(path, &reason))?;
        let found = reader.metadata().file_metadata().schema_descr().num_columns();
        if found != columns.len() {
            return Err(unreadable(path, "it has other columns"));
        }
        Ok(Self { path: path.to_owned(), reader, kinds: columns.iter().map(|(_, kind)| *kind).collect() })
    }

    /// Number of row groups.
    pub fn group_count(&self) -> usize {
        self.reader.metadata().num_row_groups()
    }

    /// Reads the columns of a row group.
    ///
    /// # Errors
    ///
    /// If the file is damaged.
    pub fn read(&self, group: usize) -> Result<Vec<Values>> {
        let Self { reader, kinds, .. } = self;
        guarded(|| read_group(reader, kinds, group)).map_err(|reason| unreadable(&self.path, &reason))
    }
}

fn read_group(reader: &SerializedFileReader<File>, kinds: &[Kind], group: usize) -> ParquetResult<Vec<Values>> {
    let rows = usize::try_from(reader.metadata().row_group(group).num_rows()).unwrap_or(0);
    let group = reader.get_row_group(group)?;
    let read = |(column, kind): (usize, &Kind)| {
        let column = group.get_column_reader(column)?;
        Ok(match kind {
            Kind::Whole => {
                let mut values = Vec::with_capacity(rows);
                get_typed_column_reader::<Int64Type>(column).read_records(rows, None, None, &mut values)?;
                Values::Whole(values)
            }
            Kind::Bytes => {
                let mut values = Vec::with_capacity(rows);
                get_typed_column_reader::<ByteArrayType>(column).read_records(rows, None, None, &mut values)?;
                Values::Bytes(values.iter().map(|value| value.data().to_vec()).collect())
            }
            Kind::Wholes => {
                let (mut defined, mut repeated, mut values) = (Vec::new(), Vec::new(), Vec::new());
                get_typed_column_reader::<Int64Type>(column).read_records(
                    rows,
                    Some(&mut defined),
                    Some(&mut repeated),
                    &mut values,
                )?;
                let (mut lists, mut values) = (Vec::<Vec<i64>>::with_capacity(rows), values.into_iter());
                for (defined, repeated) in defined.into_iter().zip(repeated) {
                    if repeated == 0 {
                        lists.push(Vec::new());
                    }
                    if let Some(list) = lists.last_mut().filter(|_| defined > 0) {
                        list.extend(values.next());
                    }
                }
                Values::Wholes(lists)
            }
        })
    };
    kinds.iter().enumerate().map(read).collect()
}

fn unwritable(path: &Path, reason: &str) -> Error {
    Error::unwritable(path)(std::io::Error::other(reason.to_owned()))
}

fn unreadable(path: &Path, reason: &str) -> Error {
    Error::unreadable(path)(std::io::Error::new(std::io::ErrorKind::InvalidData, reason.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: Columns<'_> = &[("number", Kind::Whole), ("text", Kind::Bytes), ("keys", Kind::Wholes)];

    fn rows(from: i64, count: i64) -> Vec<Values> {
        let numbers = from..from + count;
        vec![
            Values::Whole(numbers.clone().map(i64::wrapping_neg).collect()),
            Values::Bytes(numbers.clone().map(|at| vec![at as u8; at as usize % 7]).collect()),
            Values::Wholes(numbers.map(|at| (0..at % 4).map(|key| at * key - 1).collect()).collect()),
        ]
    }

    #[test]
    fn a_table_comes_back_by_row_groups() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table.parquet");
        let mut writer = TableWriter::create(&path, COLUMNS).unwrap();
        for (from, count) in [(0, 3000), (5, 0), (7, 20)] {
            writer.write(&rows(from, count)).unwrap();
        }
        assert_eq!(writer.group_count(), 2, "a group without rows is not written");
        assert_eq!(writer.finish().unwrap(), 3020);
        let reader = TableReader::open(&path, COLUMNS).unwrap();
        assert_eq!(reader.group_count(), 2);
        assert_eq!((reader.read(0).unwrap(), reader.read(1).unwrap()), (rows(0, 3000), rows(7, 20)));
        assert!(TableReader::open(&path, &COLUMNS[..2]).is_err());
    }

    #[test]
    fn a_damaged_table_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table.parquet");
        let mut writer = TableWriter::create(&path, COLUMNS).unwrap();
        writer.write(&rows(0, 100)).unwrap();
        writer.finish().unwrap();
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
        assert!(TableReader::open(&path, COLUMNS).is_err());
    }
}
