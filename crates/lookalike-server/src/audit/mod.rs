//! The page on which people judge a sample of removals, on this machine alone.
//!
//! | request | answer |
//! | --- | --- |
//! | `GET /TOKEN/` | the page |
//! | `GET /TOKEN/pair/N` | both texts of a pair, side by side |
//! | `POST /TOKEN/label/N` | an answer; when it is acknowledged, it is on the disk |
//! | `GET /TOKEN/result` | the table by all labels so far |
//!
//! The token is drawn anew each time and known to nobody but who is told the address: other users of the machine, and
//! pages of other sites in the same browser, get nothing.

use std::hash::{BuildHasher, RandomState};
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::middleware::map_response;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use lookalike::{Audit, Said, Silent};
use lookalike_page::{LabelPage, html};
use tokio::net::TcpListener;
use tokio::task::spawn_blocking;

/// Why pairs cannot be shown to a browser.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An address that other machines can reach.
    #[error("{address} can be reached from other machines, and the page shows documents: listen on 127.0.0.1 or [::1]")]
    NotLoopback {
        /// The address.
        address: SocketAddr,
    },

    /// An address that cannot be listened on.
    #[error("cannot listen on {address}: {cause}; give another port, or 0 for any that is free")]
    CannotListen {
        /// The address.
        address: SocketAddr,
        /// What the system says.
        cause: io::Error,
    },
}

/// How long requests have to end after the service was asked to stop.
const GRACE: Duration = Duration::from_millis(300);

/// How often the service looks whether it should stop.
const LOOK: Duration = Duration::from_millis(50);

/// An answer with a note is a few hundred bytes.
const MOST_BYTES: usize = 1 << 16;

/// Serves the page until `is_stopped` says so. `ready` is told the address, which has the token in it.
///
/// # Errors
///
/// [`Error::NotLoopback`] when other machines could reach the address, and [`Error::CannotListen`] when it is taken.
pub fn serve(
    audit: Audit,
    address: SocketAddr,
    is_stopped: impl Fn() -> bool,
    ready: impl FnOnce(&str),
) -> Result<(), Error> {
    if !address.ip().is_loopback() {
        return Err(Error::NotLoopback { address });
    }
    let cannot = |cause| Error::CannotListen { address, cause };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().map_err(cannot)?;
    runtime.block_on(async {
        let listener = TcpListener::bind(address).await.map_err(cannot)?;
        let token = token();
        let bound = listener.local_addr().map_err(cannot)?;
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let app = router(Arc::new(audit), &token);
        let server = axum::serve(listener, app).with_graceful_shutdown(async {
            // Also when nobody can ask any more.
            let _ = stopped.await;
        });
        let server = tokio::spawn(server.into_future());
        ready(&format!("http://{bound}/{token}/"));
        while !is_stopped() && !server.is_finished() {
            tokio::time::sleep(LOOK).await;
        }
        let _ = stop.send(());
        // What is not answered by then was not acknowledged.
        let _ = tokio::time::timeout(GRACE, server).await;
        Ok(())
    })
}

/// 128 bits that nobody can guess: two hashes by keys that the system draws.
fn token() -> String {
    let random = RandomState::new();
    format!("{:016x}{:016x}", random.hash_one(1), random.hash_one(2))
}

fn router(audit: Arc<Audit>, token: &str) -> Router {
    Router::new()
        .route(&format!("/{token}/"), get(page))
        .route(&format!("/{token}/pair/{{number}}"), get(pair))
        .route(&format!("/{token}/label/{{number}}"), post(label))
        .route(&format!("/{token}/result"), get(result))
        .fallback(nothing)
        .layer(DefaultBodyLimit::max(MOST_BYTES))
        .layer(map_response(with_headers))
        .with_state(audit)
}

async fn nothing() -> Response {
    (StatusCode::NOT_FOUND, "There is nothing here. Open the whole address that lookalike audit printed.\n")
        .into_response()
}

async fn page(State(audit): State<Arc<Audit>>) -> Response {
    let policy = format!("{}; frame-ancestors 'none'", LabelPage::served_policy());
    let mut response = blocking(move || Ok(html_response(audit.page()?))).await;
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        response.headers_mut().insert(CONTENT_SECURITY_POLICY, policy);
    }
    response
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

fn html_response(html: String) -> Response {
    ([(CONTENT_TYPE, "text/html; charset=utf-8")], html).into_response()
}

/// Runs what reads, writes or takes long beside the service.
async fn blocking(work: impl FnOnce() -> lookalike::Result<Response> + Send + 'static) -> Response {
    match spawn_blocking(work).await {
        Ok(Ok(response)) => response,
        Ok(Err(error)) => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
    }
}

/// Nothing is kept by browsers, shown in other pages, or run: only the page says what else it allows.
async fn with_headers(mut response: Response) -> Response {
    const POLICY: &str = "default-src 'none'; frame-ancestors 'none'";
    let headers: [(HeaderName, &'static str); 5] = [
        (CACHE_CONTROL, "no-store"),
        (CONTENT_SECURITY_POLICY, POLICY),
        (REFERRER_POLICY, "no-referrer"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (X_FRAME_OPTIONS, "DENY"),
    ];
    for (name, value) in headers {
        response.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}
