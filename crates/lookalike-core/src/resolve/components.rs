//! Connected components: families of documents, for those who want them.
//!
//! What a reader would get wrong: this breaks promise 1. A is like B and B like C, so that C goes though it may not be
//! like A at all. The similarity of each removed item with the kept one is measured all the same, for all to see.
//! References stay, also two of one component: what else is in it goes for the best of them.

use rayon::prelude::*;

use super::matches::Neighbours;
use super::{Candidates, Match, References};
use crate::bucket::{Buckets, Family, Union};
use crate::join;
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

fn removals(family: Family<'_>, reference_count: u32, mut bench: Bench<'_>) -> Result<Vec<Match>, SourceError> {
    let neighbours = Neighbours::new(family);
    let mut union = Union::new(family.items.len());
    let places = 0..family.items.len() as u32;
    for place in places.clone() {
        // What is joined already needs no further proof.
        let root = union.root(place);
        let mut others = neighbours.from(reference_count.max(place + 1), place);
        others.retain(|other| union.root(*other) != root);
        let on_bench = bench.put(place);
        let verify = |other: &u32| bench.verify(&bench.put(*other), &on_bench);
        let verified = others.par_iter().map(verify).collect::<Result<Vec<_>, SourceError>>()?;
        for (other, _) in others.into_iter().zip(verified).filter(|(_, likeness)| likeness.is_some()) {
            union.join(place, other);
        }
        bench.make_room();
    }
    let rank = |place: u32| family.items[place as usize];
    let mut removals = Vec::new();
    for place in places.skip(reference_count as usize) {
        let root = union.root(place);
        if root != place {
            let likeness = bench.likeness(&bench.put(place), &bench.put(root))?;
            removals.push(Match { left: rank(place), right: rank(root), likeness });
        }
    }
    Ok(removals)
}
