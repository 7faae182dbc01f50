//! The documents of a search for near-duplicates, read from files or in memory.

use lookalike_core::ids::{Document, Number};
use lookalike_core::sources::{FeatureSource, SketchSource};

use crate::error::Result;
use crate::resources::memory::Shares;

/// The documents to search: from files, strings in memory, or any others with sketches and recomputable features.
#[derive(Clone, Copy)]
pub(crate) struct Items<'a> {
    /// The number of distinct features of each document.
    pub(crate) sizes: &'a [u32],
    pub(crate) sketches: &'a dyn SketchSource,
    /// Features with the key of the sketches, for methods that need them again.
    pub(crate) sketched: &'a dyn FeatureSource,
    /// Features with the key of the run, which decide.
    pub(crate) deciding: &'a dyn FeatureSource,
    pub(crate) shares: Shares,
}

/// The upper halves of the features of all documents, with the key of the sketches.
#[derive(Debug)]
pub(crate) struct KeptFeatures {
    /// The features of some consecutive documents.
    pub(crate) runs: Vec<Vec<u32>>,
    /// For each document, its run, and the start and end of its features there.
    pub(crate) of_documents: Vec<(u32, u32, u32)>,
}

impl KeptFeatures {
    /// The features of a document.
    pub(crate) fn of(&self, document: Document) -> &[u32] {
        let (run, start, end) = self.of_documents[document.index()];
        &self.runs[run as usize][start as usize..end as usize]
    }
}

/// The hashes of documents before those with the same words are joined.
pub(crate) trait TextHashes: Sync {
    /// The number of tokens of each document.
    fn token_counts(&self) -> &[u32];

    /// True if a document has anything to compare: false if it is empty or only boilerplate.
    fn is_compared(&self, document: Document) -> bool {
        self.token_counts()[document.index()] > 0
    }

    /// Passes the hashes of every text to `each`, in order: of its words, and of its content.
    fn each_hashes(&self, each: &mut dyn FnMut(Document, u128, u128)) -> Result<()>;

    /// The hash of a text's words with the key of the run.
    fn words_hash(&self, document: Document) -> Result<u128>;

    /// True if the hash is not of words, but of contents or bytes: then it alone identifies copies.
    fn joins_exact_copies(&self) -> bool;
}
