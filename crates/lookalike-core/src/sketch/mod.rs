//! Features to a sketch: a fixed number of slots that agree between two items about as often as the items are alike.

mod fast;
mod store;

pub use fast::FastSketcher;
pub use store::{Sketches, concat};

/// The share of slots in which two sketches agree: an unbiased estimate of their Jaccard similarity.
pub fn estimate(left: &[u64], right: &[u64]) -> f64 {
    debug_assert_eq!(left.len(), right.len(), "sketches of one kind");
    let equal = left.iter().zip(right).filter(|(left, right)| left == right).count();
    equal as f64 / left.len().max(1) as f64
}
