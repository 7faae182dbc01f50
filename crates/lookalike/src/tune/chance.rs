//! Pseudorandom draws with fixed seeds.

use lookalike_core::hash::draw;

/// A separate stream of random numbers for each purpose.
pub(super) struct Chance {
    purpose: u64,
    at: u64,
}

impl Chance {
    pub(super) fn new(purpose: u64) -> Self {
        Self { purpose, at: 0 }
    }

    /// A uniform number below `end`, which is not zero.
    pub(super) fn below(&mut self, end: u64) -> u64 {
        self.at += 1;
        // Without a division. (Lemire 2019; the bias of one in 2^64 / end is negligible here)
        ((u128::from(draw(self.purpose, self.at)) * u128::from(end)) >> 64) as u64
    }
}
