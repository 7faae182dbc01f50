//! A few runs of documents that were unpacked last: candidates of one search often lie together.

use std::sync::{Arc, Mutex, PoisonError};

use super::record::Run;

/// Threads that ask at once seldom ask for the same one.
const SHELVES: usize = 16;

/// How many bytes a shelf holds.
const SHELF_BYTES: usize = 512 << 10;

/// Runs by log and place.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    shelves: [Mutex<Shelf>; SHELVES],
}

/// The one that was asked for last is at the end.
#[derive(Debug, Default)]
struct Shelf {
    runs: Vec<((u32, u64), Arc<Run>)>,
    bytes: usize,
}

impl Cache {
    fn shelf(&self, (log, offset): (u32, u64)) -> &Mutex<Shelf> {
        &self.shelves[lookalike_core::hash::mix(offset ^ u64::from(log) << 40) as usize % SHELVES]
    }

    /// Forgets runs of a log from an offset on: others will be written there.
    pub(crate) fn forget(&self, log: u32, from: u64) {
        for shelf in &self.shelves {
            let mut shelf = shelf.lock().unwrap_or_else(PoisonError::into_inner);
            shelf.runs.retain(|((held, offset), _)| *held != log || *offset < from);
            shelf.bytes = shelf.runs.iter().map(|(_, run)| run.byte_count()).sum();
        }
    }

    /// A run that is here, or what `read` makes.
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
