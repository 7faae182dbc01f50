//! Decides whether pairs of similar documents are matches by the rules of the run, by reading both again: every field
//! must be similar, and they must differ in more than numbers.
//!
//! Two texts differ only in numbers if they have the same words in the same order once all numbers are replaced by the
//! same one. A number with separators, such as 1,000,000 or 2.5, is one word.

use std::collections::HashSet;

use lookalike_core::hash::Key;
use lookalike_core::ids::Document;
use lookalike_core::measure::criterion::Criterion;
use lookalike_core::measure::feature_set::Overlap;
use lookalike_core::sources::SourceError;
use lookalike_core::text::fold::Fold;
use lookalike_core::text::shingle::{BETWEEN_FIELDS, Shingle, Shingler};
use rayon::prelude::*;

use crate::error::Result;
use crate::options::{DifferentNumbers, MatchOptions, Scheme};

/// Maximum number of additional separators in the numbers of one text, where removals are only counted.
const MOST_SEPARATORS: u32 = 8;

/// Access to the texts of documents that are examined again.
pub(crate) trait TextSource: Sync {
    /// The text of a document.
    fn text_of(&self, document: Document) -> Result<String>;

    /// Number of its tokens.
    fn token_count_of(&self, document: Document) -> u32;
}

/// The rules of a run.
pub(crate) struct Rules<'a> {
    options: &'a MatchOptions,
    scheme: &'a Scheme,
    texts: &'a dyn TextSource,
    key: Key,
}

impl<'a> Rules<'a> {
    pub(crate) fn new(options: &'a MatchOptions, scheme: &'a Scheme, texts: &'a dyn TextSource) -> Self {
        Self { options, scheme, texts, key: Key::random() }
    }

    /// True if similar documents may fail to be a match.
    pub(crate) fn are_any(&self) -> bool {
        self.options.has_rules()
    }

    /// True if two similar documents are a match.
    pub(crate) fn allow(&self, left: Document, right: Document) -> std::result::Result<bool, SourceError> {
        if self.options.numbers == DifferentNumbers::Keep && self.differ_in_numbers_alone(left, right)? {
            return Ok(false);
        }
        Ok(!self.options.each_field || self.is_each_field_similar(left, right)?)
    }

    /// Of pairs, the first documents of those that differ in nothing but numbers.
    pub(crate) fn different_numbers(
        &self,
        pairs: impl Iterator<Item = (Document, Document)>,
    ) -> Result<HashSet<Document>> {
        let pairs: Vec<(Document, Document)> =
            pairs.filter(|(left, right)| self.may_differ_in_numbers_alone(*left, *right)).collect();
        let is_different =
            |(left, right): &(Document, Document)| Ok(self.differ_in_numbers_alone(*left, *right)?.then_some(*left));
        let found: Result<Vec<Option<Document>>> = pairs.par_iter().map(is_different).collect();
        Ok(found?.into_iter().flatten().collect())
    }

    /// True if two documents have about the same number of tokens, so that it is worth reading them for a count.
    fn may_differ_in_numbers_alone(&self, left: Document, right: Document) -> bool {
        // Characters of a number are tokens of their own, and so are its parts in source code.
        let [left, right] = [left, right].map(|document| self.texts.token_count_of(document));
        left.abs_diff(right) <= MOST_SEPARATORS
            || !matches!(self.scheme.shingle(), Shingle::Word(_) | Shingle::StopWord(_))
    }

    fn differ_in_numbers_alone(&self, left: Document, right: Document) -> Result<bool> {
        let Fold { accents, links, .. } = self.scheme.fold();
        let [mut folded, mut whole] = [true, false].map(|digits| {
            let fold = Fold { accents, links, digits, ..Fold::NONE };
            Shingler::keyed(&Shingle::Word(1), fold, self.key)
        });
        let number = folded.own_features("0")[0];
        let mut of_text = |document: Document| -> Result<(Vec<u64>, u128)> {
            let text = self.texts.text_of(document)?;
            let mut words = folded.own_features(&text);
            words.dedup_by(|word, before| *word == number && *before == number);
            Ok((words, whole.features(&text).text_hash()))
        };
        let ((without_numbers, words), (other_without, other_words)) = (of_text(left)?, of_text(right)?);
        Ok(without_numbers == other_without && words != other_words)
    }

    fn is_each_field_similar(&self, left: Document, right: Document) -> Result<bool> {
        let [left, right] = [self.texts.text_of(left)?, self.texts.text_of(right)?];
        let mut shingler = self.scheme.clone().with_fields_apart(false).shingler(self.key);
        let mut is_similar = |left: &str, right: &str| {
            let [left, right] = [left, right].map(|field| shingler.own_features(field));
            is_field_similar(&left, &right, self.scheme.criterion())
        };
        let mut fields = left.split(BETWEEN_FIELDS).zip(right.split(BETWEEN_FIELDS));
        Ok(fields.all(|(left, right)| is_similar(left, right)))
    }
}

/// True if two fields are similar: fields without words must be equal.
fn is_field_similar(left: &[u64], right: &[u64], criterion: Criterion) -> bool {
    left.is_empty() && right.is_empty() || criterion.accepts(Overlap::of(left, right))
}
