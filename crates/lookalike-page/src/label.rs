//! The page for labeling pairs as the same or different: served pair by pair, or as one file to send to someone.
//!
//! The script reads its data as JSON in the page, in which every character that could end the script element is
//! escaped.

use crate::html;
use crate::html::Html;
use crate::page::{COLORS, STYLE};

/// A page for labeling.
#[derive(Clone, Debug)]
pub struct LabelPage {
    /// Data of the pairs for the script: a JSON object.
    pub facts: String,
    /// Location of the pairs.
    pub place: LabelPlace,
}

/// Location of the pairs of a page for labeling.
#[derive(Clone, Debug)]
pub enum LabelPlace {
    /// The server of the page provides them, and receives the labels.
    Served,
    /// In the page itself, which saves labels as a file.
    File(Vec<Html>),
}

/// Style of pages for labeling, in addition to the style of all pages, and their script.
const LABEL: &str = include_str!("assets/label.css");
const SCRIPT: &str = include_str!("assets/label.js");

/// The hashes of both; a browser runs nothing else. A test computes them.
pub(crate) const LABEL_STYLE_HASH: &str = "sha256-ptYKnHFKH0CbVlV2TV6/JU28dEsQxPWGfYN0uqAI1tQ=";
const SCRIPT_HASH: &str = "sha256-LoZU5qMUpjZRwj6bCVyij1akIV9u86qZLH1GvOvwjkE=";

impl LabelPage {
    /// Content security policy of a served page.
    pub fn served_policy() -> String {
        policy(" connect-src 'self';")
    }

    /// The whole file.
    pub fn render(&self) -> String {
        let (place, extra) = match &self.place {
            LabelPlace::Served => ("served", Html::ours("<button type=\"button\" id=\"table\">Result so far</button>")),
            LabelPlace::File(_) => (
                "file",
                Html::ours(
                    "<label>Your name <input type=\"text\" id=\"labeler\" autocomplete=\"off\"></label><button type=\"button\" id=\"save\">Save labels</button>",
                ),
            ),
        };
        let done = match &self.place {
            LabelPlace::Served => "All pairs are labeled. You can close this page, and end lookalike audit by Ctrl-C.",
            LabelPlace::File(_) => "All pairs are labeled. Save the labels, and send the file back.",
        };
        let pairs: Html = match &self.place {
            LabelPlace::Served => Html::default(),
            LabelPlace::File(pairs) => {
                let pair =
                    |(number, pair): (usize, &Html)| html!("<template id=\"pair-{}\">{}</template>\n", number, pair);
                pairs.iter().enumerate().map(pair).collect()
            }
        };
        html!(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><meta name=\"color-scheme\" content=\"light dark\"><meta name=\"referrer\" content=\"no-referrer\">\n<title>Are these two the same?</title><link rel=\"icon\" href=\"data:,\">\n<style>{}</style></head>\n<body class=\"label\" data-place=\"{}\"><header class=\"bar\"><a class=\"skip\" href=\"#answers\">Skip to the answers</a><h1>Are these two the same?</h1><p id=\"count\"></p><progress id=\"done\" max=\"{}\" value=\"0\" aria-label=\"Labeled pairs\"></progress><p id=\"labeled\" class=\"soft\"></p>{}<p id=\"status\" class=\"unseen\" role=\"status\"></p></header>\n<main id=\"main\"><p id=\"alarm\" role=\"alert\" hidden></p><p id=\"all\" hidden>{}</p><div id=\"result\" tabindex=\"-1\" hidden></div><div id=\"pair\"><noscript><p>This page needs JavaScript to take your answers.</p></noscript></div></main>\n{}<script type=\"application/json\" id=\"island\">{}</script>\n{}<script>{}</script>\n</body></html>\n",
            match self.place {
                LabelPlace::Served => Self::served_policy(),
                LabelPlace::File(_) => policy(""),
            },
            Html::ours(label_style()),
            place,
            self.pair_count(),
            extra,
            done,
            Html::ours(FOOTER),
            Html::ours(harmless_json(&self.facts)),
            pairs,
            Html::ours(SCRIPT)
        )
        .to_string()
    }

    /// Number of pairs in the progress display.
    fn pair_count(&self) -> usize {
        self.facts.matches("\"turned\":").count()
    }
}

/// Allows its own style and script, plus what `more` allows.
fn policy(more: &str) -> String {
    format!(
        "default-src 'none'; style-src '{LABEL_STYLE_HASH}'; script-src '{SCRIPT_HASH}';{more} img-src data:; base-uri 'none'; form-action 'none'"
    )
}

