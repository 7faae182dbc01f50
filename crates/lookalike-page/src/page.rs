//! Combines sections into a page: one file that includes its style and script, and makes no requests.

use crate::chart;
use crate::html;
use crate::html::Html;

/// A page.
#[derive(Clone, Debug)]
pub struct Page {
    /// Its title.
    pub title: String,
    /// Content before the sections.
    pub lead: Html,
    /// The sections, in order.
    pub sections: Vec<Section>,
}

/// A named section of a page.
#[derive(Clone, Debug)]
pub struct Section {
    id: &'static str,
    title: String,
    body: Html,
}

impl Section {
    /// Creates a section; `id` is its anchor in the page.
    pub fn new(id: &'static str, title: &str, body: Html) -> Self {
        Self { id, title: title.to_owned(), body }
    }
}

/// Maximum size of a page: larger ones cannot be opened by every browser, or sent by mail.
pub const MOST_BYTES: usize = 2_000_000;

pub(crate) const STYLE: &str = include_str!("assets/style.css");
pub(crate) const COLORS: &str = include_str!("assets/colors.css");

/// The script of all pages, which is optional: it sorts and filters tables, and steps through passages.
pub const SCRIPT: &str = include_str!("assets/script.js");

/// The hashes of both; a browser runs nothing else. A test computes them.
const STYLE_HASH: &str = "sha256-QjR45ZFtFsPHBgpi+YiW0mu9SEomdkRADRMRt/+Ml04=";
const SCRIPT_HASH: &str = "sha256-sFhwCDjS0xPVnLQQT+4QRGQSkA3JKnDg6eQCyN0v+fc=";

impl Page {
    /// The whole file.
    pub fn render(&self) -> String {
        let link = |section: &Section| html!("<li><a href=\"#{}\">{}</a></li>", section.id, section.title);
        let links: Html = self.sections.iter().map(link).collect();
        let section = |section: &Section| {
            let id = section.id;
            html!(
                "<section id=\"{}\" aria-labelledby=\"{}-h\">\n<h2 id=\"{}-h\">{}</h2>\n{}</section>\n",
                id,
                id,
                id,
                section.title,
                section.body
            )
        };
        let sections: Html = self.sections.iter().map(section).collect();
        html!(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src &#39;none&#39;; style-src &#39;{}&#39;; script-src &#39;{}&#39;; img-src data:; base-uri &#39;none&#39;; form-action &#39;none&#39;\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><meta name=\"color-scheme\" content=\"light dark\"><meta name=\"referrer\" content=\"no-referrer\">\n<title>{}</title><link rel=\"icon\" href=\"data:,\">\n<style>{}</style></head>\n<body><a class=\"skip\" href=\"#main\">Skip to the content</a>\n<nav aria-label=\"Sections\"><ol>{}</ol></nav>\n<main id=\"main\">\n<header>{}</header>\n{}</main>\n<script>{}</script>\n</body></html>\n",
            STYLE_HASH,
            SCRIPT_HASH,
            self.title,
            Html::ours(style()),
            links,
            self.lead,
            sections,
            Html::ours(SCRIPT)
        )
        .to_string()
    }
}

/// The style of all pages and charts.
pub fn style() -> String {
    [COLORS, STYLE, chart::STYLE].concat()
}

/// The bytes that parts of a page may still use, so that the whole stays within [`MOST_BYTES`].
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    left: usize,
}

impl Budget {
    /// Creates a budget of `bytes`.
    pub fn new(bytes: usize) -> Self {
        Self { left: bytes }
    }

    /// Uses part of the budget; returns false if there is not enough.
    pub fn take(&mut self, html: &Html) -> bool {
        let has_room = html.len() <= self.left;
        if has_room {
            self.left -= html.len();
        }
        has_room
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use sha2::{Digest, Sha256};

    use super::*;

    fn hash(of: &str) -> String {
        format!("sha256-{}", STANDARD.encode(Sha256::digest(of)))
    }

    #[test]
    fn the_hashes_are_those_of_the_style_and_the_script() {
        assert_eq!(STYLE_HASH, hash(&style()), "set STYLE_HASH to the second of both");
        assert_eq!(SCRIPT_HASH, hash(SCRIPT), "set SCRIPT_HASH to the second of both");
    }

    #[test]
    fn the_script_is_small_and_ends_nothing() {
        assert!(SCRIPT.len() <= 15_000, "{}", SCRIPT.len());
        assert!(!SCRIPT.contains("</") && !style().contains("</") && !style().contains("url("));
    }

    #[test]
    fn a_budget_ends() {
        let mut budget = Budget::new(5);
        assert!(budget.take(&Html::text("abc")));
        assert!(!budget.take(&Html::text("abc")));
        assert!(budget.take(&Html::text("ab")));
    }
}
