//! A fast upper bound of the overlap of two documents, which rejects most candidates that do not match.

/// A bit array indexed by high bits of features, set if the set has a feature there.
#[derive(Clone, Debug)]
pub struct FeatureFilter {
    /// The number of words is a power of two.
    words: Vec<u64>,
}

/// Minimum number of bits per feature: of absent features, at most one in this many appears to be present.
const BITS: usize = 16;

impl FeatureFilter {
    /// Creates a filter for these features.
    pub fn new(features: &[u64]) -> Self {
        let words = (features.len() * BITS).div_ceil(64).next_power_of_two().max(2);
        let mut filter = Self { words: vec![0; words] };
        for &feature in features {
            let (word, bit) = filter.place(feature);
            filter.words[word] |= bit;
        }
        filter
    }

    /// The number of `features` that appear to be in the set: an upper bound of the overlap.
    pub fn most_shared(&self, features: &[u64]) -> u32 {
        let is_here = |feature: &u64| {
            let (word, bit) = self.place(*feature);
            u32::from(self.words[word] & bit != 0)
        };
        features.iter().map(is_here).sum()
    }

    #[inline]
    fn place(&self, feature: u64) -> (usize, u64) {
        let word = feature >> (64 - self.words.len().trailing_zeros());
        // Use bits that do not select the word.
        (word as usize, 1 << (feature % 64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix;

    #[test]
    fn everything_shared_is_seen_and_little_else() {
        let features: Vec<u64> = (0..3000).map(mix).collect();
        let filter = FeatureFilter::new(&features[..1000]);
        assert_eq!(filter.most_shared(&features[..1000]), 1000);
        let strangers = filter.most_shared(&features[1000..]);
        // At most one in sixteen of 2,000 absent features, 125 on average; five standard deviations more are 54.
        assert!(strangers < 180, "{strangers}");
        assert_eq!(FeatureFilter::new(&[]).most_shared(&features), 0);
    }
}
