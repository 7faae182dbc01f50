//! Memory, disk and time of a whole corpus, before it is run.

use serde::Serialize;

use super::sample::Sample;
use crate::resources::memory;

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
    /// Memory at its peak, where nothing has to be put aside. With a lower memory limit, the rest goes to the work folder.
    pub memory_bytes: u64,
    /// Disk for what is written: at most all that is read, once more.
    pub disk_bytes: u64,
    /// Time.
    pub seconds: f64,
}

impl Plan {
    pub(super) fn new(sample: &Sample, sketch_bytes: usize) -> Self {
        let documents = sample.sampled.documents_of_corpus;
        let threads = rayon::current_num_threads();
        // A band has a key, and columns of keys are sorted by a thread each.
        let columns = threads.min(sketch_bytes / size_of::<u64>()).max(1);
        // What shares a bucket is read and made into features once more.
        let seconds = sample.seconds * (1.0 + sample.sharing) / threads as f64;
        Self {
            files: sample.files,
            bytes: sample.packed_bytes,
            documents,
            threads,
            memory_bytes: memory::peak(documents, sketch_bytes as f64 + sample.id_bytes, columns),
            disk_bytes: sample.packed_bytes,
            seconds,
        }
    }
}
