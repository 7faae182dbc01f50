//! Which features at least two sets have, and their tokens: ranks in the order of how many sets have them.
//!
//! Frequencies are counted by sorting, a part of all features at a time, so that memory stays bounded. What a reader
//! would get wrong: features are scattered first, since the high bits of an element such as 39 say nothing.

use rayon::prelude::*;
use rdst::RadixSort;

/// Two to the 64 over the golden ratio, odd.
const SCATTER: u64 = 0x9E37_79B9_7F4A_7C15;

/// Spreads features over all 64-bit numbers, different ones to different ones.
#[inline]
pub(super) fn scattered(feature: u64) -> u64 {
    feature.wrapping_mul(SCATTER)
}

/// How many features are sorted at once.
const SORTED_AT_ONCE: usize = 16 << 20;

/// Tokens by feature.
#[derive(Debug)]
pub(super) struct Dictionary {
    /// Scattered features that at least two sets have, in ascending order.
    features: Vec<u64>,
    tokens: Vec<u32>,
    /// Where the features begin whose high bits are at least this.
    starts: Vec<u32>,
    shift: u32,
}

impl Dictionary {
    /// The dictionary of sets: each part holds the scattered features of some, and of each set every one once.
    pub(super) fn new(parts: Vec<&[u64]>) -> Self {
        let (features, frequencies) = shared_features(&parts);
        let mut by_frequency: Vec<u64> =
            (0..).zip(&frequencies).map(|(place, frequency)| u64::from(*frequency) << 32 | place).collect();
        by_frequency.radix_sort_unstable();
        let mut tokens = vec![0; features.len()];
        for (token, place) in (0..).zip(by_frequency) {
            tokens[place as u32 as usize] = token;
        }
        // About two features a start.
        let bits = (features.len() / 2).max(2).next_power_of_two().trailing_zeros();
        let shift = u64::BITS - bits;
        let mut starts = vec![0_u32; (1 << bits) + 1];
        for feature in &features {
            starts[(feature >> shift) as usize + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        Self { features, tokens, starts, shift }
    }

    pub(super) fn token_count(&self) -> usize {
        self.tokens.len()
    }

    /// The token of a scattered feature, if it is shared at all.
    #[inline]
    pub(super) fn token(&self, feature: u64) -> Option<u32> {
        let high = (feature >> self.shift) as usize;
        let [start, end] = [self.starts[high], self.starts[high + 1]].map(|at| at as usize);
        let place = self.features[start..end].iter().position(|other| *other >= feature)?;
        (self.features[start + place] == feature).then(|| self.tokens[start + place])
    }
}

/// The features that at least two sets have in ascending order, and how many have them.
fn shared_features(parts: &[&[u64]]) -> (Vec<u64>, Vec<u32>) {
    let total: usize = parts.iter().map(|part| part.len()).sum();
    let passes = total.div_ceil(SORTED_AT_ONCE) as u64;
    let (mut features, mut frequencies) = (Vec::new(), Vec::new());
    for pass in 0..passes {
        // The pass of a feature grows with the feature, so that passes come in ascending order.
        let is_now = |feature: &u64| (u128::from(*feature) * u128::from(passes)) >> 64 == u128::from(pass);
        let chosen: Vec<Vec<u64>> =
            parts.par_iter().map(|part| part.iter().copied().filter(is_now).collect()).collect();
        let mut sorted = chosen.concat();
        drop(chosen);
        sorted.radix_sort_unstable();
        for equal in sorted.chunk_by(|left, right| left == right).filter(|equal| equal.len() > 1) {
            features.push(equal[0]);
            frequencies.push(equal.len() as u32);
        }
    }
    (features, frequencies)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_go_by_frequency() {
        let parts: [&[u64]; 3] = [&[5, u64::MAX, 0, 1 << 40], &[u64::MAX, 0, 77], &[0, 1 << 40, u64::MAX, 3]];
        let dictionary = Dictionary::new(parts.to_vec());
        let token = |feature| dictionary.token(feature);
        assert_eq!([1 << 40, 0, u64::MAX].map(token), [Some(0), Some(1), Some(2)]);
        assert_eq!([5, 77, 3, 1, 1 << 63].map(token), [None; 5]);
    }
}
