//! Generates near-duplicates of a text, as found on the web, with a given similarity.
//!
//! The effect of an edit is estimated for shingles of five words. It need not be exact: the benchmark measures every
//! pair with the judge, and only needs a range of similarities.

use super::dice::Dice;
use super::language::{Language, Letters};

/// Number of words per shingle.
const WIDTH: f64 = 5.0;

/// Generates near-duplicates in one language.
pub(in crate::bench) struct Editor<'a> {
    /// Source of new words.
    pub(in crate::bench) language: &'a Language,
    /// Letters of new words.
    pub(in crate::bench) letters: Letters,
}

impl Editor<'_> {
    /// A text whose Jaccard similarity to `base` is about `similarity`, by one of four kinds of edit.
    pub(in crate::bench) fn near_duplicate(
        &self,
        base: &str,
        boilerplate: &str,
        similarity: f64,
        dice: &mut Dice,
    ) -> String {
        // With a Jaccard similarity of s, both texts share 2s / (1 + s) of their shingles, and a text with only
        // insertions may grow by 1 / s - 1.
        let shared = 2.0 * similarity / (1.0 + similarity);
        let growth = 1.0 / similarity - 1.0;
        match dice.below(20) {
            0..8 => self.change_words(base, shared, dice),
            8..12 => self.insert_sentences(base, growth, dice),
            12..17 => frame(base, boilerplate, growth),
            _ => {
                let (reordered, seams_shared) = reorder(base, shared, dice);
                self.change_words(&reordered, (shared / seams_shared).min(1.0), dice)
            }
        }
    }

    /// Replaces, inserts and deletes words so that this share of the shingles is preserved.
    fn change_words(&self, base: &str, shared: f64, dice: &mut Dice) -> String {
        let chance = 1.0 - shared.powf(1.0 / WIDTH);
        let mut text = String::with_capacity(base.len() + base.len() / 8);
        for word in base.split_inclusive([' ', '\n']) {
            if !dice.chance(chance) {
                text += word;
                continue;
            }
            let end = if word.ends_with('\n') { "\n" } else { " " };
            match dice.below(6) {
                0 => {}
                1 => {
                    self.language.write_word(self.letters, dice, &mut text);
                    text += " ";
                    text += word;
                }
                _ => {
                    self.language.write_word(self.letters, dice, &mut text);
                    text += end;
                }
            }
        }
        text
    }

    /// Inserts new sentences before every second paragraph, so that the text grows by this share.
    fn insert_sentences(&self, base: &str, growth: f64, dice: &mut Dice) -> String {
        let mut text = String::with_capacity(base.len() * 2);
        let first = dice.below(2);
        let paragraph_count = base.lines().count();
        for (place, paragraph) in base.split_inclusive('\n').enumerate() {
            if place % 2 == first || paragraph_count == 1 {
                let share = if paragraph_count == 1 { growth } else { 2.0 * growth };
                let bytes = (paragraph.len() as f64 * share) as usize;
                text += &self.language.text(bytes, self.letters, dice);
                text += "\n";
            }
            text += paragraph;
        }
        text
    }
}

/// Adds a header and a footer of the host to a text, which grows by this share or as far as they suffice.
pub(in crate::bench) fn frame(base: &str, boilerplate: &str, growth: f64) -> String {
    let bytes = (base.len() as f64 * growth) as usize;
    let (top, bottom) = boilerplate.split_at(whole_words(boilerplate, boilerplate.len() / 3));
    let header = &top[..whole_words(top, bytes / 3)];
    let footer = &bottom[..whole_words(bottom, bytes - bytes / 3)];
    format!("{header}\n{base}\n{footer}")
}

/// The end of the last whole word within the first `bytes` of a text.
fn whole_words(text: &str, bytes: usize) -> usize {
    if bytes >= text.len() {
        return text.len();
    }
    text.as_bytes()[..=bytes].iter().rposition(|&byte| byte == b' ').unwrap_or(0)
}

/// Swaps paragraphs, and returns the preserved share of the shingles; uses up to half of the allowed changes.
fn reorder(base: &str, shared: f64, dice: &mut Dice) -> (String, f64) {
    let mut paragraphs: Vec<&str> = base.lines().collect();
    // A swap cuts a text at four seams, each of which affects width - 1 shingles.
    let cost = 4.0 * (WIDTH - 1.0) / base.split_whitespace().count().max(1) as f64;
    let exchanges = (((1.0 - shared) / 2.0 / cost) as usize).min(paragraphs.len() / 2);
    for _ in 0..exchanges {
        let (one, other) = (dice.below(paragraphs.len()), dice.below(paragraphs.len()));
        paragraphs.swap(one, other);
    }
    (paragraphs.join("\n"), 1.0 - cost * exchanges as f64)
}

#[cfg(test)]
mod tests {
    use lookalike_judge::{Shingle, measure};

    use super::*;

    #[test]
    fn near_duplicates_are_about_as_alike_as_asked_for() {
        let language = Language::new();
        let editor = Editor { language: &language, letters: Letters::Plain };
        let mut dice = Dice::new(5);
        let boilerplate = language.text(9_000, Letters::Plain, &mut dice);
        for similarity in [0.5, 0.7, 0.8, 0.9, 0.97] {
            for _ in 0..20 {
                let base = language.text(8_000, Letters::Plain, &mut dice);
                let edited = editor.near_duplicate(&base, &boilerplate, similarity, &mut dice);
                let measured = measure(&base, &edited, Shingle::Word(5)).jaccard();
                assert!((measured - similarity).abs() < 0.1, "{measured} for {similarity}");
            }
        }
    }

    #[test]
    fn a_frame_takes_whole_words_of_the_boilerplate() {
        assert_eq!(
            frame("text of ten letters", "one two three four five six", 0.5),
            "one\ntext of ten letters\n three"
        );
    }
}
