//! Copies a Parquet file with fewer rows, and optionally with a note on each row.
//!
//! Every value and level is copied unchanged; only page boundaries change. A column is read, filtered and written
//! before the next one, a few rows at a time. Reading a row group stops at its last kept row, so later damage does not
//! matter.

use std::fs::File;
use std::io::{self, Write};
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::column::writer::ColumnWriterImpl;
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, DoubleType, FixedLenByteArrayType, FloatType, Int32Type, Int64Type,
    Int96Type,
};
use parquet::errors::ParquetError;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{SchemaDescriptor, Type, TypePtr};

use super::column::{BATCH_ROWS, Column};
use super::guard::{guarded, reason};
use super::{Opened, open, settings};
use crate::error::Error;
use crate::notes::{Annotation, NOTES};

/// Reason why rows could not be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum FilterError {
    /// The input cannot be read, or has changed.
    #[error("{0}")]
    Read(String),
    /// The output cannot be written.
    #[error("{reason}")]
    Write {
        /// Distinguishes a closed pipe from a full disk.
        kind: io::ErrorKind,
        reason: String,
    },
}

impl FilterError {
    /// Adds the paths of the files.
    pub(crate) fn with_paths(self, input: PathBuf, output: &Path) -> Error {
        match self {
            Self::Read(reason) => Error::Unreadable { path: input, cause: io::Error::other(reason) },
            Self::Write { kind, reason } => {
                Error::Unwritable { path: output.to_owned(), cause: io::Error::new(kind, reason) }
            }
        }
    }
}

type Result<T> = std::result::Result<T, FilterError>;

#[expect(clippy::needless_pass_by_value, reason = "it is what map_err calls")]
fn unwritable(error: ParquetError) -> FilterError {
    match &error {
        ParquetError::External(cause) => {
            let kind = cause.downcast_ref::<io::Error>().map_or(io::ErrorKind::Other, io::Error::kind);
            FilterError::Write { kind, reason: cause.to_string() }
        }
        error => FilterError::Write { kind: io::ErrorKind::Other, reason: reason(error) },
    }
}

/// Writes the rows with these numbers, counted from 0 and in order, each with a note if there are notes. Returns the
/// number of rows with a column that was replaced by a note.
///
/// # Errors
///
/// [`FilterError::Read`] if the file is damaged or has no such rows, [`FilterError::Write`] if writing to `output`
/// fails.
pub(crate) fn write_rows(
    input: File,
    kept: &[u64],
    notes: Option<&[Annotation]>,
    output: impl Write + Send,
) -> Result<u64> {
    debug_assert!(kept.is_sorted_by(|left, right| left < right), "rows are in order");
    debug_assert!(notes.is_none_or(|notes| notes.len() == kept.len()), "a note for each row");
    let opened = open(input).map_err(FilterError::Read)?;
    if let Some(last) = kept.last().filter(|last| **last >= opened.row_count) {
        return Err(FilterError::Read(format!("there is no row {}, only {}", last + 1, opened.row_count)));
    }
    guarded(|| Ok(write_groups(&opened, kept, notes, output))).unwrap_or_else(|reason| Err(FilterError::Read(reason)))
}

fn write_groups(opened: &Opened, kept: &[u64], notes: Option<&[Annotation]>, output: impl Write + Send) -> Result<u64> {
    let schema = opened.metadata.file_metadata().schema_descr();
    let replaced = if notes.is_some() { Replaced::of(schema) } else { Replaced::default() };
    let properties = Arc::new(settings::properties(opened, notes.is_some().then_some(&replaced)));
    let schema = schema.root_schema_ptr();
    let schema = if notes.is_some() { with_notes(&schema, &replaced).map_err(unwritable)? } else { schema };
    let mut writer = SerializedFileWriter::new(output, schema, properties).map_err(unwritable)?;
    let (mut first, mut passed) = (0, 0);
    for (number, group) in opened.metadata.row_groups().iter().enumerate() {
        let next = first + u64::try_from(group.num_rows()).unwrap_or(0);
        let end = passed + kept[passed..].partition_point(|row| *row < next);
        if passed < end {
            let mut group = writer.next_row_group().map_err(unwritable)?;
            write_columns(opened, number, first, &kept[passed..end], &replaced, &mut group)?;
            if let Some(notes) = notes {
                write_notes(&notes[passed..end], &mut group)?;
            }
            group.close().map_err(unwritable)?;
        }
        (first, passed) = (next, end);
    }
    writer.close().map_err(unwritable)?;
    Ok(if replaced.fields.is_empty() { 0 } else { kept.len() as u64 })
}

