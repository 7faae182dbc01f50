//! Data passed in from Python: held in memory, or copied to disk if it can be read only once.

use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, LargeStringArray, StructArray};
use arrow_schema::{ArrowError, DataType, Field};
use lookalike::ReadRequest;
use lookalike::core::resolve::keep::FieldValue;
use lookalike::io::composed::is_composed;
use lookalike::io::input::held::{HeldRows, HeldTable, HeldText};
use lookalike::io::read::Fields;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString};
use pyo3_arrow::input::AnyArray;
use serde_json::json;
use tempfile::NamedTempFile;

use crate::cells::as_json;
use crate::column::{array_of, kind_of, type_name};
use crate::columns::{Texts, Values, names};
use crate::composed::composed;
use crate::error::{self, Class};
use crate::frame::{Batch, Frame, Strings, Text};
use crate::ids::Ids;
use crate::spool::{self, Spool, cannot_spool};
use crate::tokens::{is_tokens, joined};

/// The columns that a job needs, by their names: a dict that the Python part has checked.
#[derive(Clone, Debug, Default, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Columns {
    pub(crate) text: String,
    pub(crate) id: Option<String>,
    pub(crate) source: Option<String>,
    /// Column compared by the keep order.
    pub(crate) value: Option<String>,
    /// Columns stored with a document.
    pub(crate) fields: Vec<String>,
    /// True if lists of tokens are accepted as texts.
    pub(crate) tokens: bool,
    /// True if the fields of a text are distinguished.
    pub(crate) each_field: bool,
}

impl Columns {
    /// True if a text is composed of several columns, or of the elements of lists.
    pub(crate) fn is_composed(&self) -> bool {
        is_composed(&self.text)
    }
}

/// The columns of a table as lists, all of one length.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
struct Lists<'py> {
    texts: Bound<'py, PyList>,
    ids: Option<Bound<'py, PyList>>,
    sources: Option<Bound<'py, PyList>>,
    values: Option<Bound<'py, PyList>>,
    /// An object of fields for each row, as JSON.
    fields: Option<Bound<'py, PyList>>,
}

/// Data for a job.
#[pyclass(frozen, module = "lookalike._native")]
#[derive(Debug)]
pub(crate) struct Input {
    rows: Rows,
    pub(crate) row_count: u64,
    /// The ids, if a column has them.
    pub(crate) ids: Option<Ids>,
    /// The fields that rows have, by the names of a copy on the disk.
    fields: Fields,
}

#[derive(Debug)]
enum Rows {
    Held(HeldTable),
    /// A copy on the disk, one JSON object per line, which vanishes with it.
    Spooled(NamedTempFile),
}

#[pymethods]
impl Input {
    /// Everything that has Arrow's `PyCapsule` interface: a table, or a column of texts alone. Its buffers are held, not copied.
    #[staticmethod]
    fn of_arrow(py: Python<'_>, data: AnyArray, columns: &Bound<'_, PyDict>, name: &str) -> PyResult<Self> {
        let mut holding = Holding::default();
        holding.add(py, data, columns)?;
        Ok(Self::held(holding.frame, holding.ids, &columns.extract()?, name))
    }

    /// The same of several such objects, one after the other.
    #[staticmethod]
    fn of_batches(
        py: Python<'_>,
        batches: &Bound<'_, PyAny>,
        columns: &Bound<'_, PyDict>,
        name: &str,
    ) -> PyResult<Self> {
        let mut holding = Holding::default();
        for (at, data) in batches.try_iter()?.enumerate() {
            let data = data?;
            holding.add(py, data.extract().map_err(|_| not_a_batch(py, &data, at))?, columns)?;
        }
        Ok(Self::held(holding.frame, holding.ids, &columns.extract()?, name))
    }

