//! A saved index: documents that stay, and are searched.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::{ArrayRef, BooleanArray, Float64Array, StringArray, UInt64Array};
use lookalike::index::{self, AddOptions, CreateOptions, Index, NewDocument, Put, Query, SearchOptions, Store};
use lookalike::{Memory, Progress};
use pyo3::prelude::*;
use serde_json::json;

use crate::error;
use crate::input::{Columns, Input, read_options};
use crate::job::Runner;
use crate::settings::{Resources, SchemeRequest, parse, unknown};
use crate::table::{self, table};

/// An index in a folder.
#[pyclass(frozen, module = "lookalike._native")]
pub(crate) struct Saved {
    index: Index,
    folder: PathBuf,
    /// Held by the one who writes: an index has one writer.
    writing: Mutex<()>,
}

#[pymethods]
impl Saved {
    /// Makes an index in a folder that is new or empty.
    #[staticmethod]
    fn create(py: Python<'_>, folder: PathBuf, scheme: &str, store: &str) -> PyResult<Self> {
        let scheme = parse::<SchemeRequest>(py, scheme)?.scheme(py)?;
        let store = match store {
            "text" => Store::Text,
            "features" => Store::Features,
            other => return Err(unknown(py, "store", other, "'text' or 'features'")),
        };
        let made = py.detach(|| Index::create(&folder, &CreateOptions { scheme, store }));
        let index = made.map_err(|cause| error::raise_index(py, &cause))?;
        Ok(Self { index, folder, writing: Mutex::default() })
    }

    /// Opens an index.
    #[staticmethod]
    fn open(py: Python<'_>, folder: PathBuf) -> PyResult<Self> {
        let index = py.detach(|| Index::open(&folder)).map_err(|cause| error::raise_index(py, &cause))?;
        Ok(Self { index, folder, writing: Mutex::default() })
    }

    /// Its folder.
    #[getter]
    fn folder(&self) -> PathBuf {
        self.folder.clone()
    }

    /// Its scheme in one line.
    #[getter]
    fn scheme(&self) -> String {
        self.index.scheme().to_string()
    }

