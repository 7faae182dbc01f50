//! Reads the rows of a Parquet file as text: every column in human-readable form.
//!
//! Uses the same pages and limits as documents. Every column with values is included: for a group, each of its columns,
//! named with dots; for a list, one, written as JSON to separate its elements.

use std::fmt::Write as _;
use std::fs::File;

use parquet::basic::Repetition;
use parquet::data_type::ByteArray;
use parquet::record::Field;
use parquet::schema::types::{ColumnDescPtr, SchemaDescriptor, Type};

use super::guard::guarded;
use super::render::{AnyCells, Kind, Scalar, half, write_id};
use super::row::{Lost, NextRow};
use super::unfold::Unfolded;
use super::{Opened, open};
use crate::charset;

/// The rows of a file, from the first to the last.
pub(crate) struct TableRows {
    opened: Opened,
    names: Vec<String>,
    columns: Vec<ColumnDescPtr>,
    next_group: usize,
    /// The columns of the current row group, and the number of its remaining rows.
    group: Option<(u64, Vec<AnyCells>)>,
    scratch: String,
    unfolded: Unfolded,
}

impl TableRows {
    /// Opens a file. The error is the reason why no row can be read.
    pub(crate) fn open(file: File) -> Result<Self, String> {
        let opened = open(file)?;
        let schema = opened.metadata.file_metadata().schema_descr();
        let columns = schema.columns().to_vec();
        let names = names(schema);
        Ok(Self {
            names,
            columns,
            next_group: 0,
            group: None,
            scratch: String::new(),
            unfolded: Unfolded::new(opened.file_bytes),
            opened,
        })
    }

    /// The names of the columns.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// Number of rows according to the file.
    pub(crate) fn row_count(&self) -> u64 {
        self.opened.row_count
    }

    /// Fills the cells of the next row, one for each column. A row of more than `longest` bytes is skipped.
    pub(crate) fn next(&mut self, longest: usize, cells: &mut [String]) -> NextRow {
        while self.group.as_ref().is_none_or(|(left, _)| *left == 0) {
            if self.next_group >= self.opened.metadata.num_row_groups() {
                return NextRow::End;
            }
            if let Err(lost) = self.open_group() {
                return NextRow::Lost(lost);
            }
        }
        let Some((left, columns)) = &mut self.group else { return NextRow::End };
        let mut bytes = 0;
        let mut problem = None;
        for ((column, descriptor), cell) in columns.iter_mut().zip(&self.columns).zip(cells) {
            cell.clear();
            match fill(column, descriptor, longest, cell, &mut self.scratch) {
                Ok(None) => bytes += cell.len(),
                Ok(Some(reason)) => problem = Some(reason),
                Err(reason) => {
                    let lost = Lost { rows: *left, reason };
                    self.group = None;
                    return NextRow::Lost(lost);
                }
            }
        }
        if !self.unfolded.add(bytes) {
            let of_group = |at: usize| u64::try_from(self.opened.metadata.row_group(at).num_rows()).unwrap_or(0);
            let groups = self.opened.metadata.num_row_groups();
            let rows = *left + (self.next_group..groups).map(of_group).sum::<u64>();
            (self.group, self.next_group) = (None, groups);
            return NextRow::Lost(Lost { rows, reason: self.unfolded.reason() });
        }
        *left -= 1;
        if bytes > longest {
            return NextRow::Skipped(format!("a row of {bytes} bytes, which is more than {longest}"));
        }
        problem.map_or(NextRow::Cells, NextRow::Skipped)
    }

    fn open_group(&mut self) -> Result<(), Lost> {
        let group = self.opened.metadata.row_group(self.next_group);
        self.next_group += 1;
        let rows = u64::try_from(group.num_rows()).unwrap_or(0);
        self.group = None;
        if rows > 0 {
            let (file, file_bytes) = (&self.opened.file, self.opened.file_bytes);
            let open = |index: usize| AnyCells::open(file, file_bytes, group, index);
            let columns = (0..self.columns.len()).map(open).collect::<Result<Vec<_>, _>>();
            self.group = Some((rows, columns.map_err(|reason| Lost { rows, reason })?));
        }
        Ok(())
    }
}

