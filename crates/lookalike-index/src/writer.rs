//! The one writer of an index.

use crate::error::Result;
use crate::index::Index;
use crate::snapshot::Snapshot;
use crate::types::{Merged, NewDocument, Put};

/// Adds documents to an index and deletes them. Many threads may call it at once: what they ask for is written together.
#[derive(Debug)]
pub struct Writer {}

impl Writer {
    /// Stores a document; when it returns, the document is on the disk and every later search finds it.
    ///
    /// # Errors
    ///
    /// When the document cannot be stored or the disk refuses; then nothing was added.
    pub fn put(&self, _document: NewDocument<'_>) -> Result<Put> {
        todo!()
    }

    /// Stores documents in one commit: all of them or none.
    ///
    /// # Errors
    ///
    /// As [`put`](Self::put).
    pub fn put_many(&self, _documents: &[NewDocument<'_>]) -> Result<Vec<Put>> {
        todo!()
    }

    /// Stores those documents that have no near-duplicate in the index, in order: each is compared with those before it too.
    ///
    /// # Errors
    ///
    /// As [`put`](Self::put).
    pub fn put_unless_alike(&self, _documents: &[NewDocument<'_>]) -> Result<Vec<Put>> {
        todo!()
    }

    /// Deletes the documents with these ids; says how many there were.
    ///
    /// # Errors
    ///
    /// When the disk refuses; then nothing was deleted.
    pub fn delete(&self, _ids: &[&str]) -> Result<u64> {
        todo!()
    }

    /// Joins segments, and rewrites logs of which much is deleted. With `purge`, every byte of deleted documents goes.
    ///
    /// # Errors
    ///
    /// When the disk refuses; the index is as it was then.
    pub fn compact(&self, _purge: bool) -> Result<()> {
        todo!()
    }

    /// Puts the documents of another index of the same scheme into this one.
    ///
    /// # Errors
    ///
    /// When the schemes differ, the other cannot be read, or the disk refuses.
    pub fn merge_from(&self, _other: &Index) -> Result<Merged> {
        todo!()
    }

    /// The state with everything that was acknowledged.
    ///
    /// # Errors
    ///
    /// None today.
    pub fn snapshot(&self) -> Result<Snapshot> {
        todo!()
    }

    /// Ends writing. What was acknowledged is on the disk without it; after it, opening is faster.
    ///
    /// # Errors
    ///
    /// When the disk refuses.
    pub fn close(self) -> Result<()> {
        todo!()
    }
}
