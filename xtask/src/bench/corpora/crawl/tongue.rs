//! Generates text of one language, at some hundred MB/s per thread.
//!
//! The words are those of `language.rs` and `script.rs`, drawn by the same law. For speed, a word and the following
//! space are stored in a fixed-size slot, and its rank is looked up instead of computed. Text is still generated word
//! by word, since paragraphs drawn from a pool would make unrelated pages similar.

use std::io::Write as _;

use crate::bench::corpora::dice::Dice;
use crate::bench::corpora::language::Language;
use crate::bench::corpora::script::{SCRIPTS, Script};

/// Size of the slot of a word with its space.
const ROOM: usize = 31;

/// Number of words of a language: limited by the cache. Compounds of two words increase variety.
const WORD_COUNT: usize = 4_096;

/// Size of the table of ranks, and number of bits to draw an entry.
const DRAW_BITS: u32 = 14;
const DRAWS: usize = 1 << DRAW_BITS;

/// Number of frequent words of a text; a power of two.
const TOPIC_COUNT: usize = 64;

/// In a typographic vocabulary, one word in this many contains a non-ASCII character.
const TYPOGRAPHIC_EVERY: usize = 40;

/// A word with the following space.
#[derive(Clone, Copy)]
struct Word {
    bytes: [u8; ROOM],
    length: u8,
}

impl Word {
    fn new(word: &str, space: &str) -> Self {
        let mut bytes = [0; ROOM];
        let room = ROOM - space.len();
        let end = (0..=room.min(word.len())).rfind(|end| word.is_char_boundary(*end)).unwrap_or(0);
        let length = end + space.len();
        bytes[..end].copy_from_slice(&word.as_bytes()[..end]);
        bytes[end..length].copy_from_slice(space.as_bytes());
        Self { bytes, length: length as u8 }
    }

    /// Copies the whole slot with two moves, and then truncates it to the word.
    #[inline]
    fn write(&self, out: &mut Vec<u8>) {
        let end = out.len() + usize::from(self.length);
        out.extend_from_slice(&self.bytes);
        out.truncate(end);
    }
}

/// The words that a text uses more often than the language does: their indices.
pub(super) struct Topic([u16; TOPIC_COUNT]);

/// A language for pages.
pub(in crate::bench) struct Tongue {
    /// Code of the language in a record header.
    pub(in crate::bench) code: &'static str,
    /// The words, most frequent first.
    words: Vec<Word>,
    /// The capitalized words for the start of a sentence.
    capitals: Vec<Word>,
    /// The index of a word by some random bits.
    ranks: Box<[u16; DRAWS]>,
    space: &'static str,
    comma: &'static str,
    stop: &'static str,
    /// Average bytes of a token, including its separator.
    pub(super) mean_token_bytes: f64,
}

impl Tongue {
    /// English-like, in plain ASCII.
    pub(in crate::bench) fn plain() -> Self {
        let words: Vec<String> = Language::new().words().map(str::to_owned).collect();
        Self::new("eng", &words, [" ", ", ", ". "])
    }

    /// English-like, with occasional typographic characters.
    pub(super) fn typographic() -> Self {
        let mut words: Vec<String> = Language::new().words().map(str::to_owned).collect();
        for (place, word) in words.iter_mut().enumerate().skip(TYPOGRAPHIC_EVERY / 2).step_by(TYPOGRAPHIC_EVERY) {
            *word += ["’s", "é", "’t", "ès"][place / TYPOGRAPHIC_EVERY % 4];
        }
        Self::new("eng", &words, [" ", ", ", ". "])
    }

    /// In the script of this name.
    pub(super) fn of_script(name: &str, code: &'static str) -> Self {
        let script: &Script = SCRIPTS.iter().find(|script| script.name == name).expect("the script is one of those");
        Self::new(code, &script.words(), [script.space, script.comma, script.stop])
    }

