//! Estimates the number of pairs that share a bucket but were not compared because the bucket is too large, and the
//! number of matches among them.
//!
//! A pair may share several buckets. Each bucket in which it was passed over is a *meeting*, and meetings are easy to
//! count and to draw; a pair with m meetings is drawn m times as often as one with a single meeting, so each of its
//! meetings has weight 1/m. (Karp, Luby: Monte-Carlo algorithms for enumeration and reliability problems, FOCS 1983)
//! The estimate is unbiased, and its error follows from the sample.
//!
//! The sample is drawn without replacement and with a fixed seed, so it does not depend on threads or batches: every
//! meeting has a random position, and the first ones are selected.

use serde::{Deserialize, Serialize};

use crate::bucket::chance;
use crate::ids::Rank;

/// Number of meetings to draw. Each costs a microsecond; with this many, the number of pairs is known to a few percent.
pub const MOST_DRAWN: usize = 4096;

/// Maximum number of drawn pairs to compare: each may have to be read again.
const MOST_SAMPLED: usize = 1000;

/// Half-width of a 95 % interval in standard deviations.
const DEVIATIONS: f64 = 1.96;

/// Probability outside a 95 % interval on each side.
const TAIL: f64 = 0.025;

/// Number of hits below which a normal approximation is not used.
const FEW: usize = 30;

/// Meetings that were passed over, and a uniform sample of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PassedOver {
    meetings: u64,
    /// In the order of their positions.
    drawn: Vec<Drawn>,
}

/// A meeting that was drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Drawn {
    /// The bits of a positive floating-point number, which sort like the number. Positions are exponentially
    /// distributed, so that those of several samples can be combined.
    pub position: u64,
    /// The rank of the better item.
    pub left: u32,
    /// The rank of the other.
    pub right: u32,
    /// Number of meetings of the pair; 0 if it was compared because of another bucket.
    pub meetings: u32,
    /// True for the first meeting of its pair: each pair has exactly one.
    pub is_first: bool,
}

/// Estimated numbers of the pairs that were not compared, with their errors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PassedOverEstimate {
    /// Estimated number of pairs that share a bucket and were not compared; every pair counts once.
    pub pair_count: u64,
    /// The error of that number at 95 % confidence.
    pub pair_count_error: u64,
    /// Number of these pairs, chosen at random, that were compared after all.
    pub sampled_count: u64,
    /// Estimated number of matches among the pairs, from that sample.
    pub match_count: u64,
    /// The lower bound of that number at 95 % confidence.
    pub match_count_at_least: u64,
    /// The upper bound of that number at 95 % confidence.
    pub match_count_at_most: u64,
}

impl PassedOver {
    /// Creates a sample from the number of meetings and the drawn ones.
    pub fn new(meetings: u64, mut drawn: Vec<Drawn>) -> Self {
        drawn.sort_unstable();
        drawn.truncate(MOST_DRAWN);
        Self { meetings, drawn }
    }

    /// Number of meetings.
    pub fn meetings(&self) -> u64 {
        self.meetings
    }

    /// The drawn meetings.
    pub fn drawn(&self) -> &[Drawn] {
        &self.drawn
    }

    /// Combines two samples: the result is as if it had been drawn from both at once.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.drawn.extend(other.drawn);
        Self::new(self.meetings.saturating_add(other.meetings), self.drawn)
    }

    /// The pairs to compare, by rank, selected uniformly from all that were passed over.
    pub fn sample(&self) -> impl Iterator<Item = (Rank, Rank)> {
        self.firsts().take(MOST_SAMPLED).map(|drawn| (Rank(drawn.left), Rank(drawn.right)))
    }

    /// Computes the estimate from the number of matches in the [sample](Self::sample). There are at most `most_pairs`
    /// pairs.
    pub fn estimate(&self, matches: usize, most_pairs: u64) -> PassedOverEstimate {
        let sampled = self.sample().count();
        let (pairs, error) = self.pairs();
        let pairs = pairs.min(most_pairs as f64);
        if self.meetings == self.drawn.len() as u64 && sampled == self.firsts().count() {
            let [pairs, matches] = [pairs.round() as u64, matches as u64];
            let (matches_at_least, matches_at_most) = (matches, matches);
            return PassedOverEstimate {
                pair_count: pairs,
                pair_count_error: 0,
                sampled_count: pairs,
                match_count: matches,
                match_count_at_least: matches_at_least,
                match_count_at_most: matches_at_most,
            };
        }
        let (least, most) = interval(matches, sampled);
        let most_matches = (pairs + error).min(most_pairs as f64) * most;
        let least_matches = (pairs - error) * least;
        PassedOverEstimate {
            pair_count: pairs.round() as u64,
            pair_count_error: error.round() as u64,
            sampled_count: sampled as u64,
            match_count: (pairs * matches as f64 / sampled.max(1) as f64).round() as u64,
            // Matches that were found certainly exist.
            match_count_at_least: (least_matches.ceil().max(0.0) as u64).max(matches as u64),
            match_count_at_most: most_matches.ceil() as u64,
        }
    }

    fn firsts(&self) -> impl Iterator<Item = &Drawn> {
        self.drawn.iter().filter(|drawn| drawn.is_first && drawn.meetings > 0)
    }

    /// The estimated number of pairs, and its error.
    fn pairs(&self) -> (f64, f64) {
        let (meetings, count) = (self.meetings as f64, self.drawn.len().max(1) as f64);
        let weight = |drawn: &Drawn| if drawn.meetings == 0 { 0.0 } else { 1.0 / f64::from(drawn.meetings) };
        let mean = self.drawn.iter().map(weight).sum::<f64>() / count;
        if self.meetings == self.drawn.len() as u64 {
            return (meetings * mean, 0.0);
        }
        let hits = self.drawn.iter().filter(|drawn| drawn.meetings > 0).count();
        if hits < FEW {
            // No weight is above 1.
            return (meetings * mean, meetings * (interval(hits, self.drawn.len()).1 - mean));
        }
        let variance = self.drawn.iter().map(|drawn| (weight(drawn) - mean).powi(2)).sum::<f64>() / (count - 1.0);
        // Correction for sampling without replacement.
        let unseen = 1.0 - count / meetings;
        (meetings * mean, meetings * DEVIATIONS * (variance * unseen / count).sqrt())
    }
}