/// Fields that are not copied because a note has their name: numbers of top-level fields, and of their columns.
#[derive(Debug, Default)]
pub(super) struct Replaced {
    pub(super) fields: Vec<usize>,
    pub(super) columns: Vec<usize>,
}

impl Replaced {
    fn of(schema: &SchemaDescriptor) -> Self {
        let is_note = |field: &usize| NOTES.contains(&schema.root_schema().get_fields()[*field].name());
        Self {
            fields: (0..schema.root_schema().get_fields().len()).filter(is_note).collect(),
            columns: (0..schema.num_columns()).filter(|column| is_note(&schema.get_column_root_idx(*column))).collect(),
        }
    }
}

fn write_columns<W: Write + Send>(
    opened: &Opened,
    number: usize,
    first: u64,
    kept: &[u64],
    replaced: &Replaced,
    writer: &mut SerializedRowGroupWriter<'_, W>,
) -> Result<()> {
    let group = opened.metadata.row_group(number);
    for index in (0..group.num_columns()).filter(|index| !replaced.columns.contains(index)) {
        let mut column = next_column(writer)?;
        macro_rules! copy {
            ($type:ty) => {{
                let input = Column::open(&opened.file, opened.file_bytes, group, index).map_err(FilterError::Read)?;
                copy_column(input, first, kept, column.typed::<$type>())?;
            }};
        }
        match group.column(index).column_type() {
            Physical::BOOLEAN => copy!(BoolType),
            Physical::INT32 => copy!(Int32Type),
            Physical::INT64 => copy!(Int64Type),
            Physical::INT96 => copy!(Int96Type),
            Physical::FLOAT => copy!(FloatType),
            Physical::DOUBLE => copy!(DoubleType),
            Physical::BYTE_ARRAY => copy!(ByteArrayType),
            Physical::FIXED_LEN_BYTE_ARRAY => copy!(FixedLenByteArrayType),
        }
        column.close().map_err(unwritable)?;
    }
    Ok(())
}

fn next_column<'a, W: Write + Send>(
    writer: &'a mut SerializedRowGroupWriter<'_, W>,
) -> Result<SerializedColumnWriter<'a>> {
    let column = writer.next_column().map_err(unwritable)?;
    column.ok_or_else(|| FilterError::Read("a row group has more columns than the schema".to_owned()))
}

/// `first` is the number of the row group's first row.
fn copy_column<T: DataType>(
    mut input: Column<T>,
    first: u64,
    mut kept: &[u64],
    output: &mut ColumnWriterImpl<'_, T>,
) -> Result<()> {
    let mut row = first;
    let (mut definition, mut repetition, mut values) = (Vec::new(), Vec::new(), Vec::new());
    while let Some(last) = kept.last() {
        let most = usize::try_from(last + 1 - row).unwrap_or(BATCH_ROWS);
        let row_count = input.read(most).map_err(FilterError::Read)?;
        if row_count == 0 {
            return Err(FilterError::Read("a column has fewer rows than the file says".to_owned()));
        }
        let next = row + row_count as u64;
        let (here, later) = kept.split_at(kept.partition_point(|kept| *kept < next));
        if here.len() == row_count {
            write_batch(output, &input.values, &input.definition, &input.repetition)?;
        } else if !here.is_empty() {
            definition.clear();
            repetition.clear();
            values.clear();
            thin_out(&mut input, row, here, &mut definition, &mut repetition, &mut values);
            write_batch(output, &values, &definition, &repetition)?;
        }
        (row, kept) = (next, later);
    }
    Ok(())
}

