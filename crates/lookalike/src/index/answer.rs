//! The common interface of indexes in memory and saved ones: both give the same answers.

use std::num::NonZeroUsize;

use lookalike_index::{Hit, Query, SearchOptions, Snapshot};

use crate::error::Result;
use crate::texts::MemoryIndex;

/// An index that can be searched for near-duplicates of a text.
///
/// ```
/// use lookalike::index::{CreateOptions, Index, NewDocument, Searchable};
/// use lookalike::texts::MemoryIndex;
/// use lookalike::{Result, Scheme};
///
/// fn is_known(archive: &mut dyn Searchable, text: &str) -> Result<bool> {
///     Ok(!archive.near_duplicates(text)?.is_empty())
/// }
///
/// let mut in_memory = MemoryIndex::new(Scheme::jaccard(0.8)?)?;
/// in_memory.put("a", "the storm hit the coast on Monday night");
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("archive");
/// let saved = Index::create(&path, &CreateOptions::default())?;
/// saved.writer()?.put(NewDocument::new("a", "the storm hit the coast on Monday night"))?;
///
/// let text = "The storm hit the coast on Monday night!";
/// assert!(is_known(&mut in_memory, text)? && is_known(&mut saved.snapshot()?, text)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Searchable {
    /// Finds all near-duplicates of a text, most similar first; those of equal similarity in order of insertion.
    ///
    /// # Errors
    ///
    /// If stored data cannot be read.
    fn near_duplicates(&mut self, text: &str) -> Result<Vec<Hit>>;
}

impl Searchable for MemoryIndex {
    fn near_duplicates(&mut self, text: &str) -> Result<Vec<Hit>> {
        Ok(self.search(text))
    }
}

impl Searchable for Snapshot {
    fn near_duplicates(&mut self, text: &str) -> Result<Vec<Hit>> {
        let all = SearchOptions::default().with_top(NonZeroUsize::MAX);
        Ok(self.search(Query::Text(text), &all)?.hits)
    }
}
