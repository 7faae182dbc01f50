//! Limits on the input that a run reads and on the disk space that it fills, so that an endless stream, or a small file
//! that expands to a large one, cannot take everything.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::error::{Error, Result};

/// More columns are no table: each takes room in every row.
pub const MOST_COLUMNS: usize = 4096;

/// The largest window of a Zstandard frame that is read where nobody says otherwise, as a power of two: 128 MB, as
/// `zstd` has it.
const WINDOW_LOG: u32 = 27;

/// The maximum number of bytes of input that a run reads, decompressed, in all files together; and how much memory may
/// be needed to unpack a file. Clones share the count.
#[derive(Clone)]
pub struct InputLimit {
    most: Option<u64>,
    window_log: u32,
    read: Arc<AtomicU64>,
}

impl InputLimit {
    /// A limit of this many bytes; `None` for no limit.
    pub fn new(most: Option<u64>) -> Self {
        Self { most, window_log: WINDOW_LOG, read: Arc::default() }
    }

    /// The same limit for another run, with the count at zero.
    #[must_use]
    pub fn anew(&self) -> Self {
        Self { read: Arc::default(), ..self.clone() }
    }

    /// The same limit for memory, and no limit for the input.
    #[must_use]
    pub fn unlimited(&self) -> Self {
        Self { most: None, ..self.anew() }
    }

    /// The same, with another limit for Zstandard windows, as a power of two.
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

/// What was read so far makes no two limits different.
impl PartialEq for InputLimit {
    fn eq(&self, other: &Self) -> bool {
        self.most == other.most
    }
}

impl Eq for InputLimit {}

/// The same for all limits: a run that was interrupted may be resumed with another.
impl fmt::Debug for InputLimit {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("InputLimit")
    }
}

/// After how many bytes a disk is asked again what is free.
const ASKED_AFTER: u64 = 64 << 20;

/// What is left free of a disk: a twentieth of it, and a gigabyte of a large one.
const LEFT_FREE: u64 = 1 << 30;

/// A folder that temporary copies are written to, of which they must not take everything.
#[derive(Debug)]
pub(crate) struct Room {
    folder: PathBuf,
    /// Bytes written since the disk was asked.
    written: AtomicU64,
    disk: fn(&Path) -> io::Result<Disk>,
}

/// What a disk has, in bytes.
#[derive(Clone, Copy, Debug)]
struct Disk {
    free: u64,
    total: u64,
}

impl Room {
    pub(crate) fn new(folder: impl Into<PathBuf>) -> Self {
        // The first bytes ask.
        Self { folder: folder.into(), written: AtomicU64::new(ASKED_AFTER), disk }
    }

    /// Makes sure that there is room for so many bytes, which are written next.
    ///
    /// # Errors
    ///
    /// [`Error::NoRoomLeft`] when the disk is nearly full. Where nobody can tell, there is room.
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
        // A small disk keeps a twentieth, a large one a gigabyte.
        let small = room(|_| Ok(Disk { free: 60, total: 1000 }));
        small.take(10).unwrap();
        let small = room(|_| Ok(Disk { free: 60, total: 1000 }));
        let error = small.take(11).unwrap_err().to_string();
        assert!(error.contains("folder") && error.contains("50 bytes") && error.contains("limit the input"), "{error}");
        let large = room(|_| Ok(Disk { free: (1 << 30) + 10, total: 1 << 40 }));
        large.take(10).unwrap();
        // It is asked again, now and then.
        assert!((0..2000).any(|_| large.take(1 << 20).is_err()));
        room(|_| Err(io::ErrorKind::Unsupported.into())).take(u64::MAX).unwrap();
    }
}
