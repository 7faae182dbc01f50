//! The layout of every page: header, navigation, and style.

use axum::response::{Html as Body, IntoResponse, Response};
use lookalike_page::{Html, html};

use super::assets::VERSION;

/// A page.
pub(super) struct Screen<'a> {
    /// Its title.
    pub(super) title: &'a str,
    /// Its section in the navigation.
    pub(super) current: Current,
    /// Its content.
    pub(super) body: Html,
}

/// The current section of the navigation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Current {
    Search,
    Compare,
    Results,
    Index,
    Nowhere,
}

const WAYS: [(Current, &str, &str); 4] = [
    (Current::Search, "/", "Search"),
    (Current::Compare, "/compare", "Compare"),
    (Current::Results, "/results", "Results"),
    (Current::Index, "/indexes", "Indexes"),
];

impl Screen<'_> {
    /// Wraps the content in a page.
    pub(super) fn page(self) -> Page {
        Page { title: self.title.to_owned(), current: self.current, body: self.body, again_in: None }
    }
}

/// A page to be rendered once the user is known: handlers create the content, and the layer above knows the user.
#[derive(Clone, Debug)]
pub(super) struct Page {
    title: String,
    current: Current,
    body: Html,
    /// Seconds until the page reloads itself.
    again_in: Option<u64>,
}

impl IntoResponse for Page {
    fn into_response(self) -> Response {
        let mut response = Response::default();
        response.extensions_mut().insert(self);
        response
    }
}

impl Page {
    /// Makes the page reload itself after some seconds, even without scripts.
    pub(super) fn again_in(self, seconds: u64) -> Self {
        Self { again_in: Some(seconds), ..self }
    }

    /// Renders the whole page; `owner` is the name of the key of the logged-in user.
    pub(super) fn show(&self, owner: Option<&str>) -> Body<String> {
        let way = |(current, address, name): &(Current, &str, &str)| {
            let is_here = Html::ours(if *current == self.current { " aria-current=\"page\"" } else { "" });
            html!("<li><a href=\"{}\"{}>{}</a></li>", *address, is_here, *name)
        };
        let ways: Html = WAYS.iter().map(way).collect();
        let leave = |owner: &str| {
            html!(
                "<form class=\"leave\" method=\"post\" action=\"/logout\"><span>Key: {}</span> <button>Log out</button></form>",
                owner
            )
        };
        let page = html!(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><meta name=\"color-scheme\" content=\"light dark\">{}\n<title>{} · lookalike</title><link rel=\"icon\" href=\"data:,\">\n<link rel=\"stylesheet\" href=\"/assets/style.css?v={}\">\n<script type=\"module\" src=\"/assets/page.js?v={}\"></script><script type=\"module\" src=\"/assets/screens.js?v={}\"></script></head>\n<body class=\"screen\"><a class=\"skip\" href=\"#main\">Skip to the content</a>\n<header class=\"top\"><a class=\"brand\" href=\"/\">look<i>alike</i></a><nav aria-label=\"Screens\"><ul>{}</ul></nav>{}</header>\n<main id=\"main\" tabindex=\"-1\">\n{}</main>\n</body></html>\n",
            self.again_in
                .map_or_else(Html::default, |seconds| html!("<meta http-equiv=\"refresh\" content=\"{}\">", seconds)),
            self.title,
            VERSION,
            VERSION,
            VERSION,
            ways,
            owner.map(leave).unwrap_or_default(),
            self.body
        );
        Body(page.to_string())
    }
}

/// Links between related pages, one of which is current.
pub(super) fn tabs(label: &str, tabs: &[(Html, &str, bool)]) -> Html {
    let tab = |(address, name, is_here): &(Html, &str, bool)| {
        let is_here = Html::ours(if *is_here { " aria-current=\"page\"" } else { "" });
        html!("<li><a href=\"{}\"{}>{}</a></li>", address, is_here, *name)
    };
    html!("<nav class=\"tabs\" aria-label=\"{}\"><ul>{}</ul></nav>\n", label, tabs.iter().map(tab).collect::<Html>())
}

/// Numbers with their names and meanings.
pub(super) fn facts(facts: &[(&str, String, String)]) -> Html {
    let fact = |(name, value, note): &(&str, String, String)| {
        html!("<div><dt>{}</dt><dd>{}<small>{}</small></dd></div>\n", *name, value, note)
    };
    html!("<dl class=\"facts\">{}</dl>\n", facts.iter().map(fact).collect::<Html>())
}

/// A share as a short bar; the number is beside it.
pub(super) fn share_line(share: f64) -> Html {
    let wide = (100.0 * share.clamp(0.0, 1.0)).round() as u32;
    html!(
        "<svg class=\"share\" viewBox=\"0 0 100 6\" preserveAspectRatio=\"none\" aria-hidden=\"true\"><rect class=\"alone\" width=\"100\" height=\"6\"/><rect class=\"full\" width=\"{}\" height=\"6\"/></svg>",
        wide
    )
}