/// The footer below the pair, always visible.
const FOOTER: &str = concat!(
    "<footer id=\"answers\"><div class=\"answers\" role=\"group\" aria-label=\"Your answer\">",
    "<button type=\"button\" data-key=\"s\" aria-pressed=\"false\"><kbd>s</kbd> Same<small>who has one does not need the other</small></button>",
    "<button type=\"button\" data-key=\"d\" aria-pressed=\"false\"><kbd>d</kbd> Different<small>both are wanted</small></button>",
    "<button type=\"button\" data-key=\"u\" aria-pressed=\"false\"><kbd>u</kbd> Cannot tell<small>counted both ways</small></button></div>\n",
    "<div class=\"moves\" id=\"after\" hidden><p id=\"last\"></p>",
    "<button type=\"button\" id=\"lost\" data-key=\"l\" aria-pressed=\"false\"><kbd>l</kbd> Something is lost</button>",
    "<button type=\"button\" id=\"worse\" data-key=\"w\" aria-pressed=\"false\"><kbd>w</kbd> Worse copy kept</button>",
    "<label><kbd>e</kbd> Note <input type=\"text\" id=\"note\" autocomplete=\"off\"></label></div>\n",
    "<div class=\"moves\"><button type=\"button\" data-key=\"b\"><kbd>b</kbd> Back</button>",
    "<button type=\"button\" data-key=\"f\"><kbd>f</kbd> Forward</button>",
    "<button type=\"button\" id=\"undo\" data-key=\"z\" disabled><kbd>z</kbd> Undo</button>",
    "<button type=\"button\" data-key=\"p\" aria-label=\"p Difference before\"><kbd>p</kbd><span class=\"long\"> Difference before</span></button>",
    "<button type=\"button\" data-key=\"n\" aria-label=\"n Next difference\"><kbd>n</kbd><span class=\"long\"> Next difference</span></button>",
    "<details id=\"help\"><summary><kbd>?</kbd> Help</summary><p>Framed text stands in one document only. Numbered text is in both; long runs of it are folded. ",
    "The similarity, and which one was kept, are shown after your answer.</p>",
    "<ul><li><kbd>s</kbd> same, <kbd>d</kbd> different, <kbd>u</kbd> cannot tell</li><li><kbd>n</kbd> next difference, <kbd>p</kbd> the one before</li>",
    "<li><kbd>b</kbd> or <kbd>←</kbd> back, <kbd>f</kbd> or <kbd>→</kbd> forward</li><li><kbd>z</kbd> take back the last answer</li>",
    "<li><kbd>l</kbd> the removed document has something that is lost with it</li><li><kbd>w</kbd> the worse copy was kept</li><li><kbd>e</kbd> write a note, <kbd>Enter</kbd> ends it</li></ul>",
    "<label><input type=\"checkbox\" id=\"keys\" checked> Answer by single keys</label></details></div></footer>\n",
);

/// Escapes JSON so that nothing in it can end the surrounding element, and every character is preserved.
fn harmless_json(json: &str) -> String {
    let mut harmless = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' | '>' | '&' => harmless.push_str(&format!("\\u{:04x}", u32::from(c))),
            c if c.is_ascii() => harmless.push(c),
            c => c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| harmless.push_str(&format!("\\u{unit:04x}"))),
        }
    }
    harmless
}

/// All styles.
pub(crate) fn label_style() -> String {
    [COLORS, STYLE, LABEL].concat()
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
        assert_eq!(LABEL_STYLE_HASH, hash(&label_style()), "set LABEL_STYLE_HASH to the second of both");
        assert_eq!(SCRIPT_HASH, hash(SCRIPT), "set SCRIPT_HASH to the second of both");
    }

    #[test]
    fn the_script_is_small_and_ends_nothing() {
        assert!(SCRIPT.len() <= 15_000, "{}", SCRIPT.len());
        assert!(!SCRIPT.contains("</") && !label_style().contains("</") && !label_style().contains("url("));
    }

    #[test]
    fn no_fact_ends_the_island() {
        let facts = "{\"pairs\":[{\"id\":\"</script><!--\u{202e}😀&\",\"turned\":true}]}";
        let page = LabelPage { facts: facts.to_owned(), place: LabelPlace::Served }.render();
        assert!(page.contains("\\u003c/script\\u003e\\u003c!--\\u202e\\ud83d\\ude00\\u0026"), "{page}");
        assert_eq!(page.matches("</script>").count(), 2);
        assert!(page.contains("connect-src") && page.contains("max=\"1\""));
    }

    #[test]
    fn a_file_has_all_pairs_and_asks_nobody() {
        let pairs = vec![Html::text("<b>one"), Html::text("two")];
        let page = LabelPage { facts: "{}".to_owned(), place: LabelPlace::File(pairs) }.render();
        assert!(page.contains("<template id=\"pair-0\">&lt;b&gt;one</template>") && page.contains("id=\"pair-1\""));
        assert!(!page.contains("connect-src") && page.contains("id=\"save\""));
    }
}
