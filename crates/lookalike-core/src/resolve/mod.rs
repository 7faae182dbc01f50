//! Buckets to decisions: what is kept, what is removed, and because of whom.
//!
//! Items are named by rank here: 0 is the best in keep order, and the better one always has the smaller number.

mod components;
mod independent;
mod matches;

pub use components::components;
pub use independent::independent_set;
pub use matches::{Match, matches};

use crate::feature_set::Overlap;

/// What becomes of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It stays.
    Kept,
    /// It goes, because of one that stays.
    Removed {
        /// The rank of the kept item.
        by: u32,
        /// The removed item is on the left, the kept one on the right.
        overlap: Overlap,
    },
}

/// A removed item of a family: its place, the place of the kept one, and how alike they are.
type Removal = (u32, u32, Overlap);

/// Spreads the removals of families over all items.
fn decisions(item_count: usize, removals: impl IntoIterator<Item = Removal>) -> Vec<Decision> {
    let mut decisions = vec![Decision::Kept; item_count];
    for (removed, by, overlap) in removals {
        decisions[removed as usize] = Decision::Removed { by, overlap };
    }
    decisions
}
