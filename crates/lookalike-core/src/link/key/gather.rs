//! Pairs of many keys to candidates: each pair once, with the kinds of keys that found it.

use rdst::RadixSort;

use super::split::{Found, pack, unpack};
use super::{KeyKind, KeyReport};

/// Pairs that share a key.
#[derive(Debug, Default)]
pub struct Candidates {
    pairs: Vec<u64>,
    sources: Vec<Source>,
    reports: [KeyReport; KeyKind::ALL.len()],
    one_field_count: u64,
    is_incomplete: bool,
}

/// What found a pair.
#[derive(Clone, Copy, Debug, Default)]
struct Source {
    /// A bit for each kind of key.
    kinds: u8,
    /// A bit for each field whose keys the two share.
    fields: u16,
}

impl Candidates {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Pair `at`: the record with the lesser number is left.
    #[inline]
    pub fn pair(&self, at: usize) -> (u32, u32) {
        unpack(self.pairs[at])
    }

    /// The kinds of keys that found pair `at`.
    pub fn kinds(&self, at: usize) -> impl Iterator<Item = KeyKind> + '_ {
        KeyKind::ALL.into_iter().filter(move |kind| self.sources[at].kinds & bit(*kind) != 0)
    }

    /// What each kind of key did.
    pub fn reports(&self) -> impl Iterator<Item = (KeyKind, &KeyReport)> {
        KeyKind::ALL.into_iter().zip(&self.reports)
    }

    /// Pairs that were left out since they shared keys of one field only and there were too many.
    pub fn one_field_count(&self) -> u64 {
        self.one_field_count
    }

    /// Whether all were found, and the search did not end at its bound.
    pub fn is_complete(&self) -> bool {
        !self.is_incomplete
    }

    pub(super) fn set_incomplete(&mut self) {
        self.is_incomplete = true;
    }

    /// Adds what a kind of key found. Pairs of a bucket that was split share keys of two fields.
    pub(super) fn add(&mut self, kind: KeyKind, fields: u16, found: Vec<Found>) {
        let report = &mut self.reports[kind as usize];
        let (mut whole, mut split) = (Vec::new(), Vec::new());
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

    /// Adds pairs of records that are equal in all that is compared.
    pub(super) fn add_copies(&mut self, pairs: impl Iterator<Item = (u32, u32)>) {
        let mut pairs: Vec<u64> = pairs.map(|(left, right)| pack(left.min(right), left.max(right))).collect();
        pairs.sort_unstable();
        pairs.dedup();
        self.merge(&pairs, Source { kinds: bit(KeyKind::Identical), fields: TWO_FIELDS });
    }

    fn merge(&mut self, added: &[u64], source: Source) {
        if added.is_empty() {
            return;
        }
        let mut pairs = Vec::with_capacity(self.pairs.len() + added.len());
        let mut sources = Vec::with_capacity(self.pairs.len() + added.len());
        let mut added = added.iter().peekable();
        for (pair, before) in self.pairs.iter().zip(&self.sources) {
            while let Some(other) = added.next_if(|other| *other < pair) {
                pairs.push(*other);
                sources.push(source);
            }
            pairs.push(*pair);
            sources.push(match added.next_if_eq(&pair) {
                Some(_) => Source { kinds: before.kinds | source.kinds, fields: before.fields | source.fields },
                None => *before,
            });
        }
        sources.extend(added.clone().map(|_| source));
        pairs.extend(added);
        (self.pairs, self.sources) = (pairs, sources);
    }

    /// Leaves out pairs that share keys of one field only, when there are more than `most` pairs: among so many records it
    /// is chance, and one field does not make a match. The fields of a household count as one.
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

    /// Counts what each kind found.
    pub(super) fn count(&mut self) {
        for source in &self.sources {
            for (kind, report) in KeyKind::ALL.into_iter().zip(&mut self.reports) {
                report.candidate_count += u64::from(source.kinds & bit(kind) != 0);
                report.alone_count += u64::from(source.kinds == bit(kind));
            }
        }
    }
}

/// Two fields, whichever they are.
const TWO_FIELDS: u16 = u16::MAX;

impl Source {
    fn is_of_two_fields(self, household: u16) -> bool {
        (self.fields & !household).count_ones() + u32::from(self.fields & household != 0) > 1
    }
}

fn bit(kind: KeyKind) -> u8 {
    1 << kind as u8
}
