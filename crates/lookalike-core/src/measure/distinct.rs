//! Finds and counts the distinct features of a text.
//!
//! Most features of most texts occur once, so a hash table of all of them would be wasted work. Each feature has a slot
//! in a bit array that fits in the L1 cache. A slot that is hit once holds a distinct feature; the few features that
//! share a slot are compared.

use super::feature_set::{FeatureSet, multiplier};

/// Minimum number of slots per feature: one feature in sixteen collides by chance.
const PLACES: usize = 16;

/// Counts distinct features. Use one per thread, since it reuses its buffers.
#[derive(Clone, Debug)]
pub struct Distinct {
    /// Two bits per slot: one is set if a feature hit it, the other if several did.
    seen: Vec<u64>,
    met: Vec<u64>,
    /// The features that share a slot, each as often as it occurs, and the distinct ones among them.
    again: Vec<u64>,
    set: FeatureSet,
    size: u32,
    /// Odd, and unpredictable, so that nobody can choose words that all collide.
    multiplier: u64,
}

impl Default for Distinct {
    fn default() -> Self {
        let (seen, met, again) = (Vec::new(), Vec::new(), Vec::new());
        Self { seen, met, again, set: FeatureSet::default(), size: 0, multiplier: multiplier() }
    }
}

impl Distinct {
    /// Counts the distinct ones of these features.
    pub fn new(features: &[u64]) -> Self {
        let mut distinct = Self::default();
        distinct.fill(features);
        distinct
    }

    /// Counts the distinct ones of these features, and prepares [`Distinct::iter`].
    pub fn fill(&mut self, features: &[u64]) {
        let words = (features.len() * PLACES / 64).next_power_of_two();
        for bits in [&mut self.seen, &mut self.met] {
            bits.clear();
            bits.resize(words, 0);
        }
        let places = self.places();
        for &feature in features {
            let (word, bit) = places.of(feature);
            let seen = &mut self.seen[word];
            self.met[word] |= *seen & bit;
            *seen |= bit;
        }
        // No branch depends on a feature: it would often be mispredicted.
        self.again.resize(features.len().max(self.again.len()), 0);
        let mut count = 0;
        for &feature in features {
            let (word, bit) = places.of(feature);
            self.again[count] = feature;
            count += usize::from(self.met[word] & bit != 0);
        }
        self.set.fill(&self.again[..count]);
        let alone: u32 = self.seen.iter().zip(&self.met).map(|(seen, met)| (seen & !met).count_ones()).sum();
        self.size = alone + self.set.size();
    }

    /// Number of distinct features.
    pub fn size(&self) -> u32 {
        self.size
    }

    /// The distinct ones of the last counted features, in no particular order.
    pub fn iter(&self, features: &[u64]) -> impl Iterator<Item = u64> {
        let places = self.places();
        let is_alone = move |feature: &u64| {
            let (word, bit) = places.of(*feature);
            self.met[word] & bit == 0
        };
        let alone = features.iter().copied().filter(is_alone);
        alone.chain(self.set.iter())
    }

    fn places(&self) -> Places {
        let words = self.seen.len();
        Places { multiplier: self.multiplier, shift: words.trailing_zeros(), mask: words - 1 }
    }
}

/// Positions of features in a bit array.
#[derive(Clone, Copy)]
struct Places {
    multiplier: u64,
    shift: u32,
    mask: usize,
}

impl Places {
    /// The word and the bit of a feature: the highest bits select the word, and those below them the bit.
    #[inline]
    fn of(self, feature: u64) -> (usize, u64) {
        let mixed = feature.wrapping_mul(self.multiplier).rotate_left(self.shift);
        (mixed as usize & self.mask, 1 << (mixed >> 58))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;
    use crate::hash::mix;

    #[test]
    fn features_that_share_their_high_bits_do_not_share_a_place() {
        // Features are hash values; consecutive numbers would collide under some multipliers.
        let features: Vec<u64> = (1..=400_000).map(|number| mix(number) >> 24).collect();
        let distinct = Distinct::new(&features);
        assert_eq!(distinct.size() as usize, features.iter().collect::<HashSet<_>>().len());
        let met: u32 = distinct.met.iter().map(|word| word.count_ones()).sum();
        assert!(met < 40_000, "400,000 features met at {met} places");
    }

    proptest! {
        #[test]
        fn as_many_as_in_a_plain_set(texts in proptest::collection::vec(
            proptest::collection::vec(prop_oneof![0_u64..40, any::<u64>(), u64::MAX - 9..], 0..300), 1..4
        )) {
            let mut distinct = Distinct::default();
            for features in texts {
                let plain: HashSet<u64> = features.iter().copied().collect();
                distinct.fill(&features);
                prop_assert_eq!(distinct.size() as usize, plain.len());
                let listed: Vec<u64> = distinct.iter(&features).collect();
                prop_assert_eq!(listed.len(), plain.len());
                prop_assert_eq!(listed.into_iter().collect::<HashSet<u64>>(), plain);
            }
        }
    }
}
