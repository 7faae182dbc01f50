//! The set of a document's features, and the exact measures of two sets.

use rdst::RadixSort;

use crate::similarity::Threshold;

/// Distinct features in ascending order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FeatureSet(Box<[u64]>);

impl FeatureSet {
    /// The set of these features.
    pub fn new(features: &[u64]) -> Self {
        let mut sorted = features.to_vec();
        sorted.radix_sort_unstable();
        sorted.dedup();
        Self(sorted.into_boxed_slice())
    }

    /// The features, ascending.
    pub fn as_slice(&self) -> &[u64] {
        &self.0
    }

    /// How many there are.
    pub fn size(&self) -> u32 {
        self.0.len() as u32
    }

    /// Measures this set against another.
    pub fn overlap(&self, other: &Self) -> Overlap {
        let (left, right) = (&*self.0, &*other.0);
        let (mut shared, mut i, mut j) = (0_u32, 0, 0);
        // Without a branch on the outcome: features are random, so a branch would be guessed wrong every other time.
        while i < left.len() && j < right.len() {
            let (a, b) = (left[i], right[j]);
            shared += u32::from(a == b);
            i += usize::from(a <= b);
            j += usize::from(b <= a);
        }
        Overlap { shared, left: self.size(), right: other.size() }
    }
}

/// What two sets have in common, in counts. All measures come from here, by one division each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overlap {
    /// Features in both.
    pub shared: u32,
    /// Features of the left set.
    pub left: u32,
    /// Features of the right set.
    pub right: u32,
}

impl Overlap {
    /// Shared features over all features: 0 for two empty sets, since nothing is like nothing.
    pub fn jaccard(self) -> f64 {
        share(self.shared, u64::from(self.left) + u64::from(self.right) - u64::from(self.shared))
    }

    /// How much of the left set lies in the right.
    pub fn containment_left(self) -> f64 {
        share(self.shared, u64::from(self.left))
    }

    /// How much of the right set lies in the left.
    pub fn containment_right(self) -> f64 {
        share(self.shared, u64::from(self.right))
    }

    /// Whether this is alike enough.
    pub fn reaches(self, threshold: Threshold) -> bool {
        self.jaccard() >= threshold.value()
    }

    /// The same seen from the other side.
    #[must_use]
    pub fn swapped(self) -> Self {
        Self { shared: self.shared, left: self.right, right: self.left }
    }

    /// A set of this size with itself.
    pub fn of_equals(size: u32) -> Self {
        Self { shared: size, left: size, right: size }
    }
}

fn share(part: u32, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { f64::from(part) / whole as f64 }
}

/// Counts distinct features without sorting them; made once a thread, for its table.
#[derive(Debug, Default)]
pub struct DistinctCounter {
    table: Vec<u64>,
}

impl DistinctCounter {
    /// How many different features there are.
    pub fn count(&mut self, features: &[u64]) -> u32 {
        // At most half full, so that a free place is near.
        let places = (features.len() * 2).next_power_of_two().max(2);
        self.table.clear();
        self.table.resize(places, 0);
        let shift = 64 - places.trailing_zeros();
        let (mut distinct, mut zero) = (0, 0);
        for &feature in features {
            // Zero marks a free place, so the feature zero is counted apart.
            if feature == 0 {
                zero = 1;
                continue;
            }
            // Features are uniformly distributed: their high bits are as good as a hash.
            let mut place = (feature >> shift) as usize;
            while self.table[place] != feature {
                if self.table[place] == 0 {
                    self.table[place] = feature;
                    distinct += 1;
                    break;
                }
                place = (place + 1) & (places - 1);
            }
        }
        distinct + zero
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn empty_sets_are_like_nothing() {
        let (empty, some) = (FeatureSet::default(), FeatureSet::new(&[1, 2]));
        assert!(empty.overlap(&empty).jaccard().abs() < f64::EPSILON);
        assert!(empty.overlap(&some).jaccard().abs() < f64::EPSILON);
    }

    #[test]
    fn a_part_is_wholly_contained_in_the_whole() {
        let overlap = FeatureSet::new(&[1, 2, 2, 3]).overlap(&FeatureSet::new(&[0, 1, 2, 3, 4, u64::MAX]));
        assert_eq!(overlap, Overlap { shared: 3, left: 3, right: 6 });
        assert!((overlap.jaccard() - 0.5).abs() < f64::EPSILON);
        assert!((overlap.containment_left() - 1.0).abs() < f64::EPSILON);
        assert!((overlap.containment_right() - 0.5).abs() < f64::EPSILON);
    }

    proptest! {
        #[test]
        fn measures_are_those_of_plain_sets(
            left in proptest::collection::vec((0_u64..40).prop_map(|x| x << 58 | x), 0..60),
            right in proptest::collection::vec((0_u64..40).prop_map(|x| x << 58 | x), 0..60),
        ) {
            let sets = [&left, &right].map(|features| features.iter().copied().collect::<HashSet<_>>());
            let overlap = FeatureSet::new(&left).overlap(&FeatureSet::new(&right));
            prop_assert_eq!(overlap.shared as usize, sets[0].intersection(&sets[1]).count());
            prop_assert_eq!(overlap.left as usize, sets[0].len());
            prop_assert_eq!(DistinctCounter::default().count(&right) as usize, sets[1].len());
        }
    }
}
