//! Labels that people gave to pairs, which override the weights: a pair labeled as the same is a match, a pair labeled
//! as different is not, and no cluster has both of its records.

use std::collections::{HashMap, HashSet};

use super::decide::best_first;
use super::score::{Scored, Scorer};
use super::teach::LabeledPair;
use crate::ids::Record;

/// Lookup table of the labels of pairs.
#[derive(Clone, Debug, Default)]
pub struct Verdicts {
    same: HashSet<(Record, Record)>,
    /// The records from which each record is different.
    apart: HashMap<Record, Vec<Record>>,
}

impl Verdicts {
    /// Uses the last label of each pair.
    pub fn new(labels: &[LabeledPair]) -> Self {
        let pair = |label: &LabeledPair| (label.left.min(label.right), label.left.max(label.right));
        let last: HashMap<(Record, Record), bool> = labels.iter().map(|label| (pair(label), label.is_same)).collect();
        let mut verdicts = Self::default();
        for ((left, right), is_same) in last {
            if is_same {
                verdicts.same.insert((left, right));
            } else {
                verdicts.apart.entry(left).or_default().push(right);
                verdicts.apart.entry(right).or_default().push(left);
            }
        }
        verdicts
    }

    /// True if there are no labels.
    pub fn is_empty(&self) -> bool {
        self.same.is_empty() && self.apart.is_empty()
    }

    /// Pairs that may be matches: without those labeled as different, and, where a record has one match at most,
    /// without those of records whose match is labeled.
    pub fn open(&self, scored: &[Scored], is_one_to_one: bool) -> Vec<Scored> {
        let taken: HashSet<Record> =
            self.same.iter().filter(|_| is_one_to_one).flat_map(|(left, right)| [*left, *right]).collect();
        let is_open = |pair: &&Scored| {
            !self.are_apart(pair.left, pair.right) && !taken.contains(&pair.left) && !taken.contains(&pair.right)
        };
        scored.iter().filter(is_open).copied().collect()
    }

    /// Adds the pairs labeled as the same, and leaves out those labeled as different, best first.
    pub fn settle(&self, scorer: &Scorer<'_>, matches: Vec<Scored>) -> Vec<Scored> {
        if self.is_empty() {
            return matches;
        }
        let is_other =
            |pair: &Scored| !self.are_apart(pair.left, pair.right) && !self.same.contains(&(pair.left, pair.right));
        let said = self.same.iter().map(|(left, right)| scorer.score(*left, *right));
        let mut settled: Vec<Scored> = matches.into_iter().filter(is_other).chain(said).collect();
        best_first(scorer.records, &mut settled);
        settled
    }

    /// True if two records are labeled as the same.
    pub(super) fn are_same(&self, left: Record, right: Record) -> bool {
        self.same.contains(&(left.min(right), left.max(right)))
    }

    fn are_apart(&self, left: Record, right: Record) -> bool {
        self.apart_from(left).contains(&right)
    }

    /// Records that are labeled as different from this one.
    pub(super) fn apart_from(&self, record: Record) -> &[Record] {
        self.apart.get(&record).map_or(&[], Vec::as_slice)
    }
}
