//! Records to what each key would compare, before anything is: how many pairs, and which values most records have.

use rayon::prelude::*;

use super::coarse::Coarse;
use super::household::Household;
use super::make::Maker;
use super::split::{Entry, Found, Splitter};
use super::{Bounds, KeyKind};
use crate::ids::{Number, Record};
use crate::link::records::{MISSING, Records};

/// What one kind of key of one field would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyAnalysis {
    /// How it comes about.
    pub kind: KeyKind,
    /// The fields that it is made of.
    pub fields: Vec<usize>,
    /// Keys that two records or more have.
    pub bucket_count: u64,
    /// Pairs that are compared; other keys may find them too.
    pub pair_count: u64,
    /// Buckets over the bound, which are split by a further key.
    pub split_bucket_count: u64,
    /// Pairs of those that no further key brings together.
    pub not_compared_count: u64,
    /// The largest buckets, largest first.
    pub largest: Vec<Block>,
}

/// A large bucket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// How many records have the key.
    pub record_count: usize,
    /// What all of them have in the field; or else the value that most have.
    pub value: String,
}

/// What each key would do, in the order in which they are tried, with the `largest` buckets of each.
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
        // Of equally large ones, the first by what it holds.
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

/// Different values of a bucket that are looked at.
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
    // The words that all have, where not all have the same.
    let mut words: Vec<&str> = most_common.split(' ').collect();
    values.dedup();
    for other in values.iter().take(MOST_LOOKED_AT).map(text) {
        words.retain(|word| other.split(' ').any(|other| other == *word));
    }
    let value = if words.is_empty() { most_common.to_owned() } else { words.join(" ") };
    Block { record_count: members.len(), value }
}
