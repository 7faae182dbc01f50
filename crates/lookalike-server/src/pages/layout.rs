//! What is around every screen: the head, the ways to the other screens, and the style.

use axum::response::{Html as Body, IntoResponse, Response};
use lookalike_page::{Html, html};

use super::assets::VERSION;

/// A screen.
pub(super) struct Screen<'a> {
    /// Its name, for the window.
    pub(super) title: &'a str,
    /// Where it belongs.
    pub(super) current: Current,
    /// What is on it.
    pub(super) body: Html,
}

/// Which of the ways leads to where one is.
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
    /// The page with this screen.
    pub(super) fn page(self) -> Page {
        Page { title: self.title.to_owned(), current: self.current, body: self.body, again_in: None }
    }
}

/// A screen that is shown when it is known for whom: a handler knows what is on it, and the layer above who asked.
#[derive(Clone, Debug)]
pub(super) struct Page {
    title: String,
    current: Current,
    body: Html,
    /// After how many seconds the page is loaded again.
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
    /// The same page, loaded again after some seconds, also without a script.
    pub(super) fn again_in(self, seconds: u64) -> Self {
        Self { again_in: Some(seconds), ..self }
    }

    /// The whole page; `owner` is the name of the key by which somebody is logged in.
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

/// Links between the screens of one thing, of which one is open.
pub(super) fn tabs(label: &str, tabs: &[(Html, &str, bool)]) -> Html {
    let tab = |(address, name, is_here): &(Html, &str, bool)| {
        let is_here = Html::ours(if *is_here { " aria-current=\"page\"" } else { "" });
        html!("<li><a href=\"{}\"{}>{}</a></li>", address, is_here, *name)
    };
    html!("<nav class=\"tabs\" aria-label=\"{}\"><ul>{}</ul></nav>\n", label, tabs.iter().map(tab).collect::<Html>())
}

/// Numbers with names, and what they mean.
pub(super) fn facts(facts: &[(&str, String, String)]) -> Html {
    let fact = |(name, value, note): &(&str, String, String)| {
        html!("<div><dt>{}</dt><dd>{}<small>{}</small></dd></div>\n", *name, value, note)
    };
    html!("<dl class=\"facts\">{}</dl>\n", facts.iter().map(fact).collect::<Html>())
}

/// How much of a whole, as a short line; the number stands beside it.
pub(super) fn share_line(share: f64) -> Html {
    let wide = (100.0 * share.clamp(0.0, 1.0)).round() as u32;
    html!(
        "<svg class=\"share\" viewBox=\"0 0 100 6\" preserveAspectRatio=\"none\" aria-hidden=\"true\"><rect class=\"alone\" width=\"100\" height=\"6\"/><rect class=\"full\" width=\"{}\" height=\"6\"/></svg>",
        wide
    )
}
