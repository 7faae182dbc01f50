//! Candidates to scores: weight, probability and points.

use std::convert::Infallible;

use rayon::prelude::*;

use super::key::Candidates;
use super::measure::{Pattern, Scale, compare, level_of, weight_of};
use super::records::{MISSING, MOST_FIELDS, Records};
use super::weigh::{Frequencies, Model, Said, exact_weight, log_odds, probability};
use crate::ids::Record;

/// A pair with the evidence for it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scored {
    /// The record with the lesser number.
    pub left: Record,
    /// The other.
    pub right: Record,
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
#[derive(Clone, Copy, Debug)]
pub struct Scorer<'a> {
    /// The records.
    pub records: &'a Records,
    /// Weights of the levels of each field.
    pub model: &'a Model,
    /// Adjustments for the rarity of values.
    pub frequencies: &'a Frequencies,
}

/// Pairs that are less probable are not kept.
const LEAST_PROBABILITY: f64 = 0.01;

impl Scorer<'_> {
    /// Scores all candidates and keeps those that may be a match, in the order of the candidates.
    pub fn score_all(&self, candidates: &Candidates, patterns: &[Pattern]) -> Vec<Scored> {
        let Ok(scored) = self.try_score_all(candidates, patterns, || Ok::<(), Infallible>(()));
        scored
    }

    /// The same; `go_on` is called for every pair that is scored.
    ///
    /// # Errors
    ///
    /// An error of `go_on`, which ends the scoring.
    pub fn try_score_all<E: Send>(
        &self,
        candidates: &Candidates,
        patterns: &[Pattern],
        go_on: impl Fn() -> Result<(), E> + Sync,
    ) -> Result<Vec<Scored>, E> {
        let least = log_odds(LEAST_PROBABILITY);
        let score = |at: usize, pattern: Pattern| {
            go_on()?;
            let (left, right) = candidates.pair(at);
            let weight = self.model.total(pattern, &self.said(left, right, pattern));
            Ok((weight >= least).then_some(Scored { left, right, pattern, weight }))
        };
        patterns
            .par_iter()
            .enumerate()
            .filter(|(_, pattern)| self.most_weight(**pattern) >= least)
            .filter_map(|(at, pattern)| score(at, *pattern).transpose())
            .collect()
    }

    /// Scores two records.
    pub fn score(&self, left: Record, right: Record) -> Scored {
        let (left, right) = (left.min(right), left.max(right));
        let pattern = compare(self.records, left, right);
        let weight = self.model.total(pattern, &self.said(left, right, pattern));
        Scored { left, right, pattern, weight }
    }

    /// Agreement of two records whose clusters may be joined because of other pairs.
    pub(super) fn agreement(&self, left: Record, right: Record) -> f64 {
        let (left, right) = (left.min(right), left.max(right));
        let pattern = compare(self.records, left, right);
        self.model.agreement(pattern, &self.said(left, right, pattern))
    }

    /// Weight of each field.
    pub fn said(&self, left: Record, right: Record, pattern: Pattern) -> Said {
        let mut said = [0.0; MOST_FIELDS];
        let fields = self.records.fields().iter().zip(&self.model.fields);
        let [left, right] = [left, right].map(|record| self.records.row(record));
        for (at, ((field, weights), said)) in fields.zip(&mut said).enumerate() {
            let [left, right] = [left[at].value, right[at].value];
            let level = level_of(pattern, at);
            let adjust = |value: u32| self.frequencies.adjustment(at, value);
            // Equal values never weigh less than nearly equal ones.
            let equal = |value: u32| {
                let average = weights.weights[usize::from(Scale::of(field.kind).equal())];
                (average + adjust(value)).max(average.min(0.0))
            };
            *said = if level == Scale::of(field.kind).equal() {
                equal(left)
            } else if left == MISSING || right == MISSING {
                weights.weights[usize::from(level)]
            } else {
                let weight = match exact_weight(weight_of(field, left, right, level, &weights.weights)) {
                    // Nearly a common value is nearly as common; nearly a rare one is not yet rare.
                    weight if weight > 0.0 => (weight + adjust(left).min(adjust(right)).min(0.0)).max(0.0),
                    weight => weight,
                };
                weight.min(equal(left)).min(equal(right))
            };
            *said = exact_weight(*said * weights.factor);
        }
        said
    }

    /// The most that a pair of this pattern can weigh, whatever its values are.
    fn most_weight(&self, pattern: Pattern) -> f64 {
        let mut said = [0.0; MOST_FIELDS];
        for (at, (field, said)) in self.model.fields.iter().zip(&mut said).enumerate() {
            let level = level_of(pattern, at);
            let equal = Scale::of(field.kind).equal();
            let next = if level < equal { field.weights[usize::from(level) + 1] } else { f64::NEG_INFINITY };
            *said = match field.weights[usize::from(level)] {
                weight if level == equal => (weight + self.frequencies.most(at)).max(weight.min(0.0)),
                // A weight between levels reaches up to the next one.
                weight => weight.max(next),
            };
            *said = exact_weight(*said * field.factor);
        }
        self.model.total(pattern, &said)
    }

    /// The points of each field, up to 100.
    pub fn points(&self, pattern: Pattern) -> Vec<u8> {
        let fields = self.records.fields().iter().enumerate();
        fields.map(|(at, field)| Scale::of(field.kind).level(level_of(pattern, at)).points).collect()
    }

    /// The points of all fields: 300 for three that are equal.
    pub fn score_points(&self, pattern: Pattern) -> u32 {
        self.points(pattern).into_iter().map(u32::from).sum()
    }
}
