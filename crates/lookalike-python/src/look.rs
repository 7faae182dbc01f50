//! What helps to choose: two texts compared, a banding explained, methods side by side, and charts of what was found.

use std::path::PathBuf;

use lookalike::core::measure::similarity::Threshold;
use lookalike::core::sketch::{FastSketcher, SlotSketcher};
use lookalike::core::text::shingle::Shingler;
use lookalike::{EvaluateOptions, MOST_BYTES, NamedScheme, ReadOptions, TuneOptions};
use lookalike_page::chart::{Bar, Bars, Curve, Point};
use pyo3::prelude::*;
use serde::Deserialize;

use crate::error;
use crate::input::{Columns, Input, read_options};
use crate::settings::{Resources, SchemeRequest, parse};

/// Two texts by every measure, as JSON.
#[pyfunction]
pub(crate) fn compare(py: Python<'_>, scheme: &str, left: &str, right: &str) -> PyResult<String> {
    let scheme = parse::<SchemeRequest>(py, scheme)?.scheme(py)?;
    let compared = py.detach(|| lookalike::compare(left, right, &scheme));
    let compared = compared.map_err(|cause| error::raise(py, &cause))?;
    Ok(serde_json::to_string(&compared).expect("keys are strings"))
}

/// The features of a text, one for each shingle in its order; and its sketch and the keys of its bands, for a scheme with bands.
#[pyfunction]
pub(crate) fn sketch(py: Python<'_>, scheme: &str, text: &str) -> PyResult<(Vec<u64>, Vec<u64>, Vec<u64>)> {
    let scheme = parse::<SchemeRequest>(py, scheme)?.scheme(py)?;
    let mut shingler = Shingler::new(&scheme.shingle, scheme.fold);
    let features = shingler.features(text).all.to_vec();
    let Some(banding) = scheme.method.banding() else { return Ok((features, Vec::new(), Vec::new())) };
    let mut sketcher = FastSketcher::new(banding.slot_count());
    let slots = sketcher.sketch(&features).unwrap_or_default().to_vec();
    let mut keys = Vec::new();
    if !slots.is_empty() {
        banding.cutter().keys(&slots, |key| keys.push(key));
    }
    Ok((features, slots, keys))
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TuneRequest {
    scheme: SchemeRequest,
    #[serde(default)]
    resources: Resources,
    columns: Columns,
    #[serde(default)]
    sample_bytes: Option<u64>,
}

/// What a banding finds and costs, as JSON; with data also what is in it.
#[pyfunction]
#[pyo3(signature = (request, data=None, progress=None))]
pub(crate) fn tune(
    py: Python<'_>,
    request: &str,
    data: Option<&Input>,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let request: TuneRequest = parse(py, request)?;
    let runner = request.resources.runner(py, progress)?;
    let scheme = request.scheme.scheme(py)?;
    let Some(banding) = scheme.method.banding() else {
        let message = "there are no bands to tune for this method: leave out method= and measure=, or give method=\"supershingle\"";
        return Err(error::option(py, "method", message));
    };
    let corpus = data.map(|data| read(py, data, &request.columns, &request.resources)).transpose()?;
    let threshold = Threshold::new(scheme.threshold()).map_err(|cause| error::raise_core(py, &cause))?;
    let most_bytes = request.sample_bytes.unwrap_or(MOST_BYTES);
    let options = TuneOptions { scheme, threshold, banding, corpus, most_bytes };
    let tuning = runner.run(py, |progress| lookalike::tune(&options, progress))?;
    Ok(serde_json::to_string(&tuning).expect("keys are strings"))
}

fn read(py: Python<'_>, data: &Input, columns: &Columns, resources: &Resources) -> PyResult<ReadOptions> {
    Ok(read_options(py, data, None, columns, resources)?.0)
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct EvaluateRequest {
    /// Each with its name.
    schemes: Vec<(String, SchemeRequest)>,
    #[serde(default)]
    resources: Resources,
    columns: Columns,
    #[serde(default)]
    truth: Option<PathBuf>,
    #[serde(default)]
    histograms: bool,
}

/// Schemes side by side on the same data, as JSON.
#[pyfunction]
#[pyo3(signature = (request, data, progress=None))]
pub(crate) fn evaluate(py: Python<'_>, request: &str, data: &Input, progress: Option<Py<PyAny>>) -> PyResult<String> {
    let request: EvaluateRequest = parse(py, request)?;
    let runner = request.resources.runner(py, progress)?;
    let scheme =
        |(name, scheme): &(String, SchemeRequest)| Ok(NamedScheme { name: name.clone(), scheme: scheme.scheme(py)? });
    let options = EvaluateOptions {
        read: read(py, data, &request.columns, &request.resources)?,
        schemes: request.schemes.iter().map(scheme).collect::<PyResult<_>>()?,
        truth: request.truth,
        histograms: request.histograms,
        memory: runner.memory,
    };
    if options.schemes.is_empty() {
        return Err(error::option(py, "methods", "methods= is empty: give one method or more"));
    }
    let evaluation = runner.run(py, |progress| lookalike::evaluate(&options, progress))?;
    Ok(serde_json::to_string(&evaluation).expect("keys are strings"))
}

/// Numbers by label as a picture: SVG.
#[pyfunction]
pub(crate) fn bars(title: &str, description: &str, counted: &str, axis: &str, bars: Vec<(String, u64)>) -> String {
    let bars = Bars {
        id: "bars".to_owned(),
        title: title.to_owned(),
        description: description.to_owned(),
        counted: counted.to_owned(),
        axis: axis.to_owned(),
        bars: bars.into_iter().map(|(label, count)| Bar { label, count, opens: None }).collect(),
        apart: Vec::new(),
    };
    bars.draw().standalone()
}

/// The chance that a pair is found by its similarity, as a picture: SVG.
#[pyfunction]
pub(crate) fn curve(title: &str, description: &str, points: Vec<(f64, f64)>, threshold: f64, recall: f64) -> String {
    let curve = Curve {
        id: "curve".to_owned(),
        title: title.to_owned(),
        description: description.to_owned(),
        points: points.into_iter().map(|(similarity, found)| Point { similarity, found }).collect(),
        threshold,
        recall: Some(recall),
        histogram: Vec::new(),
        counted: String::new(),
    };
    curve.draw().standalone()
}
