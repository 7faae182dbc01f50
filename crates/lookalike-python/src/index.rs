//! A saved index of documents, and searches in it.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::{ArrayRef, BooleanArray, Float64Array, StringArray, UInt64Array};
use lookalike::index::{self, Index, NewDocument, Put};
use lookalike::{
    AddRequest, CreateRequest, Progress, ReadRequest, ResourceRequest, Resources, SearchRequest, Silent, from_options,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::json;

use crate::error;
use crate::input::Input;
use crate::job::Runner;
use crate::options::{options, refuse};
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
    fn create(py: Python<'_>, folder: PathBuf, given: &Bound<'_, PyDict>) -> PyResult<Self> {
        let request = CreateRequest::from_options(options(given)?).and_then(CreateRequest::check);
        let options = request.map_err(|refused| refuse(py, &refused))?;
        let made = py.detach(|| Index::create(&folder, &options));
        let index = made.map_err(|cause| error::raise_index(py, &cause))?;
        Ok(Self { index, folder, writing: Mutex::default() })
    }

    /// Opens an index.
    #[staticmethod]
    fn open(py: Python<'_>, folder: PathBuf) -> PyResult<Self> {
        let index = py.detach(|| Index::open(&folder)).map_err(|cause| error::raise_index(py, &cause))?;
        Ok(Self { index, folder, writing: Mutex::default() })
    }

    /// Brings an index that an earlier version made up to date.
    #[staticmethod]
    fn upgrade(py: Python<'_>, folder: PathBuf) -> PyResult<()> {
        py.detach(|| index::upgrade(&folder)).map_err(|cause| error::raise_index(py, &cause)).map(drop)
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

    /// Adds the rows of a table; returns their results as JSON.
    #[pyo3(signature = (given, data, progress=None))]
    fn add(
        &self,
        py: Python<'_>,
        given: &Bound<'_, PyDict>,
        data: &Input,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<String> {
        let mut request = AddRequest::from_options(options(given)?).map_err(|refused| refuse(py, &refused))?;
        // Fields are checked by the names that the caller gave, and read as one object of each row.
        request.clone().check().map_err(|refused| refuse(py, &refused))?;
        request.fields.clear();
        data.read_by(&mut request.read);
        let options = request.check().map_err(|refused| refuse(py, &refused))?;
        let added = Runner::new(options.resources(), progress).run(py, |progress| {
            let _one = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
            let writer = self.index.writer()?;
            let added = index::add(&writer, &options, progress);
            writer.close()?;
            added
        })?;
        Ok(serde_json::to_string(&added).expect("keys are strings"))
    }

    /// Puts documents with ids of their own, and returns the result for each.
    fn put(
        &self,
        py: Python<'_>,
        documents: Vec<(String, String, String)>,
        unless_duplicate: bool,
    ) -> PyResult<Vec<String>> {
        run(py, |_| {
            let _one = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
            let writer = self.index.writer()?;
            let documents: Vec<NewDocument<'_>> =
                documents.iter().map(|(id, text, fields)| NewDocument::new(id, text).with_fields(fields)).collect();
            let put = if unless_duplicate { writer.put_if_new(&documents) } else { writer.put_many(&documents) };
            writer.close()?;
            let result = |put: Put| match put {
                Put::Added => json!({ "result": "added" }).to_string(),
                Put::Replaced => json!({ "result": "replaced" }).to_string(),
                Put::Unchanged => json!({ "result": "unchanged" }).to_string(),
                Put::Duplicate { id, similarity, exact_copy, .. } => {
                    json!({ "result": "duplicate", "id": id, "similarity": similarity, "exact_copy": exact_copy })
                        .to_string()
                }
            };
            Ok(put?.into_iter().map(result).collect())
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

    /// Documents like a text, or like the stored one with this id.
    fn search(&self, py: Python<'_>, given: &Bound<'_, PyDict>) -> PyResult<table::Columns> {
        let search = search_request(py, given)?.check().map_err(|refused| refuse(py, &refused))?;
        let mut found = Vec::new();
        let mut each = |asked: index::Asked<'_>| {
            let match_count = asked.answer.match_count;
            found.extend(asked.answer.hits.into_iter().map(|hit| (hit, match_count)));
            Ok(())
        };
        let searched = py.detach(|| index::search(&self.index.snapshot()?, &search, &mut each, &Silent));
        searched.map_err(|cause| error::raise(py, &cause))?;
        Ok(hits(found.iter().map(|(hit, count)| (None, hit, *count)).collect()))
    }

    /// Documents like each row of a table.
    #[pyo3(signature = (given, reading, resources, data, progress=None))]
    fn search_many(
        &self,
        py: Python<'_>,
        given: &Bound<'_, PyDict>,
        reading: &Bound<'_, PyDict>,
        resources: &Bound<'_, PyDict>,
        data: &Input,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<table::Columns> {
        let refuse = |refused| refuse(py, &refused);
        let mut request = search_request(py, given)?;
        request.input = from_options::<ReadRequest>(options(reading)?).map_err(refuse)?;
        data.read_by(&mut request.input);
        request.resources = from_options::<ResourceRequest>(options(resources)?).map_err(refuse)?;
        let resources = request.resources.check().map_err(refuse)?;
        let search = request.check().map_err(refuse)?;
        let mut found = Vec::new();
        Runner::new(&resources, progress).run(py, |progress| {
            let mut each = |asked: index::Asked<'_>| {
                let position = asked.id.rsplit(':').next().and_then(|position| position.parse::<u64>().ok());
                let row = position.and_then(|position| position.checked_sub(1));
                let match_count = asked.answer.match_count;
                found.extend(asked.answer.hits.into_iter().map(|hit| (row, hit, match_count)));
                Ok(())
            };
            index::search(&self.index.snapshot()?, &search, &mut each, progress)
        })?;
        Ok(hits(found.iter().map(|(row, hit, count)| (Some(row.unwrap_or(0)), hit, *count)).collect()))
    }

    /// Returns a stored document as JSON; `None` if it does not exist.
    fn document(&self, py: Python<'_>, id: &str) -> PyResult<Option<String>> {
        let found =
            py.detach(|| self.index.snapshot()?.document(id)).map_err(|cause| error::raise_index(py, &cause))?;
        let fields = |fields: &str| serde_json::from_str::<serde_json::Value>(fields).unwrap_or_else(|_| json!({}));
        Ok(found.map(|document| {
            json!({ "id": document.id, "text": document.text, "fields": fields(&document.fields) }).to_string()
        }))
    }

    /// Statistics of the index, as JSON.
    fn stat(&self, py: Python<'_>) -> PyResult<String> {
        let snapshot = py.detach(|| self.index.snapshot()).map_err(|cause| error::raise_index(py, &cause))?;
        Ok(serde_json::to_string(&snapshot.stat()).expect("keys are strings"))
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        let snapshot = py.detach(|| self.index.snapshot()).map_err(|cause| error::raise_index(py, &cause))?;
        Ok(snapshot.len() as usize)
    }

    /// The ids of all documents, in the order in which they were added.
    fn ids(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let ids = py.detach(|| {
            let ids = |document: Result<index::Document, index::Error>| document.map(|document| document.id);
            self.index.snapshot()?.documents().map(ids).collect::<Result<Vec<_>, _>>()
        });
        ids.map_err(|cause| error::raise_index(py, &cause))
    }

    /// Joins segments, and with `purge` also removes the bytes of deleted documents.
    fn compact(&self, py: Python<'_>, purge: bool) -> PyResult<()> {
        run(py, |_| {
            let _one = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
            let writer = self.index.writer()?;
            let compacted = writer.compact(purge);
            writer.close()?;
            Ok(compacted?)
        })
    }

    /// Checks every byte, and with `repair` rebuilds damaged files; returns the findings as JSON.
    #[staticmethod]
    fn verify(py: Python<'_>, folder: PathBuf, repair: bool) -> PyResult<String> {
        let found = py.detach(|| index::verify(&folder, repair)).map_err(|cause| error::raise_index(py, &cause))?;
        Ok(serde_json::to_string(&found).expect("keys are strings"))
    }

    /// Copies the index as it is now to a new folder.
    fn snapshot(&self, py: Python<'_>, destination: PathBuf) -> PyResult<()> {
        let copied = py.detach(|| index::snapshot_to(&self.folder, &destination));
        copied.map_err(|cause| error::raise_index(py, &cause)).map(drop)
    }

    /// Adds the documents of another index with the same parameters; returns their results as JSON.
    fn merge(&self, py: Python<'_>, other: PathBuf) -> PyResult<String> {
        let merged = run(py, |_| {
            let other = Index::open(&other)?;
            let _one = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
            let writer = self.index.writer()?;
            let merged = writer.merge_from(&other);
            writer.close()?;
            Ok(merged?)
        })?;
        let counts = json!({
            "added_count": merged.added_count,
            "replaced_count": merged.replaced_count,
            "unchanged_count": merged.unchanged_count,
        });
        Ok(counts.to_string())
    }

    /// All documents as a table, in the order in which they were added.
    fn export(&self, py: Python<'_>) -> PyResult<table::Columns> {
        let documents = py
            .detach(|| self.index.snapshot()?.documents().collect::<Result<Vec<_>, _>>())
            .map_err(|cause| error::raise_index(py, &cause))?;
        let texts = |value: fn(&index::Document) -> Option<&str>| -> ArrayRef {
            Arc::new(documents.iter().map(value).collect::<StringArray>())
        };
        let fields = |document: &index::Document| (!document.fields.is_empty()).then(|| document.fields.clone());
        Ok(table(vec![
            ("id", texts(|document| Some(&document.id))),
            ("text", texts(|document| document.text.as_deref())),
            ("fields", Arc::new(documents.iter().map(fields).collect::<StringArray>())),
        ]))
    }
}

fn search_request(py: Python<'_>, given: &Bound<'_, PyDict>) -> PyResult<SearchRequest> {
    SearchRequest::from_options(options(given)?).map_err(|refused| refuse(py, &refused))
}

/// Runs a short job on all cores.
fn run<T: Send>(py: Python<'_>, job: impl FnOnce(&dyn Progress) -> lookalike::Result<T> + Send) -> PyResult<T> {
    Runner::new(&Resources::default(), None).run(py, job)
}

/// Hits as a table, with the rows that were searched for if there are several, and with the number of matches that each has in all.
fn hits(hits: Vec<(Option<u64>, &index::Hit, u64)>) -> table::Columns {
    let mut columns: Vec<(&str, ArrayRef)> = Vec::new();
    if hits.first().is_some_and(|(row, ..)| row.is_some()) {
        columns.push(("query_row", Arc::new(hits.iter().map(|(row, ..)| *row).collect::<UInt64Array>())));
    }
    let real = |value: fn(&index::Hit) -> Option<f64>| -> ArrayRef {
        Arc::new(hits.iter().map(|(_, hit, _)| value(hit)).collect::<Float64Array>())
    };
    let texts = |value: fn(&index::Hit) -> &str| -> ArrayRef {
        Arc::new(hits.iter().map(|(_, hit, _)| Some(value(hit))).collect::<StringArray>())
    };
    let copies: BooleanArray = hits.iter().map(|(_, hit, _)| Some(hit.exact_copy)).collect();
    let counts: UInt64Array = hits.iter().map(|(.., count)| Some(*count)).collect();
    columns.push(("id", texts(|hit| &hit.id)));
    columns.push(("similarity", real(|hit| Some(hit.similarity))));
    columns.push(("containment_of_query", real(index::Hit::containment_of_query)));
    columns.push(("containment_of_match", real(index::Hit::containment_of_match)));
    columns.push(("exact_copy", Arc::new(copies)));
    columns.push(("match_count", Arc::new(counts)));
    columns.push(("fields", texts(|hit| &hit.fields)));
    table(columns)
}
