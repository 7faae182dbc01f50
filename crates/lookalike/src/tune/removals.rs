//! How many documents would go at which threshold, by looking at some of them.
//!
//! A document goes if one that comes before it in keep order is like it and stays. That the other stays is not asked: so this is a
//! little more than what will go, where documents are linked in chains. Documents are drawn at random, so that the
//! share of them that go is a share of all.

use lookalike_core::hash::mix;
use rayon::prelude::*;

use super::read::{Corpus, SLOTS};
use crate::error::Result;
use crate::statistics::{Estimate, of_share};

/// How many documents are looked at, at most.
const DRAWN: usize = 1000;

/// How many sketches are compared, at most, so that it takes a second or two.
const MOST_COMPARED: usize = 200_000_000;

/// Slots that are compared first, and how many of them agree at least where texts are half alike: all but one time in a thousand.
const FIRST: usize = 32;
const FIRST_AGREEING: usize = 8;

/// How many of the texts whose sketches agree most are measured.
const MEASURED: usize = 8;

/// For some documents, how similar the most similar one is that would stay instead.
pub(super) struct Removals {
    most_similar: Vec<f64>,
    /// How many documents these were drawn from.
    document_count: usize,
    /// Documents that have the words of one before them.
    copy_count: usize,
    /// Texts that are there at all: one of them stays.
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
        // Longest first, as `dedup` keeps them; of equals the first.
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

    /// Documents that would go at a threshold.
    pub(super) fn at(&self, threshold: f64) -> Estimate {
        let hits = self.most_similar.iter().filter(|similarity| **similarity >= threshold).count();
        if self.is_all {
            return Estimate::exactly(hits as f64);
        }
        let share = of_share(hits, self.most_similar.len());
        let [value, low, high] = [share.value, share.low, share.high].map(|share| share * self.document_count as f64);
        // Copies go at any threshold, and the best text stays.
        let most = self.document_count - self.text_count.min(1);
        Estimate { value, low, high }.within(self.copy_count as f64, most as f64)
    }
}
