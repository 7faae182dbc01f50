//! Results as columns of Arrow, which every data frame library takes without copying.

use std::sync::Arc;

use arrow_array::builder::{BooleanBuilder, Float64Builder, Int64Builder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type, UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, RecordBatch, StructArray, UInt64Array};
use arrow_schema::{DataType, Field, Fields, Schema};
use arrow_select::take::take_record_batch;
use pyo3::exceptions::{PyIndexError, PyKeyError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyList};
use pyo3_arrow::error::PyArrowResult;
use pyo3_arrow::ffi::{ArrayIterator, to_schema_pycapsule, to_stream_pycapsule};

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

    /// A column as a list.
    fn column<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyList>> {
        let column = self.batch.column_by_name(name).ok_or_else(|| PyKeyError::new_err(name.to_owned()))?;
        to_list(py, column)
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

/// A column as a list of Python: numbers, texts, and None.
fn to_list<'py>(py: Python<'py>, column: &ArrayRef) -> PyResult<Bound<'py, PyList>> {
    match column.data_type() {
        DataType::Utf8 => PyList::new(py, column.as_string::<i32>().iter()),
        DataType::Boolean => PyList::new(py, column.as_boolean().iter()),
        DataType::Float64 => PyList::new(py, column.as_primitive::<Float64Type>().iter()),
        DataType::Int64 => PyList::new(py, column.as_primitive::<Int64Type>().iter()),
        DataType::UInt64 => PyList::new(py, column.as_primitive::<UInt64Type>().iter()),
        DataType::UInt32 => PyList::new(py, column.as_primitive::<UInt32Type>().iter()),
        other => unreachable!("no result has a column of {other}"),
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

/// Rows of CSV as a table: columns that `is_text` says are texts, and all others numbers or flags if every cell is one.
pub(crate) fn of_csv(bytes: &[u8], is_text: impl Fn(&str) -> bool) -> Result<Columns, csv::Error> {
    let mut reader = csv::ReaderBuilder::new().flexible(false).from_reader(bytes);
    let names: Vec<String> = reader.headers()?.iter().map(str::to_owned).collect();
    let rows = reader.records().collect::<Result<Vec<_>, _>>()?;
    let column = |(at, name): (usize, &String)| {
        let cells = || rows.iter().map(move |row| &row[at]);
        if is_text(name) { texts(cells()) } else { typed(cells) }
    };
    let columns: Vec<ArrayRef> = names.iter().enumerate().map(column).collect();
    Ok(table(names.iter().map(String::as_str).zip(columns).collect()))
}

fn texts<'a>(cells: impl Iterator<Item = &'a str>) -> ArrayRef {
    let mut builder = StringBuilder::new();
    cells.for_each(|cell| builder.append_value(cell));
    Arc::new(builder.finish())
}

/// Cells of one type; empty ones are null.
fn typed<'a, I: Iterator<Item = &'a str>>(cells: impl Fn() -> I) -> ArrayRef {
    let all = |is_one: fn(&str) -> bool| cells().all(|cell| cell.is_empty() || is_one(cell));
    if all(|cell| cell.parse::<i64>().is_ok()) {
        let mut builder = Int64Builder::new();
        cells().for_each(|cell| builder.append_option(cell.parse().ok()));
        Arc::new(builder.finish())
    } else if all(|cell| cell.parse::<f64>().is_ok()) {
        let mut builder = Float64Builder::new();
        cells().for_each(|cell| builder.append_option(cell.parse().ok()));
        Arc::new(builder.finish())
    } else if all(|cell| cell.parse::<bool>().is_ok()) {
        let mut builder = BooleanBuilder::new();
        cells().for_each(|cell| builder.append_option(cell.parse().ok()));
        Arc::new(builder.finish())
    } else {
        texts(cells())
    }
}
