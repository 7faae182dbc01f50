//! `MinHash` with bands and rows: the default.

use super::{Method, Sketched, Sketcher, Take};
use crate::bucket::banding::{Banding, Cutter};
use crate::bucket::chance::binomial;
use crate::bucket::{Entry, lists_of_columns};
use crate::join::Sets;
use crate::measure::distinct::Distinct;
use crate::measure::similarity::{Similarity, Threshold};
use crate::sketch::{Layout, Sketches, SlotKind, SlotSketcher};
use crate::sources::SourceError;

/// Maximum probability that the test on sketches rejects a pair exactly at the threshold: one in a billion.
const DOUBT: f64 = 1e-9;

/// Finds items whose sketches agree in a band.
#[derive(Clone, Copy, Debug)]
pub struct MinHash {
    banding: Banding,
    slots: SlotKind,
    /// Minimum number of agreeing slots of a match.
    least_agreeing: usize,
}

impl MinHash {
    /// Creates the method with sketches of this kind and banding, for pairs at this threshold or above.
    pub fn new(banding: Banding, slots: SlotKind, threshold: Threshold) -> Self {
        let least_agreeing = least_agreeing(banding.slot_count(), threshold.value());
        Self { banding, slots, least_agreeing }
    }
}

impl Method for MinHash {
    fn layout(&self) -> Layout {
        Layout { keys: self.banding.bands(), bytes: self.banding.slot_count() }
    }

    fn sketcher(&self) -> Box<dyn Sketcher> {
        let slots = self.slots.sketcher(self.banding.slot_count());
        Box::new(BandSketcher { slots, cutter: self.banding.cutter(), keys: Vec::new(), has_bytes: true })
    }

    fn candidates(&self, sketched: Sketched<'_>, take: Take<'_>) -> Result<Option<Sets>, SourceError> {
        equal_bands(self.banding, sketched, take)?;
        Ok(None)
    }

    fn allows(&self, left: &[u8], right: &[u8]) -> bool {
        // One in 256 of the differing slots agrees in its low byte by chance.
        let agreeing: usize = left.iter().zip(right).map(|(left, right)| usize::from(left == right)).sum();
        agreeing >= self.least_agreeing
    }

    fn recall_at(&self, similarity: Similarity) -> Option<f64> {
        Some(self.banding.recall_at(similarity))
    }
}

/// Finds items that agree in as many bands as required.
pub(super) fn equal_bands(banding: Banding, sketched: Sketched<'_>, take: Take<'_>) -> Result<(), SourceError> {
    let choices = choices(banding.bands(), banding.agreeing());
    let entries = |choice: usize, push: &mut dyn FnMut(Entry)| {
        sketched.each_keys(&choices[choice], |rank, keys| {
            let key = match keys {
                [key] => *key,
                keys => keys.iter().fold(0, |all, key| crate::hash::mix(all ^ key)),
            };
            push(Entry { key, rank: rank.0 });
        })
    };
    lists_of_columns(choices.len(), sketched.items.len(), sketched.memory, entries, take)
}

/// Every choice of `count` of `bands` bands.
fn choices(bands: usize, count: usize) -> Vec<Vec<usize>> {
    let mut choices: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..count {
        let longer = |choice: &Vec<usize>| {
            let first = choice.last().map_or(0, |last| last + 1);
            let choice = choice.clone();
            (first..bands).map(move |band| choice.iter().copied().chain([band]).collect())
        };
        choices = choices.iter().flat_map(longer).collect();
    }
    choices
}

/// Computes keys of bands, and bytes of slots.
pub(super) struct BandSketcher {
    pub(super) slots: Box<dyn SlotSketcher>,
    pub(super) cutter: Cutter,
    pub(super) keys: Vec<u64>,
    /// True if the low byte of each slot is stored. The slots themselves are not needed, and would take eight times the
    /// space.
    pub(super) has_bytes: bool,
}

impl Sketcher for BandSketcher {
    fn sketch(&mut self, features: &[u64], distinct: &Distinct, sketches: &mut Sketches) {
        // Repeated features affect only the time; if there are many, removing them first is much faster.
        let is_repetitive = (distinct.size() as usize) < features.len() / 2;
        let distinct: Vec<u64> = if is_repetitive { distinct.iter(features).collect() } else { Vec::new() };
        let Some(slots) = self.slots.sketch(if is_repetitive { &distinct } else { features }) else {
            return sketches.push_none();
        };
        self.keys.clear();
        self.cutter.keys(slots, |key| self.keys.push(key));
        let bytes = slots.iter().map(|slot| *slot as u8);
        sketches.push(self.keys.iter().copied(), bytes.take(if self.has_bytes { slots.len() } else { 0 }));
    }
}

/// The minimum number of agreeing slots for a pair not to be rejected: the probability that a pair at the threshold or
/// above has fewer is at most [`DOUBT`].
///
/// The number of agreeing slots of two sets with similarity J is concentrated at least as well as a binomial variable
/// of k draws with probability J (Dahlgaard, Knudsen, Thorup 2017, theorem 2 and its Chernoff bounds; for permutations
/// it is one), and low bytes that agree by chance only add to it.
fn least_agreeing(slots: usize, threshold: f64) -> usize {
    let mut below = 0.0;
    for agreeing in 0..=slots {
        below += binomial(slots, agreeing, threshold);
        if below > DOUBT {
            return agreeing;
        }
    }
    slots
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_at_the_threshold_is_as_good_as_never_rejected() {
        let least = least_agreeing(96, 0.8);
        let rejected: f64 = (0..least).map(|agreeing| binomial(96, agreeing, 0.8)).sum();
        assert!(rejected <= DOUBT && rejected + binomial(96, least, 0.8) > DOUBT);
        // The test is still useful: a pair with similarity 0.5 agrees in 48 slots, plus or minus 5.
        assert!((50..56).contains(&least), "{least}");
    }

    #[test]
    fn equal_sets_agree_in_all_slots() {
        assert_eq!(least_agreeing(96, 1.0), 96);
    }

    #[test]
    fn two_of_six_bands_are_chosen_in_fifteen_ways() {
        assert_eq!(choices(6, 2).len(), 15);
        assert_eq!(choices(3, 1), [[0], [1], [2]]);
        assert_eq!(choices(3, 2), [[0, 1], [0, 2], [1, 2]]);
    }
}
