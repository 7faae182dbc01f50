//! Records, sets and fingerprints: tables to tables.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use lookalike::core::join::Measure;
use lookalike::core::link::config::Config;
use lookalike::core::measure::similarity::Threshold;
use lookalike::core::prints::DEFAULT_RESOLUTION;
use lookalike::core::prints::candidates::DEFAULT_ALIGNED;
use lookalike::io::bounds::InputLimit;
use lookalike::{
    AngleUnit, Finding, LinkOptions, PrintColumns, PrintSearch, PrintsOptions, ReadPrints, RowFormat, SetsForm,
    SetsOptions,
};
use pyo3::prelude::*;
use serde::Deserialize;
use serde_json::json;

use crate::error::{self, Class};
use crate::settings::{Resources, parse, unknown};
use crate::table::{Columns, of_csv};

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct LinkRequest {
    tables: Vec<PathBuf>,
    #[serde(default)]
    resources: Resources,
    #[serde(default)]
    within: bool,
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    id_right: Option<String>,
    /// The kinds of columns, as the command writes them to `link.toml`.
    #[serde(default)]
    config: Option<String>,
    #[serde(default)]
    threshold: Option<f64>,
    #[serde(default)]
    one_to_one: bool,
    #[serde(default)]
    effort: Option<f64>,
    #[serde(default)]
    newest: Option<String>,
    #[serde(default)]
    gold: Option<PathBuf>,
    #[serde(default)]
    expect: Option<f64>,
    #[serde(default)]
    model: Option<PathBuf>,
    #[serde(default)]
    validate: Option<String>,
    folder: PathBuf,
}

/// Links records, writes what the command writes to a folder, and returns the report as JSON.
#[pyfunction]
#[pyo3(signature = (request, progress=None))]
pub(crate) fn link(py: Python<'_>, request: &str, progress: Option<Py<PyAny>>) -> PyResult<String> {
    let request: LinkRequest = parse(py, request)?;
    request.check(py)?;
    let runner = request.resources.runner(py, progress)?;
    let config = |text: &String| -> PyResult<Config> {
        toml::from_str(text)
            .map_err(|cause| error::option(py, "config", &format!("config= is not possible: {}", cause.message())))
    };
    let options = LinkOptions {
        tables: request.tables,
        within: request.within,
        longest: request.resources.longest(py)?,
        limit: InputLimit::default(),
        memory: runner.memory,
        id: request.id,
        id_right: request.id_right,
        config: request.config.as_ref().map(config).transpose()?,
        threshold: request.threshold,
        one_to_one: request.one_to_one,
        effort: request.effort,
        newest: request.newest,
        gold: request.gold,
        expect: request.expect,
        model: request.model,
        validate: request.validate,
        has_page: false,
        folder: Some(request.folder),
        force: request.resources.force,
    };
    let report = runner.run(py, |progress| lookalike::link(&options, progress))?;
    Ok(serde_json::to_string(&report).expect("keys are strings"))
}

