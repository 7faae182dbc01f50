//! The maximal independent set that is first in keep order: it fulfills both promises.
//!
//! In keep order, each item is kept unless it matches one kept before. This set is unique, so it can be computed in any
//! way: here in rounds. In each round the best undecided item of every neighborhood is kept, and all others are
//! verified against those just kept. A removed item needs no further comparison, so a family of a million is compared
//! with the item that is kept, and not with itself.
//!
//! In a bucket only the first 256 kept members remove others: if that many do not match each other, they share
//! boilerplate just below the threshold, and comparing all of them would take forever. These members depend on ranks
//! only, since a bucket's members are kept in order until there are that many. After that, its members do not wait for
//! each other.
//!
//! References are kept before the first round. An item that matches one of them is removed for a reference, even if it
//! is more similar to another kept item: the items removed by references are thus exactly those that match one.

use rayon::prelude::*;

use super::draw::{AfterFirst, draw};
use super::{Candidates, References, Removed, Scope, removals};
use crate::bucket::Family;
use crate::bucket::passed_over::PassedOver;
use crate::ids::{Document, FamilyPlace, Rank};
use crate::join;
use crate::measure::likeness::Likeness;
use crate::packed::Lists;
use crate::sources::SourceError;
use crate::verify::{Bench, Verifier};

/// Limits on the number of items decided together, and of kept members of a bucket that remove others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Rounds examine all undecided items of a block, so a block must not be too large; they do so in parallel, so it
    /// must not be too small. It does not affect the removals.
    pub(super) block: usize,
    /// The same number of references of a bucket also remove others: they must not displace items kept after them.
    pub(super) most_kept: usize,
}

const LIMITS: Limits = Limits { block: 1024, most_kept: 256 };

/// Decides on all items, and returns the removals: `items` by rank, as in the buckets.
///
/// A removed item is removed for the most similar reference; if it matches none, for the most similar of the kept items
/// that are better in keep order, since only these are a reason. Ties go to the best.
///
/// # Errors
///
/// If the features of an item cannot be read.
pub fn independent_set(
    candidates: Candidates<'_>,
    items: &[Document],
    references: References,
    verifier: &Verifier<'_>,
) -> Result<Vec<Removed<Rank>>, SourceError> {
    independent_set_within(candidates, items, references, verifier, LIMITS)
}

/// The same with other limits: tests have small buckets.
pub(super) fn independent_set_within(
    candidates: Candidates<'_>,
    items: &[Document],
    references: References,
    verifier: &Verifier<'_>,
    limits: Limits,
) -> Result<Vec<Removed<Rank>>, SourceError> {
    let buckets = match candidates {
        Candidates::Buckets(buckets) => buckets,
        Candidates::Sets(sets) => {
            return Ok(removals(&join::independent_set(sets, verifier.criterion(), references)));
        }
    };
    let removed = buckets
        .families()
        .map(|family| {
            if references.leave_alone(family) {
                return Ok(Vec::new());
            }
            let mut resolver = Resolver::new(family, references, verifier.bench(family, items), limits);
            resolver.decide()?;
            if resolver.kept_in.iter().any(|kept| kept.count > kept.places.len() as u64) {
                verifier.pass_over(resolver.passed_over(family, references));
            }
            resolver.removals(family)
        })
        .collect::<Result<Vec<_>, SourceError>>()?;
    Ok(removed.concat())
}

/// The kept members of a bucket.
#[derive(Clone, Default)]
struct Kept {
    /// The first of them, which remove others: references, then the rest.
    places: Vec<u32>,
    /// Number of references among them.
    reference_count: usize,
    /// Total number.
    count: u64,
}

impl Kept {
    /// True if there are as many as may remove others.
    fn is_full(&self, most: usize) -> bool {
        self.places.len() == self.reference_count + most
    }
}

struct Resolver<'a> {
    bench: Bench<'a>,
    /// Number of positions that are references, the first ones.
    reference_count: u32,
    scope: Scope,
    limits: Limits,
    /// The buckets of each item.
    buckets_of: Lists,
    /// The kept members of each bucket.
    kept_in: Vec<Kept>,
    /// The kept item that each removed item was found to match, and the measurement.
    removed_by: Vec<Option<(u32, Likeness)>>,
}

