//! Estimated memory, disk space and time of a run over the whole corpus.

use serde::Serialize;

use super::sample::Sample;
use crate::resources::memory;

/// Approximate cost of a run of `dedup` over the whole corpus.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Plan {
    /// Files.
    pub file_count: u64,
    /// Their bytes, before decompression.
    pub bytes: u64,
    /// Estimated number of documents.
    pub document_count: u64,
    /// Threads that the estimate assumes.
    pub threads: usize,
    /// Peak memory if nothing has to go to disk. With a lower memory limit, the rest goes to the work folder.
    pub memory_bytes: u64,
    /// Disk space for the output: at most the size of the input.
    pub disk_bytes: u64,
    /// Time.
    pub seconds: f64,
}

impl Plan {
    pub(super) fn new(sample: &Sample, sketch_bytes: usize) -> Self {
        let documents = sample.sampled.corpus_document_count;
        let threads = rayon::current_num_threads();
        // Each band has a key, and columns of keys are sorted by one thread each.
        let columns = threads.min(sketch_bytes / size_of::<u64>()).max(1);
        // Documents that share a bucket are read and shingled once more.
        let seconds = sample.seconds * (1.0 + sample.sharing) / threads as f64;
        Self {
            file_count: sample.files,
            bytes: sample.packed_bytes,
            document_count: documents,
            threads,
            memory_bytes: memory::peak(documents, sketch_bytes as f64 + sample.id_bytes, columns),
            disk_bytes: sample.packed_bytes,
            seconds,
        }
    }
}
