//! Results of `dedup` and `link`: `/v1/results…`. They can be read in pages, downloaded, created from uploads, and
//! deleted.

pub(crate) mod export;
pub(crate) mod files;
pub(crate) mod make;

use std::sync::Arc;

use axum::extract::{DefaultBodyLimit, State};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use lookalike::{Removal, Source, SourceFlow, is_link_result};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::access::MayRead;
use crate::extract::{Path, Query};
use crate::problem::{Kind, Problem};
use crate::runs::filter::AskedRows;
use crate::runs::opened::{OpenResult, unreadable};
use crate::runs::store::StoredResult;
use crate::runs::table::PlacedRemoval;
use crate::state::Shared;

/// The routes of results.
pub(crate) fn routes() -> Router<Arc<Shared>> {
    Router::new()
        .route("/v1/results", get(list).post(make::make))
        .route("/v1/results/{result}", get(summary).delete(make::delete))
        .route("/v1/results/{result}/export", get(export::export))
        .route("/v1/results/{result}/files", get(files::list))
        .route("/v1/results/{result}/files/{*file}", get(files::download))
        .route("/v1/results/{result}/clusters", get(clusters))
        .route("/v1/results/{result}/removed", get(removed))
        .route("/v1/results/{result}/sources", get(sources))
        // A form is read in pieces, which are limited where they are read.
        .layer(DefaultBodyLimit::disable())
}

/// Lists the results of the server.
#[derive(Serialize, ToSchema)]
pub(crate) struct Listed {
    /// By name.
    results: Vec<ListedResult>,
}

/// A result by name.
#[derive(Serialize, ToSchema)]
pub(crate) struct ListedResult {
    /// Its name.
    name: String,
    /// The job that made the result: `dedup` or `link`.
    kind: &'static str,
    /// True if the result was created by this server, and can be deleted.
    can_be_deleted: bool,
}

/// Requested part of a list.
#[derive(Clone, Copy, Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct Part {
    /// Start of the page: `next` of the previous page.
    #[serde(default)]
    after: u64,
    /// Number of rows per page, at most 1,000. Default: 100.
    #[serde(default = "usual_limit")]
    limit: usize,
}

/// Requested removals, and the part of them to return.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RemovedParameters {
    #[serde(flatten)]
    rows: AskedRows,
    #[serde(default)]
    after: u64,
    #[serde(default = "usual_limit")]
    limit: usize,
}

/// Some rows of a list, and how to go on.
#[derive(Serialize, ToSchema)]
pub(crate) struct Removed {
    /// Number of all rows.
    count: u64,
    /// The rows of this page.
    #[schema(value_type = Vec<Object>)]
    removed: Vec<Removal>,
    /// Start of the next page; null on the last page.
    next: Option<u64>,
}

/// Some clusters, and how to go on.
#[derive(Serialize, ToSchema)]
pub(crate) struct Clusters {
    /// Number of all clusters.
    count: u64,
    /// The rows of this page.
    clusters: Vec<Cluster>,
    /// Start of the next page; null on the last page.
    next: Option<u64>,
}

/// A cluster: its kept document, and how many were removed for it.
#[derive(Serialize, ToSchema)]
pub(crate) struct Cluster {
    /// Its number.
    cluster: u32,
    /// The document that is kept.
    kept_id: String,
    /// Number of documents that were removed for it.
    removed_count: u64,
}

/// Sources, and the removals between the largest of them.
#[derive(Serialize, ToSchema)]
pub(crate) struct Sources {
    /// Documents and removals by source, as `summary.json` has them.
    #[schema(value_type = Vec<Object>)]
    sources: Vec<Source>,
    /// Number of sources that are not listed.
    more_source_count: u64,
    /// Number of documents of one source (`removed_source`) that were removed for documents of another (`kept_source`).
    #[schema(value_type = Vec<Object>)]
    flows: Vec<SourceFlow>,
}

/// Default and maximum number of rows to return.
const USUAL_LIMIT: usize = 100;
const MOST: usize = 1_000;

/// Maximum number of sources with flows between them.
const FLOW_SOURCES: usize = 100;

fn usual_limit() -> usize {
    USUAL_LIMIT
}

/// Lists the results of the server.
#[utoipa::path(get, path = "/v1/results", operation_id = "list_results", tag = "results",
    responses((status = 200, description = "Names and kinds", body = Listed)))]
pub(crate) async fn list(_may: MayRead, State(shared): State<Arc<Shared>>) -> Json<Listed> {
    let kind = |folder: &std::path::Path| if is_link_result(folder) { "link" } else { "dedup" };
    let result = |(name, stored): (String, StoredResult)| ListedResult {
        name,
        kind: kind(&stored.folder),
        can_be_deleted: stored.is_own,
    };
    Json(Listed { results: shared.results.all().into_iter().map(result).collect() })
}

