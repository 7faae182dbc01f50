//! Generates Parquet files for tests from a seed, with all features that a file can have, and the expected contents.
//!
//! Files are written and read back with the `parquet` crate's own reader, so that the code under test is not compared
//! with itself.

use std::fs::File;
use std::io::{Seek, Write};
use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::{BrotliLevel, Compression, Encoding, GzipLevel, Type as Physical, ZstdLevel};
use parquet::column::reader::{ColumnReaderImpl, get_typed_column_reader};
use parquet::data_type::{
    AsBytes, BoolType, ByteArray, ByteArrayType, DataType, DoubleType, FixedLenByteArray, FixedLenByteArrayType,
    FloatType, Int32Type, Int64Type, Int96, Int96Type,
};
use parquet::file::metadata::{KeyValue, ParquetMetaData, ParquetMetaDataReader, SortingColumn};
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterVersion};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::{ColumnDescriptor, SchemaDescriptor};

pub(super) const SCHEMA: &str = "message table {
    required binary text (STRING) = 1;
    optional binary blob;
    required int64 id = 7;
    optional int32 small (INTEGER(16,false));
    optional int64 when (TIMESTAMP(MICROS,true));
    optional int96 old_time;
    optional float ratio;
    optional double score;
    optional boolean flag;
    optional fixed_len_byte_array(5) five;
    required fixed_len_byte_array(9) price (DECIMAL(20,3));
    optional group body { optional binary content (STRING); }
    optional group tags (LIST) {
        repeated group list { optional group element { optional binary name (STRING); required int32 weight; } }
    }
    required group attributes (MAP) {
        repeated group key_value {
            required binary key (STRING);
            optional group value (LIST) { repeated group list { optional double element; } }
        }
    }
    repeated int64 bare;
}";

/// The contents of one column in one row.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Cell {
    /// Definition and repetition levels.
    pub(super) levels: Vec<(i16, i16)>,
    pub(super) values: Vec<Vec<u8>>,
}

/// A file and its contents by column: a cell for each row.
pub(super) struct Sample {
    pub(super) bytes: Vec<u8>,
    pub(super) columns: Vec<Vec<Cell>>,
}

/// A pseudorandom generator.
pub(super) struct Dice(pub(super) u64);

impl Dice {
    pub(super) fn roll(&mut self, sides: u64) -> u64 {
        // SplitMix64, as described by Sebastiano Vigna.
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % sides
    }

    fn one_of<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[self.roll(choices.len() as u64) as usize].clone()
    }
}

/// A file for this seed, with up to four row groups of up to 80 rows.
pub(super) fn sample(seed: u64) -> Sample {
    let mut dice = Dice(seed);
    let schema = Arc::new(parse_message_type(SCHEMA).unwrap());
    let columns = SchemaDescriptor::new(Arc::clone(&schema));
    let properties = Arc::new(properties(&mut dice, columns.columns()));
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, properties).unwrap();
    let mut columns = vec![Vec::new(); writer.schema_descr().num_columns()];
    for _ in 0..dice.roll(5) {
        let row_count = dice.roll(81);
        let mut group = writer.next_row_group().unwrap();
        let mut index = 0;
        while let Some(mut column) = group.next_column().unwrap() {
            let cells = fill(&mut dice, &mut column, row_count);
            columns[index].extend(cells);
            column.close().unwrap();
            index += 1;
        }
        group.close().unwrap();
    }
    Sample { bytes: writer.into_inner().unwrap(), columns }
}

