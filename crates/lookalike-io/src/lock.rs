//! A lock file for a folder in use by a run.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::file_system::identity;

/// Name of the lock file.
pub(crate) const LOCK: &str = "run.lock";

/// Maximum time to wait for another run to release the lock.
const LOCK_WAIT: Duration = Duration::from_secs(1);

/// Locks an existing folder; `None` if another run holds it.
///
/// # Errors
///
/// If the file cannot be created; [`io::ErrorKind::NotFound`] if the folder has been removed meanwhile.
pub(crate) fn lock_folder(folder: &Path) -> io::Result<Option<File>> {
    let path = folder.join(LOCK);
    let file = File::create(&path)?;
    let start = Instant::now();
    loop {
        match file.try_lock() {
            // A child process that another thread has just started may hold the lock of a finished run until it calls
            // exec.
            Err(TryLockError::WouldBlock) if start.elapsed() < LOCK_WAIT => std::thread::sleep(LOCK_WAIT / 20),
            Err(TryLockError::WouldBlock) => return Ok(None),
            // Not every file system supports locks; there, preventing two concurrent runs is up to the user.
            Ok(()) | Err(TryLockError::Error(_)) => break,
        }
    }
    // The run that held it may have removed it, and a third one created it again.
    let is_same = identity(&file.metadata()?) == identity(&path.metadata()?);
    if is_same { Ok(Some(file)) } else { Err(io::ErrorKind::NotFound.into()) }
}
