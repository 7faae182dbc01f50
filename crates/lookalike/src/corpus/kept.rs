//! Features of a small input, kept from sketching: documents without a match need not be read again.
//!
//! Nobody knows in advance if an input is small, so features are kept until there are too many, and then all are
//! dropped.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use lookalike_core::method::Exact;

use super::block::Head;
use super::blocks::Blocks;
use crate::items::KeptFeatures;

/// Takes the features of chunks while the input is read, in any order and from all threads.
#[derive(Debug, Default)]
pub(super) struct Keeping {
    count: AtomicU64,
    chunks: Mutex<Vec<(ChunkId, ChunkFeatures)>>,
}

/// The file, unit and number of a chunk.
type ChunkId = (u32, u32, u32);

/// The upper halves of the features of a chunk's documents, one document after the other.
#[derive(Debug, Default)]
pub(super) struct ChunkFeatures {
    pub(super) features: Vec<u32>,
    /// End of each document's features.
    pub(super) ends: Vec<u32>,
}

impl Keeping {
    /// True if there is room for more.
    pub(super) fn has_room(&self) -> bool {
        self.count.load(Ordering::Relaxed) <= Exact::FEW_FEATURES
    }

    /// Keeps the features of a chunk, or drops all if there are too many.
    pub(super) fn push(&self, head: &Head, chunk: ChunkFeatures) {
        let more = chunk.features.len() as u64;
        let count = self.count.fetch_add(more, Ordering::Relaxed) + more;
        let mut chunks = self.chunks.lock().expect("no thread panicked");
        if count <= Exact::FEW_FEATURES {
            chunks.push(((head.file, head.unit, head.number), chunk));
        } else {
            *chunks = Vec::new();
        }
    }

    /// The features of all documents, if they are complete.
    pub(super) fn finish(self, blocks: &Blocks) -> Option<KeptFeatures> {
        if !self.has_room() {
            return None;
        }
        let mut chunks = self.chunks.into_inner().expect("no thread panicked");
        chunks.sort_unstable_by_key(|(id, _)| *id);
        let mut of_documents = Vec::with_capacity(blocks.document_count());
        for block in 0..blocks.len() {
            let head = blocks.head(block);
            // Chunks that an earlier attempt has read are missing.
            let at = chunks.binary_search_by_key(&(head.file, head.unit, head.number), |(id, _)| *id).ok()?;
            let starts = std::iter::once(&0).chain(&chunks[at].1.ends);
            of_documents.extend(starts.zip(&chunks[at].1.ends).map(|(start, end)| (at as u32, *start, *end)));
        }
        let runs = chunks.into_iter().map(|(_, chunk)| chunk.features).collect();
        (of_documents.len() == blocks.document_count()).then_some(KeptFeatures { runs, of_documents })
    }
}
