//! The page on which people label a sample of removals, for this machine only.
//!
//! | request | answer |
//! | --- | --- |
//! | `GET /TOKEN/` | the page |
//! | `GET /TOKEN/pair/N` | both texts of a pair, side by side |
//! | `POST /TOKEN/label/N` | an answer; when it is acknowledged, it is on the disk |
//! | `GET /TOKEN/result` | the table by all labels so far |

use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use lookalike::{Audit, Said, Silent};
use lookalike_page::{LabelPage, html};

pub use crate::local::Error;
use crate::local::{blocking, html_response, with_policy};

/// Serves the page until `is_stopped` returns true. `ready` receives the address, which contains a secret.
///
/// # Errors
///
/// [`Error::NotLoopback`] if other machines could reach the address, and [`Error::CannotListen`] if it is not
/// available.
pub fn serve(
    audit: Audit,
    address: SocketAddr,
    is_stopped: impl Fn() -> bool,
    ready: impl FnOnce(&str),
) -> Result<(), Error> {
    let audit = Arc::new(audit);
    crate::local::serve("audit", |below| routes(below, audit), address, is_stopped, ready)
}

fn routes(below: &str, audit: Arc<Audit>) -> Router {
    Router::new()
        .route(&format!("{below}/"), get(page))
        .route(&format!("{below}/pair/{{number}}"), get(pair))
        .route(&format!("{below}/label/{{number}}"), post(label))
        .route(&format!("{below}/result"), get(result))
        .with_state(audit)
}

async fn page(State(audit): State<Arc<Audit>>) -> Response {
    with_policy(blocking(move || Ok(html_response(audit.page()?))).await, &LabelPage::served_policy())
}

async fn pair(State(audit): State<Arc<Audit>>, Path(number): Path<usize>) -> Response {
    blocking(move || {
        let pair = audit.side_by_side(number);
        Ok(pair.map_or_else(|| StatusCode::NOT_FOUND.into_response(), |pair| html_response(pair.to_string())))
    })
    .await
}

async fn label(State(audit): State<Arc<Audit>>, Path(number): Path<usize>, Json(said): Json<Said>) -> Response {
    if number >= audit.len() {
        return StatusCode::NOT_FOUND.into_response();
    }
    blocking(move || {
        audit.label(number, said)?;
        Ok(StatusCode::NO_CONTENT.into_response())
    })
    .await
}

async fn result(State(audit): State<Arc<Audit>>) -> Response {
    blocking(move || {
        let section = match audit.result(&Silent) {
            Ok(result) => result.to_html(),
            Err(lookalike::Error::NoLabels { .. }) => html!("<p>{}</p>", "No pair is labeled yet."),
            Err(error) => return Err(error),
        };
        Ok(html_response(html!("<h2>Precision by labels</h2>\n{}", section).to_string()))
    })
    .await
}
