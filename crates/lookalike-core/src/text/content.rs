//! Hashes the content of a text: equal for exact copies.
//!
//! An exact copy is equal in every character, punctuation, symbols and indentation included: after Unicode's NFC, and
//! without white space at the ends of lines and of the text, since editors and file formats change both unasked. A line
//! ends at a line feed, so that the carriage return before it is white space at its end.

use memchr::memchr_iter;

use super::composed::compose;
use crate::hash::{Hasher, Key};

/// Hashes the content of texts. Use one per thread, since it reuses its buffers.
pub struct ContentHasher {
    hasher: Hasher,
    composed: String,
    content: String,
}

impl Default for ContentHasher {
    fn default() -> Self {
        Self::keyed(Key::FIXED)
    }
}

impl ContentHasher {
    /// A hasher with a key. If nobody knows the key, nobody can prepare texts with equal hashes.
    pub fn keyed(key: Key) -> Self {
        Self { hasher: Hasher::new(key), composed: String::new(), content: String::new() }
    }

    /// Returns the hash of the content of `text`. It is equal for exact copies, and in practice for nothing else.
    pub fn hash(&mut self, text: &str) -> u128 {
        let content = without_blank_ends(compose(text, &mut self.composed), &mut self.content);
        self.hasher.bytes_hash(content.as_bytes())
    }

    /// The form of `text` in which exact copies are equal. For most texts it is the text itself.
    pub fn content<'a>(&'a mut self, text: &'a str) -> &'a str {
        without_blank_ends(compose(text, &mut self.composed), &mut self.content)
    }
}

/// The text without white space at the ends of its lines and at its own end.
fn without_blank_ends<'a>(text: &'a str, buffer: &'a mut String) -> &'a str {
    let text = text.trim_end();
    buffer.clear();
    let mut copied = 0;
    for end in memchr_iter(b'\n', text.as_bytes()) {
        // Most lines end in a character that is not white space, and so does an empty line's predecessor.
        if matches!(text.as_bytes()[..end].last(), Some(b'!'..=b'~' | b'\n') | None) {
            continue;
        }
        let line = &text[copied..end];
        // Empty lines are kept, and the part already copied ends with a line.
        let kept = line.trim_end_matches(|c: char| c.is_whitespace() && c != '\n');
        if kept.len() < line.len() {
            buffer.push_str(kept);
            copied = end;
        }
    }
    if copied == 0 {
        return text;
    }
    buffer.push_str(&text[copied..]);
    buffer
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(text: &str) -> String {
        ContentHasher::default().content(text).to_owned()
    }

    #[test]
    fn white_space_at_the_ends_of_lines_is_no_content() {
        for (text, expected) in [
            ("", ""),
            (" \t\r\n \n", ""),
            ("one", "one"),
            ("one\n", "one"),
            ("one\r\ntwo\r\n", "one\ntwo"),
            ("one \t\n\n  two\u{a0}\u{3000}\nthree  \n\n", "one\n\n  two\nthree"),
            (" \none", "\none"),
            ("a \n \n \nb", "a\n\n\nb"),
            ("é\nü\u{85}\n.", "é\nü\n."),
            // Not at the end of a line, which only a line feed ends.
            ("one\rtwo", "one\rtwo"),
            ("  one\ttwo", "  one\ttwo"),
        ] {
            assert_eq!(content(text), expected, "{text:?}");
        }
    }

    #[test]
    fn how_an_accent_is_written_is_no_content_and_what_it_stands_on_is() {
        assert_eq!(content("cafe\u{301} \nA\u{30a}"), content("caf\u{e9}\n\u{212b}"));
        for [left, right] in
            [["café", "cafe"], ["x < y", "x >= y"], ["ok 😀", "ok 😢"], ["  a", "\ta"], ["A", "a"], ["ﬁ", "fi"]]
        {
            assert_ne!(content(left), content(right));
        }
    }

    #[test]
    fn a_text_that_is_its_content_is_not_copied() {
        let mut hasher = ContentHasher::default();
        let text = "Zeile eins – „schön“\n\n  Zeile zwei";
        assert!(std::ptr::eq(hasher.content(text), text));
        // The previous text has no effect.
        assert_eq!(hasher.content("e\u{301} \n."), "é\n.");
        assert_eq!(hasher.content("a \nb"), "a\nb");
    }
}
