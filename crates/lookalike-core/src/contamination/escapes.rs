//! Text without the escapes of JSON, HTML and Markdown: words as a reader of the page would see them, and where each byte
//! came from.
//!
//! Test items and documents both pass through here, so what matters is that both are treated alike: LaTeX's `\nu` loses
//! its `n` in an item and in a document. Backslashes are taken in runs, since JSON inside JSON doubles them.

use memchr::{memchr_iter, memchr3_iter};

use super::entities::entity;

/// Takes escapes out of texts. Use one per thread, since it reuses its buffers.
#[derive(Default)]
pub(super) struct Escapes {
    plain: String,
    /// From this byte of the plain text on, how many more bytes lie before it in the original.
    shifts: Vec<(usize, usize)>,
}

/// A text without escapes.
pub(super) struct Plain<'a> {
    pub(super) text: &'a str,
    shifts: &'a [(usize, usize)],
}

impl Escapes {
    /// Takes the escapes out of `text`. A text without any is not copied.
    pub(super) fn take_out<'a>(&'a mut self, text: &'a str) -> Plain<'a> {
        let Self { plain, shifts } = self;
        plain.clear();
        shifts.clear();
        let mut copied = 0;
        // A run of backslashes is looked at once.
        let mut passed = 0;
        for at in signs(text.as_bytes()) {
            if at < copied.max(passed) {
                continue;
            }
            if let Some((length, character, times)) = escape(text, at) {
                plain.push_str(&text[copied..at]);
                plain.extend(std::iter::repeat_n(character, times));
                copied = at + length;
                shifts.push((plain.len(), copied - plain.len()));
            } else {
                passed = at + backslashes(&text[at..]);
            }
        }
        if copied == 0 {
            return Plain { text, shifts };
        }
        plain.push_str(&text[copied..]);
        Plain { text: plain, shifts }
    }
}

impl Plain<'_> {
    /// Turns places of the plain text into those of the original. They must come in ascending order.
    pub(super) fn original(&self) -> impl FnMut(usize) -> usize {
        let mut left = self.shifts.iter().peekable();
        let mut shift = 0;
        move |place| {
            while let Some((_, more)) = left.next_if(|(from, _)| *from <= place) {
                shift = *more;
            }
            place + shift
        }
    }
}

/// The bytes that may begin an escape, in ascending order.
fn signs(bytes: &[u8]) -> impl Iterator<Item = usize> {
    let mut signs = memchr3_iter(b'\\', b'&', b'_', bytes).peekable();
    let mut tags = memchr_iter(b'<', bytes).peekable();
    std::iter::from_fn(move || match (signs.peek(), tags.peek()) {
        (Some(sign), Some(tag)) if tag < sign => tags.next(),
        (Some(_), _) => signs.next(),
        _ => tags.next(),
    })
}

/// The escape at a byte: its length, the character that replaces it, and the number of times this character is
/// repeated.
fn escape(text: &str, at: usize) -> Option<(usize, char, usize)> {
    let rest = &text[at..];
    match rest.as_bytes()[0] {
        b'\\' => {
            let run = backslashes(rest);
            match rest.as_bytes().get(run) {
                Some(b'n' | b'r' | b't') => Some((run + 1, ' ', 1)),
                Some(b'u') => utf16(rest, run).map(|(length, character)| (length, character, 1)),
                _ => None,
            }
        }
        b'&' => entity(rest).map(|(length, character)| (length, character, 1)),
        b'<' => tag(rest).map(|length| (length, ' ', 1)),
        _ => emphasis(text, at).map(|run| (run, ' ', run)),
    }
}

/// The number of backslashes at the start.
fn backslashes(rest: &str) -> usize {
    rest.bytes().take_while(|byte| *byte == b'\\').count()
}

