//! A quick upper bound of what two documents share, which rejects most candidates that do not match.

/// One bit for each of many values that a feature's high bits can have, set where the set has a feature.
#[derive(Clone, Debug)]
pub struct FeatureFilter {
    /// A power of two of words.
    words: Vec<u64>,
}

/// Bits a feature, at least: so one in this many absent features seems to be there.
const BITS: usize = 16;

impl FeatureFilter {
    /// A filter for these features.
    pub fn new(features: &[u64]) -> Self {
        let words = (features.len() * BITS).div_ceil(64).next_power_of_two().max(2);
        let mut filter = Self { words: vec![0; words] };
        for &feature in features {
            let (word, bit) = filter.place(feature);
            filter.words[word] |= bit;
        }
        filter
    }

    /// The number of `features` that seem to be in the set: at least the number that are.
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
        // From bits that do not choose the word.
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
        // Of 2,000 strangers one in sixteen at most, 125 on average; five standard deviations more are 54.
        assert!(strangers < 180, "{strangers}");
        assert_eq!(FeatureFilter::new(&[]).most_shared(&features), 0);
    }
}
