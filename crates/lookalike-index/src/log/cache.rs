//! A cache of the most recently decompressed runs of documents: candidates of one search are often close together.

use std::sync::{Arc, Mutex, PoisonError};

use super::record::Run;

/// Number of shards, so that concurrent threads seldom use the same one.
const SHELVES: usize = 16;

/// Bytes per shard.
const SHELF_BYTES: usize = 512 << 10;

/// Runs by log and offset.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    shelves: [Mutex<Shelf>; SHELVES],
}

/// The most recently used run is at the end.
#[derive(Debug, Default)]
struct Shelf {
    runs: Vec<((u32, u64), Arc<Run>)>,
    bytes: usize,
}

impl Cache {
    fn shelf(&self, (log, offset): (u32, u64)) -> &Mutex<Shelf> {
        &self.shelves[lookalike_core::hash::mix(offset ^ u64::from(log) << 40) as usize % SHELVES]
    }

    /// Removes the runs of a log from an offset on, which will be overwritten.
    pub(crate) fn forget(&self, log: u32, from: u64) {
        for shelf in &self.shelves {
            let mut shelf = shelf.lock().unwrap_or_else(PoisonError::into_inner);
            shelf.runs.retain(|((held, offset), _)| *held != log || *offset < from);
            shelf.bytes = shelf.runs.iter().map(|(_, run)| run.byte_count()).sum();
        }
    }

    /// Returns a cached run, or reads it with `read`.
    pub(crate) fn run<E>(&self, place: (u32, u64), read: impl FnOnce() -> Result<Run, E>) -> Result<Arc<Run>, E> {
        {
            let mut shelf = self.shelf(place).lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(at) = shelf.runs.iter().rposition(|(held, _)| *held == place) {
                let last = shelf.runs.len() - 1;
                if at < last {
                    let run = shelf.runs.remove(at);
                    shelf.runs.push(run);
                }
                return Ok(Arc::clone(&shelf.runs[last].1));
            }
        }
        let run = Arc::new(read()?);
        if run.byte_count() <= SHELF_BYTES / 4 {
            let mut shelf = self.shelf(place).lock().unwrap_or_else(PoisonError::into_inner);
            shelf.bytes += run.byte_count();
            shelf.runs.push((place, Arc::clone(&run)));
            while shelf.bytes > SHELF_BYTES {
                let (_, oldest) = shelf.runs.remove(0);
                shelf.bytes -= oldest.byte_count();
            }
        }
        Ok(run)
    }
}
