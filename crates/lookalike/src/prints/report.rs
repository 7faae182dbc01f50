//! What a run did, in numbers.

use std::collections::HashSet;

use lookalike_core::prints::FEWEST_MINUTIAE;

use super::recall::CandidateRecall;
use super::roll::Roll;
use super::turning::Turning;
use crate::report::summary::{SkippedEntry, Stage};

/// What a run of [`prints`](super::prints) did.
#[derive(Clone, Debug, Default)]
pub struct PrintsReport {
    /// Prints of the input that can be compared.
    pub prints: u64,
    /// Their minutiae.
    pub minutiae: u64,
    /// Prints of the gallery, where there is one.
    pub gallery_prints: Option<u64>,
    /// Prints with too few minutiae to be like anything.
    pub too_few: u64,
    /// Prints with the id of another.
    pub repeated_ids: u64,
    /// Pairs that were compared.
    pub compared: u64,
    /// Pairs that there are.
    pub pairs: u64,
    /// How many rows were written.
    pub rows: u64,
    /// How many of the matches were candidates, as far as a sample tells.
    pub recall: Option<CandidateRecall>,
    /// What a grid promises.
    pub grid: Option<GridReport>,
    /// Files whose angles were taken for radians by their values.
    pub in_radians: Vec<String>,
    /// Whether places and directions turn the same way.
    pub turning: Turning,
    /// What was skipped.
    pub skipped: Skips,
    /// Seconds and memory by stage.
    pub stages: Vec<Stage>,
}

/// What a grid promises by its formulas, which take squares and buckets to be independent.
#[derive(Clone, Copy, Debug)]
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
#[derive(Clone, Debug, Default)]
pub struct Skips {
    /// The first ones.
    pub named: Vec<SkippedEntry>,
    /// How many there are.
    pub count: u64,
}

/// How many skipped entries are named.
const NAMED: usize = 1000;

impl Skips {
    pub(super) fn add(&mut self, file: String, entry: &'static str, position: u64, reason: String) {
        self.add_all(SkippedEntry { file, entry, position, reason, count: 1 });
    }

    pub(super) fn add_all(&mut self, entry: SkippedEntry) {
        self.count += entry.count;
        if self.named.len() < NAMED {
            self.named.push(entry);
        }
    }
}

impl PrintsReport {
    pub(super) fn set_compared(&mut self, compared: usize, print_count: usize) {
        self.compared = compared as u64;
        self.pairs = (print_count as u64) * (print_count as u64).saturating_sub(1) / 2;
    }

    pub(super) fn set_compared_in_gallery(&mut self, compared: usize, query_count: usize, known_count: usize) {
        self.compared = compared as u64;
        self.pairs = query_count as u64 * known_count as u64;
        self.gallery_prints = Some(known_count as u64);
    }

    /// What the input looks like.
    pub(super) fn describe(&mut self, roll: &Roll) {
        self.prints = roll.len() as u64;
        let counts = || roll.prints.iter().map(|print| print.minutiae.len());
        self.minutiae = counts().sum::<usize>() as u64;
        self.too_few = counts().filter(|count| *count < FEWEST_MINUTIAE).count() as u64;
        let different: HashSet<&str> = roll.ids.iter().map(String::as_str).collect();
        self.repeated_ids = (roll.len() - different.len()) as u64;
    }
}
