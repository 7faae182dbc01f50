//! A saved index of documents: what is acknowledged is on the disk, what is found is measured exactly, and what is deleted is gone.
//!
//! A folder holds a log, which is the write-ahead log and the store of texts in one, and segments, which are sorted columns of band
//! keys. One [`Writer`] adds and deletes; any number of [`Snapshot`]s search, in this process and in others.

#![forbid(unsafe_code)]

mod error;
mod index;
mod snapshot;
mod types;
mod upkeep;
mod writer;

pub use error::{Error, Result};
pub use index::Index;
pub use snapshot::Snapshot;
pub use types::{
    Answer, CreateOptions, Document, Hit, Merged, NewDocument, Problem, Put, Query, SearchOptions, Stat, Store,
    Upgrade, Verification,
};
pub use upkeep::{snapshot_to, upgrade, verify};
pub use writer::Writer;
