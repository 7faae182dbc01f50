//! The pages for people, rendered on the server; they work without scripts.
//!
//! | screen | file |
//! | --- | --- |
//! | Search | `search.rs`, and `hits.rs` and `file_hits.rs` for the results |
//! | Compare | `compare.rs`, and `measures.rs` for the meaning of the numbers |
//! | Result, Clusters, Sources | `result.rs` for the run as a whole, `removals.rs` for its rows, `pair.rs` for one of them |
//! | Records | `records.rs`, and `explanation.rs` for the reason of a match |
//! | Start | `start.rs`: deduplicate a file, create an index, try an example |
//! | Index | `index.rs`, and `change.rs` for adding and deleting |
//!
//! A handler returns a [`Problem`] on errors, like the API; [`as_page`] converts it to a page, or asks for a key. It
//! also adds the common parts of every page, such as the logged-in user.

mod address;
mod assets;
mod change;
mod compare;
mod explanation;
mod file_hits;
mod hits;
mod index;
mod layout;
mod login;
mod measures;
mod pair;
mod records;
mod removals;
mod result;
mod search;
mod start;

use std::sync::Arc;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use lookalike_page::html;

use self::layout::{Current, Page, Screen};
use crate::keys::Caller;
use crate::problem::{Kind, Problem};
use crate::state::Shared;

/// The routes of all pages.
pub(crate) fn routes() -> Router<Arc<Shared>> {
    Router::new()
        .route("/", get(search::show).post(search::find))
        .route("/matches", post(search::matches))
        .route("/compare", get(compare::show).post(compare::texts))
        .route("/results", get(result::list).post(start::dedup))
        .route("/results/example", get(result::show_example).post(start::dedup_example))
        .route("/results/{result}", get(result::show))
        .route("/results/{result}/delete", get(start::ask_delete).post(start::delete))
        .route("/results/{result}/removed", get(removals::list))
        .route("/results/{result}/pair", get(pair::show))
        .route("/results/{result}/label", post(pair::label))
        .route("/results/{result}/clusters", get(removals::clusters))
        .route("/results/{result}/clusters/{cluster}", get(removals::cluster))
        .route("/results/{result}/sources", get(result::sources))
        .route("/indexes", get(index::list).post(start::new_index))
        .route("/indexes/example", get(index::show_example).post(start::index_example))
        .route("/indexes/{index}", get(index::show))
        .route("/indexes/{index}/document", get(index::document))
        .route("/indexes/{index}/add", post(change::add))
        .route("/indexes/{index}/delete", get(change::ask_delete).post(change::delete))
        .route("/indexes/{index}/restore", post(change::restore))
        .route("/login", get(login::show).post(login::enter))
        .route("/logout", post(login::leave))
        // Bodies are read in pieces, which are limited where they are read.
        .layer(DefaultBodyLimit::disable())
        .layer(from_fn(as_page))
        .merge(assets::routes())
}

/// Content security policy: only resources of this server.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
);

/// Rejects forms of other sites, converts problems to pages, and asks for a key if one is missing.
async fn as_page(request: Request, next: Next) -> Response {
    let (method, address) = (request.method().clone(), request.uri().clone());
    let is_own = is_own_form(&method, request.headers());
    let caller = request.extensions().get::<Caller>().cloned();
    let mut response = if is_own { next.run(request).await } else { other_site().into_response() };
    if let Some(problem) = response.extensions().get::<Problem>().cloned() {
        response = match problem.kind() {
            Kind::KeyMissing | Kind::KeyUnknown => {
                // The text of a submitted form is lost in any case: open the page again.
                let back =
                    if method == Method::GET { address.path_and_query().map_or("/", |to| to.as_str()) } else { "/" };
                let to = format!("/login?to={}", address::part(back));
                Redirect::to(&to).into_response()
            }
            kind => problem_page(kind.status(), kind.title(), problem.detail()),
        };
        response.extensions_mut().insert(problem);
    }
    if let Some(page) = response.extensions_mut().remove::<Page>() {
        let owner = caller.as_ref().and_then(Caller::owner);
        let (parts, _) = response.into_parts();
        let (of_page, body) = page.show(owner).into_response().into_parts();
        response = Response::from_parts(parts, body);
        response.headers_mut().extend(of_page.headers);
    }
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, POLICY);
    // Without any referrer, a browser would not send the origin of a form.
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    response
}

/// True if a form was sent by a page of this server, according to the browser. Other clients have no cookie that could
/// be misused.
fn is_own_form(method: &Method, headers: &HeaderMap) -> bool {
    let site = headers.get("sec-fetch-site").and_then(|site| site.to_str().ok());
    *method != Method::POST || matches!(site, None | Some("same-origin" | "none"))
}

fn other_site() -> Problem {
    Problem::new(Kind::OtherOrigin, "the form was sent by a page of another site")
}

fn problem_page(status: StatusCode, title: &str, detail: &str) -> Response {
    let body = html!(
        "<h1>{}</h1>\n<p class=\"lead\">{}</p>\n<p><a href=\"/\">Back to the start</a></p>\n",
        title,
        first_upper(detail)
    );
    (status, Screen { title, current: Current::Nowhere, body }.page()).into_response()
}

/// Capitalizes a sentence and ends it with a full stop.
fn first_upper(sentence: &str) -> String {
    let mut letters = sentence.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    let stop = if sentence.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{first}{}{stop}", letters.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_of_another_site_is_refused() {
        let from = |site: &'static str| {
            HeaderMap::from_iter([("sec-fetch-site".parse().unwrap(), HeaderValue::from_static(site))])
        };
        assert!(is_own_form(&Method::POST, &from("same-origin")) && is_own_form(&Method::POST, &HeaderMap::new()));
        assert!(!is_own_form(&Method::POST, &from("cross-site")) && !is_own_form(&Method::POST, &from("same-site")));
        // A link on another site may lead here.
        assert!(is_own_form(&Method::GET, &from("cross-site")));
    }

    #[test]
    fn a_detail_becomes_a_sentence() {
        assert_eq!(first_upper("there is no index 'a'"), "There is no index 'a'.");
        assert_eq!(first_upper(""), ".");
    }
}
