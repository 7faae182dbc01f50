//! Records, sets and fingerprints: tables to tables.

use std::path::{Path, PathBuf};

use lookalike::{LinkRequest, LinkRows, PrintsRequest, SetsRequest};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::json;

use crate::cells::{Cells, tables};
use crate::error::{self, Class};
use crate::job::Runner;
use crate::options::{options, refuse};
use crate::table::{ArrowSink, Columns, of_csv};

/// The matches, clusters and linked rows of records.
type LinkTables = [Columns; 3];

/// Links records. Returns the report as JSON, the text of `model.json`, and the tables of the result unless there is a folder,
/// which has what the command writes.
#[pyfunction]
#[pyo3(signature = (given, in_memory, model_text=None, progress=None))]
pub(crate) fn link(
    py: Python<'_>,
    given: &Bound<'_, PyDict>,
    in_memory: Vec<PyRef<'_, Cells>>,
    model_text: Option<String>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(String, String, Option<LinkTables>)> {
    let refuse = |refused| refuse(py, &refused);
    let mut request = LinkRequest::from_options(options(given)?).map_err(refuse)?;
    request.in_memory = tables(&in_memory);
    request.model_text = model_text;
    let options = request.check().map_err(refuse)?;
    let has_folder = options.folder().is_some();
    let mut found = [(); 3].map(|()| ArrowSink::default());
    let report = Runner::new(options.resources(), progress).run(py, |progress| {
        if has_folder {
            return lookalike::link(&options, progress);
        }
        let [matches, clusters, linked] = &mut found;
        let rows = LinkRows { matches: Some(matches), clusters: Some(clusters), linked: Some(linked) };
        lookalike::link_into(&options, rows, progress)
    })?;
    let summary = serde_json::to_string(&report).expect("keys are strings");
    Ok((summary, report.model, (!has_folder).then(|| found.map(ArrowSink::into_table))))
}

/// A table that a job wrote as CSV. What users wrote stays text, and all else becomes numbers.
#[pyfunction]
pub(crate) fn read_csv(py: Python<'_>, path: PathBuf, texts: Vec<String>, typed: Vec<String>) -> PyResult<Columns> {
    let bytes = std::fs::read(&path).map_err(|cause| unreadable(py, &path, &cause.to_string()))?;
    let is_text = |name: &str| {
        let is_own = name.ends_with("_left") || name.ends_with("_right") || texts.iter().any(|text| text == name);
        if typed.is_empty() { is_own } else { !typed.iter().any(|typed| typed == name) }
    };
    of_csv(&bytes, is_text).map_err(|cause| unreadable(py, &path, &cause.to_string()))
}

fn unreadable(py: Python<'_>, path: &Path, cause: &str) -> PyErr {
    error::exception(py, Class::Input, &format!("{}: {cause}", path.display()), &json!({ "path": path }))
}

/// Pairs of sets that are similar.
#[pyfunction]
#[pyo3(signature = (given, in_memory, against, progress=None))]
pub(crate) fn sets(
    py: Python<'_>,
    given: &Bound<'_, PyDict>,
    in_memory: Vec<PyRef<'_, Cells>>,
    against: Vec<PyRef<'_, Cells>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Columns> {
    let refuse = |refused| refuse(py, &refused);
    let mut request = SetsRequest::from_options(options(given)?).map_err(refuse)?;
    request.in_memory = tables(&in_memory);
    request.against_in_memory = tables(&against);
    let options = request.check().map_err(refuse)?;
    let mut rows = ArrowSink::default();
    let runner = Runner::new(options.resources(), progress);
    runner.run(py, |progress| lookalike::sets_into(&options, &mut rows, progress))?;
    Ok(rows.into_table())
}

/// Pairs of fingerprints that may be of one finger, with their similarity.
#[pyfunction]
#[pyo3(signature = (given, in_memory, against, progress=None))]
pub(crate) fn prints(
    py: Python<'_>,
    given: &Bound<'_, PyDict>,
    in_memory: Vec<PyRef<'_, Cells>>,
    against: Vec<PyRef<'_, Cells>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Columns> {
    let refuse = |refused| refuse(py, &refused);
    let mut request = PrintsRequest::from_options(options(given)?).map_err(refuse)?;
    request.in_memory = tables(&in_memory);
    request.against_in_memory = tables(&against);
    let options = request.check().map_err(refuse)?;
    let mut rows = ArrowSink::default();
    let runner = Runner::new(options.resources(), progress);
    runner.run(py, |progress| lookalike::prints_into(&options, &mut rows, progress))?;
    Ok(rows.into_table())
}
