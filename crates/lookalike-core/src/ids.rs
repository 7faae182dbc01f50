//! Number types that must not be mixed up: an item has one position in the input and another in keep order, and a
//! record is not a value of a record.

/// An item by its position in the input, counted from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Document(pub u32);

/// An item by its position in keep order, counted from 0: the better of two has the smaller rank.
///
/// ```
/// use lookalike_core::ids::{Document, Number, Rank};
///
/// let items = [Document(7), Document(2)];
/// assert_eq!(items[Rank(1).index()], Document(2));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Rank(pub u32);

/// A record to be linked by its row, counted from 0. The rows of a second table follow those of the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Record(pub u32);

/// An item by its position in a family, counted from 0: the better of two comes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct FamilyPlace(pub u32);

/// Common trait of these types, for code that sorts or stores any of them.
pub trait Number: Copy + Ord + Send + Sync {
    /// The item with this number.
    fn of(number: u32) -> Self;

    /// As a plain number.
    fn number(self) -> u32;

    /// As an index into a list.
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

impl Number for Record {
    fn of(number: u32) -> Self {
        Self(number)
    }

    fn number(self) -> u32 {
        self.0
    }
}

impl Number for FamilyPlace {
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
