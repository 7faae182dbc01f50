//! Ids of rows in the type that the data has: a number stays a number, so that a result can be joined with its data.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, LargeStringArray, new_empty_array, new_null_array};
use arrow_cast::cast;
use arrow_schema::{ArrowError, DataType};
use arrow_select::concat::concat;
use arrow_select::interleave::interleave;

/// The ids of a table.
#[derive(Clone, Debug)]
pub(crate) struct Ids {
    kind: DataType,
    /// Ids of each batch; `None` if they are only in a copy on disk.
    batches: Option<Vec<ArrayRef>>,
    /// The first row of each batch.
    starts: Vec<u64>,
    row_count: u64,
}

/// Position of a row, and its id as a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Named<'a> {
    /// Its number, the first of which is 0.
    pub(crate) row: u64,
    /// Its id as jobs know it; none if the row has no id of its own.
    pub(crate) text: Option<&'a str>,
}

impl Ids {
    /// Ids in memory.
    pub(crate) fn held(kind: &DataType) -> Self {
        Self { kind: held_type(kind), batches: Some(Vec::new()), starts: Vec::new(), row_count: 0 }
    }

    /// Ids in a copy on the disk, of which only the type is known.
    pub(crate) fn spooled(kind: &DataType) -> Self {
        Self { kind: kept_type(kind), batches: None, starts: Vec::new(), row_count: 0 }
    }

    /// Adds the ids of the next batch.
    pub(crate) fn push(&mut self, array: &ArrayRef) -> Result<(), ArrowError> {
        let Some(batches) = &mut self.batches else { return Ok(()) };
        // An empty batch would share its start with the next one.
        if !array.is_empty() {
            batches.push(cast(array, &self.kind)?);
            self.starts.push(self.row_count);
            self.row_count += array.len() as u64;
        }
        Ok(())
    }

    /// The type of the ids.
    pub(crate) fn kind(&self) -> &DataType {
        &self.kind
    }

    /// The ids of these rows.
    pub(crate) fn of<'a>(&self, rows: impl Iterator<Item = Named<'a>>) -> ArrayRef {
        let Some(batches) = &self.batches else { return typed(rows.map(|row| row.text), &self.kind) };
        let place = |row: u64| {
            let batch = self.starts.partition_point(|start| *start <= row) - 1;
            (batch, (row - self.starts[batch]) as usize)
        };
        let places: Vec<(usize, usize)> = rows.map(|named| place(named.row)).collect();
        if places.is_empty() {
            return new_empty_array(&self.kind);
        }
        let arrays: Vec<&dyn Array> = batches.iter().map(|batch| &**batch).collect();
        interleave(&arrays, &places).expect("batches have one type, and rows are in them")
    }
}

/// Converts texts to values of a type; a text that is not a value of this type becomes null.
pub(crate) fn typed<'a>(texts: impl Iterator<Item = Option<&'a str>>, kind: &DataType) -> ArrayRef {
    let texts: ArrayRef = Arc::new(texts.collect::<LargeStringArray>());
    let count = texts.len();
    cast(&texts, kind).unwrap_or_else(|_| new_null_array(kind, count))
}

/// Arrays of one type, in turn: the value of each row is in the array of this number, at the row's own place.
pub(crate) fn either(arrays: [&ArrayRef; 2], is_second: impl Iterator<Item = bool>) -> ArrayRef {
    let places: Vec<(usize, usize)> =
        is_second.enumerate().map(|(row, is_second)| (usize::from(is_second), row)).collect();
    if places.is_empty() {
        return concat(&[&**arrays[0]]).expect("one array");
    }
    interleave(&[&**arrays[0], &**arrays[1]], &places).expect("arrays of one type and length")
}

/// The type in which ids are returned: their own, unless it is nested or a duration, which are written as texts.
pub(crate) fn kept_type(kind: &DataType) -> DataType {
    match kind {
        DataType::Dictionary(_, values) => kept_type(values),
        DataType::Boolean
        | DataType::Utf8
        | DataType::LargeUtf8
        | DataType::Utf8View
        | DataType::Date32
        | DataType::Date64
        | DataType::Time32(_)
        | DataType::Time64(_)
        | DataType::Timestamp(..)
        | DataType::Decimal128(..)
        | DataType::Decimal256(..) => kind.clone(),
        kind if kind.is_integer() || matches!(kind, DataType::Float32 | DataType::Float64) => kind.clone(),
        _ => DataType::LargeUtf8,
    }
}

/// The type in which ids are returned if the values themselves are available, and not only their written form.
fn held_type(kind: &DataType) -> DataType {
    match kind {
        DataType::Binary | DataType::LargeBinary | DataType::FixedSizeBinary(_) => kind.clone(),
        other => kept_type(other),
    }
}
