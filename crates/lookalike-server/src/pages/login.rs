//! Login for browsers: the key is kept in a cookie that scripts cannot read and that is not sent with requests of other
//! sites.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use lookalike_page::{Html, html};
use serde::Deserialize;

use super::layout::{Current, Screen};
use crate::attempts::Peer;
use crate::extract::Query;
use crate::form::{Fields, Form, Takes};
use crate::keys::{COOKIE, Caller};
use crate::problem::{Kind, Problem};
use crate::state::Shared;

/// The page to return to.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Asked {
    to: String,
}

/// Lifetime of the cookie: a working day.
const SECONDS: u32 = 12 * 60 * 60;

/// The form.
pub(super) async fn show(State(shared): State<Arc<Shared>>, Query(asked): Query<Asked>) -> Response {
    if !shared.keys.are_needed() {
        return Redirect::to("/").into_response();
    }
    form(&asked.to, None).into_response()
}

/// Accepts a key, and redirects if it is known.
pub(super) async fn enter(
    State(shared): State<Arc<Shared>>,
    Extension(Peer(client)): Extension<Peer>,
    form_sent: Form,
) -> Result<Response, Problem> {
    shared.attempts.check(client)?;
    let fields = Fields::read(form_sent, Takes::Words, &shared).await.inspect_err(|_| shared.attempts.count(client))?;
    let to = within(fields.text("to"));
    let key = fields.given("key").unwrap_or_default();
    let bearer = HeaderValue::from_str(&format!("Bearer {key}"))
        .map_err(|_| Problem::new(Kind::Malformed, "the key has letters that no key has"))?;
    let caller = shared.keys.caller(&HeaderMap::from_iter([(header::AUTHORIZATION, bearer)]));
    if !matches!(caller, Caller::Known { .. } | Caller::Anybody) {
        shared.attempts.count(client);
        return Ok((StatusCode::UNAUTHORIZED, form(to, Some("This key is not known. It may have been revoked.")))
            .into_response());
    }
    let cookie = format!("{COOKIE}={key}; Path=/; HttpOnly; SameSite=Strict; Max-Age={SECONDS}{}", secure(&shared));
    Ok(([(header::SET_COOKIE, cookie)], Redirect::to(to)).into_response())
}

/// Deletes the cookie.
pub(super) async fn leave(State(shared): State<Arc<Shared>>) -> Response {
    let cookie = format!("{COOKIE}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0{}", secure(&shared));
    ([(header::SET_COOKIE, cookie)], Redirect::to("/login")).into_response()
}

/// With HTTPS, the cookie is only sent over HTTPS.
fn secure(shared: &Shared) -> &'static str {
    if shared.is_secure { "; Secure" } else { "" }
}

/// A path on this server; anything else becomes the start page.
fn within(to: &str) -> &str {
    let is_within = to.starts_with('/') && !to.starts_with("//") && !to.contains(['\\', '\r', '\n', '\t', '\0']);
    if is_within && to.is_ascii() { to } else { "/" }
}

fn form(to: &str, wrong: Option<&str>) -> impl IntoResponse + use<> {
    let wrong = wrong.map_or(Html::default(), |wrong| html!("<p class=\"wrong\" role=\"alert\">{}</p>\n", wrong));
    let body = html!(
        "<h1>A key is needed</h1>\n<p class=\"lead\">This server is not open to everybody. Ask its owner for a key.</p>\n{}<form class=\"ask narrow\" method=\"post\" action=\"/login\" enctype=\"multipart/form-data\"><input name=\"name\" autocomplete=\"username\" value=\"lookalike\" hidden><label for=\"key\">Key</label><input id=\"key\" name=\"key\" type=\"password\" autocomplete=\"current-password\" required autofocus><input type=\"hidden\" name=\"to\" value=\"{}\"><p><button class=\"main\">Enter</button></p></form>\n",
        wrong,
        Html::exact(within(to))
    );
    Screen { title: "A key is needed", current: Current::Nowhere, body }.page()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_never_leads_to_another_site() {
        assert_eq!([within("/results/a?b=c"), within("/")], ["/results/a?b=c", "/"]);
        for other in ["", "https://evil.example", "//evil.example", "/\\evil.example", "/a\r\nSet-Cookie: x", "evil"] {
            assert_eq!(within(other), "/", "{other}");
        }
    }
}
