//! Turns tokens into features: every window of K tokens becomes 64 bits, in constant time per window.
//!
//! The hash of a window is a polynomial over its token hashes, so that the next window takes one step; then it is
//! mixed, because the sketch takes its randomness from the features themselves.
//!
//! Shingles of stop words are windows of three words too, but only those that start with a stop word: few of a page's
//! navigation and advertisements, and many of its article. (Theobald, Siddharth, Paepcke: `SpotSigs`, SIGIR 2008)

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::hash::{Key, mix};
use crate::measure::feature_set::FeatureSet;
use crate::text::code::Language;
use crate::text::fold::Fold;
use crate::text::ignored::{Ignored, SourcePlace};
use crate::text::stop_words::StopWords;
use crate::text::tokenize::{Token, TokenSink, Tokenizer};

/// Units that features are built from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shingle {
    /// This many words in a row.
    Word(usize),
    /// This many characters in a row.
    Char(usize),
    /// A stop word and the two words after it.
    StopWord(Arc<StopWords>),
    /// This many tokens of the caller in a row: the text between blanks, unchanged.
    Token(usize),
    /// This many tokens of source code in a row.
    Code(usize, Language),
}

/// A stop word and the two words after it.
const STOP_WORD_WIDTH: usize = 3;

/// Constant that distinguishes the occurrences of one shingle.
const OCCURRENCE: u64 = 0xD1B5_4A32_D192_ED03;

/// Separator between the fields of a text, if fields are distinguished.
pub const BETWEEN_FIELDS: char = '\u{1e}';

/// Constant that distinguishes equal shingles of different fields.
const FIELD: u64 = 0xA24B_AED4_963E_E407;

/// The longest shingle: beyond it, two texts that differ in one word have next to nothing in common.
const LONGEST: usize = 1000;

impl Default for Shingle {
    fn default() -> Self {
        Self::Word(5)
    }
}

impl Shingle {
    /// Tokens per shingle.
    pub fn width(&self) -> usize {
        match self {
            Self::Word(width) | Self::Char(width) | Self::Token(width) | Self::Code(width, _) => *width,
            Self::StopWord(_) => STOP_WORD_WIDTH,
        }
    }
}

impl FromStr for Shingle {
    type Err = Error;

    fn from_str(value: &str) -> Result<Self> {
        let refused = || Error::NotAShingle { value: value.to_owned(), most: LONGEST };
        let (kind, width) = match value.split_once(':') {
            None if value == "stopword" => ("stopword", "all"),
            parts => parts.ok_or_else(refused)?,
        };
        if kind == "stopword" {
            return Ok(Self::StopWord(Arc::new(StopWords::of_languages(width)?)));
        }
        let (language, width) = match width.split_once(':') {
            Some((language, width)) if kind == "code" => (language.parse().map_err(|()| refused())?, width),
            _ => (Language::Any, width),
        };
        let width = width.parse().ok().filter(|width| (1..=LONGEST).contains(width)).ok_or_else(refused)?;
        match kind {
            "word" => Ok(Self::Word(width)),
            "char" => Ok(Self::Char(width)),
            "token" => Ok(Self::Token(width)),
            "code" => Ok(Self::Code(width, language)),
            _ => Err(refused()),
        }
    }
}

impl Shingle {
    /// The largest number of words or characters.
    pub const MOST: usize = LONGEST;
}

impl fmt::Display for Shingle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(width) => write!(f, "word:{width}"),
            Self::Char(width) => write!(f, "char:{width}"),
            Self::Token(width) => write!(f, "token:{width}"),
            Self::Code(width, Language::Any) => write!(f, "code:{width}"),
            Self::Code(width, language) => write!(f, "code:{language}:{width}"),
            Self::StopWord(words) if words.name() == "all" => f.write_str("stopword"),
            Self::StopWord(words) => write!(f, "stopword:{}", words.name()),
        }
    }
}

/// Makes the features of texts. Use one per thread, since it reuses its buffers.
pub struct Shingler {
    shingle: Shingle,
    key: Key,
    tokenizer: Tokenizer,
    /// The tokens with which a shingle starts, if not every one does.
    starts: Option<FeatureSet>,
    /// Number of occurrences so far of each feature of a text, if repeats count.
    repeats: Option<HashMap<u64, u64>>,
    /// True if the fields of texts are distinguished.
    tells_fields_apart: bool,
    /// Group of the texts that follow: those of another group share nothing with them.
    group: Option<u64>,
    /// Shingles to leave out, and the source of the texts that follow.
    ignored: Option<Arc<Ignored>>,
    source: Option<SourcePlace>,
    tokens: Vec<u64>,
    features: Vec<u64>,
}

