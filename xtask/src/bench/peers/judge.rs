//! Compares a result with the exact one.

use serde::{Deserialize, Serialize};

use super::answer::{Answer, Found, Gives};
use crate::bench::corpora::truth::Truth;
use crate::pairs::share;

/// Quality of a result.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Verdict {
    /// Kind of the tool's results.
    pub(super) gives: Gives,
    /// Number of reported pairs.
    pub(super) found_count: usize,
    /// Number of true ones among them.
    pub(super) right_count: usize,
    /// Share of the true pairs that are reported; none if it reports no pairs.
    pub(super) recall: Option<f64>,
    /// Share of the reported pairs that are true; none if it reports no pairs.
    pub(super) precision: Option<f64>,
    /// Number of removed documents.
    pub(super) removed_count: usize,
    /// Number of those that are similar to no kept document.
    pub(super) lost_count: usize,
    /// Number of true pairs of which both documents are kept.
    pub(super) left_count: usize,
}

impl Verdict {
    /// Evaluates a result.
    pub(super) fn of(answer: &Answer, truth: &Truth) -> Self {
        let right_count = truth.keys().filter(|(left, right)| answer.found.contains(*left, *right)).count();
        let found_count = answer.found.count();
        let mut has_kept = vec![false; answer.is_kept.len()];
        let mut left_count = 0;
        for &(left, right) in truth.keys() {
            has_kept[left] |= answer.is_kept[right];
            has_kept[right] |= answer.is_kept[left];
            left_count += usize::from(answer.is_kept[left] && answer.is_kept[right]);
        }
        let removed = || answer.is_kept.iter().zip(&has_kept).filter(|(is_kept, _)| !**is_kept);
        let named = !matches!(answer.found, Found::Nothing);
        Self {
            gives: answer.found.gives(),
            found_count,
            right_count,
            recall: named.then(|| share(right_count, truth.len())),
            precision: named.then(|| share(right_count, found_count)),
            removed_count: removed().count(),
            lost_count: removed().filter(|(_, has_kept)| !**has_kept).count(),
            left_count,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn the_end_of_a_chain_is_lost_when_only_its_start_stays() {
        // 0 matches 1, 1 matches 2, and 0 does not match 2.
        let truth = Truth::from([((0, 1), 0.8), ((1, 2), 0.8)]);
        let found = Found::Pairs(HashSet::from([(0, 1), (0, 2)]));
        let verdict = Verdict::of(&Answer { is_kept: vec![true, false, false], found }, &truth);
        assert_eq!((verdict.removed_count, verdict.lost_count, verdict.left_count), (2, 1, 0));
        assert_eq!((verdict.recall, verdict.precision), (Some(0.5), Some(0.5)));
    }

    #[test]
    fn who_names_nothing_has_neither_recall_nor_precision() {
        let answer = Answer { is_kept: vec![true, true], found: Found::Nothing };
        let verdict = Verdict::of(&answer, &Truth::from([((0, 1), 1.0)]));
        assert_eq!((verdict.recall, verdict.precision, verdict.left_count), (None, None, 1));
    }
}