/// Fills a cell with the next row of a column. `Err` means damage to the column, `Some` is the reason why this value
/// cannot be written.
fn fill(
    column: &mut AnyCells,
    descriptor: &ColumnDescPtr,
    longest: usize,
    cell: &mut String,
    scratch: &mut String,
) -> Result<Option<String>, String> {
    let kind = Kind::of(descriptor);
    let is_list = descriptor.max_rep_level() > 0;
    let mut problem = None;
    column.take_all(|scalar| {
        if cell.len() > longest {
            return;
        }
        if !is_list {
            problem = write_value(kind, descriptor, scalar, cell).err();
            let (start, end) = (cell.len() - cell.trim_start().len(), cell.trim_end().len());
            cell.truncate(end.max(start));
            cell.drain(..start);
            return;
        }
        scratch.clear();
        problem = problem.take().or(write_value(kind, descriptor, scalar, scratch).err());
        cell.push_str(if cell.is_empty() { "[" } else { ", " });
        let written = scratch.trim();
        if matches!(kind, Kind::Signed | Kind::Unsigned) && written.bytes().all(|byte| byte.is_ascii_digit()) {
            cell.push_str(written);
        } else {
            let _ = write!(cell, "{}", serde_json::Value::from(written));
        }
    })?;
    if is_list && !cell.is_empty() {
        cell.push(']');
    }
    Ok(problem)
}

/// Writes a value in human-readable form.
fn write_value(kind: Kind, descriptor: &ColumnDescPtr, scalar: Scalar<'_>, cell: &mut String) -> Result<(), String> {
    let field = match (kind, scalar) {
        (Kind::Uuid, scalar) => {
            let mut digits = Vec::new();
            write_id(kind, scalar, &mut digits);
            cell.push_str(&String::from_utf8_lossy(&digits));
            return Ok(());
        }
        (Kind::Half, Scalar::Bytes(&[low, high])) => {
            let _ = write!(cell, "{}", half(u16::from_le_bytes([low, high])));
            return Ok(());
        }
        // Older writers do not mark bytes as strings.
        (Kind::Text | Kind::Opaque | Kind::Half, Scalar::Bytes(text)) => {
            cell.push_str(&charset::decode(text, None, false));
            return Ok(());
        }
        (_, Scalar::Bytes(bytes)) => {
            let bytes = ByteArray::from(bytes.to_vec());
            guarded(|| Field::convert_byte_array(descriptor, bytes))
        }
        (_, Scalar::Short(whole)) => guarded(|| Ok(Field::convert_int32(descriptor, whole))),
        (_, Scalar::Long(whole)) => guarded(|| Ok(Field::convert_int64(descriptor, whole))),
        (_, Scalar::Time(time)) => guarded(|| Ok(Field::convert_int96(descriptor, time))),
        (_, Scalar::Truth(truth)) => Ok(Field::Bool(truth)),
        (_, Scalar::Float(number)) => Ok(Field::Float(number)),
        (_, Scalar::Double(number)) => Ok(Field::Double(number)),
    };
    // The crate panics even when formatting a date that no calendar has.
    let written = field.and_then(|field| guarded(|| Ok(field.to_string())));
    cell.push_str(&written.map_err(|reason| format!("column '{}': {reason}", descriptor.path().string()))?);
    Ok(())
}

/// The names of all columns: their paths, except that lists of single values are named without their meaningless inner
/// names.
fn names(schema: &SchemaDescriptor) -> Vec<String> {
    let paths: Vec<&[String]> = schema.columns().iter().map(|column| column.path().parts()).collect();
    let name = |path: &&[String]| {
        let short = &path[..list_depth(schema.root_schema(), path)];
        let is_alone = paths.iter().filter(|other| other.starts_with(short)).count() == 1;
        if is_alone { short.join(".") } else { path.join(".") }
    };
    paths.iter().map(name).collect()
}

/// Length of the part of a path outside its first list: all of it, if there is none.
fn list_depth(root: &Type, path: &[String]) -> usize {
    let mut group = root;
    for (depth, name) in path.iter().enumerate() {
        let Some(field) = group.get_fields().iter().find(|field| field.name() == name) else { break };
        let info = field.get_basic_info();
        if info.has_repetition() && info.repetition() == Repetition::REPEATED {
            return depth.max(1);
        }
        if field.is_primitive() {
            break;
        }
        group = field;
    }
    path.len()
}
