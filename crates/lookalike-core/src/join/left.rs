//! The remaining part of a set during a walk through its tokens, and the part of it that another set can have, by its
//! outline.

use super::index::outline;

/// Weights of the remaining tokens, by the bits of their outline.
#[derive(Debug)]
pub(super) struct Left {
    bits: u64,
    weights: [u64; u64::BITS as usize],
}

impl Default for Left {
    fn default() -> Self {
        Self { bits: 0, weights: [0; u64::BITS as usize] }
    }
}

impl Left {
    /// Starts with a whole set.
    pub(super) fn fill(&mut self, tokens: &[u32], rests: &[u64]) {
        self.bits = outline(tokens);
        self.weights.fill(0);
        for (place, token) in tokens.iter().enumerate() {
            self.weights[(token % u64::BITS) as usize] += weight(rests, place);
        }
    }

    /// Removes the token at a position.
    pub(super) fn leave(&mut self, place: usize, token: u32, rests: &[u64]) {
        let of_bit = &mut self.weights[(token % u64::BITS) as usize];
        *of_bit -= weight(rests, place);
        if *of_bit == 0 {
            self.bits &= !(1 << (token % u64::BITS));
        }
    }

    /// The weight of the tokens that a set with this outline cannot have.
    #[inline]
    pub(super) fn missing_in(&self, outline: u64) -> u64 {
        let (mut bits, mut missing) = (self.bits & !outline, 0);
        while bits != 0 {
            missing += self.weights[bits.trailing_zeros() as usize];
            bits &= bits - 1;
        }
        missing
    }
}

/// The weight of the token at a position, from the remaining weights.
#[inline]
pub(super) fn weight(rests: &[u64], place: usize) -> u64 {
    rests[place] - rests.get(place + 1).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_outline_lacks_is_missing_until_it_is_left_behind() {
        let (tokens, rests) = ([3, 5, 67], [10, 6, 1]);
        let mut left = Left::default();
        left.fill(&tokens, &rests);
        // 67 has the same bit as 3.
        assert_eq!([&[5][..], &[3], &[3, 5], &[9]].map(|other| left.missing_in(outline(other))), [5, 5, 0, 10]);
        left.leave(0, 3, &rests);
        assert_eq!([&[5][..], &[3], &[3, 5], &[9]].map(|other| left.missing_in(outline(other))), [1, 5, 0, 6]);
        left.leave(1, 5, &rests);
        assert_eq!(left.missing_in(0), 1);
    }
}
