//! Explains parameters before a run: the pairs and false candidates that a banding finds, and the cost of a run over
//! the whole corpus.

mod buckets;
mod chance;
mod pairs;
mod plan;
mod read;
mod removals;
mod sample;
mod suggest;

use std::borrow::Cow;

use lookalike_core::bucket::banding::Banding;
use lookalike_core::measure::similarity::Similarity;
use serde::Serialize;

pub use plan::Plan;
pub use sample::{PairStep, Sampled};
pub use suggest::Suggestion;

use crate::audit::{JudgedRow, labels_by_similarity};
use crate::boilerplate::Learn;
use crate::error::Result;
use crate::options::{Bought, TuneOptions};
use crate::progress::Progress;

/// Predicted results and costs of a banding.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Tuning {
    /// The threshold.
    pub threshold: f64,
    /// Bands per sketch.
    pub bands: usize,
    /// Rows per band.
    pub rows: usize,
    /// Number of bands in which candidates agree.
    pub agree: usize,
    /// Slots per sketch.
    pub slots: usize,
    /// Bytes per sketch.
    pub sketch_bytes: usize,
    /// Probability of finding a pair exactly at the threshold.
    pub recall_at_threshold: f64,
    /// The similarity at which half of the pairs are found, near the steepest point of the curve.
    pub half_found_at: f64,
    /// Probability of finding a pair, by similarity.
    pub curve: Vec<Point>,
    /// Results of sampling the corpus, if one was given.
    pub sample: Option<Sampled>,
    /// Estimated costs of a run over the whole corpus.
    pub plan: Option<Plan>,
    /// Bandings within the budget, the best first, if there is a budget.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub budget: Vec<Bought>,
    /// Judgments of labeled pairs, by similarity, if labels were given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<JudgedRow>,
}

/// A point of the S-curve.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Point {
    /// The similarity of a pair.
    pub similarity: f64,
    /// Probability that it is found.
    pub found: f64,
}

impl Point {
    /// The probability that pairs of a similarity are found.
    pub fn new(similarity: f64, found: f64) -> Self {
        Self { similarity, found }
    }
}

/// Number of steps of the printed curve.
const STEPS: u32 = 20;

/// Explains a banding. With a corpus, also reads it, or parts of it, and counts its pairs by similarity.
///
/// # Errors
///
/// If the corpus cannot be read.
pub fn tune(options: &TuneOptions, progress: &dyn Progress) -> Result<Tuning> {
    let options = &*with_boilerplate(options, progress)?;
    let TuneOptions { banding, threshold, .. } = options;
    let found = |similarity: f64| recall(*banding, similarity);
    let sketch_bytes = options.scheme.build_method().layout().byte_count();
    let sample = options.corpus.as_ref().map(|corpus| sample::read(corpus, options, progress)).transpose()?;
    let (sample, plan) = match sample {
        Some(sample) => {
            let plan = Plan::new(&sample, sketch_bytes);
            (Some(sample.sampled), Some(plan))
        }
        None => (None, None),
    };
    Ok(Tuning {
        threshold: threshold.value(),
        bands: banding.bands(),
        rows: banding.rows(),
        agree: banding.agreeing(),
        slots: banding.slot_count(),
        sketch_bytes,
        recall_at_threshold: found(threshold.value()),
        half_found_at: half_found_at(*banding),
        curve: curve(*banding, STEPS),
        sample,
        plan,
        budget: options.within_budget.clone(),
        labels: labels_by_similarity(&options.labels)?,
    })
}

/// Adds the boilerplate of the corpus to the scheme, if it is to be ignored.
fn with_boilerplate<'o>(options: &'o TuneOptions, progress: &dyn Progress) -> Result<Cow<'o, TuneOptions>> {
    let (Some(learning), Some(corpus)) = (options.learning, &options.corpus) else {
        return Ok(Cow::Borrowed(options));
    };
    let scheme = Learn::new(learning, corpus, &options.scheme, options.resources.memory).scheme(progress)?;
    Ok(Cow::Owned(TuneOptions { scheme, learning: None, ..options.clone() }))
}

/// The curve from 0 to 1, in this many steps.
pub fn curve(banding: Banding, steps: u32) -> Vec<Point> {
    let point = |step: u32| {
        let similarity = f64::from(step) / f64::from(steps);
        Point::new(similarity, recall(banding, similarity))
    };
    (0..=steps).map(point).collect()
}

/// The probability that a pair of this similarity is found.
fn recall(banding: Banding, similarity: f64) -> f64 {
    Similarity::new(similarity.clamp(0.0, 1.0)).map_or(0.0, |similarity| banding.recall_at(similarity))
}

/// By bisection: the curve is monotonic.
fn half_found_at(banding: Banding) -> f64 {
    let (mut below, mut above) = (0.0, 1.0);
    for _ in 0..40 {
        let middle = f64::midpoint(below, above);
        if recall(banding, middle) < 0.5 {
            below = middle;
        } else {
            above = middle;
        }
    }
    above
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_rises_from_nothing_to_everything() {
        let banding = Banding::new(20, 5).unwrap();
        let curve = curve(banding, 10);
        assert_eq!(curve.len(), 11);
        assert!(curve.windows(2).all(|pair| pair[0].found <= pair[1].found));
        assert!(curve[0].found.abs() < 1e-12 && (curve[10].found - 1.0).abs() < 1e-12);
        // (1/20)^(1/5) = 0.549 is the textbook's rule for the steepest point; the probability 0.5 is reached slightly
        // below it.
        assert!((half_found_at(banding) - 0.5085).abs() < 0.001, "{}", half_found_at(banding));
    }
}
