//! Connected components: families of documents, for users who want them.
//!
//! This breaks promise 1: if A matches B and B matches C, C is removed although it may not be similar to A at all. The
//! similarity of each removed item to the kept one is measured and reported. References stay, even several in one
//! component: the other items in it are removed for the best of them.
//!
//! In a large bucket, a member is compared only with its *leaders*, so a component may be split if only other members
//! connect it. Pairs that were not compared are counted. The leaders depend on ranks only. In order of rank, each item
//! is compared with the leaders of its large buckets and all earlier members of its small ones, and joined with those
//! it matches; then it becomes a leader of each large bucket that has fewer than 256 leaders and none in the same
//! component. References lead in addition, the first 256 of a bucket.

use rayon::prelude::*;

use super::draw::{Bounded, draw};
use super::{Candidates, References, Removed};
use crate::bucket::passed_over::PassedOver;
use crate::bucket::{Buckets, Family, Union};
use crate::ids::{Document, FamilyPlace, Rank};
use crate::join;
use crate::packed::Lists;
use crate::sources::SourceError;
use crate::verify::{Bench, Verifier};

/// Keeps the best item of each component of matches, and returns the removals: `items` by rank, as in the buckets.
/// Components include all items, whatever the scope of the references.
///
/// # Errors
///
/// If the features of an item cannot be read.
pub fn components(
    candidates: Candidates<'_>,
    items: &[Document],
    references: References,
    verifier: &Verifier<'_>,
) -> Result<Vec<Removed<Rank>>, SourceError> {
    components_within(candidates, items, references, verifier, LIMITS)
}

/// The same with other limits: tests have small buckets.
pub(super) fn components_within(
    candidates: Candidates<'_>,
    items: &[Document],
    references: References,
    verifier: &Verifier<'_>,
    limits: Limits,
) -> Result<Vec<Removed<Rank>>, SourceError> {
    // The join does not compute components: its matches are measured once more, as buckets of two.
    let of_matches;
    let buckets = match candidates {
        Candidates::Buckets(buckets) => buckets,
        Candidates::Sets(sets) => {
            let matches = join::matches(sets, verifier.criterion(), References::default());
            let lists = matches.iter().map(|found| [found.left, found.right]).collect();
            of_matches = Buckets::of_lists(items.len(), &[lists]);
            &of_matches
        }
    };
    let removals = buckets
        .families()
        .map(|family| {
            let reference_count = references.places_in(family);
            let (removals, passed_over) = removals(family, reference_count, verifier.bench(family, items), limits)?;
            passed_over.into_iter().for_each(|passed_over| verifier.pass_over(passed_over));
            Ok(removals)
        })
        .collect::<Result<Vec<_>, SourceError>>()?;
    Ok(removals.concat())
}

/// Limits of the work.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Number of positions processed together: enough for parallel work, but those that are close to each other are
    /// processed one after the other. It does not affect the components.
    pub(super) block: usize,
    /// Maximum number of members of a small bucket, in which all are compared with each other.
    pub(super) small: usize,
    /// Maximum number of leaders of a large bucket, and of references that lead.
    pub(super) most_leaders: usize,
}

const LIMITS: Limits = Limits { block: 1024, small: 256, most_leaders: 256 };

fn removals(
    family: Family<'_>,
    reference_count: u32,
    mut bench: Bench<'_>,
    limits: Limits,
) -> Result<(Vec<Removed<Rank>>, Option<PassedOver>), SourceError> {
    let mut near = Near::new(family, reference_count, limits);
    let mut union = Union::new(family.items.len());
    let count = family.items.len() as u32;
    for start in (0..count).step_by(limits.block) {
        let block: Vec<u32> = (start..count.min(start + limits.block as u32)).collect();
        let roots: Vec<u32> = (0..start + block.len() as u32).map(|place| union.root(place)).collect();
        let joined = |place: &u32| {
            // Two references are not compared.
            let before = if *place < reference_count { Vec::new() } else { near.before(*place, start) };
            first_matches(&bench, *place, before, &roots)
        };
        let joined = block.par_iter().map(joined).collect::<Result<Vec<_>, SourceError>>()?;
        // One after the other: the leaders must not depend on what later members of the block are joined with.
        for (place, before) in block.into_iter().zip(joined) {
            if place < reference_count {
                near.lead_as_reference(place);
                continue;
            }
            before.into_iter().for_each(|other| union.join(place, other));
            let root = union.root(place);
            let mut others = near.inside(place, start);
            others.retain(|other| union.root(*other) != root);
            let on_bench = bench.put(FamilyPlace(place));
            let verify = |other: &u32| bench.verify(&bench.put(FamilyPlace(*other)), &on_bench);
            let verified = others.par_iter().map(verify).collect::<Result<Vec<_>, SourceError>>()?;
            for (other, _) in others.into_iter().zip(verified).filter(|(_, likeness)| likeness.is_some()) {
                union.join(place, other);
            }
            near.lead(place, &mut union);
        }
        bench.make_room();
    }
    let rank = |place: u32| Rank(family.items[place as usize]);
    let mut removals = Vec::new();
    for place in reference_count..count {
        let root = union.root(place);
        if root != place {
            let likeness = bench.likeness(&bench.put(FamilyPlace(place)), &bench.put(FamilyPlace(root)))?;
            removals.push(Removed { removed: rank(place), kept: rank(root), likeness });
        }
    }
    let has_large = near.buckets.iter().any(|bucket| bucket.len() > limits.small);
    let passed_over = has_large.then(|| draw(family, &near.buckets_of, &Apart::new(&near, &mut union)));
    Ok((removals, passed_over))
}