    /// The same of an iterator of batches, which may be read only once: copied to a file, so that they need not fit the memory.
    #[staticmethod]
    #[pyo3(signature = (batches, columns, folder=None))]
    fn spool(
        py: Python<'_>,
        batches: &Bound<'_, PyAny>,
        columns: &Bound<'_, PyDict>,
        folder: Option<PathBuf>,
    ) -> PyResult<Self> {
        let asked = columns;
        let columns: Columns = asked.extract()?;
        let mut spool = Spool::new(folder).map_err(|cause| cannot_spool(py, &cause.to_string()))?;
        for (at, data) in batches.try_iter()?.enumerate() {
            let data = data?;
            let reader = data.extract::<AnyArray>().map_err(|_| not_a_batch(py, &data, at))?.into_reader()?;
            check_columns(py, reader.field().data_type(), asked, &columns)?;
            let kind = id_type(reader.field().data_type(), &columns);
            spool.ids = spool.ids.or_else(|| kind.map(|kind| Ids::spooled(&kind)));
            for array in reader {
                let array = array.map_err(|cause| unreadable(py, &cause))?;
                let batch = spool::batch(py, &array, &columns)?;
                py.detach(|| spool.write(&batch)).map_err(|cause| cannot_spool(py, &cause.to_string()))?;
                py.check_signals()?;
            }
        }
        let Spool { file, row_count, ids, .. } = spool;
        Ok(Self { rows: Rows::Spooled(file), row_count, ids, fields: columns.in_copy() })
    }

    /// Builds an input from lists of strings, with None for missing texts; ids and values may have another type.
    #[staticmethod]
    fn of_lists(py: Python<'_>, lists: Lists<'_>, columns: Columns, name: &str) -> PyResult<Self> {
        let Lists { texts, ids, sources, values, fields } = &lists;
        let (ids, sources, values) = (ids.as_ref(), sources.as_ref(), values.as_ref());
        let strings = Strings {
            texts: strings(texts)?,
            ids: ids.map(names_of).transpose()?,
            sources: sources.map(names_of).transpose()?,
            values: values.map(|values| values.iter().map(|value| field_value(&value)).collect()).transpose()?,
            fields: fields.as_ref().map(strings).transpose()?,
        };
        let typed = ids.zip(strings.ids.as_ref()).map(|(ids, names)| typed_ids(py, ids, names)).transpose()?;
        Ok(Self::held(strings, typed, &columns, name))
    }

    /// Number of rows.
    #[getter]
    fn rows(&self) -> u64 {
        self.row_count
    }

    /// Path of the copy on disk; `None` if the data is in memory.
    #[getter]
    fn path(&self) -> Option<&std::path::Path> {
        match &self.rows {
            Rows::Held(_) => None,
            Rows::Spooled(file) => Some(file.path()),
        }
    }

    /// Returns the texts of some rows; `None` for a null text.
    fn texts(&self, py: Python<'_>, rows: Vec<u64>) -> PyResult<Vec<Option<String>>> {
        match &self.rows {
            Rows::Held(table) => {
                let text = |row: &u64| match table.rows.text(*row) {
                    HeldText::Text(text) => Some(text.to_owned()),
                    HeldText::Null | HeldText::Unusable(_) => None,
                };
                Ok(rows.iter().map(|row| if *row < self.row_count { text(row) } else { None }).collect())
            }
            Rows::Spooled(file) => {
                let texts = py.detach(|| spool::texts(file, &rows));
                texts.map_err(|cause| unreadable(py, &ArrowError::from(cause)))
            }
        }
    }
}

impl Input {
    fn held(rows: impl HeldRows + 'static, ids: Option<Ids>, columns: &Columns, name: &str) -> Self {
        let row_count = rows.row_count();
        Self { rows: Rows::Held(HeldTable::new(name, rows)), row_count, ids, fields: columns.in_copy() }
    }

