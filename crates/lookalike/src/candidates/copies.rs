//! Joins documents with the same words, so that all later stages see each text once.
//!
//! Not all of them are exact copies, since punctuation and symbols are not words. Exact copies are joined once more
//! among themselves. Equal hashes of words do not prove that two texts have the same words, since authors of texts may
//! know the hash of sketches: only hashes with the run's own key decide. Contents have one from the start; texts that
//! differ in content and seem to have the same words are read again.

use lookalike_core::ids::{Document, Number};
use lookalike_core::measure::criterion::Criterion;
use rayon::prelude::*;

use crate::error::Result;
use crate::items::TextHashes;
use crate::resources::memory::Shares;

/// The distinct texts of a corpus.
pub(crate) struct Texts {
    /// One document per text, the best of those with the same words, in keep order. Documents without anything to
    /// compare are not included: empty ones, and those that are only boilerplate.
    pub(crate) items: Vec<Document>,
    /// For each document, the one that represents its text, which may be itself.
    pub(crate) first_copy: Vec<Document>,
    /// For each document, the best one of which it is an exact copy; itself if it is the best.
    pub(crate) first_exact: Vec<Document>,
}

impl Texts {
    /// The documents of each text, in the order of [`Texts::items`], and ascending.
    pub(crate) fn copies(&self) -> Vec<Vec<Document>> {
        let mut ranks = vec![None; self.first_copy.len()];
        (0..self.items.len()).for_each(|rank| ranks[self.items[rank].index()] = Some(rank));
        let mut copies = vec![Vec::new(); self.items.len()];
        for (document, first) in (0..).zip(&self.first_copy) {
            if let Some(rank) = ranks[first.index()] {
                copies[rank].push(Document(document));
            }
        }
        copies
    }
}

/// Memory of a hash while it is sorted, including its target.
const SORTING_BYTES: usize = 2 * size_of::<Hashed>();

/// A document's hash of words, its rank, and its hash of content.
type Hashed = (u128, u32, u128);

/// The lengths by which documents are compared in keep order: if one must be contained in the other, the number of
/// features.
pub(crate) fn lengths<'a>(criterion: Criterion, token_counts: &'a [u32], sizes: &'a [u32]) -> &'a [u32] {
    if matches!(criterion, Criterion::Containment(_)) { sizes } else { token_counts }
}

/// Joins documents with the same words; `order` is all documents, best first.
pub(crate) fn join_copies(documents: &dyn TextHashes, order: &[Document], shares: Shares) -> Result<Texts> {
    let token_counts = documents.token_counts();
    let mut ranks = vec![0; token_counts.len()];
    (0..).zip(order).for_each(|(rank, document)| ranks[document.index()] = rank);
    let mut first_copy: Vec<Document> = (0..token_counts.len() as u32).map(Document).collect();
    let mut first_exact = first_copy.clone();
    // Hashes that do not fit in memory are sorted in several passes.
    let passes = (token_counts.len() * SORTING_BYTES).div_ceil(shares.sorting()).max(1) as u128;
    let mut by_hash: Vec<Hashed> = Vec::new();
    for pass in 0..passes {
        by_hash.clear();
        documents.each_hashes(&mut |document, hash, content| {
            let is_empty = token_counts[document.index()] == 0;
            if !is_empty && ((hash >> 64) * passes) >> 64 == pass {
                by_hash.push((hash, ranks[document.index()], content));
            }
        })?;
        by_hash.par_sort_unstable();
        if !documents.joins_exact_copies() {
            tell_apart(&mut by_hash, order, documents)?;
        }
        for copies in by_hash.chunk_by_mut(|left, right| left.0 == right.0).filter(|copies| copies.len() > 1) {
            let document = |rank: u32| order[rank as usize];
            let best = document(copies[0].1);
            copies[1..].iter().for_each(|(_, rank, _)| first_copy[document(*rank).index()] = best);
            copies.sort_unstable_by_key(|(_, rank, content)| (*content, *rank));
            for copies in copies.chunk_by(|left, right| left.2 == right.2) {
                let best = document(copies[0].1);
                copies[1..].iter().for_each(|(_, rank, _)| first_exact[document(*rank).index()] = best);
            }
        }
    }
    let stands_for_text =
        |document: &Document| first_copy[document.index()] == *document && documents.is_compared(*document);
    let items = order.iter().copied().filter(stands_for_text).collect();
    Ok(Texts { items, first_copy, first_exact })
}

/// Rehashes texts that differ in content and have equal hashes of words with the run's key, and sorts them again.
fn tell_apart(by_hash: &mut [Hashed], order: &[Document], documents: &dyn TextHashes) -> Result<()> {
    let mut doubtful = Vec::new();
    let mut start = 0;
    for same_hash in by_hash.chunk_by_mut(|left, right| left.0 == right.0) {
        let end = start + same_hash.len();
        if same_hash.iter().any(|(.., content)| *content != same_hash[0].2) {
            same_hash.sort_unstable_by_key(|(_, rank, content)| (*content, *rank));
            let mut first = start;
            for same_content in same_hash.chunk_by(|left, right| left.2 == right.2) {
                doubtful.push((first..first + same_content.len(), order[same_content[0].1 as usize]));
                first += same_content.len();
            }
        }
        start = end;
    }
    if doubtful.is_empty() {
        return Ok(());
    }
    let hashes =
        doubtful.par_iter().map(|(_, document)| documents.words_hash(*document)).collect::<Result<Vec<u128>>>()?;
    for ((places, _), hash) in doubtful.into_iter().zip(hashes) {
        by_hash[places].iter_mut().for_each(|hashed| hashed.0 = hash);
    }
    by_hash.par_sort_unstable();
    Ok(())
}
