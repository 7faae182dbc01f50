//! Tracks the incomplete output of a job, so that its caller can clean up.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The incomplete output of a job. Every job has its own; clones share it. A job removes output that it abandons; this
/// is for a process that ends during a job.
#[derive(Clone, Debug, Default)]
pub struct Unfinished(Arc<Mutex<Paths>>);

#[derive(Debug, Default)]
struct Paths {
    paths: Vec<PathBuf>,
    /// True if an output has been renamed into place.
    is_complete: bool,
}

impl Unfinished {
    /// Removes all incomplete output, and returns true if there is complete output. For a process that is about to end.
    /// Waits for an output that is being moved into place.
    pub fn abandon(&self) -> bool {
        let unfinished = self.lock();
        for path in &unfinished.paths {
            // A file that is already gone need not be removed.
            let _ = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
        }
        unfinished.is_complete
    }

    pub(crate) fn note(&self, path: &Path) {
        self.lock().paths.push(path.to_owned());
    }

    pub(crate) fn forget(&self, path: &Path) {
        self.lock().paths.retain(|noted| noted != path);
    }

    /// Renames an output into place; `abandon` waits meanwhile, since this takes no time and must not be interrupted.
    pub(crate) fn complete<T>(&self, path: &Path, rename: impl FnOnce() -> crate::Result<T>) -> crate::Result<T> {
        let mut unfinished = self.lock();
        let renamed = rename()?;
        unfinished.is_complete = true;
        unfinished.paths.retain(|noted| noted != path);
        Ok(renamed)
    }

    fn lock(&self) -> MutexGuard<'_, Paths> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
