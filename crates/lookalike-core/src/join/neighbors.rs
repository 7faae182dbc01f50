//! The matches of each set: lookup by item instead of a list of pairs.
//!
//! Matches are stored by group. Ten thousand equal sets are one entry here and fifty million pairs, which are generated
//! only when the matches of each item are requested.

use std::convert::Infallible;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use rayon::prelude::*;

use super::Sets;
use super::groups::Groups;
use super::pairs::{Found, GROUPS_AT_ONCE, Join};
use crate::decision::References;
use crate::measure::criterion::Criterion;

/// The matches of all items.
#[derive(Debug)]
pub struct Neighbors {
    groups: Groups,
    /// The group of each item; [`NONE`] for items that cannot match anything.
    group_of: Vec<u32>,
    /// The groups that match each group, list after list.
    partners: Vec<Partner>,
    ends: Vec<usize>,
    references: References,
}

/// No group.
const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug, Default)]
struct Partner {
    group: u32,
    shared: u32,
}

/// Remaining capacity for matches of groups, shared by all threads.
pub(super) struct Room {
    most: u64,
    taken: AtomicU64,
}

impl Room {
    /// Bytes per match: as it was found, and then from both sides.
    const MATCH_BYTES: u64 = (size_of::<Found>() + 2 * size_of::<Partner>()) as u64;

    pub(super) fn new(bytes: u64) -> Self {
        Self { most: bytes / Self::MATCH_BYTES, taken: AtomicU64::new(0) }
    }

    pub(super) fn take(&self, matches: usize) {
        self.taken.fetch_add(matches as u64, Relaxed);
    }

    pub(super) fn is_full(&self) -> bool {
        self.taken.load(Relaxed) > self.most
    }
}

impl Neighbors {
    /// Finds all matches by an exact join.
    ///
    /// # Panics
    ///
    /// Never: no memory can hold more matches than the limit.
    ///
    /// ```
    /// use lookalike_core::measure::criterion::Criterion;
    /// use lookalike_core::join::{Neighbors, Sets};
    /// use lookalike_core::decision::References;
    /// use lookalike_core::measure::similarity::Threshold;
    ///
    /// let sets = Sets::new(&[vec![1, 2, 3, 4], vec![8, 9], vec![1, 2, 3, 5]]);
    /// let neighbors = Neighbors::new(&sets, Criterion::Jaccard(Threshold::new(0.6)?), References::default());
    ///
    /// let mut of_last = Vec::new();
    /// neighbors.each(2, |other, shared| of_last.push((other, shared)));
    /// assert_eq!(of_last, [(0, 3)]);
    /// # Ok::<(), lookalike_core::Error>(())
    /// ```
    pub fn new(sets: &Sets, criterion: Criterion, references: References) -> Self {
        let Ok(all) = Self::within(sets, criterion, references, u64::MAX, || Ok::<(), Infallible>(()));
        all.expect("nobody has so many matches")
    }

    /// Finds all matches, if they take at most this many bytes. `go_on` is called repeatedly.
    ///
    /// # Errors
    ///
    /// An error of `go_on`, which ends the join.
    pub fn within<E: Send>(
        sets: &Sets,
        criterion: Criterion,
        references: References,
        most_bytes: u64,
        go_on: impl Fn() -> Result<(), E> + Sync,
    ) -> Result<Option<Self>, E> {
        let join = Join::new(sets, criterion, references);
        let room = Room::new(most_bytes);
        let of_groups = |groups: &[u32]| {
            go_on()?;
            let mut all = Vec::new();
            if !room.is_full() {
                join.probe(groups, |found| all.push(found));
                room.take(all.len());
            }
            Ok(all)
        };
        let groups: Vec<u32> = (0..join.groups.len() as u32).collect();
        let by_groups = groups.par_chunks(GROUPS_AT_ONCE).map(of_groups).collect::<Result<Vec<Vec<Found>>, E>>()?;
        Ok((!room.is_full()).then(|| Self::of_found(sets.len(), join.groups, &by_groups, references)))
    }

