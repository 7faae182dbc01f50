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
            bench.pass_over(neighbours.passed_over());
            let of_place = |place: u32| {
                let mut matches = Vec::new();
                let on_bench = bench.put(place);
                for other in neighbours.before(place) {
                    if let Some(likeness) = bench.verify(&bench.put(other), &on_bench)? {
                        let [left, right] = [other, place].map(|place| family.items[place as usize]);
                        matches.push(Match { left, right, likeness });
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

/// With how many members of a bucket each of them is compared, at most: the first ones. A bucket of a million must not cost a
/// million squared, and nobody reads so many pairs.
const MOST_COMPARED: usize = 1024;

/// Who shares a bucket with whom.
struct Neighbours {
    buckets: Lists,
    buckets_of: Lists,
}

impl Neighbours {
    fn new(family: Family<'_>) -> Self {
        let buckets: Lists = family.buckets().map(|bucket| bucket.iter().copied()).collect();
        Self { buckets_of: buckets.transposed(family.items.len()), buckets }
    }

    /// The better ranked places that share a bucket with this one and are compared with it, best first.
    fn before(&self, place: u32) -> Vec<u32> {
        let mut others: Vec<u32> = Vec::new();
        for bucket in self.buckets_of.list(place as usize) {
            let members = self.buckets.list(*bucket as usize);
            let end = members.partition_point(|other| *other < place);
            others.extend(&members[..end.min(MOST_COMPARED)]);
        }
        others.sort_unstable();
        others.dedup();
        others
    }

    /// How many pairs are not compared; those of several buckets count again.
    fn passed_over(&self) -> u64 {
        let of_bucket = |bucket: &[u32]| {
            let rest = bucket.len().saturating_sub(MOST_COMPARED + 1) as u64;
            rest * (rest + 1) / 2
        };
        self.buckets.iter().map(of_bucket).sum()
    }
}
