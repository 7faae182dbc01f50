//! The HTTP client of all stores: wraps the client of `object_store` with additional rules.
//!
//! It waits as long as a busy server requests; it gives up on a host that never answered, and on the search for
//! credentials outside a cloud, instead of retrying ten times; and it limits the length of error texts.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use futures_util::StreamExt;
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpResponseBody, HttpService,
    ReqwestConnector,
};

use super::cause::{NeverAnswered, NoOwnCredentials};

/// Maximum time without progress of a request. There is no limit on the total: a body may be large, and a connection
/// slow.
const STANDSTILL: Duration = Duration::from_mins(2);
/// Maximum time to connect.
const CONNECT: Duration = Duration::from_secs(10);
/// Maximum wait that a server may request.
const LONGEST_REQUESTED_WAIT: Duration = Duration::from_mins(1);
/// Number of attempts for a host that never answered: a wrong name does not become right.
const FIRST_CONNECTS: usize = 3;
/// Maximum length of an error text, and time to read it.
const ERROR_BYTES: usize = 64 << 10;
const ERROR_WAIT: Duration = Duration::from_secs(10);

/// Client options of all stores.
pub(super) fn options() -> ClientOptions {
    let agent = concat!("lookalike/", env!("CARGO_PKG_VERSION"));
    let options =
        ClientOptions::new().with_timeout_disabled().with_read_timeout(STANDSTILL).with_connect_timeout(CONNECT);
    options.with_user_agent(object_store::HeaderValue::from_static(agent))
}

/// Creates clients with these rules.
#[derive(Clone, Debug, Default)]
pub(super) struct Connector {
    /// Another host that provides credentials to a machine, from the settings.
    pub(super) metadata_endpoint: Option<String>,
    /// True if a refusal of that host is not final, but leads to the older protocol.
    pub(super) has_older_way: bool,
}

impl HttpConnector for Connector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        // The client uses the process's crypto provider. If the host program has installed one, that is used.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut credential_hosts = vec!["169.254.169.254".to_owned(), "metadata.google.internal".to_owned()];
        let given = self.metadata_endpoint.as_ref().and_then(|endpoint| endpoint.parse::<http::Uri>().ok());
        credential_hosts.extend(given.and_then(|uri| Some(uri.authority()?.to_string())));
        Ok(HttpClient::new(Polite {
            client: ReqwestConnector::default().connect(options)?,
            credential_hosts,
            has_older_way: self.has_older_way,
            has_answered: AtomicBool::new(false),
            failed_connects: AtomicUsize::new(0),
        }))
    }
}

/// Gives all stores the same client, so that they share its connections.
#[derive(Clone, Debug)]
pub(super) struct Shared(pub(super) HttpClient);

impl HttpConnector for Shared {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(self.0.clone())
    }
}

#[derive(Debug)]
struct Polite {
    client: HttpClient,
    credential_hosts: Vec<String>,
    has_older_way: bool,
    has_answered: AtomicBool,
    failed_connects: AtomicUsize,
}

#[async_trait]
impl HttpService for Polite {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let host = request.uri().authority().map(ToString::to_string).unwrap_or_default();
        let is_for_credentials = self.credential_hosts.contains(&host);
        match self.client.execute(request).await {
            // A refusal here is not from the store, and must not be reported as such.
            Ok(answer) if is_for_credentials && answer.status().is_client_error() && !self.has_older_way => {
                Err(no_credentials())
            }
            Err(_) if is_for_credentials => Err(no_credentials()),
            Ok(answer) => {
                self.has_answered.store(true, Ordering::Relaxed);
                wait_as_asked(&answer).await;
                Ok(if answer.status().is_success() { answer } else { shorten(answer).await })
            }
            Err(error) => Err(self.judge(error)),
        }
    }
}

impl Polite {
    /// Makes an error final if retrying is useless.
    fn judge(&self, error: HttpError) -> HttpError {
        let is_unreached = matches!(error.kind(), HttpErrorKind::Connect | HttpErrorKind::Timeout);
        if !is_unreached || self.has_answered.load(Ordering::Relaxed) {
            return error;
        }
        if self.failed_connects.fetch_add(1, Ordering::Relaxed) + 1 < FIRST_CONNECTS {
            return error;
        }
        let causes = std::iter::successors(std::error::Error::source(&error), |&cause| cause.source());
        let cause = causes.last().map_or_else(|| error.to_string(), ToString::to_string);
        // A kind that is never retried.
        HttpError::new(HttpErrorKind::Unknown, NeverAnswered(cause))
    }
}

fn no_credentials() -> HttpError {
    HttpError::new(HttpErrorKind::Unknown, NoOwnCredentials)
}

/// Waits as long as a busy server requests, before the response is passed on, since the receiver would retry sooner.
async fn wait_as_asked(answer: &HttpResponse) {
    if !matches!(answer.status().as_u16(), 429 | 503) {
        return;
    }
    let asked = answer.headers().get("retry-after").and_then(|value| value.to_str().ok()?.trim().parse().ok());
    if let Some(seconds) = asked {
        tokio::time::sleep(Duration::from_secs(seconds).min(LONGEST_REQUESTED_WAIT)).await;
    }
}

/// The response with the start of its text.
async fn shorten(answer: HttpResponse) -> HttpResponse {
    let (mut parts, body) = answer.into_parts();
    // "Not implemented" counts as temporary, and would be retried. "Not allowed" does not.
    if parts.status == http::StatusCode::NOT_IMPLEMENTED {
        parts.status = http::StatusCode::METHOD_NOT_ALLOWED;
    }
    let mut pieces = body.bytes_stream();
    let mut start: Vec<u8> = Vec::new();
    let reading = async {
        while let Some(Ok(piece)) = pieces.next().await {
            let room = ERROR_BYTES - start.len();
            start.extend_from_slice(&piece[..piece.len().min(room)]);
            if start.len() == ERROR_BYTES {
                break;
            }
        }
    };
    // The part received in time is enough.
    let _ = tokio::time::timeout(ERROR_WAIT, reading).await;
    HttpResponse::from_parts(parts, HttpResponseBody::from(String::from_utf8_lossy(&start).into_owned()))
}
