//! All removals that a filter takes, as a file: CSV for a spreadsheet, or JSON lines.

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use futures_util::stream::try_unfold;
use lookalike::Removal;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::with;
use crate::access::MayRead;
use crate::extract::{Path, Query};
use crate::problem::{Kind, Problem};
use crate::runs::filter::{AskedRows, Filter, Order, RemovalKind};
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
    /// One object per line, as in `removed.jsonl`.
    Jsonl,
}

/// The form that is asked for.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Asked {
    format: ExportFormat,
}

/// How many rows are written at once.
const AT_ONCE: usize = 1_000;

/// A row of a spreadsheet.
#[derive(Serialize)]
struct CsvRow<'a> {
    removed_id: &'a str,
    removed_start: &'a str,
    kept_id: &'a str,
    kept_start: &'a str,
    similarity: f64,
    jaccard: Option<f64>,
    containment_of_removed: Option<f64>,
    containment_of_kept: Option<f64>,
    exact_copy: bool,
    same_words: bool,
    cluster: u32,
    cluster_size: u32,
    removed_file: &'a str,
    removed_position: u64,
    kept_file: &'a str,
    kept_position: u64,
    removed_source: &'a str,
    kept_source: &'a str,
}

/// All removals that a filter takes, as a file.
#[utoipa::path(get, path = "/v1/results/{result}/export", operation_id = "export_removed", tag = "results",
    params(
        ("result" = String, Path, description = "The name of the result", example = "clean"),
        ("format" = Option<ExportFormat>, Query, description = "CSV unless JSON lines are asked for"),
        ("order" = Option<Order>, Query, description = "As the file has them unless another order is given"),
        ("band" = Option<String>, Query, description = "Only those of a band of similarity, by its lower end in percent: 80; or `copies`"),
        ("cluster" = Option<u32>, Query, description = "Only those of a cluster"),
        ("source" = Option<String>, Query, description = "Only those of a source"),
        ("kept_source" = Option<String>, Query, description = "Only those whose kept document is of a source"),
        ("similarity_from" = Option<f64>, Query, description = "Only those with this similarity or more"),
        ("similarity_to" = Option<f64>, Query, description = "Only those with this similarity or less"),
        ("kind" = Option<RemovalKind>, Query, description = "Only exact copies, those with the same words, or the others"),
        ("text" = Option<String>, Query, description = "Only those with this text in an id, a source, a file, an address or the first words"),
    ),
    responses((status = 200, description = "The rows", body = String, content_type = "text/csv"), (status = 400, description = "A value is impossible"), (status = 404, description = "There is no such result")))]
pub(crate) async fn export(
    _may: MayRead,
    State(shared): State<Arc<Shared>>,
    Path(name): Path<String>,
    Query(Asked { format }): Query<Asked>,
    Query(rows): Query<AskedRows>,
) -> Result<Response, Problem> {
    let filter = Arc::new(rows.check()?);
    // What is wrong is said before anything is sent.
    let first = part(&shared, &name, &filter, format, 0).await?;
    let (kind, ending) = match format {
        ExportFormat::Csv => ("text/csv; charset=utf-8", "csv"),
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
            let failed = |problem: Problem| std::io::Error::other(problem.detail().to_owned());
            part(&shared, &name, &filter, format, after).await.map_err(failed)?
        };
        if bytes.is_empty() {
            return Ok::<_, std::io::Error>(None);
        }
        // A header without rows is followed by nothing.
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
        let written = written.map_err(|error| Problem::new(Kind::Internal, error.to_string()))?;
        Ok((Bytes::from(written), rows.len() as u64))
    })
    .await
}

fn written(rows: &[PlacedRemoval], starts: &Starts, format: ExportFormat, is_first: bool) -> std::io::Result<Vec<u8>> {
    if format == ExportFormat::Jsonl {
        let mut bytes = Vec::new();
        for PlacedRemoval { removal, .. } in rows {
            serde_json::to_writer(&mut bytes, removal)?;
            bytes.push(b'\n');
        }
        return Ok(bytes);
    }
    let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
    if is_first {
        writer.write_record(HEADER)?;
    }
    for PlacedRemoval { removal, .. } in rows {
        writer.serialize(row(removal, starts.of(removal)))?;
    }
    writer.into_inner().map_err(csv::IntoInnerError::into_error)
}

/// The columns, which are those of [`CsvRow`].
const HEADER: [&str; 18] = [
    "removed_id",
    "removed_start",
    "kept_id",
    "kept_start",
    "similarity",
    "jaccard",
    "containment_of_removed",
    "containment_of_kept",
    "exact_copy",
    "same_words",
    "cluster",
    "cluster_size",
    "removed_file",
    "removed_position",
    "kept_file",
    "kept_position",
    "removed_source",
    "kept_source",
];

fn row<'a>(removal: &'a Removal, [removed_start, kept_start]: [&'a str; 2]) -> CsvRow<'a> {
    CsvRow {
        removed_id: &removal.removed_id,
        removed_start,
        kept_id: &removal.kept_id,
        kept_start,
        similarity: removal.similarity,
        jaccard: removal.jaccard,
        containment_of_removed: removal.containment_of_removed,
        containment_of_kept: removal.containment_of_kept,
        exact_copy: removal.exact_copy,
        same_words: removal.same_words,
        cluster: removal.cluster,
        cluster_size: removal.cluster_size,
        removed_file: &removal.removed_file,
        removed_position: removal.removed_position,
        kept_file: &removal.kept_file,
        kept_position: removal.kept_position,
        removed_source: &removal.removed_source,
        kept_source: &removal.kept_source,
    }
}
