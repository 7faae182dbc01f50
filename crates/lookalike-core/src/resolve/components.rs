//! Connected components: families of documents, for those who want them.
//!
//! What a reader would get wrong: this breaks promise 1. A is like B and B like C, so that C goes though it may not be
//! like A at all. The similarity of each removed item with the kept one is measured all the same, for all to see.

use rayon::prelude::*;

use super::matches::Neighbours;
use super::{Decision, Removal, decisions};
use crate::bucket::{Buckets, Family, Union};
use crate::verify::{Bench, FeatureSource, Verifier};

/// Keeps the best of each component of matches: `items` by rank, as they were put into buckets.
///
/// # Errors
///
/// When the features of an item cannot be had.
pub fn components<S: FeatureSource>(
    buckets: &Buckets,
    items: &[u32],
    verifier: &Verifier<'_, S>,
) -> Result<Vec<Decision>, S::Error> {
    let removals = buckets
        .families()
        .map(|family| removals(family, verifier.bench(family, items)))
        .collect::<Result<Vec<_>, _>>()?;
    Ok(decisions(items.len(), removals.into_iter().flatten()))
}

fn removals<S: FeatureSource>(family: Family<'_>, mut bench: Bench<'_, S>) -> Result<Vec<Removal>, S::Error> {
    let neighbours = Neighbours::new(family);
    let mut union = Union::new(family.items.len());
    let places = 0..family.items.len() as u32;
    for place in places.clone() {
        // What is joined already needs no further proof.
        let root = union.root(place);
        let mut others = neighbours.after(place);
        others.retain(|other| union.root(*other) != root);
        let on_bench = bench.put(place);
        let verify = |other: &u32| bench.verify(&bench.put(*other), &on_bench);
        let verified = others.par_iter().map(verify).collect::<Result<Vec<_>, _>>()?;
        for (other, _) in others.into_iter().zip(verified).filter(|(_, overlap)| overlap.is_some()) {
            union.join(place, other);
        }
        bench.make_room();
    }
    let rank = |place: u32| family.items[place as usize];
    let mut removals = Vec::new();
    for place in places {
        let root = union.root(place);
        if root != place {
            removals.push((rank(place), rank(root), bench.overlap(&bench.put(place), &bench.put(root))?));
        }
    }
    Ok(removals)
}