impl<'a> Resolver<'a> {
    fn new(family: Family<'_>, references: References, bench: Bench<'a>, limits: Limits) -> Self {
        let buckets: Lists = family.buckets().map(|bucket| bucket.iter().copied()).collect();
        Self {
            bench,
            reference_count: references.places_in(family),
            scope: references.scope,
            limits,
            buckets_of: buckets.transposed(family.items.len()),
            kept_in: vec![Kept::default(); buckets.len()],
            removed_by: vec![None; family.items.len()],
        }
    }

    fn decide(&mut self) -> Result<(), SourceError> {
        let count = self.removed_by.len() as u32;
        let mut round = Round::new(self.kept_in.len());
        self.keep_references();
        let Limits { block, most_kept } = self.limits;
        for start in (self.reference_count..count).step_by(block) {
            let block: Vec<u32> = (start..count.min(start + block as u32)).collect();
            let matches = self.first_matches(&block, |place| self.kept_near(place))?;
            let mut undecided = self.remove(block, &matches);
            // Items that match no reference are kept, and need no comparison.
            while self.scope == Scope::Everything && !undecided.is_empty() {
                let is_full = |bucket: u32| self.kept_in[bucket as usize].is_full(most_kept);
                let (kept, others) = round.split_off_best(&undecided, &self.buckets_of, is_full);
                let matches = self.first_matches(&others, |place| round.kept_near(place, &self.buckets_of))?;
                undecided = self.remove(others, &matches);
                self.keep(&kept);
            }
            self.bench.make_room();
        }
        Ok(())
    }

    /// For each item, the best of its neighbors that it matches.
    fn first_matches(
        &self,
        places: &[u32],
        near: impl Fn(u32) -> Vec<u32> + Sync,
    ) -> Result<Vec<Option<(u32, Likeness)>>, SourceError> {
        let first_match = |place: &u32| {
            let on_bench = self.bench.put(FamilyPlace(*place));
            for other in near(*place) {
                if let Some(likeness) = self.bench.verify(&on_bench, &self.bench.put(FamilyPlace(other)))? {
                    return Ok(Some((other, likeness)));
                }
            }
            Ok(None)
        };
        places.par_iter().map(first_match).collect()
    }

    /// The kept items that may remove this one, best first.
    fn kept_near(&self, place: u32) -> Vec<u32> {
        let buckets = self.buckets_of.list(place as usize);
        let kept = buckets.iter().flat_map(|bucket| &self.kept_in[*bucket as usize].places).copied().collect();
        distinct(kept, self.removed_by.len())
    }

    /// The pairs of kept items that share a bucket and were not compared.
    fn passed_over(&self, family: Family<'_>, references: References) -> PassedOver {
        let is_kept = |place: &u32| self.removed_by[*place as usize].is_none();
        let members: Lists = family.buckets().map(|bucket| bucket.iter().copied().filter(is_kept)).collect();
        let (reference_count, most) = (self.reference_count, self.limits.most_kept);
        draw(family, &self.buckets_of, &AfterFirst { members: &members, reference_count, references, most })
    }

    fn keep_references(&mut self) {
        let references: Vec<u32> = (0..self.reference_count).collect();
        self.keep(&references);
        self.kept_in.iter_mut().for_each(|kept| kept.reference_count = kept.places.len());
    }

    fn keep(&mut self, places: &[u32]) {
        for place in places {
            for bucket in self.buckets_of.list(*place as usize) {
                let kept = &mut self.kept_in[*bucket as usize];
                kept.count += 1;
                if !kept.is_full(self.limits.most_kept) {
                    kept.places.push(*place);
                }
            }
        }
    }

    /// Removes the items that have a match, and returns the others.
    fn remove(&mut self, places: Vec<u32>, matches: &[Option<(u32, Likeness)>]) -> Vec<u32> {
        for (place, by) in places.iter().zip(matches) {
            self.removed_by[*place as usize] = *by;
        }
        places.into_iter().filter(|place| self.removed_by[*place as usize].is_none()).collect()
    }

    /// The removals, each for the most similar reference, or else the most similar better kept item.
    fn removals(&mut self, family: Family<'_>) -> Result<Vec<Removed<Rank>>, SourceError> {
        let removed: Vec<(u32, u32, Likeness)> = (0..)
            .zip(&self.removed_by)
            .filter_map(|(place, by)| by.map(|(by, likeness)| (place, by, likeness)))
            .collect();
        let mut removals = Vec::with_capacity(removed.len());
        for block in removed.chunks(self.limits.block) {
            let most_alike = |(place, by, likeness): &(u32, u32, Likeness)| {
                let (by, likeness) = self.most_alike(*place, *by, *likeness)?;
                let [removed, kept] = [*place, by].map(|place| Rank(family.items[place as usize]));
                Ok(Removed { removed, kept, likeness })
            };
            removals.extend(block.par_iter().map(most_alike).collect::<Result<Vec<_>, SourceError>>()?);
            self.bench.make_room();
        }
        Ok(removals)
    }

