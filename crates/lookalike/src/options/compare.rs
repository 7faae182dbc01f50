//! Options of `compare`.

use lookalike_core::scheme::Scheme;

use super::{Learning, ReadOptions, Resources};

/// Options of [`compare_documents`](crate::compare_documents()).
#[derive(Clone, Debug)]
pub struct CompareOptions {
    /// The corpus that has both documents; without inputs, documents are files.
    pub(crate) read: ReadOptions,
    /// Criterion for near-duplicates.
    pub(crate) scheme: Scheme,
    /// Options for learning boilerplate from the corpus, if it is learned.
    pub(crate) learning: Option<Learning>,
    /// Limits.
    pub(crate) resources: Resources,
}

impl CompareOptions {
    /// The corpus that has both documents.
    pub fn read(&self) -> &ReadOptions {
        &self.read
    }

    /// Criterion for near-duplicates.
    pub fn scheme(&self) -> &Scheme {
        &self.scheme
    }
}
