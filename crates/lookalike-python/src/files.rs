//! Files to files, as the command does it: the same bytes.

use lookalike::io::write::OutputFile;
use lookalike::{DecontaminateRequest, DedupRequest, ExtractRequest, PairsRequest, PassagesRequest, SplitsRequest};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error;
use crate::job::Runner;
use crate::options::{options, refuse};

/// Removes near-duplicates from files, and writes the same output as the command. Returns the summary as JSON.
#[pyfunction]
#[pyo3(signature = (given, progress=None))]
pub(crate) fn dedup_files(py: Python<'_>, given: &Bound<'_, PyDict>, progress: Option<Py<PyAny>>) -> PyResult<String> {
    let request = DedupRequest::from_options(options(given)?).and_then(DedupRequest::check);
    let options = request.map_err(|refused| refuse(py, &refused))?;
    let summary =
        Runner::new(options.resources(), progress).run(py, |progress| lookalike::dedup(&options, progress))?;
    Ok(serde_json::to_string(&summary).expect("keys are strings"))
}

/// Searches files for test items, and writes the same output as the command. Returns the summary as JSON.
#[pyfunction]
#[pyo3(signature = (given, progress=None))]
pub(crate) fn decontaminate_files(
    py: Python<'_>,
    given: &Bound<'_, PyDict>,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let request = DecontaminateRequest::from_options(options(given)?).and_then(DecontaminateRequest::check);
    let options = request.map_err(|refused| refuse(py, &refused))?;
    let runner = Runner::new(options.resources(), progress);
    let summary = runner.run(py, |progress| lookalike::decontaminate(&options, progress))?;
    Ok(serde_json::to_string(&summary).expect("keys are strings"))
}

/// Finds passages that several documents share, and writes the same output as the command. Returns the summary as JSON.
#[pyfunction]
#[pyo3(signature = (given, progress=None))]
pub(crate) fn passages_files(
    py: Python<'_>,
    given: &Bound<'_, PyDict>,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let request = PassagesRequest::from_options(options(given)?).and_then(PassagesRequest::check);
    let options = request.map_err(|refused| refuse(py, &refused))?;
    let summary =
        Runner::new(options.resources(), progress).run(py, |progress| lookalike::passages(&options, progress))?;
    Ok(serde_json::to_string(&summary).expect("keys are strings"))
}

/// Finds leaks between splits of files, and writes the same output as the command. Returns the summary as JSON.
#[pyfunction]
#[pyo3(signature = (given, progress=None))]
pub(crate) fn splits_files(py: Python<'_>, given: &Bound<'_, PyDict>, progress: Option<Py<PyAny>>) -> PyResult<String> {
    let request = SplitsRequest::from_options(options(given)?).and_then(SplitsRequest::check);
    let options = request.map_err(|refused| refuse(py, &refused))?;
    let report =
        Runner::new(options.resources(), progress).run(py, |progress| lookalike::splits(&options, progress))?;
    Ok(serde_json::to_string(&report).expect("keys are strings"))
}

/// Writes all pairs of files to a file, and returns a report as JSON.
#[pyfunction]
#[pyo3(signature = (given, progress=None))]
pub(crate) fn pairs_files(py: Python<'_>, given: &Bound<'_, PyDict>, progress: Option<Py<PyAny>>) -> PyResult<String> {
    let request = PairsRequest::from_options(options(given)?).map_err(|refused| refuse(py, &refused))?;
    let Some(output) = request.output.clone() else {
        return Err(error::option(py, "output", "missing", "output= must be the name of a file"));
    };
    let force = request.work.force == Some(true);
    let options = request.check().map_err(|refused| refuse(py, &refused))?;
    let report = Runner::new(options.resources(), progress).run(py, |progress| {
        // Complete or absent.
        let mut file = OutputFile::new(&output, force, &progress.unfinished())?;
        let report = lookalike::pairs(&options, file.writer(), progress)?;
        file.commit()?;
        Ok(report)
    })?;
    Ok(serde_json::to_string(&report).expect("keys are strings"))
}

/// Writes the text of each document of files to a file, and returns a report as JSON.
#[pyfunction]
#[pyo3(signature = (given, force, progress=None))]
pub(crate) fn extract_files(
    py: Python<'_>,
    given: &Bound<'_, PyDict>,
    force: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let request = ExtractRequest::from_options(options(given)?).map_err(|refused| refuse(py, &refused))?;
    let Some(output) = request.output.clone() else {
        return Err(error::option(py, "output", "missing", "output= must be the name of a file"));
    };
    let options = request.check().map_err(|refused| refuse(py, &refused))?;
    let report = Runner::new(options.resources(), progress).run(py, |progress| {
        // Complete or absent.
        let mut file = OutputFile::new(&output, force, &progress.unfinished())?;
        let report = lookalike::extract(&options, file.writer(), progress)?;
        file.commit()?;
        Ok(report)
    })?;
    Ok(serde_json::to_string(&report).expect("keys are strings"))
}
