//! A pseudorandom generator with a fixed seed: the same numbers on every machine, permanently.

use std::f64::consts::TAU;

/// A stream of numbers (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
pub(crate) struct Dice(u64);

impl Dice {
    /// The stream of this seed, independent of those of other seeds.
    pub(crate) fn new(seed: u64) -> Self {
        let mut dice = Self(seed);
        // Consecutive seeds are on one stream; a number drawn from it is not.
        let start = dice.roll();
        Self(start)
    }

    /// 64 uniform bits.
    #[inline]
    pub(crate) fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }

    /// A number from 0 up to, and not including, 1.
    #[inline]
    pub(crate) fn unit(&mut self) -> f64 {
        (self.roll() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// An integer below `end`, which must not be 0.
    #[inline]
    pub(crate) fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.roll()) * end as u128) >> 64) as usize
    }

    /// True with this probability.
    #[inline]
    pub(in crate::bench) fn chance(&mut self, chance: f64) -> bool {
        self.unit() < chance
    }

    /// One of the choices.
    #[inline]
    pub(in crate::bench) fn choose<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    /// A normally distributed number with mean 0 and standard deviation 1 (Box, Muller 1958).
    pub(in crate::bench) fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (TAU * self.unit()).cos()
    }

    /// Shuffles a slice (Fisher, Yates).
    pub(crate) fn shuffle<T>(&mut self, things: &mut [T]) {
        for last in (1..things.len()).rev() {
            things.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_has_one_stream() {
        let rolls = |seed| -> Vec<u64> {
            let mut dice = Dice::new(seed);
            (0..4).map(|_| dice.roll()).collect()
        };
        assert_eq!(rolls(7), rolls(7));
        assert_ne!(rolls(7), rolls(8));
    }

    #[test]
    fn the_normal_distribution_has_its_mean_and_deviation() {
        let mut dice = Dice::new(1);
        let draws: Vec<f64> = (0..10_000).map(|_| dice.normal()).collect();
        let mean = draws.iter().sum::<f64>() / 1e4;
        let square = draws.iter().map(|draw| draw * draw).sum::<f64>() / 1e4;
        // Five standard deviations of the mean (0.01) and of the mean square (0.014).
        assert!(mean.abs() < 0.05 && (square - 1.0).abs() < 0.07);
    }
}
