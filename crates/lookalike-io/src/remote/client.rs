//! The HTTP client under all stores: requests of `object_store` in, answers out, with manners that it does not have.
//!
//! It waits as long as a busy server asks to; it gives up on a host that never answered, and on the search for credentials
//! outside of a cloud, instead of asking ten times; and it reads no error text without end.

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

/// How long a request may stand still. Not how long it may take: a body may be large, and a line slow.
const STANDSTILL: Duration = Duration::from_secs(120);
/// How long it may take to connect.
const CONNECT: Duration = Duration::from_secs(10);
/// How long a server may ask us to wait.
const LONGEST_REQUESTED_WAIT: Duration = Duration::from_secs(60);
/// How often a host is tried that never answered: a wrong name does not become right.
const FIRST_CONNECTS: usize = 3;
/// How much of an error's text is read, and for how long.
const ERROR_BYTES: usize = 64 << 10;
const ERROR_WAIT: Duration = Duration::from_secs(10);

/// What all stores set for their client.
pub(super) fn options() -> ClientOptions {
    let agent = concat!("lookalike/", env!("CARGO_PKG_VERSION"));
    let options =
        ClientOptions::new().with_timeout_disabled().with_read_timeout(STANDSTILL).with_connect_timeout(CONNECT);
    options.with_user_agent(object_store::HeaderValue::from_static(agent))
}

/// Makes clients with manners.
#[derive(Clone, Debug, Default)]
pub(super) struct Connector {
    /// Another host that gives a machine its credentials, from the settings.
    pub(super) metadata_endpoint: Option<String>,
    /// Whether a refusal of that host is not its last word, but leads to the older way of asking.
    pub(super) has_older_way: bool,
}

impl HttpConnector for Connector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        // The client takes the process's provider of encryption. If the program around us chose one, that is as good.
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

/// Gives all stores the one client, so that they share its connections.
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
            // A refusal here is not the store's, and must not be told as if it were.
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
    /// Makes an error final when the host is not worth asking again.
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
        // A kind that is never tried again.
        HttpError::new(HttpErrorKind::Unknown, NeverAnswered(cause))
    }
}

fn no_credentials() -> HttpError {
    HttpError::new(HttpErrorKind::Unknown, NoOwnCredentials)
}

/// Waits for as long as a busy server asks to. Before the answer is passed on, for who gets it would come back sooner.
async fn wait_as_asked(answer: &HttpResponse) {
    if !matches!(answer.status().as_u16(), 429 | 503) {
        return;
    }
    let asked = answer.headers().get("retry-after").and_then(|value| value.to_str().ok()?.trim().parse().ok());
    if let Some(seconds) = asked {
        tokio::time::sleep(Duration::from_secs(seconds).min(LONGEST_REQUESTED_WAIT)).await;
    }
}

/// The answer with the start of its text, as text.
async fn shorten(answer: HttpResponse) -> HttpResponse {
    let (mut parts, body) = answer.into_parts();
    // "Not implemented" counts as a fault of the moment, and would be asked for again. "Not allowed" does not.
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
    // What came in time is enough to tell.
    let _ = tokio::time::timeout(ERROR_WAIT, reading).await;
    HttpResponse::from_parts(parts, HttpResponseBody::from(String::from_utf8_lossy(&start).into_owned()))
}
