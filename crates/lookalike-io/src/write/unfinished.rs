//! What is being made at the moment, so that a signal can clean it up.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

static UNFINISHED: Mutex<Unfinished> = Mutex::new(Unfinished { paths: Vec::new(), is_complete: false });

struct Unfinished {
    paths: Vec<PathBuf>,
    /// Whether an output has got its name.
    is_complete: bool,
}

/// Removes all output that is not complete, and says whether there is some that is. For a process that is about to end, and
/// does not come back to its work. Waits for an output that is getting its name.
pub fn abandon_unfinished() -> bool {
    let unfinished = lock();
    for path in &unfinished.paths {
        // What is gone already needs no removing.
        let _ = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    }
    unfinished.is_complete
}

pub(crate) fn note(path: &Path) {
    lock().paths.push(path.to_owned());
}

pub(super) fn forget(path: &Path) {
    lock().paths.retain(|noted| noted != path);
}

/// Gives an output its name; meanwhile a signal waits, since this takes no time and must not be done by halves.
pub(super) fn complete<T>(path: &Path, rename: impl FnOnce() -> crate::Result<T>) -> crate::Result<T> {
    let mut unfinished = lock();
    let renamed = rename()?;
    unfinished.is_complete = true;
    unfinished.paths.retain(|noted| noted != path);
    Ok(renamed)
}

fn lock() -> MutexGuard<'static, Unfinished> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}
