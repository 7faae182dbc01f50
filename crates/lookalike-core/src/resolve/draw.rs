//! Draws a sample of the pairs that the buckets of one family passed over: see [`crate::bucket::passed_over`].

use std::collections::HashSet;

use super::{References, Scope};
use crate::bucket::Family;
use crate::bucket::passed_over::{Drawn, MOST_DRAWN, PassedOver};
use crate::hash;
use crate::packed::Lists;

/// The buckets of a family, and the pairs that were not compared because of a limit. Pairs are positions in the family.
pub(super) trait Bounded {
    /// Maximum number of pairs of a bucket that were passed over; [`Self::pair`] returns each of them.
    fn pair_count(&self, bucket: usize) -> u64;

    /// Returns one of these pairs, the better position first.
    fn pair(&self, bucket: usize, at: u64) -> (u32, u32);

    /// True if a pair was passed over in this bucket, and is relevant.
    fn is_passed_over(&self, bucket: usize, left: u32, right: u32) -> bool;
}

/// Purpose of these draws.
const PURPOSE: u64 = 0x7061_7373 << 32;

/// Draws from the pairs that a family passed over; `buckets_of` are the buckets of each position.
pub(super) fn draw(family: Family<'_>, buckets_of: &Lists, bounded: &impl Bounded) -> PassedOver {
    let mut meetings = 0_u64;
    let mut ends = Vec::new();
    for bucket in 0..family.buckets().count() {
        let count = bounded.pair_count(bucket);
        if count > 0 {
            meetings = meetings.saturating_add(count);
            ends.push((meetings, bucket));
        }
    }
    // The best rank identifies the family.
    let purpose = PURPOSE | u64::from(family.items[0]);
    let mut random = (0..).map(|at| hash::draw(purpose, at));
    let mut next = || random.next().expect("there is always another number");
    let count = meetings.min(MOST_DRAWN as u64);
    let (mut seen, mut drawn, mut position) = (HashSet::new(), Vec::with_capacity(count as usize), 0.0);
    while (drawn.len() as u64) < count {
        let at = ((u128::from(next()) * u128::from(meetings)) >> 64) as u64;
        if !seen.insert(at) {
            continue;
        }
        // The distance to the next of this many exponential positions. (Rényi 1953)
        let uniform = ((next() >> 11) + 1) as f64 / (1_u64 << 53) as f64;
        position -= uniform.ln() / (meetings - drawn.len() as u64) as f64;
        let of = ends.partition_point(|(end, _)| *end <= at);
        let start = if of == 0 { 0 } else { ends[of - 1].0 };
        let bucket = ends[of].1;
        let (left, right) = bounded.pair(bucket, at - start);
        let (meetings, is_first) = meetings_of(buckets_of, bounded, bucket, [left, right]);
        let [left, right] = [left, right].map(|place| family.items[place as usize]);
        drawn.push(Drawn { position: f64::to_bits(position), left, right, meetings, is_first });
    }
    PassedOver::new(meetings, drawn)
}

/// The number of buckets in which a pair meets without being compared, and whether this is the first. None if it is
/// compared in one of them.
fn meetings_of(buckets_of: &Lists, bounded: &impl Bounded, bucket: usize, [left, right]: [u32; 2]) -> (u32, bool) {
    let others = buckets_of.list(right as usize);
    let mut shared = buckets_of.list(left as usize).iter().filter(|bucket| others.binary_search(bucket).is_ok());
    let first = shared.clone().next().copied();
    let is_first = first.is_some_and(|first| first as usize == bucket);
    if shared.clone().any(|bucket| !bounded.is_passed_over(*bucket as usize, left, right)) {
        return (0, is_first);
    }
    (shared.by_ref().count() as u32, is_first)
}

/// Members of buckets that were compared with the first members and not with each other: those after the first `most`
/// references and the first `most` others.
pub(super) struct AfterFirst<'a> {
    /// The members of each bucket, best first.
    pub(super) members: &'a Lists,
    /// Number of positions that are references, the first ones.
    pub(super) reference_count: u32,
    pub(super) references: References,
    pub(super) most: usize,
}

impl AfterFirst<'_> {
    /// Number of members of a bucket that are references, and that are not.
    fn counts(&self, bucket: usize) -> (usize, usize) {
        let members = self.members.list(bucket);
        let references = members.partition_point(|place| *place < self.reference_count);
        (references, members.len() - references)
    }
}

impl Bounded for AfterFirst<'_> {
    fn pair_count(&self, bucket: usize) -> u64 {
        let (references, others) = self.counts(bucket);
        let after = |count: usize| count.saturating_sub(self.most) as u64;
        let among_others = match self.references.scope {
            Scope::Everything => after(others) * after(others).saturating_sub(1) / 2,
            Scope::References => 0,
        };
        after(references) * others as u64 + among_others
    }

    fn pair(&self, bucket: usize, at: u64) -> (u32, u32) {
        let members = self.members.list(bucket);
        let (references, others) = self.counts(bucket);
        let with_references = references.saturating_sub(self.most) as u64 * others as u64;
        if at < with_references {
            let (reference, other) = (at as usize / others, at as usize % others);
            return (members[self.most + reference], members[references + other]);
        }
        let (left, right) = triangle(at - with_references);
        let after = &members[references + self.most..];
        (after[left], after[right])
    }

    fn is_passed_over(&self, bucket: usize, left: u32, _: u32) -> bool {
        let before = self.members.list(bucket).partition_point(|place| *place < left);
        let references = self.counts(bucket).0;
        (if left < self.reference_count { before } else { before - references }) >= self.most
    }
}

/// The pair of numbers, smaller first, at index `at` in the order of the greater number.
fn triangle(at: u64) -> (usize, usize) {
    let greater = ((8 * u128::from(at) + 1).isqrt() as u64).div_ceil(2);
    ((at - greater * (greater - 1) / 2) as usize, greater as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_has_one_number() {
        let mut pairs = (0..).map(triangle);
        for greater in 1..50 {
            for smaller in 0..greater {
                assert_eq!(pairs.next(), Some((smaller, greater)));
            }
        }
        let last = u64::from(u32::MAX);
        assert_eq!(triangle(last * (last + 1) / 2 - 1), (u32::MAX as usize - 1, u32::MAX as usize));
    }

    #[test]
    fn the_pairs_of_a_bucket_are_those_that_were_passed_over() {
        for (reference_count, scope) in [(0, Scope::Everything), (4, Scope::Everything), (4, Scope::References)] {
            let members: Lists = [vec![0, 1, 2, 3, 5, 6, 7, 9, 10]].into_iter().collect();
            let references = References { count: reference_count, scope };
            let bounded = AfterFirst { members: &members, reference_count, references, most: 2 };
            let mut found: Vec<_> = (0..bounded.pair_count(0)).map(|at| bounded.pair(0, at)).collect();
            found.sort_unstable();
            let all = members.list(0).iter().flat_map(|left| members.list(0).iter().map(move |right| (*left, *right)));
            let expected: Vec<_> = all
                .filter(|(left, right)| left < right && references.compare(*left, *right))
                .filter(|(left, right)| bounded.is_passed_over(0, *left, *right))
                .collect();
            assert_eq!(found, expected, "{references:?}");
            assert!(!found.is_empty());
        }
    }
}
