//! Options of adding documents to a saved index.

use super::{ReadOptions, Resources};

/// Options of [`add`](crate::index::add).
#[derive(Clone, Debug)]
pub struct AddOptions {
    /// What to read. [`Fields::others`](lookalike_io::read::Fields::others) are stored with the documents.
    pub(crate) read: ReadOptions,
    /// Whether documents are left out that have a near-duplicate in the index, or among the documents before them.
    pub(crate) unless_duplicate: bool,
    /// Limits.
    pub(crate) resources: Resources,
}

impl AddOptions {
    /// Limits.
    pub fn resources(&self) -> &Resources {
        &self.resources
    }

    /// What to read.
    pub fn read(&self) -> &ReadOptions {
        &self.read
    }
}