fn properties(dice: &mut Dice, columns: &[Arc<ColumnDescriptor>]) -> WriterProperties {
    let codecs = [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::GZIP(GzipLevel::default()),
        Compression::BROTLI(BrotliLevel::default()),
        Compression::LZ4,
        Compression::ZSTD(ZstdLevel::default()),
        Compression::LZ4_RAW,
    ];
    let mut builder = WriterProperties::builder()
        .set_writer_version(dice.one_of(&[WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0]))
        .set_key_value_metadata(Some(vec![
            KeyValue::new("ARROW:schema".to_owned(), "opaque".to_owned()),
            KeyValue::new("pandas".to_owned(), "{\"columns\": []}".to_owned()),
            KeyValue::new("huggingface".to_owned(), None),
        ]))
        .set_offset_index_disabled(dice.roll(2) == 0)
        .set_write_batch_size(8)
        .set_data_page_size_limit(dice.one_of(&[200, 1000, 1 << 20]));
    if dice.roll(2) == 0 {
        let order = SortingColumn { column_idx: 2, descending: true, nulls_first: false };
        builder = builder.set_sorting_columns(Some(vec![order]));
    }
    for column in columns {
        let path = column.path();
        let encodings: &[Encoding] = match column.physical_type() {
            Physical::BOOLEAN => &[Encoding::PLAIN, Encoding::RLE],
            Physical::INT96 => &[Encoding::PLAIN],
            Physical::INT32 | Physical::INT64 => &[Encoding::PLAIN, Encoding::DELTA_BINARY_PACKED],
            Physical::FLOAT | Physical::DOUBLE => &[Encoding::PLAIN, Encoding::BYTE_STREAM_SPLIT],
            Physical::BYTE_ARRAY => &[Encoding::PLAIN, Encoding::DELTA_LENGTH_BYTE_ARRAY, Encoding::DELTA_BYTE_ARRAY],
            Physical::FIXED_LEN_BYTE_ARRAY => {
                &[Encoding::PLAIN, Encoding::DELTA_BYTE_ARRAY, Encoding::BYTE_STREAM_SPLIT]
            }
        };
        let statistics = [EnabledStatistics::None, EnabledStatistics::Chunk, EnabledStatistics::Page];
        builder = builder
            .set_column_compression(path.clone(), dice.one_of(&codecs))
            .set_column_dictionary_enabled(path.clone(), dice.roll(2) == 0)
            .set_column_dictionary_page_size_limit(path.clone(), dice.one_of(&[50, 1 << 20]))
            .set_column_encoding(path.clone(), dice.one_of(encodings))
            .set_column_statistics_enabled(path.clone(), dice.one_of(&statistics));
        if column.physical_type() != Physical::BOOLEAN {
            builder = builder.set_column_bloom_filter_enabled(path.clone(), dice.roll(4) == 0);
        }
    }
    builder.build()
}

fn fill(dice: &mut Dice, column: &mut SerializedColumnWriter<'_>, row_count: u64) -> Vec<Cell> {
    use parquet::column::writer::ColumnWriter as Any;
    let few = dice.roll(2) == 0;
    let text = move |dice: &mut Dice| {
        let kind = if few { dice.roll(3) } else { dice.roll(1 << 40) };
        "né ".repeat(dice.roll(if few { 2 } else { 9 }) as usize) + &kind.to_string()
    };
    macro_rules! write {
        ($writer:expr, $type:ty, $make:expr) => {{
            let descriptor = Arc::clone($writer.get_descriptor());
            let cells = cells::<$type>(dice, &descriptor, row_count, $make);
            for (cell, values) in &cells {
                let definition: Vec<i16> = cell.levels.iter().map(|level| level.0).collect();
                let repetition: Vec<i16> = cell.levels.iter().map(|level| level.1).collect();
                $writer.write_batch(values, Some(&definition), Some(&repetition)).unwrap();
            }
            cells.into_iter().map(|(cell, _)| cell).collect()
        }};
    }
    match column.untyped() {
        Any::BoolColumnWriter(writer) => write!(writer, BoolType, |dice| dice.roll(2) == 0),
        Any::Int32ColumnWriter(writer) => write!(writer, Int32Type, |dice| dice.roll(100) as i32 - 50),
        Any::Int64ColumnWriter(writer) => write!(writer, Int64Type, |dice| dice.roll(u64::MAX) as i64),
        Any::Int96ColumnWriter(writer) => {
            write!(writer, Int96Type, |dice| { Int96::from([0, 1, 2].map(|_| dice.roll(1 << 32) as u32).to_vec()) })
        }
        Any::FloatColumnWriter(writer) => {
            write!(writer, FloatType, |dice| f32::from_bits(dice.roll(1 << 32) as u32))
        }
        Any::DoubleColumnWriter(writer) => write!(writer, DoubleType, |dice| dice.roll(1000) as f64 / 8.0),
        Any::ByteArrayColumnWriter(writer) => {
            write!(writer, ByteArrayType, |dice| ByteArray::from(text(dice).into_bytes()))
        }
        Any::FixedLenByteArrayColumnWriter(writer) => {
            let length = writer.get_descriptor().type_length();
            write!(writer, FixedLenByteArrayType, |dice| {
                let bytes: Vec<u8> = (0..length).map(|_| dice.roll(if few { 2 } else { 256 }) as u8).collect();
                FixedLenByteArray::from(bytes)
            })
        }
    }
}

