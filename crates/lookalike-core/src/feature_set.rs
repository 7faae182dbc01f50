//! The set of a document's features, and the exact measures of two sets.

use crate::similarity::Threshold;

/// Distinct features in ascending order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FeatureSet(Box<[u64]>);

impl FeatureSet {
    /// The set of these features. Many sets are made faster by one [`FeatureTable`].
    pub fn new(features: &[u64]) -> Self {
        let mut sorted = features.to_vec();
        sorted.sort_unstable();
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

/// Finds the distinct features of one document after the other; made once a thread, for its table.
///
/// The place of a feature in the table is given by its high bits. Features are uniformly distributed, so these are as
/// good as a hash; and what lies in the table is nearly in order, which makes sorting it cheap.
#[derive(Debug, Default)]
pub struct FeatureTable {
    /// Zero marks a free place.
    table: Vec<u64>,
}

/// Above this, the table would take too much memory: a document of some six megabytes.
const LARGEST: usize = 1 << 20;

impl FeatureTable {
    /// How many different features there are.
    pub fn count(&mut self, features: &[u64]) -> u32 {
        if features.len() > LARGEST {
            return FeatureSet::new(features).size();
        }
        u32::from(self.fill(features)) + self.distinct().count() as u32
    }

    /// The set of these features.
    pub fn set(&mut self, features: &[u64]) -> FeatureSet {
        if features.len() > LARGEST {
            return FeatureSet::new(features);
        }
        let has_zero = self.fill(features);
        let mut sorted: Vec<u64> = Vec::with_capacity(features.len());
        sorted.extend(has_zero.then_some(0));
        sorted.extend(self.distinct());
        // Who found his place taken stands a little further on: step back past those who are greater.
        for end in 1..sorted.len() {
            let mut at = end;
            while at > 0 && sorted[at - 1] > sorted[at] {
                sorted.swap(at - 1, at);
                at -= 1;
            }
        }
        FeatureSet(sorted.into_boxed_slice())
    }

    /// Puts features into the table, each once; says whether zero was among them, which has no place there.
    fn fill(&mut self, features: &[u64]) -> bool {
        // At most half full, so that a free place is near; and room for those who are pushed beyond the last place.
        let places = (features.len() * 2).next_power_of_two().max(2);
        self.table.clear();
        self.table.resize(places + features.len(), 0);
        let shift = 64 - places.trailing_zeros();
        let mut has_zero = false;
        for &feature in features {
            has_zero |= feature == 0;
            let mut place = (feature >> shift) as usize;
            while self.table[place] != feature && self.table[place] != 0 {
                place += 1;
            }
            self.table[place] = feature;
        }
        has_zero
    }

    /// What is in the table.
    fn distinct(&self) -> impl Iterator<Item = u64> {
        self.table.iter().copied().filter(|feature| *feature != 0)
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
            prop_assert_eq!(FeatureTable::default().count(&right) as usize, sets[1].len());
        }

        #[test]
        fn a_table_makes_the_same_set_as_sorting(
            features in proptest::collection::vec(prop_oneof![any::<u64>(), Just(0), Just(u64::MAX), u64::MAX - 9..], 0..300),
        ) {
            let mut table = FeatureTable::default();
            let set = FeatureSet::new(&features);
            prop_assert_eq!(&table.set(&features), &set);
            prop_assert_eq!(table.count(&features), set.size());
        }
    }
}
