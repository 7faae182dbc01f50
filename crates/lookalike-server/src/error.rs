//! Errors that prevent the service from starting, or end it.

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

/// Reason why the service did not start, or ended.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file or folder that cannot be used.
    #[error("{path}: {source}", path = path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },

    /// An address that is not available.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The error of the system.
        source: io::Error,
    },

    /// An address that other machines can reach, without keys.
    #[error(
        "{address} can be reached from other machines, and without keys anybody could read and delete everything: make a key first"
    )]
    NeedsKeys {
        /// The address.
        address: SocketAddr,
    },

    /// A folder that is neither an index nor a folder of indexes.
    #[error("{path} does not exist: make an index there first, or a folder for several", path = path.display())]
    NoSuchFolder {
        /// The folder.
        path: PathBuf,
    },

    /// Two folders for new indexes.
    #[error("{first} and {second} are both folders of indexes: give one of them, and single indexes", first = first.display(), second = second.display())]
    TwoRoots {
        /// The first.
        first: PathBuf,
        /// The second.
        second: PathBuf,
    },

    /// Two folders with the same name.
    #[error("{first} and {second} would both be called '{name}': rename one of them", first = first.display(), second = second.display())]
    SameName {
        /// The name.
        name: String,
        /// The first.
        first: PathBuf,
        /// The second.
        second: PathBuf,
    },

    /// A folder without a result.
    #[error("{path} is neither the output of a finished run of dedup or link, which has a summary.json, nor a folder of such results, nor empty", path = path.display())]
    NotAResult {
        /// The folder.
        path: PathBuf,
    },

    /// An index that cannot be opened.
    #[error(transparent)]
    Index(#[from] lookalike_index::Error),

    /// A file that is not a valid key file.
    #[error("{path} is not a file of keys: {reason}", path = path.display())]
    NotKeys {
        /// The file.
        path: PathBuf,
        /// The problem.
        reason: String,
    },

    /// An invalid name.
    #[error("'{name}' is not a name: use up to 64 letters, digits, dots, hyphens and underscores, and no dot first")]
    NotAName {
        /// The name.
        name: String,
    },

    /// A name that another key already has.
    #[error("there is a key '{name}' already: revoke it, or choose another name")]
    KeyExists {
        /// The name.
        name: String,
    },

    /// A name of a key that does not exist.
    #[error("there is no key '{name}'")]
    NoSuchKey {
        /// The name.
        name: String,
    },

    /// The system does not provide random numbers.
    #[error("the system gives no random numbers, without which no key can be made")]
    NoRandomness,

    /// A certificate or its key that cannot be used.
    #[error("{path} cannot be used for HTTPS: {reason}", path = path.display())]
    NotForTls {
        /// The file.
        path: PathBuf,
        /// The problem.
        reason: String,
    },
}

impl Error {
    pub(crate) fn io(path: &Path, source: io::Error) -> Self {
        Self::Io { path: path.to_owned(), source }
    }
}

/// Result of an operation on the service.
pub type Result<T> = std::result::Result<T, Error>;
