//! Scores to matches: the threshold that the data suggests, and at most one match a record where that is wanted.

use std::cmp::Ordering;

use super::records::Records;
use super::score::Scored;

/// The probability from which on pairs are taken for matches when they are to have the best expected F1, the mean of
/// precision and recall.
pub fn suggest_threshold(scored: &[Scored]) -> f64 {
    /// Neither everything nor nothing, whatever the sums say.
    const ALLOWED: std::ops::RangeInclusive<f64> = 0.1..=0.99;
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
    threshold.clamp(*ALLOWED.start(), *ALLOWED.end())
}

/// The pairs with at least this probability, best first.
pub fn matches(records: &Records, scored: &[Scored], threshold: f64) -> Vec<Scored> {
    let mut matches: Vec<Scored> = scored.iter().filter(|pair| pair.probability() >= threshold).copied().collect();
    best_first(records, &mut matches);
    matches
}

/// The pairs of which neither record is in a better pair, best first: a record that is taken is taken.
pub fn one_to_one(records: &Records, scored: &[Scored]) -> Vec<Scored> {
    let mut sorted = scored.to_vec();
    best_first(records, &mut sorted);
    let mut is_taken = vec![false; records.count()];
    sorted.retain(|pair| {
        let is_free = !is_taken[pair.left as usize] && !is_taken[pair.right as usize];
        is_taken[pair.left as usize] |= is_free;
        is_taken[pair.right as usize] |= is_free;
        is_free
    });
    sorted
}

/// Sorts by weight, and ties by what the records hold, never by their rows.
pub(super) fn best_first(records: &Records, scored: &mut [Scored]) {
    let contents = |scored: &Scored| {
        let (left, right) = (records.content(scored.left), records.content(scored.right));
        if records.are_of_two_tables() { (left, right) } else { (left.min(right), left.max(right)) }
    };
    let order = |a: &Scored, b: &Scored| -> Ordering {
        b.weight.total_cmp(&a.weight).then_with(|| contents(a).cmp(&contents(b)))
    };
    scored.sort_by(order);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::weigh::log_odds;

    fn scored(probabilities: &[f64]) -> Vec<Scored> {
        let pair = |(probability, at): (&f64, u32)| Scored {
            left: at,
            right: at + 1,
            pattern: 0,
            weight: log_odds(*probability),
        };
        probabilities.iter().zip(0..).map(pair).collect()
    }

    #[test]
    fn the_threshold_lies_where_more_pairs_would_do_more_harm_than_good() {
        // With 0.4 taken too: 2 * 2.3 / (3 + 2.31); without: 2 * 1.9 / (2 + 2.31), which is more.
        assert!((suggest_threshold(&scored(&[0.99, 0.91, 0.4, 0.01])) - 0.91).abs() < 1e-9);
        assert!((suggest_threshold(&scored(&[0.9, 0.6, 0.5])) - 0.5).abs() < 1e-9);
    }

    #[test]
    fn without_pairs_the_threshold_is_even_odds() {
        assert!((suggest_threshold(&[]) - 0.5).abs() < 1e-12);
    }
}