    /// The id of a document as a text, unless it was made up from its position.
    pub(crate) fn own_id<'a>(&self, id: &'a str, position: u64) -> Option<&'a str> {
        let name = match &self.rows {
            Rows::Held(table) => table.name.as_str().into(),
            Rows::Spooled(file) => file.path().file_name().unwrap_or_default().to_string_lossy(),
        };
        let is_made_up = id.strip_prefix(&*name).and_then(|id| id.strip_prefix(':')) == Some(&*position.to_string());
        (!is_made_up).then_some(id)
    }

    /// For each document of the data its row: rows without a text are not documents.
    pub(crate) fn document_rows(&self, longest: u32) -> Option<Vec<u64>> {
        let Rows::Held(table) = &self.rows else { return None };
        let is_document = |row: &u64| match table.rows.text(*row) {
            HeldText::Text(text) => text.len() <= longest as usize,
            HeldText::Null | HeldText::Unusable(_) => false,
        };
        Some((0..self.row_count).filter(is_document).collect())
    }
}

/// A frame that is being put together.
#[derive(Default)]
struct Holding {
    frame: Frame,
    ids: Option<Ids>,
}

impl Holding {
    /// Adds the batches of an object.
    fn add(&mut self, py: Python<'_>, data: AnyArray, asked: &Bound<'_, PyDict>) -> PyResult<()> {
        let columns: Columns = asked.extract()?;
        let reader = data.into_reader()?;
        let field = reader.field();
        check_columns(py, field.data_type(), asked, &columns)?;
        if let (None, Some(kind)) = (&self.ids, id_type(field.data_type(), &columns)) {
            self.ids = Some(Ids::held(&kind));
        }
        for array in reader {
            let array = array.map_err(|cause| unreadable(py, &cause))?;
            if let (Some(ids), Some(name)) = (&mut self.ids, &columns.id) {
                ids.push(column(&array, name)).map_err(|cause| unreadable(py, &cause))?;
            }
            self.frame.push(batch(py, &array, &columns)?, array.len());
            py.check_signals()?;
        }
        Ok(())
    }
}

/// The type of the column of ids, if there is one.
fn id_type(kind: &DataType, columns: &Columns) -> Option<DataType> {
    let (DataType::Struct(fields), Some(id)) = (kind, &columns.id) else { return None };
    fields.iter().find(|field| field.name() == id).map(|field| field.data_type().clone())
}

impl Input {
    /// Makes a request read this input.
    pub(crate) fn read_by(&self, read: &mut ReadRequest) {
        match &self.rows {
            Rows::Held(table) => read.tables_in_memory.push(table.clone()),
            Rows::Spooled(file) => read.inputs.push(file.path().to_owned()),
        }
        read.fields_in_input = Some(self.fields.clone());
    }

    /// True if the data is a copy on the disk.
    pub(crate) fn is_spooled(&self) -> bool {
        matches!(self.rows, Rows::Spooled(_))
    }

    /// Copies the texts and ids of rows in memory to the disk.
    pub(crate) fn copy(&self, folder: Option<PathBuf>) -> std::io::Result<NamedTempFile> {
        let spool = Spool::new(folder)?;
        let mut file = BufWriter::new(spool.file);
        if let Rows::Held(table) = &self.rows {
            for row in 0..self.row_count {
                let text = match table.rows.text(row) {
                    HeldText::Text(text) => json!(text),
                    HeldText::Null => json!(null),
                    HeldText::Unusable(_) => json!(false),
                };
                let mut object = json!({ &self.fields.text: text });
                if let (Some(name), Some(id)) = (&self.fields.id, table.rows.id(row)) {
                    object[name] = json!(id);
                }
                writeln!(file, "{object}")?;
            }
        }
        file.into_inner().map_err(std::io::IntoInnerError::into_error)
    }

    /// The fields that rows have, as they are read.
    pub(crate) fn fields_in_input(&self) -> Fields {
        self.fields.clone()
    }

    /// Makes a request compare with this input.
    pub(crate) fn compared_by(&self, files: &mut Vec<PathBuf>, tables: &mut Vec<HeldTable>) {
        match &self.rows {
            Rows::Held(table) => tables.push(table.clone()),
            Rows::Spooled(file) => files.push(file.path().to_owned()),
        }
    }
}

