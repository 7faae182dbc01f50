//! The routes that programs call.

mod compare;
mod documents;
mod extract;
mod indexes;
pub(crate) mod openapi;
mod search;
mod search_lines;
mod system;
mod upkeep;

use std::sync::Arc;

use axum::Router;
use axum::routing::{delete, get, post, put};

pub(crate) use self::extract::{Path, Query};
use crate::state::Shared;

/// All routes for programs.
pub(crate) fn routes() -> Router<Arc<Shared>> {
    Router::new()
        .route("/livez", get(system::livez))
        .route("/readyz", get(system::readyz))
        .route("/metrics", get(system::metrics))
        .route("/openapi.json", get(system::openapi))
        .route("/problems", get(system::problems))
        .route("/problems/{slug}", get(system::problem))
        .route("/v1/indexes", get(indexes::list))
        .route("/v1/indexes/{index}", put(indexes::create).get(indexes::show).delete(indexes::delete))
        .route("/v1/indexes/{index}/documents", post(documents::add).get(documents::list))
        .route(
            "/v1/indexes/{index}/documents/delete",
            // Also the path of the document with this id.
            post(documents::delete_many).get(documents::show).delete(documents::delete),
        )
        .route("/v1/indexes/{index}/documents/{id}", delete(documents::delete).get(documents::show))
        .route("/v1/indexes/{index}/search", post(search::search))
        .route("/v1/compare", post(compare::compare))
        .route("/v1/indexes/{index}/compact", post(upkeep::compact))
        .route("/v1/indexes/{index}/snapshots", post(upkeep::snapshot))
        .route("/v1/indexes/{index}/verify", post(upkeep::verify))
        .route("/v1/tasks", get(upkeep::tasks))
        .route("/v1/tasks/{task}", get(upkeep::task))
}

/// Reads bytes that may be anything as the body of every route: for the fuzzer.
pub fn check_body(bytes: &[u8]) {
    documents::check_body(bytes);
    search::check_body(bytes);
    let _ = crate::body::parse::<compare::CompareRequest>(bytes);
    let _ = crate::body::parse::<documents::DeleteRequest>(bytes);
    let _ = crate::body::parse::<upkeep::CompactRequest>(bytes);
    let _ = crate::body::parse::<upkeep::SnapshotRequest>(bytes);
    if let Ok(request) = crate::body::parse::<indexes::CreateRequest>(bytes) {
        let _ = request.options();
    }
}
