//! `pairs` on data of Python.

use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, UInt32Array, UInt64Array, new_null_array};
use lookalike::{PairRow, PairsRequest};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::column::Column;
use crate::ids::Named;
use crate::input::Input;
use crate::job::Runner;
use crate::options::{options, refuse};
use crate::table::{self, table};

/// Returns all pairs: a table, the length of each row as the keep order compares it (`None` if unknown), and a report.
#[pyfunction]
#[pyo3(signature = (given, data, reference=None, progress=None))]
pub(crate) fn pairs(
    py: Python<'_>,
    given: &Bound<'_, PyDict>,
    data: &Input,
    reference: Option<&Input>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(table::Columns, Option<Column>, String)> {
    let refuse = |refused| refuse(py, &refused);
    let mut request = PairsRequest::from_options(options(given)?).map_err(refuse)?;
    data.read_by(&mut request.read);
    if let Some(reference) = reference {
        reference.compared_by(&mut request.against, &mut request.against_in_memory);
    }
    // A source is always a column here, also one that is called host.
    request.ignoring.source = request.ignoring.source.map(|column| format!("field:{column}"));
    let options = request.check().map_err(refuse)?;
    let longest = options.read().settings().longest;
    let mut rows: Vec<PairRow> = Vec::new();
    let runner = Runner::new(options.resources(), progress);
    let report = runner.run(py, |progress| lookalike::pairs_into(&options, &mut rows, progress))?;
    let lengths = data.document_rows(longest).map(|documents| {
        let mut lengths = vec![0; data.row_count as usize];
        documents.iter().zip(&report.lengths).for_each(|(row, length)| lengths[*row as usize] = *length);
        Column::new(Arc::new(UInt32Array::from(lengths)))
    });
    let report = serde_json::to_string(&report).expect("keys are strings");
    Ok((pair_table(&rows, data, reference.unwrap_or(data)), lengths, report))
}

/// Pairs of a row of `left` and a row of `right`, which may be the same table.
fn pair_table(rows: &[PairRow], left: &Input, right: &Input) -> table::Columns {
    let row = |position: fn(&PairRow) -> u64| -> ArrayRef {
        Arc::new(rows.iter().map(|pair| position(pair).checked_sub(1)).collect::<UInt64Array>())
    };
    let mut columns: Vec<(&str, ArrayRef)> =
        vec![("left_row", row(|pair| pair.left_position)), ("right_row", row(|pair| pair.right_position))];
    if let Some(ids) = &left.ids {
        let named = |table: &Input, id, position: u64| Named { row: position - 1, text: table.own_id(id, position) };
        columns.push(("left_id", ids.of(rows.iter().map(|pair| named(left, &*pair.left_id, pair.left_position)))));
        let of_right = right.ids.as_ref().map_or_else(
            || new_null_array(ids.kind(), rows.len()),
            |ids| ids.of(rows.iter().map(|pair| named(right, &*pair.right_id, pair.right_position))),
        );
        columns.push(("right_id", of_right));
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
    if rows.first().is_some_and(|pair| pair.ignored_of_left.is_some()) {
        columns.push(("ignored_of_left", real(|pair| pair.ignored_of_left)));
        columns.push(("ignored_of_right", real(|pair| pair.ignored_of_right)));
    }
    table(columns)
}
