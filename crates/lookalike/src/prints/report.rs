//! What a run did, in numbers.

use std::collections::HashSet;

use lookalike_core::prints::FEWEST_MINUTIAE;
use serde::Serialize;

use super::recall::CandidateRecall;
use super::roll::Roll;
use super::turning::Turning;
use crate::report::summary::{SkipReason, SkippedEntry, Stage};

/// What a run of [`prints`](super::prints) did.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct PrintsReport {
    /// Prints of the input that can be compared.
    pub print_count: u64,
    /// Their minutiae.
    pub minutia_count: u64,
    /// Prints of the second collection, if there is one.
    pub reference_count: Option<u64>,
    /// Prints with too few minutiae to match anything.
    pub too_few_count: u64,
    /// Prints with the id of another.
    pub repeated_id_count: u64,
    /// Pairs that were compared.
    pub compared_count: u64,
    /// Pairs that there are.
    pub pair_count: u64,
    /// How many rows were written.
    pub row_count: u64,
    /// How many of the matches were candidates, as far as a sample tells.
    pub recall: Option<CandidateRecall>,
    /// What a grid promises.
    pub grid: Option<GridReport>,
    /// Files whose angles were taken for radians by their values.
    pub in_radians: Vec<String>,
    /// Whether places and directions turn the same way.
    pub turning: Turning,
    /// What was skipped.
    #[serde(flatten)]
    pub skips: Skips,
    /// Seconds and memory by stage.
    pub stages: Vec<Stage>,
}

/// What a grid promises by its formulas, which take squares and buckets to be independent.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct GridReport {
    /// Squares on an image.
    pub square_count: u32,
    /// Sets of three squares.
    pub bucket_count: u64,
    /// The share of squares that have a minutia.
    pub density: f64,
    /// The chance, which is assumed, that a minutia comes again in the same square of another impression.
    pub comes_again: f64,
    /// The share of pairs of impressions that share a bucket.
    pub found: f64,
    /// The share of pairs of different fingers that share a bucket.
    pub by_chance: f64,
}

/// What was skipped: all counted, the first ones named.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Skips {
    /// The first ones.
    pub skipped: Vec<SkippedEntry>,
    /// How many there are.
    pub skipped_count: u64,
}

/// How many skipped entries are named.
const NAMED: usize = 1000;

impl Skips {
    pub(super) fn add(&mut self, file: String, entry: &'static str, position: u64, reason: impl Into<SkipReason>) {
        let reason = reason.into();
        self.add_all(SkippedEntry { file, entry, position, reason, count: 1 });
    }

    pub(super) fn add_all(&mut self, entry: SkippedEntry) {
        self.skipped_count += entry.count;
        if self.skipped.len() < NAMED {
            self.skipped.push(entry);
        }
    }
}

impl PrintsReport {
    pub(super) fn set_compared(&mut self, compared: usize, print_count: usize) {
        self.compared_count = compared as u64;
        self.pair_count = (print_count as u64) * (print_count as u64).saturating_sub(1) / 2;
    }

    pub(super) fn set_compared_against(&mut self, compared: usize, query_count: usize, known_count: usize) {
        self.compared_count = compared as u64;
        self.pair_count = query_count as u64 * known_count as u64;
        self.reference_count = Some(known_count as u64);
    }

    /// What the input looks like.
    pub(super) fn describe(&mut self, roll: &Roll) {
        self.print_count = roll.len() as u64;
        let counts = || roll.prints.iter().map(|print| print.minutiae.len());
        self.minutia_count = counts().sum::<usize>() as u64;
        self.too_few_count = counts().filter(|count| *count < FEWEST_MINUTIAE).count() as u64;
        let different: HashSet<&str> = roll.ids.iter().map(String::as_str).collect();
        self.repeated_id_count = (roll.len() - different.len()) as u64;
    }
}
