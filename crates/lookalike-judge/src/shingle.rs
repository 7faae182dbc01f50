//! Tokens and the set of shingles of a text, as real strings.
//!
//! A text too short for one whole shingle is one shingle of all its tokens; a text without tokens has no shingles.

use std::collections::HashSet;
use std::str::FromStr;

use crate::normalize::normalize;
use crate::tokenize::{char_tokens, own_tokens, word_tokens};

/// Kind and number of the tokens of a shingle; the number must not be 0.
///
/// ```
/// use lookalike_judge::Shingle;
///
/// assert_eq!("word:5".parse(), Ok(Shingle::Word(5)));
/// assert!("word:0".parse::<Shingle>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shingle {
    /// This many consecutive words.
    Word(usize),
    /// This many consecutive code points.
    Char(usize),
    /// This many consecutive tokens of the caller, separated by spaces.
    Token(usize),
}

impl Shingle {
    /// Number of tokens of a shingle.
    ///
    /// # Panics
    ///
    /// If the number is 0.
    pub fn token_count(self) -> usize {
        let (Self::Word(count) | Self::Char(count) | Self::Token(count)) = self;
        assert!(count > 0, "a shingle has at least one token");
        count
    }
}

/// An invalid shingle.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not a shingle; write word:5, char:5 or token:5, with a count of 1 or more")]
pub struct ParseShingleError {
    /// The invalid text.
    pub text: String,
}

impl FromStr for Shingle {
    type Err = ParseShingleError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || ParseShingleError { text: text.to_string() };
        let (unit, count) = text.split_once(':').ok_or_else(wrong)?;
        match (unit, count.parse()) {
            (_, Ok(0) | Err(_)) => Err(wrong()),
            ("word", Ok(count)) => Ok(Self::Word(count)),
            ("char", Ok(count)) => Ok(Self::Char(count)),
            ("token", Ok(count)) => Ok(Self::Token(count)),
            _ => Err(wrong()),
        }
    }
}

/// The tokens of `text` in order, normalized unless they are the caller's own.
///
/// ```
/// use lookalike_judge::{Shingle, tokens};
///
/// assert_eq!(tokens("snake_case, twice", Shingle::Word(5)), ["snake_case", "twice"]);
/// ```
pub fn tokens(text: &str, shingle: Shingle) -> Vec<String> {
    match shingle {
        Shingle::Word(_) => word_tokens(&normalize(text)),
        Shingle::Char(_) => char_tokens(&normalize(text)),
        Shingle::Token(_) => own_tokens(text),
    }
}

/// The set of shingles of `text`.
///
/// ```
/// use lookalike_judge::{Shingle, shingles};
///
/// assert_eq!(shingles("a b c a b", Shingle::Word(2)).len(), 3);
/// ```
pub fn shingles(text: &str, shingle: Shingle) -> HashSet<Vec<String>> {
    let token_count = shingle.token_count();
    let tokens = tokens(text, shingle);
    if tokens.is_empty() {
        HashSet::new()
    } else if tokens.len() < token_count {
        HashSet::from([tokens])
    } else {
        tokens.windows(token_count).map(<[_]>::to_vec).collect()
    }
}