/// Of each group among the others, the first member that an item matches: joined items need no further proof.
fn first_matches(bench: &Bench<'_>, place: u32, mut others: Vec<u32>, roots: &[u32]) -> Result<Vec<u32>, SourceError> {
    let root = |other: u32| roots[other as usize];
    others.retain(|other| root(*other) != root(place));
    others.sort_unstable_by_key(|other| (root(*other), *other));
    let on_bench = bench.put(FamilyPlace(place));
    let mut matches = Vec::new();
    for group in others.chunk_by(|left, right| root(*left) == root(*right)) {
        for other in group {
            if bench.verify(&bench.put(FamilyPlace(*other)), &on_bench)?.is_some() {
                matches.push(*other);
                break;
            }
        }
    }
    Ok(matches)
}

/// The pairs to compare.
struct Near {
    buckets: Lists,
    buckets_of: Lists,
    /// The leaders of each large bucket: references, then others, best first.
    leaders: Vec<Vec<u32>>,
    reference_count: u32,
    limits: Limits,
}

impl Near {
    fn new(family: Family<'_>, reference_count: u32, limits: Limits) -> Self {
        let buckets: Lists = family.buckets().map(|bucket| bucket.iter().copied()).collect();
        let leaders = vec![Vec::new(); buckets.len()];
        Self { buckets_of: buckets.transposed(family.items.len()), buckets, leaders, reference_count, limits }
    }

    /// The items before the block that starts here.
    fn before(&self, place: u32, start: u32) -> Vec<u32> {
        self.earlier(place, |members| &members[..members.partition_point(|other| *other < start)])
    }

    /// The items before this one in its block, which starts here.
    fn inside(&self, place: u32, start: u32) -> Vec<u32> {
        self.earlier(place, |members| {
            let end = members.partition_point(|other| *other < place);
            &members[members.partition_point(|other| *other < start).min(end)..end]
        })
    }

    fn earlier<'a>(&'a self, place: u32, part: impl Fn(&'a [u32]) -> &'a [u32]) -> Vec<u32> {
        let mut others: Vec<u32> = Vec::new();
        for bucket in self.buckets_of.list(place as usize) {
            let members = self.buckets.list(*bucket as usize);
            let members = if self.is_large(*bucket) { &self.leaders[*bucket as usize] } else { members };
            others.extend(part(members));
        }
        others.sort_unstable();
        others.dedup();
        others
    }

    fn is_large(&self, bucket: u32) -> bool {
        self.buckets.list(bucket as usize).len() > self.limits.small
    }

    /// Makes an item a leader of its large buckets, unless it was joined with one of their leaders.
    fn lead(&mut self, place: u32, union: &mut Union) {
        let root = union.root(place);
        for bucket in self.buckets_of.list(place as usize) {
            if !self.is_large(*bucket) {
                continue;
            }
            let leaders = &mut self.leaders[*bucket as usize];
            let references = leaders.partition_point(|leader| *leader < self.reference_count);
            let is_full = leaders.len() - references == self.limits.most_leaders;
            if !is_full && leaders.iter().all(|leader| union.root(*leader) != root) {
                leaders.push(place);
            }
        }
    }

    /// Makes a reference a leader of its large buckets, whatever it is joined with.
    fn lead_as_reference(&mut self, place: u32) {
        for bucket in self.buckets_of.list(place as usize) {
            if self.is_large(*bucket) && self.leaders[*bucket as usize].len() < self.limits.most_leaders {
                self.leaders[*bucket as usize].push(place);
            }
        }
    }
}

/// The pairs of large buckets that are in different components: some of them were compared, and the others might match.
struct Apart<'a> {
    near: &'a Near,
    /// The members of each large bucket by their components, with the cumulative number of pairs of each with members
    /// of later components.
    buckets: Vec<Vec<(u32, u64)>>,
}

impl<'a> Apart<'a> {
    fn new(near: &'a Near, union: &mut Union) -> Self {
        let mut of_bucket = |bucket: u32| {
            if !near.is_large(bucket) {
                return Vec::new();
            }
            let mut members: Vec<(u32, u32)> =
                near.buckets.list(bucket as usize).iter().map(|place| (union.root(*place), *place)).collect();
            members.sort_unstable();
            let (mut later, mut pairs) = (members.len() as u64, 0);
            let mut summed = Vec::with_capacity(members.len());
            for component in members.chunk_by(|left, right| left.0 == right.0) {
                later -= component.len() as u64;
                for (_, place) in component {
                    pairs += later;
                    summed.push((*place, pairs));
                }
            }
            summed
        };
        Self { near, buckets: (0..near.buckets.len() as u32).map(&mut of_bucket).collect() }
    }
}

impl Bounded for Apart<'_> {
    fn pair_count(&self, bucket: usize) -> u64 {
        self.buckets[bucket].last().map_or(0, |(_, pairs)| *pairs)
    }

    fn pair(&self, bucket: usize, at: u64) -> (u32, u32) {
        let members = &self.buckets[bucket];
        let first = members.partition_point(|(_, pairs)| *pairs <= at);
        let before = if first == 0 { 0 } else { members[first - 1].1 };
        let later = members[first].1 - before;
        let second = members.len() - later as usize + (at - before) as usize;
        let [one, other] = [first, second].map(|at| members[at].0);
        (one.min(other), one.max(other))
    }

    fn is_passed_over(&self, bucket: usize, left: u32, right: u32) -> bool {
        let is_concern = right >= self.near.reference_count;
        is_concern && self.near.is_large(bucket as u32) && self.near.leaders[bucket].binary_search(&left).is_err()
    }
}
