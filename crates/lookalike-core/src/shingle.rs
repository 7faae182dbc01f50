//! Tokens to features: every window of K tokens becomes 64 bits, by constant work a window.
//!
//! The hash of a window is a polynomial over its token hashes, so that the next window costs one step; then it is
//! mixed, for the sketch takes its randomness from the features themselves.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};
use crate::hash::{BASE, mix, text_hash};
use crate::text::fold::Fold;
use crate::text::tokenize::{Token, TokenSink, Tokenizer};

/// What a feature is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shingle {
    /// This many words in a row.
    Word(usize),
    /// This many characters in a row.
    Char(usize),
}

/// The longest shingle: beyond it, two texts that differ in one word have next to nothing in common.
const LONGEST: usize = 1000;

impl Default for Shingle {
    fn default() -> Self {
        Self::Word(5)
    }
}

impl Shingle {
    /// How many tokens one shingle has.
    pub fn width(self) -> usize {
        match self {
            Self::Word(width) | Self::Char(width) => width,
        }
    }
}

impl FromStr for Shingle {
    type Err = Error;

    fn from_str(value: &str) -> Result<Self> {
        let refused = || Error::NotAShingle { value: value.to_owned(), most: LONGEST };
        let (kind, width) = value.split_once(':').ok_or_else(refused)?;
        let width = width.parse().ok().filter(|width| (1..=LONGEST).contains(width)).ok_or_else(refused)?;
        match kind {
            "word" => Ok(Self::Word(width)),
            "char" => Ok(Self::Char(width)),
            _ => Err(refused()),
        }
    }
}

impl fmt::Display for Shingle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(width) => write!(f, "word:{width}"),
            Self::Char(width) => write!(f, "char:{width}"),
        }
    }
}

/// Makes the features of texts; made once a thread, for its buffers.
pub struct Shingler {
    shingle: Shingle,
    tokenizer: Tokenizer,
    tokens: Vec<u64>,
    features: Vec<u64>,
}

/// The features of one text, lent by the [`Shingler`] that made them.
#[derive(Clone, Copy, Debug)]
pub struct Features<'a> {
    tokens: &'a [u64],
    /// One a window, in order, repeated where the text repeats itself.
    pub all: &'a [u64],
}

impl Features<'_> {
    /// How many tokens the text has.
    pub fn token_count(self) -> usize {
        self.tokens.len()
    }

    /// The hash by which exact copies are known.
    pub fn text_hash(self) -> u128 {
        text_hash(self.tokens)
    }
}

impl Shingler {
    /// A shingler for shingles of this kind, of texts from which this is left out.
    pub fn new(shingle: Shingle, fold: Fold) -> Self {
        Self { shingle, tokenizer: Tokenizer::new(fold), tokens: Vec::new(), features: Vec::new() }
    }

    /// The features of `text`.
    ///
    /// ```
    /// use lookalike_core::shingle::{Shingle, Shingler};
    /// use lookalike_core::text::fold::Fold;
    ///
    /// let mut shingler = Shingler::new(Shingle::Word(4), Fold::NONE);
    /// let features = shingler.features("a rose is a rose is a rose");
    /// assert_eq!(features.all.len(), 5); // windows, three of them distinct
    /// ```
    pub fn features(&mut self, text: &str) -> Features<'_> {
        self.tokens.clear();
        tokenize(&mut self.tokenizer, self.shingle, text, &mut self.tokens);
        self.features.clear();
        shingle(&self.tokens, self.shingle.width(), &mut self.features);
        Features { tokens: &self.tokens, all: &self.features }
    }

    /// The tokens of `text` with their places, and the features: feature `i` is made of the tokens from `i` on.
    pub fn places(&mut self, text: &str) -> (Vec<Token>, Vec<u64>) {
        let mut places: Vec<Token> = Vec::new();
        tokenize(&mut self.tokenizer, self.shingle, text, &mut places);
        let features = self.features(text).all.to_vec();
        (places, features)
    }
}

fn tokenize(tokenizer: &mut Tokenizer, shingle: Shingle, text: &str, sink: &mut impl TokenSink) {
    match shingle {
        Shingle::Word(_) => tokenizer.words(text, sink),
        Shingle::Char(_) => tokenizer.characters(text, sink),
    }
}

/// Appends the feature of each window of `width` tokens; a shorter text is one window of all its tokens.
fn shingle(tokens: &[u64], width: usize, features: &mut Vec<u64>) {
    let width = width.min(tokens.len());
    if width == 0 {
        return;
    }
    let mut window = tokens[..width].iter().fold(0_u64, |sum, token| sum.wrapping_mul(BASE).wrapping_add(*token));
    // What leaves the window has been multiplied once for each token after it, and once more by the step.
    let leaving = BASE.wrapping_pow(width as u32);
    features.reserve(tokens.len() - width + 1);
    features.push(mix(window));
    features.extend(tokens.iter().zip(&tokens[width..]).map(|(first, next)| {
        window = window.wrapping_mul(BASE).wrapping_add(next.wrapping_sub(first.wrapping_mul(leaving)));
        mix(window)
    }));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shingles(tokens: &[u64], width: usize) -> Vec<u64> {
        let mut features = Vec::new();
        shingle(tokens, width, &mut features);
        features
    }

    #[test]
    fn a_shingle_is_written_as_it_is_read() {
        for written in ["word:5", "char:1", "word:1000"] {
            assert_eq!(written.parse::<Shingle>().unwrap().to_string(), written);
        }
        for wrong in ["word", "word:0", "word:-1", "line:5", "word:1001", "word:5:5", ""] {
            assert!(wrong.parse::<Shingle>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_text_shorter_than_the_shingle_is_one_shingle() {
        assert_eq!(shingles(&[7, 8], 5), shingles(&[7, 8], 2));
        assert_eq!(shingles(&[7, 8], 5).len(), 1);
        assert_eq!(shingles(&[], 5), []);
    }

    proptest! {
        #[test]
        fn rolling_on_gives_what_starting_anew_gives(tokens in proptest::collection::vec(any::<u64>(), 1..50), width in 1_usize..9) {
            let anew: Vec<u64> = tokens.windows(width.min(tokens.len())).flat_map(|window| shingles(window, width)).collect();
            prop_assert_eq!(shingles(&tokens, width), anew);
        }
    }
}
