//! What is said of items: who matches whom, who stays, who goes and because of whom.

use crate::measure::likeness::Likeness;

/// Two items that were measured and are alike enough: by [`Rank`](crate::number::Rank) or
/// [`Document`](crate::number::Document), or by their places among the sets of a [join](crate::join).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Match<Item = u32> {
    /// The better ranked; of what is removed, the one that goes.
    pub left: Item,
    /// The other; of what is removed, the one that stays.
    pub right: Item,
    /// What they share.
    pub likeness: Likeness,
}

impl<Item> Match<Item> {
    /// The same match with its items known by other numbers.
    pub fn map<Other>(self, number: impl Fn(Item) -> Other) -> Match<Other> {
        Match { left: number(self.left), right: number(self.right), likeness: self.likeness }
    }
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

/// Items that the others are only compared with. They have the best ranks, always stay, and are not
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
}
