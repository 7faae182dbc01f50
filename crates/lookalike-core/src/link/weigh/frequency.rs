//! Term frequencies: the rarer a value, the more its equality says, so that "Smith" says less than "Szczepanski".
//!
//! Counts not how often a value occurs, but how often two records have it in common *by chance*. An e-mail address in
//! seven records is not common if all seven are one person.

use super::super::key::Candidates;
use super::super::measure::{Pattern, Scale};
use super::super::records::{MISSING, Records};
use super::super::score::{Scored, Scorer};
use super::{Learned, Model, exact_weight, probability};
use crate::ids::{Number, Record};

/// Amount that the rarity of each value adds to the weight of its field.
#[derive(Debug)]
pub struct Frequencies {
    adjustments: Vec<Vec<f32>>,
    most: Vec<f64>,
}

/// Count of chance meetings for a value without any: one half.
const UNSEEN: f64 = 0.5;

impl Frequencies {
    /// Counts chance meetings, weighted by the probability of each candidate to be a match.
    pub fn new(records: &Records, candidates: &Candidates, patterns: &[Pattern], model: &Model) -> Self {
        if model.learned != Learned::FromAllPairs {
            // Here the rarity of values decides what is a match, so first compute it from all values.
            let first = Self::of_matches(records, &[], model);
            let scored = Scorer { records, model, frequencies: &first }.score_all(candidates, patterns);
            return Self::of_matches(records, &scored, model);
        }
        let mut meetings = Meetings::new(records);
        for (at, pattern) in patterns.iter().enumerate() {
            let weight = model.weight(*pattern);
            // A smaller probability would not affect any sum.
            if weight > -10.0 {
                let (left, right) = candidates.pair(at);
                meetings.add_match(left, right, probability(weight));
            }
        }
        meetings.adjustments(model)
    }

    /// Counts chance meetings, weighted by the probabilities of these matches.
    pub(super) fn of_matches(records: &Records, scored: &[Scored], model: &Model) -> Self {
        let mut meetings = Meetings::new(records);
        scored.iter().for_each(|pair| meetings.add_match(pair.left, pair.right, pair.probability()));
        meetings.adjustments(model)
    }

    /// Counts chance meetings by the clusters of a finished result: equal numbers in `cluster_of` are one cluster.
    pub fn of_clusters(records: &Records, cluster_of: &[u64], model: &Model) -> Self {
        let mut meetings = Meetings::new(records);
        let mut sorted: Vec<(u64, Record)> = cluster_of.iter().copied().zip(records.all()).collect();
        sorted.sort_unstable();
        for cluster in sorted.chunk_by(|left, right| left.0 == right.0) {
            for (at, (_, right)) in cluster.iter().enumerate() {
                cluster[..at].iter().for_each(|(_, left)| meetings.add_match(*left, *right, 1.0));
            }
        }
        meetings.adjustments(model)
    }

    /// Restores the adjustments of all values of each field, as returned by [`Frequencies::all`].
    pub fn from_all(adjustments: Vec<Vec<f32>>) -> Self {
        let most = |of_field: &Vec<f32>| of_field.iter().fold(0.0, |most: f64, one| most.max(f64::from(*one)));
        let most = adjustments.iter().map(most).collect();
        Self { adjustments, most }
    }

    /// Adjustments of all values of each field, to be stored.
    pub fn all(&self) -> &[Vec<f32>] {
        &self.adjustments
    }

    /// Amount that equality in this value of a field adds to the weight of equal values.
    #[inline]
    pub fn adjustment(&self, field: usize, value: u32) -> f64 {
        f64::from(self.adjustments[field][value as usize])
    }

    /// The maximum that any value of a field adds.
    #[inline]
    pub fn most(&self, field: usize) -> f64 {
        self.most[field]
    }
}

/// Number of matches in which each value meets itself. Integers, since a sum of floating-point numbers depends on their
/// order, and so on the order of the rows.
struct Meetings<'a> {
    records: &'a Records,
    matched: Vec<Vec<u32>>,
}

/// Fixed-point unit: the count of one match.
const MATCH: f64 = 1024.0;

impl<'a> Meetings<'a> {
    fn new(records: &'a Records) -> Self {
        let matched = records.fields().iter().map(|field| vec![0; field.values.len()]).collect();
        Self { records, matched }
    }

    fn add_match(&mut self, left: Record, right: Record, probable: f64) {
        for (field, matched) in self.records.fields().iter().zip(&mut self.matched) {
            let value = field.of_record[left.index()];
            if value != MISSING && value == field.of_record[right.index()] {
                let matched = &mut matched[value as usize];
                *matched = matched.saturating_add((probable * MATCH).round() as u32);
            }
        }
    }

    fn adjustments(self, model: &Model) -> Frequencies {
        let records = self.records;
        let first_count = records.first_count() as f64;
        let is_two = records.are_of_two_tables();
        let second_count = if is_two { (records.count() - records.first_count()) as f64 } else { first_count };
        let size = (first_count * second_count).sqrt();
        let of_field = |((field, matched), model): ((&_, &Vec<u32>), &super::FieldModel)| -> Vec<f32> {
            let field: &super::super::records::Field = field;
            let average = model.among_others[usize::from(Scale::of(field.kind).equal())];
            let least = (average * size).min(UNSEEN);
            let of_value = |value: usize| {
                let [first, second] = [0, 1].map(|table: usize| f64::from(field.counts[table][value]));
                let matched = f64::from(matched[value]) / MATCH;
                // Meetings per record that has the value.
                let by_chance = if is_two {
                    (first * second - matched).max(0.0) / (first * second).sqrt().max(1.0)
                } else {
                    (first * (first - 1.0) - 2.0 * matched).max(0.0) / first
                };
                exact_weight((average * size / by_chance.max(least)).log2()) as f32
            };
            (0..field.values.len()).map(of_value).collect()
        };
        let adjustments: Vec<Vec<f32>> =
            records.fields().iter().zip(&self.matched).zip(&model.fields).map(of_field).collect();
        Frequencies::from_all(adjustments)
    }
}
