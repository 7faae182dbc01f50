//! Given a page, makes markup that is safe to build a tree of.
//!
//! Builders of trees follow the standard of HTML, which lets a page of a few megabytes ask for a tree that is a million
//! deep, or that takes the square of its length in time. What is written here has every element ended in order, none of
//! the elements with rules of their own (drawings, formulas, frames, scripts), few attributes and no great depth, and
//! asks for neither.
//!
//! It is not for people. It keeps what an article is known by, and the words; `&` and `<` in the
//! text have stand-ins, which [`text_of`] takes back.

use memchr::memchr2;

use super::element::Element;
use super::tags::{Attribute, Sink, read};

/// The most elements that are written: a tree takes some 150 bytes for each. The text of others is written without
/// them.
const MOST_ELEMENTS: usize = 500_000;

/// What stands for `&` and `<` in text. A builder of trees appends each character reference to the text before it, and
/// copies that text each time; a megabyte of `&amp;` took a minute. Unicode sets these two aside for use within a
/// program.
const STAND_INS: [(char, &str); 2] = [('\u{FDD0}', "&"), ('\u{FDD1}', "<")];

/// Text from the clean markup as it was in the page.
pub(super) fn text_of(clean: &str) -> String {
    let mut text = String::with_capacity(clean.len());
    for character in clean.chars() {
        match STAND_INS.iter().find(|(stand_in, _)| *stand_in == character) {
            Some((_, meant)) => text.push_str(meant),
            None => text.push(character),
        }
    }
    text
}

/// The page, mended and without what is not seen.
pub(super) fn markup(html: &str) -> String {
    let mut clean = Clean { markup: Vec::with_capacity(html.len() / 2), element_count: 0, unwritten: 0 };
    read(html, &mut clean);
    String::from_utf8(clean.markup).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

struct Clean {
    markup: Vec<u8>,
    element_count: usize,
    /// How many of the open elements, the innermost ones, are not written.
    unwritten: usize,
}

/// The name that an element is written with: those that are not known are parts of a line.
fn written_name(name: &[u8], element: Element) -> &[u8] {
    const KNOWN: [&[u8]; 24] = [
        b"a", b"abbr", b"b", b"big", b"cite", b"code", b"del", b"dfn", b"em", b"font", b"i", b"ins", b"kbd", b"label",
        b"mark", b"q", b"s", b"small", b"strong", b"sub", b"sup", b"time", b"tt", b"u",
    ];
    match (element, name) {
        (Element::Inline, name) if !KNOWN.contains(&name) => b"span",
        (Element::RawShown | Element::Preformatted, b"xmp" | b"plaintext" | b"listing") => b"pre",
        _ => name,
    }
}

impl Sink for Clean {
    // What Readability scores by. (`dom_smoothie`, after Mozilla's Readability.js)
    const ATTRIBUTES: &[&[u8]] =
        &[b"class", b"id", b"role", b"href", b"rel", b"itemprop", b"itemtype", b"aria-hidden", b"aria-modal", b"dir"];

    fn start(&mut self, name: &[u8], element: Element, attributes: &[Attribute]) {
        let is_written = match element {
            Element::Ignored => false,
            Element::Void => name == b"img" || name == b"input",
            _ => true,
        };
        let is_open = element.is_open_after_start();
        if !is_written || self.element_count == MOST_ELEMENTS {
            self.unwritten += usize::from(is_open);
            return;
        }
        self.element_count += 1;
        self.markup.push(b'<');
        self.markup.extend_from_slice(written_name(name, element));
        for Attribute { name, value } in attributes {
            self.markup.push(b' ');
            self.markup.extend_from_slice(name);
            self.markup.extend_from_slice(b"=\"");
            // No name that counts has these.
            self.markup.extend(value.iter().filter(|byte| !matches!(byte, b'"' | b'&' | b'<' | b'>')));
            self.markup.push(b'"');
        }
        self.markup.push(b'>');
    }

    fn end(&mut self, name: &[u8], element: Element) {
        if self.unwritten > 0 {
            self.unwritten -= 1;
            return;
        }
        self.markup.extend_from_slice(b"</");
        self.markup.extend_from_slice(written_name(name, element));
        self.markup.push(b'>');
    }

    fn text(&mut self, text: &[u8], _: bool) {
        write_text(text, &mut self.markup);
    }
}

/// Writes text so that it is nothing else.
fn write_text(mut text: &[u8], markup: &mut Vec<u8>) {
    let [(ampersand, _), (less, _)] = STAND_INS;
    while let Some(place) = memchr2(b'&', b'<', text) {
        markup.extend_from_slice(&text[..place]);
        let stand_in = if text[place] == b'&' { ampersand } else { less };
        markup.extend_from_slice(stand_in.encode_utf8(&mut [0; 3]).as_bytes());
        text = &text[place + 1..];
    }
    markup.extend_from_slice(text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_ended_in_order() {
        for (page, clean) in [
            ("<p>a<p>b", "<p>a</p><p>b</p>"),
            ("<b><i>a</b></i>", "<b><i>a</i></b>"),
            ("<span><div></span>a</div>", "<span><div>a</div></span>"),
            ("<ul><li>a<li>b</ul>c", "<ul><li>a</li><li>b</li></ul>c"),
            ("</p></x>a</div>", "a<br>"),
        ] {
            assert_eq!(markup(page).replace("<br>", ""), clean.replace("<br>", ""), "{page}");
        }
    }

    #[test]
    fn only_what_an_article_is_known_by_is_kept() {
        let page = "<body onload=x><x-y CLASS='a \"b' class=c onclick=d>&lt;e&amp;</x-y><script>f</script><img src=g><svg>h</svg><math>i";
        assert_eq!(markup(page), "<span class=\"a b\">\u{FDD1}e\u{FDD0}</span><img><span>i</span>");
    }

    #[test]
    fn signs_that_mean_markup_come_back_as_text() {
        assert_eq!(text_of(&markup("a &lt;b&gt; &amp;amp; &nbsp;c")), "a <b> &amp; \u{A0}c");
    }

    #[test]
    fn depth_and_number_of_elements_are_bounded() {
        assert_eq!(markup(&"<div>".repeat(10_000)).matches("<div>").count(), super::super::open::DEEPEST);
        let many = markup(&"<b>x</b>".repeat(MOST_ELEMENTS + 10));
        assert_eq!((many.matches("<b>").count(), many.matches("</b>").count()), (MOST_ELEMENTS, MOST_ELEMENTS));
        assert_eq!(many.matches('x').count(), MOST_ELEMENTS + 10);
    }
}
