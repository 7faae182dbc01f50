//! Statistics of a run.

use std::collections::HashSet;

use lookalike_core::prints::FEWEST_MINUTIAE;
use serde::Serialize;

use super::recall::CandidateRecall;
use super::roll::Roll;
use super::turning::Turning;
use crate::report::summary::{SkipReason, SkippedEntry, Stage};

/// The result of a run of [`prints`](super::prints).
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
    /// All possible pairs.
    pub pair_count: u64,
    /// Number of rows written.
    pub row_count: u64,
    /// Recall of candidates, measured on a sample.
    pub recall: Option<CandidateRecall>,
    /// Expected recall and false candidates of a grid.
    pub grid: Option<GridReport>,
    /// Files whose angles were assumed to be in radians because of their values.
    pub in_radians: Vec<String>,
    /// Rotations of matches by positions and by directions, to detect wrong angles.
    pub turning: Turning,
    /// Skipped entries.
    #[serde(flatten)]
    pub skips: Skips,
    /// Seconds and memory by stage.
    pub stages: Vec<Stage>,
}

/// The expected properties of a grid by its formulas, which assume that squares and buckets are independent.
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
    /// The assumed probability that a minutia is in the same square in another impression.
    pub comes_again: f64,
    /// The share of pairs of impressions that share a bucket.
    pub found: f64,
    /// The share of pairs of different fingers that share a bucket.
    pub by_chance: f64,
}

/// Skipped entries: all are counted, and the first ones are named.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Skips {
    /// The first ones.
    pub skipped: Vec<SkippedEntry>,
    /// Their number.
    pub skipped_count: u64,
}

/// Maximum number of skipped entries to list.
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

    /// Adds a description of the input.
    pub(super) fn describe(&mut self, roll: &Roll) {
        self.print_count = roll.len() as u64;
        let counts = || roll.prints.iter().map(|print| print.minutiae.len());
        self.minutia_count = counts().sum::<usize>() as u64;
        self.too_few_count = counts().filter(|count| *count < FEWEST_MINUTIAE).count() as u64;
        let different: HashSet<&str> = roll.ids.iter().map(String::as_str).collect();
        self.repeated_id_count = (roll.len() - different.len()) as u64;
    }
}
