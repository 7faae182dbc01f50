//! Recall and precision: the share of true pairs that were found, and the share of found pairs that are true.

use std::cmp::Ordering;

use lookalike_core::ids::Rank;
use serde::Serialize;

use crate::error::Result;

/// Recall, precision and F1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Score {
    /// Pairs that were found. Where the true pairs are given, those of documents with the same words are among them:
    /// every method finds these.
    pub found_count: u64,
    /// Of these, the true ones.
    pub right_count: u64,
    /// True pairs that were not found.
    pub missed_count: u64,
    /// The share of true pairs that were found; 1 if there are none.
    pub recall: f64,
    /// The share of found pairs that are true; 1 if there are none.
    pub precision: f64,
    /// Their harmonic mean.
    pub f1: f64,
}

/// Given pairs of documents with the same words, which are one text.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SameWords {
    pub(crate) true_count: u64,
    /// Those that people labeled different.
    pub(crate) different_count: u64,
}

/// Two texts by their ranks; reading them may fail.
type Pair = Result<(Rank, Rank)>;

impl Score {
    /// Scores pairs against true ones; both sorted. A pair of texts that corresponds to several true pairs of documents
    /// counts several times. Every method finds all pairs in `same_words`.
    pub(crate) fn new(
        found: impl Iterator<Item = Pair>,
        truth: impl Iterator<Item = Pair>,
        same_words: SameWords,
    ) -> Result<Self> {
        let (mut found, mut truth) = (found.peekable(), truth.peekable());
        let SameWords { true_count: right, different_count } = same_words;
        let (mut found_count, mut true_count, mut right) = (right + different_count, right, right);
        let mut last = None;
        loop {
            let order = match (found.peek(), truth.peek()) {
                (None, None) => break,
                (Some(Ok(left)), Some(Ok(right))) => left.cmp(right),
                (Some(_), _) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
            };
            if order.is_le() {
                let pair = found.next().transpose()?;
                // Counted below, as often as it is true.
                found_count += u64::from(order.is_lt());
                last = pair.filter(|_| order.is_eq());
            }
            while let Some(pair) =
                truth.next_if(|pair| order.is_eq() && pair.as_ref().is_ok_and(|pair| Some(*pair) == last))
            {
                pair?;
                (found_count, right, true_count) = (found_count + 1, right + 1, true_count + 1);
            }
            if order.is_gt() {
                truth.next().transpose()?;
                true_count += 1;
            }
        }
        let share = |part: u64, whole: u64| if whole == 0 { 1.0 } else { part as f64 / whole as f64 };
        let (recall, precision) = (share(right, true_count), share(right, found_count));
        let both = recall + precision;
        Ok(Self {
            found_count,
            right_count: right,
            missed_count: true_count - right,
            recall,
            precision,
            f1: if both > 0.0 { 2.0 * recall * precision / both } else { 0.0 },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(found: &[(u32, u32)], truth: &[(u32, u32)]) -> Score {
        let ranks = |(left, right): &(u32, u32)| Ok((Rank(*left), Rank(*right)));
        Score::new(found.iter().map(ranks), truth.iter().map(ranks), SameWords::default()).unwrap()
    }

    #[test]
    fn recall_is_of_the_truth_and_precision_of_what_was_found() {
        let some = score(&[(0, 1), (0, 2), (3, 4)], &[(0, 1), (1, 2), (3, 4), (5, 6)]);
        assert_eq!((some.found_count, some.right_count, some.missed_count), (3, 2, 2));
        assert!((some.recall - 0.5).abs() < 1e-12 && (some.precision - 2.0 / 3.0).abs() < 1e-12);
        assert!((some.f1 - 4.0 / 7.0).abs() < 1e-12);
        assert!((score(&[], &[]).f1 - 1.0).abs() < 1e-12);
        assert!(score(&[(0, 1)], &[(1, 2)]).f1.abs() < 1e-12);
    }

    #[test]
    fn pairs_of_copies_count_as_often_as_they_are_given() {
        let ranks = |(left, right): &(u32, u32)| Ok((Rank(*left), Rank(*right)));
        let (found, truth) = ([(0, 1), (2, 3)], [(0, 1), (0, 1), (0, 1), (4, 5), (4, 5)]);
        let same_words = SameWords { true_count: 3, different_count: 1 };
        let score = Score::new(found.iter().map(ranks), truth.iter().map(ranks), same_words).unwrap();
        assert_eq!((score.found_count, score.right_count, score.missed_count), (8, 6, 2));
    }

    #[test]
    fn pairs_that_cannot_be_read_are_no_score() {
        let broken = || std::iter::once(Err(crate::Error::NotAPair { path: "truth".to_owned(), line: 1 }));
        let whole = || [Ok((Rank(0), Rank(1))), Ok((Rank(7), Rank(8)))].into_iter();
        let none = SameWords::default();
        assert!(Score::new(broken(), whole(), none).is_err() && Score::new(whole(), broken(), none).is_err());
    }
}
