//! Derives matches from scores: the threshold that the data suggests, and at most one match per record if requested.

use std::cmp::Ordering;

use rayon::prelude::*;

use super::closeness::closeness;
use super::measure::{DIFFERENT, Scale, level_of};
use super::records::{Records, Tells};
use super::score::{Scored, Scorer};
use super::weigh::exact_weight;
use crate::ids::Number;

/// Suggests the minimum probability of a match: the one with the best expected F1, the harmonic mean of precision and
/// recall.
pub fn suggest_threshold(scored: &[Scored]) -> f64 {
    /// Range of suggestions: never everything and never nothing, whatever the sums are.
    const ALLOWED: std::ops::RangeInclusive<f64> = 0.1..=0.99;
    /// Number of expected matches below which there may be none: the best-scoring non-match looks like a match.
    const FEW: f64 = 2.0;
    /// Minimum probability required in that case.
    const SURE: f64 = 0.9;
    let mut probabilities: Vec<f64> = scored.iter().map(Scored::probability).collect();
    probabilities.sort_unstable_by(|a, b| b.total_cmp(a));
    let total: f64 = probabilities.iter().sum();
    let (mut best, mut threshold, mut right) = (0.0, 0.5, 0.0);
    for (count, probability) in (1..).zip(&probabilities) {
        right += probability;
        // Expected number of right matches, over the mean of the numbers of selected and of existing ones.
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

/// Bits for the share of words that two records have in common, to choose among several partners. Levels are coarse:
/// among all partners at the highest level, the closest one is meant.
const CLOSENESS: f64 = 16.0;

/// Minimum evidence, in bits over even odds, from a name that occurs in exactly one record of each table.
const UNIQUE: f64 = 1.0;

/// True if the two share a name or a title that no other record has, and differ in no field.
fn is_named_alone(scorer: &Scorer<'_>, pair: &Scored) -> bool {
    let mut is_named = false;
    for (at, field) in scorer.records.fields().iter().enumerate() {
        let (level, scale) = (level_of(pair.pattern, at), Scale::of(field.kind));
        let is_name = matches!(field.tells, Tells::Name | Tells::Thing);
        if is_name && level == scale.equal() {
            let value = field.of_record[pair.left.index()] as usize;
            is_named |= field.counts.iter().all(|counts| counts[value] == 1);
        } else if level >= DIFFERENT && scale.level(level).points < HALF_ALIKE {
            return false;
        }
    }
    is_named
}

/// Points at which two values are as similar as they are different.
const HALF_ALIKE: u8 = 50;

/// Selects the pairs of which neither record is in a better pair, best first: a record that is taken is not available
/// again.
pub fn one_to_one(scorer: &Scorer<'_>, scored: &[Scored]) -> Vec<Scored> {
    let records = scorer.records;
    let closer = |pair: &Scored| {
        let weight = if is_named_alone(scorer, pair) { pair.weight.max(UNIQUE) } else { pair.weight };
        let closeness = exact_weight(CLOSENESS * closeness(records, pair.left, pair.right));
        (Scored { weight: weight + closeness, ..*pair }, weight)
    };
    let mut sorted: Vec<(Scored, f64)> = scored.par_iter().map(closer).collect();
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

/// Logarithm of the odds that a random pair of two tables is a match, if a record has at most one: the partners of a
/// record then compete, and the share of records that have a partner is estimated. `prior` is the one that the scores
/// were computed with.
pub fn one_to_one_prior(records: &Records, scored: &[Scored], prior: f64) -> f64 {
    /// Maximum share of records with a match, which is never certain for all.
    const MOST: f64 = 0.95;
    const ROUNDS: usize = 100;
    let (first, second) = (records.first_count(), records.count() - records.first_count());
    let (is_first_smaller, smaller, larger) = (first <= second, first.min(second) as f64, first.max(second) as f64);
    // Evidence for each partner of a record, relative to the evidence for no partner.
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

/// Sorts by weight, and ties by the contents of the records, never by their rows.
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
