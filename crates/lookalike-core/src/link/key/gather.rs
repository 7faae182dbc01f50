//! Merges the pairs found by all keys into candidates: each pair once, with the kinds of keys that found it.

use rdst::RadixSort;

use super::split::{Found, pack, unpack};
use super::{KeyKind, KeyReport};
use crate::ids::Record;

/// Pairs that share a key.
#[derive(Debug, Default)]
pub struct Candidates {
    pairs: Vec<u64>,
    sources: Vec<Source>,
    reports: [KeyReport; KeyKind::ALL.len()],
    one_field_count: u64,
    is_incomplete: bool,
}

/// Keys that found a pair.
#[derive(Clone, Copy, Debug, Default)]
struct Source {
    /// A bit for each kind of key.
    kinds: u8,
    /// A bit for each field whose keys the two share.
    fields: u16,
}

impl Candidates {
    /// Number of candidates.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// True if there are no candidates.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Pair `at`: the record with the smaller number is left.
    #[inline]
    pub fn pair(&self, at: usize) -> (Record, Record) {
        unpack(self.pairs[at])
    }

    /// The kinds of keys that found pair `at`.
    pub fn kinds(&self, at: usize) -> impl Iterator<Item = KeyKind> + '_ {
        KeyKind::ALL.into_iter().filter(move |kind| self.sources[at].kinds & bit(*kind) != 0)
    }

    /// Results of each kind of key.
    pub fn reports(&self) -> impl Iterator<Item = (KeyKind, &KeyReport)> {
        KeyKind::ALL.into_iter().zip(&self.reports)
    }

    /// Pairs that were left out since they shared keys of one field only and there were too many.
    pub fn one_field_count(&self) -> u64 {
        self.one_field_count
    }

    /// True if all candidates were found, that is, the search did not stop at its bound.
    pub fn is_complete(&self) -> bool {
        !self.is_incomplete
    }

    pub(super) fn set_incomplete(&mut self) {
        self.is_incomplete = true;
    }

    /// Adds the pairs found by a kind of key. Pairs of a bucket that was split share keys of two fields.
    pub(super) fn add(&mut self, kind: KeyKind, fields: u16, found: Vec<Found>) {
        let report = &mut self.reports[kind as usize];
        // These are hundreds of megabytes: allocate exactly as much as needed.
        let mut whole = Vec::with_capacity(found.iter().map(|part| part.pairs.len()).sum());
        let mut split = Vec::with_capacity(found.iter().map(|part| part.split_pairs.len()).sum());
        for part in found {
            report.split_bucket_count += part.split_bucket_count;
            report.not_compared_count += part.not_compared_count;
            whole.extend(part.pairs);
            split.extend(part.split_pairs);
        }
        let by_split = if kind.forgives_much() { fields } else { TWO_FIELDS };
        for (mut pairs, fields) in [(whole, fields), (split, by_split)] {
            pairs.radix_sort_unstable();
            pairs.dedup();
            self.merge(&pairs, Source { kinds: bit(kind), fields });
        }
    }

    /// Adds pairs of records that are equal in all compared fields.
    pub(super) fn add_copies(&mut self, pairs: impl Iterator<Item = (Record, Record)>) {
        let mut pairs: Vec<u64> = pairs.map(|(left, right)| pack(left.min(right), left.max(right))).collect();
        pairs.sort_unstable();
        pairs.dedup();
        self.merge(&pairs, Source { kinds: bit(KeyKind::Identical), fields: TWO_FIELDS });
    }

    /// Merges sorted pairs into the existing ones, from the last to the first, so that no second copy is needed.
    fn merge(&mut self, added: &[u64], source: Source) {
        let mut before = self.pairs.iter().peekable();
        let is_new = |pair: &&u64| {
            while before.next_if(|other| other < pair).is_some() {}
            before.peek() != Some(pair)
        };
        let new_count = added.iter().filter(is_new).count();
        let (mut from, mut to) = (self.pairs.len(), self.pairs.len() + new_count);
        self.pairs.reserve_exact(new_count);
        self.pairs.resize(to, 0);
        self.sources.reserve_exact(new_count);
        self.sources.resize(to, source);
        for pair in added.iter().rev() {
            while from > 0 && self.pairs[from - 1] > *pair {
                (from, to) = (from - 1, to - 1);
                (self.pairs[to], self.sources[to]) = (self.pairs[from], self.sources[from]);
            }
            to -= 1;
            if from > 0 && self.pairs[from - 1] == *pair {
                from -= 1;
                let Source { kinds, fields } = self.sources[from];
                self.sources[to] = Source { kinds: kinds | source.kinds, fields: fields | source.fields };
            } else {
                self.sources[to] = source;
            }
            self.pairs[to] = *pair;
        }
    }

    /// Leaves out pairs that share keys of only one field, if there are more than `most` pairs: among so many records
    /// it is chance, and one field does not make a match. The fields of a household count as one.
    pub(super) fn leave_out_one_field(&mut self, most: usize, household: u16) {
        if self.pairs.len() <= most {
            return;
        }
        let before = self.pairs.len();
        let mut sources = self.sources.iter();
        self.pairs.retain(|_| sources.next().is_some_and(|source| source.is_of_two_fields(household)));
        self.sources.retain(|source| source.is_of_two_fields(household));
        self.one_field_count = (before - self.pairs.len()) as u64;
    }

    /// Counts the pairs found by each kind of key.
    pub(super) fn count(&mut self) {
        for source in &self.sources {
            for (kind, report) in KeyKind::ALL.into_iter().zip(&mut self.reports) {
                report.candidate_count += u64::from(source.kinds & bit(kind) != 0);
                report.alone_count += u64::from(source.kinds == bit(kind));
            }
        }
    }
}

/// Any two fields.
const TWO_FIELDS: u16 = u16::MAX;

impl Source {
    fn is_of_two_fields(self, household: u16) -> bool {
        (self.fields & !household).count_ones() + u32::from(self.fields & household != 0) > 1
    }
}

fn bit(kind: KeyKind) -> u8 {
    1 << kind as u8
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn each_pair_is_there_once_with_all_that_found_it(
            found in prop::collection::vec((0..8_usize, 0..16_u32, prop::collection::btree_set(0..60_u64, 0..30)), 0..8),
        ) {
            let mut candidates = Candidates::default();
            let mut expected: BTreeMap<u64, (u8, u16)> = BTreeMap::new();
            for (kind, field, pairs) in found {
                let pairs: Vec<u64> = pairs.into_iter().collect();
                let source = Source { kinds: bit(KeyKind::ALL[kind]), fields: 1 << field };
                candidates.merge(&pairs, source);
                for pair in pairs {
                    let (kinds, fields) = expected.entry(pair).or_default();
                    (*kinds, *fields) = (*kinds | source.kinds, *fields | source.fields);
                }
            }
            let sources = candidates.sources.iter().map(|source| (source.kinds, source.fields));
            let merged: Vec<_> = candidates.pairs.iter().copied().zip(sources).collect();
            prop_assert_eq!(merged, expected.into_iter().collect::<Vec<_>>());
        }
    }
}