/// Moves the levels and values of the rows `kept` out of those that were read, the first of which is `row`.
fn thin_out<T: DataType>(
    input: &mut Column<T>,
    row: u64,
    kept: &[u64],
    definition: &mut Vec<i16>,
    repetition: &mut Vec<i16>,
    values: &mut Vec<T::T>,
) {
    let mut kept = kept.iter().copied().peekable();
    let (mut next_row, mut next_value, mut is_kept) = (row, 0, false);
    for level in 0..input.level_count() {
        let repeated = input.repetition.get(level).copied();
        if repeated.unwrap_or(0) == 0 {
            is_kept = kept.next_if_eq(&next_row).is_some();
            next_row += 1;
        }
        let has_value = input.has_value(level);
        if is_kept {
            definition.extend(input.definition.get(level));
            repetition.extend(repeated);
            values.extend(has_value.then(|| mem::take(&mut input.values[next_value])));
        }
        next_value += usize::from(has_value);
    }
}

fn write_batch<T: DataType>(
    output: &mut ColumnWriterImpl<'_, T>,
    values: &[T::T],
    definition: &[i16],
    repetition: &[i16],
) -> Result<()> {
    let some = |levels: &'_ [i16]| !levels.is_empty();
    let written =
        output.write_batch(values, some(definition).then_some(definition), some(repetition).then_some(repetition));
    written.map(drop).map_err(unwritable)
}

/// The schema with six additional columns at its end, without existing ones of the same names.
fn with_notes(schema: &Type, replaced: &Replaced) -> parquet::errors::Result<TypePtr> {
    let fields = schema.get_fields().iter().enumerate().filter(|(number, _)| !replaced.fields.contains(number));
    let mut fields: Vec<TypePtr> = fields.map(|(_, field)| Arc::clone(field)).collect();
    let types = [
        (Physical::INT64, Repetition::OPTIONAL, None),
        (Physical::BOOLEAN, Repetition::REQUIRED, None),
        (Physical::BYTE_ARRAY, Repetition::OPTIONAL, Some(LogicalType::String)),
        (Physical::DOUBLE, Repetition::OPTIONAL, None),
        (Physical::INT64, Repetition::OPTIONAL, None),
        (Physical::INT64, Repetition::OPTIONAL, None),
    ];
    for (name, (physical, repetition, logical)) in NOTES.into_iter().zip(types) {
        let column = Type::primitive_type_builder(name, physical)
            .with_repetition(repetition)
            .with_logical_type(logical)
            .build()?;
        fields.push(Arc::new(column));
    }
    let root = Type::group_type_builder(schema.name()).with_fields(fields).build()?;
    Ok(Arc::new(root))
}

fn write_notes<W: Write + Send>(notes: &[Annotation], writer: &mut SerializedRowGroupWriter<'_, W>) -> Result<()> {
    write_note::<Int64Type, W>(writer, notes, |note| note.cluster.map(|cluster| cluster as i64))?;
    write_note::<BoolType, W>(writer, notes, |note| Some(note.kept))?;
    write_note::<ByteArrayType, W>(writer, notes, |note| note.kept_id.as_deref().map(ByteArray::from))?;
    write_note::<DoubleType, W>(writer, notes, |note| note.similarity)?;
    write_note::<Int64Type, W>(writer, notes, |note| note.cluster_size.map(|size| size as i64))?;
    write_note::<Int64Type, W>(writer, notes, |note| note.copy_count.map(|count| count as i64))
}

fn write_note<T: DataType, W: Write + Send>(
    writer: &mut SerializedRowGroupWriter<'_, W>,
    notes: &[Annotation],
    part: impl Fn(&Annotation) -> Option<T::T>,
) -> Result<()> {
    let mut column = next_column(writer)?;
    for notes in notes.chunks(BATCH_ROWS) {
        let parts: Vec<Option<T::T>> = notes.iter().map(&part).collect();
        // Columns that always have a value ignore levels.
        let definition: Vec<i16> = parts.iter().map(|part| i16::from(part.is_some())).collect();
        let values: Vec<T::T> = parts.into_iter().flatten().collect();
        write_batch(column.typed::<T>(), &values, &definition, &[])?;
    }
    column.close().map_err(unwritable)
}
