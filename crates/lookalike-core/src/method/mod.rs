//! The methods of the field, one file each: what is kept of an item, and which items may be alike by it.
//!
//! A method makes candidates. What is a match is measured afterwards, by [`crate::verify`] and the same for all; only where
//! a sketch is itself the measure, as the bits of a `SimHash` are, does the method have a say in that.

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

use crate::bucket::Buckets;
use crate::feature_set::FeatureSet;
use crate::join::Sets;
use crate::likeness::Likeness;
use crate::similarity::Similarity;
use crate::sketch::{Layout, Sketches};
use crate::verify::{FeatureSource, SourceError};

/// A way to find what may be alike.
pub trait Method: fmt::Debug + Send + Sync {
    /// What is kept of an item.
    fn layout(&self) -> Layout;

    /// What makes sketches; one a thread.
    fn sketcher(&self) -> Box<dyn Sketcher>;

    /// The sketches of all items, for methods that must have seen all before they can make one. Items are numbered as
    /// they were sketched; those of size zero have no features.
    ///
    /// # Errors
    ///
    /// When the features of an item cannot be had.
    fn sketch_again(&self, _sizes: &[u32], _source: &dyn FeatureSource) -> Result<Option<Sketches>, SourceError> {
        Ok(None)
    }

    /// What may be alike.
    ///
    /// # Errors
    ///
    /// When the features of an item cannot be had.
    fn candidates(&self, sketched: Sketched<'_>) -> Result<Candidates, SourceError>;

    /// Whether two items could be a match by their sketches. Says no only to what is beyond doubt.
    fn allows(&self, _sketches: &Sketches, _left: u32, _right: u32) -> bool {
        true
    }

    /// How alike two items are, where their sketches are the measure. Then all that this method [allows](Self::allows)
    /// are matches.
    fn likeness(&self, _sketches: &Sketches, _left: u32, _right: u32) -> Option<Likeness> {
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
    /// The items, best first: places in the sketches.
    pub items: &'a [u32],
    /// Their sketches.
    pub sketches: &'a Sketches,
    /// Their features, for methods that ask again.
    pub source: &'a dyn FeatureSource,
}

/// What may be alike.
#[derive(Debug)]
pub enum Candidates {
    /// Items that share a bucket, to be verified.
    Buckets(Buckets),
    /// Sets by rank, to be joined: candidates and matches in one.
    Sets(Sets),
}
