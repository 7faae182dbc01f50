//! Builds pairs from buckets. A bucket over the bound is split by a further key of another field, and again by a second
//! one.

use rdst::RadixKey;

use super::coarse::Coarse;
use super::household::Household;
use super::make::Maker;
use super::{Bounds, KeyKind};
use crate::ids::{Number, Record};
use crate::link::records::Records;

/// A record under one of its keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) key: u64,
    pub(super) record: Record,
}

impl RadixKey for Entry {
    const LEVELS: usize = 8;

    #[inline]
    fn get_level(&self, level: usize) -> u8 {
        (self.key >> (level * 8)) as u8
    }
}

/// Pairs found in some buckets.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Pairs, with the smaller record in the upper half.
    pub(super) pairs: Vec<u64>,
    /// Pairs of buckets that were split by a further key.
    pub(super) split_pairs: Vec<u64>,
    pub(super) split_bucket_count: u64,
    pub(super) not_compared_count: u64,
}

/// Builds pairs from the buckets of one field's key.
pub(super) struct Splitter<'a> {
    records: &'a Records,
    coarse: &'a [Coarse],
    household: Option<&'a Household>,
    field: Option<usize>,
    is_forgiving: bool,
    splits: usize,
    bounds: Bounds,
}

impl<'a> Splitter<'a> {
    pub(super) fn new(
        records: &'a Records,
        coarse: &'a [Coarse],
        household: Option<&'a Household>,
        maker: &Maker,
        bounds: Bounds,
    ) -> Self {
        let is_forgiving = maker.kind().forgives_much();
        let splits = match maker.kind() {
            KeyKind::Identical | KeyKind::Swapped => 2,
            // In a large bucket a word is no longer rare, and other keys find names that sound similar.
            _ if bounds.is_large => 0,
            _ if is_forgiving => 1,
            _ => 2,
        };
        Self { records, coarse, household, field: maker.field(), is_forgiving, splits, bounds }
    }

    pub(super) fn pairs(&self, buckets: &[&[Entry]]) -> Found {
        let mut found = Found::default();
        let mut members: Vec<Record> = Vec::new();
        for bucket in buckets {
            members.clear();
            members.extend(bucket.iter().map(|entry| entry.record));
            members.sort_unstable();
            members.dedup();
            let count = self.pair_count(&members);
            if count == 0 {
                continue;
            }
            if count <= self.bounds.bucket_pairs {
                self.emit_whole(&members, &mut found);
                continue;
            }
            // Copies are represented by their first record.
            members.retain(|record| self.records.copies().is_first(*record));
            let count = self.pair_count(&members);
            if count <= self.bounds.bucket_pairs {
                self.emit_whole(&members, &mut found);
                continue;
            }
            let before = found.split_pairs.len();
            if self.splits > 0 {
                self.split(&members, 0, self.splits, self.is_of_household(), &mut found.split_pairs);
            }
            // The same pair may come from two further keys.
            let kept = before + keep_different(&mut found.split_pairs[before..]);
            found.split_pairs.truncate(kept);
            found.split_bucket_count += 1;
            found.not_compared_count += count - (kept - before) as u64;
        }
        found
    }

    /// True if the key is of a field that a household shares.
    fn is_of_household(&self) -> bool {
        self.field.is_some_and(|field| self.household.is_some_and(|household| household.has(field)))
    }

    /// Adds all pairs of a bucket. Pairs of one household with equal initials share as much as pairs brought together
    /// by two fields.
    fn emit_whole(&self, members: &[Record], found: &mut Found) {
        self.emit(members, &mut found.pairs);
        if self.is_of_household() && !self.is_forgiving {
            self.emit_household(members, &mut found.split_pairs);
        }
    }

    /// Splits by each further key from `first` on; `is_household` is true if all keys so far are those of a household.
    fn split(&self, members: &[Record], first: usize, splits: usize, is_household: bool, pairs: &mut Vec<u64>) {
        let mut coded: Vec<(u32, Record)> = Vec::with_capacity(members.len());
        for (at, further) in self.coarse.iter().enumerate().skip(first) {
            if Some(further.field) == self.field {
                continue;
            }
            let is_household = is_household && self.household.is_some_and(|household| household.has(further.field));
            let of_record = &self.records.fields()[further.field].of_record;
            coded.clear();
            coded.extend(
                members.iter().filter_map(|record| further.code(of_record[record.index()]).map(|code| (code, *record))),
            );
            coded.sort_unstable();
            for part in coded.chunk_by(|left, right| left.0 == right.0) {
                let part: Vec<Record> = part.iter().map(|(_, record)| *record).collect();
                let count = self.pair_count(&part);
                if count == 0 {
                    continue;
                }
                if count > self.bounds.bucket_pairs {
                    if splits > 1 {
                        self.split(&part, at + 1, splits - 1, is_household, pairs);
                    }
                } else if is_household {
                    self.emit_household(&part, pairs);
                } else {
                    self.emit(&part, pairs);
                }
            }
        }
    }

    /// Number of pairs among the members, which are sorted so that those of the first table come first.
    fn pair_count(&self, members: &[Record]) -> u64 {
        let count = members.len() as u64;
        if self.records.are_of_two_tables() {
            let in_first = members.partition_point(|record| record.index() < self.records.first_count()) as u64;
            return in_first * (count - in_first);
        }
        let old = members.partition_point(|record| *record < self.bounds.from) as u64;
        count * count.saturating_sub(1) / 2 - old * old.saturating_sub(1) / 2
    }

    /// Adds the pairs that may have more in common than a household.
    fn emit_household(&self, members: &[Record], pairs: &mut Vec<u64>) {
        let before = pairs.len();
        self.emit(members, pairs);
        let Some(household) = self.household else { return };
        let mut kept = before;
        for at in before..pairs.len() {
            let (left, right) = unpack(pairs[at]);
            if household.may_be_one(left, right) {
                pairs[kept] = pairs[at];
                kept += 1;
            }
        }
        pairs.truncate(kept);
    }

    fn emit(&self, members: &[Record], pairs: &mut Vec<u64>) {
        if self.records.are_of_two_tables() {
            let in_first = members.partition_point(|record| record.index() < self.records.first_count());
            for left in &members[..in_first] {
                pairs.extend(members[in_first..].iter().map(|right| pack(*left, *right)));
            }
            return;
        }
        for (at, right) in members.iter().enumerate() {
            if *right >= self.bounds.from {
                pairs.extend(members[..at].iter().map(|left| pack(*left, *right)));
            }
        }
    }
}

/// Sorts, and moves each distinct number to the front; returns their count.
fn keep_different(numbers: &mut [u64]) -> usize {
    numbers.sort_unstable();
    let mut kept = 0;
    for at in 0..numbers.len() {
        if kept == 0 || numbers[kept - 1] != numbers[at] {
            numbers[kept] = numbers[at];
            kept += 1;
        }
    }
    kept
}

/// Packs a pair into one number; sorted numbers are in the order of their left and right records.
#[inline]
pub(super) fn pack(left: Record, right: Record) -> u64 {
    u64::from(left.0) << 32 | u64::from(right.0)
}

/// Unpacks the records of a pair.
#[inline]
pub(super) fn unpack(pair: u64) -> (Record, Record) {
    (Record((pair >> 32) as u32), Record(pair as u32))
}