/// The features of one text, lent by the [`Shingler`] that made them.
#[derive(Clone, Copy, Debug)]
pub struct Features<'a> {
    key: Key,
    tokens: &'a [u64],
    group: Option<u64>,
    /// One per window, in order, repeated where the text repeats itself; without those that are ignored.
    pub all: &'a [u64],
    /// Number of distinct features that are left out.
    pub ignored: u32,
}

impl Features<'_> {
    /// Number of tokens.
    pub fn token_count(self) -> usize {
        self.tokens.len()
    }

    /// A hash that is equal for texts with the same words in the same order.
    pub fn text_hash(self) -> u128 {
        let hash = self.key.text_hash(self.tokens);
        self.group.map_or(hash, |group| hash ^ u128::from(mix(group)) << 64 ^ u128::from(mix(!group)))
    }
}

/// The tokens of a text with their positions, and the shingles built from them.
#[derive(Clone, Debug)]
pub struct Places {
    /// All tokens, in order.
    pub tokens: Vec<Token>,
    /// All features, in order.
    pub features: Vec<u64>,
    /// The first token of each feature.
    pub firsts: Vec<usize>,
    /// Tokens per feature.
    pub width: usize,
}

impl Shingler {
    /// A shingler for shingles of this kind, with this fold and the fixed hashes.
    pub fn new(shingle: &Shingle, fold: Fold) -> Self {
        Self::keyed(shingle, fold, Key::FIXED)
    }

    /// The same with keyed hashes.
    pub fn keyed(shingle: &Shingle, fold: Fold, key: Key) -> Self {
        let starts = match shingle {
            Shingle::StopWord(words) => Some(words.tokens(fold, key)),
            Shingle::Word(_) | Shingle::Char(_) | Shingle::Token(_) | Shingle::Code(..) => None,
        };
        let tokenizer = Tokenizer::new(fold, key);
        let (tokens, features) = (Vec::new(), Vec::new());
        Self {
            shingle: shingle.clone(),
            key,
            tokenizer,
            starts,
            ignored: None,
            source: None,
            repeats: None,
            tells_fields_apart: false,
            group: None,
            tokens,
            features,
        }
    }

    /// Leaves out the features that are ignored in the source of a text. `ignored` has the key of this shingler.
    #[must_use]
    pub fn ignoring(self, ignored: impl Into<Option<Arc<Ignored>>>) -> Self {
        Self { ignored: ignored.into(), ..self }
    }

    /// Sets the source of the texts that follow; `None` if no part of them is ignored.
    pub fn of_source(&mut self, source: Option<SourcePlace>) -> &mut Self {
        self.source = source;
        self
    }

    /// Makes each repetition of a shingle another feature.
    #[must_use]
    pub fn counting_repeats(self, counts_repeats: bool) -> Self {
        Self { repeats: counts_repeats.then(HashMap::new), ..self }
    }

    /// Makes a shingle another feature in each field of a text; none spans two fields. Fields have [`BETWEEN_FIELDS`]
    /// between them.
    #[must_use]
    pub fn telling_fields_apart(self, tells_fields_apart: bool) -> Self {
        Self { tells_fields_apart, ..self }
    }

    /// Sets the group of the texts that follow: texts of different groups share no feature.
    pub fn set_group(&mut self, group: Option<u64>) {
        self.group = group;
    }

    /// The kind of features.
    pub fn kind(&self) -> &Shingle {
        &self.shingle
    }

