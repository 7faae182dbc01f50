//! The set of a document's features, and the exact overlap of two sets.

use std::hash::{BuildHasher, RandomState};
use std::sync::OnceLock;

/// The distinct features of one document, in a hash table.
///
/// The home slot of a feature is given by the high bits of its product with an unpredictable number: features are
/// uniformly distributed, unless somebody chooses words so that all have the same home. If the home is taken, the next
/// free slot is used.
///
/// The loops over all features have no branch that depends on a feature, since it would be mispredicted every fourth
/// time. They handle features in their home slots, and collect the others for a second pass.
#[derive(Clone, Debug)]
pub struct FeatureSet {
    /// The number of slots is a power of two, and at most half are taken, so that a free one is near. Zero marks a free
    /// slot.
    table: Vec<u64>,
    /// The feature zero cannot be stored in the table.
    has_zero: bool,
    size: u32,
    /// Features that need a second pass.
    others: Vec<u64>,
    /// Odd.
    multiplier: u64,
}

impl Default for FeatureSet {
    fn default() -> Self {
        Self { table: Vec::new(), has_zero: false, size: 0, others: Vec::new(), multiplier: multiplier() }
    }
}

/// The same for all sets of a process; it affects only the order in tables, and no result.
pub(super) fn multiplier() -> u64 {
    static MULTIPLIER: OnceLock<u64> = OnceLock::new();
    // An odd one: for a random odd multiplier, two features rarely have the same high bits of the product, whichever
    // features they are. (Dietzfelbinger et al., A reliable randomized algorithm for the closest-pair problem, 1997)
    *MULTIPLIER.get_or_init(|| RandomState::new().hash_one(0) | 1)
}

impl FeatureSet {
    /// Creates the set of these features.
    pub fn new(features: &[u64]) -> Self {
        // Zeroed memory that is not written takes no space, and few features need a second pass.
        let mut set = Self { others: vec![0; features.len()], ..Self::default() };
        set.fill(features);
        set.others = Vec::new();
        set
    }

    /// Replaces the contents by these features, reusing memory.
    pub fn fill(&mut self, features: &[u64]) {
        self.table.clear();
        self.table.resize((features.len() * 2).next_power_of_two().max(2), 0);
        self.others.resize(features.len().max(self.others.len()), 0);
        let shift = self.shift();
        let (mut size, mut zeros, mut count) = (0, 0, 0);
        for &feature in features {
            let home = &mut self.table[(feature.wrapping_mul(self.multiplier) >> shift) as usize];
            let (is_free, is_other) = (*home == 0, *home != 0 && *home != feature);
            *home = if is_free { feature } else { *home };
            size += u32::from(is_free);
            zeros += u32::from(feature == 0);
            self.others[count] = feature;
            count += usize::from(is_other);
        }
        for at in 0..count {
            let feature = self.others[at];
            if feature != 0 {
                let place = self.place(feature);
                size += u32::from(self.table[place] == 0);
                self.table[place] = feature;
            }
        }
        self.has_zero = zeros > 0;
        // A zero that found its home free was counted but left it free, so with zeros the table itself is counted.
        self.size =
            if self.has_zero { self.table.iter().filter(|feature| **feature != 0).count() as u32 + 1 } else { size };
    }

    /// Number of features.
    pub fn size(&self) -> u32 {
        self.size
    }

    /// The features, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = u64> {
        self.has_zero.then_some(0).into_iter().chain(self.table.iter().copied().filter(|feature| *feature != 0))
    }

    /// Appends the features in no particular order: the same as [`FeatureSet::iter`], but faster.
    pub(crate) fn append_to(&self, features: &mut Vec<u64>) {
        let mut end = features.len();
        features.resize(end + self.size as usize + 1, 0);
        for feature in &self.table {
            features[end] = *feature;
            end += usize::from(*feature != 0);
        }
        // If zero is one of them, one zero remains at the end.
        features.truncate(end + usize::from(self.has_zero));
    }

    /// True if the set has this feature.
    pub fn contains(&self, feature: u64) -> bool {
        if feature == 0 { self.has_zero } else { self.table[self.place(feature)] == feature }
    }

    /// Number of distinct `features` that are in the set.
    pub fn shared_count(&self, features: &[u64]) -> u32 {
        if self.size == 0 {
            return 0;
        }
        // One bit per slot, so that a feature that the other text repeats counts once.
        let mut seen = vec![0_u64; self.table.len().div_ceil(64)];
        let mut see = |place: usize, is_here: bool| {
            let bit = u64::from(is_here) << (place % 64);
            let word = &mut seen[place / 64];
            let is_new = bit & !*word != 0;
            *word |= bit;
            u32::from(is_new)
        };
        let mut others = vec![0; features.len()];
        let shift = self.shift();
        let (mut shared, mut count) = (0, 0);
        for &feature in features {
            let home = (feature.wrapping_mul(self.multiplier) >> shift) as usize;
            let here = self.table[home];
            shared += see(home, here == feature && feature != 0);
            others[count] = feature;
            count += usize::from(here != feature && here != 0);
        }
        for &feature in others[..count].iter().filter(|feature| **feature != 0) {
            let place = self.place(feature);
            shared += see(place, self.table[place] == feature);
        }
        shared + u32::from(self.has_zero && features.contains(&0))
    }

    #[inline]
    fn shift(&self) -> u32 {
        64 - self.table.len().trailing_zeros()
    }

    /// The slot of a feature, or else the free slot where it would be inserted.
    #[inline]
    fn place(&self, feature: u64) -> usize {
        let last = self.table.len() - 1;
        let mut place = (feature.wrapping_mul(self.multiplier) >> self.shift()) as usize;
        while self.table[place] != feature && self.table[place] != 0 {
            place = (place + 1) & last;
        }
        place
    }
}

