//! One state of an index, which never changes.

use crate::error::Result;
use crate::types::{Answer, Document, Query, SearchOptions, Stat};

/// One state of an index: what is written later is not seen. Shared among threads.
#[derive(Clone, Debug)]
pub struct Snapshot {}

impl Snapshot {
    /// The documents that are alike enough, each measured exactly.
    ///
    /// # Errors
    ///
    /// When the threshold is below that of the index, no document has the id, or a file cannot be read or is damaged.
    pub fn search(&self, _query: Query<'_>, _options: &SearchOptions) -> Result<Answer> {
        todo!()
    }

    /// The same for many texts, on all threads; the answers are in the order of the texts.
    ///
    /// # Errors
    ///
    /// As [`search`](Self::search).
    pub fn search_many(&self, _texts: &[&str], _options: &SearchOptions) -> Result<Vec<Answer>> {
        todo!()
    }

    /// The document with this id.
    ///
    /// # Errors
    ///
    /// When a file cannot be read or is damaged.
    pub fn document(&self, _id: &str) -> Result<Option<Document>> {
        todo!()
    }

    /// All documents in the order in which they were added.
    pub fn documents(&self) -> impl Iterator<Item = Result<Document>> {
        std::iter::empty()
    }

    /// What the index has, in numbers.
    pub fn stat(&self) -> Stat {
        todo!()
    }

    /// How many documents there are.
    pub fn len(&self) -> u64 {
        todo!()
    }

    /// Whether there is no document.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