/// Checks that a table has the required columns, each once, and that the text column contains texts.
fn check_columns(py: Python<'_>, kind: &DataType, asked: &Bound<'_, PyDict>, columns: &Columns) -> PyResult<()> {
    let DataType::Struct(fields) = kind else {
        return check_text(py, columns, kind, &[]);
    };
    let all: Vec<&str> = fields.iter().map(|field| &**field.name()).collect();
    py.import("lookalike._lists")?.call_method1("check_columns", (asked, &all))?;
    let text = fields.iter().find(|field| *field.name() == columns.text);
    text.map_or(Ok(()), |field| check_text(py, columns, field.data_type(), &all))
}

/// Makes sure that a column has texts, or tokens where these are wanted.
fn check_text(py: Python<'_>, columns: &Columns, kind: &DataType, all: &[&str]) -> PyResult<()> {
    match (is_text(kind), is_tokens(kind), columns.tokens) {
        (true, ..) | (_, true, true) => Ok(()),
        (_, true, false) => {
            let message = format!(
                "the column '{0}' has lists of tokens: give shingle=\"token:5\" to compare runs of five tokens as they are",
                columns.text
            );
            let attributes = json!({ "column": columns.text, "type": plain_type(kind), "columns": all });
            Err(error::exception(py, Class::Column, &message, &attributes))
        }
        _ => Err(wrong_type(py, &columns.text, kind, all)),
    }
}

fn is_text(kind: &DataType) -> bool {
    match kind {
        DataType::Utf8
        | DataType::LargeUtf8
        | DataType::Utf8View
        | DataType::Binary
        | DataType::LargeBinary
        | DataType::BinaryView
        | DataType::Null => true,
        DataType::Dictionary(_, values) => is_text(values),
        _ => false,
    }
}

fn wrong_type(py: Python<'_>, column: &str, kind: &DataType, all: &[&str]) -> PyErr {
    let others = if all.is_empty() { String::new() } else { format!("; the columns are {}", listed(all)) };
    let kind = plain_type(kind);
    let message = format!("the column '{column}' has the type {kind}, and texts are needed{others}");
    let attributes = json!({ "column": column, "type": kind, "columns": all });
    error::exception(py, Class::Column, &message, &attributes)
}

/// The name of a type as people write it.
fn plain_type(kind: &DataType) -> String {
    match kind {
        DataType::List(item) | DataType::LargeList(item) => format!("list of {}", plain_type(item.data_type())),
        DataType::Struct(_) => "struct".to_owned(),
        kind => type_name(kind),
    }
}

/// Maximum number of column names in a message.
const NAMED: usize = 30;

fn listed(names: &[&str]) -> String {
    let shown = names.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
    if names.len() > NAMED { format!("{shown} and {} more", names.len() - NAMED) } else { shown }
}

/// The column of this name, of a table or of a column alone.
pub(crate) fn column<'a>(array: &'a ArrayRef, name: &str) -> &'a ArrayRef {
    match array.as_struct_opt() {
        Some(table) => table.column_by_name(name).expect("columns were checked"),
        None => array,
    }
}

fn batch(py: Python<'_>, array: &ArrayRef, columns: &Columns) -> PyResult<Batch> {
    let named = |name: &Option<String>| -> PyResult<Option<Texts>> {
        let of_column = |name: &String| names(column(array, name)).map_err(|cause| unreadable(py, &cause));
        name.as_ref().filter(|_| is_table(array)).map(of_column).transpose()
    };
    let text = &text_of(py, array, columns)?;
    let value = |name: &String| Values::new(column(array, name)).map_err(|cause| unreadable(py, &cause));
    Ok(Batch {
        text: if is_tokens(text.data_type()) {
            Texts::LargeUtf8(joined(text).map_err(|cause| unreadable(py, &cause))?)
        } else {
            Texts::new(text).ok_or_else(|| wrong_type(py, &columns.text, text.data_type(), &[]))?
        },
        id: named(&columns.id)?,
        source: named(&columns.source)?,
        value: columns.value.as_ref().filter(|_| is_table(array)).map(value).transpose()?,
        fields: objects(array, &columns.fields)
            .map(|objects| as_json(&objects).map_err(|cause| unreadable(py, &cause)))
            .transpose()?,
    })
}