/// Returns the summary of a run (`summary.json`).
#[utoipa::path(get, path = "/v1/results/{result}", operation_id = "show_result", tag = "results",
    params(
        ("result" = String, Path, description = "The name of the result", example = "clean"),
    ),
    responses((status = 200, description = "The summary", body = Object), (status = 404, description = "There is no such result")))]
pub(crate) async fn summary(
    _may: MayRead,
    State(shared): State<Arc<Shared>>,
    Path(name): Path<String>,
) -> Result<Response, Problem> {
    let summary = with(&shared, name, |open| Ok(open.run.summary().clone())).await?;
    Ok(Json(summary).into_response())
}

/// Lists clusters with at least one removed document, largest first.
#[utoipa::path(get, path = "/v1/results/{result}/clusters", operation_id = "list_clusters", tag = "results",
    params(
        ("result" = String, Path, description = "The name of the result", example = "clean"),
        Part,
    ),
    responses((status = 200, description = "Some clusters", body = Clusters), (status = 404, description = "There is no such result")))]
pub(crate) async fn clusters(
    _may: MayRead,
    State(shared): State<Arc<Shared>>,
    Path(name): Path<String>,
    Query(part): Query<Part>,
) -> Result<Response, Problem> {
    let limit = checked(part.limit)?;
    let clusters = with(&shared, name, move |open| {
        let table = open.table()?;
        let found = table.clusters(part.after, limit).map_err(|error| unreadable(&error))?;
        let cluster = |(cluster, removed_count, first): (u32, u64, PlacedRemoval)| Cluster {
            cluster,
            kept_id: first.removal.kept_id,
            removed_count,
        };
        let clusters: Vec<Cluster> = found.into_iter().map(cluster).collect();
        let next = next(part.after, clusters.len(), table.cluster_count());
        Ok(Clusters { count: table.cluster_count(), clusters, next })
    });
    Ok(Json(clusters.await?).into_response())
}

/// Lists removed documents, each with the document kept in its place.
#[utoipa::path(get, path = "/v1/results/{result}/removed", operation_id = "list_removed", tag = "results",
    params(
        ("result" = String, Path, description = "The name of the result", example = "clean"),
        AskedRows, Part,
    ),
    responses((status = 200, description = "Some rows of `removed.jsonl`", body = Removed), (status = 400, description = "A value is invalid"), (status = 404, description = "There is no such result")))]
pub(crate) async fn removed(
    _may: MayRead,
    State(shared): State<Arc<Shared>>,
    Path(name): Path<String>,
    Query(parameters): Query<RemovedParameters>,
) -> Result<Response, Problem> {
    let (filter, limit) = (parameters.rows.check()?, checked(parameters.limit)?);
    let removed = with(&shared, name, move |open| {
        let found = open.rows(&filter, parameters.after, limit)?;
        let removed: Vec<Removal> = found.rows.into_iter().map(|row| row.removal).collect();
        let next = next(parameters.after, removed.len(), found.count);
        Ok(Removed { count: found.count, removed, next })
    });
    Ok(Json(removed.await?).into_response())
}

/// Losses of each source, and the sources in favor of which they occurred.
#[utoipa::path(get, path = "/v1/results/{result}/sources", operation_id = "list_sources", tag = "results",
    params(
        ("result" = String, Path, description = "The name of the result", example = "clean"),
    ),
    responses((status = 200, description = "Sources, and the removals between the largest of them", body = Sources), (status = 404, description = "There is no such result")))]
pub(crate) async fn sources(
    _may: MayRead,
    State(shared): State<Arc<Shared>>,
    Path(name): Path<String>,
) -> Result<Response, Problem> {
    let sources = with(&shared, name, |open| {
        let summary = open.run.summary();
        let (sources, more_source_count) = (summary.sources.clone(), summary.more_source_count);
        Ok(Sources { sources, more_source_count, flows: open.run.flows(FLOW_SOURCES)? })
    });
    Ok(Json(sources.await?).into_response())
}

/// Does something with a result, where that may wait for the disk.
pub(crate) async fn with<T: Send + 'static>(
    shared: &Arc<Shared>,
    name: String,
    job: impl FnOnce(&OpenResult) -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let of_job = Arc::clone(shared);
    shared.work.search(move || job(&*of_job.opened.open(&name, &of_job.result(&name)?)?)).await
}

fn checked(limit: usize) -> Result<usize, Problem> {
    let wrong = || Problem::new(Kind::Malformed, format!("limit: {limit} is not between 1 and {MOST}"));
    (1..=MOST).contains(&limit).then_some(limit).ok_or_else(wrong)
}

fn next(after: u64, given: usize, count: u64) -> Option<u64> {
    let next = after.saturating_add(given as u64);
    (given > 0 && next < count).then_some(next)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_goes_on_until_its_end() {
        assert_eq!((next(0, 10, 25), next(20, 5, 25), next(30, 0, 25)), (Some(10), None, None));
    }
}
