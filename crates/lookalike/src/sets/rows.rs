//! Pairs of sets as typed rows.

use std::io;

use lookalike_core::join::{Measure, Near};
use serde::{Deserialize, Serialize};

use super::find::Finder;
use crate::output::sink::{Cell, Row};

/// Two sets that are similar: a row of `sets`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct SetPair {
    /// The id of the left set.
    pub left_id: String,
    /// The id of the right set.
    pub right_id: String,
    /// Their similarity by the measure of the run.
    pub similarity: f64,
    /// The number of elements that both have; absent if elements have weights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared_count: Option<u64>,
    /// The weight of what both have, if elements have weights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared_weight: Option<f64>,
    /// The share of the left set that the right set has, if the measure is containment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub containment_of_left: Option<f64>,
    /// The share of the right set that the left set has, if the measure is containment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub containment_of_right: Option<f64>,
}

impl Row for SetPair {
    fn each_cell(&self, each: &mut dyn FnMut(Cell<'_>) -> io::Result<()>) -> io::Result<()> {
        each(Cell::Text(&self.left_id))?;
        each(Cell::Text(&self.right_id))?;
        each(Cell::Real(self.similarity))?;
        self.shared_count.map_or(Ok(()), |count| each(Cell::Whole(count)))?;
        let others = [self.shared_weight, self.containment_of_left, self.containment_of_right];
        others.into_iter().flatten().try_for_each(|value| each(Cell::Real(value)))
    }
}

/// The measures in the rows of a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measures {
    pub(super) measure: Measure,
    pub(super) has_weights: bool,
}

impl Measures {
    /// The names of the columns.
    pub(super) fn columns(self) -> Vec<&'static str> {
        let shared = if self.has_weights { "shared_weight" } else { "shared_count" };
        let mut columns = vec!["left_id", "right_id", "similarity", shared];
        if self.has_containments() {
            columns.extend(["containment_of_left", "containment_of_right"]);
        }
        columns
    }

    fn has_containments(self) -> bool {
        self.measure == Measure::Containment
    }

    /// The row of a pair, without the ids.
    pub(super) fn of(self, finder: &dyn Finder, set: u32, near: &Near) -> SetPair {
        let shared = finder.shared(set, near);
        let containment = |of: u32| self.has_containments().then(|| near.shared as f64 / finder.size(of) as f64);
        SetPair {
            left_id: String::new(),
            right_id: String::new(),
            similarity: near.similarity,
            shared_count: (!self.has_weights).then(|| shared.round() as u64),
            shared_weight: self.has_weights.then_some(shared),
            containment_of_left: containment(set),
            containment_of_right: containment(near.item),
        }
    }
}
