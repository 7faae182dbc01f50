//! Results of other thresholds, and the calibration of stated probabilities.

use lookalike_core::link::score::Scored;
use serde::Serialize;

use super::Accuracy;
use crate::statistics::of_share;

/// Thresholds that are evaluated: 40 at equal distances in bits, from a probability of 0.01 to 0.99999.
const THRESHOLDS: usize = 40;
const LEAST_BITS: f64 = -6.6;
const MOST_BITS: f64 = 16.6;

/// Lower bounds of the bands of stated probabilities.
const BANDS: [f64; 8] = [0.01, 0.1, 0.5, 0.8, 0.9, 0.95, 0.99, 0.999];

/// Result of a threshold.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ThresholdReport {
    /// Minimum probability of a match.
    pub threshold: f64,
    /// Accuracy of these matches.
    #[serde(flatten)]
    pub accuracy: Accuracy,
}

/// Pairs of about one stated probability.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct CalibrationBand {
    /// The least probability.
    pub from: f64,
    /// The probability that is not reached.
    pub to: f64,
    /// Pairs of which it is known whether they are right.
    pub pair_count: u64,
    /// Their mean probability: the share that should be right.
    pub stated: f64,
    /// The share that is.
    pub right: f64,
    /// The lower end of what holds it with 95 %.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// Pairs that are judged, most probable first, at each threshold; `truth` is how many true pairs there are.
pub(super) fn thresholds(judged: &[(Scored, bool)], truth: u64) -> Vec<ThresholdReport> {
    let mut sorted: Vec<(f64, bool)> = judged.iter().map(|(pair, is_right)| (pair.weight, *is_right)).collect();
    sorted.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    let at = |step: usize| {
        let bits = LEAST_BITS + (MOST_BITS - LEAST_BITS) * step as f64 / (THRESHOLDS - 1) as f64;
        let found = &sorted[..sorted.partition_point(|(weight, _)| *weight >= bits)];
        let right = found.iter().filter(|(_, is_right)| *is_right).count() as u64;
        let threshold = 1.0 / (1.0 + (-bits).exp2());
        ThresholdReport { threshold, accuracy: Accuracy::new(right, found.len() as u64, truth) }
    };
    (0..THRESHOLDS).map(at).collect()
}

/// Pairs with their stated probabilities, by bands of these; bands without a pair are left out.
pub(super) fn calibration(stated: impl Iterator<Item = (f64, bool)>) -> Vec<CalibrationBand> {
    let mut bands = [(0_u64, 0_u64, 0.0); BANDS.len()];
    for (probability, is_right) in stated {
        if let Some(at) = BANDS.partition_point(|from| *from <= probability).checked_sub(1) {
            let (count, right, sum) = &mut bands[at];
            *count += 1;
            *right += u64::from(is_right);
            *sum += probability;
        }
    }
    let ends = BANDS.into_iter().skip(1).chain([1.0]);
    let band = |((from, to), (count, right, sum)): ((f64, f64), (u64, u64, f64))| {
        let share = of_share(right as usize, count as usize);
        CalibrationBand {
            from,
            to,
            pair_count: count,
            stated: sum / count as f64,
            right: share.value,
            low: share.low,
            high: share.high,
        }
    };
    BANDS.into_iter().zip(ends).zip(bands).filter(|(_, (count, ..))| *count > 0).map(band).collect()
}
