//! Options of adding documents to a saved index.

use super::{ReadOptions, Resources};

/// Options of [`add`](crate::index::add).
#[derive(Clone, Debug)]
pub struct AddOptions {
    /// Input. [`Fields::others`](lookalike_io::read::Fields::others) are stored with the documents.
    pub(crate) read: ReadOptions,
    /// Leave out documents with a near-duplicate in the index, or among the preceding documents.
    pub(crate) unless_duplicate: bool,
    /// Limits.
    pub(crate) resources: Resources,
}

impl AddOptions {
    /// Limits.
    pub fn resources(&self) -> &Resources {
        &self.resources
    }

    /// Input.
    pub fn read(&self) -> &ReadOptions {
        &self.read
    }
}
