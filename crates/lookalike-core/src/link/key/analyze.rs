//! Analyzes keys before anything is compared: the number of pairs that each would compare, and the values that most
//! records share.

use rayon::prelude::*;

use super::coarse::Coarse;
use super::household::Household;
use super::make::Maker;
use super::split::{Entry, Found, Splitter};
use super::{Bounds, KeyKind};
use crate::ids::{Number, Record};
use crate::link::records::{MISSING, Records};

/// Effect that one kind of key of one field would have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyAnalysis {
    /// Kind of the key.
    pub kind: KeyKind,
    /// Fields that it is built from.
    pub fields: Vec<usize>,
    /// Number of keys that at least two records have.
    pub bucket_count: u64,
    /// Number of pairs that are compared; other keys may find them too.
    pub pair_count: u64,
    /// Number of buckets over the limit, which are split by a further key.
    pub split_bucket_count: u64,
    /// Number of their pairs that no further key brings together.
    pub not_compared_count: u64,
    /// The largest buckets, largest first.
    pub largest: Vec<Block>,
}

/// A large bucket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Number of records that have the key.
    pub record_count: usize,
    /// Field value that all of them share, or otherwise the most frequent one.
    pub value: String,
}

/// Analyzes each key in the order in which they are tried, and lists the `largest` buckets of each.
pub fn analyze(records: &Records, bounds: &Bounds, largest: usize) -> Vec<KeyAnalysis> {
    let coarse = Coarse::of(records);
    let household = Household::of(records, bounds);
    let of_maker = |maker: Maker| {
        let entries = maker.entries(records);
        let splitter = Splitter::new(records, &coarse, household.as_ref(), &maker, *bounds);
        let buckets: Vec<&[Entry]> =
            entries.chunk_by(|left, right| left.key == right.key).filter(|bucket| bucket.len() > 1).collect();
        let found: Vec<Found> = buckets.par_chunks(256).map(|buckets| splitter.pairs(buckets)).collect();
        let mut pairs: Vec<u64> =
            found.iter().flat_map(|found| found.pairs.iter().chain(&found.split_pairs)).copied().collect();
        pairs.par_sort_unstable();
        pairs.dedup();
        let mut by_size = buckets.clone();
        // Ties are broken by the content of the bucket.
        by_size.sort_by_key(|bucket| (std::cmp::Reverse(bucket.len()), bucket[0].key));
        let blocks = by_size.iter().take(largest).map(|bucket| block(records, maker.fields(), bucket));
        KeyAnalysis {
            kind: maker.kind(),
            fields: maker.fields().to_vec(),
            bucket_count: buckets.len() as u64,
            pair_count: pairs.len() as u64,
            split_bucket_count: found.iter().map(|found| found.split_bucket_count).sum(),
            not_compared_count: found.iter().map(|found| found.not_compared_count).sum(),
            largest: blocks.collect(),
        }
    };
    Maker::all(records).into_iter().map(of_maker).collect()
}

/// Maximum number of distinct values of a bucket to examine.
const MOST_LOOKED_AT: usize = 1_000;

fn block(records: &Records, fields: &[usize], bucket: &[Entry]) -> Block {
    let mut members: Vec<Record> = bucket.iter().map(|entry| entry.record).collect();
    members.sort_unstable();
    members.dedup();
    let field = &records.fields()[fields[0]];
    let mut values: Vec<u32> =
        members.iter().map(|record| field.of_record[record.index()]).filter(|value| *value != MISSING).collect();
    values.sort_unstable();
    let runs = values.chunk_by(|left, right| left == right);
    let most = runs.max_by_key(|run| (run.len(), std::cmp::Reverse(run[0]))).unwrap_or_default();
    let text = |value: &u32| field.values.get(*value as usize);
    let most_common = most.first().map_or("", text);
    // The words that all have in common, if not all values are equal.
    let mut words: Vec<&str> = most_common.split(' ').collect();
    values.dedup();
    for other in values.iter().take(MOST_LOOKED_AT).map(text) {
        words.retain(|word| other.split(' ').any(|other| other == *word));
    }
    let value = if words.is_empty() { most_common.to_owned() } else { words.join(" ") };
    Block { record_count: members.len(), value }
}
