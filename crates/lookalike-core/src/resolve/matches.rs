//! Finds every match: the output of `pairs`.

use rayon::prelude::*;

use super::draw::{AfterFirst, draw};
use super::{Candidates, References, Scope};
use crate::bucket::Family;
use crate::bucket::passed_over::PassedOver;
use crate::decision::Match;
use crate::ids::{Document, FamilyPlace, Rank};
use crate::join::{self, MATCHES_AT_ONCE};
use crate::packed::Lists;
use crate::sources::SourceError;
use crate::verify::Verifier;

/// Receives matches or removals, some at a time, from all threads.
pub type TakeFound<'a, Found> = dyn Fn(Vec<Found>) -> Result<(), SourceError> + Sync + 'a;

/// Receives a few matches at a time, from all threads.
pub type TakeMatches<'a> = TakeFound<'a, Match<Rank>>;

/// Passes on all matches among items that share a bucket while others are still being found, in no particular order:
/// there may be more of them than fit in memory. Two references are not compared with each other, and with
/// [`Scope::References`] only pairs of a reference and another item are matches.
///
/// In a very large bucket, an item is compared only with the first 1,024 references and the first 1,024 others: the
/// pairs that are compared depend on ranks only, and not on the order of the work.
///
/// # Errors
///
/// If the features of an item cannot be read, or `take` fails.
pub fn each_match(
    candidates: Candidates<'_>,
    items: &[Document],
    references: References,
    verifier: &Verifier<'_>,
    take: &TakeMatches<'_>,
) -> Result<(), SourceError> {
    each_match_within(candidates, items, references, verifier, MOST_COMPARED, take)
}

/// The same with another limit: tests have small buckets.
pub(super) fn each_match_within(
    candidates: Candidates<'_>,
    items: &[Document],
    references: References,
    verifier: &Verifier<'_>,
    most: usize,
    take: &TakeMatches<'_>,
) -> Result<(), SourceError> {
    let buckets = match candidates {
        Candidates::Buckets(buckets) => buckets,
        Candidates::Sets(sets) => {
            let take = |some: Vec<Match>| take(some.into_iter().map(|found| found.map(Rank)).collect());
            return join::each_match(sets, verifier.criterion(), references, take);
        }
    };
    let hand_on = |some: &mut Vec<Match<Rank>>, least: usize| {
        if some.len() < least { Ok(()) } else { take(std::mem::take(some)) }
    };
    let of_family = |mut some: Vec<Match<Rank>>, family: Family<'_>| {
        if references.leave_alone(family) {
            return Ok(some);
        }
        let bench = verifier.bench(family, items);
        let neighbors = Neighbors::new(family, references, most);
        if neighbors.buckets.iter().any(|bucket| bucket.len() > most) {
            verifier.pass_over(neighbors.passed_over(family));
        }
        let of_place = |mut some: Vec<Match<Rank>>, place: u32| {
            let on_bench = bench.put(FamilyPlace(place));
            for other in neighbors.before(place) {
                if let Some(likeness) = bench.verify(&bench.put(FamilyPlace(other)), &on_bench)? {
                    let [left, right] = [other, place].map(|place| Rank(family.items[place as usize]));
                    some.push(Match { left, right, likeness });
                }
            }
            hand_on(&mut some, MATCHES_AT_ONCE).map(|()| some)
        };
        let places = (neighbors.reference_count..family.items.len() as u32).into_par_iter();
        let left_over = places.try_fold(Vec::new, of_place).try_reduce(Vec::new, |mut left, right| {
            left.extend(right);
            hand_on(&mut left, MATCHES_AT_ONCE).map(|()| left)
        })?;
        some.extend(left_over);
        // Most families are small, and are passed on together.
        hand_on(&mut some, MATCHES_AT_ONCE).map(|()| some)
    };
    buckets.families().try_fold(Vec::new, of_family).try_for_each(|some| hand_on(&mut some?, 1))
}

/// Maximum number of members of a bucket with which each of them is compared: the first ones. A bucket of a million
/// must not cost a million squared, and nobody reads that many pairs.
const MOST_COMPARED: usize = 1024;

/// The pairs that share a bucket.
struct Neighbors {
    buckets: Lists,
    buckets_of: Lists,
    /// Number of positions that are references, the first ones.
    reference_count: u32,
    references: References,
    most: usize,
}

impl Neighbors {
    fn new(family: Family<'_>, references: References, most: usize) -> Self {
        let buckets: Lists = family.buckets().map(|bucket| bucket.iter().copied()).collect();
        Self {
            buckets_of: buckets.transposed(family.items.len()),
            buckets,
            reference_count: references.places_in(family),
            references,
            most,
        }
    }

    /// The better ranked items that share a bucket with this one, which is not a reference, and are compared with it,
    /// best first.
    fn before(&self, place: u32) -> Vec<u32> {
        let mut others: Vec<u32> = Vec::new();
        for bucket in self.buckets_of.list(place as usize) {
            let members = self.buckets.list(*bucket as usize);
            let (references, rest) = members.split_at(members.partition_point(|other| *other < self.reference_count));
            others.extend(references.iter().take(self.most));
            if self.references.scope == Scope::Everything {
                others.extend(rest.iter().take(self.most).take_while(|other| **other < place));
            }
        }
        others.sort_unstable();
        others.dedup();
        others
    }

    /// The pairs that are not compared.
    fn passed_over(&self, family: Family<'_>) -> PassedOver {
        let Self { buckets: members, reference_count, references, most, .. } = self;
        let (reference_count, references, most) = (*reference_count, *references, *most);
        draw(family, &self.buckets_of, &AfterFirst { members, reference_count, references, most })
    }
}
