//! Results as columns of Arrow, which every data frame library takes without copying.

use std::io;
use std::sync::Arc;

use arrow_array::builder::{BooleanBuilder, Float64Builder, LargeStringBuilder, UInt64Builder};
use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use arrow_array::{Array, ArrayRef, RecordBatch, StructArray, UInt64Array, new_null_array};
use arrow_cast::cast;
use arrow_schema::{DataType, Field, Fields, Schema};
use arrow_select::take::take_record_batch;
use lookalike::{Cell, Row, Sink};
use pyo3::exceptions::{PyIndexError, PyKeyError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use pyo3_arrow::error::PyArrowResult;
use pyo3_arrow::ffi::{ArrayIterator, to_schema_pycapsule, to_stream_pycapsule};

use crate::column::{Column, type_name};

/// A table. It is exported any number of times.
#[pyclass(frozen, module = "lookalike._native")]
#[derive(Debug)]
pub(crate) struct Columns {
    pub(crate) batch: RecordBatch,
}

#[pymethods]
impl Columns {
    /// The names of the columns.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.batch.schema_ref().fields().iter().map(|field| field.name().clone()).collect()
    }

    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    /// A column, which shares the memory of the table.
    fn column(&self, name: &str) -> PyResult<Column> {
        let column = self.batch.column_by_name(name).ok_or_else(|| PyKeyError::new_err(name.to_owned()))?;
        Ok(Column::new(Arc::clone(column)))
    }

    /// The names of the types of the columns.
    #[getter]
    fn kinds(&self) -> Vec<String> {
        self.batch.schema_ref().fields().iter().map(|field| type_name(field.data_type())).collect()
    }

    /// A table of these columns, all of one length.
    #[staticmethod]
    fn of_columns(columns: Vec<(String, PyRef<'_, Column>)>) -> Self {
        table(columns.iter().map(|(name, column)| (name.as_str(), Arc::clone(&column.array))).collect())
    }

    /// Some rows, one after the other.
    fn slice(&self, start: usize, length: usize) -> Self {
        let start = start.min(self.batch.num_rows());
        Self { batch: self.batch.slice(start, length.min(self.batch.num_rows() - start)) }
    }

    /// These rows, in this order.
    fn take(&self, rows: Vec<u64>) -> PyResult<Self> {
        let taken = take_record_batch(&self.batch, &UInt64Array::from(rows));
        Ok(Self { batch: taken.map_err(|cause| PyIndexError::new_err(cause.to_string()))? })
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyArrowResult<Bound<'py, PyCapsule>> {
        to_schema_pycapsule(py, self.batch.schema_ref().as_ref())
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyArrowResult<Bound<'py, PyCapsule>> {
        let field = Field::new_struct("", self.batch.schema_ref().fields().clone(), false);
        let array: ArrayRef = Arc::new(StructArray::from(self.batch.clone()));
        to_stream_pycapsule(py, Box::new(ArrayIterator::new([Ok(array)], Arc::new(field))), requested_schema)
    }
}

/// Representation in the data of a column of a job's result.
#[derive(Debug)]
pub(crate) enum Known {
    /// By a text.
    Texts,
    /// By a value of another type.
    Values(DataType),
    /// By the number of a row. Jobs count from 1, and Python from 0.
    Rows,
}

impl Known {
    /// By values of this type; by texts if it is not known.
    pub(crate) fn of(kind: Option<&DataType>) -> Self {
        kind.map_or(Self::Texts, |kind| Self::Values(kind.clone()))
    }

    /// Converts texts to the values that they represent; `None` if they stay texts, or if one of them represents
    /// nothing.
    fn convert(&self, texts: &ArrayRef) -> Option<ArrayRef> {
        let converted = match self {
            Self::Texts => return None,
            Self::Values(kind) => cast(texts, kind).ok()?,
            Self::Rows => {
                let positions = cast(texts, &DataType::UInt64).ok()?;
                let rows = positions.as_primitive::<UInt64Type>().iter();
                Arc::new(rows.map(|position| position?.checked_sub(1)).collect::<UInt64Array>())
            }
        };
        (converted.null_count() == texts.null_count()).then_some(converted)
    }
}

impl Columns {
    /// Returns the same table with a column of texts, if there is one, converted to the values that they represent.
    pub(crate) fn known_as(self, name: &str, known: &Known) -> Self {
        let converted = self.batch.column_by_name(name).and_then(|texts| known.convert(texts));
        let Some(converted) = converted else { return self };
        let fields = self.batch.schema_ref().fields().iter().zip(self.batch.columns());
        let columns = fields.map(|(field, column)| {
            let column = if field.name() == name { &converted } else { column };
            (field.name().as_str(), Arc::clone(column))
        });
        table(columns.collect())
    }
}

/// Columns by their names, all of one length.
pub(crate) fn table(columns: Vec<(&str, ArrayRef)>) -> Columns {
    let length = columns.first().map_or(0, |(_, column)| column.len());
    let field = |(name, column): &(&str, ArrayRef)| Field::new(*name, column.data_type().clone(), true);
    let fields: Fields = columns.iter().map(field).collect();
    let arrays = columns.into_iter().map(|(_, column)| column).collect();
    let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(length));
    let batch = RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), arrays, &options);
    Columns { batch: batch.expect("columns have one length, and the types of their fields") }
}

