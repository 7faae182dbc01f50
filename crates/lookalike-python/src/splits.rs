//! `splits` on several tables of Python.

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float64Array, StringArray, UInt64Array};
use lookalike::{Leak, SplitsRequest};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::input::Input;
use crate::job::Runner;
use crate::options::{options, refuse};
use crate::table::{self, table};

/// Returns the leaks between splits, and a report as JSON. Splits are given by name; those in files come first.
#[pyfunction]
#[pyo3(signature = (given, splits, progress=None))]
pub(crate) fn splits(
    py: Python<'_>,
    given: &Bound<'_, PyDict>,
    splits: Vec<(String, PyRef<'_, Input>)>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(table::Columns, String)> {
    let refuse = |refused| refuse(py, &refused);
    let mut request = SplitsRequest::from_options(options(given)?).map_err(refuse)?;
    splits.iter().for_each(|(_, data)| data.read_by(&mut request.read));
    request.names = splits.into_iter().map(|(name, _)| name).collect();
    let options = request.check().map_err(refuse)?;
    let mut leaks: Vec<Leak> = Vec::new();
    let report = Runner::new(options.resources(), progress)
        .run(py, |progress| lookalike::splits_into(&options, &mut leaks, progress))?;
    let report = serde_json::to_string(&report).expect("keys are strings");
    Ok((leak_table(&leaks), report))
}

fn leak_table(leaks: &[Leak]) -> table::Columns {
    let text =
        |value: fn(&Leak) -> &str| -> ArrayRef { Arc::new(StringArray::from_iter_values(leaks.iter().map(value))) };
    let row = |position: fn(&Leak) -> u64| -> ArrayRef {
        Arc::new(UInt64Array::from_iter_values(leaks.iter().map(|leak| position(leak) - 1)))
    };
    table(vec![
        ("split", text(|leak| &leak.split)),
        ("row", row(|leak| leak.position)),
        ("other_split", text(|leak| &leak.other_split)),
        ("other_row", row(|leak| leak.other_position)),
        ("similarity", Arc::new(leaks.iter().map(|leak| Some(leak.similarity)).collect::<Float64Array>())),
        ("same_words", Arc::new(leaks.iter().map(|leak| Some(leak.same_words)).collect::<BooleanArray>())),
    ])
}
