//! Finds the keys that two records share, and what happened to the bucket of each: the reason why a pair was compared
//! or not.

use super::coarse::Coarse;
use super::household::Household;
use super::make::Maker;
use super::split::{Splitter, pack};
use super::{Bounds, KeyKind};
use crate::ids::Record;
use crate::link::records::Records;

/// A key that two records share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedKey {
    /// Kind of the key.
    pub kind: KeyKind,
    /// Fields that it is built from.
    pub fields: Vec<usize>,
    /// Number of records that have it.
    pub record_count: usize,
    /// Result for the pair.
    pub outcome: Outcome,
}

/// Result of a shared key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All records with this key are compared.
    Compared,
    /// Too many records have it; the pair shares a further key of another field.
    ComparedBySplit,
    /// Too many records have it, and no further key brought the pair together.
    TooMany,
}

impl SharedKey {
    /// True if the key made the pair a candidate.
    pub fn is_found(&self) -> bool {
        self.outcome != Outcome::TooMany
    }
}

/// Returns the keys that two records share, in the order in which they are tried; the best outcome of each kind and
/// field.
pub fn shared_keys(records: &Records, bounds: &Bounds, left: Record, right: Record) -> Vec<SharedKey> {
    let coarse = Coarse::of(records);
    let household = Household::of(records, bounds);
    let pair = pack(left.min(right), left.max(right));
    let mut shared = Vec::new();
    for maker in Maker::all(records) {
        let keys = maker.shared(records, left, right);
        if keys.is_empty() {
            continue;
        }
        let splitter = Splitter::new(records, &coarse, household.as_ref(), &maker, *bounds);
        let entries = maker.entries(records);
        let buckets = entries.chunk_by(|left, right| left.key == right.key);
        let of_bucket = |bucket: &[super::split::Entry]| {
            let found = splitter.pairs(&[bucket]);
            let outcome = if found.pairs.contains(&pair) {
                Outcome::Compared
            } else if found.split_pairs.contains(&pair) {
                Outcome::ComparedBySplit
            } else {
                Outcome::TooMany
            };
            let mut members: Vec<Record> = bucket.iter().map(|entry| entry.record).collect();
            members.sort_unstable();
            members.dedup();
            SharedKey { kind: maker.kind(), fields: maker.fields().to_vec(), record_count: members.len(), outcome }
        };
        let of_maker = buckets.filter(|bucket| keys.contains(&bucket[0].key)).map(of_bucket);
        shared.extend(of_maker.min_by_key(|key| (key.outcome as u8, key.record_count)));
    }
    shared
}

/// True if two records that share keys of these fields share enough in tables where one field is not enough: in a large
/// table of people, all fields of a household count as one unless the initials are equal too.
pub fn share_two_fields(records: &Records, bounds: &Bounds, [left, right]: [Record; 2], fields: &[usize]) -> bool {
    let Some(household) = Household::of(records, bounds) else { return fields.len() > 1 };
    let of_household = fields.iter().filter(|field| household.has(**field)).count();
    let others = fields.len() - of_household;
    others + of_household.min(1) > 1 || of_household > 0 && household.may_be_one(left, right)
}
