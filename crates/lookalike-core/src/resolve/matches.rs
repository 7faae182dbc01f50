//! Every match: what `pairs` writes.

use rayon::prelude::*;

use super::{Candidates, References, Scope};
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

/// All matches among items that share a bucket, sorted by their left and right ranks. Two references are not compared with
/// each other, and with [`Scope::References`] only pairs of a reference and another item are matches.
///
/// # Errors
///
/// When the features of an item cannot be had.
pub fn matches(
    candidates: Candidates<'_>,
    items: &[u32],
    references: References,
    verifier: &Verifier<'_>,
) -> Result<Vec<Match>, SourceError> {
    let buckets = match candidates {
        Candidates::Buckets(buckets) => buckets,
        Candidates::Sets(sets) => return Ok(join::matches(sets, verifier.criterion(), references)),
    };
    let by_family = buckets
        .families()
        .map(|family| {
            if references.leave_alone(family) {
                return Ok(Vec::new());
            }
            let bench = verifier.bench(family, items);
            let neighbours = Neighbours::new(family, references);
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
            let found = (neighbours.reference_count..family.items.len() as u32)
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
    /// How many places are references, the first ones.
    reference_count: u32,
    scope: Scope,
}

impl Neighbours {
    fn new(family: Family<'_>, references: References) -> Self {
        let buckets: Lists = family.buckets().map(|bucket| bucket.iter().copied()).collect();
        Self {
            buckets_of: buckets.transposed(family.items.len()),
            buckets,
            reference_count: references.places_in(family),
            scope: references.scope,
        }
    }

    /// The better ranked places that share a bucket with this one, which is not a reference, and are compared with it, best
    /// first.
    fn before(&self, place: u32) -> Vec<u32> {
        let end = match self.scope {
            Scope::Everything => place,
            Scope::References => self.reference_count,
        };
        let mut others: Vec<u32> = Vec::new();
        for bucket in self.buckets_of.list(place as usize) {
            let members = self.buckets.list(*bucket as usize);
            let end = members.partition_point(|other| *other < end);
            others.extend(&members[..end.min(MOST_COMPARED)]);
        }
        others.sort_unstable();
        others.dedup();
        others
    }

    /// How many pairs are not compared; those of several buckets count again.
    fn passed_over(&self) -> u64 {
        let of_bucket = |bucket: &[u32]| {
            let references = bucket.partition_point(|place| *place < self.reference_count);
            match self.scope {
                // Each member is compared with the first of those before it.
                Scope::Everything => sum_beyond(bucket.len()) - sum_beyond(references),
                Scope::References => {
                    (bucket.len() - references) as u64 * references.saturating_sub(MOST_COMPARED) as u64
                }
            }
        };
        self.buckets.iter().map(of_bucket).sum()
    }
}

/// How many pairs of so many members lie beyond those compared.
fn sum_beyond(members: usize) -> u64 {
    let rest = members.saturating_sub(MOST_COMPARED + 1) as u64;
    rest * (rest + 1) / 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bucket::Buckets;

    /// Who is compared with the last of so many members of one bucket, and how many pairs are not compared.
    fn compared(members: u32, references: References) -> (usize, u64) {
        let lists: Lists = std::iter::once(0..members).collect();
        let buckets = Buckets::of_lists(members as usize, &[lists]);
        let of_family = |family: Family<'_>| {
            let neighbours = Neighbours::new(family, references);
            (neighbours.before(members - 1).len(), neighbours.passed_over())
        };
        buckets.families().map(of_family).collect::<Vec<_>>()[0]
    }

    #[test]
    fn members_of_a_large_bucket_are_compared_with_the_first_ones() {
        let most = MOST_COMPARED as u32;
        let none = References::default();
        assert_eq!(compared(most + 1, none), (MOST_COMPARED, 0));
        assert_eq!(compared(most + 4, none), (MOST_COMPARED, 1 + 2 + 3));
        // With references only: of ten members, seven of them.
        assert_eq!(compared(10, References { count: 7, scope: Scope::References }), (7, 0));
        // Five references too many for each of four others.
        let references = References { count: most + 5, scope: Scope::References };
        assert_eq!(compared(most + 9, references), (MOST_COMPARED, 20));
        // References are not compared with each other, and nothing is passed over between them.
        let references = References { count: most + 3, scope: Scope::Everything };
        assert_eq!(compared(most + 4, references), (MOST_COMPARED, 3));
    }
}
