//! The exact join: nothing is left out, and there is no sketch. All features are held in memory.

use rayon::prelude::*;

use super::{Method, Sketched, Sketcher, Take};
use crate::join::{Sets, SetsBuilder};
use crate::measure::distinct::Distinct;
use crate::measure::similarity::Similarity;
use crate::sketch::{Layout, Sketches};
use crate::sources::SourceError;

/// Finds everything.
#[derive(Clone, Copy, Debug)]
pub struct Exact;

/// How many items, and how many features in all of them, are few: see [`Exact::is_cheap`].
const FEW_ITEMS: usize = 25_000;
const FEW_FEATURES: u64 = 250_000;

impl Exact {
    /// Number of features that are few: a caller that keeps them while it sketches need not keep more.
    pub const FEW_FEATURES: u64 = FEW_FEATURES;

    /// Whether so few items with so many distinct features, counted once for each item, are joined exactly unless a
    /// method is asked for.
    ///
    /// The input alone decides, so that every machine and every engine decides the same. The bounds come from what was
    /// measured: on real collections within them a whole run takes at most 1.2 times the processor time that it takes by
    /// sketches, and on collections of twice that size, half of them near-duplicates, up to 1.9 times. The join then fits
    /// the least memory that a run can have.
    pub fn is_cheap(items: usize, features: u64) -> bool {
        items <= FEW_ITEMS && features <= FEW_FEATURES
    }
}

/// How many items are read at once: so many hold their features twice.
const BLOCK: usize = 1024;

impl Method for Exact {
    fn layout(&self) -> Layout {
        Layout::default()
    }

    fn sketcher(&self) -> Box<dyn Sketcher> {
        Box::new(Self)
    }

    fn memory(&self, _: u64, features: u64) -> u64 {
        // Each once as it comes, once as a number, and in the dictionary of those that are rare.
        32 * features
    }

    fn candidates(&self, sketched: Sketched<'_>, _: Take<'_>) -> Result<Option<Sets>, SourceError> {
        let mut sets = SetsBuilder::default();
        for block in sketched.items.chunks(BLOCK) {
            let features = block.par_iter().map(|item| sketched.deciding.features(*item));
            let features = features.collect::<Result<Vec<_>, SourceError>>()?;
            features.iter().for_each(|features| sets.push(features));
        }
        Ok(Some(sets.build()))
    }

    fn recall_at(&self, _: Similarity) -> Option<f64> {
        Some(1.0)
    }
}

impl Sketcher for Exact {
    fn sketch(&mut self, _: &[u64], _: &Distinct, sketches: &mut Sketches) {
        sketches.push_none();
    }
}