    fn new(code: &'static str, words: &[String], [space, comma, stop]: [&'static str; 3]) -> Self {
        let capital = |word: &&String| -> String {
            word.chars().take(1).flat_map(char::to_uppercase).chain(word.chars().skip(1)).collect()
        };
        let words = few(words);
        let log_count = (words.len() as f64 + 1.0).ln();
        // Zipf's law by logarithms, as in `language.rs`, at the center of each interval.
        let rank = |draw: usize| (log_count * (draw as f64 + 0.5) / DRAWS as f64).exp() as usize;
        let ranks: Vec<u16> = (0..DRAWS).map(|draw| (rank(draw).clamp(1, words.len()) - 1) as u16).collect();
        let mut tongue = Self {
            code,
            words: words.iter().map(|word| Word::new(word, space)).collect(),
            capitals: words.iter().map(|word| Word::new(&capital(word), space)).collect(),
            ranks: ranks.into_boxed_slice().try_into().expect("there is a rank for every draw"),
            space,
            comma,
            stop,
            mean_token_bytes: 0.0,
        };
        let mut sample = Vec::new();
        tongue.write_text(100_000, &mut Dice::new(1), &mut sample);
        let token_count = (0..sample.len()).filter(|place| tongue.token_starts(&sample, *place)).count();
        tongue.mean_token_bytes = sample.len() as f64 / token_count as f64;
        tongue
    }

    /// The topic of a text.
    pub(super) fn topic(&self, dice: &mut Dice) -> Topic {
        Topic(std::array::from_fn(|_| self.draw(dice.roll())))
    }

    /// The index of a word, drawn by the distribution of the language.
    #[inline]
    fn draw(&self, chance: u64) -> u16 {
        self.ranks[chance as usize % DRAWS]
    }

    /// True if a token may start at this position of a text: after a space, or anywhere in a script without spaces.
    #[inline]
    pub(super) fn token_starts(&self, text: &[u8], place: usize) -> bool {
        if self.space.is_empty() {
            !is_continuation(text[place])
        } else {
            place == 0 || matches!(text[place - 1], b' ' | b'\n')
        }
    }

    /// True if a token that started before this position ends here.
    #[inline]
    pub(super) fn token_ends(&self, text: &[u8], place: usize) -> bool {
        if self.space.is_empty() { !is_continuation(text[place]) } else { matches!(text[place], b' ' | b'\n') }
    }

    /// Appends one word without a space.
    pub(super) fn write_word(&self, dice: &mut Dice, out: &mut Vec<u8>) {
        self.words[usize::from(self.draw(dice.roll()))].write(out);
        out.truncate(out.len() - self.space.len());
    }

    /// Appends words with a space after each; occasionally a comma, a number, or a compound of two words.
    #[inline]
    fn write_words(&self, count: usize, topic: &Topic, dice: &mut Dice, out: &mut Vec<u8>) {
        let mut left = count;
        while left > 0 {
            // One random number draws four words, one of them of the topic.
            let draws = dice.roll();
            let places = [
                topic.0[(draws >> (3 * DRAW_BITS)) as usize % TOPIC_COUNT],
                self.draw(draws),
                self.draw(draws >> DRAW_BITS),
                self.draw(draws >> (2 * DRAW_BITS)),
            ];
            for place in &places[..left.min(4)] {
                self.words[usize::from(*place)].write(out);
            }
            left = left.saturating_sub(4);
            let special = draws >> (3 * DRAW_BITS + TOPIC_COUNT.ilog2());
            match special & 31 {
                // Years, prices and plain counts.
                0 | 1 => {
                    let number = dice.roll() % [10, 100, 2_100, 90_000][(special >> 7 & 3) as usize];
                    write!(out, "{number}{}", self.space).expect("memory takes all");
                }
                2..7 if left > 0 => self.end_with("", out),
                7..13 if left > 0 => self.end_with(self.comma, out),
                _ => {}
            }
        }
    }

    /// Appends words as a separate line: a heading, or a menu entry.
    pub(super) fn write_line(&self, word_count: usize, topic: &Topic, dice: &mut Dice, out: &mut Vec<u8>) {
        self.capitals[usize::from(self.draw(dice.roll()))].write(out);
        self.write_words(word_count.saturating_sub(1), topic, dice, out);
        self.end_with("\n", out);
    }

    fn write_sentence(&self, topic: &Topic, dice: &mut Dice, out: &mut Vec<u8>) -> usize {
        let draws = dice.roll();
        let word_count = 4 + (draws & 0xFF) as usize % 12 + (draws >> 8 & 0xFF) as usize % 12;
        self.capitals[usize::from(self.draw(draws >> 16))].write(out);
        self.write_words(word_count - 1, topic, dice, out);
        self.end_with(self.stop, out);
        word_count
    }

    /// Appends a text of about this size, with each paragraph and heading on one line.
    pub(in crate::bench) fn write_text(&self, bytes: usize, dice: &mut Dice, out: &mut Vec<u8>) {
        out.reserve(bytes + 512);
        let topic = self.topic(dice);
        let end = out.len() + bytes;
        while out.len() < end {
            if dice.below(4) == 0 {
                self.write_line(2 + dice.below(7), &topic, dice, out);
                continue;
            }
            let mut words_left = 15 + dice.below(120);
            while words_left > 0 && out.len() < end {
                words_left = words_left.saturating_sub(self.write_sentence(&topic, dice, out));
            }
            while out.last() == Some(&b' ') {
                out.pop();
            }
            out.push(b'\n');
        }
    }

    /// Replaces the last space.
    #[inline]
    fn end_with(&self, end: &str, out: &mut Vec<u8>) {
        out.truncate(out.len() - self.space.len());
        out.extend_from_slice(end.as_bytes());
    }
}

/// A small vocabulary with the frequencies of a large one: each word represents as many as needed.
fn few(words: &[String]) -> Vec<&String> {
    let log_counts = [words.len(), WORD_COUNT].map(|count| (count as f64 + 1.0).ln());
    let rank = |few_rank: usize| ((few_rank as f64).ln() * log_counts[0] / log_counts[1]).exp() as usize;
    (1..=WORD_COUNT).map(|few_rank| &words[rank(few_rank).min(words.len()) - 1]).collect()
}

/// True if a byte is a UTF-8 continuation byte.
fn is_continuation(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_as_natural_as_that_of_the_slow_way() {
        let mut text = Vec::new();
        Tongue::plain().write_text(200_000, &mut Dice::new(3), &mut text);
        let text = String::from_utf8(text).unwrap();
        let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        let mean = words.iter().map(|word| word.len()).sum::<usize>() as f64 / words.len() as f64;
        assert!((4.4..5.0).contains(&mean), "{mean}");
        assert!(text.is_ascii() && text.contains(", ") && text.ends_with('\n') && !text.contains("  "));
    }

    #[test]
    fn every_tongue_writes_whole_characters() {
        for tongue in [Tongue::typographic(), Tongue::of_script("Cyrillic", "rus"), Tongue::of_script("Chinese", "zho")]
        {
            let mut text = Vec::new();
            tongue.write_text(100_000, &mut Dice::new(4), &mut text);
            let text = String::from_utf8(text).unwrap();
            assert!(!text.is_ascii() && text.lines().count() > 100);
            assert!((2.0..16.0).contains(&tongue.mean_token_bytes), "{}", tongue.mean_token_bytes);
        }
    }
}
