//! Exact copies, joined first: the rest of the way sees each text once.

use rayon::prelude::*;

use crate::corpus::Corpus;

/// The distinct texts of a corpus.
pub(crate) struct Texts {
    /// One document a text, the best of its copies, in keep order. Empty documents are not among them.
    pub(crate) items: Vec<u32>,
    /// For each document the one that stands for its text; itself, if it does.
    pub(crate) first_copy: Vec<u32>,
}

/// Joins exact copies; `order` is the documents, best first.
pub(crate) fn join_copies(corpus: &Corpus, order: &[u32]) -> Texts {
    let mut by_hash: Vec<(u128, u32)> = (0..)
        .zip(order)
        .filter(|(_, document)| corpus.token_counts[**document as usize] > 0)
        .map(|(rank, document)| (corpus.text_hashes[*document as usize], rank))
        .collect();
    by_hash.par_sort_unstable();
    let mut first_copy: Vec<u32> = (0..corpus.len() as u32).collect();
    let mut ranks: Vec<u32> = Vec::new();
    for copies in by_hash.chunk_by(|left, right| left.0 == right.0) {
        let best = copies[0].1;
        ranks.push(best);
        for (_, rank) in &copies[1..] {
            first_copy[order[*rank as usize] as usize] = order[best as usize];
        }
    }
    ranks.par_sort_unstable();
    Texts { items: ranks.into_iter().map(|rank| order[rank as usize]).collect(), first_copy }
}
