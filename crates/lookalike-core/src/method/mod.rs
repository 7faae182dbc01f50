//! The methods, one file each: what is kept of an item, and which items may be similar.
//!
//! A method makes candidates. What is a match is measured afterwards, by [`crate::verify`] and the same for all; only
//! where a sketch is itself the measure, as the bits of a `SimHash` are, does the method have a say in that.

mod copies;
mod exact;
mod minhash;
mod part;
mod simhash;
mod supershingle;

use std::fmt;

pub use copies::Copies;
pub use exact::Exact;
pub use minhash::MinHash;
pub use part::Part;
pub use simhash::{SimHash, Weights, Width};
pub use supershingle::SuperShingle;

use crate::doors::SketchSource;
use crate::doors::{FeatureSource, SourceError};
use crate::join::Sets;
use crate::measure::feature_set::FeatureSet;
use crate::measure::likeness::Likeness;
use crate::measure::similarity::Similarity;
use crate::number::{Document, Rank};
use crate::packed::Lists;
use crate::sketch::{Layout, Sketches};

/// A way to find items that may be similar.
pub trait Method: fmt::Debug + Send + Sync {
    /// What is kept of an item.
    fn layout(&self) -> Layout;

    /// A sketcher; use one per thread.
    fn sketcher(&self) -> Box<dyn Sketcher>;

    /// Whether sketching teaches the method something of the corpus, so that all items must be sketched in one run.
    fn learns(&self) -> bool {
        false
    }

    /// The sketches of all items, for methods that must have seen all before they can make one. Items are numbered as
    /// they were sketched; those of size zero have no features.
    ///
    /// # Errors
    ///
    /// When the features of an item cannot be read.
    fn sketch_again(&self, _sizes: &[u32], _source: &dyn FeatureSource) -> Result<Option<Sketches>, SourceError> {
        Ok(None)
    }

    /// Approximate number of bytes needed to find candidates among this many items with this many features, besides
    /// what [`Sketched::memory`] bounds.
    fn memory(&self, _items: u64, _features: u64) -> u64 {
        0
    }

    /// Finds what may be alike, and gives it to `take`: lists of two or more ranks, each from the best on. Or else
    /// gives back sets by rank, to be joined: candidates and matches in one.
    ///
    /// # Errors
    ///
    /// When the sketch or the features of an item cannot be read, or `take` fails.
    fn candidates(&self, sketched: Sketched<'_>, take: Take<'_>) -> Result<Option<Sets>, SourceError>;

    /// Whether two items could be a match by the bytes of their sketches. Says no only to what is beyond doubt.
    fn allows(&self, _left: &[u8], _right: &[u8]) -> bool {
        true
    }

    /// Whether sketches are the measure. Then all that this method [allows](Self::allows) are matches.
    fn is_measure(&self) -> bool {
        false
    }

    /// How alike two items are by the bytes of their sketches, where these are the measure.
    fn likeness(&self, _left: &[u8], _right: &[u8]) -> Option<Likeness> {
        None
    }

    /// The chance that a pair this much alike is found; none where similarity does not tell.
    fn recall_at(&self, similarity: Similarity) -> Option<f64>;
}

/// Makes the sketches of items one after the other.
pub trait Sketcher: Send {
    /// Adds the sketch of an item: `features` as they come, and the set of them.
    fn sketch(&mut self, features: &[u64], set: &FeatureSet, sketches: &mut Sketches);
}

/// Items that were sketched.
#[derive(Clone, Copy)]
pub struct Sketched<'a> {
    /// The items, best first.
    pub items: &'a [Document],
    /// The other way round: for each document its rank, or [`NO_RANK`].
    pub ranks: &'a [Rank],
    /// Their sketches.
    pub sketches: &'a dyn SketchSource,
    /// Their features as they were sketched, for methods that need them again.
    pub source: &'a dyn FeatureSource,
    /// Their features by the hash that decides, for methods that find candidates and matches in one step.
    pub deciding: &'a dyn FeatureSource,
    /// Maximum number of bytes to use for finding candidates, not counting their lists.
    pub memory: usize,
}

/// The rank of what is no item: an empty document, or the copy of another.
pub const NO_RANK: Rank = Rank(u32::MAX);

/// Where lists of candidates go.
pub type Take<'a> = &'a (dyn Fn(Lists) -> Result<(), SourceError> + Sync);

impl Sketched<'_> {
    /// Gives the bytes of every item to `each`, by rank.
    fn each_bytes(&self, mut each: impl FnMut(u32, &[u8])) -> Result<(), SourceError> {
        self.sketches.each_bytes(&mut |item, bytes| {
            let rank = self.ranks[item as usize];
            if rank != NO_RANK {
                each(rank.0, bytes);
            }
        })
    }

    /// Gives the keys in these columns of every item to `each`, by rank.
    fn each_keys(&self, columns: &[usize], mut each: impl FnMut(u32, &[u64])) -> Result<(), SourceError> {
        self.sketches.each_keys(columns, &mut |item, keys| {
            let rank = self.ranks[item as usize];
            if rank != NO_RANK {
                each(rank.0, keys);
            }
        })
    }
}
