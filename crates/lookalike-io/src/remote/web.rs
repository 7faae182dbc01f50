//! Direct requests to a web server that `object_store` does not offer: one byte to learn the size, or everything in one
//! stream.
//!
//! A signed address is valid for GET only, so HEAD is never used; and a server may not report a size at all.

use http::{Method, StatusCode};
use object_store::client::{HttpClient, HttpErrorKind, HttpRequest, HttpRequestBody, HttpResponse};
use url::Url;

use super::patience::Patience;
use super::version::Version;
use crate::problem::Problem;

/// Properties of a file on a web server.
#[derive(Clone, Debug)]
pub(super) struct Probe {
    pub(super) version: Version,
    /// True if ranges are supported.
    pub(super) has_ranges: bool,
}

/// Requests the first byte, and reads the properties from the headers.
pub(super) async fn probe(client: &HttpClient, url: &Url, patience: Patience) -> Result<Probe, Problem> {
    let answer = send(client, url, Some("bytes=0-0"), patience).await?;
    let header = |name: &str| answer.headers().get(name).and_then(|value| value.to_str().ok());
    // `bytes 0-0/12`, or `bytes */0` of an empty file.
    let whole = header("content-range").and_then(|range| range.rsplit_once('/')?.1.trim().parse().ok());
    match answer.status() {
        StatusCode::PARTIAL_CONTENT => {
            Ok(Probe { version: Version::of_answer(answer.headers(), whole), has_ranges: whole.is_some() })
        }
        StatusCode::RANGE_NOT_SATISFIABLE if whole == Some(0) => {
            Ok(Probe { version: Version::of_answer(answer.headers(), whole), has_ranges: true })
        }
        StatusCode::OK => Ok(Probe { version: version(&answer), has_ranges: false }),
        status => Err(Problem::of_status(status.as_u16(), "")),
    }
}

/// The version in the response for a whole file.
pub(super) fn version(answer: &HttpResponse) -> Version {
    let length = answer.headers().get("content-length").and_then(|value| value.to_str().ok()?.parse().ok());
    Version::of_answer(answer.headers(), length)
}

/// Repeats a request until the response is final: success, or an error that will not change.
pub(super) async fn send(
    client: &HttpClient,
    url: &Url,
    range: Option<&str>,
    patience: Patience,
) -> Result<HttpResponse, Problem> {
    let start = std::time::Instant::now();
    let mut attempt = 0;
    loop {
        attempt += 1;
        let is_last = attempt > patience.tries || start.elapsed() > patience.in_all;
        match client.execute(request(url, range)?).await {
            Ok(answer) => {
                let status = answer.status().as_u16();
                if matches!(status, 200..=299 | 416) {
                    return Ok(answer);
                }
                if is_last || !matches!(status, 408 | 429 | 500..) {
                    let text = answer.into_body().bytes().await.unwrap_or_default();
                    return Err(Problem::of_status(status, &String::from_utf8_lossy(&text)));
                }
            }
            Err(error) if is_last || error.kind() == HttpErrorKind::Unknown => {
                return Err(Problem::of_connection(&error));
            }
            Err(_) => {}
        }
        tokio::time::sleep(patience.wait(attempt)).await;
    }
}

fn request(url: &Url, range: Option<&str>) -> Result<HttpRequest, Problem> {
    let mut request = http::Request::builder().method(Method::GET).uri(url.as_str());
    if let Some(range) = range {
        request = request.header("range", range);
    }
    request.body(HttpRequestBody::empty()).map_err(|error| Problem::Address { cause: error.to_string() })
}
