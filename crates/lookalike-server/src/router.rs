//! All routes, and the layers that every request passes through.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::extract::{MatchedPath, Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};

use crate::keys::Caller;
use crate::names::shown;
use crate::problem::{Kind, Problem};
use crate::state::Shared;
use crate::{api, pages, results};

/// Builds the router.
pub(crate) fn router(shared: &Arc<Shared>) -> Router {
    Router::new()
        .merge(api::routes())
        .merge(pages::routes())
        .merge(results::routes())
        .fallback(no_such_route)
        .method_not_allowed_fallback(not_allowed_here)
        // The last layer is the outermost: rejected requests are counted too.
        .layer(from_fn_with_state(Arc::clone(shared), refuse_strangers))
        .layer(from_fn_with_state(Arc::clone(shared), count_and_log))
        .layer(from_fn_with_state(Arc::clone(shared), identify))
        .layer(from_fn(harden))
        .with_state(Arc::clone(shared))
}

async fn no_such_route(request: Request) -> Problem {
    Problem::new(Kind::NoSuchRoute, format!("there is nothing at {}", shown(request.uri().path())))
}

async fn not_allowed_here(request: Request) -> Problem {
    let path = shown(request.uri().path());
    Problem::new(Kind::NotAllowedHere, format!("{path} does not know the method {}", request.method()))
}

/// Identifies the caller.
async fn identify(State(shared): State<Arc<Shared>>, mut request: Request, next: Next) -> Response {
    let caller = shared.keys.caller(request.headers());
    request.extensions_mut().insert(caller);
    next.run(request).await
}

/// Rejects requests that a browser sends for another site: with a host name that was pointed here, or from another
/// origin.
async fn refuse_strangers(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    match check_host(request.headers(), &shared.hosts) {
        Ok(()) => next.run(request).await,
        Err(problem) => problem.into_response(),
    }
}

fn check_host(headers: &HeaderMap, hosts: &[String]) -> Result<(), Problem> {
    let mut all = headers.get_all(header::HOST).iter();
    let (host, None) = (all.next(), all.next()) else {
        return Err(Problem::new(Kind::OtherHost, "there are two headers Host"));
    };
    // A host must not contain user information, which others could mistake for the host.
    let is_host = |authority: &Authority| !authority.as_str().contains('@');
    let authority = |value: &HeaderValue| value.to_str().ok()?.parse::<Authority>().ok().filter(is_host);
    let Some(host) = host.and_then(authority) else {
        return Err(Problem::new(Kind::OtherHost, "the header Host is missing, or is not a host"));
    };
    let name = host.host().trim_start_matches('[').trim_end_matches(']');
    // Unlike a name, an address cannot be pointed elsewhere.
    let is_own = name.parse::<IpAddr>().is_ok()
        || name.eq_ignore_ascii_case("localhost")
        || hosts.iter().any(|own| own.eq_ignore_ascii_case(name));
    if !is_own {
        let detail = format!("this server is not known as '{}'", shown(name));
        return Err(Problem::new(Kind::OtherHost, detail));
    }
    let Some(origin) = headers.get(header::ORIGIN) else { return Ok(()) };
    let is_same = origin.to_str().is_ok_and(|origin| {
        let origin = origin.strip_prefix("https://").or_else(|| origin.strip_prefix("http://"));
        origin.is_some_and(|origin| origin.eq_ignore_ascii_case(host.as_str()))
    });
    if is_same { Ok(()) } else { Err(Problem::new(Kind::OtherOrigin, "the header Origin names another site")) }
}

/// Counts a request and its duration, and logs it.
async fn count_and_log(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let start = Instant::now();
    let method = request.method().clone();
    let path = request.uri().path().to_owned();
    // By route and not by path, since there are as many paths as ids.
    let route = request.extensions().get::<MatchedPath>().map_or("-", MatchedPath::as_str).to_owned();
    let caller = request.extensions().get::<Caller>().map_or("-", Caller::name).to_owned();
    let _under_way = shared.metrics.begin();
    let response = next.run(request).await;
    let (status, seconds) = (response.status(), start.elapsed().as_secs_f64());
    shared.metrics.end(&method, &route, status, seconds);
    let problem = response.extensions().get::<Problem>().map(Problem::detail);
    let status = status.as_u16();
    if status >= 500 {
        tracing::error!(%method, path, status, seconds, key = caller, problem);
    } else if is_quiet(&method, &route) {
        tracing::debug!(%method, path, status, seconds, key = caller, problem);
    } else {
        tracing::info!(%method, path, status, seconds, key = caller, problem);
    }
    response
}

/// True for requests that monitoring sends every few seconds.
fn is_quiet(method: &Method, route: &str) -> bool {
    method == Method::GET && matches!(route, "/livez" | "/readyz" | "/metrics")
}

/// Adds security headers; the handler may have set stricter ones.
async fn harden(request: Request, next: Next) -> Response {
    const HEADERS: [(HeaderName, &str); 6] = [
        (
            header::CONTENT_SECURITY_POLICY,
            "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
        ),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (header::CACHE_CONTROL, "no-store"),
    ];
    let mut response = next.run(request).await;
    for (name, value) in HEADERS {
        response.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(host: &str, origin: Option<&str>) -> Result<(), Kind> {
        let mut headers = HeaderMap::from_iter([(header::HOST, host.parse().unwrap())]);
        if let Some(origin) = origin {
            headers.insert(header::ORIGIN, origin.parse().unwrap());
        }
        check_host(&headers, &["search.example.org".to_owned()]).map_err(|problem| problem.kind())
    }

    #[test]
    fn addresses_localhost_and_given_names_are_own_and_all_else_is_not() {
        let own =
            ["127.0.0.1:7811", "[::1]:7811", "[::1]", "localhost", "LOCALHOST:1", "10.0.0.7", "search.example.org:80"];
        own.into_iter().for_each(|host| assert_eq!(check(host, None), Ok(()), "{host}"));
        for other in [
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "",
            "a b",
            "user@evil.example",
            "evil@localhost",
            "evil.example@127.0.0.1:7811",
        ] {
            assert_eq!(check(other, None), Err(Kind::OtherHost), "{other}");
        }
        assert_eq!(check_host(&HeaderMap::new(), &[]).unwrap_err().kind(), Kind::OtherHost);
        let mut two = HeaderMap::from_iter([(header::HOST, HeaderValue::from_static("localhost"))]);
        two.append(header::HOST, HeaderValue::from_static("localhost"));
        assert_eq!(check_host(&two, &[]).unwrap_err().kind(), Kind::OtherHost);
    }

    #[test]
    fn a_page_of_another_site_cannot_send_anything() {
        assert_eq!(check("localhost:7811", Some("http://localhost:7811")), Ok(()));
        for other in ["http://evil.example", "null", "http://localhost:7812", "file://", "http://localhost"] {
            assert_eq!(check("localhost:7811", Some(other)), Err(Kind::OtherOrigin), "{other}");
        }
    }
}
