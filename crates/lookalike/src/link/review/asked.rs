//! Questions and answers of a review: which were asked, which comes next, and when more are unnecessary.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use lookalike_core::ids::Record;
use lookalike_core::link::config::Config;
use lookalike_core::link::measure::Pattern;
use lookalike_core::link::score::{Scored, Scorer};
use lookalike_core::link::teach::{Free, LEAST_LABELS, LabeledPair, teach};
use lookalike_core::link::weigh::log_odds;

use super::super::Linking;
use super::super::labels::{Labels, free};
use super::super::tables::Tables;
use crate::audit::{Answer, LabelFile};
use crate::error::Result;
use crate::resources::memory::Memory;

/// Pairs that are looked at after each answer: those nearest to even odds.
const MOST_PAIRS: usize = 20_000;

/// Distance from even odds that is added to a pair for each label of a pair with the same agreement, in bits.
const ASKED_BEFORE: f64 = 1.5;

/// Labels before which a review is not settled.
const LEAST_ANSWERS: usize = 20;

/// The last labels, which must have changed next to nothing.
const LAST: usize = 10;

/// The share of matches that is next to nothing.
const NEXT_TO_NOTHING: f64 = 0.01;

/// The pairs that may be asked for.
#[derive(Debug)]
pub(super) struct Pool {
    linking: Linking,
    pairs: Vec<Scored>,
    free: Free,
    /// Number of matches in addition to the pairs that are examined.
    others: usize,
}

impl Pool {
    pub(super) fn new(linking: Linking, config: &Config) -> Self {
        let mut pairs = linking.scored.clone();
        let content = |pair: &Scored| {
            let [one, other] = [pair.left, pair.right].map(|record| linking.records.content(record));
            (one.min(other), one.max(other))
        };
        pairs.sort_by(|one, other| {
            one.weight.abs().total_cmp(&other.weight.abs()).then_with(|| content(one).cmp(&content(other)))
        });
        let others = pairs.iter().skip(MOST_PAIRS).filter(|pair| pair.weight > 0.0).count();
        pairs.truncate(MOST_PAIRS);
        let free = free(config, &linking.records);
        Self { linking, pairs, free, others }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    pub(super) fn pair(&self, at: usize) -> &Scored {
        &self.pairs[at]
    }

    /// Computes the weights of all pairs after these labels.
    fn weights(&self, labels: &[LabeledPair]) -> Vec<f64> {
        let scorer = self.linking.scorer();
        match teach(&scorer, labels, &self.free) {
            Some(taught) => {
                let taught = Scorer { model: &taught.model, ..scorer };
                self.pairs.iter().map(|pair| taught.score(pair.left, pair.right).weight).collect()
            }
            None => self.pairs.iter().map(|pair| pair.weight).collect(),
        }
    }
}

/// An answer, and what pairs weighed before it.
#[derive(Debug)]
struct Answered {
    pair: usize,
    answer: Answer,
    before: Vec<f64>,
}

/// All answers.
#[derive(Debug)]
pub(super) struct Asked {
    /// Labels that were there before.
    known: Vec<LabeledPair>,
    answered: Vec<Answered>,
    weights: Vec<f64>,
    others: usize,
}

impl Asked {
    /// Begins with the labels in a file, if there is one.
    pub(super) fn read(path: &Path, memory: Memory, tables: &Tables, ids: &[String], pool: &Pool) -> Result<Self> {
        if path.exists() {
            // A crash may have left half a line, which is not a label.
            LabelFile::open(path)?;
        }
        let is_there = path.metadata().is_ok_and(|file| file.len() > 0);
        let known = if is_there { Labels::read(path, memory, tables, ids)?.labeled() } else { None };
        let known = known.unwrap_or_default();
        let weights = pool.weights(&known);
        Ok(Self { known, answered: Vec::new(), weights, others: pool.others })
    }

    /// The number of the next question.
    pub(super) fn number(&self) -> u64 {
        self.answered.len() as u64
    }

