//! The style and scripts of all pages, compiled into the program.

use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::http::header;
use axum::response::IntoResponse;
use axum::routing::get;

use crate::state::Shared;

/// The style of reports, plus the style of the service's pages.
static STYLE: LazyLock<String> = LazyLock::new(|| lookalike_page::style() + include_str!("assets/screens.css"));
const SCRIPT: &str = include_str!("assets/screens.js");

/// Changes with the version, so that browsers do not use outdated files.
pub(super) const VERSION: &str = env!("CARGO_PKG_VERSION");

pub(super) fn routes() -> Router<Arc<Shared>> {
    Router::new()
        .route("/assets/style.css", get(async || asset("text/css; charset=utf-8", &STYLE)))
        .route("/assets/page.js", get(async || asset("text/javascript; charset=utf-8", lookalike_page::SCRIPT)))
        .route("/assets/screens.js", get(async || asset("text/javascript; charset=utf-8", SCRIPT)))
}

fn asset(kind: &'static str, text: &'static str) -> impl IntoResponse {
    ([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "private, max-age=600")], text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_small_and_nothing_is_loaded_from_elsewhere() {
        let bytes = SCRIPT.len() + lookalike_page::SCRIPT.len();
        assert!(bytes < 15_000, "{bytes}");
        assert!(!STYLE.contains("url(") && !STYLE.contains("@import") && !SCRIPT.contains("://"));
    }
}
