//! Functions that help to choose settings: comparing two texts, explaining a banding, comparing methods, and charts of
//! results.

use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

use lookalike::core::hash::Key;
use lookalike::core::sketch::{FastSketcher, SlotSketcher};
use lookalike::{EvaluateRequest, Scheme, TuneRequest};
use lookalike_page::chart::{Bar, Bars, Curve, Point};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error;
use crate::input::Input;
use crate::job::Runner;
use crate::options::{options, refuse, scheme};

/// Two texts by every measure, as JSON.
#[pyfunction]
pub(crate) fn compare(py: Python<'_>, given: &Bound<'_, PyDict>, left: &str, right: &str) -> PyResult<String> {
    compared_by(py, &scheme(py, given)?, left, right)
}

/// The same by the scheme of a result.
pub(crate) fn compared_by(py: Python<'_>, scheme: &Scheme, left: &str, right: &str) -> PyResult<String> {
    let compared = py.detach(|| lookalike::compare(left, right, scheme));
    let compared = compared.map_err(|cause| error::raise(py, &cause))?;
    Ok(serde_json::to_string(&compared).expect("keys are strings"))
}

/// The fingerprint of a scheme: equal for schemes that make the same sketches and decisions.
#[pyfunction]
pub(crate) fn fingerprint(py: Python<'_>, given: &Bound<'_, PyDict>) -> PyResult<u64> {
    Ok(scheme(py, given)?.fingerprint())
}

/// The features of a text, one for each shingle in its order; and its sketch and the keys of its bands, for a scheme with bands.
#[pyfunction]
pub(crate) fn sketch_of_text(
    py: Python<'_>,
    given: &Bound<'_, PyDict>,
    text: &str,
) -> PyResult<(Vec<u64>, Vec<u64>, Vec<u64>)> {
    let scheme = scheme(py, given)?;
    let mut shingler = scheme.shingler(Key::FIXED);
    let features = shingler.features(text).all.to_vec();
    let Some(banding) = scheme.method().banding() else { return Ok((features, Vec::new(), Vec::new())) };
    let mut sketcher = FastSketcher::new(banding.slot_count());
    let slots = sketcher.sketch(&features).unwrap_or_default().to_vec();
    let mut keys = Vec::new();
    if !slots.is_empty() {
        banding.cutter().keys(&slots, |key| keys.push(key));
    }
    Ok((features, slots, keys))
}

/// Returns the recall and the cost of a banding as JSON; with data also what is in it.
#[pyfunction]
#[pyo3(signature = (given, data=None, progress=None))]
pub(crate) fn tune(
    py: Python<'_>,
    given: &Bound<'_, PyDict>,
    data: Option<&Input>,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let refuse = |refused| refuse(py, &refused);
    let mut request = TuneRequest::from_options(options(given)?).map_err(refuse)?;
    if let Some(data) = data {
        data.read_by(&mut request.read);
    }
    request.ignoring.source = request.ignoring.source.map(column_of_sources);
    let options = request.check().map_err(refuse)?;
    let runner = Runner::new(options.resources(), progress);
    let tuning = runner.run(py, |progress| lookalike::tune(&options, progress))?;
    Ok(serde_json::to_string(&tuning).expect("keys are strings"))
}

/// Schemes side by side on the same data, as JSON.
#[pyfunction]
#[pyo3(signature = (given, data, progress=None))]
pub(crate) fn evaluate(
    py: Python<'_>,
    given: &Bound<'_, PyDict>,
    data: &Input,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let refuse = |refused| refuse(py, &refused);
    let mut request = EvaluateRequest::from_options(options(given)?).map_err(refuse)?;
    data.read_by(&mut request.read);
    request.ignoring.source = request.ignoring.source.map(column_of_sources);
    let options = request.check().map_err(refuse)?;
    let runner = Runner::new(options.resources(), progress);
    let evaluation = runner.run(py, |progress| lookalike::evaluate(&options, progress))?;
    Ok(serde_json::to_string(&evaluation).expect("keys are strings"))
}

/// Converts a requested source: rows have neither host nor file, so it is the name of a column.
fn column_of_sources(column: String) -> String {
    format!("field:{column}")
}

/// A name for a chart that no other in the notebook has.
fn unique(name: &str) -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    format!("lookalike-{name}-{}-{}", process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}

/// Numbers by label as a picture: SVG.
#[pyfunction]
pub(crate) fn bars(
    title: &str,
    description: &str,
    counted: &str,
    axis: &str,
    bars: Vec<(String, u64)>,
    apart: Vec<(String, u64)>,
) -> String {
    let bar = |(label, count): (String, u64)| Bar { label, count, opens: None };
    let bars = Bars {
        id: unique("bars"),
        title: title.to_owned(),
        description: description.to_owned(),
        counted: counted.to_owned(),
        axis: axis.to_owned(),
        bars: bars.into_iter().map(bar).collect(),
        apart: apart.into_iter().map(bar).collect(),
    };
    bars.draw().embedded()
}

/// The chance that a pair is found by its similarity, as a picture: SVG.
#[pyfunction]
pub(crate) fn curve(title: &str, description: &str, points: Vec<(f64, f64)>, threshold: f64, recall: f64) -> String {
    let curve = Curve {
        id: unique("curve"),
        title: title.to_owned(),
        description: description.to_owned(),
        points: points.into_iter().map(|(similarity, found)| Point { similarity, found }).collect(),
        threshold,
        recall: Some(recall),
        histogram: Vec::new(),
        counted: String::new(),
    };
    curve.draw().embedded()
}
