//! Detects shingles with the same feature, where a match could depend on them.
//!
//! Two different shingles have the same 64-bit feature with probability 2^-64. A match of several shared features needs
//! several such collisions; a match of one needs one, and there may be a million sets of a single feature. Before a
//! join, the features of all sets that can match by one of them are therefore compared with those of a second key. If
//! two shingles collide, the sets are built with the second key instead, with which they collide independently.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use rayon::prelude::*;

use crate::ids::{Document, Number};
use crate::measure::criterion::Criterion;
use crate::sources::{FeatureSource, SourceError};

/// Number of items read at a time.
const BLOCK: usize = 1024;

/// True if two different shingles of these items have the same feature, and a match could depend on it. `sizes` by
/// document.
pub(crate) fn has_collision(
    items: &[Document],
    sizes: &[u32],
    criterion: Criterion,
    source: &dyn FeatureSource,
) -> Result<bool, SourceError> {
    let size = |item: &Document| sizes[item.index()];
    let smallest = items.iter().map(size).filter(|size| *size > 0).min().unwrap_or(0);
    let doubtful: Vec<Document> =
        items.iter().filter(|item| matches_by_one(size(item), smallest, criterion)).copied().collect();
    let mut second_of: HashMap<u64, u64> = HashMap::new();
    for block in doubtful.chunks(BLOCK) {
        let features = |item: &Document| Ok((source.features(*item)?, source.second_features(*item)?));
        let features = block.par_iter().map(features).collect::<Result<Vec<_>, SourceError>>()?;
        for (first, second) in features {
            let Some(second) = second else { return Ok(false) };
            if first.len() != second.len() {
                return Ok(true);
            }
            for (first, second) in first.into_iter().zip(second) {
                match second_of.entry(first) {
                    Entry::Occupied(known) if *known.get() != second => return Ok(true),
                    Entry::Occupied(_) => {}
                    Entry::Vacant(place) => _ = place.insert(second),
                }
            }
        }
    }
    Ok(false)
}

/// True if a set of this size can match one that has at least `smallest` features by a single shared one.
///
/// ```
/// use lookalike_core::join::matches_by_one;
/// use lookalike_core::measure::criterion::Criterion;
/// use lookalike_core::measure::similarity::Threshold;
///
/// let half = Criterion::Jaccard(Threshold::new(0.5)?);
/// assert_eq!([1, 2, 3].map(|size| matches_by_one(size, 1, half)), [true, true, false]);
/// # Ok::<(), lookalike_core::Error>(())
/// ```
pub fn matches_by_one(size: u32, smallest: u32, criterion: Criterion) -> bool {
    let partner = criterion.least_partner(size).max(smallest);
    size > 0 && partner <= size && criterion.least_shared(size, partner) <= 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::similarity::Threshold;

    /// Features with a first and a second key.
    struct Both(Vec<[Vec<u64>; 2]>);

    impl FeatureSource for Both {
        fn features(&self, document: Document) -> Result<Vec<u64>, SourceError> {
            Ok(self.0[document.index()][0].clone())
        }

        fn second_features(&self, document: Document) -> Result<Option<Vec<u64>>, SourceError> {
            Ok(Some(self.0[document.index()][1].clone()))
        }
    }

    fn collides(items: &[[&[u64]; 2]], criterion: Criterion) -> bool {
        let documents: Vec<Document> = (0..items.len() as u32).map(Document).collect();
        let sizes: Vec<u32> = items.iter().map(|[first, _]| first.len() as u32).collect();
        let both = Both(items.iter().map(|keys| keys.map(<[u64]>::to_vec)).collect());
        has_collision(&documents, &sizes, criterion, &both).unwrap()
    }

    #[test]
    fn two_shingles_with_one_feature_are_noticed_where_a_match_may_depend_on_it() {
        let threshold = Threshold::new(0.8).unwrap();
        let (jaccard, containment) = (Criterion::Jaccard(threshold), Criterion::Containment(threshold));
        assert!(collides(&[[&[7], &[1]], [&[7], &[2]]], jaccard));
        assert!(!collides(&[[&[7], &[1]], [&[7], &[1]]], jaccard));
        // A text of several features needs more than one of them to match, unless it may contain the other.
        let long: [[&[u64]; 2]; 2] = [[&[7], &[1]], [&[7, 8, 9, 10], &[2, 3, 4, 5]]];
        assert!(!collides(&long, jaccard));
        assert!(collides(&long, containment));
        assert!(!collides(&[[&[7, 8], &[1, 2]], [&[7, 9], &[5, 6]]], containment));
        assert!(!collides(&[[&[], &[]]], jaccard));
    }
}
