//! Exports all removals that match a filter: CSV or TSV for a spreadsheet, or JSON lines.

use std::io;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use futures_util::stream::try_unfold;
use lookalike::{Cell, Removal, Row, RowFormat, RowWriter, Sink};
use serde::{Deserialize, Serialize, Serializer};
use utoipa::ToSchema;

use super::with;
use crate::access::MayRead;
use crate::extract::{Path, Query};
use crate::problem::{Kind, Problem};
use crate::runs::filter::{AskedRows, Filter};
use crate::runs::starts::Starts;
use crate::runs::table::PlacedRemoval;
use crate::state::Shared;

/// The form of an export.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ExportFormat {
    /// With a header, for spreadsheets.
    #[default]
    Csv,
    /// The same, separated by tabs.
    Tsv,
    /// One object per line, as in `removed.jsonl`.
    Jsonl,
}

/// Requested rows, and their format.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Asked {
    #[serde(flatten)]
    rows: AskedRows,
    format: ExportFormat,
}

/// Number of rows written at once.
const AT_ONCE: usize = 1_000;

/// A removal with the first words of both documents. As an object it is the removal alone.
struct Exported<'a> {
    removal: &'a Removal,
    starts: [&'a str; 2],
}

/// The names of the first words, after all columns of a removal.
const STARTS: [&str; 2] = ["removed_start", "kept_start"];

impl Serialize for Exported<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.removal.serialize(serializer)
    }
}

impl Row for Exported<'_> {
    fn each_cell(&self, each: &mut dyn FnMut(Cell<'_>) -> io::Result<()>) -> io::Result<()> {
        self.removal.each_cell(each)?;
        self.starts.iter().try_for_each(|start| each(Cell::Text(start)))
    }
}

/// Exports all removals that match the filters, as a file.
#[utoipa::path(get, path = "/v1/results/{result}/export", operation_id = "export_removed", tag = "results",
    params(
        ("result" = String, Path, description = "The name of the result", example = "clean"),
        ("format" = Option<ExportFormat>, Query, description = "The format of the file. Default: CSV"),
        AskedRows,
    ),
    responses((status = 200, description = "The rows", body = String, content_type = "text/csv"), (status = 400, description = "A value is invalid"), (status = 404, description = "There is no such result")))]
pub(crate) async fn export(
    _may: MayRead,
    State(shared): State<Arc<Shared>>,
    Path(name): Path<String>,
    Query(Asked { rows, format }): Query<Asked>,
) -> Result<Response, Problem> {
    let filter = Arc::new(rows.check()?);
    // Report errors before anything is sent.
    let first = part(&shared, &name, &filter, format, 0).await?;
    let (kind, ending) = match format {
        ExportFormat::Csv => ("text/csv; charset=utf-8", "csv"),
        ExportFormat::Tsv => ("text/tab-separated-values; charset=utf-8", "tsv"),
        ExportFormat::Jsonl => ("application/x-ndjson", "jsonl"),
    };
    let headers = [
        (header::CONTENT_TYPE, kind.to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}-removed.{ending}\"")),
    ];
    let state = (shared, name, filter, Some(first), 0);
    let pieces = try_unfold(state, move |(shared, name, filter, ready, after)| async move {
        let (bytes, rows) = if let Some(ready) = ready {
            ready
        } else {
            let failed = |problem: Problem| io::Error::other(problem.detail().to_owned());
            part(&shared, &name, &filter, format, after).await.map_err(failed)?
        };
        if bytes.is_empty() {
            return Ok::<_, io::Error>(None);
        }
        // A header without rows is the end.
        Ok(Some((bytes, (shared, name, filter, None, after + rows.max(1)))))
    });
    Ok((headers, Body::from_stream(pieces)).into_response())
}

/// Some rows, written, and how many they are. The first part has the header.
async fn part(
    shared: &Arc<Shared>,
    name: &str,
    filter: &Arc<Filter>,
    format: ExportFormat,
    after: u64,
) -> Result<(Bytes, u64), Problem> {
    let filter = Arc::clone(filter);
    with(shared, name.to_owned(), move |open| {
        let rows = open.rows(&filter, after, AT_ONCE)?.rows;
        let starts = open.starts()?;
        let written = written(&rows, &starts, format, after == 0);
        let written = written.map_err(|error| Problem::logged(Kind::Internal, &error))?;
        Ok((Bytes::from(written), rows.len() as u64))
    })
    .await
}

fn written(rows: &[PlacedRemoval], starts: &Starts, format: ExportFormat, is_first: bool) -> io::Result<Vec<u8>> {
    let format = match format {
        ExportFormat::Csv => RowFormat::Csv,
        ExportFormat::Tsv => RowFormat::Tsv,
        ExportFormat::Jsonl => RowFormat::Jsonl,
    };
    let mut bytes = Vec::new();
    let sink: &mut dyn Sink<Exported<'_>> = &mut RowWriter::new(&mut bytes, format);
    if is_first {
        sink.start(&[&*Removal::columns_of(rows.first().map(|row| &row.removal)), &STARTS].concat())?;
    }
    let removals = rows.iter().map(|row| &row.removal);
    sink.take(removals.map(|removal| Exported { removal, starts: starts.of(removal) }).collect())?;
    Ok(bytes)
}
