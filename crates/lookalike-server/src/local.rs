//! Pages for the people at this machine only, at an address that contains a secret: the audit and the review.
//!
//! The token is generated for each run and known only to those who see the address: other users of the machine, and
//! pages of other sites in the same browser, have no access.

use std::hash::{BuildHasher, RandomState};
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::middleware::map_response;
use axum::response::{IntoResponse, Response};
use tokio::net::TcpListener;
use tokio::task::spawn_blocking;

/// Reason why the page cannot be served.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An address that other machines can reach.
    #[error("{address} can be reached from other machines, and the page shows documents: listen on 127.0.0.1 or [::1]")]
    NotLoopback {
        /// The address.
        address: SocketAddr,
    },

    /// An address that is not available.
    #[error("cannot listen on {address}: {cause}; give another port, or 0 for any that is free")]
    CannotListen {
        /// The address.
        address: SocketAddr,
        /// The error of the system.
        cause: io::Error,
    },
}

/// Time for pending requests after the service was asked to stop.
const GRACE: Duration = Duration::from_millis(300);

/// Interval at which the service checks whether to stop.
const LOOK: Duration = Duration::from_millis(50);

/// Maximum size of a request: an answer with a note is a few hundred bytes.
const MOST_BYTES: usize = 1 << 16;

/// Serves routes below an address with a secret until `is_stopped` returns true. `routes` receives the secret as the start
/// of all paths, and `ready` the address. `command` is what printed it.
///
/// # Errors
///
/// [`Error::NotLoopback`] if other machines could reach the address, and [`Error::CannotListen`] if it is not
/// available.
pub(crate) fn serve(
    command: &'static str,
    routes: impl FnOnce(&str) -> Router,
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
        let app = guarded(routes(&format!("/{token}")), command);
        let server = axum::serve(listener, app).with_graceful_shutdown(async {
            // Also if the sender is gone.
            let _ = stopped.await;
        });
        let server = tokio::spawn(server.into_future());
        ready(&format!("http://{bound}/{token}/"));
        while !is_stopped() && !server.is_finished() {
            tokio::time::sleep(LOOK).await;
        }
        let _ = stop.send(());
        // Anything not answered by then was not acknowledged.
        let _ = tokio::time::timeout(GRACE, server).await;
        Ok(())
    })
}

/// 128 random bits: two hashes with keys drawn by the system.
fn token() -> String {
    let random = RandomState::new();
    format!("{:016x}{:016x}", random.hash_one(1), random.hash_one(2))
}

fn guarded(routes: Router, command: &'static str) -> Router {
    let nothing = move || async move {
        let text = format!("There is nothing here. Open the whole address that lookalike {command} printed.\n");
        (StatusCode::NOT_FOUND, text).into_response()
    };
    routes.fallback(nothing).layer(DefaultBodyLimit::max(MOST_BYTES)).layer(map_response(with_headers))
}

/// A page with its content security policy.
pub(crate) fn with_policy(mut response: Response, policy: &str) -> Response {
    if let Ok(policy) = HeaderValue::from_str(&format!("{policy}; frame-ancestors 'none'")) {
        response.headers_mut().insert(CONTENT_SECURITY_POLICY, policy);
    }
    response
}

pub(crate) fn html_response(html: String) -> Response {
    ([(CONTENT_TYPE, "text/html; charset=utf-8")], html).into_response()
}

/// Runs blocking work outside the async runtime.
pub(crate) async fn blocking(work: impl FnOnce() -> lookalike::Result<Response> + Send + 'static) -> Response {
    match spawn_blocking(work).await {
        Ok(Ok(response)) => response,
        Ok(Err(error)) => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
    }
}

/// Adds headers: responses are not cached, embedded or executed; the page itself allows its own scripts.
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
