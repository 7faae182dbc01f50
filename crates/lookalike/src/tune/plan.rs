//! Memory, disk and time of a whole corpus, before it is run.

use serde::Serialize;

use super::sample::Sample;

/// What a run of `dedup` over the whole corpus would take, about.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Plan {
    /// Files.
    pub files: u64,
    /// Their bytes as they lie there.
    pub bytes: u64,
    /// Documents, about.
    pub documents: u64,
    /// Threads that it is planned for.
    pub threads: usize,
    /// Memory at its peak.
    pub memory_bytes: u64,
    /// Disk for what is written: at most all that is read, once more.
    pub disk_bytes: u64,
    /// Time.
    pub seconds: f64,
}

/// What the process itself needs: chunks, tables and features that are held while they are compared.
const BASE_BYTES: f64 = 60e6;

/// What is kept of a document besides its sketch and id: place, position, hash, counts.
const KEPT_BYTES: f64 = 64.0;

/// Of each document while it is put into buckets: an entry of a column that is sorted, with room to sort it, and its
/// places in buckets and family.
const BUCKET_BYTES: f64 = 96.0;

impl Plan {
    pub(super) fn new(sample: &Sample, sketch_bytes: usize) -> Self {
        let documents = sample.sampled.documents_of_corpus;
        let threads = rayon::current_num_threads();
        let a_document = sketch_bytes as f64 + KEPT_BYTES + BUCKET_BYTES + sample.id_bytes;
        // What shares a bucket is read and made into features once more.
        let seconds = sample.seconds * (1.0 + sample.sharing) / threads as f64;
        Self {
            files: sample.files,
            bytes: sample.packed_bytes,
            documents,
            threads,
            memory_bytes: (BASE_BYTES + documents as f64 * a_document) as u64,
            disk_bytes: sample.packed_bytes,
            seconds,
        }
    }
}