    /// Adds the rows of a table; returns what became of them as JSON.
    #[pyo3(signature = (data, columns, unless_alike, threads=None, progress=None))]
    fn add(
        &self,
        py: Python<'_>,
        data: &Input,
        columns: &str,
        unless_alike: bool,
        threads: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<String> {
        let columns: Columns = parse(py, columns)?;
        let resources = Resources { threads, ..Resources::default() };
        let (read, _) = read_options(py, data, None, &columns, &resources)?;
        let options = AddOptions { unless_alike, ..AddOptions::new(read) };
        let added = resources.runner(py, progress)?.run(py, |progress| {
            let _one = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
            let writer = self.index.writer()?;
            let added = index::add(&writer, &options, progress);
            writer.close()?;
            added
        })?;
        Ok(serde_json::to_string(&added).expect("keys are strings"))
    }

    /// Puts documents with ids of their own, and says what became of each.
    fn put(
        &self,
        py: Python<'_>,
        documents: Vec<(String, String, String)>,
        unless_alike: bool,
    ) -> PyResult<Vec<String>> {
        run(py, |_| {
            let _one = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
            let writer = self.index.writer()?;
            let documents: Vec<NewDocument<'_>> =
                documents.iter().map(|(id, text, fields)| NewDocument { id, fields, text }).collect();
            let put = if unless_alike { writer.put_unless_alike(&documents) } else { writer.put_many(&documents) };
            writer.close()?;
            let told = |put: Put| match put {
                Put::Added => json!({ "result": "added" }).to_string(),
                Put::Replaced => json!({ "result": "replaced" }).to_string(),
                Put::Unchanged => json!({ "result": "unchanged" }).to_string(),
                Put::Alike { id, similarity, is_exact_copy, .. } => {
                    json!({ "result": "alike", "id": id, "similarity": similarity, "exact_copy": is_exact_copy })
                        .to_string()
                }
            };
            Ok(put?.into_iter().map(told).collect())
        })
    }

    /// Deletes documents by their ids; returns how many there were.
    fn delete(&self, py: Python<'_>, ids: Vec<String>) -> PyResult<u64> {
        run(py, |_| {
            let _one = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
            let writer = self.index.writer()?;
            let deleted = writer.delete(&ids.iter().map(String::as_str).collect::<Vec<_>>());
            writer.close()?;
            Ok(deleted?)
        })
    }

    /// Documents like a text, or like the one with an id.
    #[pyo3(signature = (text=None, id=None, threshold=None, limit=10))]
    fn search(
        &self,
        py: Python<'_>,
        text: Option<String>,
        id: Option<String>,
        threshold: Option<f64>,
        limit: usize,
    ) -> PyResult<table::Columns> {
        let options = SearchOptions { threshold, limit, ..SearchOptions::default() };
        let query = match (&text, &id) {
            (Some(text), None) => Query::Text(text),
            (None, Some(id)) => Query::Id(id),
            _ => return Err(error::option(py, "id", "give a text, or id= of a document of the index")),
        };
        let answer = py.detach(|| self.index.snapshot()?.search(query, &options));
        let answer = answer.map_err(|cause| error::raise_index(py, &cause))?;
        Ok(hits(answer.hits.iter().map(|hit| (None, hit)).collect()))
    }

    /// Documents like each row of a table.
    #[pyo3(signature = (data, columns, threshold=None, limit=10, threads=None, progress=None))]
    #[expect(clippy::too_many_arguments, reason = "what to search for, and how")]
    fn search_many(
        &self,
        py: Python<'_>,
        data: &Input,
        columns: &str,
        threshold: Option<f64>,
        limit: usize,
        threads: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<table::Columns> {
        let columns: Columns = parse(py, columns)?;
        let resources = Resources { threads, ..Resources::default() };
        // Rows are known by their position, whatever their ids are.
        let (read, _) = read_options(py, data, None, &Columns { id: None, ..columns }, &resources)?;
        let options = SearchOptions { threshold, limit, ..SearchOptions::default() };
        let mut found = Vec::new();
        resources.runner(py, progress)?.run(py, |progress| {
            let mut each = |asked: index::Asked<'_>| {
                let position = asked.id.rsplit(':').next().and_then(|position| position.parse::<u64>().ok());
                let row = position.and_then(|position| position.checked_sub(1));
                found.extend(asked.answer.hits.into_iter().map(|hit| (row, hit)));
                Ok(())
            };
            index::search(&self.index.snapshot()?, &read, &options, &mut each, progress)
        })?;
        Ok(hits(found.iter().map(|(row, hit)| (Some(row.unwrap_or(0)), hit)).collect()))
    }

    /// A stored document as JSON; none if there is none.
    fn document(&self, py: Python<'_>, id: &str) -> PyResult<Option<String>> {
        let found =
            py.detach(|| self.index.snapshot()?.document(id)).map_err(|cause| error::raise_index(py, &cause))?;
        let fields = |fields: &str| serde_json::from_str::<serde_json::Value>(fields).unwrap_or_else(|_| json!({}));
        Ok(found.map(|document| {
            json!({ "id": document.id, "text": document.text, "fields": fields(&document.fields) }).to_string()
        }))
    }

    /// What the index has, in numbers, as JSON.
    fn stat(&self, py: Python<'_>) -> PyResult<String> {
        let snapshot = py.detach(|| self.index.snapshot()).map_err(|cause| error::raise_index(py, &cause))?;
        Ok(serde_json::to_string(&snapshot.stat()).expect("keys are strings"))
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        let snapshot = py.detach(|| self.index.snapshot()).map_err(|cause| error::raise_index(py, &cause))?;
        Ok(snapshot.len() as usize)
    }

    /// Joins segments, and with `purge` also removes the bytes of what was deleted.
    fn compact(&self, py: Python<'_>, purge: bool) -> PyResult<()> {
        run(py, |_| {
            let _one = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
            let writer = self.index.writer()?;
            let compacted = writer.compact(purge);
            writer.close()?;
            Ok(compacted?)
        })
    }
}

/// Runs a short job on all cores.
fn run<T: Send>(py: Python<'_>, job: impl FnOnce(&dyn Progress) -> lookalike::Result<T> + Send) -> PyResult<T> {
    Runner { threads: None, memory: Memory::half_of_machine(), progress: None }.run(py, job)
}

/// Hits as a table, with the rows that were searched for if there are several.
fn hits(hits: Vec<(Option<u64>, &index::Hit)>) -> table::Columns {
    let mut columns: Vec<(&str, ArrayRef)> = Vec::new();
    if hits.first().is_some_and(|(row, _)| row.is_some()) {
        columns.push(("query_row", Arc::new(hits.iter().map(|(row, _)| *row).collect::<UInt64Array>())));
    }
    let real = |value: fn(&index::Hit) -> Option<f64>| -> ArrayRef {
        Arc::new(hits.iter().map(|(_, hit)| value(hit)).collect::<Float64Array>())
    };
    let texts = |value: fn(&index::Hit) -> &str| -> ArrayRef {
        Arc::new(hits.iter().map(|(_, hit)| Some(value(hit))).collect::<StringArray>())
    };
    let copies: BooleanArray = hits.iter().map(|(_, hit)| Some(hit.is_exact_copy)).collect();
    columns.push(("id", texts(|hit| &hit.id)));
    columns.push(("similarity", real(|hit| Some(hit.similarity))));
    columns.push(("containment_of_query", real(index::Hit::containment_left)));
    columns.push(("containment_of_match", real(index::Hit::containment_right)));
    columns.push(("exact_copy", Arc::new(copies)));
    columns.push(("fields", texts(|hit| &hit.fields)));
    table(columns)
}
