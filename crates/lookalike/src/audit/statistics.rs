//! Estimates the precision from the labels of a stratified sample, with its 95 % confidence interval.
//!
//! A stratum is weighted by its share of all removals, not by the number of its labels. The interval is Wilson's
//! (1927), for the effective sample size: for one stratum it is the Wilson interval itself, and with no wrong pair
//! among 300 its lower end is 0.987.

use serde::{Deserialize, Serialize};

use crate::statistics::Estimate;

/// Number of standard deviations of a normal distribution that leave 2.5 % on each side.
const Z: f64 = 1.959_964;

/// The labels of a stratum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// Number of pairs of the stratum, labeled or not.
    pub(crate) population: u64,
    pub(crate) same: u64,
    pub(crate) different: u64,
    pub(crate) cannot_tell: u64,
}

/// Treatment of pairs labeled *cannot tell*.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Undecided {
    LeftOut,
    Same,
    Different,
}

impl Tally {
    pub(crate) fn labeled(self) -> u64 {
        self.same + self.different + self.cannot_tell
    }

    /// Number of correct pairs, and number of counted pairs.
    fn right(self, undecided: Undecided) -> (u64, u64) {
        match undecided {
            Undecided::LeftOut => (self.same, self.same + self.different),
            Undecided::Same => (self.same + self.cannot_tell, self.labeled()),
            Undecided::Different => (self.same, self.labeled()),
        }
    }
}

/// A precision, and its value if all pairs labeled *cannot tell* are the same, or are all different.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Precision {
    /// The share of pairs that are the same, not counting those labeled *cannot tell*.
    #[serde(flatten)]
    pub estimate: Estimate,
    /// If all others are the same.
    pub if_cannot_tell_is_same: Estimate,
    /// If all others are different.
    pub if_cannot_tell_is_different: Estimate,
}

/// The precision over all strata; none without labels. Strata without labels are merged into the nearest one that has
/// some, so similar strata should be adjacent.
pub(crate) fn precision(strata: &[Tally]) -> Option<Precision> {
    Some(Precision {
        estimate: Weighted::new(strata, Undecided::LeftOut)?.estimate(),
        if_cannot_tell_is_same: Weighted::new(strata, Undecided::Same)?.estimate(),
        if_cannot_tell_is_different: Weighted::new(strata, Undecided::Different)?.estimate(),
    })
}

/// Estimated number of additional labels that would halve the interval; none if it has no width, or there are not
/// enough pairs left.
pub(crate) fn labels_to_halve(strata: &[Tally]) -> Option<u64> {
    let now = Weighted::new(strata, Undecided::LeftOut)?;
    let width = |estimate: Estimate| estimate.high - estimate.low;
    let wanted = width(now.estimate()) / 2.0;
    let labeled: u64 = strata.iter().map(|tally| tally.labeled()).sum();
    let population: u64 = strata.iter().map(|tally| tally.population).sum();
    if wanted <= 0.0 {
        return None;
    }
    // More labels in every stratum, in the same proportions.
    let with = |labels: u64| {
        let times = labels as f64 / labeled as f64;
        let left = 1.0 - (labels - labeled) as f64 / (population - labeled).max(1) as f64;
        wilson(now.share, now.effective * times / left.max(1e-9))
    };
    let (mut few, mut enough) = (labeled, population);
    if few >= enough {
        return None;
    }
    while enough - few > 1 {
        let middle = u64::midpoint(few, enough);
        if width(with(middle)) > wanted {
            few = middle;
        } else {
            enough = middle;
        }
    }
    Some(enough - labeled)
}

/// A weighted share, and its effective sample size.
struct Weighted {
    share: f64,
    effective: f64,
}

impl Weighted {
    fn new(strata: &[Tally], undecided: Undecided) -> Option<Self> {
        let strata = joined(strata, undecided)?;
        let all: f64 = strata.iter().map(|stratum| stratum.population).sum();
        let (mut share, mut variance, mut weights) = (0.0, 0.0, 0.0);
        for Stratum { population, right, of } in strata {
            let (weight, right) = (population / all, right / of);
            // Labeled pairs are known: only the rest of a stratum is uncertain.
            let unknown = (1.0 - of / population).max(0.0);
            share += weight * right;
            variance += weight * weight * right * (1.0 - right) / of * unknown;
            weights += weight * weight / of * unknown;
        }
        // Weights that should add up to 1 do so only approximately.
        let share = if share > 1.0 - 1e-12 { 1.0 } else { share };
        // The effective number of labels by weights (Kish 1965); fewer, if the wrong pairs are in sparsely labeled
        // strata. Never more: strata without wrong labels may still have wrong pairs.
        let by_weight = 1.0 / weights;
        let by_variance = if variance > 0.0 { share * (1.0 - share) / variance } else { f64::INFINITY };
        Some(Self { share, effective: by_weight.min(by_variance) })
    }

