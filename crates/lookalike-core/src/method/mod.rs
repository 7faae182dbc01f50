//! The methods, one file each: the data stored about an item, and the selection of candidates.
//!
//! A method selects candidates. Matches are measured afterwards by [`crate::verify`], in the same way for all; only if
//! a sketch is itself the measure, like the bits of `SimHash`, does the method take part in that.

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

use crate::ids::{Document, Number, Rank};
use crate::join::Sets;
use crate::measure::criterion::Criterion;
use crate::measure::distinct::Distinct;
use crate::measure::likeness::Likeness;
use crate::measure::similarity::Similarity;
use crate::packed::Lists;
use crate::sketch::{Layout, Sketches};
use crate::sources::SketchSource;
use crate::sources::{FeatureSource, SourceError};

/// A way to find items that may be similar.
pub trait Method: fmt::Debug + Send + Sync {
    /// The data stored about an item.
    fn layout(&self) -> Layout;

    /// Creates a sketcher; use one per thread.
    fn sketcher(&self) -> Box<dyn Sketcher>;

    /// True if the method learns about the corpus while it sketches, so that all items must be sketched in one run.
    fn learns(&self) -> bool {
        false
    }

    /// Computes the sketches of all items, for methods that must have seen all items first. Items are numbered in the
    /// order of sketching; those of size zero have no features.
    ///
    /// # Errors
    ///
    /// If the features of an item cannot be read.
    fn sketch_again(&self, _sizes: &[u32], _source: &dyn FeatureSource) -> Result<Option<Sketches>, SourceError> {
        Ok(None)
    }

    /// Approximate number of bytes needed to find candidates among this many items with this many features, besides
    /// what [`Sketched::memory`] bounds.
    fn memory(&self, _items: u64, _features: u64) -> u64 {
        0
    }

    /// Finds items that may be similar, and passes them to `take` as lists of two or more ranks, best first.
    /// Alternatively returns sets by rank to be joined, which finds candidates and matches in one step.
    ///
    /// # Errors
    ///
    /// If the sketch or the features of an item cannot be read, or `take` fails.
    fn candidates(&self, sketched: Sketched<'_>, take: Take<'_>) -> Result<Option<Sets>, SourceError>;

    /// True if two items can be a match, by the bytes of their sketches. False only if a match is practically
    /// impossible.
    fn allows(&self, _left: &[u8], _right: &[u8]) -> bool {
        true
    }

    /// Closeness of two sketches by their bytes, without a unit: of many candidates, the closest are examined first.
    fn closeness(&self, left: &[u8], right: &[u8]) -> u32 {
        left.iter().zip(right).map(|(left, right)| u32::from(left == right)).sum()
    }

    /// True if the sketches are the measure. In that case, all pairs that this method [allows](Self::allows) are
    /// matches.
    fn is_measure(&self) -> bool {
        false
    }

    /// The measurement of two items by the bytes of their sketches, if these are the measure.
    fn likeness(&self, _left: &[u8], _right: &[u8]) -> Option<Likeness> {
        None
    }

    /// Probability that a pair of this similarity is found; `None` if it does not depend on the similarity.
    fn recall_at(&self, similarity: Similarity) -> Option<f64>;
}

/// Computes the sketches of items, one at a time.
pub trait Sketcher: Send {
    /// Adds the sketch of an item, given its `features` in order and the distinct ones.
    fn sketch(&mut self, features: &[u64], distinct: &Distinct, sketches: &mut Sketches);
}

/// Items that were sketched.
#[derive(Clone, Copy)]
pub struct Sketched<'a> {
    /// The items, best first.
    pub items: &'a [Document],
    /// The inverse: for each document its rank, or [`NO_RANK`].
    pub ranks: &'a [Rank],
    /// Their sketches.
    pub sketches: &'a dyn SketchSource,
    /// Their features as they were sketched, for methods that need them again.
    pub source: &'a dyn FeatureSource,
    /// Their features by the hash that decides, for methods that find candidates and matches in one step.
    pub deciding: &'a dyn FeatureSource,
    /// The number of distinct features of each document.
    pub sizes: &'a [u32],
    /// The criterion for a match, for methods that find these at once.
    pub criterion: Criterion,
    /// Maximum number of bytes to use for finding candidates, not counting their lists.
    pub memory: usize,
}

/// The rank of something that is not an item: an empty document, or a copy of another.
pub const NO_RANK: Rank = Rank(u32::MAX);

/// Receiver of lists of candidates.
pub type Take<'a> = &'a (dyn Fn(Lists) -> Result<(), SourceError> + Sync);

impl Sketched<'_> {
    /// Passes the bytes of every item to `each`, by rank.
    fn each_bytes(&self, mut each: impl FnMut(Rank, &[u8])) -> Result<(), SourceError> {
        self.sketches.each_bytes(&mut |document, bytes| {
            let rank = self.ranks[document.index()];
            if rank != NO_RANK {
                each(rank, bytes);
            }
        })
    }

    /// Passes the keys in these columns of every item to `each`, by rank.
    fn each_keys(&self, columns: &[usize], mut each: impl FnMut(Rank, &[u64])) -> Result<(), SourceError> {
        self.sketches.each_keys(columns, &mut |document, keys| {
            let rank = self.ranks[document.index()];
            if rank != NO_RANK {
                each(rank, keys);
            }
        })
    }
}
