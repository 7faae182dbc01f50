//! Labeled pairs to better weights: how reliable each field is, and the odds of a random pair.
//!
//! Weights that were learned without labels show how often each level occurs among apparent matches. A person knows
//! which pairs are matches, and a few dozen of their answers are enough to tell which fields weigh too much and which
//! too little: one factor per field, one for all, and one shift. All start at values that change nothing, and move only
//! as far as the labels outweigh that (a logistic regression with a normal prior). Labels may be of the least certain
//! pairs: the regression receives the same values that decide which pairs are asked for.

use super::measure::{Pattern, compare};
use super::records::MOST_FIELDS;
use super::score::Scorer;
use super::weigh::{Model, Said, exact_weight, probability};
use crate::ids::Record;

/// Minimum number of labels of each answer to learn from them.
pub const LEAST_LABELS: usize = 5;

/// More labels are not used: they would no longer change two numbers and a factor per field.
const MOST_LABELS: usize = 5_000;

/// Number of parts that labels are split into, each judged by weights that were learned from the others.
const FOLDS: usize = 5;

/// Standard deviation of the shift in its prior distribution, in bits.
const SHIFT: f64 = 3.0;

/// The same for the factor of all fields, in doublings.
const SCALE: f64 = 0.5;

/// The same for that of one field.
const FACTOR: f64 = 0.75;

/// Bounds of a factor in doublings: no field is turned off, and none decides alone.
const MOST_DOUBLINGS: f64 = 3.0;

/// Label that a person gave to two records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LabeledPair {
    /// One record.
    pub left: Record,
    /// The other.
    pub right: Record,
    /// True if both are the same.
    pub is_same: bool,
}

/// Result of learning from labels.
#[derive(Clone, Debug)]
pub struct Taught {
    /// The weights that they lead to.
    pub model: Model,
    /// For each label in its order, the probability by the weights before.
    pub before: Vec<f64>,
    /// The same by weights that were learned from other labels only.
    pub held_out: Vec<f64>,
}

impl Taught {
    /// True if weights that were learned from other labels fit labels better than the weights before do. If not, it is
    /// best to keep the weights before.
    pub fn is_better(&self, labels: &[LabeledPair]) -> bool {
        loss_of(&self.held_out, labels) < loss_of(&self.before, labels)
    }
}

/// A label with the weights of the fields of its pair.
struct Example {
    pattern: Pattern,
    said: Said,
    is_same: bool,
}

/// Numbers that may be learned: not those that a person wrote by hand.
#[derive(Clone, Debug)]
pub struct Free {
    /// True if the odds of a random pair may change.
    pub prior: bool,
    /// For each field, true if its factor may change.
    pub fields: Vec<bool>,
}

/// Learns from labels; none if there are too few of either answer. Neither the order of labels nor that of records matters.
pub fn teach(scorer: &Scorer<'_>, labels: &[LabeledPair], free: &Free) -> Option<Taught> {
    let same = labels.iter().filter(|label| label.is_same).count();
    if same.min(labels.len() - same) < LEAST_LABELS {
        return None;
    }
    let records = scorer.records;
    let mut order: Vec<usize> = (0..labels.len()).collect();
    order.sort_by_cached_key(|at| {
        let LabeledPair { left, right, is_same } = labels[*at];
        let (one, other) = (records.content(left), records.content(right));
        (is_same, one.min(other), one.max(other))
    });
    let example = |label: &LabeledPair| {
        let (left, right) = (label.left.min(label.right), label.left.max(label.right));
        let pattern = compare(records, left, right);
        Example { pattern, said: scorer.said(left, right, pattern), is_same: label.is_same }
    };
    let examples: Vec<Example> = order.iter().map(|at| example(&labels[*at])).collect();
    let model = scorer.model;
    let probable = |model: &Model, example: &Example, factors: &[f64]| {
        probability(model.total(example.pattern, &scaled(&example.said, factors)))
    };
    let (mut before, mut held_out) = (vec![0.0; labels.len()], vec![0.0; labels.len()]);
    let unchanged = vec![1.0; model.fields.len()];
    for (example, at) in examples.iter().zip(&order) {
        before[*at] = probable(model, example, &unchanged);
    }
    for fold in 0..FOLDS {
        let others: Vec<&Example> = used(&examples).filter(|(at, _)| at % FOLDS != fold).map(|(_, one)| one).collect();
        let fit = Fit::new(model, &others, free);
        for (place, example) in examples.iter().enumerate().filter(|(at, _)| at % FOLDS == fold) {
            held_out[order[place]] = probable(&fit.model(), example, &fit.factors());
        }
    }
    let all: Vec<&Example> = used(&examples).map(|(_, one)| one).collect();
    let fit = Fit::new(model, &all, free);
    let mut taught = fit.model();
    for (field, factor) in taught.fields.iter_mut().zip(fit.factors()) {
        field.factor *= factor;
    }
    Some(Taught { model: taught, before, held_out })
}