/// The exact 95 % confidence interval of the probability, given `hits` among `draws`, by the binomial distribution.
/// (Clopper, Pearson: The use of confidence or fiducial limits, Biometrika 1934)
pub fn interval(hits: usize, draws: usize) -> (f64, f64) {
    let lower = if hits == 0 { 0.0 } else { solve(|chance| chance::at_least(draws, hits, chance) >= TAIL) };
    let upper =
        if hits >= draws { 1.0 } else { solve(|chance| 1.0 - chance::at_least(draws, hits + 1, chance) < TAIL) };
    (lower, upper)
}

/// The smallest probability for which `is_true` holds, by bisection: it is false below and true above.
fn solve(is_true: impl Fn(f64) -> bool) -> f64 {
    let (mut below, mut above) = (0.0, 1.0);
    for _ in 0..40 {
        let middle = f64::midpoint(below, above);
        if is_true(middle) { above = middle } else { below = middle }
    }
    above
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A meeting at a position that identifies its pair.
    fn drawn(position: u64, meetings: u32, is_first: bool) -> Drawn {
        Drawn { position, left: position as u32, right: position as u32 + 1, meetings, is_first }
    }

    #[test]
    fn what_was_drawn_as_a_whole_is_known_without_error() {
        // A pair with two meetings, one with one, and one that was compared in another bucket.
        let all = vec![drawn(1, 2, true), drawn(4, 2, false), drawn(2, 1, true), drawn(3, 0, true)];
        let passed_over = PassedOver::new(4, all);
        assert_eq!(passed_over.sample().count(), 2);
        let expected = PassedOverEstimate {
            pair_count: 2,
            pair_count_error: 0,
            sampled_count: 2,
            match_count: 1,
            match_count_at_least: 1,
            match_count_at_most: 1,
        };
        assert_eq!(passed_over.estimate(1, 100), expected);
    }

    #[test]
    fn a_pair_that_meets_often_counts_once() {
        // A million meetings, all of pairs with five meetings.
        let sample = (0..MOST_DRAWN as u64).map(|at| drawn(at, 5, at % 5 == 0)).collect();
        let estimate = PassedOver::new(1_000_000, sample).estimate(0, u64::MAX);
        assert_eq!((estimate.pair_count, estimate.pair_count_error, estimate.sampled_count), (200_000, 0, 820));
        assert_eq!((estimate.match_count, estimate.match_count_at_least), (0, 0));
        // 1 - 0.025^(1/820) = 0.00449
        assert!((890..=900).contains(&estimate.match_count_at_most), "{estimate:?}");
    }

    #[test]
    fn there_are_never_more_pairs_than_are_possible() {
        let sample = (0..MOST_DRAWN as u64).map(|at| drawn(at, 1 + (at % 2) as u32, true)).collect();
        let estimate = PassedOver::new(1_000_000, sample).estimate(1000, 500_000);
        assert_eq!(estimate.pair_count, 500_000);
        assert!(estimate.match_count <= 500_000 && estimate.match_count_at_most <= 500_000, "{estimate:?}");
    }

    #[test]
    fn samples_are_put_together_in_any_order() {
        let part = |from: u64| PassedOver::new(9000, (from..12_000).step_by(3).map(|at| drawn(at, 1, true)).collect());
        let [one, other, third] = [part(0), part(1), part(2)];
        let left = one.clone().and(other.clone()).and(third.clone());
        assert_eq!(left, third.and(other.and(one)));
        assert_eq!((left.meetings(), left.drawn().len()), (27_000, MOST_DRAWN));
        assert_eq!(left.drawn()[MOST_DRAWN - 1].position, MOST_DRAWN as u64 - 1);
    }

    #[test]
    fn intervals_are_those_of_the_tables() {
        for (hits, draws, lower, upper) in [(0, 10, 0.0, 0.3085), (1, 10, 0.0025, 0.4450), (5, 10, 0.1871, 0.8129)] {
            let found = interval(hits, draws);
            assert!((found.0 - lower).abs() < 1e-4 && (found.1 - upper).abs() < 1e-4, "{hits}: {found:?}");
        }
        assert_eq!(interval(0, 0), (0.0, 1.0));
        assert!(interval(10, 10).1 >= 1.0);
    }
}