/// `\u00e9`, or two of these that make one character.
fn utf16(rest: &str, run: usize) -> Option<(usize, char)> {
    let unit = |from: usize| u16::from_str_radix(rest.get(from..from + 4)?, 16).ok();
    let first = unit(run + 1)?;
    let length = run + 5;
    if let Some(character) = char::from_u32(first.into()) {
        return Some((length, character));
    }
    let second_run = backslashes(&rest[length..]);
    let second = unit(length + second_run + 1)?;
    let character = char::decode_utf16([first, second]).next()?.ok()?;
    Some((length + second_run + 5, character))
}

/// Tags of HTML that are read as a space if they have no attributes. Others may be a program's, such as `List<String>`.
const TAGS: [&str; 36] = [
    "a",
    "b",
    "big",
    "blockquote",
    "br",
    "center",
    "code",
    "dd",
    "div",
    "dl",
    "dt",
    "em",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "i",
    "li",
    "ol",
    "p",
    "pre",
    "q",
    "small",
    "span",
    "strong",
    "sub",
    "sup",
    "table",
    "td",
    "th",
    "tr",
    "u",
    "ul",
];

/// The length of the longest of them in a closing tag, and of what else belongs to a tag.
const LONGEST_TAG: usize = "</blockquote />".len();

/// The length of a tag at the start.
fn tag(rest: &str) -> Option<usize> {
    let end = rest.bytes().take(LONGEST_TAG).position(|byte| byte == b'>')?;
    let inner = &rest[1..end];
    let name = inner.strip_prefix('/').unwrap_or_else(|| inner.strip_suffix('/').unwrap_or(inner).trim_end());
    TAGS.iter().any(|tag| name.eq_ignore_ascii_case(tag)).then_some(end + 1)
}

/// Underscores at the edge of a word, which are Markdown's emphasis or a gap to fill; those inside a name belong to it.
fn emphasis(text: &str, at: usize) -> Option<usize> {
    let run = text[at..].bytes().take_while(|byte| *byte == b'_').count();
    let is_inside = text[..at].ends_with(char::is_alphanumeric) && text[at + run..].starts_with(char::is_alphanumeric);
    (!is_inside).then_some(run)
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    fn plain(text: &str) -> String {
        Escapes::default().take_out(text).text.to_owned()
    }

    #[test]
    fn escapes_become_what_they_stand_for() {
        for (text, expected) in [
            (r"one\ntwo\\nthree", "one two three"),
            (r"don\u2019t caf\u00e9 \ud83d\ude00!", "don’t café 😀!"),
            ("don&#39;t &amp; &quot;won&#x2019;t&quot;", "don't & \"won’t\""),
            ("don&rsquo;t &amp;#39;n&amp;#39; &eacute;t&eacute;", "don’t 'n' été"),
            ("<p>one <B>two</B><br/>three<br /></p>", " one  two  three  "),
            ("List<String> a < b > c <p class=x> <", "List<String> a < b > c <p class=x> <"),
            ("_so_ __much__ snake_case ____", " so    much   snake_case     "),
            (r"\alpha & \u12 &nothing; &toolongtobeone;", r"\alpha & \u12 &nothing; &toolongtobeone;"),
        ] {
            assert_eq!(plain(text), expected, "{text}");
        }
    }

    #[test]
    fn backslashes_without_end_are_read_once() {
        let text = format!("{}x", "\\".repeat(2_000_000));
        let begun = Instant::now();
        assert_eq!(plain(&text), text);
        assert!(begun.elapsed().as_secs() < 5, "{:?}", begun.elapsed());
    }

    #[test]
    fn places_are_those_of_the_original() {
        let text = r"a\nbc caf\u00e9 d";
        let mut escapes = Escapes::default();
        let plain = escapes.take_out(text);
        let words: Vec<(usize, usize)> = plain
            .text
            .split(' ')
            .map(|word| word.as_ptr() as usize - plain.text.as_ptr() as usize)
            .zip([1, 2, 5, 1])
            .collect();
        let mut original = plain.original();
        let found: Vec<&str> = words.iter().map(|(at, length)| &text[original(*at)..original(at + length)]).collect();
        assert_eq!(found, ["a", "bc", r"caf\u00e9", "d"]);
    }
}
