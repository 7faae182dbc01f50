//! Fast similarity sketching: one hash of a feature serves all slots.
//!
//! In each round a feature falls into one slot, with a value; a slot keeps the smallest value of the first round that
//! reached it. Rounds continue until no slot is empty: one or two for a page, more for a line of text. The cost is thus
//! n + k log k instead of n · k, and short texts lose no accuracy, since every slot is always filled by a fair draw.
//! (Dahlgaard, Knudsen, Thorup: Fast similarity sketching, FOCS 2017)
//!
//! Note that whether all slots are full may be checked only *between* rounds. Otherwise, the sketch would depend on the
//! order of the features.

use super::SlotSketcher;
use crate::hash::{ROUND_STEP, mix};

/// Sorts after every value of every round.
const EMPTY: u64 = u64::MAX;

/// Computes sketches with a fixed number of slots; use one per thread, since it reuses its buffer.
#[derive(Debug)]
pub struct FastSketcher {
    slots: Vec<u64>,
}

impl FastSketcher {
    /// Creates a sketcher of `slot_count` slots.
    pub fn new(slot_count: usize) -> Self {
        Self { slots: vec![EMPTY; slot_count] }
    }

    #[inline]
    fn round(&mut self, round: u64, hashes: impl Iterator<Item = u64>) {
        let slots = self.slots.as_mut_slice();
        for hash in hashes {
            // The high half selects the slot (without a division: Lemire 2019), the low half is the value.
            let slot = ((hash >> 32) * slots.len() as u64) >> 32;
            let least = &mut slots[slot as usize];
            *least = (*least).min(value_of(hash, round));
        }
    }
}

impl SlotSketcher for FastSketcher {
    fn sketch(&mut self, features: &[u64]) -> Option<&[u64]> {
        if features.is_empty() {
            return None;
        }
        self.slots.fill(EMPTY);
        let slot_count = self.slots.len() as u64;
        // Features are uniformly distributed, so the first round needs no further hash.
        self.round(0, features.iter().copied());
        for round in 1..slot_count {
            if !self.slots.contains(&EMPTY) {
                return Some(&self.slots);
            }
            self.round(round, features.iter().map(|feature| hash_of_round(*feature, round)));
        }
        // A slot that no round reached gets its own round, into which every feature falls.
        for (slot, least) in self.slots.iter_mut().enumerate().filter(|(_, least)| **least == EMPTY) {
            let round = slot_count + slot as u64;
            let values = features.iter().map(|feature| value_of(hash_of_round(*feature, round), round));
            *least = values.min().unwrap_or(EMPTY);
        }
        Some(&self.slots)
    }
}

#[inline]
fn hash_of_round(feature: u64, round: u64) -> u64 {
    mix(feature.wrapping_add(round.wrapping_mul(ROUND_STEP)))
}

#[inline]
fn value_of(hash: u64, round: u64) -> u64 {
    round << 32 | hash & u64::from(u32::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn order_and_repetition_make_no_difference(mut features in proptest::collection::vec(any::<u64>(), 1..300), slots in 1_usize..200) {
            let before = FastSketcher::new(slots).sketch(&features).unwrap().to_vec();
            features.reverse();
            features.extend_from_within(..features.len() / 2);
            prop_assert_eq!(FastSketcher::new(slots).sketch(&features).unwrap().to_vec(), before);
        }

        #[test]
        fn every_slot_is_filled(features in proptest::collection::vec(any::<u64>(), 1..5), slots in 1_usize..400) {
            prop_assert!(!FastSketcher::new(slots).sketch(&features).unwrap().contains(&EMPTY));
        }
    }

    #[test]
    fn nothing_has_no_sketch() {
        assert_eq!(FastSketcher::new(8).sketch(&[]), None);
    }
}