/// Returns the texts: a column, or the composition of several.
pub(crate) fn text_of(py: Python<'_>, array: &ArrayRef, columns: &Columns) -> PyResult<ArrayRef> {
    match array.as_struct_opt() {
        Some(table) if columns.is_composed() => {
            let texts = composed(table, &columns.text, columns.each_field);
            Ok(Arc::new(texts.map_err(|cause| unreadable(py, &cause))?))
        }
        _ => Ok(Arc::clone(column(array, &columns.text))),
    }
}

/// Returns the fields of each row as an object; `None` if no fields are requested, or if the array is not a table.
pub(crate) fn objects(array: &ArrayRef, names: &[String]) -> Option<ArrayRef> {
    let table = array.as_struct_opt().filter(|_| !names.is_empty())?;
    let of_column = |name: &String| table.column_by_name(name).expect("columns were checked").clone();
    let columns: Vec<ArrayRef> = names.iter().map(of_column).collect();
    let fields = names.iter().zip(&columns).map(|(name, column)| Field::new(name, column.data_type().clone(), true));
    Some(Arc::new(StructArray::new(fields.collect(), columns, None)))
}

fn is_table(array: &ArrayRef) -> bool {
    matches!(array.data_type(), DataType::Struct(_))
}

fn strings(list: &Bound<'_, PyList>) -> PyResult<Vec<Option<Text>>> {
    let text =
        |item: Bound<'_, PyAny>| if item.is_none() { Ok(None) } else { Text::new(item.cast::<PyString>()?).map(Some) };
    list.iter().map(text).collect()
}

/// Ids or sources: texts as they are, and anything else as it is written.
fn names_of(list: &Bound<'_, PyList>) -> PyResult<Vec<Option<Text>>> {
    let name = |item: Bound<'_, PyAny>| if item.is_none() { Ok(None) } else { Text::new(&item.str()?).map(Some) };
    list.iter().map(name).collect()
}

/// Ids with the type that they have in Python, if it is one for all of them.
fn typed_ids(py: Python<'_>, ids: &Bound<'_, PyList>, names: &[Option<Text>]) -> PyResult<Ids> {
    let array: ArrayRef = match kind_of(ids)? {
        Some(kind) if kind != "large_string" => array_of(kind, ids)?,
        // Texts may have halves of surrogate pairs, which their names do not.
        _ => Arc::new(names.iter().map(|name| name.as_ref().map(AsRef::as_ref)).collect::<LargeStringArray>()),
    };
    let mut typed = Ids::held(array.data_type());
    typed.push(&array).map_err(|cause| unreadable(py, &cause))?;
    Ok(typed)
}

/// A value of Python that the keep order compares.
fn field_value(value: &Bound<'_, PyAny>) -> PyResult<FieldValue> {
    if value.is_none() {
        Ok(FieldValue::Missing)
    } else if value.is_instance_of::<PyBool>() {
        Ok(FieldValue::number(if value.extract::<bool>()? { "1" } else { "0" }))
    } else if value.is_instance_of::<PyInt>() || value.is_instance_of::<PyFloat>() {
        Ok(FieldValue::number(value.str()?.to_str()?))
    } else {
        Ok(FieldValue::Text(Text::new(&value.str()?)?.as_ref().into()))
    }
}

fn not_a_batch(py: Python<'_>, data: &Bound<'_, PyAny>, at: usize) -> PyErr {
    let kind = data.get_type().name().map_or_else(|_| "another type".to_owned(), |name| name.to_string());
    let message = format!("item {at} of data= is a {kind}, and the ones before it are batches of Arrow");
    error::option(py, "data", "wrong_type", &message)
}

pub(crate) fn unreadable(py: Python<'_>, cause: &ArrowError) -> PyErr {
    error::exception(py, Class::Input, &format!("the data cannot be read: {cause}"), &json!({}))
}

pub(crate) fn not_a_table(py: Python<'_>, kind: &DataType) -> PyErr {
    let kind = plain_type(kind);
    let message = format!("a table with columns is needed, and this has the type {kind}");
    error::exception(py, Class::Column, &message, &json!({ "type": kind }))
}
