//! The page on which people label pairs of records, for this machine only.
//!
//! | request | answer |
//! | --- | --- |
//! | `GET /TOKEN/` | the page with the pair that is asked for |
//! | `POST /TOKEN/answer/N` | an answer to question N; when it is acknowledged with the next pair, it is on the disk |
//! | `POST /TOKEN/undo` | takes back the last answer |
//! | `POST /TOKEN/more` | asks on, though more labels change next to nothing |

use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use lookalike::{Answer, Review};
use lookalike_page::ReviewPage;
use serde::Deserialize;

pub use crate::local::Error;
use crate::local::{blocking, html_response, with_policy};

/// Label that a person gives to a pair.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Said {
    label: Answer,
}

/// Serves the page until `is_stopped` returns true. `ready` receives the address, which contains a secret.
///
/// # Errors
///
/// [`Error::NotLoopback`] if other machines could reach the address, and [`Error::CannotListen`] if it is not
/// available.
pub fn serve(
    review: Arc<Review>,
    address: SocketAddr,
    is_stopped: impl Fn() -> bool,
    ready: impl FnOnce(&str),
) -> Result<(), Error> {
    crate::local::serve("link review", |below| routes(below, review), address, is_stopped, ready)
}

fn routes(below: &str, review: Arc<Review>) -> Router {
    Router::new()
        .route(&format!("{below}/"), get(page))
        .route(&format!("{below}/answer/{{number}}"), post(answer))
        .route(&format!("{below}/undo"), post(undo))
        .route(&format!("{below}/more"), post(more))
        .with_state(review)
}

async fn page(State(review): State<Arc<Review>>) -> Response {
    with_policy(blocking(move || Ok(html_response(review.page()))).await, &ReviewPage::policy())
}

async fn answer(State(review): State<Arc<Review>>, Path(number): Path<u64>, Json(said): Json<Said>) -> Response {
    blocking(move || match review.answer(number, said.label) {
        Ok(state) => Ok(html_response(review.fragment(&state).to_string())),
        Err(error @ lookalike::Error::NotAsked { .. }) => Ok((StatusCode::CONFLICT, error.to_string()).into_response()),
        Err(error) => Err(error),
    })
    .await
}

async fn undo(State(review): State<Arc<Review>>) -> Response {
    blocking(move || Ok(html_response(review.fragment(&review.undo()?).to_string()))).await
}

async fn more(State(review): State<Arc<Review>>) -> Response {
    blocking(move || Ok(html_response(review.fragment(&review.ask_on()).to_string()))).await
}
