//! Random pairs, to learn what fields look like if there is no match.

use rayon::prelude::*;

use super::super::measure::{Pattern, compare};
use super::super::records::Records;
use crate::ids::Record;

/// Number of random pairs to examine.
const RANDOM_PAIRS: usize = 500_000;

/// Returns the patterns of random pairs, which are chosen by the content of their records and not by the order of the
/// rows.
pub(super) fn random_patterns(records: &Records) -> Vec<Pattern> {
    random_pairs(records, RANDOM_PAIRS).into_par_iter().map(|(left, right)| compare(records, left, right)).collect()
}

/// Draws approximately the wanted number of pairs, or returns all pairs if there are fewer.
pub(in crate::link) fn random_pairs(records: &Records, wanted: usize) -> Vec<(Record, Record)> {
    let (first, count) = (records.first_count() as u32, records.count() as u32);
    let (left, right) = if records.are_of_two_tables() {
        (by_content(records, 0..first), by_content(records, first..count))
    } else {
        (by_content(records, 0..count), by_content(records, 0..count))
    };
    let steps = wanted.div_ceil(left.len()).min(right.len());
    let every = (left.len() * steps / wanted).max(1);
    let mut pairs = Vec::with_capacity(wanted + left.len());
    for (at, left) in left.iter().enumerate().step_by(every) {
        // Steps that spread over the whole table, with a different start for each left record.
        let others = (0..steps).map(|step| right[(at + 1 + step * right.len() / steps) % right.len()]);
        pairs.extend(others.filter(|right| right != left).map(|right| (*left.min(&right), *left.max(&right))));
    }
    pairs
}

fn by_content(records: &Records, range: std::ops::Range<u32>) -> Vec<Record> {
    let mut order: Vec<Record> = range.map(Record).collect();
    order.par_sort_unstable_by_key(|record| records.content(*record));
    order
}
