//! Buckets to decisions: what is kept, what is removed, and because of whom.
//!
//! Items are named by rank here: 0 is the best in keep order, and the better one always has the smaller number.

#[cfg(test)]
mod by_rank;
mod components;
mod draw;
mod independent;
pub mod keep;
mod matches;
pub mod passed_over;

pub use components::components;
pub use independent::independent_set;
pub use matches::{Match, TakeMatches, each_match};

use crate::bucket::{Buckets, Family};
use crate::join::Sets;
use crate::measure::likeness::Likeness;

/// What may be alike.
#[derive(Clone, Copy, Debug)]
pub enum Candidates<'a> {
    /// Items that share a bucket, to be verified.
    Buckets(&'a Buckets),
    /// Sets by rank, to be joined: candidates and matches in one.
    Sets(&'a Sets),
}

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
        likeness: Likeness,
    },
}

/// Items that others are only held against. They have the best ranks, stay whatever they are like, and are not
/// compared with each other. By default there are none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct References {
    /// How many there are: the ranks below this one.
    pub count: u32,
    /// What the other items are compared with.
    pub scope: Scope,
}

/// What items that are no references are compared with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// With references and with each other.
    #[default]
    Everything,
    /// With references only.
    References,
}

impl References {
    /// Whether two items are compared with each other.
    pub(crate) fn compare(self, left: u32, right: u32) -> bool {
        let (better, worse) = (left.min(right), left.max(right));
        worse >= self.count && (self.scope == Scope::Everything || better < self.count)
    }

    /// How many items of a family are references: its first ones, since items come by rank.
    fn places_in(self, family: Family<'_>) -> u32 {
        family.items.partition_point(|rank| *rank < self.count) as u32
    }

    /// Whether nothing of a family has to be compared.
    fn leave_alone(self, family: Family<'_>) -> bool {
        let places = self.places_in(family) as usize;
        places == family.items.len() || places == 0 && self.scope == Scope::References
    }
}

/// The removals among decisions.
fn removals(decisions: &[Decision]) -> Vec<Match> {
    let removal = |(left, decision): (u32, &Decision)| match *decision {
        Decision::Removed { by, likeness } => Some(Match { left, right: by, likeness }),
        Decision::Kept => None,
    };
    (0..).zip(decisions).filter_map(removal).collect()
}