    /// The features of `text`.
    ///
    /// ```
    /// use lookalike_core::text::shingle::{Shingle, Shingler};
    /// use lookalike_core::text::fold::Fold;
    ///
    /// let mut shingler = Shingler::new(&Shingle::Word(4), Fold::NONE);
    /// let features = shingler.features("a rose is a rose is a rose");
    /// assert_eq!(features.all.len(), 5); // windows, three of them distinct
    /// ```
    pub fn features(&mut self, text: &str) -> Features<'_> {
        self.tokens.clear();
        self.features.clear();
        if self.tells_fields_apart {
            self.shingle_fields(text);
        } else {
            tokenize(&mut self.tokenizer, &self.shingle, text, &mut self.tokens);
            self.shingle();
        }
        let ignored = match (&self.ignored, self.source) {
            (Some(ignored), Some(source)) => ignored.leave_out(source, &mut self.features),
            _ => 0,
        };
        if let Some(group) = self.group {
            self.features.iter_mut().for_each(|feature| *feature = mix(*feature ^ group));
        }
        self.tell_repeats_apart();
        Features { key: self.key, tokens: &self.tokens, group: self.group, all: &self.features, ignored }
    }

    /// The features of `text` to keep, without a copy.
    pub fn own_features(&mut self, text: &str) -> Vec<u64> {
        self.features(text);
        std::mem::take(&mut self.features)
    }

    /// The number of tokens of `text`, without keeping them.
    pub fn token_count(&mut self, text: &str) -> usize {
        let mut count = 0;
        tokenize(&mut self.tokenizer, &self.shingle, text, &mut count);
        count
    }

    /// The tokens of `text` with their places, and the features with theirs: all of them, whatever is ignored.
    pub fn places(&mut self, text: &str) -> Places {
        let mut tokens: Vec<Token> = Vec::new();
        tokenize(&mut self.tokenizer, &self.shingle, text, &mut tokens);
        // Those of the whole text, whatever its fields are.
        let tells_fields_apart = std::mem::replace(&mut self.tells_fields_apart, false);
        let source = self.source.take();
        let features = self.own_features(text);
        self.tells_fields_apart = tells_fields_apart;
        self.source = source;
        let width = self.shingle.width();
        let all = 0..features.len();
        match &self.starts {
            Some(starts) => {
                let firsts: Vec<usize> = first_tokens(&self.tokens, starts).collect();
                // Without a stop word, all tokens make one feature.
                let width = if firsts.is_empty() { tokens.len() } else { width };
                Places { tokens, features, firsts: if firsts.is_empty() { all.collect() } else { firsts }, width }
            }
            None => Places { tokens, features, firsts: all.collect(), width },
        }
    }

    /// Makes the shingles of each field by itself.
    fn shingle_fields(&mut self, text: &str) {
        let (mut tokens, mut features) = (Vec::new(), Vec::new());
        for (at, field) in (1_u64..).zip(text.split(BETWEEN_FIELDS)) {
            self.tokens.clear();
            self.features.clear();
            tokenize(&mut self.tokenizer, &self.shingle, field, &mut self.tokens);
            self.shingle();
            let field = at.wrapping_mul(FIELD);
            features.extend(self.features.iter().map(|feature| mix(*feature ^ field)));
            // Words that go from one field to another make another text.
            tokens.extend((at > 1).then_some(field));
            tokens.append(&mut self.tokens);
        }
        // Of fields alone, without words, there is nothing.
        let count = text.matches(BETWEEN_FIELDS).count();
        if tokens.len() == count {
            tokens.clear();
        }
        (self.tokens, self.features) = (tokens, features);
    }

    /// Makes each further occurrence a different feature, if repeats count: two texts then share each feature as often
    /// as both have it.
    fn tell_repeats_apart(&mut self) {
        let Some(occurrences) = &mut self.repeats else { return };
        occurrences.clear();
        for feature in &mut self.features {
            let occurrence = occurrences.entry(*feature).or_insert(0);
            if *occurrence > 0 {
                *feature = mix(feature.wrapping_add(occurrence.wrapping_mul(OCCURRENCE)));
            }
            *occurrence += 1;
        }
    }

    fn shingle(&mut self) {
        let Self { shingle: kind, key, starts, tokens, features, .. } = self;
        let Some(starts) = starts else { return key.shingle(tokens, kind.width(), features) };
        for first in first_tokens(tokens, starts) {
            key.shingle(&tokens[first..first + STOP_WORD_WIDTH], STOP_WORD_WIDTH, features);
        }
        if features.is_empty() {
            key.shingle(tokens, tokens.len(), features);
        }
    }
}

/// Positions of shingles that begin with one of these tokens.
fn first_tokens(tokens: &[u64], starts: &FeatureSet) -> impl Iterator<Item = usize> {
    let windows = tokens.windows(STOP_WORD_WIDTH).enumerate();
    windows.filter(|(_, window)| starts.contains(window[0])).map(|(first, _)| first)
}

