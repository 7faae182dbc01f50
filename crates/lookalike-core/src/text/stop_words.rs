//! Stop words: the small words that sentences are full of, and that navigation and advertisements lack.
//!
//! By default those of all languages at once, so that no language has to be guessed. They are part of the format, like
//! a hash function: the lists come from a crate whose version is fixed, and a test guards them.

use crate::error::{Error, Result};
use crate::hash::{Key, bytes_hash};
use crate::measure::feature_set::FeatureSet;
use crate::text::fold::Fold;
use crate::text::tokenize::Tokenizer;

/// The tokens that are stop words, by their hashes.
#[derive(Clone, Debug)]
pub struct StopWords {
    /// Argument as given: `all`, languages, or a file.
    name: String,
    words: Vec<String>,
}

impl PartialEq for StopWords {
    fn eq(&self, other: &Self) -> bool {
        self.words == other.words
    }
}

impl Eq for StopWords {}

impl StopWords {
    /// The words of these languages, by their codes and separated by commas, such as `en,de`; `all` for all languages.
    ///
    /// # Errors
    ///
    /// [`Error::NotALanguage`] when there is no list for one.
    pub fn of_languages(codes: &str) -> Result<Self> {
        let known = stop_words::available_languages();
        let mut words = Vec::new();
        for code in if codes == "all" { known.to_vec() } else { codes.split(',').map(str::trim).collect() } {
            let list = stop_words::lookup(code)
                .ok_or_else(|| Error::NotALanguage { value: code.to_owned(), known: known.join(", ") })?;
            words.extend(list.iter().map(|word| (*word).to_owned()));
        }
        words.sort_unstable();
        words.dedup();
        Ok(Self { name: codes.to_owned(), words })
    }

    /// Your own words, with a name for the list.
    pub fn new(name: impl Into<String>, words: impl IntoIterator<Item = String>) -> Self {
        Self { name: name.into(), words: words.into_iter().collect() }
    }

    /// The name of the list: `all`, languages, or a file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The words, one by one.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// Identifies the words of the list, whatever its name.
    pub fn content_hash(&self) -> u64 {
        bytes_hash(self.words.join("\n").as_bytes()) as u64
    }

    /// The tokens that are stop words. A stop word of several tokens, such as "it's", counts as its first token.
    pub fn tokens(&self, fold: Fold, key: Key) -> FeatureSet {
        let mut tokenizer = Tokenizer::new(fold, key);
        let mut tokens: Vec<u64> = Vec::new();
        for word in &self.words {
            let mut of_word: Vec<u64> = Vec::new();
            tokenizer.words(word, &mut of_word);
            tokens.extend(of_word.first());
        }
        FeatureSet::new(&tokens)
    }
}

#[cfg(test)]
mod tests {
    use xxhash_rust::xxh3::xxh3_64;

    use super::*;
    use crate::hash::token_hash;

    #[test]
    fn the_lists_are_what_they_have_always_been() {
        let all = StopWords::of_languages("all").unwrap();
        let mut tokens: Vec<u64> = all.tokens(Fold::NONE, Key::FIXED).iter().collect();
        tokens.sort_unstable();
        assert_eq!((tokens.len(), xxh3_64(bytemuck::cast_slice(&tokens))), (9458, 18_147_538_582_530_710_466));
        assert!(stop_words::available_languages().len() >= 10);
    }

    #[test]
    fn languages_are_chosen_by_their_codes() {
        let has = |codes: &str, word: &str| {
            StopWords::of_languages(codes).unwrap().tokens(Fold::NONE, Key::FIXED).contains(token_hash(word.as_bytes()))
        };
        assert!(has("en", "the") && !has("en", "und") && has("en,de", "und") && has("all", "het"));
        assert!(matches!(StopWords::of_languages("en,klingon"), Err(Error::NotALanguage { .. })));
    }

    #[test]
    fn words_of_ones_own_are_cut_like_texts() {
        let own =
            StopWords::new("own", ["THE".to_owned(), "it's".to_owned(), String::new()]).tokens(Fold::NONE, Key::FIXED);
        assert!(own.contains(token_hash(b"the")) && own.contains(token_hash(b"it")));
        assert_eq!(own.size(), 2);
    }
}
