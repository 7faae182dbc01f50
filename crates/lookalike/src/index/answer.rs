//! What an index in memory and a saved one have in common: they answer the same question in the same way.

use lookalike_index::{Query, SearchOptions, Snapshot};

use crate::error::Result;
use crate::texts::{self, Hit};

/// Something that can be searched for near-duplicates of a text.
///
/// ```
/// use lookalike::index::{CreateOptions, Index, NewDocument, Searchable};
/// use lookalike::{Result, Scheme, texts};
///
/// fn is_known(archive: &mut dyn Searchable, text: &str) -> Result<bool> {
///     Ok(!archive.near_duplicates(text)?.is_empty())
/// }
///
/// let mut in_memory = texts::Index::new(Scheme::jaccard(0.8)?)?;
/// in_memory.insert("a", "the storm hit the coast on Monday night");
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
    /// All near-duplicates of a text, the most similar first; those of one similarity in the order in which they were added.
    ///
    /// # Errors
    ///
    /// When what is stored cannot be read.
    fn near_duplicates(&mut self, text: &str) -> Result<Vec<Hit>>;
}

impl Searchable for texts::Index {
    fn near_duplicates(&mut self, text: &str) -> Result<Vec<Hit>> {
        Ok(self.search(text))
    }
}

impl Searchable for Snapshot {
    fn near_duplicates(&mut self, text: &str) -> Result<Vec<Hit>> {
        let all = SearchOptions { limit: usize::MAX, ..SearchOptions::default() };
        let answer = self.search(Query::Text(text), &all)?;
        let hit = |hit: lookalike_index::Hit| Hit { id: hit.id, similarity: hit.similarity, likeness: hit.likeness };
        Ok(answer.hits.into_iter().map(hit).collect())
    }
}