/// The overlap of two sets, as counts. Every measure is computed from these by one division.
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
    /// Computes the overlap of two sets of features.
    pub fn of(left: &[u64], right: &[u64]) -> Self {
        // One set at a time.
        let left_size = FeatureSet::new(left).size();
        let right_set = FeatureSet::new(right);
        Self { shared: right_set.shared_count(left), left: left_size, right: right_set.size() }
    }

    /// The overlap of a set of this size with itself.
    pub fn of_equals(size: u32) -> Self {
        Self { shared: size, left: size, right: size }
    }

    /// Shared features divided by all features; 0 for two empty sets.
    pub fn jaccard(self) -> f64 {
        share(self.shared, u64::from(self.left) + u64::from(self.right) - u64::from(self.shared))
    }

    /// The share of the left set that is in the right one.
    pub fn containment_left(self) -> f64 {
        share(self.shared, u64::from(self.left))
    }

    /// The share of the right set that is in the left one.
    pub fn containment_right(self) -> f64 {
        share(self.shared, u64::from(self.right))
    }

    /// Swaps left and right.
    #[must_use]
    pub fn swapped(self) -> Self {
        Self { shared: self.shared, left: self.right, right: self.left }
    }
}

fn share(part: u32, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { f64::from(part) / whole as f64 }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn empty_sets_are_like_nothing() {
        assert!(Overlap::of(&[], &[]).jaccard().abs() < f64::EPSILON);
        assert!(Overlap::of(&[], &[1, 2]).jaccard().abs() < f64::EPSILON);
        assert!(Overlap::of(&[1, 2], &[]).jaccard().abs() < f64::EPSILON);
    }

    #[test]
    fn a_part_is_wholly_contained_in_the_whole() {
        let overlap = Overlap::of(&[1, 2, 2, 3], &[0, 1, 2, 3, 4, u64::MAX]);
        assert_eq!(overlap, Overlap { shared: 3, left: 3, right: 6 });
        assert!((overlap.jaccard() - 0.5).abs() < f64::EPSILON);
        assert!((overlap.containment_left() - 1.0).abs() < f64::EPSILON);
        assert!((overlap.containment_right() - 0.5).abs() < f64::EPSILON);
    }

    #[test]
    fn features_that_share_their_high_bits_do_not_share_a_home() {
        let start = std::time::Instant::now();
        let features: Vec<u64> = (1..=400_000).collect();
        assert_eq!(FeatureSet::new(&features).size(), 400_000);
        // With the same home for all, every feature would pass all previous ones: minutes.
        assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
    }

    /// Features that collide, including at both ends of the table.
    fn features() -> impl Strategy<Value = Vec<u64>> {
        let few = (0_u64..40).prop_map(|x| x << 58 | x);
        proptest::collection::vec(prop_oneof![few, any::<u64>(), Just(0), u64::MAX - 9..], 0..200)
    }

    proptest! {
        #[test]
        fn measures_are_those_of_plain_sets(left in features(), right in features()) {
            let sets = [&left, &right].map(|features| features.iter().copied().collect::<HashSet<_>>());
            let overlap = Overlap::of(&left, &right);
            prop_assert_eq!(overlap.shared as usize, sets[0].intersection(&sets[1]).count());
            prop_assert_eq!([overlap.left, overlap.right].map(|size| size as usize), [sets[0].len(), sets[1].len()]);
            let set = FeatureSet::new(&left);
            prop_assert!(right.iter().all(|feature| set.contains(*feature) == sets[0].contains(feature)));
            prop_assert_eq!(set.iter().collect::<HashSet<_>>(), sets[0].clone());
            prop_assert_eq!(set.iter().count(), sets[0].len());
            let mut appended = vec![7];
            set.append_to(&mut appended);
            prop_assert_eq!(appended.len(), 1 + sets[0].len());
            prop_assert_eq!(appended[1..].iter().copied().collect::<HashSet<_>>(), sets[0].clone());
        }
    }
}
