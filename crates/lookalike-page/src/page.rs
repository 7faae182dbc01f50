//! Sections to a page: one file with its style and its script in it, which asks nobody for anything.

use crate::chart;
use crate::html;
use crate::html::Html;

/// A page.
#[derive(Clone, Debug)]
pub struct Page {
    /// Its name.
    pub title: String,
    /// What stands before all sections.
    pub lead: Html,
    /// The sections, in order.
    pub sections: Vec<Section>,
}

/// A part of a page that has a name.
#[derive(Clone, Debug)]
pub struct Section {
    id: &'static str,
    title: String,
    body: Html,
}

impl Section {
    /// A section; `id` is its address in the page.
    pub fn new(id: &'static str, title: &str, body: Html) -> Self {
        Self { id, title: title.to_owned(), body }
    }
}

/// How large a page may be: larger ones are not opened by every browser, nor sent by mail.
pub const MOST_BYTES: usize = 2_000_000;

pub(crate) const STYLE: &str = include_str!("assets/style.css");
pub(crate) const COLORS: &str = include_str!("assets/colors.css");

/// The script of all pages, which nothing depends on: it sorts and filters tables, and steps through passages.
pub const SCRIPT: &str = include_str!("assets/script.js");

/// The hashes of both, which are all that the page lets a browser run. A test makes them.
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

/// What a part of a page may still take, so that the whole stays within [`MOST_BYTES`] whatever the input is.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    left: usize,
}

impl Budget {
    /// So many bytes.
    pub fn new(bytes: usize) -> Self {
        Self { left: bytes }
    }

    /// Takes room for this; says whether there was enough.
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
