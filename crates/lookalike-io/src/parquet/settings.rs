//! Determines how a file is written again, from its footer.
//!
//! The writer has settings for a whole file, while the footer describes each row group. If row groups differ, the first
//! one that specifies a setting is followed; but a sort order is declared only if all of them have it.

use parquet::basic::{Encoding, Type};
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, RowGroupMetaData, SortingColumn};
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder, WriterVersion};
use parquet::schema::types::ColumnPath;

use super::filter::Replaced;
use super::{Opened, arrow, pages, thrift};

/// Default dictionary size of the writer.
const DICTIONARY_BYTES: usize = 1 << 20;

/// A bloom filter is sized for as many values as a row group has, but not for more than this.
const FILTERED_VALUES: u64 = 1 << 26;

/// The settings for writing the file again; with notes, if the replaced fields are given.
pub(super) fn properties(opened: &Opened, notes: Option<&Replaced>) -> WriterProperties {
    let metadata = &opened.metadata;
    let file = metadata.file_metadata();
    let version = if file.version() >= 2 { WriterVersion::PARQUET_2_0 } else { WriterVersion::PARQUET_1_0 };
    let mut pairs = file.key_value_metadata().cloned();
    if let (Some(replaced), Some(pairs)) = (notes, &mut pairs) {
        let field_count = file.schema().get_fields().len();
        pairs.retain_mut(|pair| {
            if pair.key == arrow::KEY {
                let schema = pair.value.as_deref();
                pair.value = schema.and_then(|schema| arrow::with_notes(schema, field_count, &replaced.fields));
            }
            pair.key != arrow::KEY || pair.value.is_some()
        });
    }
    let chunks = || metadata.row_groups().iter().flat_map(RowGroupMetaData::columns);
    let mut builder = WriterProperties::builder()
        .set_writer_version(version)
        .set_key_value_metadata(pairs)
        .set_offset_index_disabled(chunks().all(|chunk| chunk.offset_index_offset().is_none()));
    let left_out = notes.map_or(&[][..], |replaced| &replaced.columns);
    let mut orders = metadata.row_groups().iter().map(RowGroupMetaData::sorting_columns);
    if let Some(Some(order)) = orders.next()
        && orders.all(|other| other == Some(order))
    {
        let order = order_without(order, left_out);
        builder = builder.set_sorting_columns((!order.is_empty()).then_some(order));
    }
    for index in (0..file.schema_descr().num_columns()).filter(|index| !left_out.contains(index)) {
        builder = column(opened, metadata, index, builder);
    }
    builder.build()
}

/// The remaining sort order if columns are left out: up to the first of these, with renumbered columns.
fn order_without(order: &[SortingColumn], left_out: &[usize]) -> Vec<SortingColumn> {
    let is_there = |column: &&SortingColumn| !left_out.iter().any(|out| *out as i32 == column.column_idx);
    let renumbered = |column: &SortingColumn| {
        let before = left_out.iter().filter(|out| (**out as i32) < column.column_idx).count();
        SortingColumn { column_idx: column.column_idx - before as i32, ..column.clone() }
    };
    order.iter().take_while(is_there).map(renumbered).collect()
}

fn column(
    opened: &Opened,
    metadata: &ParquetMetaData,
    index: usize,
    mut builder: WriterPropertiesBuilder,
) -> WriterPropertiesBuilder {
    let chunks = || metadata.row_groups().iter().map(|group| group.column(index));
    let Some(first) = chunks().next() else { return builder };
    let path: &ColumnPath = first.column_path();
    let has = |encoding| chunks().any(|chunk| chunk.encodings_mask().is_set(encoding));
    let has_dictionary = has(Encoding::RLE_DICTIONARY) || has(Encoding::PLAIN_DICTIONARY);
    let statistics = if chunks().any(|chunk| chunk.column_index_offset().is_some()) {
        EnabledStatistics::Page
    } else if chunks().any(|chunk| chunk.statistics().is_some()) {
        EnabledStatistics::Chunk
    } else {
        EnabledStatistics::None
    };
    builder = builder
        .set_column_compression(path.clone(), first.compression())
        .set_column_dictionary_enabled(path.clone(), has_dictionary)
        .set_column_encoding(path.clone(), encoding(first.column_type(), has))
        .set_column_statistics_enabled(path.clone(), statistics);
    if has_dictionary {
        let largest = chunks().filter_map(|chunk| dictionary_bytes(opened, chunk)).max().unwrap_or(0);
        builder = builder.set_column_dictionary_page_size_limit(path.clone(), largest.max(DICTIONARY_BYTES));
    }
    if chunks().any(|chunk| chunk.bloom_filter_offset().is_some()) {
        let values = chunks().filter_map(|chunk| u64::try_from(chunk.num_values()).ok()).max().unwrap_or(0);
        builder = builder
            .set_column_bloom_filter_enabled(path.clone(), true)
            .set_column_bloom_filter_max_ndv(path.clone(), values.clamp(1, FILTERED_VALUES));
    }
    builder
}

/// The encoding of values that are not in a dictionary. Without one, the writer would choose by its version.
fn encoding(physical: Type, has: impl Fn(Encoding) -> bool) -> Encoding {
    let fitting: &[Encoding] = match physical {
        Type::BOOLEAN if !has(Encoding::PLAIN) => &[Encoding::RLE],
        Type::BOOLEAN | Type::INT96 => &[],
        Type::INT32 | Type::INT64 => &[Encoding::DELTA_BINARY_PACKED, Encoding::BYTE_STREAM_SPLIT],
        Type::FLOAT | Type::DOUBLE => &[Encoding::BYTE_STREAM_SPLIT],
        Type::BYTE_ARRAY => &[Encoding::DELTA_LENGTH_BYTE_ARRAY, Encoding::DELTA_BYTE_ARRAY],
        Type::FIXED_LEN_BYTE_ARRAY => &[Encoding::DELTA_BYTE_ARRAY, Encoding::BYTE_STREAM_SPLIT],
    };
    fitting.iter().copied().find(|encoding| has(*encoding)).unwrap_or(Encoding::PLAIN)
}

/// The dictionary size. Strings stored once in a larger dictionary would be written a thousand times with a smaller
/// one.
fn dictionary_bytes(opened: &Opened, chunk: &ColumnChunkMetaData) -> Option<usize> {
    /// A dictionary with a compressed size up to this is not read only to find that it is small.
    const SMALL: i64 = 1 << 14;
    let start = chunk.dictionary_page_offset()?;
    if chunk.data_page_offset().saturating_sub(start) < SMALL {
        return None;
    }
    let (start, end) = pages::range(chunk, opened.file_bytes).ok()?;
    let bytes = pages::read_at(&opened.file, start, (end - start).min(1 << 10)).ok()?;
    let (_, header) = thrift::page_header(&bytes).ok()?;
    usize::try_from(header.unpacked_bytes).ok().filter(|_| header.kind == 2)
}
