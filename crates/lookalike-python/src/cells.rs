//! A table of Python as cells of text, read in place: for jobs on records, sets and fingerprints.

use arrow_array::builder::LargeStringBuilder;
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
use pyo3::types::{PyList, PyString};
use pyo3_arrow::input::AnyArray;

use crate::columns::{Texts, names};
use crate::frame::Text;
use crate::ids::kept_type;
use crate::input::{not_a_table, unreadable};
use crate::tokens::is_tokens;

/// A table for a job.
#[pyclass(frozen, module = "lookalike._native")]
#[derive(Debug)]
pub(crate) struct Cells {
    pub(crate) table: MemoryTable,
    /// The columns with their types, where these are known.
    kinds: Vec<(String, DataType)>,
    /// True if a column has lists with [`SEPARATOR`] between their elements.
    is_joined: bool,
}

#[pymethods]
impl Cells {
    /// Builds cells from any object with Arrow's `PyCapsule` interface. Texts are read in place from its buffers.
    #[staticmethod]
    #[pyo3(signature = (data, name, lists=None))]
    fn of_arrow(py: Python<'_>, data: AnyArray, name: &str, lists: Option<&str>) -> PyResult<Self> {
        let reader = data.into_reader()?;
        let kind = reader.field().data_type().clone();
        let DataType::Struct(fields) = &kind else { return Err(not_a_table(py, &kind)) };
        let mut cells = ArrowCells { names: flat_names(fields, ""), ..ArrowCells::default() };
        let at = |wanted: &str| cells.names.iter().position(|name| name == wanted);
        let is_list = |name: &&str| fields.iter().any(|field| field.name() == *name && is_tokens(field.data_type()));
        let joined = lists.filter(is_list).and_then(at);
        for array in reader {
            let array = array.map_err(|cause| unreadable(py, &cause))?;
            let mut columns = Vec::new();
            add_columns(&array, joined, &mut columns).map_err(|cause| unreadable(py, &cause))?;
            cells.push(columns, array.len());
            py.check_signals()?;
        }
        let kinds = fields.iter().map(|field| (field.name().clone(), kept_type(field.data_type())));
        Ok(Self { table: MemoryTable::new(name, cells), kinds: kinds.collect(), is_joined: joined.is_some() })
    }

    /// Columns as lists of strings, all of one length; None is a missing value. `whole` are the columns that were whole numbers.
    #[staticmethod]
    fn of_lists(
        names: Vec<String>,
        columns: Vec<Vec<Option<Bound<'_, PyString>>>>,
        whole: Vec<String>,
        name: &str,
    ) -> PyResult<Self> {
        let mut table = Table::new(names);
        for row in 0..columns.first().map_or(0, Vec::len) {
            let texts = columns.iter().map(|column| column[row].as_ref().map(Text::new).transpose());
            let texts = texts.collect::<PyResult<Vec<_>>>()?;
            table.push_cells(texts.iter().map(|text| text.as_ref().map_or("", AsRef::as_ref)).enumerate());
        }
        let kinds = whole.into_iter().map(|name| (name, DataType::Int64)).collect();
        Ok(Self { table: MemoryTable::new(name, table), kinds, is_joined: false })
    }

    /// Sets by their names, each a list of strings: a column `set`, and one `elements` with [`SEPARATOR`] between elements.
    #[staticmethod]
    fn of_sets(
        py: Python<'_>,
        names: Vec<String>,
        sets: &Bound<'_, PyList>,
        is_whole: bool,
        name: &str,
    ) -> PyResult<Self> {
        let mut table = Table::new(["set", "elements"].map(str::to_owned));
        let mut elements = String::new();
        for (name, set) in names.iter().zip(sets.iter()) {
            elements.clear();
            for element in set.cast::<PyList>()?.iter() {
                add_element(&mut elements, Text::new(element.cast::<PyString>()?)?.as_ref());
            }
            table.push_cells([name.as_str(), &elements].into_iter().enumerate());
            py.check_signals()?;
        }
        let kinds = if is_whole { vec![("set".to_owned(), DataType::Int64)] } else { Vec::new() };
        Ok(Self { table: MemoryTable::new(name, table), kinds, is_joined: true })
    }

    /// True if a column has lists with [`SEPARATOR`] between their elements.
    #[getter]
    fn is_joined(&self) -> bool {
        self.is_joined
    }
}

impl Cells {
    /// The type of a column, if it is known.
    pub(crate) fn kind(&self, column: &str) -> Option<&DataType> {
        self.kinds.iter().find(|(name, _)| name == column).map(|(_, kind)| kind)
    }
}

/// Separator of the elements of a list: splitting at it is faster than parsing JSON.
const SEPARATOR: char = '\u{1f}';

/// Adds an element to a list.
fn add_element(list: &mut String, element: &str) {
    list.push(SEPARATOR);
    if element.contains(SEPARATOR) {
        // Hardly anybody has it, and its own picture is as different from all else.
        list.push_str(&element.replace(SEPARATOR, "\u{241f}"));
    } else {
        list.push_str(element);
    }
}

/// The elements of each list with [`SEPARATOR`] before each.
fn joined_lists(lists: &ArrayRef) -> Result<Texts, ArrowError> {
    let lists = match lists.data_type() {
        DataType::List(item) => &cast(lists, &DataType::LargeList(item.clone()))?,
        _ => lists,
    };
    let lists = lists.as_list::<i64>();
    let elements = cast(lists.values(), &DataType::LargeUtf8)?;
    let elements = elements.as_string::<i64>();
    let mut texts = LargeStringBuilder::new();
    let mut text = String::new();
    for (row, ends) in lists.value_offsets().windows(2).enumerate() {
        text.clear();
        for at in (ends[0] as usize..ends[1] as usize).filter(|at| lists.is_valid(row) && elements.is_valid(*at)) {
            add_element(&mut text, elements.value(at));
        }
        texts.append_value(&text);
    }
    Ok(Texts::LargeUtf8(texts.finish()))
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

/// The columns of a table in the order of [`flat_names`]; the lists of the column `joined` get [`SEPARATOR`] between elements.
fn add_columns(table: &ArrayRef, joined: Option<usize>, columns: &mut Vec<Texts>) -> Result<(), ArrowError> {
    let table = table.as_struct();
    let is_null = table.nulls().map(|nulls| BooleanArray::new(!nulls.inner(), None));
    for column in table.columns() {
        // Null values have no content, whatever their buffers contain.
        let column = is_null.as_ref().map_or_else(|| Ok(column.clone()), |is_null| nullif(column, is_null))?;
        match column.data_type() {
            DataType::Struct(_) => add_columns(&column, joined, columns)?,
            _ if joined == Some(columns.len()) => columns.push(joined_lists(&column)?),
            _ => columns.push(texts(&column)?),
        }
    }
    Ok(())
}

/// Converts a column to text: lists become JSON, and NaN and infinities become null.
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

/// Values as JSON.
pub(crate) fn as_json(array: &ArrayRef) -> Result<LargeStringArray, ArrowError> {
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
