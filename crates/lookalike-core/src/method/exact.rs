//! The exact join: nothing is missed, and there is no sketch. All features are held in memory.

use rayon::prelude::*;

use super::{Method, Sketched, Sketcher, Take};
use crate::ids::Document;
use crate::join::{Sets, SetsBuilder, has_collision};
use crate::measure::distinct::Distinct;
use crate::measure::similarity::Similarity;
use crate::sketch::{Layout, Sketches};
use crate::sources::SourceError;

/// Finds everything.
#[derive(Clone, Copy, Debug)]
pub struct Exact;

/// Maximum number of items, and of features in all of them, of a small input: see [`Exact::is_cheap`].
const FEW_ITEMS: usize = 25_000;
const FEW_FEATURES: u64 = 250_000;

impl Exact {
    /// Maximum number of features of a small input: a caller that keeps features while sketching need not keep more.
    pub const FEW_FEATURES: u64 = FEW_FEATURES;

    /// True if this many items with this many distinct features, counted once per item, are joined exactly unless a
    /// method is requested.
    ///
    /// The input alone decides, so that every machine and every engine decides the same. The limits are based on
    /// measurements: on real collections within them, a whole run takes at most 1.2 times the processor time of a run
    /// with sketches, and on collections of twice that size, half of them near-duplicates, up to 1.9 times. The join
    /// then fits in the minimum memory of a run.
    pub fn is_cheap(items: usize, features: u64) -> bool {
        items <= FEW_ITEMS && features <= FEW_FEATURES
    }
}

/// Number of items read at a time: these hold their features twice.
const BLOCK: usize = 1024;

impl Method for Exact {
    fn layout(&self) -> Layout {
        Layout::default()
    }

    fn sketcher(&self) -> Box<dyn Sketcher> {
        Box::new(Self)
    }

    fn memory(&self, _: u64, features: u64) -> u64 {
        // Each once as it is read, once as a number, and in the dictionary of shared ones.
        32 * features
    }

    fn candidates(&self, sketched: Sketched<'_>, _: Take<'_>) -> Result<Option<Sets>, SourceError> {
        let Sketched { items, sizes, criterion, deciding, .. } = sketched;
        let is_second = has_collision(items, sizes, criterion, deciding)?;
        let of_item = |item: &Document| match is_second.then(|| deciding.second_features(*item)).transpose()? {
            Some(Some(second)) => Ok(second),
            Some(None) | None => deciding.features(*item),
        };
        let mut sets = SetsBuilder::default();
        for block in items.chunks(BLOCK) {
            let features = block.par_iter().map(of_item);
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
