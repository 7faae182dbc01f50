//! What an index needs of a disk, so that tests can stand in for it: the file system, and a simulated disk that forgets what was
//! not synced.

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
    /// Opens a file that is there. It is opened for writing only if `is_written`.
    ///
    /// # Errors
    ///
    /// When it is not there, or the system refuses.
    fn open(&self, path: &Path, is_written: bool) -> io::Result<Arc<dyn DiskFile>>;

    /// Makes a new file, empty even if there was one.
    ///
    /// # Errors
    ///
    /// When the system refuses.
    fn create(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>>;

    /// Makes a folder and those above it.
    ///
    /// # Errors
    ///
    /// When the system refuses.
    fn create_dir(&self, path: &Path) -> io::Result<()>;

    /// The names of what a folder has.
    ///
    /// # Errors
    ///
    /// When it is not there, or the system refuses.
    fn list(&self, path: &Path) -> io::Result<Vec<String>>;

    /// Gives a file another name; a file that had it is gone.
    ///
    /// # Errors
    ///
    /// When the system refuses.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Removes a file.
    ///
    /// # Errors
    ///
    /// When the system refuses.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Waits until the names in a folder are on the disk.
    ///
    /// # Errors
    ///
    /// When the system refuses.
    fn sync_dir(&self, path: &Path) -> io::Result<()>;

    /// Takes the lock of a file, which is made if it is not there, or says who holds it. `service` is the address at which the
    /// holder takes requests, for others to read.
    ///
    /// # Errors
    ///
    /// When the file cannot be made.
    fn lock(&self, path: &Path, service: Option<&str>) -> io::Result<Lock>;
}

/// A file that is open.
pub trait DiskFile: fmt::Debug + Send + Sync {
    /// Fills `buffer` with what lies at `offset`.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::UnexpectedEof`] when the file ends before; or when the system refuses.
    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()>;

    /// Writes all bytes at `offset`.
    ///
    /// # Errors
    ///
    /// When the system refuses; a part may have been written then.
    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()>;

    /// Waits until everything that was written is on the disk.
    ///
    /// # Errors
    ///
    /// When the system refuses; then nobody knows what is on the disk.
    fn sync(&self) -> io::Result<()>;

    /// Cuts the file off, or fills it up with zeros.
    ///
    /// # Errors
    ///
    /// When the system refuses.
    fn set_len(&self, length: u64) -> io::Result<()>;

    /// How long the file is.
    ///
    /// # Errors
    ///
    /// When the system refuses.
    fn length(&self) -> io::Result<u64>;
}

/// What came of the write for a lock.
#[derive(Debug)]
pub enum Lock {
    /// It is held until this is dropped.
    Held(Box<dyn fmt::Debug + Send + Sync>),
    /// Another has it.
    Taken(Holder),
}

/// The process that holds a lock, as far as that is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Holder {
    /// Its number.
    pub process_id: Option<u32>,
    /// The address at which it takes requests.
    pub service: Option<String>,
}

impl Holder {
    /// Reads what the holder wrote into the file of the lock.
    pub(crate) fn parse(written: &str) -> Self {
        let mut lines = written.lines().map(str::trim);
        let process_id = lines.next().and_then(|number| number.parse().ok());
        Self { process_id, service: lines.next().filter(|line| !line.is_empty()).map(str::to_owned) }
    }
}