fn tokenize(tokenizer: &mut Tokenizer, shingle: &Shingle, text: &str, sink: &mut impl TokenSink) {
    match shingle {
        Shingle::Word(_) | Shingle::StopWord(_) => tokenizer.words(text, sink),
        Shingle::Char(_) => tokenizer.characters(text, sink),
        Shingle::Token(_) => tokenizer.between_blanks(text, sink),
        Shingle::Code(_, language) => tokenizer.code(text, *language, sink),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shingles(tokens: &[u64], width: usize) -> Vec<u64> {
        let mut features = Vec::new();
        Key::FIXED.shingle(tokens, width, &mut features);
        features
    }

    #[test]
    fn a_shingle_is_written_as_it_is_read() {
        for written in ["word:5", "char:1", "word:1000", "token:3", "stopword", "stopword:en,de"] {
            assert_eq!(written.parse::<Shingle>().unwrap().to_string(), written);
        }
        for wrong in ["word", "word:0", "word:-1", "line:5", "word:1001", "word:5:5", "", "stopword:", "stopword:xx"] {
            assert!(wrong.parse::<Shingle>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_text_shorter_than_the_shingle_is_one_shingle() {
        assert_eq!(shingles(&[7, 8], 5), shingles(&[7, 8], 2));
        assert_eq!(shingles(&[7, 8], 5).len(), 1);
        assert!(shingles(&[], 5).is_empty());
    }

    #[test]
    fn a_stop_word_and_the_two_words_after_it_are_a_shingle() {
        let own = Shingle::StopWord(Arc::new(StopWords::new("own", ["the", "is"].map(str::to_owned))));
        let mut shingler = Shingler::new(&own, Fold::NONE);
        let mut words = Shingler::new(&Shingle::Word(3), Fold::NONE);
        let text = "Buy now! The storm is over, says the office.";
        let found = shingler.features(text).all.to_vec();
        let expected: Vec<u64> =
            ["the storm is", "is over says"].iter().flat_map(|shingle| words.features(shingle).all.to_vec()).collect();
        assert_eq!(found, expected);
        assert_eq!(shingler.token_count(text), words.features(text).token_count());
        assert_eq!(shingler.places(text).firsts, [2, 4]);
        // Without a stop word there is one shingle, so that copies are still copies.
        assert_eq!(shingler.features("Buy now, pay later").all.len(), 1);
        assert_eq!(shingler.places("Buy now, pay later").width, 4);
        assert_eq!(shingler.features("").all.len(), 0);
    }

    #[test]
    fn tokens_of_the_caller_are_compared_as_they_are() {
        let mut shingler = Shingler::new(&Shingle::Token(1), Fold::NONE);
        let text = "Don't  stop\u{a0}now!\tÉté\n";
        let features = shingler.features(text).all.to_vec();
        let tokens =
            ["Don't", "stop\u{a0}now!", "Été"].map(|token| crate::hash::mix(crate::hash::token_hash(token.as_bytes())));
        assert_eq!(features, tokens);
        let places = shingler.places(text).tokens;
        assert_eq!(
            places.iter().map(|token| &text[token.start..token.end]).collect::<Vec<_>>().concat(),
            "Don'tstop\u{a0}now!Été"
        );
        assert_ne!(shingler.features("a").all.to_vec(), shingler.features("A").all.to_vec());
        assert_ne!(shingler.features("a\0").all.to_vec(), shingler.features("a").all.to_vec());
        assert_eq!(Shingler::new(&Shingle::Token(2), Fold::NONE).features("a b a b").all.len(), 3);
        assert!(shingler.features(" \n").all.is_empty());
    }

    proptest! {
        #[test]
        fn a_key_changes_every_feature_and_not_which_are_equal(
            text in "(the|storm|Ärger|é|e\u{301}|漢字|กิน|한국어|[a-c]{0,20}|\u{3000}|[ ,.])( |-)?{0,40}",
            key: u128,
            shingle in proptest::sample::select(vec!["word:2", "char:3", "token:2", "stopword"]),
            fold in proptest::sample::select(vec![Fold::NONE, Fold { accents: true, digits: true, ..Fold::NONE }]),
        ) {
            let shingle: Shingle = shingle.parse().unwrap();
            let fixed = Shingler::new(&shingle, fold).features(&text).all.to_vec();
            let keyed = Shingler::keyed(&shingle, fold, Key::new(key)).features(&text).all.to_vec();
            // The place where each feature stood first.
            let pattern = |features: &[u64]| -> Vec<Option<usize>> {
                features.iter().map(|feature| features.iter().position(|other| other == feature)).collect()
            };
            prop_assert_eq!(pattern(&fixed), pattern(&keyed));
            prop_assert!(fixed.iter().zip(&keyed).all(|(fixed, keyed)| fixed != keyed));
        }
    }
}
