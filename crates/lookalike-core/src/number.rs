//! Numbers that must not be mixed up: an item has one place in the input, and another one in keep order.

/// An item by its place in the input, counted from 0: a document of its files, or one of several texts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Document(pub u32);

/// An item by its place in keep order, counted from 0: the better of two has the smaller rank.
///
/// ```
/// use lookalike_core::number::{Document, Number, Rank};
///
/// let items = [Document(7), Document(2)];
/// assert_eq!(items[Rank(1).index()], Document(2));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Rank(pub u32);

/// What documents and ranks have in common, for code that sorts or stores either.
pub trait Number: Copy + Ord + Send + Sync {
    /// The number that is this far from the first.
    fn of(number: u32) -> Self;

    /// As a plain number.
    fn number(self) -> u32;

    /// Where it is in a list of all.
    fn index(self) -> usize {
        self.number() as usize
    }
}

impl Number for Document {
    fn of(number: u32) -> Self {
        Self(number)
    }

    fn number(self) -> u32 {
        self.0
    }
}

impl Number for Rank {
    fn of(number: u32) -> Self {
        Self(number)
    }

    fn number(self) -> u32 {
        self.0
    }
}