impl LinkRequest {
    fn check(&self, py: Python<'_>) -> PyResult<()> {
        if self.one_to_one && self.tables.len() != 2 {
            return Err(error::option(py, "one_to_one", "one_to_one=True is for two tables, and one was given"));
        }
        if self.threshold.is_some_and(|threshold| !(threshold > 0.0 && threshold < 1.0)) {
            let message = "threshold= takes a probability above 0 and below 1, such as 0.9";
            return Err(error::option(py, "threshold", message));
        }
        if self.effort.is_some_and(|effort| !(effort > 0.0 && effort.is_finite())) {
            return Err(error::option(py, "effort", "effort= takes a factor above 0, such as 4"));
        }
        if self.expect.is_some_and(|share| !(share > 0.0 && share <= 1.0)) {
            return Err(error::option(py, "expect", "expect= takes a share above 0 and up to 1, such as 0.05"));
        }
        Ok(())
    }
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

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SetsRequest {
    inputs: Vec<PathBuf>,
    #[serde(default)]
    against: Vec<PathBuf>,
    #[serde(default)]
    resources: Resources,
    #[serde(default)]
    threshold: Option<f64>,
    #[serde(default)]
    top: Option<usize>,
    measure: String,
    #[serde(default)]
    idf: bool,
    #[serde(default)]
    recall: Option<f64>,
    #[serde(default)]
    transpose: bool,
    #[serde(default)]
    grams: Option<usize>,
    #[serde(default)]
    set: Option<String>,
    #[serde(default)]
    element: Option<String>,
    #[serde(default)]
    column: Option<String>,
    #[serde(default)]
    weights: Option<String>,
}

/// Pairs of sets that are alike.
#[pyfunction]
#[pyo3(signature = (request, progress=None))]
pub(crate) fn sets(py: Python<'_>, request: &str, progress: Option<Py<PyAny>>) -> PyResult<Columns> {
    let request: SetsRequest = parse(py, request)?;
    let runner = request.resources.runner(py, progress)?;
    let core = |error: lookalike::core::Error| error::raise_core(py, &error);
    let measure = match &*request.measure {
        "jaccard" => Measure::Jaccard,
        "containment" => Measure::Containment,
        "cosine" => Measure::Cosine,
        "overlap" => Measure::Overlap,
        other => return Err(unknown(py, "measure", other, "'jaccard', 'containment', 'cosine' or 'overlap'")),
    };
    let threshold = request.threshold.map(Threshold::new).transpose().map_err(core)?;
    let finding = match (threshold, request.recall) {
        (Some(threshold), Some(recall)) => {
            Finding::Sketched { threshold, banding: measure.banding(threshold, recall).map_err(core)? }
        }
        (None, Some(_)) => return Err(error::option(py, "recall", "recall= needs threshold=: give both")),
        (threshold, None) => Finding::Exact { threshold },
    };
    if request.recall.is_some() && (request.idf || request.weights.is_some()) {
        let message = "recall= finds pairs by sketches, which know no weights: leave out idf= and weights=";
        return Err(error::option(py, "recall", message));
    }
    if threshold.is_none() && request.top.is_none() {
        return Err(error::option(py, "threshold", "give threshold= or top="));
    }
    let options = SetsOptions {
        inputs: request.inputs,
        against: request.against,
        longest: request.resources.longest(py)?,
        memory: runner.memory,
        form: SetsForm {
            grams: request.grams.and_then(NonZeroUsize::new),
            set: request.set,
            element: request.element,
            column: request.column,
            weights: request.weights,
            ..SetsForm::default()
        },
        is_transposed: request.transpose,
        measure,
        by_rarity: request.idf,
        finding,
        top: request.top.and_then(NonZeroUsize::new),
        format: RowFormat::Csv,
        ..SetsOptions::default()
    };
    let mut rows = Vec::new();
    runner.run(py, |progress| lookalike::sets(&options, &mut rows, progress))?;
    pairs_of(py, &rows)
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PrintsRequest {
    inputs: Vec<PathBuf>,
    #[serde(default)]
    gallery: Vec<PathBuf>,
    #[serde(default)]
    resources: Resources,
    #[serde(default)]
    top: Option<usize>,
    #[serde(default)]
    all_pairs: bool,
    #[serde(default)]
    threshold: Option<f64>,
    #[serde(default)]
    candidates: Option<usize>,
    id: String,
    x: String,
    y: String,
    #[serde(default)]
    angle: Option<String>,
    #[serde(default)]
    angle_unit: Option<String>,
    #[serde(default, rename = "type")]
    kind: Option<String>,
    #[serde(default)]
    clockwise: bool,
    #[serde(default)]
    size: Option<(u32, u32)>,
    #[serde(default)]
    resolution: Option<f64>,
}

/// Pairs of fingerprints that may be of one finger, with their scores.
#[pyfunction]
#[pyo3(signature = (request, progress=None))]
pub(crate) fn prints(py: Python<'_>, request: &str, progress: Option<Py<PyAny>>) -> PyResult<Columns> {
    let request: PrintsRequest = parse(py, request)?;
    let runner = request.resources.runner(py, progress)?;
    if request.threshold.is_some_and(|threshold| !(0.0..=1.0).contains(&threshold)) {
        return Err(error::option(py, "threshold", "threshold= takes a score from 0 to 1, such as 0.11"));
    }
    let resolution = request.resolution.unwrap_or(DEFAULT_RESOLUTION);
    if !(resolution.is_finite() && resolution > 0.0) {
        return Err(error::option(py, "resolution", "resolution= takes pixels per centimetre, such as 197"));
    }
    if request.candidates == Some(0) || request.top == Some(0) {
        let option = if request.top == Some(0) { "top" } else { "candidates" };
        return Err(error::option(py, option, &format!("{option}=0 is not possible: give 1 or more")));
    }
    let most = request.candidates.unwrap_or(DEFAULT_ALIGNED);
    let search = if request.all_pairs {
        PrintSearch::AllPairs
    } else if request.gallery.is_empty() {
        PrintSearch::Candidates { most }
    } else {
        PrintSearch::Gallery { inputs: request.gallery, most, top: request.top.unwrap_or(5) }
    };
    let angle_unit = match request.angle_unit.as_deref() {
        None => None,
        Some("degrees") => Some(AngleUnit::Degrees),
        Some("radians") => Some(AngleUnit::Radians),
        Some(other) => return Err(unknown(py, "angle_unit", other, "'degrees' or 'radians'")),
    };
    let options = PrintsOptions {
        inputs: request.inputs,
        read: ReadPrints {
            columns: PrintColumns {
                id: request.id,
                x: request.x,
                y: request.y,
                angle: request.angle,
                kind: request.kind,
            },
            size: request.size,
            resolution,
            angle_unit,
            is_clockwise: request.clockwise,
            longest: request.resources.longest(py)?,
            limit: InputLimit::default(),
            memory: runner.memory,
        },
        search,
        threshold: request.threshold,
        format: RowFormat::Csv,
        output: None,
    };
    let mut rows = Vec::new();
    runner.run(py, |progress| lookalike::prints(&options, &mut rows, progress))?;
    pairs_of(py, &rows)
}

fn pairs_of(py: Python<'_>, rows: &[u8]) -> PyResult<Columns> {
    let is_id = |name: &str| matches!(name, "left_id" | "right_id");
    of_csv(rows, is_id).map_err(|cause| unreadable(py, Path::new("the result"), &cause.to_string()))
}
