//! A file that is locked while a run uses the folder it lies in.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::file_system::identity;

/// The name of that file.
pub(crate) const LOCK: &str = "run.lock";

/// How long another run may take to let go of it.
const LOCK_WAIT: Duration = Duration::from_secs(1);

/// Locks a folder that exists; `None` when another run holds it.
///
/// # Errors
///
/// When the file cannot be made; [`io::ErrorKind::NotFound`] when the folder has gone meanwhile.
pub(crate) fn lock_folder(folder: &Path) -> io::Result<Option<File>> {
    let path = folder.join(LOCK);
    let file = File::create(&path)?;
    let start = Instant::now();
    loop {
        match file.try_lock() {
            // A process that was started by another thread has the lock of a run that is over, until it is what it will be.
            Err(TryLockError::WouldBlock) if start.elapsed() < LOCK_WAIT => std::thread::sleep(LOCK_WAIT / 20),
            Err(TryLockError::WouldBlock) => return Ok(None),
            // Not every file system has locks; two runs at once are the user's own affair there.
            Ok(()) | Err(TryLockError::Error(_)) => break,
        }
    }
    // The run that held it may have removed it, and a third one made it again.
    let is_same = identity(&file.metadata()?) == identity(&path.metadata()?);
    if is_same { Ok(Some(file)) } else { Err(io::ErrorKind::NotFound.into()) }
}
