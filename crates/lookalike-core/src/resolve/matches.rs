//! Every match: what `pairs` writes.

use rayon::prelude::*;

use super::{Candidates, References};
use crate::bucket::Family;
use crate::join;
use crate::likeness::Likeness;
use crate::lists::Lists;
use crate::verify::{SourceError, Verifier};

/// Two items, by rank, that were measured and are alike enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Match {
    /// The better ranked; of what is removed, the one that goes.
    pub left: u32,
    /// The other; of what is removed, the one that stays.
    pub right: u32,
    /// What they share.
    pub likeness: Likeness,
}

/// All matches among items that share a bucket, sorted by their left and right ranks.
///
/// # Errors
///
/// When the features of an item cannot be had.
pub fn matches(candidates: Candidates<'_>, items: &[u32], verifier: &Verifier<'_>) -> Result<Vec<Match>, SourceError> {
    let buckets = match candidates {
        Candidates::Buckets(buckets) => buckets,
        Candidates::Sets(sets) => return Ok(join::matches(sets, verifier.criterion(), References::default())),
    };
    let by_family = buckets
        .families()
        .map(|family| {
            let bench = verifier.bench(family, items);
            let neighbours = Neighbours::new(family);
            let of_place = |place: u32| {
                let mut matches = Vec::new();
                let on_bench = bench.put(place);
                for other in neighbours.after(place) {
                    if let Some(likeness) = bench.verify(&bench.put(other), &on_bench)? {
                        let [left, right] = [place, other].map(|place| family.items[place as usize]);
                        matches.push(Match { left, right, likeness: likeness.swapped() });
                    }
                }
                Ok(matches)
            };
            let found = (0..family.items.len() as u32)
                .into_par_iter()
                .map(of_place)
                .collect::<Result<Vec<_>, SourceError>>()?;
            Ok(found.concat())
        })
        .collect::<Result<Vec<_>, SourceError>>()?;
    let mut matches = by_family.concat();
    matches.par_sort_unstable_by_key(|found| (found.left, found.right));
    Ok(matches)
}

/// Who shares a bucket with whom.
pub(super) struct Neighbours {
    buckets: Lists,
    buckets_of: Lists,
}

impl Neighbours {
    pub(super) fn new(family: Family<'_>) -> Self {
        let buckets: Lists = family.buckets().map(|bucket| bucket.iter().copied()).collect();
        Self { buckets_of: buckets.transposed(family.items.len()), buckets }
    }

    /// The worse ranked places that share a bucket with this one, best first.
    pub(super) fn after(&self, place: u32) -> Vec<u32> {
        self.from(place + 1, place)
    }

    /// The places from `least` on that share a bucket with this one, best first.
    pub(super) fn from(&self, least: u32, place: u32) -> Vec<u32> {
        let mut others: Vec<u32> = Vec::new();
        for bucket in self.buckets_of.list(place as usize) {
            let members = self.buckets.list(*bucket as usize);
            others.extend(&members[members.partition_point(|other| *other < least)..]);
        }
        others.sort_unstable();
        others.dedup();
        others
    }
}
