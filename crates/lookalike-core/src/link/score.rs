//! Candidates to scores: weight, probability and points, and why.

use rayon::prelude::*;

use super::key::Candidates;
use super::measure::{Pattern, Scale, compare, level_of};
use super::records::{MISSING, Records};
use super::weigh::{Frequencies, Model, probability};

/// A pair with what speaks for it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scored {
    /// The record with the lesser number.
    pub left: u32,
    /// The other.
    pub right: u32,
    /// The levels of all fields.
    pub pattern: Pattern,
    /// The logarithm of the odds that it is a match.
    pub weight: f64,
}

impl Scored {
    /// The probability that it is a match.
    pub fn probability(&self) -> f64 {
        probability(self.weight)
    }
}

/// Scores pairs by a model.
#[derive(Debug)]
pub struct Scorer<'a> {
    /// The records.
    pub records: &'a Records,
    /// What each level says.
    pub model: &'a Model,
    /// How common values are.
    pub frequencies: &'a Frequencies,
}

/// Pairs that are less probable are not kept.
const LEAST_PROBABILITY: f64 = 0.001;

impl Scorer<'_> {
    /// What the fields of two records say, without the prior.
    pub fn evidence(&self, left: u32, right: u32) -> f64 {
        self.model.together(self.said(left, right, compare(self.records, left, right)).into_iter())
    }

    /// What each field says.
    pub fn said(&self, left: u32, right: u32, pattern: Pattern) -> Vec<f64> {
        self.records
            .fields()
            .iter()
            .zip(&self.model.fields)
            .enumerate()
            .map(|(at, (field, weights))| {
                let level = level_of(pattern, at);
                let weight = weights.weights[usize::from(level)];
                let [a, b] = [left, right].map(|record| field.of_record[record as usize]);
                if a == MISSING || b == MISSING {
                    return 0.0;
                }
                let adjust = |value: u32| f64::from(self.frequencies.adjustments[at][value as usize]);
                if level == Scale::of(field.kind).equal() {
                    return weight + adjust(a);
                }
                let weight = if super::weigh::param("INTER", 1.0) > 0.0 { super::measure::weight_of(field, a, b, level, &weights.weights) } else { weight };
                if weight > 0.0 {
                    // Nearly a common value is nearly as common.
                    (weight + adjust(a).min(adjust(b)).min(0.0)).max(0.0)
                } else {
                    weight
                }
            })
            .collect()
    }

    /// Scores all candidates and keeps those that may be a match.
    pub fn score_all(&self, candidates: &Candidates, patterns: &[Pattern]) -> Vec<Scored> {
        let least = (LEAST_PROBABILITY / (1.0 - LEAST_PROBABILITY)).log2();
        patterns
            .par_iter()
            .enumerate()
            .filter_map(|(at, pattern)| {
                let (left, right) = candidates.pair(at);
                let weight = self.model.prior + self.model.together(self.said(left, right, *pattern).into_iter());
                (weight >= least).then_some(Scored { left, right, pattern: *pattern, weight })
            })
            .collect()
    }

    /// The points of each field.
    pub fn points(&self, pattern: Pattern) -> Vec<u8> {
        let fields = self.records.fields().iter().enumerate();
        fields.map(|(at, field)| Scale::of(field.kind).level(level_of(pattern, at)).points).collect()
    }
}