/// Keeps the rows of any job as columns. A number that is written with some digits is kept with these.
#[derive(Debug, Default)]
pub(crate) struct ArrowSink {
    names: Vec<String>,
    columns: Vec<Builder>,
}

impl<R: Row> Sink<R> for ArrowSink {
    fn start(&mut self, columns: &[&str]) -> io::Result<()> {
        self.names = columns.iter().map(|name| (*name).to_owned()).collect();
        self.columns = columns.iter().map(|_| Builder::Empty(0)).collect();
        Ok(())
    }

    fn take(&mut self, rows: Vec<R>) -> io::Result<()> {
        for row in &rows {
            let mut columns = self.columns.iter_mut();
            row.each_cell(&mut |cell| {
                columns.next().ok_or_else(|| io::Error::other("a row has more cells than columns"))?.push(cell);
                Ok(())
            })?;
        }
        Ok(())
    }
}

impl ArrowSink {
    /// All rows.
    pub(crate) fn into_table(self) -> Columns {
        let columns = self.columns.into_iter().zip(&self.names).map(|(column, name)| column.finish(name));
        let columns: Vec<ArrayRef> = columns.collect();
        table(self.names.iter().map(String::as_str).zip(columns).collect())
    }
}

/// A column whose type is that of its first cell with a value.
#[derive(Debug)]
enum Builder {
    /// The number of cells, all of which are empty.
    Empty(usize),
    Text(LargeStringBuilder),
    Whole(UInt64Builder),
    Real(Float64Builder),
    Flag(BooleanBuilder),
}

impl Builder {
    fn push(&mut self, cell: Cell<'_>) {
        if let Self::Empty(count) = *self {
            *self = match cell {
                Cell::Empty => Self::Empty(count + 1),
                Cell::Text(_) => Self::Text(after(count, LargeStringBuilder::new(), LargeStringBuilder::append_null)),
                Cell::Whole(_) => Self::Whole(after(count, UInt64Builder::new(), UInt64Builder::append_null)),
                Cell::Real(_) | Cell::Fixed(..) => {
                    Self::Real(after(count, Float64Builder::new(), Float64Builder::append_null))
                }
                Cell::Flag(_) => Self::Flag(after(count, BooleanBuilder::new(), BooleanBuilder::append_null)),
            };
        }
        match (self, cell) {
            (Self::Text(column), Cell::Text(value)) => column.append_value(value),
            (Self::Whole(column), Cell::Whole(value)) => column.append_value(value),
            (Self::Real(column), Cell::Real(value)) => column.append_value(value),
            (Self::Real(column), Cell::Fixed(value, digits)) => {
                column.append_option(format!("{value:.digits$}").parse().ok());
            }
            (Self::Flag(column), Cell::Flag(value)) => column.append_value(value),
            (Self::Empty(_), _) => {}
            (Self::Text(column), _) => column.append_null(),
            (Self::Whole(column), _) => column.append_null(),
            (Self::Real(column), _) => column.append_null(),
            (Self::Flag(column), _) => column.append_null(),
        }
    }

    fn finish(self, name: &str) -> ArrayRef {
        match self {
            Self::Empty(count) => new_null_array(&type_of(name), count),
            Self::Text(mut column) => Arc::new(column.finish()),
            Self::Whole(mut column) => Arc::new(column.finish()),
            Self::Real(mut column) => Arc::new(column.finish()),
            Self::Flag(mut column) => Arc::new(column.finish()),
        }
    }
}

/// Returns a builder after this many nulls.
fn after<B>(count: usize, mut builder: B, append_null: fn(&mut B)) -> B {
    (0..count).for_each(|_| append_null(&mut builder));
    builder
}

/// The type of a column without values, by its name: a name means the same in every table.
fn type_of(name: &str) -> DataType {
    let ends_with = |ends: &[&str]| ends.iter().any(|end| name.ends_with(end));
    match name {
        "similarity" | "probability" | "bits" | "shared_weight" | "containment_of_left" | "containment_of_right" => {
            DataType::Float64
        }
        "cluster" | "table" | "left_table" | "right_table" | "rank" => DataType::UInt64,
        "best" => DataType::Boolean,
        _ if ends_with(&["_bits"]) => DataType::Float64,
        _ if ends_with(&["_count", "_points"]) => DataType::UInt64,
        _ => DataType::LargeUtf8,
    }
}
