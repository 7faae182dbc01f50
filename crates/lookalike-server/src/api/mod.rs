//! The routes that programs call.

use std::sync::Arc;

use axum::Router;
use axum::routing::get;

use crate::state::Shared;

/// All routes for programs.
pub(crate) fn routes() -> Router<Arc<Shared>> {
    Router::new().route("/livez", get(|| async { "alive\n" }))
}
