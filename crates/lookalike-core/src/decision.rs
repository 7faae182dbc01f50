//! Decisions about items: matches, and which items are kept or removed, and why.

use crate::ids::Rank;
use crate::measure::likeness::Likeness;

/// Two items that were measured and are similar enough: by [`Rank`] or [`Document`](crate::ids::Document), or by their
/// positions among the sets of a [join](crate::join).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Match<Item = u32> {
    /// The item with the better rank.
    pub left: Item,
    /// The other item.
    pub right: Item,
    /// The measured overlap.
    pub likeness: Likeness,
}

impl<Item> Match<Item> {
    /// Converts the numbers of the items.
    pub fn map<Other>(self, number: impl Fn(Item) -> Other) -> Match<Other> {
        Match { left: number(self.left), right: number(self.right), likeness: self.likeness }
    }
}

/// An item that is removed because of one that is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Removed<Item> {
    /// The removed item.
    pub removed: Item,
    /// The item that is kept in its place.
    pub kept: Item,
    /// The measured overlap: the removed item is on the left, the kept one on the right.
    pub likeness: Likeness,
}

/// Decision on an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The item is kept.
    Kept,
    /// The item is removed because of a kept one.
    Removed {
        /// The item that is kept in its place.
        kept: Rank,
        /// The removed item is on the left, the kept one on the right.
        likeness: Likeness,
    },
}

/// Items that others are only compared with. They have the best ranks, are always kept, and are not compared with each
/// other. By default there are none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct References {
    /// Their number; they have the ranks below it.
    pub count: u32,
    /// The comparisons of the other items.
    pub scope: Scope,
}

/// The comparisons of items other than references.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// With references and with each other.
    #[default]
    Everything,
    /// With references only.
    References,
}

impl References {
    /// True if two items are compared.
    pub(crate) fn compare(self, left: u32, right: u32) -> bool {
        let (better, worse) = (left.min(right), left.max(right));
        worse >= self.count && (self.scope == Scope::Everything || better < self.count)
    }
}
