//! Documents with the same words, joined first: the rest of the way sees each text once.
//!
//! What a reader would get wrong: not all of them are exact copies, since words are without punctuation and symbols. Those
//! that are, are joined once more among themselves.

use rayon::prelude::*;

use crate::corpus::Corpus;
use crate::error::Result;

/// The distinct texts of a corpus.
pub(crate) struct Texts {
    /// One document per text, the best of those with the same words, in keep order. Empty documents are not among them.
    pub(crate) items: Vec<u32>,
    /// For each document the one that stands for its text; itself, if it does.
    pub(crate) first_copy: Vec<u32>,
    /// For each document the best one that it is an exact copy of; itself, if it is the best.
    pub(crate) first_exact: Vec<u32>,
}

/// What a hash takes while it is sorted: once more for where it is sorted to.
const SORTING_BYTES: usize = 2 * size_of::<Hashed>();

/// A document with what is known of its text: the hash of its words, its rank, and the hash of its content.
type Hashed = (u128, u32, u64);

/// Joins documents with the same words; `order` is all documents, best first.
pub(crate) fn join_copies(corpus: &Corpus, order: &[u32]) -> Result<Texts> {
    let mut ranks = vec![0; corpus.len()];
    (0..).zip(order).for_each(|(rank, document)| ranks[*document as usize] = rank);
    let mut first_copy: Vec<u32> = (0..corpus.len() as u32).collect();
    let mut first_exact = first_copy.clone();
    // What does not fit the memory is sorted in several passes, by hash.
    let passes = (corpus.len() * SORTING_BYTES).div_ceil(corpus.shares.sorting()).max(1) as u128;
    let mut by_hash: Vec<Hashed> = Vec::new();
    for pass in 0..passes {
        by_hash.clear();
        corpus.each_text_hash(|document, hash, content| {
            let is_empty = corpus.token_counts[document as usize] == 0;
            if !is_empty && ((hash >> 64) * passes) >> 64 == pass {
                by_hash.push((hash, ranks[document as usize], content));
            }
        })?;
        by_hash.par_sort_unstable();
        for copies in by_hash.chunk_by_mut(|left, right| left.0 == right.0).filter(|copies| copies.len() > 1) {
            let document = |rank: u32| order[rank as usize];
            let best = document(copies[0].1);
            copies[1..].iter().for_each(|(_, rank, _)| first_copy[document(*rank) as usize] = best);
            copies.sort_unstable_by_key(|(_, rank, content)| (*content, *rank));
            for copies in copies.chunk_by(|left, right| left.2 == right.2) {
                let best = document(copies[0].1);
                copies[1..].iter().for_each(|(_, rank, _)| first_exact[document(*rank) as usize] = best);
            }
        }
    }
    let stands_for_text =
        |document: &u32| first_copy[*document as usize] == *document && corpus.token_counts[*document as usize] > 0;
    let items = order.iter().copied().filter(stands_for_text).collect();
    Ok(Texts { items, first_copy, first_exact })
}
