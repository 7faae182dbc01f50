//! Compares found pairs with the true ones.
//!
//! The reference lists only pairs above its floor. Of an unlisted pair, it is only known that it is below the floor.

use std::collections::HashSet;

use crate::pairs::{Pair, Pairs, share};

/// Maximum difference of similarities because of different tokens.
pub(super) const MARGIN: f64 = 0.02;

/// Similarities have four digits, and sums of them an error in the last bit.
const ROUNDING: f64 = 1e-9;

/// Maximum number of pairs of each kind to show.
const MOST_SHOWN: usize = 10;

/// Comparison with a reference at one threshold.
pub(super) struct Score {
    /// Pairs of the reference at the threshold or above.
    pub(super) true_count: usize,
    /// Pairs that were found.
    pub(super) found_count: usize,
    /// Of the reference's pairs clearly above the threshold, the share that was found.
    pub(super) recall_outside: f64,
    /// Of the found pairs, the share that is not clearly below the threshold.
    pub(super) precision_outside: f64,
    /// Of the reference's pairs at the threshold or above, the share that was found.
    pub(super) recall: f64,
    /// Of the found pairs, the share that is in the reference at the threshold or above.
    pub(super) precision: f64,
    /// The largest difference between the two similarities of one pair; none if the reference has no similarities.
    pub(super) largest_difference: Option<f64>,
    /// Pairs clearly above the threshold that were not found, with the reference's similarity.
    pub(super) missed: Vec<(Pair, f64)>,
    /// Found pairs that are clearly below the threshold, with our similarity and the reference's.
    pub(super) wrong: Vec<(Pair, f64, Option<f64>)>,
}

impl Score {
    /// Compares `found` with `answer`, which lists all pairs from `floor` on.
    pub(super) fn of(found: &Pairs, answer: &Pairs, threshold: f64, floor: f64) -> Self {
        let at_least = |least: f64| -> HashSet<&Pair> {
            answer.iter().filter(|(_, similarity)| **similarity >= least - ROUNDING).map(|(pair, _)| pair).collect()
        };
        let exactly = at_least(threshold);
        let clearly = at_least(threshold + MARGIN);
        // Below the floor the reference has no information, so the margin ends at the floor.
        let possibly = at_least((threshold - MARGIN).max(floor));

        let mut missed: Vec<_> = clearly
            .iter()
            .filter(|pair| !found.contains_key(**pair))
            .map(|pair| ((*pair).clone(), answer[*pair]))
            .collect();
        let mut wrong: Vec<_> = found
            .iter()
            .filter(|(pair, _)| !possibly.contains(pair))
            .map(|(pair, ours)| (pair.clone(), *ours, answer.get(pair).copied()))
            .collect();
        missed.sort_by(|one, other| one.0.cmp(&other.0));
        wrong.sort_by(|one, other| one.0.cmp(&other.0));

        let exact_count = exactly.iter().filter(|pair| found.contains_key(**pair)).count();
        // A reference with only ones lists true pairs without similarities.
        let has_similarities = answer.values().any(|similarity| *similarity < 1.0);
        let differences = found.iter().filter_map(|(pair, ours)| Some((ours - answer.get(pair)?).abs()));
        Self {
            true_count: exactly.len(),
            found_count: found.len(),
            recall_outside: share(clearly.len() - missed.len(), clearly.len()),
            precision_outside: share(found.len() - wrong.len(), found.len()),
            recall: share(exact_count, exactly.len()),
            precision: share(exact_count, found.len()),
            largest_difference: differences.max_by(f64::total_cmp).filter(|_| has_similarities),
            missed,
            wrong,
        }
    }

    /// Lists the missing and the wrong pairs.
    pub(super) fn explain(&self, set: &str, threshold: f64) {
        for ((one, other), similarity) in self.missed.iter().take(MOST_SHOWN) {
            println!("{set} at {threshold}: not found: {one} and {other}, {similarity} in the answer");
        }
        for ((one, other), ours, theirs) in self.wrong.iter().take(MOST_SHOWN) {
            let theirs = theirs.map_or("absent".to_owned(), |theirs| theirs.to_string());
            println!("{set} at {threshold}: found: {one} and {other} with {ours:.4}, {theirs} in the answer");
        }
        let more = self.missed.len().saturating_sub(MOST_SHOWN) + self.wrong.len().saturating_sub(MOST_SHOWN);
        if more > 0 {
            println!("{set} at {threshold}: and {more} more");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairs::pair;

    fn pairs(list: &[(&str, &str, f64)]) -> Pairs {
        list.iter().map(|(one, other, similarity)| (pair(one, other), *similarity)).collect()
    }

    #[test]
    fn within_the_margin_nothing_is_asked() {
        let answer = pairs(&[("a", "b", 0.81), ("a", "c", 0.79), ("a", "d", 0.9)]);
        let score = Score::of(&pairs(&[("a", "c", 0.8), ("a", "d", 0.88)]), &answer, 0.8, 0.5);
        assert_eq!((score.recall_outside, score.precision_outside), (1.0, 1.0));
        assert_eq!((score.recall, score.precision), (0.5, 0.5));
        assert!((score.largest_difference.unwrap() - 0.02).abs() < 1e-9);
    }

    #[test]
    fn outside_the_margin_each_fault_is_named() {
        let answer = pairs(&[("a", "b", 0.82), ("a", "c", 0.77)]);
        let score = Score::of(&pairs(&[("c", "a", 0.8), ("x", "y", 0.9)]), &answer, 0.8, 0.5);
        assert_eq!((score.recall_outside, score.precision_outside), (0.0, 0.0));
        assert_eq!(score.missed, [(pair("a", "b"), 0.82)]);
        assert_eq!(score.wrong, [(pair("a", "c"), 0.8, Some(0.77)), (pair("x", "y"), 0.9, None)]);
    }

    #[test]
    fn an_answer_without_similarities_has_no_differences() {
        let score = Score::of(&pairs(&[("a", "b", 0.96)]), &pairs(&[("a", "b", 1.0)]), 0.8, 0.0);
        assert_eq!((score.recall, score.precision, score.largest_difference), (1.0, 1.0, None));
    }
}
