//! The disk operations that an index needs, as a trait with two implementations: the file system, and for tests a
//! simulated disk that loses what was not synced.

mod files;
mod simulated;

use std::fmt;
use std::io;
use std::path::Path;
use std::sync::Arc;

pub use files::FileSystem;
pub use simulated::{Fault, Loss, Simulated};

/// Files in folders.
pub trait Disk: fmt::Debug + Send + Sync {
    /// Opens an existing file, for writing only if `is_written`.
    ///
    /// # Errors
    ///
    /// If it does not exist, or the system returns an error.
    fn open(&self, path: &Path, is_written: bool) -> io::Result<Arc<dyn DiskFile>>;

    /// Creates a file, or truncates an existing one.
    ///
    /// # Errors
    ///
    /// If the system returns an error.
    fn create(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>>;

    /// Creates a folder and its parents.
    ///
    /// # Errors
    ///
    /// If the system returns an error.
    fn create_dir(&self, path: &Path) -> io::Result<()>;

    /// Lists the names in a folder.
    ///
    /// # Errors
    ///
    /// If it does not exist, or the system returns an error.
    fn list(&self, path: &Path) -> io::Result<Vec<String>>;

    /// Renames a file, replacing any file of the new name.
    ///
    /// # Errors
    ///
    /// If the system returns an error.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Removes a file.
    ///
    /// # Errors
    ///
    /// If the system returns an error.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Waits until the names in a folder are on the disk.
    ///
    /// # Errors
    ///
    /// If the system returns an error.
    fn sync_dir(&self, path: &Path) -> io::Result<()>;

    /// Takes the lock of a file, which is created if needed, or returns its holder. `service` is the address at which
    /// the holder accepts requests, for others to read.
    ///
    /// # Errors
    ///
    /// If the file cannot be created.
    fn lock(&self, path: &Path, service: Option<&str>) -> io::Result<Lock>;
}

/// An open file.
pub trait DiskFile: fmt::Debug + Send + Sync {
    /// Fills `buffer` with the bytes at `offset`.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::UnexpectedEof`] if the file ends early; or any error of the system.
    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()>;

    /// Writes all bytes at `offset`.
    ///
    /// # Errors
    ///
    /// If the system returns an error; part of the bytes may then have been written.
    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()>;

    /// Waits until all written data is on disk.
    ///
    /// # Errors
    ///
    /// If the system returns an error; the state of the disk is then unknown.
    fn sync(&self) -> io::Result<()>;

    /// Truncates the file, or extends it with zeros.
    ///
    /// # Errors
    ///
    /// If the system returns an error.
    fn set_len(&self, length: u64) -> io::Result<()>;

    /// Length of the file.
    ///
    /// # Errors
    ///
    /// If the system returns an error.
    fn length(&self) -> io::Result<u64>;
}

/// Result of trying to take a lock.
#[derive(Debug)]
pub enum Lock {
    /// The lock is held until this is dropped.
    Held(Box<dyn fmt::Debug + Send + Sync>),
    /// Another process or writer holds it.
    Taken(Holder),
}

/// The process that holds a lock, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Holder {
    /// Its process id.
    pub process_id: Option<u32>,
    /// The address at which it accepts requests.
    pub service: Option<String>,
}

impl Holder {
    /// Parses what the holder wrote to the lock file.
    pub(crate) fn parse(written: &str) -> Self {
        let mut lines = written.lines().map(str::trim);
        let process_id = lines.next().and_then(|number| number.parse().ok());
        Self { process_id, service: lines.next().filter(|line| !line.is_empty()).map(str::to_owned) }
    }
}
