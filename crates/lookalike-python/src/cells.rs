//! A table of Python as cells of text, read in place: for jobs on records, sets and fingerprints.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BooleanArray, LargeStringArray};
use arrow_cast::cast;
use arrow_json::writer::{EncoderOptions, make_encoder};
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Fields};
use arrow_select::nullif::nullif;
use lookalike::core::table::Table;
use lookalike::io::input::held::HeldText;
use lookalike::io::table::memory::{MemoryCells, MemoryTable};
use pyo3::prelude::*;
use pyo3::types::PyString;
use pyo3_arrow::input::AnyArray;

use crate::columns::{Texts, names};
use crate::frame::Text;
use crate::input::{not_a_table, unreadable};

/// A table for a job.
#[pyclass(frozen, module = "lookalike._native")]
#[derive(Debug)]
pub(crate) struct Cells {
    pub(crate) table: MemoryTable,
}

#[pymethods]
impl Cells {
    /// Everything that has Arrow's `PyCapsule` interface. Texts are read in the buffers of whoever made them.
    #[staticmethod]
    fn of_arrow(py: Python<'_>, data: AnyArray, name: &str) -> PyResult<Self> {
        let reader = data.into_reader()?;
        let kind = reader.field().data_type().clone();
        let DataType::Struct(fields) = &kind else { return Err(not_a_table(py, &kind)) };
        let mut cells = ArrowCells { names: flat_names(fields, ""), ..ArrowCells::default() };
        for array in reader {
            let array = array.map_err(|cause| unreadable(py, &cause))?;
            let mut columns = Vec::new();
            add_columns(&array, &mut columns).map_err(|cause| unreadable(py, &cause))?;
            cells.push(columns, array.len());
            py.check_signals()?;
        }
        Ok(Self { table: MemoryTable::new(name, cells) })
    }

    /// Columns as lists of strings, all of one length; None is a missing value.
    #[staticmethod]
    fn of_lists(names: Vec<String>, columns: Vec<Vec<Option<Bound<'_, PyString>>>>, name: &str) -> PyResult<Self> {
        let mut table = Table::new(names);
        for row in 0..columns.first().map_or(0, Vec::len) {
            let texts = columns.iter().map(|column| column[row].as_ref().map(Text::new).transpose());
            let texts = texts.collect::<PyResult<Vec<_>>>()?;
            table.push_cells(texts.iter().map(|text| text.as_ref().map_or("", AsRef::as_ref)).enumerate());
        }
        Ok(Self { table: MemoryTable::new(name, table) })
    }
}

/// The tables of some arguments.
pub(crate) fn tables(given: &[PyRef<'_, Cells>]) -> Vec<MemoryTable> {
    given.iter().map(|cells| cells.table.clone()).collect()
}

/// Batches, one after the other.
#[derive(Debug, Default)]
struct ArrowCells {
    names: Vec<String>,
    batches: Vec<Vec<Texts>>,
    /// The first row of each batch.
    starts: Vec<u64>,
    row_count: u64,
}

impl ArrowCells {
    fn push(&mut self, columns: Vec<Texts>, row_count: usize) {
        // An empty batch would share its start with the next one.
        if row_count > 0 {
            self.starts.push(self.row_count);
            self.batches.push(columns);
            self.row_count += row_count as u64;
        }
    }
}

impl MemoryCells for ArrowCells {
    fn row_count(&self) -> u64 {
        self.row_count
    }

    fn names(&self) -> &[String] {
        &self.names
    }

    fn cell(&self, row: u64, column: usize) -> HeldText<'_> {
        let batch = self.starts.partition_point(|start| *start <= row) - 1;
        self.batches[batch][column].text((row - self.starts[batch]) as usize)
    }
}

/// The names of all columns. Fields inside of fields are columns of their own, named with dots.
fn flat_names(fields: &Fields, prefix: &str) -> Vec<String> {
    let of_field = |field: &FieldRef| {
        let name = format!("{prefix}{}", field.name());
        match field.data_type() {
            DataType::Struct(fields) => flat_names(fields, &format!("{name}.")),
            _ => vec![name],
        }
    };
    fields.iter().flat_map(of_field).collect()
}

/// The columns of a table in the order of [`flat_names`].
fn add_columns(table: &ArrayRef, columns: &mut Vec<Texts>) -> Result<(), ArrowError> {
    let table = table.as_struct();
    let is_null = table.nulls().map(|nulls| BooleanArray::new(!nulls.inner(), None));
    for column in table.columns() {
        // Nothing is in what is not there, whatever its buffers have.
        let column = is_null.as_ref().map_or_else(|| Ok(column.clone()), |is_null| nullif(column, is_null))?;
        match column.data_type() {
            DataType::Struct(_) => add_columns(&column, columns)?,
            _ => columns.push(texts(&column)?),
        }
    }
    Ok(())
}

/// A column as text: lists as JSON, and a number that is none is missing.
fn texts(array: &ArrayRef) -> Result<Texts, ArrowError> {
    let kind = array.data_type();
    if kind.is_floating() {
        let written = cast(array, &DataType::LargeUtf8)?;
        let is_finite = |text: &&str| text.bytes().any(|byte| byte.is_ascii_digit());
        let finite = written.as_string::<i64>().iter().map(|text| text.filter(is_finite));
        return Ok(Texts::LargeUtf8(finite.collect()));
    }
    if kind.is_nested() && !matches!(kind, DataType::Dictionary(_, _)) {
        return Ok(Texts::LargeUtf8(as_json(array)?));
    }
    names(array)
}

fn as_json(array: &ArrayRef) -> Result<LargeStringArray, ArrowError> {
    let field: FieldRef = Field::new("", array.data_type().clone(), true).into();
    let options = EncoderOptions::default().with_explicit_nulls(true);
    let mut encoder = make_encoder(&field, array, &options)?;
    let text = |row: usize| {
        let mut text = Vec::new();
        (!encoder.is_null(row)).then(|| {
            encoder.encode(row, &mut text);
            String::from_utf8_lossy(&text).into_owned()
        })
    };
    Ok((0..array.len()).map(text).collect())
}