type Filled<T> = (Cell, Vec<T>);

fn cells<T: DataType>(
    dice: &mut Dice,
    column: &ColumnDescriptor,
    row_count: u64,
    mut make: impl FnMut(&mut Dice) -> T::T,
) -> Vec<Filled<T::T>> {
    let (highest, deepest) = (column.max_def_level(), column.max_rep_level());
    let nulls = dice.roll(3);
    let mut cells = Vec::new();
    for _ in 0..row_count {
        let (mut cell, mut values) = Filled::default();
        let elements = if deepest > 0 { dice.roll(5) + 1 } else { 1 };
        for element in 0..elements {
            let is_there = dice.roll(3) >= nulls || highest == 0;
            let definition = if is_there { highest } else { dice.roll(highest as u64) as i16 };
            let repetition = if element == 0 { 0 } else { 1 + dice.roll(deepest as u64) as i16 };
            cell.levels.push((definition, repetition));
            if definition == highest {
                let value = make(dice);
                cell.values.push(value.as_bytes().to_vec());
                values.push(value);
            }
        }
        cells.push((cell, values));
    }
    cells
}

/// All cells of a file, read by the crate's own reader.
pub(super) fn read_back(bytes: &[u8]) -> Vec<Vec<Cell>> {
    let reader = SerializedFileReader::new(Bytes::copy_from_slice(bytes)).unwrap();
    let mut columns = vec![Vec::new(); reader.metadata().file_metadata().schema_descr().num_columns()];
    for number in 0..reader.num_row_groups() {
        let group = reader.get_row_group(number).unwrap();
        let row_count = group.metadata().num_rows() as usize;
        for (index, cells) in columns.iter_mut().enumerate() {
            let column = group.metadata().column(index).column_descr_ptr();
            let reader = group.get_column_reader(index).unwrap();
            macro_rules! read {
                ($type:ty) => {
                    cells.extend(read_cells::<$type>(get_typed_column_reader(reader), &column, row_count))
                };
            }
            match column.physical_type() {
                Physical::BOOLEAN => read!(BoolType),
                Physical::INT32 => read!(Int32Type),
                Physical::INT64 => read!(Int64Type),
                Physical::INT96 => read!(Int96Type),
                Physical::FLOAT => read!(FloatType),
                Physical::DOUBLE => read!(DoubleType),
                Physical::BYTE_ARRAY => read!(ByteArrayType),
                Physical::FIXED_LEN_BYTE_ARRAY => read!(FixedLenByteArrayType),
            }
        }
    }
    columns
}

fn read_cells<T: DataType>(mut reader: ColumnReaderImpl<T>, column: &ColumnDescriptor, row_count: usize) -> Vec<Cell> {
    let (mut definition, mut repetition, mut values) = (Vec::new(), Vec::new(), Vec::new());
    let read = reader.read_records(row_count + 1, Some(&mut definition), Some(&mut repetition), &mut values).unwrap();
    assert_eq!(read.0, row_count);
    let mut values = values.iter().map(|value| value.as_bytes().to_vec());
    let mut cells: Vec<Cell> = Vec::new();
    for level in 0..read.2 {
        let (definition, repetition) =
            (definition.get(level).copied().unwrap_or(0), repetition.get(level).copied().unwrap_or(0));
        if repetition == 0 {
            cells.push(Cell::default());
        }
        let cell = cells.last_mut().unwrap();
        cell.levels.push((definition, repetition));
        if definition == column.max_def_level() {
            cell.values.extend(values.next());
        }
    }
    cells
}

/// The footer of a file.
pub(super) fn metadata(bytes: &[u8]) -> ParquetMetaData {
    ParquetMetaDataReader::new().parse_and_finish(&Bytes::copy_from_slice(bytes)).unwrap()
}

/// A temporary file with these bytes.
pub(super) fn file(bytes: &[u8]) -> File {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    file.rewind().unwrap();
    file
}