    fn estimate(&self) -> Estimate {
        wilson(self.share, self.effective)
    }
}

/// A stratum with labels.
struct Stratum {
    population: f64,
    right: f64,
    of: f64,
}

/// Strata that have labels, merged with those nearest to them that have none.
fn joined(strata: &[Tally], undecided: Undecided) -> Option<Vec<Stratum>> {
    let of = |at: usize| strata[at].right(undecided);
    let with_labels: Vec<usize> = (0..strata.len()).filter(|at| of(*at).1 > 0).collect();
    let mut populations = vec![0; strata.len()];
    for (at, tally) in strata.iter().enumerate() {
        let nearest = with_labels.iter().min_by_key(|other| other.abs_diff(at))?;
        // More labels than removals means that they are from another run.
        populations[*nearest] += tally.population.max(of(at).1);
    }
    let stratum = |at: &usize| {
        let (right, of) = of(*at);
        Stratum { population: populations[*at] as f64, right: right as f64, of: of as f64 }
    };
    (!with_labels.is_empty()).then(|| with_labels.iter().map(stratum).collect())
}

/// The Wilson interval of a share of this many draws. (Wilson 1927)
fn wilson(share: f64, draws: f64) -> Estimate {
    if draws.is_infinite() {
        return Estimate { value: share, low: share, high: share };
    }
    let spread = Z * Z / draws;
    let middle = (share + spread / 2.0) / (1.0 + spread);
    let half = Z / (1.0 + spread) * (share * (1.0 - share) / draws + spread / (4.0 * draws)).sqrt();
    Estimate { value: share, low: (middle - half).clamp(0.0, share), high: (middle + half).clamp(share, 1.0) }
}

#[cfg(test)]
mod tests {
    use lookalike_core::hash::draw;

    use super::*;

    fn tally(population: u64, same: u64, different: u64) -> Tally {
        Tally { population, same, different, cannot_tell: 0 }
    }

    fn estimate(strata: &[Tally]) -> Estimate {
        precision(strata).unwrap().estimate
    }

    const ENDLESS: u64 = u64::MAX / 1024;

    #[test]
    fn one_stratum_has_the_interval_of_wilson() {
        // 5 of 20: 0.112 to 0.469. None wrong of 300: at least 0.987.
        let some = estimate(&[tally(ENDLESS, 5, 15)]);
        assert!((some.low - 0.112).abs() < 0.001 && (some.high - 0.469).abs() < 0.001, "{some:?}");
        let none_wrong = estimate(&[tally(ENDLESS, 300, 0)]);
        assert!((none_wrong.low - 0.987).abs() < 0.0005 && none_wrong.high >= 1.0, "{none_wrong:?}");
        // If strata are labeled in proportion to their weight, nothing else.
        let apart = estimate(&[tally(ENDLESS, 200, 0), tally(ENDLESS / 2, 100, 0)]);
        assert!((apart.low - none_wrong.low).abs() < 1e-4, "{apart:?}");
    }

    #[test]
    fn strata_count_by_their_share_of_removals() {
        let some = estimate(&[tally(900, 15, 15), tally(100, 30, 0)]);
        assert!((some.value - 0.55).abs() < 1e-12, "{some:?}");
        // A stratum without labels is merged with its neighbor.
        let some = estimate(&[tally(900, 15, 15), tally(900, 0, 0), tally(200, 30, 0)]);
        assert!((some.value - 0.55).abs() < 1e-12, "{some:?}");
        assert_eq!(precision(&[tally(10, 0, 0)]), None);
    }

    #[test]
    fn what_is_labeled_to_the_last_pair_is_known() {
        assert_eq!(estimate(&[tally(22, 21, 1)]), Estimate { value: 21.0 / 22.0, low: 21.0 / 22.0, high: 21.0 / 22.0 });
        assert_eq!(labels_to_halve(&[tally(22, 22, 0)]), None);
    }

    #[test]
    fn cannot_tell_counts_both_ways() {
        let judged = precision(&[Tally { cannot_tell: 10, ..tally(ENDLESS, 80, 10) }]).unwrap();
        let values = [judged.if_cannot_tell_is_different, judged.estimate, judged.if_cannot_tell_is_same];
        let values = values.map(|estimate| (1000.0 * estimate.value).round());
        assert!(values.iter().zip([800.0, 889.0, 900.0]).all(|(left, right)| (left - right).abs() < 0.5), "{values:?}");
    }

