//! The API routes.

mod compare;
mod documents;
mod indexes;
mod maintenance;
pub(crate) mod openapi;

mod search;
mod search_lines;
mod system;

use std::sync::Arc;

use axum::Router;
use axum::routing::{delete, get, post, put};

use crate::state::Shared;

pub(crate) use self::indexes::make_index;

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
            // This is also the path of the document with this id.
            post(documents::delete_many).get(documents::show).delete(documents::delete),
        )
        .route("/v1/indexes/{index}/documents/{id}", delete(documents::delete).get(documents::show))
        .route("/v1/indexes/{index}/search", post(search::search))
        .route("/v1/compare", post(compare::compare))
        .route("/v1/indexes/{index}/compact", post(maintenance::compact))
        .route("/v1/indexes/{index}/snapshots", post(maintenance::snapshot))
        .route("/v1/indexes/{index}/verify", post(maintenance::verify))
        .route("/v1/tasks", get(maintenance::tasks))
        .route("/v1/tasks/{task}", get(maintenance::task))
}

/// Reads bytes that may be anything as the body of every route: for the fuzzer.
pub fn check_body(bytes: &[u8]) {
    documents::check_body(bytes);
    search::check_body(bytes);
    let _ = crate::body::parse::<compare::CompareRequest>(bytes);
    let _ = crate::body::parse::<documents::DeleteRequest>(bytes);
    let _ = crate::body::parse::<maintenance::CompactRequest>(bytes);
    let _ = crate::body::parse::<maintenance::SnapshotRequest>(bytes);
    let _ = indexes::create_options(bytes);
}
