//! A saved index of documents. Acknowledged writes are durable, matches are measured exactly, and deleted documents are
//! not found.
//!
//! A folder holds a log, which is both the write-ahead log and the store of texts, and segments, which are sorted
//! columns of band keys. One [`Writer`] adds and deletes; any number of [`Snapshot`]s search, in this process and in
//! others.

#![forbid(unsafe_code)]

mod block;
mod bulk;
mod checksummed;
mod commit;
mod compact;
#[doc(hidden)]
pub mod disk;
mod error;
mod files;
mod index;
mod kernel;
mod log;
mod maintenance;
mod manifest;
mod merge;
mod page;
mod part;
mod put_if_new;
mod rebuild;
mod row;
mod salvage;
mod search;
mod segment;
mod shared;
mod snapshot;
mod state;
mod types;
mod writer;

/// Parsers of untrusted file bytes, for the fuzzer.
#[doc(hidden)]
pub mod hostile {
    pub use crate::log::check_bytes as log;
    pub use crate::manifest::check_bytes as manifest;
    pub use crate::segment::check_bytes as segment;
}

pub use error::{Error, Result};
pub use index::Index;
#[doc(hidden)]
pub use maintenance::verify_on;
pub use maintenance::{snapshot_to, upgrade, verify};
pub use snapshot::Snapshot;
pub use types::{
    Answer, CreateOptions, Document, Hit, Lost, Merged, NewDocument, Problem, Put, Query, SearchOptions, Stat, Store,
    Upgrade, Verification,
};
pub use writer::Writer;
