//! Divides hits into those that count as contamination and those that are common text.

use std::collections::{BTreeMap, BTreeSet};

use lookalike_core::contamination::{CommonHit, HitFacts, common_hits};

use super::Tests;
use super::search::Searched;
use crate::options::DecontaminateOptions;

/// The decisions about all hits.
#[derive(Debug)]
pub(super) struct Decided {
    /// For each hit, the reason why it is common, if it is.
    pub(super) common: Vec<Option<CommonHit>>,
    /// The hits of each item.
    pub(super) by_item: BTreeMap<u32, Vec<usize>>,
    /// The documents that contain an item, by their numbers among those found.
    pub(super) contaminated: BTreeSet<u32>,
}

/// Decides about the hits of each item together.
pub(super) fn decide(tests: &Tests, searched: &Searched, options: &DecontaminateOptions) -> Decided {
    let mut by_item: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (number, hit) in searched.hits.iter().enumerate() {
        debug_assert!((hit.found.item as usize) < tests.items.len());
        by_item.entry(hit.found.item).or_default().push(number);
    }
    let mut common = vec![None; searched.hits.len()];
    for numbers in by_item.values() {
        let facts: Vec<HitFacts> = numbers
            .iter()
            .map(|number| {
                let hit = &searched.hits[*number];
                let document = &searched.documents[hit.document as usize];
                HitFacts::new(document.number, document.source, &hit.found)
            })
            .collect();
        let reasons = common_hits(&facts, &searched.source_counts, options.common_share);
        for (number, reason) in numbers.iter().zip(reasons) {
            common[*number] = reason;
        }
    }
    let is_accusing =
        |(hit, common): (&super::search::Hit, &Option<CommonHit>)| common.is_none().then_some(hit.document);
    let contaminated = searched.hits.iter().zip(&common).filter_map(is_accusing).collect();
    Decided { common, by_item, contaminated }
}

impl Decided {
    /// The hits of an item, and whether each is common.
    pub(super) fn hits_of(&self, item: u32) -> impl Iterator<Item = (usize, bool)> {
        self.by_item.get(&item).into_iter().flatten().map(|number| (*number, self.common[*number].is_some()))
    }
}
