//! `pairs` on data of Python.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, StringArray, UInt32Array, UInt64Array};
use lookalike::{Between, Copies, PairMeasures, PairRow, PairsOptions, Selection};
use pyo3::prelude::*;
use serde::Deserialize;
use serde_json::json;

use crate::error;
use crate::input::{Columns, Input, read_options};
use crate::settings::{Resources, SchemeRequest, parse, unknown};
use crate::table::{self, table};

/// What a call of `pairs` asks for.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PairsRequest {
    pub(crate) scheme: SchemeRequest,
    #[serde(default)]
    pub(crate) resources: Resources,
    pub(crate) columns: Columns,
    pub(crate) copies: String,
    #[serde(default)]
    pub(crate) between: Option<(f64, f64)>,
    #[serde(default)]
    pub(crate) sample: Option<usize>,
}

impl PairsRequest {
    /// What does not depend on where documents come from.
    pub(crate) fn apply(&self, py: Python<'_>, options: &mut PairsOptions) -> PyResult<()> {
        options.scheme = self.scheme.scheme(py)?;
        options.copies = match &*self.copies {
            "all" => Copies::All,
            "star" => Copies::Star,
            other => return Err(unknown(py, "copies", other, "'all' or 'star'")),
        };
        let between = self.between.map(|(low, high)| Between::new(low, high)).transpose();
        let between = between.map_err(|cause| error::raise(py, &cause))?;
        let sample = match self.sample {
            Some(0) => return Err(error::option(py, "sample", "sample=0 is not possible: give 1 or more")),
            sample => sample.and_then(NonZeroUsize::new),
        };
        options.selection = Selection { between, sample, ..options.selection.clone() };
        Ok(())
    }
}

/// All pairs: a table, the length of each row as the keep order compares it (none where that is not known), and a report.
#[pyfunction]
#[pyo3(signature = (request, data, reference=None, progress=None))]
pub(crate) fn pairs(
    py: Python<'_>,
    request: &str,
    data: &Input,
    reference: Option<&Input>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(table::Columns, Option<Lengths>, String)> {
    let request: PairsRequest = parse(py, request)?;
    let runner = request.resources.runner(py, progress)?;
    let (read, references) = read_options(py, data, reference, &request.columns, &request.resources)?;
    let longest = read.settings.longest;
    let mut options = PairsOptions { read, ..PairsOptions::new(Vec::<PathBuf>::new()) };
    options.selection.references = references;
    request.apply(py, &mut options)?;
    options.memory = runner.memory;
    options.work = request.resources.work();
    let mut rows: Vec<PairRow> = Vec::new();
    let report = runner.run(py, |progress| lookalike::pairs_into(&options, &mut rows, progress))?;
    let lengths = data.document_rows(longest).map(|documents| {
        let mut lengths = vec![0; data.row_count as usize];
        documents.iter().zip(&report.lengths).for_each(|(row, length)| lengths[*row as usize] = *length);
        Lengths { lengths }
    });
    let report = json!({
        "input": report.input,
        "found": report.found,
        "pairs": report.pairs,
        "passed_over": report.passed_over,
        "stages": report.stages,
        "skipped": report.skipped,
    });
    Ok((pair_table(&rows, request.columns.id.is_some()), lengths, report.to_string()))
}

/// How long rows are, in the unit of the keep order `longest`.
#[pyclass(frozen, module = "lookalike._native")]
#[derive(Debug)]
pub(crate) struct Lengths {
    pub(crate) lengths: Vec<u32>,
}

#[pymethods]
impl Lengths {
    fn __len__(&self) -> usize {
        self.lengths.len()
    }
}

fn pair_table(rows: &[PairRow], has_ids: bool) -> table::Columns {
    let row = |position: fn(&PairRow) -> u64| -> ArrayRef {
        Arc::new(rows.iter().map(|pair| position(pair).checked_sub(1)).collect::<UInt64Array>())
    };
    let mut columns: Vec<(&str, ArrayRef)> =
        vec![("left_row", row(|pair| pair.left_position)), ("right_row", row(|pair| pair.right_position))];
    if has_ids {
        let texts = |id: fn(&PairRow) -> &str| -> ArrayRef {
            Arc::new(rows.iter().map(|pair| Some(id(pair))).collect::<StringArray>())
        };
        columns.extend([("left_id", texts(|pair| &pair.left_id)), ("right_id", texts(|pair| &pair.right_id))]);
    }
    let real = |value: fn(&PairRow) -> f64| -> ArrayRef {
        Arc::new(rows.iter().map(|pair| Some(value(pair))).collect::<Float64Array>())
    };
    columns.push(("similarity", real(|pair| pair.similarity)));
    if let Some(PairMeasures::Bits { .. }) = rows.first().map(|pair| pair.measures) {
        let hamming = |pair: &PairRow| match pair.measures {
            PairMeasures::Bits { hamming, .. } => Some(hamming),
            _ => None,
        };
        columns.push(("simhash", real(|pair| pair.similarity)));
        columns.push(("hamming", Arc::new(rows.iter().map(hamming).collect::<UInt32Array>())));
    } else {
        columns.push(("jaccard", real(|pair| shares(pair)[0])));
        columns.push(("containment_left", real(|pair| shares(pair)[1])));
        columns.push(("containment_right", real(|pair| shares(pair)[2])));
    }
    table(columns)
}

fn shares(pair: &PairRow) -> [f64; 3] {
    match pair.measures {
        PairMeasures::Jaccard { jaccard, containment_left, containment_right }
        | PairMeasures::Containment { jaccard, containment_left, containment_right, .. } => {
            [jaccard, containment_left, containment_right]
        }
        _ => [f64::NAN; 3],
    }
}