    /// Stores the matches found between groups in both directions.
    pub(super) fn of_found(item_count: usize, groups: Groups, parts: &[Vec<Found>], references: References) -> Self {
        let mut group_of = vec![NONE; item_count];
        for group in 0..groups.len() as u32 {
            groups.items(group).iter().for_each(|item| group_of[*item as usize] = group);
        }
        // Equal items need no entry: they are the items of the group.
        let all = || parts.iter().flatten().filter(|found| found.group != found.partner);
        let mut ends = vec![0; groups.len()];
        for found in all() {
            ends[found.group as usize] += 1;
            ends[found.partner as usize] += 1;
        }
        let mut total = 0;
        for end in &mut ends {
            // For now the start; filling in moves each to its end.
            (*end, total) = (total, total + *end);
        }
        let mut partners = vec![Partner::default(); total];
        for Found { group, partner, shared } in all().copied() {
            for (one, other) in [(group, partner), (partner, group)] {
                let end: &mut usize = &mut ends[one as usize];
                partners[*end] = Partner { group: other, shared };
                *end += 1;
            }
        }
        Self { groups, group_of, partners, ends, references }
    }

    /// Passes the matches of an item, each with the number of shared features, in no particular order.
    pub fn each(&self, item: u32, mut each: impl FnMut(u32, u32)) {
        let group = self.group_of[item as usize];
        if group == NONE {
            return;
        }
        let start = if group == 0 { 0 } else { self.ends[group as usize - 1] };
        let own = Partner { group, shared: self.groups.size(group) };
        for partner in self.partners[start..self.ends[group as usize]].iter().chain([&own]) {
            for other in self.groups.items(partner.group) {
                if *other != item && self.references.compare(item, *other) {
                    each(*other, partner.shared);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::brute::{self, in_threads};
    use super::super::matches;
    use super::*;
    use crate::decision::Scope;

    #[test]
    fn matches_that_need_more_memory_than_there_is_are_not_gathered() {
        let sets = Sets::new(&(0..100_u64).map(|at| (0..20).chain([100 + at]).collect()).collect::<Vec<Vec<u64>>>());
        let criterion = Criterion::Jaccard(crate::measure::similarity::Threshold::new(0.5).unwrap());
        // 4,950 pairs of 28 bytes.
        let within = |bytes: u64| Neighbors::within(&sets, criterion, References::default(), bytes, || Ok::<_, ()>(()));
        assert!(within(4_950 * 28).unwrap().is_some() && within(4_900 * 28).unwrap().is_none());
    }

    #[test]
    fn a_join_that_may_not_go_on_ends() {
        let sets = Sets::new(&(0..1000_u64).map(|at| vec![at, at + 1]).collect::<Vec<_>>());
        let criterion = Criterion::Jaccard(crate::measure::similarity::Threshold::new(0.3).unwrap());
        let asked = AtomicU64::new(0);
        let go_on = || if asked.fetch_add(1, Relaxed) < 3 { Ok(()) } else { Err("stopped") };
        let join = || Neighbors::within(&sets, criterion, References::default(), u64::MAX, go_on).map(|_| ());
        assert_eq!(in_threads(1, join), Err("stopped"));
        assert_eq!(asked.into_inner(), 4);
    }

    proptest! {
        #[test]
        fn neighbors_are_matches_seen_from_both_sides(
            items in brute::items(), criterion in brute::criterion(), count in 0_u32..20, is_strict in any::<bool>()
        ) {
            let scope = if is_strict { Scope::References } else { Scope::Everything };
            let references = References { count: count.min(items.len() as u32), scope };
            let sets = Sets::new(&items);
            let mut expected = Vec::new();
            for found in matches(&sets, criterion, references) {
                let shared = found.likeness.overlap().unwrap().shared;
                expected.extend([(found.left, found.right, shared), (found.right, found.left, shared)]);
            }
            expected.sort_unstable();
            for threads in [1, 4] {
                let neighbors = in_threads(threads, || Neighbors::new(&sets, criterion, references));
                let mut found = Vec::new();
                for item in 0..items.len() as u32 {
                    neighbors.each(item, |other, shared| found.push((item, other, shared)));
                }
                found.sort_unstable();
                prop_assert_eq!(&found, &expected);
            }
        }
    }
}