    #[test]
    fn half_the_width_takes_three_times_as_many_more() {
        let labels = labels_to_halve(&[tally(ENDLESS, 150, 150)]).unwrap();
        assert!((880..=930).contains(&labels), "{labels}");
        let labels = labels_to_halve(&[tally(ENDLESS, 300, 0)]).unwrap();
        assert!((290..=310).contains(&labels), "{labels}");
        assert!(labels_to_halve(&[tally(400, 150, 150)]).unwrap() <= 100);
    }

    /// Uniform pseudorandom numbers from 0 to 1.
    struct Random(u64, u64);

    impl Random {
        fn next(&mut self) -> f64 {
            self.1 += 1;
            (draw(self.0, self.1) >> 11) as f64 / (1_u64 << 53) as f64
        }
    }

    /// Share of samples whose interval covers the precision of the population. Each stratum is given as its number of
    /// pairs, the share that is the same, and the number of labels.
    fn coverage(strata: &[(u64, f64, u64)], seed: u64) -> f64 {
        const TIMES: u32 = 4_000;
        let mut random = Random(seed, 0);
        let same = |(population, precision, _): &(u64, f64, u64)| (*population as f64 * precision).round();
        let all: f64 = strata.iter().map(|stratum| stratum.0 as f64).sum();
        let truth = strata.iter().map(same).sum::<f64>() / all;
        let mut covered = 0;
        for _ in 0..TIMES {
            let labeled = strata.iter().map(|stratum| {
                let (mut left, mut same_left, mut found) = (stratum.0 as f64, same(stratum), 0);
                // Without replacement.
                for _ in 0..stratum.2 {
                    let is_same = random.next() * left < same_left;
                    found += u64::from(is_same);
                    same_left -= if is_same { 1.0 } else { 0.0 };
                    left -= 1.0;
                }
                tally(stratum.0, found, stratum.2 - found)
            });
            let found = estimate(&labeled.collect::<Vec<_>>());
            covered += u32::from(found.low <= truth + 1e-12 && truth <= found.high + 1e-12);
        }
        f64::from(covered) / f64::from(TIMES)
    }

    // Of 4,000 intervals that cover with probability 0.95, 0.95 ± 0.0104 cover in all but one of 400 tests (three
    // standard deviations). For small counts, coverage varies by as much again around 0.95: Brown, Cai and DasGupta
    // (2001), figure 5.
    const LEAST: f64 = 0.925;

    #[test]
    fn the_interval_of_one_stratum_covers_as_often_as_it_says() {
        let mut mean = 0.0;
        let precisions = [0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.97, 0.98, 0.99];
        for (seed, precision) in (1..).zip(precisions) {
            let covered = coverage(&[(1_000_000, precision, 300)], seed);
            assert!(covered >= LEAST, "{covered} at {precision}");
            mean += covered / precisions.len() as f64;
        }
        assert!((mean - 0.95).abs() < 0.01, "{mean}");
    }

    #[test]
    fn the_interval_of_strata_covers_as_often_as_it_says() {
        // As in the study of Henzinger (2006): the more similar, the more often correct. At least 15 of each.
        let by_band = |low: f64, high: f64| -> Vec<(u64, f64, u64)> {
            let sizes = [50_u64, 400, 2_000, 20_000, 100, 900, 9_000, 60_000];
            let all: u64 = sizes.iter().sum();
            let labels = |size: u64| 15 + 180 * size / all;
            let precision = |at: usize| low + (high - low) * (at % 4) as f64 / 3.0;
            sizes.iter().enumerate().map(|(at, size)| (*size, precision(at), labels(*size))).collect()
        };
        for (seed, (low, high)) in (21..).zip([(0.24, 0.85), (0.5, 0.95), (0.8, 0.99), (0.9, 0.98), (0.6, 0.6)]) {
            let covered = coverage(&by_band(low, high), seed);
            assert!(covered >= LEAST, "{covered} from {low} to {high}");
        }
    }

    #[test]
    fn labels_that_do_not_follow_the_weights_are_no_more_sure_than_they_are() {
        // All errors in sparsely labeled strata; and a small corpus that is mostly labeled.
        for (seed, strata) in (41..).zip([
            vec![(10_000, 0.8, 40), (10_000, 1.0, 260)],
            vec![(10_000, 0.95, 60), (10_000, 0.5, 240)],
            vec![(60, 0.8, 40), (200, 0.9, 100)],
        ]) {
            let covered = coverage(&strata, seed);
            assert!(covered >= LEAST, "{covered} of {strata:?}");
        }
    }
}
