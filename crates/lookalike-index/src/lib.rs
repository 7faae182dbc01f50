//! A saved index of documents: what is acknowledged is on the disk, what is found is measured exactly, and what is deleted is gone.
//!
//! A folder holds a log, which is the write-ahead log and the store of texts in one, and segments, which are sorted columns of band
//! keys. One [`Writer`] adds and deletes; any number of [`Snapshot`]s search, in this process and in others.

#![forbid(unsafe_code)]

mod block;
mod bulk;
mod commit;
mod compact;
#[doc(hidden)]
pub mod disk;
mod error;
mod files;
mod index;
mod kernel;
mod log;
mod manifest;
mod page;
mod part;
mod rebuild;
mod row;
mod seal;
mod search;
mod segment;
mod snapshot;
mod state;
mod types;
mod unless_alike;
mod upkeep;
mod writer;

/// Bytes of files, read without trust: for the fuzzer.
#[doc(hidden)]
pub mod hostile {
    pub use crate::log::check_bytes as log;
    pub use crate::manifest::check_bytes as manifest;
    pub use crate::segment::check_bytes as segment;
}

pub use error::{Error, Result};
pub use index::Index;
pub use snapshot::Snapshot;
pub use types::{
    Answer, CreateOptions, Document, Hit, Merged, NewDocument, Problem, Put, Query, SearchOptions, Stat, Store,
    Upgrade, Verification,
};
#[doc(hidden)]
pub use upkeep::verify_on;
pub use upkeep::{snapshot_to, upgrade, verify};
pub use writer::Writer;
