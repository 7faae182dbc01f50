//! Requests about the server itself: health, metrics, and the description of the API.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};

use crate::extract::Path;
use crate::names::shown;
use crate::problem::{Kind, Problem};
use crate::state::Shared;

/// Reports that the process is running.
#[utoipa::path(get, path = "/livez", tag = "server", responses((status = 200, description = "The process is running")))]
pub(crate) async fn livez() -> &'static str {
    "alive\n"
}

/// Reports whether the server accepts requests.
#[utoipa::path(get, path = "/readyz", tag = "server", responses(
    (status = 200, description = "The server accepts requests"),
    (status = 503, description = "Indexes are being opened, the server is shutting down, or an index accepts no more writes"),
    (status = 507, description = "The disk is nearly full"),
))]
pub(crate) async fn readyz(State(shared): State<Arc<Shared>>) -> Result<&'static str, Problem> {
    // This asks the file system for free space, which may block.
    let ready = tokio::task::spawn_blocking(move || shared.ready()).await;
    ready.unwrap_or_else(|_| Err(Problem::new(Kind::Internal, "it cannot be told")))?;
    Ok("ready\n")
}

/// Metrics in the text format of Prometheus.
#[utoipa::path(get, path = "/metrics", tag = "server", responses((status = 200, description = "Counters, in the text format of OpenMetrics")))]
pub(crate) async fn metrics(State(shared): State<Arc<Shared>>) -> Result<Response, Problem> {
    let text = tokio::task::spawn_blocking(move || shared.metrics_text()).await;
    let text = text.map_err(|_| Problem::new(Kind::Internal, "it cannot be counted"))?;
    Ok(([(header::CONTENT_TYPE, "application/openmetrics-text; version=1.0.0; charset=utf-8")], text).into_response())
}

/// This description.
#[utoipa::path(get, path = "/openapi.json", tag = "server", responses((status = 200, description = "This description")))]
pub(crate) async fn openapi() -> Response {
    ([(header::CONTENT_TYPE, "application/json")], super::openapi::openapi()).into_response()
}

/// All kinds of problems.
pub(crate) async fn problems() -> Json<Vec<String>> {
    Json(Kind::ALL.iter().map(|kind| format!("/problems/{}", kind.slug())).collect())
}

/// Explains a kind of problem.
pub(crate) async fn problem(Path(slug): Path<String>) -> Result<String, Problem> {
    let kind = Kind::ALL.iter().find(|kind| kind.slug() == slug);
    let missing = || Problem::new(Kind::NoSuchRoute, format!("there is no problem '{}'", shown(&slug)));
    let kind = kind.ok_or_else(missing)?;
    Ok(format!("{} ({})\n\n{}\n", kind.title(), kind.status(), kind.meaning()))
}
