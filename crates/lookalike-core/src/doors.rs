//! Where the core asks its caller: for sketches and features that need not all be in memory.

use std::borrow::Cow;

/// Why something could not be had.
pub type SourceError = Box<dyn std::error::Error + Send + Sync>;

/// Where the features of items come from: they are not all in memory, so getting them may fail.
pub trait FeatureSource: Sync {
    /// The features of one item, repeated where its text repeats itself.
    ///
    /// # Errors
    ///
    /// When the item cannot be read again.
    fn features(&self, item: u32) -> Result<Vec<u64>, SourceError>;
}

/// Where the sketches of items are kept: in memory, or where they must be had from, which may fail.
pub trait SketchSource: Sync {
    /// Gives the keys that every item has in these columns to `each`, in the order of the items.
    ///
    /// # Errors
    ///
    /// When they cannot be had.
    fn each_keys(&self, columns: &[usize], each: &mut dyn FnMut(u32, &[u64])) -> Result<(), SourceError>;

    /// Gives the bytes of every item to `each`, in the order of the items.
    ///
    /// # Errors
    ///
    /// When they cannot be had.
    fn each_bytes(&self, each: &mut dyn FnMut(u32, &[u8])) -> Result<(), SourceError>;

    /// The bytes of an item.
    ///
    /// # Errors
    ///
    /// When they cannot be had.
    fn bytes(&self, item: u32) -> Result<Cow<'_, [u8]>, SourceError>;
}