    /// Number of pairs that are the same, different, and unclear.
    pub(super) fn counts(&self) -> [u64; 3] {
        let count = |answer: Answer| self.answered.iter().filter(|one| one.answer == answer).count() as u64;
        let known = |is_same: bool| self.known.iter().filter(|label| label.is_same == is_same).count() as u64;
        [count(Answer::Same) + known(true), count(Answer::Different) + known(false), count(Answer::CannotTell)]
    }

    fn labels(&self, pool: &Pool) -> Vec<LabeledPair> {
        let label = |one: &Answered| {
            let pair = pool.pair(one.pair);
            let is_same = match one.answer {
                Answer::Same => true,
                Answer::Different => false,
                Answer::CannotTell => return None,
            };
            Some(LabeledPair { left: pair.left, right: pair.right, is_same })
        };
        self.known.iter().copied().chain(self.answered.iter().filter_map(label)).collect()
    }

    pub(super) fn add(&mut self, pool: &Pool, pair: usize, answer: Answer) {
        let before = std::mem::take(&mut self.weights);
        self.answered.push(Answered { pair, answer, before });
        self.weights = pool.weights(&self.labels(pool));
    }

    /// The pair of the last answer.
    pub(super) fn last(&self) -> Option<usize> {
        self.answered.last().map(|one| one.pair)
    }

    pub(super) fn undo(&mut self) {
        if let Some(last) = self.answered.pop() {
            self.weights = last.before;
        }
    }

    /// The share of the matches that the last answers changed; none if there are too few.
    pub(super) fn changed(&self) -> Option<f64> {
        let before = self.answered.len().checked_sub(LAST).map(|at| &self.answered[at].before)?;
        let is_changed = |(before, now): &(&f64, &f64)| (**before > 0.0) != (**now > 0.0);
        let changed = before.iter().zip(&self.weights).filter(is_changed).count();
        // Of all that were matches before or are now.
        let is_match = |(before, now): &(&f64, &f64)| **before > 0.0 || **now > 0.0;
        let matches = before.iter().zip(&self.weights).filter(is_match).count() + self.others;
        Some(changed as f64 / matches.max(1) as f64)
    }

    /// True if more labels would change almost nothing.
    pub(super) fn is_settled(&self) -> bool {
        let [same, different, _] = self.counts();
        let is_enough = self.known.len() + self.answered.len() >= LEAST_ANSWERS;
        // If only one kind of answer is ever given, nothing is learned, and that will not change.
        let are_both = same.min(different) >= LEAST_LABELS as u64 || same + different >= 2 * LEAST_ANSWERS as u64;
        is_enough && are_both && self.changed().is_some_and(|changed| changed < NEXT_TO_NOTHING)
    }

    /// The pair that is the least certain, if any is worth asking for.
    pub(super) fn next(&self, pool: &Pool, asks_on: bool) -> Option<usize> {
        /// A pair that is surer than this is not worth an answer.
        const SURE: f64 = 0.995;
        if self.is_settled() && !asks_on {
            return None;
        }
        let mut asked: HashSet<(Record, Record)> = HashSet::new();
        let mut patterns: HashMap<Pattern, u32> = HashMap::new();
        let scorer = pool.linking.scorer();
        for label in &self.known {
            asked.insert((label.left.min(label.right), label.left.max(label.right)));
            *patterns.entry(scorer.score(label.left, label.right).pattern).or_default() += 1;
        }
        for one in &self.answered {
            let pair = pool.pair(one.pair);
            asked.insert((pair.left, pair.right));
            *patterns.entry(pair.pattern).or_default() += 1;
        }
        let doubt = |at: usize| {
            let alike = patterns.get(&pool.pair(at).pattern).copied().unwrap_or(0);
            self.weights[at].abs() + ASKED_BEFORE * f64::from(alike)
        };
        let is_open = |at: &usize| {
            let pair = pool.pair(*at);
            !asked.contains(&(pair.left, pair.right)) && (asks_on || self.weights[*at].abs() < log_odds(SURE))
        };
        (0..pool.pairs.len())
            .filter(is_open)
            .min_by(|one, other| doubt(*one).total_cmp(&doubt(*other)).then(one.cmp(other)))
    }
}
