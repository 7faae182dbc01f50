//! What a job is making at the moment, so that whoever started it can clean up after it without its help.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What is being made, and not complete. Every job has one of its own; clones are the same one. Output that is given up by
/// its job goes by itself: this is for a process that ends while a job is under way.
#[derive(Clone, Debug, Default)]
pub struct Unfinished(Arc<Mutex<Paths>>);

#[derive(Debug, Default)]
struct Paths {
    paths: Vec<PathBuf>,
    /// Whether an output has got its name.
    is_complete: bool,
}

impl Unfinished {
    /// Removes all output that is not complete, and says whether there is some that is. For a process that is about to end, and
    /// does not come back to its work. Waits for an output that is getting its name.
    pub fn abandon(&self) -> bool {
        let unfinished = self.lock();
        for path in &unfinished.paths {
            // What is gone already needs no removing.
            let _ = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
        }
        unfinished.is_complete
    }

    pub(crate) fn note(&self, path: &Path) {
        self.lock().paths.push(path.to_owned());
    }

    pub(super) fn forget(&self, path: &Path) {
        self.lock().paths.retain(|noted| noted != path);
    }

    /// Gives an output its name; meanwhile who would abandon it waits, since this takes no time and must not be done by halves.
    pub(super) fn complete<T>(&self, path: &Path, rename: impl FnOnce() -> crate::Result<T>) -> crate::Result<T> {
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
