//! Estimates the number of documents removed at each threshold, from a sample.
//!
//! A document is removed if a better one in keep order matches it and is kept. The estimate does not check that the
//! other one is kept, so it is slightly too high if documents form chains. Documents are drawn at random, so the share
//! that is removed is an estimate for all.

use lookalike_core::hash::mix;
use rayon::prelude::*;

use super::read::{Corpus, SLOTS};
use crate::error::Result;
use crate::statistics::{Estimate, of_share};

/// Maximum number of documents to sample.
const DRAWN: usize = 1000;

/// Maximum number of sketches to compare, which takes a second or two.
const MOST_COMPARED: usize = 200_000_000;

/// Number of slots compared first, and the minimum that agree for texts of similarity 0.5: all but one time in a
/// thousand.
const FIRST: usize = 32;
const FIRST_AGREEING: usize = 8;

/// Number of texts with the most similar sketches to measure.
const MEASURED: usize = 8;

/// For some documents, the similarity of the most similar one that would be kept instead.
pub(super) struct Removals {
    most_similar: Vec<f64>,
    /// Number of documents from which these were drawn.
    document_count: usize,
    /// Number of documents with the same words as an earlier one.
    copy_count: usize,
    /// Number of texts: one of them is kept.
    text_count: usize,
    is_all: bool,
}

impl Removals {
    pub(super) fn estimate(corpus: &Corpus<'_>) -> Result<Self> {
        let texts = &corpus.texts;
        let mut documents: Vec<(u32, bool)> = Vec::with_capacity(corpus.part_of.len());
        for (text, copies) in (0..).zip(texts) {
            documents.extend((0..copies.len()).map(|copy| (text, copy == 0)));
        }
        let all = documents.len();
        let most = (MOST_COMPARED / texts.len().max(1)).clamp(100, DRAWN);
        if all > most {
            let mut order: Vec<usize> = (0..all).collect();
            order.sort_by_cached_key(|at| mix(*at as u64 + 1));
            documents = order[..most].iter().map(|at| documents[*at]).collect();
        }
        // Longest first, as in `dedup`; of equals the first.
        let is_before = |one: u32, other: u32| {
            let [length, other_length] = [one, other].map(|text| corpus.token_count(text));
            length > other_length || length == other_length && texts[one as usize][0] < texts[other as usize][0]
        };
        let slots = |text: u32| &corpus.slots[text as usize * SLOTS..][..SLOTS];
        let agreeing = |one: &[u16], other: &[u16]| one.iter().zip(other).filter(|(one, other)| one == other).count();
        let near = |(text, is_first): &(u32, bool)| {
            if !is_first {
                return Vec::new();
            }
            let own = slots(*text);
            let others = (0..texts.len() as u32).filter(|other| *other != *text);
            let mut near: Vec<(usize, u32)> = others
                .filter(|other| agreeing(&own[..FIRST], &slots(*other)[..FIRST]) >= FIRST_AGREEING)
                .filter(|other| is_before(*other, *text))
                .map(|other| (agreeing(own, slots(other)), other))
                .collect();
            near.sort_unstable_by_key(|(agreeing, other)| (std::cmp::Reverse(*agreeing), *other));
            near.truncate(MEASURED);
            near.iter().map(|(_, other)| (*text, *other)).collect()
        };
        let by_document: Vec<Vec<(u32, u32)>> = documents.par_iter().map(near).collect();
        let mut pairs = by_document.concat();
        pairs.sort_unstable();
        pairs.dedup();
        let similarities = corpus.measure(&pairs)?;
        let similarity = |pair: &(u32, u32)| similarities[pairs.binary_search(pair).expect("it was measured")];
        let most_similar = documents.iter().zip(&by_document).map(|((_, is_first), pairs)| match is_first {
            true => pairs.iter().map(similarity).fold(0.0, f64::max),
            false => 1.0,
        });
        let most_similar = most_similar.collect();
        let (text_count, copy_count) = (texts.len(), all - texts.len());
        Ok(Self { most_similar, document_count: all, copy_count, text_count, is_all: documents.len() == all })
    }

    /// Number of documents removed at a threshold.
    pub(super) fn at(&self, threshold: f64) -> Estimate {
        let hits = self.most_similar.iter().filter(|similarity| **similarity >= threshold).count();
        if self.is_all {
            return Estimate::exactly(hits as f64);
        }
        let share = of_share(hits, self.most_similar.len());
        let [value, low, high] = [share.value, share.low, share.high].map(|share| share * self.document_count as f64);
        // Copies are removed at any threshold, and the best text is kept.
        let most = self.document_count - self.text_count.min(1);
        Estimate { value, low, high }.within(self.copy_count as f64, most as f64)
    }
}
