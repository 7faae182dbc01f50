//! Extracts the visible text of a page: words separated by single spaces, with a line for each block.
//!
//! The definition of visible is that of Common Crawl's WET files, so that a page is the same document in both. The
//! title, choices and buttons are included; scripts, styles, drawings, comments and content shown only without scripts
//! are not. Hidden elements are the exception: they are in WET files, but are left out here.
//!
//! A word can arrive in several pieces, divided at a character reference or between the bytes of a character, so white
//! space is written only before the next word.

use super::element::Element;
use super::extras::Extras;
use super::tags::{Attribute, Sink, read};

/// Puts the visible text of a page into `text`, which is cleared first.
pub(super) fn text(html: &str, extras: Extras, text: &mut String) {
    // Attributes that are not needed are not collected.
    let written =
        if extras.is_any() { written::<true>(html, extras, text) } else { written::<false>(html, extras, text) };
    *text = String::from_utf8(written).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
}

fn written<const HAS_EXTRAS: bool>(html: &str, extras: Extras, text: &mut String) -> Vec<u8> {
    text.clear();
    let buffer = std::mem::take(text).into_bytes();
    let mut visible = Visible::<HAS_EXTRAS> { text: buffer, gap: Gap::None, extras, targets: Vec::new() };
    read(html, &mut visible);
    visible.text
}

struct Visible<const HAS_EXTRAS: bool> {
    text: Vec<u8>,
    /// Separator before the next word.
    gap: Gap,
    extras: Extras,
    /// The targets of the open links.
    targets: Vec<Option<String>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    None,
    Space,
    Line,
}

impl<const HAS_EXTRAS: bool> Visible<HAS_EXTRAS> {
    /// Writes additional text, separated from the visible text.
    fn write_extra(&mut self, extra: &str) {
        self.gap = self.gap.max(Gap::Space);
        self.text(extra.as_bytes(), false);
        self.gap = self.gap.max(Gap::Space);
    }

    fn break_line(&mut self, element: Element) {
        if element.breaks_lines() {
            self.gap = Gap::Line;
        }
    }
}

impl<const HAS_EXTRAS: bool> Sink for Visible<HAS_EXTRAS> {
    const ATTRIBUTES: &[&[u8]] = if HAS_EXTRAS { &[b"alt", b"href"] } else { &[] };

    fn start(&mut self, name: &[u8], element: Element, attributes: &[Attribute]) {
        self.break_line(element);
        if HAS_EXTRAS {
            if let Some(description) = self.extras.description(name, attributes) {
                self.write_extra(&description);
            }
            if name == b"a" {
                self.targets.push(self.extras.target(name, attributes));
            }
        }
    }

    fn end(&mut self, name: &[u8], element: Element) {
        self.break_line(element);
        if HAS_EXTRAS
            && name == b"a"
            && let Some(target) = self.targets.pop().flatten()
        {
            self.write_extra(&target);
        }
    }

