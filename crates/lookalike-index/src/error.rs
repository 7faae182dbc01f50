//! Errors of an index: each names the file, the problem, and a remedy.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Reason why an index could not perform an operation.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file could not be read or written.
    #[error("{path}: {source}", path = path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        #[source]
        source: Arc<io::Error>,
    },

    /// The disk is full. Nothing was added; later writes may succeed.
    #[error("{path}: the disk is full; make room and try again, nothing was added", path = path.display())]
    DiskFull {
        /// The file or folder.
        path: PathBuf,
    },

    /// A folder without an index.
    #[error("{path} is not an index: it has no index.json; create one first, or give another folder", path = path.display())]
    NotAnIndex {
        /// The folder.
        path: PathBuf,
    },

    /// A folder in which an index cannot be created.
    #[error("{path} already has an index or other files in it: choose an empty or new folder", path = path.display())]
    NotEmpty {
        /// The folder.
        path: PathBuf,
    },

    /// An index of a newer version.
    #[error("{path} was made by a newer lookalike ({what} version {found}, this one knows up to {known}): update lookalike", path = path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// The part that has a version.
        what: &'static str,
        /// The version found.
        found: u32,
        /// The newest supported version.
        known: u32,
    },

    /// Bytes that differ from what was written.
    #[error("{path} is damaged in {section} at byte {offset}: {reason}", path = path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The part of the file.
        section: &'static str,
        /// The offset in the file.
        offset: u64,
        /// The problem.
        reason: String,
    },

    /// Another process writes to the index.
    #[error("{path} is {}", held_by(*process_id, service.as_deref()), path = path.display())]
    Locked {
        /// The index.
        path: PathBuf,
        /// The process that holds it, if that is known.
        process_id: Option<u32>,
        /// The HTTP address of the index, if a service holds it.
        service: Option<String>,
    },

    /// An earlier write failed, so that the state of the disk is unknown.
    #[error("{path}: an earlier write failed ({reason}); open the index again to go on", path = path.display())]
    Poisoned {
        /// The index.
        path: PathBuf,
        /// The first failure.
        reason: String,
    },

    /// A method that an index does not support.
    #[error(
        "an index cannot search by {method}: it must see all documents before it can sketch one, or looks for exact copies alone"
    )]
    MethodWithoutIndex {
        /// The method.
        method: String,
    },

    /// A threshold below that of the index.
    #[error(
        "a threshold of {threshold} is below that of the index, {lowest}, and matches between the two could be missed: search with {lowest} or more, or make another index with a threshold of {threshold} and add the documents to it"
    )]
    ThresholdTooLow {
        /// The requested threshold.
        threshold: f64,
        /// The threshold of the index.
        lowest: f64,
    },

    /// An invalid threshold.
    #[error(transparent)]
    Core(#[from] lookalike_core::Error),

    /// No document has this id.
    #[error("no document has the id '{id}'")]
    NoSuchDocument {
        /// The id.
        id: String,
    },

    /// A document that cannot be stored.
    #[error("the document '{id}' cannot be stored: {reason}")]
    NotADocument {
        /// Its id, shortened.
        id: String,
        /// The problem.
        reason: &'static str,
    },

    /// Two indexes that cannot be merged because their schemes differ.
    #[error("the indexes differ: one has {left}, the other {right}")]
    OtherScheme {
        /// The scheme of the target.
        left: String,
        /// The scheme of the source.
        right: String,
    },

    /// An operation that needs texts, on an index that does not store them.
    #[error("{path} keeps no texts: {what} needs them", path = path.display())]
    NoTexts {
        /// The index.
        path: PathBuf,
        /// The operation.
        what: &'static str,
    },
}

/// Describes the holder of a lock, and what to do about it.
fn held_by(process_id: Option<u32>, service: Option<&str>) -> String {
    let process = process_id.map_or_else(|| "another process".to_owned(), |id| format!("process {id}"));
    match service {
        Some(service) => {
            format!("held by a running server ({process}): use its HTTP API at {service}, or stop the server")
        }
        None => format!("being written to by {process}: wait until it is done"),
    }
}

/// Result of an index operation.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub(crate) fn damaged(path: &Path, section: &'static str, offset: u64, reason: impl Into<String>) -> Self {
        Self::Damaged { path: path.to_owned(), section, offset, reason: reason.into() }
    }

    /// True if a file did not exist.
    pub(crate) fn is_not_found(&self) -> bool {
        matches!(self, Self::Io { source, .. } if source.kind() == io::ErrorKind::NotFound)
    }
}

/// Adds the file to an error of the system.
pub(crate) trait At<T> {
    fn at(self, path: &Path) -> Result<T>;
}

impl<T> At<T> for io::Result<T> {
    fn at(self, path: &Path) -> Result<T> {
        self.map_err(|source| match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Error::DiskFull { path: path.to_owned() },
            _ => Error::Io { path: path.to_owned(), source: Arc::new(source) },
        })
    }
}
