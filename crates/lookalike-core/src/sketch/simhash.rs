//! `SimHash`: each feature votes for its one bits and against its zero bits, and the majority determines each bit of
//! the sketch. Items that share most features, by weight, differ in few bits. (Charikar 2002)
//!
//! The 64 counters are stored as bit planes: plane i holds bit i of every counter. Two words and a plane are added by a
//! full adder, five instructions for 64 counters, and every second word carries to the next plane.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Number of bits of a counter: enough for 2^32 features of the largest weight.
const PLANES: usize = 40;

/// Sixty-four counters at once: the total weight of the words with a one in each position.
#[derive(Clone, Debug)]
pub struct Counters {
    planes: [u64; PLANES],
    /// A word on each plane that waits for a second one.
    waiting: [u64; PLANES],
    /// The planes with a waiting word.
    has_waiting: u64,
    /// The weight of all words.
    total: u64,
}

impl Default for Counters {
    fn default() -> Self {
        Self { planes: [0; PLANES], waiting: [0; PLANES], has_waiting: 0, total: 0 }
    }
}

/// Adds three bits in each position: the sum, and the carry.
#[inline]
fn full_add(a: u64, b: u64, c: u64) -> (u64, u64) {
    let half = a ^ b;
    (half ^ c, a & b | half & c)
}

impl Counters {
    /// Adds words of weight one.
    pub fn add_all(&mut self, words: impl IntoIterator<Item = u64>) {
        let mut words = words.into_iter();
        let mut eight = [0; 8];
        loop {
            let mut count = 0;
            // Eight at a time: seven adders in a tree, independent of the waiting words.
            for (place, word) in eight.iter_mut().zip(&mut words) {
                *place = word;
                count += 1;
            }
            if count < eight.len() {
                eight[..count].iter().for_each(|word| self.add(*word, 1));
                return;
            }
            let (sum, a) = full_add(self.planes[0], eight[0], eight[1]);
            let (sum, b) = full_add(sum, eight[2], eight[3]);
            let (sum, c) = full_add(sum, eight[4], eight[5]);
            let (sum, d) = full_add(sum, eight[6], eight[7]);
            self.planes[0] = sum;
            let (sum, a) = full_add(self.planes[1], a, b);
            let (sum, b) = full_add(sum, c, d);
            self.planes[1] = sum;
            let (sum, carry) = full_add(self.planes[2], a, b);
            self.planes[2] = sum;
            self.carry(carry, 3);
            self.total += 8;
        }
    }

    /// Adds a word with a weight.
    pub fn add(&mut self, word: u64, weight: u32) {
        let mut planes = weight;
        while planes != 0 {
            self.carry(word, planes.trailing_zeros() as usize);
            planes &= planes - 1;
        }
        self.total += u64::from(weight);
    }

    #[inline]
    fn carry(&mut self, mut word: u64, mut plane: usize) {
        while self.has_waiting >> plane & 1 == 1 {
            self.has_waiting ^= 1 << plane;
            (self.planes[plane], word) = full_add(self.planes[plane], self.waiting[plane], word);
            plane += 1;
        }
        self.waiting[plane] = word;
        self.has_waiting |= 1 << plane;
    }

    /// The positions in which more than half of the weight has a one. Resets the counters.
    pub fn majority(&mut self) -> u64 {
        for plane in 0..PLANES - 1 {
            if self.has_waiting >> plane & 1 == 1 {
                self.carry(0, plane);
            }
        }
        // From the highest plane down: greater than half as soon as it has a bit that half lacks.
        let half = self.total / 2;
        let (mut greater, mut equal) = (0, u64::MAX);
        for plane in (0..PLANES).rev() {
            let of_half = if half >> plane & 1 == 1 { u64::MAX } else { 0 };
            greater |= equal & self.planes[plane] & !of_half;
            equal &= !(self.planes[plane] ^ of_half);
        }
        *self = Self::default();
        greater
    }
}

