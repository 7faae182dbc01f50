//! `splits` on several tables of Python.

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float64Array, StringArray, UInt64Array};
use lookalike::{Leak, SplitsRequest};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::input::Input;
use crate::job::Runner;
use crate::options::{options, refuse};
use crate::spool::cannot_spool;
use crate::table::{self, table};

/// Returns the leaks between splits, and a report as JSON. Splits are given by name, training data first.
#[pyfunction]
#[pyo3(signature = (given, splits, progress=None))]
pub(crate) fn splits(
    py: Python<'_>,
    given: &Bound<'_, PyDict>,
    splits: Vec<(String, Py<Input>)>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(table::Columns, String)> {
    let refuse = |refused| refuse(py, &refused);
    let mut request = SplitsRequest::from_options(options(given)?).map_err(refuse)?;
    // Files are read before tables, so a table before a file is copied to one.
    let last_file = splits.iter().rposition(|(_, data)| data.get().is_spooled()).unwrap_or(0);
    let mut copies = Vec::new();
    for (at, (_, data)) in splits.iter().enumerate() {
        let data = data.get();
        if at < last_file && !data.is_spooled() {
            let copy = py.detach(|| data.copy(request.work.work.clone()));
            let copy = copy.map_err(|cause| cannot_spool(py, &cause.to_string()))?;
            request.read.inputs.push(copy.path().to_owned());
            copies.push(copy);
        } else {
            data.read_by(&mut request.read);
        }
    }
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
