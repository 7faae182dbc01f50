//! The state shared by an index, its snapshots and its writer.

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use crate::disk::Disk;
use crate::error::{At, Result};
use crate::kernel::Kernel;
use crate::log::Cache;
use crate::manifest::{Folder, Manifest};
use crate::state::State;

/// The state shared by all clones of an index.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) disk: Arc<dyn Disk>,
    pub(crate) folder: Folder,
    pub(crate) kernel: Arc<Kernel>,
    pub(crate) cache: Arc<Cache>,
    pub(crate) state: RwLock<Arc<State>>,
    /// True if a writer of this index keeps the state up to date.
    pub(crate) has_writer: AtomicBool,
    refreshing: Mutex<()>,
}

impl Shared {
    pub(crate) fn new(disk: Arc<dyn Disk>, folder: Folder, kernel: Arc<Kernel>, state: State) -> Self {
        Self {
            disk,
            folder,
            kernel,
            cache: Arc::default(),
            state: RwLock::new(Arc::new(state)),
            has_writer: AtomicBool::new(false),
            refreshing: Mutex::new(()),
        }
    }

    pub(crate) fn state(&self) -> Arc<State> {
        Arc::clone(&self.state.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn publish(&self, state: Arc<State>) {
        *self.state.write().unwrap_or_else(PoisonError::into_inner) = state;
    }

    /// Lock for reading what others wrote, and for starting to write.
    pub(crate) fn refreshing(&self) -> MutexGuard<'_, ()> {
        self.refreshing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Loads what other processes wrote.
    pub(crate) fn refresh(&self) -> Result<()> {
        let _one_at_a_time = self.refreshing();
        if self.has_writer.load(SeqCst) {
            return Ok(());
        }
        let state = self.state();
        let newest = Manifest::newest(&*self.disk, &self.folder)?;
        let (log, _) = state.active_log();
        let state = if newest != state.manifest {
            State::load(&*self.disk, &self.folder, &self.kernel, Some(&state))?.0
        } else if log.file.length().at(&log.path)? != state.end {
            State::clone(&state).replayed(&self.kernel)?.0
        } else {
            return Ok(());
        };
        self.publish(Arc::new(state));
        Ok(())
    }
}