/// The labels that are learned from, evenly spread over all, each with its place.
fn used(examples: &[Example]) -> impl Iterator<Item = (usize, &Example)> {
    let step = examples.len().div_ceil(MOST_LABELS).max(1);
    examples.iter().enumerate().filter(move |(at, _)| (at / FOLDS).is_multiple_of(step))
}

fn scaled(said: &Said, factors: &[f64]) -> Said {
    let mut scaled = [0.0; MOST_FIELDS];
    for (to, (said, factor)) in scaled.iter_mut().zip(said.iter().zip(factors)) {
        *to = exact_weight(said * factor);
    }
    scaled
}

/// Log loss of labels, in natural units, given the probabilities that their pairs are the same.
fn loss_of(probabilities: &[f64], labels: &[LabeledPair]) -> f64 {
    /// Minimum probability: no answer is impossible.
    const LEAST: f64 = 1e-4;
    let of_one = |(probable, label): (&f64, &LabeledPair)| {
        let right = if label.is_same { *probable } else { 1.0 - probable };
        -right.max(LEAST).ln()
    };
    probabilities.iter().zip(labels).map(of_one).sum()
}

/// Numbers that fit labels best, each in units of its standard deviation: the shift, the factor of all fields, and that
/// of each.
struct Fit<'a> {
    base: &'a Model,
    at: Vec<f64>,
}

/// Place of the factor of all fields; the shift is before it, and the factors of fields follow.
const OF_ALL: usize = 1;
const OF_FIELDS: usize = 2;

impl<'a> Fit<'a> {
    fn new(base: &'a Model, examples: &[&Example], free: &Free) -> Self {
        /// Rounds over all numbers, and where steps are small enough.
        const ROUNDS: usize = 80;
        const LEAST_STEP: f64 = 1e-3;
        let mut fit = Self { base, at: vec![0.0; OF_FIELDS + base.fields.len()] };
        let is_free = |number: usize| match number {
            0 => free.prior,
            OF_ALL => free.prior && free.fields.iter().all(|is_free| *is_free),
            _ => free.fields[number - OF_FIELDS],
        };
        let mut steps: Vec<f64> = (0..fit.at.len()).map(|number| if is_free(number) { 0.5 } else { 0.0 }).collect();
        let mut best = fit.loss(examples);
        for _ in 0..ROUNDS {
            for (number, step) in steps.iter_mut().enumerate().filter(|(_, step)| **step >= LEAST_STEP) {
                let before = fit.at[number];
                let tried = [before + *step, before - *step].into_iter().find_map(|to| {
                    fit.at[number] = to;
                    let loss = fit.loss(examples);
                    (loss < best).then_some((to, loss))
                });
                if let Some((to, loss)) = tried {
                    (fit.at[number], best, *step) = (to, loss, *step * 1.5);
                } else {
                    (fit.at[number], *step) = (before, *step / 2.0);
                }
            }
            if steps.iter().all(|step| *step < LEAST_STEP) {
                break;
            }
        }
        fit
    }

    fn scale(&self) -> f64 {
        (SCALE * self.at[OF_ALL]).clamp(-MOST_DOUBLINGS, MOST_DOUBLINGS).exp2()
    }

    /// Factor by which the evidence of each field is multiplied.
    fn factors(&self) -> Vec<f64> {
        let factor = |at: &f64| self.scale() * (FACTOR * at).clamp(-MOST_DOUBLINGS, MOST_DOUBLINGS).exp2();
        self.at[OF_FIELDS..].iter().map(factor).collect()
    }

    /// The model with other odds of a random pair; its fields are as they were.
    fn model(&self) -> Model {
        // A factor of all fields leaves even odds where they are.
        let prior = exact_weight(self.base.prior * self.scale() + SHIFT * self.at[0]);
        Model { prior, ..self.base.clone() }
    }

    /// Log loss of the labels, plus a penalty for numbers that are far from where they were.
    fn loss(&self, examples: &[&Example]) -> f64 {
        let (model, factors) = (self.model(), self.factors());
        let of_one = |example: &&Example| {
            let weight = model.total(example.pattern, &scaled(&example.said, &factors)) * std::f64::consts::LN_2;
            let against = if example.is_same { -weight } else { weight };
            // ln(1 + e^x), also where e^x is too large for a number.
            against.max(0.0) + (-against.abs()).exp().ln_1p()
        };
        examples.iter().map(of_one).sum::<f64>() + self.at.iter().map(|at| at * at / 2.0).sum::<f64>()
    }
}
