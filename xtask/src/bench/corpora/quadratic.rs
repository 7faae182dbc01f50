//! The four corpora that make a careless detector quadratic. Each text depends only on its number.
//!
//! The similarities are computed for shingles of five words: a text of n words has n − 4 of them, and replacing w
//! consecutive words changes w + 4. The benchmark also measures them on a sample.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;

use anyhow::Result;

use super::dice::Dice;
use super::language::Language;

/// Kind of corpus.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::bench) enum Kind {
    /// One text, repeated.
    Copies,
    /// One text except for two consecutive words. Two of them share 54 of 66 shingles: similarity 0.82, and rarely
    /// more.
    Template,
    /// Nine words in ten are the same in all texts, in three pieces. Two of them share 168 of 224 shingles: 0.75.
    Boilerplate,
    /// A window that moves by nine words: adjacent texts share 87 of 105 shingles, 0.83, and those at distance two 78
    /// of 114, 0.68.
    Chain,
}

/// Number of words of a text of each kind.
const COPY_WORDS: usize = 60;
const TEMPLATE_WORDS: usize = 64;
const BOILERPLATE_WORDS: usize = 200;
const CHAIN_WORDS: usize = 100;

/// Step of the chain's window.
const CHAIN_STEP: usize = 9;

/// Number of words to choose from for each slot of the template: enough for a million distinct texts.
const SLOT_WORDS: usize = 1_100;

impl Kind {
    pub(in crate::bench) const ALL: [Self; 4] = [Self::Copies, Self::Template, Self::Boilerplate, Self::Chain];

    /// Name in a table.
    pub(in crate::bench) fn name(self) -> &'static str {
        match self {
            Self::Copies => "exact copies",
            Self::Template => "template, two words differ",
            Self::Boilerplate => "boilerplate at 0.75",
            Self::Chain => "chain of neighbors",
        }
    }

    /// Number of documents at full size.
    pub(in crate::bench) fn full_size(self) -> usize {
        match self {
            Self::Copies | Self::Template => 1_000_000,
            Self::Boilerplate => 200_000,
            Self::Chain => 100_000,
        }
    }

    /// Number of near-duplicate pairs.
    pub(in crate::bench) fn true_pairs(self, size: usize) -> f64 {
        match self {
            Self::Copies | Self::Template => size as f64 * (size as f64 - 1.0) / 2.0,
            Self::Boilerplate => 0.0,
            Self::Chain => size as f64 - 1.0,
        }
    }
}

/// Writes texts.
pub(in crate::bench) struct Texts {
    words: Vec<String>,
}

impl Texts {
    pub(in crate::bench) fn new() -> Self {
        Self { words: Language::new().words().map(str::to_owned).collect() }
    }

    /// A text by its number.
    pub(in crate::bench) fn text(&self, kind: Kind, number: usize) -> String {
        let mut text = String::with_capacity(1_600);
        let mut add = |word: &str| {
            if !text.is_empty() {
                text.push(' ');
            }
            text += word;
        };
        match kind {
            Kind::Copies => (0..COPY_WORDS).for_each(|place| add(self.common_word(kind, place))),
            Kind::Template => {
                for place in 0..TEMPLATE_WORDS {
                    add(match TEMPLATE_WORDS / 2 {
                        slot if place == slot => &self.words[number % SLOT_WORDS],
                        slot if place == slot + 1 => &self.words[number / SLOT_WORDS % SLOT_WORDS],
                        _ => self.common_word(kind, place),
                    });
                }
            }
            Kind::Boilerplate => {
                let mut own = Dice::new(number as u64);
                for place in 0..BOILERPLATE_WORDS {
                    // Ten words after a third, and ten after two thirds.
                    let is_own = place % 60 >= 50 && place < 120;
                    let own_word = &self.words[own.below(self.words.len())];
                    add(if is_own { own_word } else { self.common_word(kind, place) });
                }
            }
            Kind::Chain => {
                let start = number * CHAIN_STEP;
                (start..start + CHAIN_WORDS).for_each(|place| add(self.common_word(kind, place)));
            }
        }
        text
    }

    /// A word of the text that all texts of a kind share.
    fn common_word(&self, kind: Kind, place: usize) -> &str {
        let mut dice = Dice::new((kind as u64 + 1) << 40 | place as u64);
        &self.words[dice.below(self.words.len())]
    }

    /// Writes a corpus of this many documents, whose ids are their numbers.
    pub(in crate::bench) fn write(&self, kind: Kind, size: usize, file: &Path) -> Result<()> {
        let mut out = BufWriter::with_capacity(1 << 20, File::create(file)?);
        for number in 0..size {
            // Letters and spaces only: nothing to escape.
            writeln!(out, "{{\"id\":\"{number}\",\"text\":\"{}\"}}", self.text(kind, number))?;
        }
        out.flush()?;
        // Pending writes would disturb the measurements.
        Ok(out.get_ref().sync_data()?)
    }
}

#[cfg(test)]
mod tests {
    use lookalike_judge::{Shingle, measure};

    use super::*;

    fn similarity(texts: &Texts, kind: Kind, one: usize, other: usize) -> f64 {
        measure(&texts.text(kind, one), &texts.text(kind, other), Shingle::Word(5)).jaccard()
    }

    #[test]
    fn every_corpus_has_the_similarities_that_it_is_made_for() {
        let texts = Texts::new();
        let mut dice = Dice::new(1);
        for _ in 0..200 {
            let (one, other) = (dice.below(100_000), dice.below(99_999));
            let other = other + usize::from(other >= one);
            assert!((similarity(&texts, Kind::Copies, one, other) - 1.0).abs() < 1e-9);
            let template = similarity(&texts, Kind::Template, one, other);
            assert!((0.8..0.95).contains(&template), "{template}");
            let boilerplate = similarity(&texts, Kind::Boilerplate, one, other);
            assert!((0.74..0.76).contains(&boilerplate), "{boilerplate}");
            let chain = [1, 2].map(|step| similarity(&texts, Kind::Chain, one, one + step));
            assert!(chain[0] > 0.82 && chain[1] < 0.7, "{chain:?}");
        }
    }

    #[test]
    fn texts_of_the_template_are_all_different() {
        let texts = Texts::new();
        let different: std::collections::HashSet<String> =
            (0..5_000).map(|number| texts.text(Kind::Template, number * 199)).collect();
        assert_eq!(different.len(), 5_000);
        assert!(SLOT_WORDS * SLOT_WORDS >= Kind::Template.full_size());
    }
}
