//! A data frame as rows that the library reads in place: Arrow batches, or Python strings.

use std::borrow::Cow;
use std::fmt;

use arrow_array::{Array, LargeStringArray};
use lookalike::core::resolve::keep::FieldValue;
use lookalike::io::input::held::{HeldRows, HeldText};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::PyString;

use crate::columns::{Texts, Values};

/// The columns of a batch that a job needs.
#[derive(Debug)]
pub(crate) struct Batch {
    pub(crate) text: Texts,
    pub(crate) id: Option<Texts>,
    pub(crate) source: Option<Texts>,
    pub(crate) value: Option<Values>,
    /// An object of fields, as JSON.
    pub(crate) fields: Option<LargeStringArray>,
}

/// Batches, one after the other.
#[derive(Debug, Default)]
pub(crate) struct Frame {
    batches: Vec<Batch>,
    /// The first row of each batch.
    starts: Vec<u64>,
    row_count: u64,
}

impl Frame {
    pub(crate) fn push(&mut self, batch: Batch, row_count: usize) {
        // An empty batch would share its start with the next one.
        if row_count > 0 {
            self.starts.push(self.row_count);
            self.batches.push(batch);
            self.row_count += row_count as u64;
        }
    }

    fn at(&self, row: u64) -> (&Batch, usize) {
        let batch = self.starts.partition_point(|start| *start <= row) - 1;
        (&self.batches[batch], (row - self.starts[batch]) as usize)
    }
}

impl HeldRows for Frame {
    fn row_count(&self) -> u64 {
        self.row_count
    }

    fn text(&self, row: u64) -> HeldText<'_> {
        let (batch, row) = self.at(row);
        batch.text.text(row)
    }

    fn id(&self, row: u64) -> Option<Cow<'_, str>> {
        let (batch, row) = self.at(row);
        batch.id.as_ref()?.name(row)
    }

    fn source(&self, row: u64) -> Option<Cow<'_, str>> {
        let (batch, row) = self.at(row);
        batch.source.as_ref()?.name(row)
    }

    fn value(&self, row: u64) -> FieldValue {
        let (batch, row) = self.at(row);
        batch.value.as_ref().map_or(FieldValue::Missing, |values| values.value(row))
    }

    fn fields(&self, row: u64) -> Option<&str> {
        let (batch, row) = self.at(row);
        batch.fields.as_ref().filter(|fields| fields.is_valid(row)).map(|fields| fields.value(row))
    }
}

/// A Python string, read in place.
pub(crate) enum Text {
    Backed(PyBackedStr),
    /// A string with an unpaired surrogate, which is not valid UTF-8.
    Repaired(String),
}

impl Text {
    pub(crate) fn new(text: &Bound<'_, PyString>) -> PyResult<Self> {
        if let Ok(backed) = PyBackedStr::try_from(text.clone()) {
            return Ok(Self::Backed(backed));
        }
        // One replacement for each, as in JSON.
        let bytes = text.call_method1("encode", ("utf-16-le", "surrogatepass"))?;
        let repaired = bytes.call_method1("decode", ("utf-16-le", "replace"))?;
        Ok(Self::Repaired(repaired.extract()?))
    }
}

impl AsRef<str> for Text {
    fn as_ref(&self) -> &str {
        match self {
            Self::Backed(text) => text,
            Self::Repaired(text) => text,
        }
    }
}

/// A list of strings, with the other data known about each.
#[derive(Default)]
pub(crate) struct Strings {
    pub(crate) texts: Vec<Option<Text>>,
    pub(crate) ids: Option<Vec<Option<Text>>>,
    pub(crate) sources: Option<Vec<Option<Text>>>,
    pub(crate) values: Option<Vec<FieldValue>>,
    /// An object of fields, as JSON.
    pub(crate) fields: Option<Vec<Option<Text>>>,
}

impl fmt::Debug for Strings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} strings", self.texts.len())
    }
}

fn name(names: Option<&Vec<Option<Text>>>, row: u64) -> Option<Cow<'_, str>> {
    names?[row as usize].as_ref().map(|name| Cow::Borrowed(name.as_ref()))
}

impl HeldRows for Strings {
    fn row_count(&self) -> u64 {
        self.texts.len() as u64
    }

    fn text(&self, row: u64) -> HeldText<'_> {
        self.texts[row as usize].as_ref().map_or(HeldText::Null, |text| HeldText::Text(text.as_ref()))
    }

    fn id(&self, row: u64) -> Option<Cow<'_, str>> {
        name(self.ids.as_ref(), row)
    }

    fn source(&self, row: u64) -> Option<Cow<'_, str>> {
        name(self.sources.as_ref(), row)
    }

    fn value(&self, row: u64) -> FieldValue {
        self.values.as_ref().map_or(FieldValue::Missing, |values| values[row as usize].clone())
    }

    fn fields(&self, row: u64) -> Option<&str> {
        self.fields.as_ref()?[row as usize].as_ref().map(AsRef::as_ref)
    }
}
