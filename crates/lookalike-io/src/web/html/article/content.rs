//! Counts the properties of a block's text that distinguish prose from labels: words, sentences, punctuation.
//!
//! Lengths are in letters: a character of two bytes counts once, and one of three bytes, which usually represents a
//! syllable or a word, three times.

/// Properties of a block's text.
#[derive(Clone, Debug, Default)]
pub(super) struct Content {
    pub(super) length: f32,
    pub(super) words: f32,
    /// The share of the text that belongs to links.
    pub(super) link_share: f32,
    pub(super) sentences: f32,
    /// Kind of its end: like a sentence, a heading of a list, a label, or a part of something.
    pub(super) end: f32,
    /// Words that start with a capital letter.
    pub(super) capitals: f32,
    pub(super) signs: f32,
    /// Lowercase words of at most three letters: articles and prepositions, in many languages.
    pub(super) short_words: f32,
    /// Hash that is equal for blocks with the same text, ignoring case.
    pub(super) hash: u64,
}

impl Content {
    pub(super) fn of(text: &str, link_bytes: usize) -> Self {
        let bytes = text.as_bytes();
        let mut content = Self { hash: 0xcbf2_9ce4_8422_2325, ..Self::default() };
        let mut word = Word::None;
        for (place, &byte) in bytes.iter().enumerate() {
            content.hash = (content.hash ^ u64::from(byte.to_ascii_lowercase())).wrapping_mul(0x0100_0000_01b3);
            word = content.count(bytes, place, byte, word);
        }
        content.link_share = (link_bytes as f32 / bytes.len().max(1) as f32).min(1.0);
        content.end = end(bytes);
        content
    }

    /// True if it is prose: long, with a sentence, and mostly not links.
    pub(super) fn is_prose(&self) -> bool {
        self.length >= 80.0 && self.link_share < 0.5 && self.sentences >= 1.0
    }

    /// Counts a byte after `word`, and returns the word that it belongs to.
    fn count(&mut self, bytes: &[u8], place: usize, byte: u8, word: Word) -> Word {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | 0xC0..=0xDF => {
                self.length += 1.0;
                self.start(word);
                if word == Word::None && byte.is_ascii_uppercase() {
                    self.capitals += 1.0;
                }
                word.followed_by(byte)
            }
            b' ' | b'\n' => {
                self.length += 1.0;
                self.end_word(word)
            }
            // Inside a character.
            0x80..=0xBF => word,
            0xE0.. => {
                self.length += 3.0;
                self.start(word);
                let rest = &bytes[place..];
                let ends = ["。", "！", "？"].iter().any(|sign| rest.starts_with(sign.as_bytes()));
                self.sentences += f32::from(u8::from(ends));
                if word == Word::None { Word::Other } else { word }
            }
            _ => {
                self.length += 1.0;
                self.signs += 1.0;
                let is_last = bytes.get(place + 1).is_none_or(|next| matches!(next, b' ' | b'"' | b'\n'));
                if matches!(byte, b'.' | b'!' | b'?') && is_last {
                    self.sentences += 1.0;
                }
                if matches!(byte, b'\'' | b'-') { word } else { self.end_word(word) }
            }
        }
    }

    fn start(&mut self, word: Word) {
        if word == Word::None {
            self.words += 1.0;
        }
    }

    fn end_word(&mut self, word: Word) -> Word {
        if matches!(word, Word::Small(1..=3)) {
            self.short_words += 1.0;
        }
        Word::None
    }
}

/// The word being read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Word {
    None,
    /// It starts with a lowercase letter, and has this many letters.
    Small(u8),
    Other,
}

impl Word {
    fn followed_by(self, byte: u8) -> Self {
        match self {
            Self::None if byte.is_ascii_lowercase() => Self::Small(1),
            Self::Small(count) => Self::Small(count.saturating_add(1)),
            Self::None | Self::Other => Self::Other,
        }
    }
}

/// Kind of the end of a text: 2 like a sentence, 1 with a colon, -1 with a comma, 0 otherwise.
fn end(bytes: &[u8]) -> f32 {
    match bytes.iter().rev().find(|byte| !matches!(byte, b'"' | b'\'' | b')' | b']')) {
        // The last bytes of Chinese and Japanese full stops and other punctuation, and of quotation marks.
        Some(b'.' | b'!' | b'?' | 0x82 | 0x81 | 0x9F | 0x9D) => 2.0,
        Some(b':') => 1.0,
        Some(b',' | b';') => -1.0,
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_sentences_and_signs_are_counted() {
        let content = Content::of("The cat sat on a mat. It's 3 o'clock, Tom!", 0);
        assert_eq!((content.words, content.sentences, content.capitals, content.signs), (10.0, 2.0, 3.0, 5.0));
        assert_eq!((content.short_words, content.end), (5.0, 2.0));
    }

    #[test]
    fn prose_is_long_and_not_a_link() {
        let text = "A sentence. ".repeat(10);
        assert!(Content::of(text.trim(), 0).is_prose());
        assert!(!Content::of(text.trim(), 100).is_prose() && !Content::of("A sentence.", 0).is_prose());
    }

    #[test]
    fn a_script_without_spaces_has_length_and_sentences() {
        let content = Content::of(&"天地玄黄，宇宙洪荒。".repeat(4), 0);
        assert!(content.is_prose() && (content.end - 2.0).abs() < f32::EPSILON, "{content:?}");
    }
}
