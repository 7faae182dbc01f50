//! Options of adding documents to a saved index, and of searching it.

use lookalike_index::{Query, SearchOptions};

use super::{ReadOptions, Resources};

/// Options of [`add`](crate::index::add).
#[derive(Clone, Debug)]
pub struct AddOptions {
    /// Input. [`Fields::others`](lookalike_io::read::Fields::others) are stored with the documents.
    pub(crate) read: ReadOptions,
    /// Leave out documents with a near-duplicate in the index, or among the preceding documents.
    pub(crate) unless_duplicate: bool,
    /// Limits.
    pub(crate) resources: Resources,
}

impl AddOptions {
    /// Limits.
    pub fn resources(&self) -> &Resources {
        &self.resources
    }

    /// Input.
    pub fn read(&self) -> &ReadOptions {
        &self.read
    }
}

/// A checked search.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Search {
    /// Content to search for.
    pub query: SearchQuery,
    /// Limits.
    pub options: SearchOptions,
}

/// Content to search for.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum SearchQuery {
    /// A text.
    Text(String),
    /// A text that may be stored under this id.
    Document {
        /// The id.
        id: String,
        /// The text.
        text: String,
    },
    /// The stored document with this id.
    Like(String),
    /// Each document of files.
    Input(Box<ReadOptions>),
}

impl SearchQuery {
    /// The query as an index takes it. `None` if there are several, which have to be read first.
    pub fn single(&self) -> Option<Query<'_>> {
        match self {
            Self::Text(text) => Some(Query::Text(text)),
            Self::Document { id, text } => Some(Query::Document { id, text }),
            Self::Like(id) => Some(Query::Id(id)),
            Self::Input(_) => None,
        }
    }
}
