//! What ends a run. (One bad record does not: it is a [`crate::read::Skipped`].)

use std::io;
use std::path::PathBuf;

/// Why reading or writing cannot go on, with the place and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An input that is not there, or may not be read.
    #[error("cannot read {}: {source}; check the path and its permissions", path.display())]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },

    /// A folder without any file to read.
    #[error("nothing to read in {}: name a file, or a folder with .jsonl, .wet or .txt files", path.display())]
    NothingToRead {
        /// The folder.
        path: PathBuf,
    },

    /// The same file twice would make every document a duplicate of itself.
    #[error("{} is given twice: every document in it would be a duplicate of itself", path.display())]
    GivenTwice {
        /// The file.
        path: PathBuf,
    },

    /// A file that is no longer what it was when it was read first.
    #[error("{} changed while it was read: run again when nothing writes to it", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },

    /// An output that would be overwritten.
    #[error("{} exists and is not empty: choose another output, or replace what is there with --force", path.display())]
    OutputExists {
        /// The folder or file.
        path: PathBuf,
    },

    /// An output that cannot be written.
    #[error("cannot write {}: {source}; check the disk's space and the folder's permissions", path.display())]
    Unwritable {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// The result of reading and writing.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub(crate) fn unreadable(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Unreadable { path, source }
    }

    pub(crate) fn unwritable(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Unwritable { path, source }
    }
}
