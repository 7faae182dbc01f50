//! Labeled pairs to weights, if these fit labels better that they were not learned from.

use lookalike_core::link::config::Config;
use lookalike_core::link::records::Records;
use lookalike_core::link::teach::{Free, LabeledPair, Taught};
use lookalike_core::link::verdicts::Verdicts;
use serde::Serialize;

/// Result of learning from labeled pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct LearnedReport {
    /// Pairs that are the same.
    pub same_count: u64,
    /// Pairs that are different.
    pub different_count: u64,
    /// Labels that the weights without them get right.
    pub right_before_count: u64,
    /// Labels that weights which were learned from other labels get right; none if there are too few to learn from.
    pub right_count: Option<u64>,
    /// True if the weights were learned from them; otherwise there are too few, or they fit no better than before.
    pub used: bool,
}

/// Labels with what they taught.
#[derive(Debug, Default)]
pub(in crate::link) struct FromLabels {
    pub(in crate::link) labels: Vec<LabeledPair>,
    /// Verdicts that hold regardless of the weights.
    pub(in crate::link) verdicts: Verdicts,
    /// The probability of each label by weights that were learned without it; those without labels where these taught
    /// nothing.
    pub(in crate::link) probabilities: Vec<f64>,
    pub(in crate::link) report: Option<LearnedReport>,
}

impl FromLabels {
    /// Creates the result of learning; `stated` are the probabilities of the labels by the previous weights.
    pub(in crate::link) fn new(labels: Vec<LabeledPair>, stated: Vec<f64>, taught: Option<&Taught>) -> Self {
        let used = taught.is_some_and(|taught| taught.is_better(&labels));
        let right = |probabilities: &[f64]| {
            let is_right = |(stated, label): &(&f64, &LabeledPair)| (**stated >= 0.5) == label.is_same;
            probabilities.iter().zip(&labels).filter(is_right).count() as u64
        };
        let same_count = labels.iter().filter(|label| label.is_same).count() as u64;
        let report = LearnedReport {
            same_count,
            different_count: labels.len() as u64 - same_count,
            right_before_count: right(&stated),
            right_count: taught.map(|taught| right(&taught.held_out)),
            used,
        };
        let probabilities = taught.filter(|_| used).map_or(stated, |taught| taught.held_out.clone());
        Self { verdicts: Verdicts::new(&labels), labels, probabilities, report: Some(report) }
    }

    /// True if the weights are learned from labels.
    pub(in crate::link) fn are_used(&self) -> bool {
        self.report.is_some_and(|report| report.used)
    }
}

/// Parameters that may be learned for these records: values that a person wrote in the config are kept.
pub(in crate::link) fn free(config: &Config, records: &Records) -> Free {
    let is_free = |name: &str| config.columns.iter().all(|column| column.name != name || column.weights.is_empty());
    Free { prior: config.prior.is_none(), fields: records.fields().iter().map(|field| is_free(&field.name)).collect() }
}
