//! `pairs` on data of Python.

use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, StringArray, UInt32Array, UInt64Array};
use lookalike::{PairRow, PairsRequest};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::input::{Input, columns_of};
use crate::job::Runner;
use crate::options::{options, refuse};
use crate::table::{self, table};

/// All pairs: a table, the length of each row as the keep order compares it (none where that is not known), and a report.
#[pyfunction]
#[pyo3(signature = (given, data, reference=None, progress=None))]
pub(crate) fn pairs(
    py: Python<'_>,
    given: &Bound<'_, PyDict>,
    data: &Input,
    reference: Option<&Input>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(table::Columns, Option<Lengths>, String)> {
    let refuse = |refused| refuse(py, &refused);
    let mut request = PairsRequest::from_options(options(given)?).map_err(refuse)?;
    let columns = columns_of(&request.read, None, None);
    data.read_by(&mut request.read, &columns);
    if let Some(reference) = reference {
        reference.compared_by(&mut request.against, &mut request.against_in_memory);
    }
    let options = request.check().map_err(refuse)?;
    let longest = options.read().settings().longest;
    let mut rows: Vec<PairRow> = Vec::new();
    let runner = Runner::new(options.resources(), progress);
    let report = runner.run(py, |progress| lookalike::pairs_into(&options, &mut rows, progress))?;
    let lengths = data.document_rows(longest).map(|documents| {
        let mut lengths = vec![0; data.row_count as usize];
        documents.iter().zip(&report.lengths).for_each(|(row, length)| lengths[*row as usize] = *length);
        Lengths { lengths }
    });
    let report = serde_json::to_string(&report).expect("keys are strings");
    Ok((pair_table(&rows, columns.id.is_some()), lengths, report))
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
    let real =
        |value: fn(&PairRow) -> Option<f64>| -> ArrayRef { Arc::new(rows.iter().map(value).collect::<Float64Array>()) };
    columns.push(("similarity", real(|pair| Some(pair.similarity))));
    if rows.first().is_some_and(|pair| pair.hamming.is_some()) {
        columns.push(("hamming", Arc::new(rows.iter().map(|pair| pair.hamming).collect::<UInt32Array>())));
    } else {
        columns.push(("jaccard", real(|pair| pair.jaccard)));
        columns.push(("containment_of_left", real(|pair| pair.containment_of_left)));
        columns.push(("containment_of_right", real(|pair| pair.containment_of_right)));
    }
    table(columns)
}
