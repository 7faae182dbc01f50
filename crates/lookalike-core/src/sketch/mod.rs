//! Features to a sketch: a small summary by which similar items are found.

mod classic;
mod fast;
mod simhash;
mod store;

use std::fmt;
use std::str::FromStr;

pub use classic::ClassicSketcher;
pub use fast::FastSketcher;
pub use simhash::{Counters, FeatureWeights, Frequencies};
pub use store::{Layout, Sketches, concat};

use crate::error::{Error, Result};

/// Makes sketches of slots. The share of slots in which two sketches agree estimates the similarity of the items.
pub trait SlotSketcher: Send {
    /// The sketch of a set of features. Repeated features make no difference; no features make no sketch.
    fn sketch(&mut self, features: &[u64]) -> Option<&[u64]>;
}

/// How slots are filled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SlotKind {
    /// One hash per feature for all slots.
    #[default]
    Fast,
    /// One permutation per slot.
    Classic,
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

impl FromStr for SlotKind {
    type Err = Error;

    fn from_str(value: &str) -> Result<Self> {
        match value {
            "fast" => Ok(Self::Fast),
            "classic" => Ok(Self::Classic),
            _ => Err(Error::NotASketch { value: value.to_owned() }),
        }
    }
}

impl fmt::Display for SlotKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Fast => "fast",
            Self::Classic => "classic",
        })
    }
}

/// The share of slots in which two sketches agree: an unbiased estimate of their Jaccard similarity.
pub fn estimate(left: &[u64], right: &[u64]) -> f64 {
    debug_assert_eq!(left.len(), right.len(), "sketches of one kind");
    let equal = left.iter().zip(right).filter(|(left, right)| left == right).count();
    equal as f64 / left.len().max(1) as f64
}
