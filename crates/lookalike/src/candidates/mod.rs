//! Finds candidates: joins copies, collects and sorts what the method finds, and verifies it in batches.

pub(crate) mod additions;
pub(crate) mod against;
pub(crate) mod copies;
pub(crate) mod known;
pub(crate) mod lists;
pub(crate) mod matches;
pub(crate) mod sorted;
pub(crate) mod verified;

use lookalike_core::ids::{Number, Rank};
use lookalike_core::method::NO_RANK;

use crate::candidates::copies::Texts;

/// The rank of each document that represents a text.
pub(crate) fn ranks(texts: &Texts, document_count: usize) -> Vec<Rank> {
    let mut ranks = vec![NO_RANK; document_count];
    (0..).zip(&texts.items).for_each(|(rank, document)| ranks[document.index()] = Rank(rank));
    ranks
}