    /// The most similar kept item of a removed one, among those better in keep order, given a first match; ties go to
    /// the best. Since references come first, the first match is a reference if there is one, and then only references
    /// are compared.
    fn most_alike(&self, place: u32, first: u32, likeness: Likeness) -> Result<(u32, Likeness), SourceError> {
        let on_bench = self.bench.put(FamilyPlace(place));
        let (mut by, mut most) = (first, likeness);
        let is_reference = |place: u32| place < self.reference_count;
        let others = self.kept_near(place).into_iter().filter(|other| *other < place);
        for other in others.filter(|other| *other != first && is_reference(*other) == is_reference(first)) {
            let Some(likeness) = self.bench.verify_again(&on_bench, &self.bench.put(FamilyPlace(other)))? else {
                continue;
            };
            if self.bench.is_more(likeness, most) || !self.bench.is_more(most, likeness) && other < by {
                (by, most) = (other, likeness);
            }
        }
        Ok((by, most))
    }
}

/// Sorts numbers below `end`, and removes repeated ones. Buckets of many tables have mostly the same members: if that
/// gives more numbers than a bitmap has words, a bitmap is used instead of sorting.
fn distinct(mut numbers: Vec<u32>, end: usize) -> Vec<u32> {
    let words = end.div_ceil(u64::BITS as usize);
    if numbers.len() < words {
        numbers.sort_unstable();
        numbers.dedup();
        return numbers;
    }
    let mut marks = vec![0_u64; words];
    numbers.iter().for_each(|number| marks[(number / u64::BITS) as usize] |= 1 << (number % u64::BITS));
    numbers.clear();
    for (first, mut marks) in (0..).step_by(u64::BITS as usize).zip(marks) {
        while marks != 0 {
            numbers.push(first + marks.trailing_zeros());
            marks &= marks - 1;
        }
    }
    numbers
}

/// One round: in each bucket, the best undecided item.
struct Round {
    number: u32,
    best_in: Vec<Best>,
}

#[derive(Clone, Copy, Default)]
struct Best {
    /// The round in which this was set; zero means never.
    round: u32,
    place: u32,
    is_kept: bool,
}

impl Round {
    fn new(bucket_count: usize) -> Self {
        Self { number: 0, best_in: vec![Best::default(); bucket_count] }
    }

    /// Starts a round: splits the items into those that are the best undecided of all their buckets and can be kept,
    /// and the others. Members of a full bucket do not wait for each other.
    fn split_off_best(
        &mut self,
        undecided: &[u32],
        buckets_of: &Lists,
        is_full: impl Fn(u32) -> bool,
    ) -> (Vec<u32>, Vec<u32>) {
        self.number += 1;
        undecided.iter().partition(|place| {
            let buckets = || buckets_of.list(**place as usize).iter().filter(|bucket| !is_full(**bucket));
            let is_kept = buckets().all(|bucket| self.best_in[*bucket as usize].round != self.number);
            for bucket in buckets() {
                let best = &mut self.best_in[*bucket as usize];
                if best.round != self.number {
                    *best = Best { round: self.number, place: **place, is_kept };
                }
            }
            is_kept
        })
    }

    /// The items kept in this round that may remove this one, best first.
    fn kept_near(&self, place: u32, buckets_of: &Lists) -> Vec<u32> {
        let best = buckets_of.list(place as usize).iter().map(|bucket| self.best_in[*bucket as usize]);
        let mut kept: Vec<u32> =
            best.filter(|best| best.round == self.number && best.is_kept).map(|best| best.place).collect();
        kept.sort_unstable();
        kept.dedup();
        kept
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn numbers_are_sorted_and_once_each(
            numbers in proptest::collection::vec(0_u32..3000, 0..200), end in prop_oneof![Just(3000), Just(100_000)]
        ) {
            // Few numbers are sorted, and many are marked in a bitmap.
            let expected: std::collections::BTreeSet<u32> = numbers.iter().copied().collect();
            prop_assert_eq!(distinct(numbers, end), expected.into_iter().collect::<Vec<_>>());
        }
    }
}
