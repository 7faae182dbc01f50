//! The features that at least two sets have, and their tokens: ranks in the order of the number of sets.
//!
//! Frequencies are counted by sorting. The high bits of a feature determine its section, and sections are sorted
//! separately: in parallel, within the cache, and without a second copy of all features.
//!
//! Features are scattered first, since the high bits of an element such as 39 carry no information; all code here uses
//! scattered features.

use rayon::prelude::*;
use rdst::RadixSort;

/// 2^64 divided by the golden ratio, odd.
const SCATTER: u64 = 0x9E37_79B9_7F4A_7C15;

/// Spreads features over all 64-bit numbers, injectively.
#[inline]
pub(super) fn scattered(feature: u64) -> u64 {
    feature.wrapping_mul(SCATTER)
}

/// Number of sections.
pub(super) const SECTIONS: usize = 256;

/// The section of a scattered feature, which grows with it.
#[inline]
pub(super) fn section(feature: u64) -> usize {
    (feature >> 56) as usize
}

/// Number of features that are always examined. With one feature per start, more than three others are rare.
const NEAR: usize = 4;

/// Tokens by feature.
#[derive(Debug)]
pub(super) struct Dictionary {
    /// The features that at least two sets have, ascending, followed by sentinels of the largest number, so that there
    /// is always something to read.
    features: Vec<u64>,
    tokens: Vec<u32>,
    /// The start of the features whose high bits are at least this.
    starts: Vec<u32>,
    shift: u32,
}

impl Dictionary {
    /// Builds the dictionary from the features that `features` adds for each section: every feature of a set once.
    pub(super) fn new(add_features: impl Fn(usize, &mut Vec<u64>) + Sync) -> Self {
        let sections: Vec<(Vec<u64>, Vec<u32>)> = (0..SECTIONS)
            .into_par_iter()
            .map_with(Vec::new(), |features, section| {
                features.clear();
                add_features(section, features);
                shared_features(features)
            })
            .collect();
        let (features, frequencies): (Vec<_>, Vec<_>) = sections.into_iter().unzip();
        Self::of_shared(features.concat(), &frequencies.concat())
    }

    fn of_shared(mut features: Vec<u64>, frequencies: &[u32]) -> Self {
        let mut by_frequency: Vec<u64> =
            (0..).zip(frequencies).map(|(place, frequency)| u64::from(*frequency) << 32 | place).collect();
        by_frequency.radix_sort_unstable();
        let mut tokens = vec![0; features.len()];
        for (token, place) in (0..).zip(by_frequency) {
            tokens[place as u32 as usize] = token;
        }
        // One or two features per start.
        let bits = (features.len() / 2).max(2).next_power_of_two().trailing_zeros();
        let shift = u64::BITS - bits;
        let mut starts = vec![0_u32; (1 << bits) + 1];
        for feature in &features {
            starts[(feature >> shift) as usize + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        features.extend([u64::MAX; NEAR + 1]);
        Self { features, tokens, starts, shift }
    }

    pub(super) fn token_count(&self) -> usize {
        self.tokens.len()
    }

    /// Adds the tokens of the shared features, each with the holder of the feature.
    ///
    /// A dictionary does not fit in the cache, so features should be passed by section.
    pub(super) fn add_tokens(&self, features: &[u64], holders: &[u8], tokens: &mut Tokens) {
        let start = tokens.tokens.len();
        let mut end = start;
        tokens.tokens.resize(start + features.len(), 0);
        tokens.holders.resize(start + features.len(), 0);
        for (feature, holder) in features.iter().zip(holders) {
            let place = self.place(*feature);
            (tokens.tokens[end], tokens.holders[end]) = (place as u32, *holder);
            // No branch: it would often be mispredicted.
            end += usize::from((self.features[place] == *feature) & (place < self.tokens.len()));
        }
        tokens.tokens.truncate(end);
        tokens.holders.truncate(end);
        tokens.tokens[start..].iter_mut().for_each(|token| *token = self.tokens[*token as usize]);
    }

    /// The position of the first feature that is not less.
    #[inline]
    fn place(&self, feature: u64) -> usize {
        let home = (feature >> self.shift) as usize;
        let start = self.starts[home] as usize;
        let near: &[u64; NEAR] = self.features[start..].first_chunk().expect("features are followed by others");
        let mut place = start + near.iter().map(|other| usize::from(*other < feature)).sum::<usize>();
        if place == start + NEAR {
            // Rare, unless somebody chose features that collide.
            let end = (self.starts[home + 1] as usize).max(place);
            place += self.features[place..end].partition_point(|other| *other < feature);
        }
        place
    }
}

/// Tokens with their holders.
#[derive(Debug, Default)]
pub(super) struct Tokens {
    pub(super) tokens: Vec<u32>,
    pub(super) holders: Vec<u8>,
}

/// The features that occur twice or more, ascending, and their counts.
fn shared_features(features: &mut [u64]) -> (Vec<u64>, Vec<u32>) {
    features.radix_sort_unstable();
    let shared = features.chunk_by(|left, right| left == right).filter(|equal| equal.len() > 1);
    shared.map(|equal| (equal[0], equal.len() as u32)).unzip()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dictionary(sets: &[&[u64]]) -> Dictionary {
        let all = sets.concat();
        Dictionary::new(|at, features| features.extend(all.iter().filter(|feature| section(**feature) == at)))
    }

    fn tokens(dictionary: &Dictionary, features: &[u64]) -> Vec<(u8, u32)> {
        let mut tokens = Tokens::default();
        dictionary.add_tokens(features, &(0..features.len() as u8).collect::<Vec<u8>>(), &mut tokens);
        tokens.holders.into_iter().zip(tokens.tokens).collect()
    }

    #[test]
    fn tokens_go_by_frequency() {
        let dictionary = dictionary(&[&[5, u64::MAX, 0, 1 << 40], &[u64::MAX, 0, 77], &[0, 1 << 40, u64::MAX, 3]]);
        let found = tokens(&dictionary, &[5, 1 << 40, 77, 0, 3, u64::MAX, 1 << 63]);
        assert_eq!(found, [(1, 0), (3, 1), (5, 2)]);
    }

    #[test]
    fn what_is_not_shared_has_no_token() {
        assert_eq!(tokens(&dictionary(&[&[7, u64::MAX, 1], &[7]]), &[u64::MAX, 0, 7, 1]), [(2, 0)]);
        assert!(tokens(&dictionary(&[]), &[u64::MAX, 0, 7]).is_empty());
    }

    #[test]
    fn features_that_crowd_together_are_found() {
        let features: Vec<u64> = (1000..1100).collect();
        let found = tokens(&dictionary(&[&features, &features]), &features);
        assert_eq!(found, (0..100).map(|token| (token as u8, token)).collect::<Vec<_>>());
    }
}
