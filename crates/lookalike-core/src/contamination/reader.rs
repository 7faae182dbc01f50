//! Text to words as people read them: without escapes and markup, numerals in one form, each with its place in the text.
//!
//! Words are hashed with a key of the run, since equal hashes count as equal words.

use super::escapes::Escapes;
use super::numerals::Numerals;
use crate::hash::{Hasher, Key};
use crate::text::fold::Fold;
use crate::text::tokenize::{Token, Tokenizer};

/// The words of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words {
    /// The hash of each word.
    pub hashes: Vec<u64>,
    /// The bytes of the text that each word came from, in ascending order. A word that stands for a sign has the place of its
    /// number.
    pub places: Vec<(u32, u32)>,
}

/// Reads the words of texts. Use one per thread, since it reuses its buffers.
pub struct Reader {
    tokenizer: Tokenizer,
    hasher: Hasher,
    numerals: Numerals,
    escapes: Escapes,
    tokens: Vec<Token>,
}

impl Reader {
    /// A reader whose hashes have this key.
    pub fn new(key: Key) -> Self {
        let hasher = Hasher::new(key);
        Self {
            tokenizer: Tokenizer::new(Fold::NONE, key),
            numerals: Numerals::new(&hasher),
            hasher,
            escapes: Escapes::default(),
            tokens: Vec::new(),
        }
    }

    /// Reads the words of `text` into `words`, in place of what is there.
    ///
    /// ```
    /// use lookalike_core::contamination::{Reader, Words};
    /// use lookalike_core::hash::Key;
    ///
    /// let mut reader = Reader::new(Key::FIXED);
    /// let (mut digits, mut written) = (Words::default(), Words::default());
    /// reader.read("It **costs** $1,255.", &mut digits);
    /// reader.read("IT COSTS\none thousand two hundred and fifty-five dollars", &mut written);
    /// assert_eq!(digits.hashes, written.hashes);
    /// ```
    pub fn read(&mut self, text: &str, words: &mut Words) {
        let Self { tokenizer, hasher, numerals, escapes, tokens } = self;
        let plain = escapes.take_out(text);
        let mut original = plain.original();
        tokens.clear();
        tokenizer.words(plain.text, tokens);
        words.hashes.clear();
        words.places.clear();
        let bytes = plain.text.as_bytes();
        let mut push = |hash: u64, start: usize, end: usize| {
            words.hashes.push(hash);
            words.places.push((start as u32, end as u32));
        };
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            let start = original(token.start);
            let numeral =
                if numerals.may_begin(token, bytes) { numerals.at(tokens, at, plain.text, hasher) } else { None };
            let Some(numeral) = numeral else {
                push(token.hash, start, original(token.end));
                at += 1;
                continue;
            };
            at = numeral.next;
            let mut end = tokens[at - 1].end;
            push(numeral.hash, start, original(end));
            // The digits after a point are a word of their own.
            if let Some(decimals) = tokens.get(at)
                && &plain.text[end..decimals.start] == "."
                && bytes[decimals.start..decimals.end].iter().all(u8::is_ascii_digit)
            {
                let start = original(decimals.start);
                end = decimals.end;
                push(decimals.hash, start, original(end));
                at += 1;
            }
            if let Some(sign) = numerals.sign(plain.text, token.start, end) {
                push(sign, start, original(end));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    fn hashes(text: &str) -> Vec<u64> {
        let mut words = Words::default();
        Reader::new(Key::FIXED).read(text, &mut words);
        words.hashes
    }

    #[test]
    fn the_form_of_a_text_makes_no_difference() {
        let expected = hashes("don't pay 21 dollars for 5 percent of 2000000 shares");
        for text in [
            "DON’T PAY $21 FOR 5% OF 2,000,000 SHARES",
            "don\\u2019t pay\\ntwenty-one dollars\\nfor five percent of two million shares",
            "* _don&#39;t_ **pay** $ 21,\n  for 5 % of `2000000` shares.",
            "don't pay twenty one dollars for five percent of 2 million shares",
        ] {
            assert_eq!(hashes(text), expected, "{text}");
        }
    }

    #[test]
    fn numbers_in_words_have_their_value() {
        for (text, value) in [
            ("zero", "0"),
            ("seventeen", "17"),
            ("three hundred", "300"),
            ("five hundred and six thousand and nineteen", "506019"),
            ("one billion two million three thousand four hundred five", "1002003405"),
            ("ninety-nine", "99"),
        ] {
            assert_eq!(hashes(text), hashes(value), "{text}");
        }
        assert_eq!(hashes("one two three"), hashes("1 2 3"));
        assert_eq!(hashes("one, two and three"), hashes("1 2 and 3"));
        assert_ne!(hashes("twenty, five"), hashes("25"));
        assert_eq!(hashes("3.50 007 a hundred").len(), 5);
    }

    #[test]
    fn numbers_without_end_are_read_once() {
        let begun = Instant::now();
        let text = format!("{}nine{}", "zero hundred and ".repeat(200_000), " hundred".repeat(20));
        // Nine is multiplied as often as it fits in 64 bits.
        assert_eq!(hashes(&text).len(), 1 + 20 - 9);
        assert!(begun.elapsed().as_secs() < 5, "{:?}", begun.elapsed());
    }

    #[test]
    fn places_are_those_of_the_text() {
        let text = r"costs\n$1,255.50 or caf\u00e9 forty-five";
        let mut words = Words::default();
        Reader::new(Key::FIXED).read(text, &mut words);
        let found: Vec<&str> = words.places.iter().map(|(start, end)| &text[*start as usize..*end as usize]).collect();
        assert_eq!(found, ["costs", "1,255", "50", "1,255.50", "or", r"caf\u00e9", "forty-five"]);
    }
}
