//! The screens that people look at.

use std::sync::Arc;

use axum::Router;

use crate::state::Shared;

/// The routes of all screens.
pub(crate) fn routes() -> Router<Arc<Shared>> {
    Router::new()
}
