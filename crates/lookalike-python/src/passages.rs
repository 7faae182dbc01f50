//! `passages` on data of Python.

use std::sync::Arc;

use arrow_array::{ArrayRef, UInt64Array};
use lookalike::{Husk, PassageRows, PassagesRequest, RepeatedPassage};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::ids::Named;
use crate::input::Input;
use crate::job::Runner;
use crate::options::{options, refuse};
use crate::table::{self, table};

/// Repeated passages by row, husks by row, and a summary as JSON.
#[pyfunction]
#[pyo3(signature = (given, data, progress=None))]
pub(crate) fn passages(
    py: Python<'_>,
    given: &Bound<'_, PyDict>,
    data: &Input,
    progress: Option<Py<PyAny>>,
) -> PyResult<(table::Columns, table::Columns, String)> {
    let refuse = |refused| refuse(py, &refused);
    let mut request = PassagesRequest::from_options(options(given)?).map_err(refuse)?;
    data.read_by(&mut request.read);
    let options = request.check().map_err(refuse)?;
    let (mut found, mut husks): (Vec<RepeatedPassage>, Vec<Husk>) = (Vec::new(), Vec::new());
    let summary = Runner::new(options.resources(), progress).run(py, |progress| {
        lookalike::passages_into(&options, PassageRows::default().passages(&mut found).husks(&mut husks), progress)
    })?;
    let summary = serde_json::to_string(&summary).expect("keys are strings");
    Ok((passage_table(&found, data), husk_table(&husks), summary))
}

fn passage_table(found: &[RepeatedPassage], data: &Input) -> table::Columns {
    let whole = |value: fn(&RepeatedPassage) -> u64| -> ArrayRef {
        Arc::new(UInt64Array::from_iter_values(found.iter().map(value)))
    };
    let mut columns: Vec<(&str, ArrayRef)> = vec![
        ("row", whole(|passage| passage.position - 1)),
        ("start", whole(|passage| passage.start)),
        ("end", whole(|passage| passage.end)),
        ("first_row", whole(|passage| passage.first_position - 1)),
        ("first_start", whole(|passage| passage.first_start)),
        ("copies", whole(|passage| passage.copies)),
    ];
    if let Some(ids) = &data.ids {
        let named = |id, position: u64| Named { row: position - 1, text: data.own_id(id, position) };
        columns.push(("id", ids.of(found.iter().map(|its| named(&*its.document_id, its.position)))));
        columns.push(("first_id", ids.of(found.iter().map(|its| named(&*its.first_document_id, its.first_position)))));
    }
    table(columns)
}

fn husk_table(husks: &[Husk]) -> table::Columns {
    let whole =
        |value: fn(&Husk) -> u64| -> ArrayRef { Arc::new(UInt64Array::from_iter_values(husks.iter().map(value))) };
    table(vec![
        ("row", whole(|husk| husk.position - 1)),
        ("word_count", whole(|husk| husk.word_count)),
        ("cut_bytes", whole(|husk| husk.cut_bytes)),
    ])
}