    fn text(&mut self, mut text: &[u8], is_preformatted: bool) {
        while let [first, ..] = text {
            if first.is_ascii_whitespace() {
                let is_line = is_preformatted && matches!(first, b'\n' | b'\r');
                self.gap = self.gap.max(if is_line { Gap::Line } else { Gap::Space });
                text = &text[1..];
                continue;
            }
            let end = text.iter().position(u8::is_ascii_whitespace).unwrap_or(text.len());
            match std::mem::replace(&mut self.gap, Gap::None) {
                _ if self.text.is_empty() => {}
                Gap::None => {}
                Gap::Space => self.text.push(b' '),
                Gap::Line => self.text.push(b'\n'),
            }
            self.text.extend_from_slice(&text[..end]);
            text = &text[end..];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn visible(html: &str) -> String {
        let mut text = "left over".to_owned();
        super::text(html, Extras::default(), &mut text);
        text
    }

    #[test]
    fn descriptions_and_targets_are_taken_when_they_are_wanted() {
        let html = "a<img alt='a cat &amp; dog'>b <a href=/x>c<img alt=' '></a>d<a href=#top>e</a><a href=javascript:f()>f</a>";
        let visible = |alt, links| {
            let mut text = String::new();
            super::text(html, Extras { alt, links }, &mut text);
            text
        };
        assert_eq!(visible(false, false), "ab cdef");
        assert_eq!(visible(true, false), "a a cat & dog b cdef");
        assert_eq!(visible(false, true), "ab c /x def");
    }

    #[test]
    fn blocks_part_words_and_inline_elements_do_not() {
        for (html, text) in [
            ("a<b>b</b>c", "abc"),
            (" a <b> b</b>\n\n c ", "a b c"),
            ("<p>a<p>b", "a\nb"),
            ("a<br>b<hr>c", "a\nb\nc"),
            ("a<div>b</div>c", "a\nb\nc"),
            ("<table><tr><td>a<td>b<tr><td>c</table>d", "a\nb\nc\nd"),
            ("<ul><li>a<li>b</ul>c", "a\nb\nc"),
            ("<select><option>a<option>b</select>", "a\nb"),
            ("a<wbr>b<img>c<x-y>d</x-y>", "abcd"),
            ("a</div>b", "a\nb"),
            ("<pre>a\n  b\r\nc</pre> d\ne", "a\nb\nc\nd e"),
        ] {
            assert_eq!(visible(html), text, "{html}");
        }
    }

    #[test]
    fn what_is_not_shown_is_left_out() {
        for html in [
            "a<script>x<b></script>b",
            "a<SCRIPT>'</div>' < x</SCRIPT >b",
            "a<style>x</style>b",
            "a<noscript><p>x</p></noscript>b",
            "a<template><p>x<div>x</div></template>b",
            "a<svg><title>x</title><text>x</text><script/></svg>b",
            "a<iframe>x</iframe>b",
            "a<!-- x -- > x -->b",
            "a<span hidden>x<b>x</b></span>b",
            "a<span hidden=''>x</span>b",
            "a<span style='color:red; Display : NONE'>x<span>x</span>x</span>b",
            "a<span style=visibility:hidden>x</span>b",
            "a<video>x</video><object>x</object><canvas>x</canvas>b",
            "a<svg/>b",
            "a\0b",
        ] {
            assert_eq!(visible(html), "ab", "{html}");
        }
    }

    #[test]
    fn hidden_elements_end_with_what_they_lie_in() {
        for html in [
            "a<p hidden>x<p>b",
            "a<p hidden>x<b>x<div>b",
            "<table><tr><td>a<tr hidden><td>x<tr><td>b</table>",
            "<table><tr><td>a<td hidden>x</table>b",
            "<ul><li>a<li hidden>x<i>x<li>b</ul>",
            "a<section><div hidden>x</section>b",
            "a<div><svg><path></div>b",
            "a<div hidden>x</b>x<span>x</div>b",
            "a<form hidden>x<input>x</form><p>b",
        ] {
            assert_eq!(visible(html), "a\nb", "{html}");
        }
    }

    #[test]
    fn what_only_seems_hidden_is_shown() {
        for html in
            ["<p class=hidden data-x=hidden style='display:block'>a", "</p hidden>a", "<p style=>a", "<body hidden>a"]
        {
            assert_eq!(visible(html), "a", "{html}");
        }
    }

    #[test]
    fn character_references_are_decoded() {
        assert_eq!(
            visible("fish &amp; chips &lt;b&gt; caf&eacute; &#x20AC;&#8364; &copy &unknown; &#0; &"),
            "fish & chips <b> café €€ © &unknown; \u{FFFD} &"
        );
        assert_eq!(visible("<title>a &amp; <b></title>"), "a & <b>");
    }

    #[test]
    fn characters_of_several_bytes_stay_whole() {
        assert_eq!(visible("<é>ü<ö &é;<p>天地 <!é>玄"), "<é>ü<ö &é;\n天地 玄");
    }

    #[test]
    fn titles_and_choices_are_text() {
        assert_eq!(
            visible("<head><title>T</title></head><body>b<button>c</button><textarea><p></textarea>"),
            "T\nb\nc\n<p>"
        );
    }

    #[test]
    fn scripts_are_not_shown_however_deep_they_are() {
        let html = "<div>".repeat(1_000) + "<script>x</script>a<p hidden>x</p>b" + &"</div>".repeat(1_000) + "c";
        assert_eq!(visible(&html), "a\nb\nc");
    }
}
