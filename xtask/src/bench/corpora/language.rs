//! A synthetic language whose text resembles English in its letters, words and punctuation.
//!
//! Words are drawn by Zipf's law and frequent ones are short, so a word of running text has about 4.7 letters.

use std::collections::HashSet;

use super::dice::Dice;

/// Number of words of the language.
const WORD_COUNT: usize = 50_000;

/// Single consonants and clusters that start a syllable, common ones more than once.
const ONSETS: [&str; 40] = [
    "t", "t", "n", "n", "s", "s", "h", "h", "r", "r", "d", "d", "l", "l", "c", "m", "w", "f", "g", "p", "b", "v", "k",
    "t", "n", "s", "r", "th", "th", "st", "ch", "sh", "pr", "tr", "br", "gr", "pl", "cl", "j", "qu",
];

/// Vowels between two onsets.
const VOWELS: [&str; 16] = ["e", "e", "e", "a", "a", "a", "o", "o", "i", "i", "u", "e", "ea", "ou", "io", "y"];

/// Ends of sentences, mostly full stops.
const ENDS: [&str; 10] = [".", ".", ".", ".", ".", ".", ".", ".", "?", "!"];

/// Character set of a text.
#[derive(Clone, Copy, PartialEq)]
pub(in crate::bench) enum Letters {
    /// ASCII only.
    Plain,
    /// One word in 60 has an accent or typographic quotation marks.
    Typographic,
}

/// The words of the language, most frequent first.
pub(in crate::bench) struct Language {
    /// All words in one string, which stays in the cache, unlike separate strings.
    letters: String,
    /// The start of each word in it, plus the end.
    starts: Vec<u32>,
    log_word_count: f64,
}

impl Language {
    /// The only language.
    pub(in crate::bench) fn new() -> Self {
        let mut dice = Dice::new(0x1A46);
        let mut known = HashSet::new();
        let (mut letters, mut starts) = (String::new(), vec![0]);
        for rank in 1..=WORD_COUNT {
            letters += &unknown_word(rank, &mut known, &mut dice);
            starts.push(letters.len() as u32);
        }
        Self { letters, starts, log_word_count: ((WORD_COUNT + 1) as f64).ln() }
    }

    /// All words, most frequent first.
    pub(in crate::bench) fn words(&self) -> impl Iterator<Item = &str> {
        self.starts.windows(2).map(|ends| &self.letters[ends[0] as usize..ends[1] as usize])
    }

    /// Draws a word. A rank r has the probability ln(1 + 1/r) / ln(n + 1): Zipf's law with the first word at 6 %, like
    /// "the".
    #[inline]
    fn word(&self, dice: &mut Dice) -> &str {
        let rank = (self.log_word_count * dice.unit()).exp() as usize;
        let rank = rank.min(WORD_COUNT);
        &self.letters[self.starts[rank - 1] as usize..self.starts[rank] as usize]
    }

    /// Appends a word, or occasionally a number.
    pub(in crate::bench) fn write_word(&self, letters: Letters, dice: &mut Dice, text: &mut String) {
        let special = dice.below(240);
        if special < 4 {
            // Years, prices and plain counts.
            let digits = dice.choose(&[10, 100, 2_100, 90_000]);
            *text += &dice.below(digits).to_string();
        } else {
            *text += self.word(dice);
            if letters == Letters::Typographic && special >= 236 {
                *text += dice.choose(&["’s", "é", "’t", "ès"]);
            } else if special == 4 {
                *text += "'s";
            }
        }
    }

    /// Appends a sentence without a trailing space, and returns its number of words.
    fn write_sentence(&self, letters: Letters, dice: &mut Dice, text: &mut String) -> usize {
        let word_count = 4 + dice.below(12) + dice.below(12);
        let (open, close) = match (dice.below(16), letters) {
            (0, Letters::Plain) => ("\"", "\""),
            (0, Letters::Typographic) => ("“", "”"),
            _ => ("", ""),
        };
        *text += open;
        let start = text.len();
        for place in 0..word_count {
            if place > 0 {
                *text += if dice.below(14) == 0 { ", " } else { " " };
            }
            self.write_word(letters, dice, text);
        }
        if let Some(first) = text.get_mut(start..=start) {
            first.make_ascii_uppercase();
        }
        *text += dice.choose(&ENDS);
        *text += close;
        word_count
    }

    /// A text of about this size, in paragraphs of about 80 words, each on one line.
    pub(in crate::bench) fn text(&self, bytes: usize, letters: Letters, dice: &mut Dice) -> String {
        let mut text = String::with_capacity(bytes + 256);
        let mut words_left = 0;
        while text.len() < bytes {
            if !text.is_empty() {
                text += if words_left == 0 { "\n" } else { " " };
            }
            if words_left == 0 {
                words_left = 40 + dice.below(80);
            }
            words_left = usize::saturating_sub(words_left, self.write_sentence(letters, dice, &mut text));
        }
        text
    }
}

/// A new word for a rank.
fn unknown_word(rank: usize, known: &mut HashSet<String>, dice: &mut Dice) -> String {
    // The rarer a word, the longer (Zipf's law of abbreviation). There are few short words, so a word grows while it
    // already exists.
    let mut length = (1.0 + 0.66 * (rank as f64).ln() + 1.3 * dice.normal()).round().clamp(1.0, 16.0) as usize;
    loop {
        for _ in 0..4 {
            let word = spell(length, dice);
            if known.insert(word.clone()) {
                return word;
            }
        }
        length += 1;
    }
}

/// A pronounceable word of this many letters.
fn spell(length: usize, dice: &mut Dice) -> String {
    let mut word = String::new();
    let mut vowel_is_next = length == 1 || dice.chance(0.3);
    while word.len() < length {
        word += if vowel_is_next { dice.choose(&VOWELS) } else { dice.choose(&ONSETS) };
        vowel_is_next = !vowel_is_next;
    }
    word.truncate(length);
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn running_text_has_words_of_natural_length() {
        let text = Language::new().text(200_000, Letters::Plain, &mut Dice::new(3));
        let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        let mean = words.iter().map(|word| word.len()).sum::<usize>() as f64 / words.len() as f64;
        assert!((4.5..4.9).contains(&mean), "{mean}");
        assert!(text.is_ascii() && text.contains('"') && text.contains('\n'));
        let paragraph_count = text.lines().count();
        assert!((60..110).contains(&(words.len() / paragraph_count)));
    }

    #[test]
    fn typographic_text_has_letters_beyond_ascii_in_one_word_of_sixty() {
        let text = Language::new().text(200_000, Letters::Typographic, &mut Dice::new(3));
        let words: Vec<&str> = text.split_whitespace().collect();
        let special = words.iter().filter(|word| !word.is_ascii()).count();
        assert!((30..90).contains(&(words.len() / special)), "{special} of {}", words.len());
    }
}
