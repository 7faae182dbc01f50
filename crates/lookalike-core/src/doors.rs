//! Where the core asks its caller for sketches and features, which need not all be in memory.

use std::borrow::Cow;

/// The reason why something could not be read.
pub type SourceError = Box<dyn std::error::Error + Send + Sync>;

/// Provides the features of items. They are not all in memory, so this can fail.
pub trait FeatureSource: Sync {
    /// The features of one item, repeated where its text repeats itself.
    ///
    /// # Errors
    ///
    /// When the item cannot be read again.
    fn features(&self, item: u32) -> Result<Vec<u64>, SourceError>;
}

/// Provides the sketches of items, from memory or from elsewhere, which can fail.
pub trait SketchSource: Sync {
    /// Gives the keys that every item has in these columns to `each`, in the order of the items.
    ///
    /// # Errors
    ///
    /// When they cannot be read.
    fn each_keys(&self, columns: &[usize], each: &mut dyn FnMut(u32, &[u64])) -> Result<(), SourceError>;

    /// Gives the bytes of every item to `each`, in the order of the items.
    ///
    /// # Errors
    ///
    /// When they cannot be read.
    fn each_bytes(&self, each: &mut dyn FnMut(u32, &[u8])) -> Result<(), SourceError>;

    /// The bytes of an item.
    ///
    /// # Errors
    ///
    /// When they cannot be read.
    fn bytes(&self, item: u32) -> Result<Cow<'_, [u8]>, SourceError>;
}
