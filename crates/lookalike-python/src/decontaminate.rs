//! `decontaminate` on data of Python.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float64Array, LargeStringArray, UInt64Array};
use lookalike::{DecontaminateRequest, DecontaminateRows, HitRow, ItemRow};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::column::Column;
use crate::ids::Named;
use crate::input::Input;
use crate::job::Runner;
use crate::options::{options, refuse};
use crate::table::{Columns, table};

/// The hits and the items, the rows without an item as numbers and as flags, and the summary as JSON.
type Result = (Columns, Columns, Column, Column, String);

/// Looks for test items in data.
#[pyfunction]
#[pyo3(signature = (given, data, items, progress=None))]
pub(crate) fn decontaminate(
    py: Python<'_>,
    given: &Bound<'_, PyDict>,
    data: &Input,
    items: &Input,
    progress: Option<Py<PyAny>>,
) -> PyResult<Result> {
    let refuse = |refused| refuse(py, &refused);
    let mut request = DecontaminateRequest::from_options(options(given)?).map_err(refuse)?;
    data.read_by(&mut request.read);
    items.compared_by(&mut request.against, &mut request.against_in_memory);
    request.item_fields_in_input = Some(items.fields_in_input());
    let options = request.check().map_err(refuse)?;
    let (mut hits, mut rows): (Vec<HitRow>, Vec<ItemRow>) = (Vec::new(), Vec::new());
    let runner = Runner::new(options.resources(), progress);
    let summary = runner.run(py, |progress| {
        let rows = DecontaminateRows::default().hits(&mut hits).items(&mut rows);
        lookalike::decontaminate_into(&options, rows, progress)
    })?;
    let contaminated: BTreeSet<u64> =
        hits.iter().filter(|hit| !hit.common).map(|hit| hit.document_position - 1).collect();
    let mask: Vec<bool> = (0..data.row_count).map(|row| !contaminated.contains(&row)).collect();
    let kept: UInt64Array = (0..data.row_count).filter(|row| !contaminated.contains(row)).collect::<Vec<_>>().into();
    let summary = serde_json::to_string(&summary).expect("keys are strings");
    Ok((
        hit_table(&hits, data, items),
        item_table(&rows, items),
        Column::new(Arc::new(kept)),
        Column::new(Arc::new(BooleanArray::from(mask))),
        summary,
    ))
}

/// Returns the ids of rows by their positions; `None` if no column has ids.
fn ids<'a>(rows: impl Iterator<Item = (&'a str, u64)>, input: &Input) -> Option<ArrayRef> {
    let ids = input.ids.as_ref()?;
    Some(ids.of(rows.map(|(id, position)| Named { row: position - 1, text: input.own_id(id, position) })))
}

fn hit_table(hits: &[HitRow], data: &Input, items: &Input) -> Columns {
    let whole = |value: fn(&HitRow) -> u64| -> ArrayRef {
        Arc::new(hits.iter().map(|hit| Some(value(hit))).collect::<UInt64Array>())
    };
    let text = |value: fn(&HitRow) -> Option<String>| -> ArrayRef {
        Arc::new(hits.iter().map(value).collect::<LargeStringArray>())
    };
    let flag =
        |value: fn(&HitRow) -> Option<bool>| -> ArrayRef { Arc::new(hits.iter().map(value).collect::<BooleanArray>()) };
    let mut columns = vec![
        ("document_row", whole(|hit| hit.document_position - 1)),
        ("item_row", whole(|hit| hit.item_position - 1)),
    ];
    let documents = ids(hits.iter().map(|hit| (&*hit.document_id, hit.document_position)), data);
    columns.extend(documents.map(|ids| ("document_id", ids)));
    columns.extend(ids(hits.iter().map(|hit| (&*hit.item_id, hit.item_position)), items).map(|ids| ("item_id", ids)));
    columns.push(("fields", text(|hit| Some(hit.fields.join(",")))));
    columns.push(("coverage", Arc::new(hits.iter().map(|hit| Some(hit.coverage)).collect::<Float64Array>())));
    columns.push(("answer_near", flag(|hit| hit.answer_near)));
    columns.push(("common", flag(|hit| Some(hit.common))));
    columns.push(("common_because", text(|hit| hit.common_because.as_deref().map(str::to_owned))));
    columns.push(("start", whole(|hit| hit.start)));
    columns.push(("end", whole(|hit| hit.end)));
    columns.push(("quote", text(|hit| Some(hit.quote.clone()))));
    table(columns)
}

fn item_table(rows: &[ItemRow], items: &Input) -> Columns {
    let whole = |value: fn(&ItemRow) -> u64| -> ArrayRef {
        Arc::new(rows.iter().map(|row| Some(value(row))).collect::<UInt64Array>())
    };
    let mut columns = vec![("item_row", whole(|row| row.position - 1))];
    columns.extend(ids(rows.iter().map(|row| (&*row.item_id, row.position)), items).map(|ids| ("item_id", ids)));
    columns.push(("contaminated", Arc::new(rows.iter().map(|row| Some(row.contaminated)).collect::<BooleanArray>())));
    columns.push(("document_count", whole(|row| row.document_count)));
    columns.push(("common_document_count", whole(|row| row.common_document_count)));
    columns.push(("answered_document_count", whole(|row| row.answered_document_count)));
    columns.push(("coverage", Arc::new(rows.iter().map(|row| Some(row.coverage)).collect::<Float64Array>())));
    columns.push(("word_count", whole(|row| row.word_count)));
    let search = rows.iter().map(|row| Some(row.search.to_string())).collect::<LargeStringArray>();
    columns.push(("search", Arc::new(search)));
    table(columns)
}
