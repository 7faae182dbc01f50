//! The page for labeling pairs of records, one at a time: which pair is next depends on the answers.

use crate::html;
use crate::html::Html;
use crate::label::{LABEL_STYLE_HASH, label_style};

/// A page for labeling records.
#[derive(Clone, Debug)]
pub struct ReviewPage {
    /// The first pair: an element with the id `pair`, as each answer brings another.
    pub first: Html,
}

const SCRIPT: &str = include_str!("assets/review.js");

/// Its hash; a browser runs nothing else. A test computes it.
const SCRIPT_HASH: &str = "sha256-Fp6iQI/I7pBMlL8hOOGUOQGD3qS4cEvcHsAMLC0X/cw=";

/// Answers after which a review can end.
const LEAST_ANSWERS: u32 = 20;

impl ReviewPage {
    /// Content security policy of the page.
    pub fn policy() -> String {
        format!(
            "default-src 'none'; style-src '{LABEL_STYLE_HASH}'; script-src '{SCRIPT_HASH}'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'"
        )
    }

    /// The whole page.
    pub fn render(&self) -> String {
        html!(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><meta name=\"color-scheme\" content=\"light dark\"><meta name=\"referrer\" content=\"no-referrer\">\n<title>Are these two the same?</title><link rel=\"icon\" href=\"data:,\">\n<style>{}</style></head>\n<body class=\"label\"><header class=\"bar\"><a class=\"skip\" href=\"#answers\">Skip to the answers</a><h1>Are these two the same?</h1><p id=\"count\"></p><progress id=\"done\" max=\"{}\" value=\"0\" aria-label=\"Answers\"></progress><p id=\"status\" class=\"unseen\" role=\"status\"></p></header>\n<main id=\"main\"><p id=\"alarm\" role=\"alert\" hidden></p><div id=\"place\">{}</div><noscript><p>This page needs JavaScript to take your answers.</p></noscript></main>\n{}<script>{}</script>\n</body></html>\n",
            Self::policy(),
            Html::ours(label_style()),
            LEAST_ANSWERS,
            self.first,
            Html::ours(FOOTER),
            Html::ours(SCRIPT)
        )
        .to_string()
    }
}

/// The footer below the pair, always visible.
const FOOTER: &str = concat!(
    "<footer id=\"answers\"><div class=\"answers\" role=\"group\" aria-label=\"Your answer\">",
    "<button type=\"button\" data-key=\"s\"><kbd>s</kbd> Same<small>one person, place or thing</small></button>",
    "<button type=\"button\" data-key=\"d\"><kbd>d</kbd> Different<small>two, however alike</small></button>",
    "<button type=\"button\" data-key=\"u\"><kbd>u</kbd> Cannot tell<small>nothing is learned from it</small></button></div>\n",
    "<div class=\"moves\"><button type=\"button\" data-key=\"z\"><kbd>z</kbd> Undo</button>",
    "<button type=\"button\" id=\"more\" data-key=\"m\" hidden><kbd>m</kbd> Ask for more</button>",
    "<details id=\"help\"><summary><kbd>?</kbd> Help</summary><p>The least certain pairs come first. How sure the program is, is not shown, so that it does not ",
    "decide for you.</p><ul><li><kbd>s</kbd> same, <kbd>d</kbd> different, <kbd>u</kbd> cannot tell</li><li><kbd>z</kbd> take back the last answer</li></ul>",
    "<label><input type=\"checkbox\" id=\"keys\" checked> Answer by single keys</label></details></div></footer>\n",
);

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use sha2::{Digest, Sha256};

    use super::*;

    #[test]
    fn the_hash_is_that_of_the_script_which_ends_nothing() {
        let hash = format!("sha256-{}", STANDARD.encode(Sha256::digest(SCRIPT)));
        assert_eq!(SCRIPT_HASH, hash, "set SCRIPT_HASH to the second of both");
        assert!(!SCRIPT.contains("</") && SCRIPT.len() < 5_000);
    }

    #[test]
    fn the_page_has_the_first_pair_and_asks_its_own_address_only() {
        let page = ReviewPage { first: Html::ours("<div id=\"pair\" data-number=\"0\"></div>") }.render();
        assert!(page.contains("data-number=\"0\"") && page.contains("connect-src &#39;self&#39;"), "{page}");
        for key in ["s", "d", "u", "z", "m"] {
            assert!(page.contains(&format!("data-key=\"{key}\"")), "{key}");
        }
    }
}
