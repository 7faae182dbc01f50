//! Documents as the search for near-duplicates sees them, be they read from files or in memory.

use lookalike_core::ids::{Document, Number};
use lookalike_core::sources::{FeatureSource, SketchSource};

use crate::error::Result;
use crate::resources::memory::Shares;

/// What is searched: documents of files, strings in memory, or whatever else has sketches and can make its features again.
#[derive(Clone, Copy)]
pub(crate) struct Items<'a> {
    /// The number of distinct features of each document.
    pub(crate) sizes: &'a [u32],
    pub(crate) sketches: &'a dyn SketchSource,
    /// Features with the key of the sketches, for methods that ask again.
    pub(crate) sketched: &'a dyn FeatureSource,
    /// Features with the key of the run: what decides.
    pub(crate) deciding: &'a dyn FeatureSource,
    pub(crate) shares: Shares,
}

/// The upper halves of the features of all documents, with the key of the sketches.
#[derive(Debug)]
pub(crate) struct KeptFeatures {
    /// The features of some documents in a row.
    pub(crate) runs: Vec<Vec<u32>>,
    /// Of each document the run that it is in, and where its features start and end.
    pub(crate) of_documents: Vec<(u32, u32, u32)>,
}

impl KeptFeatures {
    /// The features of a document.
    pub(crate) fn of(&self, document: Document) -> &[u32] {
        let (run, start, end) = self.of_documents[document.index()];
        &self.runs[run as usize][start as usize..end as usize]
    }
}

/// What is known of documents before those with the same words are joined.
pub(crate) trait TextHashes: Sync {
    /// The number of tokens of each document.
    fn token_counts(&self) -> &[u32];

    /// Gives the hashes of every text to `each`, in order: of its words, and of its content.
    fn each_hashes(&self, each: &mut dyn FnMut(Document, u128, u128)) -> Result<()>;

    /// The hash of a text's words by the key of the run.
    fn words_hash(&self, document: Document) -> Result<u128>;

    /// Whether the hash of words is none, but of contents or bytes: then nothing else makes copies.
    fn joins_exact_copies(&self) -> bool;
}
