//! Connected components: families of documents, for those who want them.
//!
//! What a reader would get wrong: this breaks promise 1. A is like B and B like C, so that C goes though it may not be
//! like A at all. The similarity of each removed item with the kept one is measured all the same, for all to see.
//! References stay, also two of one component: what else is in it goes for the best of them.
//!
//! In a bucket of many, who is like one of its first members is not compared with the others: so a component may fall into two,
//! where only later members join them. What was not compared is counted.

use rayon::prelude::*;

use super::{Candidates, Match, References};
use crate::bucket::{Buckets, Family, Union};
use crate::join;
use crate::lists::Lists;
use crate::verify::{Bench, SourceError, Verifier};

/// Keeps the best of each component of matches, and says what is removed: `items` by rank, as they were put into buckets.
/// Components are of everything, whatever the scope of the references.
///
/// # Errors
///
/// When the features of an item cannot be had.
pub fn components(
    candidates: Candidates<'_>,
    items: &[u32],
    references: References,
    verifier: &Verifier<'_>,
) -> Result<Vec<Match>, SourceError> {
    // The join has no components of its own: its matches are measured once more, as buckets of two.
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
        .map(|family| removals(family, references.places_in(family), verifier.bench(family, items)))
        .collect::<Result<Vec<_>, SourceError>>()?;
    Ok(removals.concat())
}

/// How many places are looked at together: in parallel, so not too few; and what is near each other in them is looked at once more.
const BLOCK: usize = 1024;

/// From how many members on a bucket is large: then not everyone is compared with everyone.
const LARGE: usize = 256;

/// How many members of a large bucket others are compared with: the first that were like none of those before.
const MOST_LEADERS: usize = 256;

fn removals(family: Family<'_>, reference_count: u32, mut bench: Bench<'_>) -> Result<Vec<Match>, SourceError> {
    let mut near = Near::new(family);
    let mut union = Union::new(family.items.len());
    let count = family.items.len() as u32;
    for start in (0..count).step_by(BLOCK) {
        let block: Vec<u32> = (start..count.min(start + BLOCK as u32)).collect();
        let roots: Vec<u32> = (0..start + block.len() as u32).map(|place| union.root(place)).collect();
        let joined = |place: &u32| {
            // Two references are not compared.
            let before = if *place < reference_count { Vec::new() } else { near.before(*place, start) };
            first_matches(&bench, *place, before, &roots)
        };
        let joined = block.par_iter().map(joined).collect::<Result<Vec<_>, SourceError>>()?;
        for (place, others) in block.iter().zip(joined) {
            others.into_iter().for_each(|other| union.join(*place, other));
        }
        for &place in block.iter().filter(|place| **place >= reference_count) {
            let root = union.root(place);
            let mut others = near.inside(place, start);
            others.retain(|other| union.root(*other) != root);
            let on_bench = bench.put(place);
            let verify = |other: &u32| bench.verify(&bench.put(*other), &on_bench);
            let verified = others.par_iter().map(verify).collect::<Result<Vec<_>, SourceError>>()?;
            for (other, _) in others.into_iter().zip(verified).filter(|(_, likeness)| likeness.is_some()) {
                union.join(place, other);
            }
            bench.pass_over(near.lead(place, &mut union));
        }
        bench.make_room();
    }
    let rank = |place: u32| family.items[place as usize];
    let mut removals = Vec::new();
    for place in reference_count..count {
        let root = union.root(place);
        if root != place {
            let likeness = bench.likeness(&bench.put(place), &bench.put(root))?;
            removals.push(Match { left: rank(place), right: rank(root), likeness });
        }
    }
    Ok(removals)
}

/// Of each group among the others the first that a place matches: what is joined needs no further proof.
fn first_matches(bench: &Bench<'_>, place: u32, mut others: Vec<u32>, roots: &[u32]) -> Result<Vec<u32>, SourceError> {
    let root = |other: u32| roots[other as usize];
    others.retain(|other| root(*other) != root(place));
    others.sort_unstable_by_key(|other| (root(*other), *other));
    let on_bench = bench.put(place);
    let mut matches = Vec::new();
    for group in others.chunk_by(|left, right| root(*left) == root(*right)) {
        for other in group {
            if bench.verify(&bench.put(*other), &on_bench)?.is_some() {
                matches.push(*other);
                break;
            }
        }
    }
    Ok(matches)
}

/// Who is compared with whom.
struct Near {
    buckets: Lists,
    buckets_of: Lists,
    /// The leaders of each large bucket.
    leaders: Vec<Vec<u32>>,
}

impl Near {
    fn new(family: Family<'_>) -> Self {
        let buckets: Lists = family.buckets().map(|bucket| bucket.iter().copied()).collect();
        let leaders = vec![Vec::new(); buckets.len()];
        Self { buckets_of: buckets.transposed(family.items.len()), buckets, leaders }
    }

    /// Those before the block that starts here.
    fn before(&self, place: u32, start: u32) -> Vec<u32> {
        self.earlier(place, |members| &members[..members.partition_point(|other| *other < start)])
    }

    /// Those before a place in its block, which starts here.
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
            let members = if members.len() <= LARGE { members } else { &self.leaders[*bucket as usize] };
            others.extend(part(members));
        }
        others.sort_unstable();
        others.dedup();
        others
    }

    /// Makes a place a leader of its large buckets, unless it was joined with one of them. Says with how many others of these
    /// buckets it was not compared, though they may be like it; those of several buckets count again.
    fn lead(&mut self, place: u32, union: &mut Union) -> u64 {
        let root = union.root(place);
        let mut passed_over = 0;
        for bucket in self.buckets_of.list(place as usize) {
            let members = self.buckets.list(*bucket as usize);
            let leaders = &mut self.leaders[*bucket as usize];
            if members.len() <= LARGE || leaders.iter().any(|leader| union.root(*leader) == root) {
                continue;
            }
            passed_over += (members.partition_point(|other| *other < place) - leaders.len()) as u64;
            if leaders.len() < MOST_LEADERS {
                leaders.push(place);
            }
        }
        passed_over
    }
}
