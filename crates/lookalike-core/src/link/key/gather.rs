//! Pairs of many keys to candidates: each pair once, with the kinds of keys that found it.

use rdst::RadixSort;

use super::split::Found;
use super::{KeyKind, KeyReport};

/// Pairs that share a key.
#[derive(Debug, Default)]
pub struct Candidates {
    pairs: Vec<u64>,
    kinds: Vec<u8>,
    reports: [KeyReport; KeyKind::ALL.len()],
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
        ((self.pairs[at] >> 32) as u32, self.pairs[at] as u32)
    }

    /// The kinds of keys that found pair `at`.
    pub fn kinds(&self, at: usize) -> impl Iterator<Item = KeyKind> + '_ {
        KeyKind::ALL.into_iter().filter(move |kind| self.kinds[at] & bit(*kind) != 0)
    }

    /// What each kind of key did.
    pub fn reports(&self) -> impl Iterator<Item = (KeyKind, &KeyReport)> {
        KeyKind::ALL.into_iter().zip(&self.reports)
    }

    pub(super) fn add(&mut self, kind: KeyKind, found: Vec<Found>) {
        let mut pairs = Vec::with_capacity(found.iter().map(|found| found.pairs.len()).sum());
        let report = &mut self.reports[kind as usize];
        for part in found {
            report.split_bucket_count += part.split_bucket_count;
            report.not_compared_count += part.not_compared_count;
            pairs.extend(part.pairs);
        }
        pairs.radix_sort_unstable();
        pairs.dedup();
        self.merge(&pairs, bit(kind));
    }

    fn merge(&mut self, added: &[u64], bit: u8) {
        let mut pairs = Vec::with_capacity(self.pairs.len() + added.len());
        let mut kinds = Vec::with_capacity(self.pairs.len() + added.len());
        let mut added = added.iter().peekable();
        for (pair, mask) in self.pairs.iter().zip(&self.kinds) {
            while let Some(other) = added.next_if(|other| *other < pair) {
                pairs.push(*other);
                kinds.push(bit);
            }
            pairs.push(*pair);
            kinds.push(if added.next_if_eq(&pair).is_some() { mask | bit } else { *mask });
        }
        kinds.extend(added.clone().map(|_| bit));
        pairs.extend(added);
        (self.pairs, self.kinds) = (pairs, kinds);
    }

    /// Counts what each kind found.
    pub(super) fn count(&mut self) {
        for mask in &self.kinds {
            for (kind, report) in KeyKind::ALL.into_iter().zip(&mut self.reports) {
                report.candidate_count += u64::from(mask & bit(kind) != 0);
                report.alone_count += u64::from(*mask == bit(kind));
            }
        }
    }
}

fn bit(kind: KeyKind) -> u8 {
    1 << kind as u8
}
