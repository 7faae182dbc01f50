//! Decides which items are kept, which are removed, and for which kept item.
//!
//! Items are identified by rank here: 0 is the best in keep order, and the better one always has the smaller number.

#[cfg(test)]
mod by_rank;
mod components;
mod draw;
mod independent;
pub mod keep;
mod matches;

pub use components::components;
pub use independent::independent_set;
pub use matches::{TakeFound, TakeMatches, each_match};

use crate::bucket::{Buckets, Family};
use crate::decision::{Decision, References, Removed, Scope};
use crate::ids::Rank;
use crate::join::Sets;

/// Input of the resolvers.
#[derive(Clone, Copy, Debug)]
pub enum Candidates<'a> {
    /// Items that share a bucket, to be verified.
    Buckets(&'a Buckets),
    /// Sets by rank, to be joined: candidates and matches in one step.
    Sets(&'a Sets),
}

impl References {
    /// Number of items of a family that are references: the first ones, since items are sorted by rank.
    fn places_in(self, family: Family<'_>) -> u32 {
        family.items.partition_point(|rank| *rank < self.count) as u32
    }

    /// True if nothing of a family has to be compared.
    fn leave_alone(self, family: Family<'_>) -> bool {
        let places = self.places_in(family) as usize;
        places == family.items.len() || places == 0 && self.scope == Scope::References
    }
}

/// The removals among decisions on sets by rank.
fn removals(decisions: &[Decision]) -> Vec<Removed<Rank>> {
    let removal = |(rank, decision): (u32, &Decision)| match *decision {
        Decision::Removed { kept, likeness } => Some(Removed { removed: Rank(rank), kept, likeness }),
        Decision::Kept => None,
    };
    (0..).zip(decisions).filter_map(removal).collect()
}
