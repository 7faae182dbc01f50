//! Scores to matches: the threshold that the data suggests, and at most one match a record where that is wanted.

use std::cmp::Ordering;

use rayon::prelude::*;

use super::closeness::closeness;
use super::records::Records;
use super::score::{Scored, Scorer};
use super::weigh::exact_weight;
use crate::ids::Number;

/// The probability from which on pairs are taken for matches when they are to have the best expected F1, the mean of
/// precision and recall.
pub fn suggest_threshold(scored: &[Scored]) -> f64 {
    /// Neither everything nor nothing, whatever the sums say.
    const ALLOWED: std::ops::RangeInclusive<f64> = 0.1..=0.99;
    /// Where fewer matches are expected, there may be none: the best of all pairs that are none looks like one.
    const FEW: f64 = 2.0;
    /// The probability that is asked for then.
    const SURE: f64 = 0.9;
    let mut probabilities: Vec<f64> = scored.iter().map(Scored::probability).collect();
    probabilities.sort_unstable_by(|a, b| b.total_cmp(a));
    let total: f64 = probabilities.iter().sum();
    let (mut best, mut threshold, mut right) = (0.0, 0.5, 0.0);
    for (count, probability) in (1..).zip(&probabilities) {
        right += probability;
        // Expected right ones, over the mean of those taken and those that there are.
        let expected = 2.0 * right / (f64::from(count) + total);
        if expected > best {
            (best, threshold) = (expected, *probability);
        }
    }
    let least = if total > 0.0 && total < FEW { SURE } else { *ALLOWED.start() };
    threshold.clamp(least, *ALLOWED.end())
}

/// The pairs with at least this probability, best first.
pub fn matches(records: &Records, scored: &[Scored], threshold: f64) -> Vec<Scored> {
    let mut matches: Vec<Scored> = scored.iter().filter(|pair| pair.probability() >= threshold).copied().collect();
    best_first(records, &mut matches);
    matches
}

/// What the share of all words that two records have in common counts, in bits, where one of several partners is chosen. Levels are
/// coarse: of all that reach the highest, the closest is meant.
const CLOSENESS: f64 = 16.0;

/// The pairs of which neither record is in a better pair, best first: a record that is taken is taken.
pub fn one_to_one(scorer: &Scorer<'_>, scored: &[Scored]) -> Vec<Scored> {
    let records = scorer.records;
    let closer = |pair: &Scored| {
        let closeness = exact_weight(CLOSENESS * closeness(records, pair.left, pair.right));
        Scored { weight: pair.weight + closeness, ..*pair }
    };
    let mut sorted: Vec<(Scored, f64)> = scored.par_iter().map(|pair| (closer(pair), pair.weight)).collect();
    sorted.sort_by(|(one, _), (other, _)| order(records, one, other));
    let mut is_taken = vec![false; records.count()];
    sorted.retain(|(pair, _)| {
        let is_free = !is_taken[pair.left.index()] && !is_taken[pair.right.index()];
        is_taken[pair.left.index()] |= is_free;
        is_taken[pair.right.index()] |= is_free;
        is_free
    });
    let mut taken: Vec<Scored> = sorted.into_iter().map(|(pair, weight)| Scored { weight, ..pair }).collect();
    best_first(records, &mut taken);
    taken
}

/// The logarithm of the odds that a random pair of two tables is a match, where a record has at most one: then the partners of a
/// record compete, and what is estimated is the share of records that have one. `prior` is what the scores were made with.
pub fn one_to_one_prior(records: &Records, scored: &[Scored], prior: f64) -> f64 {
    /// Nobody is sure that every record has a match.
    const MOST: f64 = 0.95;
    const ROUNDS: usize = 100;
    let (first, second) = (records.first_count(), records.count() - records.first_count());
    let (is_first_smaller, smaller, larger) = (first <= second, first.min(second) as f64, first.max(second) as f64);
    // What speaks for any of the partners of a record, over what speaks for none.
    let mut evidence = vec![0.0; first.min(second)];
    for pair in scored {
        let record = if is_first_smaller { pair.left.index() } else { pair.right.index() - first };
        evidence[record] += (pair.weight - prior).exp2();
    }
    let mut share = 0.5_f64;
    for _ in 0..ROUNDS {
        let odds = share / (larger * (1.0 - share));
        let has_match: f64 = evidence.iter().map(|evidence| odds * evidence / (1.0 + odds * evidence)).sum();
        share = (has_match / smaller).clamp(1.0 / smaller.max(2.0), MOST);
    }
    exact_weight((share / (larger * (1.0 - share))).log2())
}

/// Sorts by weight, and ties by what the records hold, never by their rows.
pub(super) fn best_first(records: &Records, scored: &mut [Scored]) {
    scored.sort_by(|one, other| order(records, one, other));
}

fn order(records: &Records, one: &Scored, other: &Scored) -> Ordering {
    let contents = |scored: &Scored| {
        let (left, right) = (records.content(scored.left), records.content(scored.right));
        if records.are_of_two_tables() { (left, right) } else { (left.min(right), left.max(right)) }
    };
    other.weight.total_cmp(&one.weight).then_with(|| contents(one).cmp(&contents(other)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Record;
    use crate::link::weigh::log_odds;

    fn scored(probabilities: &[f64]) -> Vec<Scored> {
        let pair = |(probability, at): (&f64, u32)| Scored {
            left: Record(at),
            right: Record(at + 1),
            pattern: 0,
            weight: log_odds(*probability),
        };
        probabilities.iter().zip(0..).map(pair).collect()
    }

    #[test]
    fn the_threshold_lies_where_more_pairs_would_do_more_harm_than_good() {
        // With 0.4 taken too: 2 * 2.3 / (3 + 2.31); without: 2 * 1.9 / (2 + 2.31), which is more.
        assert!((suggest_threshold(&scored(&[0.99, 0.91, 0.4, 0.01])) - 0.91).abs() < 1e-9);
        assert!((suggest_threshold(&scored(&[0.9, 0.6, 0.55])) - 0.55).abs() < 1e-9);
    }

    #[test]
    fn where_there_may_be_no_match_at_all_one_must_be_sure() {
        assert!((suggest_threshold(&scored(&[0.85, 0.8, 0.1])) - 0.9).abs() < 1e-9);
        assert!((suggest_threshold(&scored(&[0.97, 0.3])) - 0.97).abs() < 1e-9);
    }

    #[test]
    fn without_pairs_the_threshold_is_even_odds() {
        assert!((suggest_threshold(&[]) - 0.5).abs() < 1e-12);
    }
}
