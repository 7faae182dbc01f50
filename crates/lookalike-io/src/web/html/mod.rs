//! Extracts the text of a web page: all visible text, or only the main content.
//!
//! The main content is an estimate, learned from pages on which people marked it. It is a part of the visible text, and
//! empty only if that is.
//!
//! `docs/extraction.md` has measurements, and those of other libraries on the same pages.

mod article;
mod element;
mod extras;
mod open;
mod tags;
mod visible;

use self::extras::Extras;
use super::{Extract, PageText};

#[doc(hidden)]
pub mod learning {
    //! Training data for the tables of the main content.

    /// The names of the features, in the order of a row.
    pub const FEATURES: &[&str] = super::article::FEATURES;

    /// The text and the features of each block of a page. `words` replaces the table of words.
    pub fn rows(html: &str, words: Option<&str>) -> Vec<(String, Vec<f32>)> {
        super::article::rows(html, words)
    }

    /// The words of the elements around each block, from the inside.
    pub fn paths(html: &str) -> Vec<Vec<String>> {
        super::article::paths(html)
    }
}

/// Puts the text of a page into `text`, which is cleared first.
pub(super) fn text(html: &str, wanted: PageText, text: &mut String) {
    let extras = Extras { alt: wanted.alt, links: wanted.links };
    match wanted.extract {
        Extract::Text => visible::text(html, extras, text),
        Extract::Article => article::text(html, extras, text),
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    const PAGE: &str = include_str!("article.html");

    fn extracted(html: &str, extract: Extract) -> String {
        let mut text = "left over".to_owned();
        super::text(html, PageText { extract, ..PageText::default() }, &mut text);
        text
    }

    #[test]
    fn the_article_comes_without_what_surrounds_it() {
        let text = extracted(PAGE, Extract::Text);
        let article = extracted(PAGE, Extract::Article);
        for inside in ["hedgehogs are nocturnal", "Their spines are hollow hairs", "fish & chips"] {
            assert!(text.contains(inside) && article.contains(inside), "{inside}\n{article}");
        }
        for outside in ["Imprint", "Buy our newsletter", "Home"] {
            assert!(text.contains(outside) && !article.contains(outside), "{outside}\n{article}");
        }
    }

    #[test]
    fn descriptions_and_targets_of_the_article_are_taken_and_others_are_not() {
        let page = PAGE.replace("fish &amp; chips", "fish <img alt='a plate'> <a href=/chips>chips</a>");
        let page = page.replace("Imprint", "<img alt='a logo'><a href=/imprint>Imprint</a>");
        let mut text = String::new();
        super::text(&page, PageText { extract: Extract::Article, alt: true, links: true }, &mut text);
        assert!(text.contains("fish a plate chips /chips"), "{text}");
        assert!(!text.contains("a logo") && !text.contains("/imprint"), "{text}");
    }

    #[test]
    fn a_page_without_an_article_keeps_its_text() {
        for page in ["<title>A shop</title><a href=x>Shoes</a> <a href=y>Hats</a>", "plain words", "<p>one"] {
            assert!(!extracted(page, Extract::Article).is_empty(), "{page}");
        }
    }

    /// Extracts on a stack of two megabytes, the size that threads have.
    fn is_extracted_on_a_small_stack(page: String, extract: Extract) -> String {
        let thread = std::thread::Builder::new().stack_size(2 << 20);
        thread.spawn(move || extracted(&page, extract)).unwrap().join().unwrap()
    }

    #[test]
    fn no_nesting_overflows_the_stack() {
        let count = 100_000;
        for open in [
            "<div>",
            "<b>",
            "<p><font size=1>",
            "<table><tr><td>",
            "<ul><li>",
            "<span><div></span></div>",
            "<form><div></form>",
            "<option><span>",
            "<svg><g>",
            "<button><p>",
            "<x-y>",
            "<b><i id=",
        ] {
            let page = if open.ends_with('=') {
                (0..count)
                    .flat_map(|number| [open.to_owned(), number.to_string(), "></b>".to_owned()])
                    .collect::<String>()
                    + "word"
            } else {
                open.repeat(count) + "word"
            };
            for extract in [Extract::Text, Extract::Article] {
                let text = is_extracted_on_a_small_stack(page.clone(), extract);
                assert_eq!(text, if open.starts_with("<svg") { "" } else { "word" }, "{open}");
            }
        }
    }

    #[test]
    fn the_deepest_page_with_an_article_fits_the_stack() {
        for open in ["<div>", "<b>", "<table><tr><td>", "<ul><li>", "<span>", "<blockquote>"] {
            let page = open.repeat(open::DEEPEST) + "<p>A word, and another word.";
            assert!(is_extracted_on_a_small_stack(page, Extract::Article).contains("another word"), "{open}");
        }
    }

    /// A hundred times the time for a megabyte, and a tenth of what it would be if time were quadratic.
    const LINEAR: Duration = Duration::from_secs(10);

    #[test]
    fn hostile_pages_take_linear_time() {
        let bytes = 1 << 20;
        for part in [
            "<",
            "<a",
            "<a ",
            "<a b=c ",
            "&",
            "&a",
            "&#",
            "<!--",
            "<!",
            "</",
            "</div>",
            "<div>",
            "<a>x",
            "<p>x<div>y</div>",
            "<br>",
            "<b><p></b></p>x",
            "<div><span>",
            "<li><div>",
            "</b>",
            "<table>",
            "<title>",
            "<script>",
            "<style x",
            "a, ",
            "word ",
        ] {
            for extract in [Extract::Text, Extract::Article] {
                let start = Instant::now();
                is_extracted_on_a_small_stack(part.repeat(bytes / part.len()), extract);
                assert!(start.elapsed() < LINEAR, "{extract:?} of {part} took {:?}", start.elapsed());
            }
        }
        // Each end tag searches for the element that it ends.
        for (open, close) in [
            ("<div><table><section>", "</div>"),
            ("<b><div><i>", "</b>"),
            ("<i><span>", "</b>"),
            ("<div><span>", "<p>"),
        ] {
            let (first, again) = open.split_at(open.rfind('<').unwrap());
            is_extracted_on_a_small_stack(
                first.to_owned() + &again.repeat(100_000) + &close.repeat(100_000),
                Extract::Text,
            );
        }
    }

    #[test]
    fn any_characters_can_be_taken_for_a_page() {
        use proptest::prelude::*;
        let piece = prop_oneof![
            "\\PC{0,8}",
            "</?(div|p|b|a|li|td|tr|table|script|style|svg|title|option|form|pre)( hidden| style='display: none')?/?>",
            "&(amp|lt|nbsp|#x?[0-9a-f]{1,8});?",
            "<!--|-->|<!\\[CDATA\\[|\\]\\]>|<|>|\"|'|=|\u{0}",
        ];
        proptest!(|(pieces in prop::collection::vec(piece, 0..60))| {
            let page = pieces.concat();
            extracted(&page, Extract::Text);
            extracted(&page, Extract::Article);
        });
    }
}
