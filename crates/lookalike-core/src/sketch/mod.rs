//! Computes sketches from features: small summaries by which similar items are found.

mod classic;
mod fast;
mod simhash;
mod store;

pub use classic::ClassicSketcher;
pub use fast::FastSketcher;
pub use simhash::{Counters, FeatureWeights, Frequencies};
pub use store::{Layout, Sketches, concat};

/// Computes sketches of slots. The share of slots in which two sketches agree estimates the similarity of the items.
pub trait SlotSketcher: Send {
    /// Computes the sketch of a set of features. Repeated features have no effect; without features there is no sketch.
    fn sketch(&mut self, features: &[u64]) -> Option<&[u64]>;
}

crate::word_enum! {
    /// Method of filling slots.
    #[derive(Default)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub enum SlotKind {
        /// One hash per feature for all slots.
        #[default]
        Fast,
        /// One permutation per slot.
        Classic,
    }
}

impl SlotKind {
    /// A sketcher with this many slots.
    pub fn sketcher(self, slot_count: usize) -> Box<dyn SlotSketcher> {
        match self {
            Self::Fast => Box::new(FastSketcher::new(slot_count)),
            Self::Classic => Box::new(ClassicSketcher::new(slot_count)),
        }
    }
}

/// The share of slots in which two sketches agree: an unbiased estimate of their Jaccard similarity.
pub fn estimate(left: &[u64], right: &[u64]) -> f64 {
    debug_assert_eq!(left.len(), right.len(), "sketches of one kind");
    let equal = left.iter().zip(right).filter(|(left, right)| left == right).count();
    equal as f64 / left.len().max(1) as f64
}
