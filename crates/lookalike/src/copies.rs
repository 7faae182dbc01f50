//! Exact copies, joined first: the rest of the way sees each text once.

use rayon::prelude::*;

use crate::corpus::Corpus;
use crate::error::Result;

/// The distinct texts of a corpus.
pub(crate) struct Texts {
    /// One document a text, the best of its copies, in keep order. Empty documents are not among them.
    pub(crate) items: Vec<u32>,
    /// For each document the one that stands for its text; itself, if it does.
    pub(crate) first_copy: Vec<u32>,
}

/// What a hash takes while it is sorted: once more for where it is sorted to.
const SORTING_BYTES: usize = 2 * size_of::<(u128, u32)>();

/// Joins exact copies; `order` is the documents, best first.
pub(crate) fn join_copies(corpus: &Corpus, order: &[u32]) -> Result<Texts> {
    let mut ranks = vec![0; corpus.len()];
    (0..).zip(order).for_each(|(rank, document)| ranks[*document as usize] = rank);
    let mut first_copy: Vec<u32> = (0..corpus.len() as u32).collect();
    // What does not fit the memory is sorted in several passes, by hash.
    let passes = (corpus.len() * SORTING_BYTES).div_ceil(corpus.shares.sorting()).max(1) as u128;
    let mut by_hash: Vec<(u128, u32)> = Vec::new();
    for pass in 0..passes {
        by_hash.clear();
        corpus.each_text_hash(|document, hash| {
            let is_empty = corpus.token_counts[document as usize] == 0;
            if !is_empty && ((hash >> 64) * passes) >> 64 == pass {
                by_hash.push((hash, ranks[document as usize]));
            }
        })?;
        by_hash.par_sort_unstable();
        for copies in by_hash.chunk_by(|left, right| left.0 == right.0) {
            let best = order[copies[0].1 as usize];
            copies[1..].iter().for_each(|(_, rank)| first_copy[order[*rank as usize] as usize] = best);
        }
    }
    let stands_for_text =
        |document: &u32| first_copy[*document as usize] == *document && corpus.token_counts[*document as usize] > 0;
    let items = order.iter().copied().filter(stands_for_text).collect();
    Ok(Texts { items, first_copy })
}