/// The approximate number of documents that have each feature: two features share a counter once in four million pairs.
#[derive(Debug)]
pub struct Frequencies {
    documents: AtomicU32,
    counts: Vec<AtomicU32>,
}

/// Sixteen megabytes.
const COUNTERS: usize = 1 << 22;

/// Weight steps per doubling of rarity.
const STEPS: f64 = 4.0;

impl Default for Frequencies {
    fn default() -> Self {
        Self { documents: AtomicU32::new(0), counts: (0..COUNTERS).map(|_| AtomicU32::new(0)).collect() }
    }
}

impl Frequencies {
    /// Counts the distinct features of one document. Sums do not depend on the order, so weights do not either.
    pub fn count(&self, features: impl IntoIterator<Item = u64>) {
        self.documents.fetch_add(1, Relaxed);
        for feature in features {
            self.counter(feature).fetch_add(1, Relaxed);
        }
    }

    /// The weights of all features, once everything is counted.
    pub fn weights(&self) -> FeatureWeights {
        let documents = f64::from(self.documents.load(Relaxed).max(1));
        let weight = |count: &AtomicU32| {
            let frequency = f64::from(count.load(Relaxed).max(1));
            // At most 4 · 32, for one of 2^32 documents.
            ((STEPS * (documents / frequency).log2()).round() as u8).max(1)
        };
        FeatureWeights(self.counts.iter().map(weight).collect())
    }

    fn counter(&self, feature: u64) -> &AtomicU32 {
        &self.counts[counter_of(feature)]
    }
}

/// The counter of a feature: by its high bits, which are uniformly distributed.
fn counter_of(feature: u64) -> usize {
    (feature >> 42) as usize
}

/// The weights of features.
#[derive(Debug)]
pub struct FeatureWeights(Vec<u8>);

impl FeatureWeights {
    /// The weight of a feature: rarer features weigh more, and the weight is never zero.
    #[inline]
    pub fn of(&self, feature: u64) -> u32 {
        u32::from(self.0[counter_of(feature)])
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::hash::mix;

    /// Counted plainly.
    fn plain(words: &[(u64, u32)]) -> u64 {
        let total: u64 = words.iter().map(|(_, weight)| u64::from(*weight)).sum();
        let ones = |bit: usize| words.iter().map(|(word, weight)| (word >> bit & 1) * u64::from(*weight)).sum::<u64>();
        (0..64).filter(|bit| 2 * ones(*bit) > total).map(|bit| 1 << bit).sum()
    }

    proptest! {
        #[test]
        fn the_majority_is_what_counting_gives(
            words in proptest::collection::vec((any::<u64>(), prop_oneof![Just(1), 1_u32..200, any::<u32>()]), 0..300)
        ) {
            let mut counters = Counters::default();
            words.iter().for_each(|(word, weight)| counters.add(*word, *weight));
            prop_assert_eq!(counters.majority(), plain(&words));
            // It has started again from zero.
            let ones: Vec<(u64, u32)> = words.iter().map(|(word, _)| (*word, 1)).collect();
            counters.add_all(ones.iter().map(|(word, _)| *word));
            prop_assert_eq!(counters.majority(), plain(&ones));
        }
    }

    #[test]
    fn a_tie_is_no_majority() {
        let mut counters = Counters::default();
        counters.add_all([0b01, 0b10]);
        assert_eq!(counters.majority(), 0);
        counters.add_all([0b01, 0b11, 0b10]);
        assert_eq!(counters.majority(), 0b11);
    }

    #[test]
    fn what_is_everywhere_weighs_least() {
        let frequencies = Frequencies::default();
        for document in 0..1000 {
            frequencies.count([mix(1), mix(1000 + document / 10), mix(10_000 + document)]);
        }
        let weights = frequencies.weights();
        let weights = [mix(1), mix(1000), mix(10_000)].map(|feature| weights.of(feature));
        // 4·log2 of 1, of 100 and of 1000.
        assert_eq!(weights, [1, 27, 40]);
    }
}
