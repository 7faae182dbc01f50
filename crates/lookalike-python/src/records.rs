//! Records, sets and fingerprints: tables to tables.

use arrow_schema::DataType;
use lookalike::{LinkRequest, LinkRows, PrintsRequest, SetsRequest};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::cells::{Cells, tables};
use crate::job::Runner;
use crate::options::{options, refuse};
use crate::table::{ArrowSink, Columns, Known};

/// The matches, clusters and linked rows of records.
type LinkTables = [Columns; 3];

/// Links records. Returns the summary as JSON, the text of `model.json`, and the tables of the result.
#[pyfunction]
#[pyo3(signature = (given, in_memory, model_text=None, progress=None))]
pub(crate) fn link(
    py: Python<'_>,
    given: &Bound<'_, PyDict>,
    in_memory: Vec<PyRef<'_, Cells>>,
    model_text: Option<String>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(String, String, LinkTables)> {
    let refuse = |refused| refuse(py, &refused);
    let mut request = LinkRequest::from_options(options(given)?).map_err(refuse)?;
    let (id, id_right) = (request.id.clone(), request.id_right.clone());
    request.in_memory = tables(&in_memory);
    request.model_text = model_text;
    let options = request.check().map_err(refuse)?;
    let mut found = [(); 3].map(|()| ArrowSink::default());
    let report = Runner::new(options.resources(), progress).run(py, |progress| {
        let [matches, clusters, linked] = &mut found;
        let rows = LinkRows::default().matches(matches).clusters(clusters).linked(linked);
        lookalike::link_into(&options, rows, progress)
    })?;
    let summary = serde_json::to_string(&report).expect("keys are strings");
    let [left, right] = [id.as_ref(), id_right.as_ref().or(id.as_ref())];
    let kinds: Vec<Option<&DataType>> =
        in_memory.iter().zip([left, right]).map(|(table, id)| id.and_then(|id| table.kind(id))).collect();
    // Either side of a pair may be of either table.
    let is_one = kinds.iter().all(|kind| *kind == kinds[0]);
    let known =
        if left.is_none() { Known::Rows } else { Known::of(kinds.first().copied().flatten().filter(|_| is_one)) };
    let tables = found.map(|table| {
        ["left_id", "right_id", "id"].iter().fold(table.into_table(), |table, id| table.known_as(id, &known))
    });
    Ok((summary, report.model, tables))
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
    // Elements that were turned into sets are texts.
    let is_transposed = request.transpose == Some(true);
    let named = request.set.clone().filter(|_| !is_transposed);
    let is_numbered = request.column.is_some() && request.set.is_none() && !is_transposed;
    let others = if request.against.is_empty() && against.is_empty() { &in_memory } else { &against };
    request.in_memory = tables(&in_memory);
    request.against_in_memory = tables(&against);
    let options = request.check().map_err(refuse)?;
    let mut rows = ArrowSink::default();
    let runner = Runner::new(options.resources(), progress);
    runner.run(py, |progress| lookalike::sets_into(&options, &mut rows, progress))?;
    let known = |tables: &[PyRef<'_, Cells>]| match (&named, tables.first()) {
        (Some(name), Some(table)) => Known::of(table.kind(name)),
        (None, Some(_)) if is_numbered => Known::Rows,
        _ => Known::Texts,
    };
    let (left, right) = (known(&in_memory), known(others));
    Ok(rows.into_table().known_as("left_id", &left).known_as("right_id", &right))
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
    let id = request.id.clone().unwrap_or_else(|| PRINT.to_owned());
    let others = if request.against.is_empty() && against.is_empty() { &in_memory } else { &against };
    request.in_memory = tables(&in_memory);
    request.against_in_memory = tables(&against);
    let options = request.check().map_err(refuse)?;
    let mut rows = ArrowSink::default();
    let runner = Runner::new(options.resources(), progress);
    runner.run(py, |progress| lookalike::prints_into(&options, &mut rows, progress))?;
    let known = |tables: &[PyRef<'_, Cells>]| Known::of(tables.first().and_then(|table| table.kind(&id)));
    let (left, right) = (known(&in_memory), known(others));
    Ok(rows.into_table().known_as("left_id", &left).known_as("right_id", &right))
}

/// The column with the name of a print, unless another is named.
const PRINT: &str = "print";
