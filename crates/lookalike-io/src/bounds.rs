//! Limits on the input that a run reads and on the disk space that it fills, so that an endless stream, or a small file
//! that expands to a large one, cannot take everything.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::error::{Error, Result};

/// Maximum number of columns of a table: each takes memory in every row.
pub const MOST_COLUMNS: usize = 4096;

/// Default maximum window of a Zstandard frame, as a power of two: 128 MB, as in `zstd`.
const WINDOW_LOG: u32 = 27;

/// The maximum number of bytes of input that a run reads, decompressed, in all files together; and the maximum memory
/// to decompress a file. Clones share the count.
#[derive(Clone)]
pub struct InputLimit {
    most: Option<u64>,
    window_log: u32,
    read: Arc<AtomicU64>,
}

impl InputLimit {
    /// Creates a limit of this many bytes; `None` for no limit.
    pub fn new(most: Option<u64>) -> Self {
        Self { most, window_log: WINDOW_LOG, read: Arc::default() }
    }

    /// The same limit for another run, with the count at zero.
    #[must_use]
    pub fn anew(&self) -> Self {
        Self { read: Arc::default(), ..self.clone() }
    }

    /// The same memory limit, and no limit on input.
    #[must_use]
    pub fn unlimited(&self) -> Self {
        Self { most: None, ..self.anew() }
    }

    /// Replaces the limit on Zstandard windows, as a power of two.
    #[must_use]
    pub fn with_window_log(self, window_log: u32) -> Self {
        Self { window_log, ..self }
    }

    pub(crate) fn window_log(&self) -> u32 {
        self.window_log
    }

    /// Counts bytes that were read.
    pub(crate) fn count(&self, bytes: u64) -> Result<()> {
        let Some(most) = self.most else { return Ok(()) };
        let read = self.read.fetch_add(bytes, Relaxed).saturating_add(bytes);
        if read > most { Err(Error::InputTooLarge { most }) } else { Ok(()) }
    }
}

impl Default for InputLimit {
    fn default() -> Self {
        Self::new(None)
    }
}

/// The count so far is ignored in comparisons.
impl PartialEq for InputLimit {
    fn eq(&self, other: &Self) -> bool {
        self.most == other.most
    }
}

impl Eq for InputLimit {}

/// The same text for all limits: an interrupted run may be resumed with another one.
impl fmt::Debug for InputLimit {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("InputLimit")
    }
}

/// Number of bytes after which the free space is checked again.
const ASKED_AFTER: u64 = 64 << 20;

/// Free space to leave on a disk: 5 % of it, or 1 GB of a large one.
const LEFT_FREE: u64 = 1 << 30;

/// A folder for temporary copies, which must not fill the disk.
#[derive(Debug)]
pub(crate) struct Room {
    folder: PathBuf,
    /// Bytes written since the last check of the disk.
    written: AtomicU64,
    disk: fn(&Path) -> io::Result<Disk>,
}

/// Size and free space of a disk, in bytes.
#[derive(Clone, Copy, Debug)]
struct Disk {
    free: u64,
    total: u64,
}

impl Room {
    pub(crate) fn new(folder: impl Into<PathBuf>) -> Self {
        // The first bytes trigger a check.
        Self { folder: folder.into(), written: AtomicU64::new(ASKED_AFTER), disk }
    }

    /// Checks that there is space for this many bytes, which are written next.
    ///
    /// # Errors
    ///
    /// [`Error::NoRoomLeft`] if the disk is nearly full. If the free space is unknown, it is assumed to be enough.
    pub(crate) fn take(&self, bytes: u64) -> Result<()> {
        if self.written.fetch_add(bytes, Relaxed).saturating_add(bytes) < ASKED_AFTER {
            return Ok(());
        }
        self.written.store(0, Relaxed);
        let Ok(Disk { free, total }) = (self.disk)(&self.folder) else { return Ok(()) };
        let left = LEFT_FREE.min(total / 20);
        if free < left.saturating_add(bytes) {
            return Err(Error::NoRoomLeft { path: self.folder.clone(), left });
        }
        Ok(())
    }
}

fn disk(folder: &Path) -> io::Result<Disk> {
    let stats = fs4::statvfs(folder)?;
    Ok(Disk { free: stats.available_space(), total: stats.total_space() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_by_all_together_counts() {
        let limit = InputLimit::new(Some(100));
        let other = limit.clone();
        limit.count(60).unwrap();
        other.count(40).unwrap();
        let error = limit.count(1).unwrap_err().to_string();
        assert!(error.contains("more than 100 bytes of text"), "{error}");
        limit.anew().count(100).unwrap();
        InputLimit::default().count(u64::MAX).unwrap();
    }

    #[test]
    fn a_disk_is_not_filled_to_its_end() {
        let room = |disk| Room { disk, ..Room::new("folder") };
        // A small disk keeps 5 % free, a large one 1 GB.
        let small = room(|_| Ok(Disk { free: 60, total: 1000 }));
        small.take(10).unwrap();
        let small = room(|_| Ok(Disk { free: 60, total: 1000 }));
        let error = small.take(11).unwrap_err().to_string();
        assert!(error.contains("folder") && error.contains("50 bytes") && error.contains("limit the input"), "{error}");
        let large = room(|_| Ok(Disk { free: (1 << 30) + 10, total: 1 << 40 }));
        large.take(10).unwrap();
        // The free space is checked again from time to time.
        assert!((0..2000).any(|_| large.take(1 << 20).is_err()));
        room(|_| Err(io::ErrorKind::Unsupported.into())).take(u64::MAX).unwrap();
    }
}
