//! Classic `MinHash`: k random permutations, and for each the smallest value of any feature. (Broder 1997)
//!
//! A permutation is a·x + b over the field of the Mersenne prime 2^31 - 1, with a not zero: a bijection of the field.
//! The widespread formula, a·x + b modulo 2^64 and then modulo a prime, overflows and is not a permutation. Features
//! are mapped to the field by their high 31 bits: two features of a document collide once in two billion pairs.
//!
//! Sixteen slots are processed at a time, and for those all features, so that their parameters and minima stay in
//! registers. Each kernel is [`least_of`], compiled for a processor with wider registers.
#![expect(unsafe_code, reason = "the same function built for wider registers, tested against itself without them")]

use super::SlotSketcher;
use crate::hash::draw;

/// A Mersenne prime, so that the remainder needs only a shift and an addition.
const PRIME: u32 = (1 << 31) - 1;

/// Number of slots processed at a time.
const LANES: usize = 16;

/// Purpose of the draws of these permutations.
const PURPOSE: u64 = 0x636C_6173;

/// Sixteen permutations.
#[derive(Clone, Copy, Debug)]
struct Permutations {
    multipliers: [u32; LANES],
    offsets: [u32; LANES],
}

/// Finds the smallest values of features under sixteen permutations.
type Kernel = fn(&Permutations, &[u32]) -> [u32; LANES];

/// Computes sketches with a fixed number of slots; use one per thread, since it reuses its buffers.
#[derive(Debug)]
pub struct ClassicSketcher {
    permutations: Vec<Permutations>,
    kernel: Kernel,
    elements: Vec<u32>,
    slots: Vec<u64>,
}

impl ClassicSketcher {
    /// Creates a sketcher of `slot_count` slots.
    pub fn new(slot_count: usize) -> Self {
        let number = |slot: usize, which: u64, least: u32| {
            let drawn = draw(PURPOSE, 2 * slot as u64 + which) >> 32;
            // A number from `least` up to below the prime.
            least + ((drawn * u64::from(PRIME - least)) >> 32) as u32
        };
        let permutations = (0..slot_count.div_ceil(LANES)).map(|chunk| Permutations {
            multipliers: std::array::from_fn(|lane| number(chunk * LANES + lane, 0, 1)),
            offsets: std::array::from_fn(|lane| number(chunk * LANES + lane, 1, 0)),
        });
        Self {
            permutations: permutations.collect(),
            kernel: kernel(),
            elements: Vec::new(),
            slots: vec![0; slot_count],
        }
    }
}

impl SlotSketcher for ClassicSketcher {
    fn sketch(&mut self, features: &[u64]) -> Option<&[u64]> {
        if features.is_empty() {
            return None;
        }
        self.elements.clear();
        self.elements.extend(features.iter().map(|feature| (feature >> 33) as u32));
        for (slots, permutations) in self.slots.chunks_mut(LANES).zip(&self.permutations) {
            let least = (self.kernel)(permutations, &self.elements);
            slots.iter_mut().zip(least).for_each(|(slot, least)| *slot = u64::from(least));
        }
        Some(&self.slots)
    }
}

#[inline(always)]
#[expect(clippy::inline_always, reason = "it must be built with the features of its caller")]
fn least_of(permutations: &Permutations, elements: &[u32]) -> [u32; LANES] {
    let mut least = [u32::MAX; LANES];
    for &element in elements {
        let lanes = least.iter_mut().zip(&permutations.multipliers).zip(&permutations.offsets);
        for ((least, multiplier), offset) in lanes {
            let value = u64::from(*multiplier) * u64::from(element) + u64::from(*offset);
            // 2^31 is 1 in this field, so the high part is added to the low one: at most twice the prime plus one.
            let folded = (value as u32 & PRIME) + (value >> 31) as u32;
            // Below the prime, the difference wraps around to a large number.
            let once = folded.min(folded.wrapping_sub(PRIME));
            let twice = once.min(once.wrapping_sub(PRIME));
            *least = (*least).min(twice);
        }
    }
    least
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn least_of_avx2(permutations: &Permutations, elements: &[u32]) -> [u32; LANES] {
    least_of(permutations, elements)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl")]
fn least_of_avx512(permutations: &Permutations, elements: &[u32]) -> [u32; LANES] {
    least_of(permutations, elements)
}

fn kernel() -> Kernel {
    kernels()[0]
}

/// The kernels this machine supports, fastest first; the last runs everywhere.
fn kernels() -> Vec<Kernel> {
    let mut kernels: Vec<Kernel> = Vec::new();
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl") {
            // SAFETY: the processor was just found to have AVX-512F and VL.
            kernels.push(|permutations, elements| unsafe { least_of_avx512(permutations, elements) });
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the processor was just found to have AVX2.
            kernels.push(|permutations, elements| unsafe { least_of_avx2(permutations, elements) });
        }
    }
    kernels.push(least_of);
    kernels
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The plain definition, with the division that defines the field.
    fn plain(permutations: &Permutations, elements: &[u32]) -> [u32; LANES] {
        let value = |lane: usize, element: &u32| {
            let [a, b, x] = [permutations.multipliers[lane], permutations.offsets[lane], *element].map(u128::from);
            ((a * x + b) % u128::from(PRIME)) as u32
        };
        std::array::from_fn(|lane| elements.iter().map(|element| value(lane, element)).min().unwrap())
    }

    proptest! {
        #[test]
        fn every_kernel_divides_as_the_field_asks(elements in proptest::collection::vec(0..=PRIME, 1..40), chunk in 0_usize..8) {
            let sketcher = ClassicSketcher::new(8 * LANES);
            let mut permutations = sketcher.permutations[chunk];
            // The limits of the field, where off-by-one errors would show.
            permutations.multipliers[0] = PRIME - 1;
            permutations.offsets[0] = PRIME - 1;
            for kernel in kernels() {
                prop_assert_eq!(kernel(&permutations, &elements), plain(&permutations, &elements));
            }
        }

        #[test]
        fn order_and_repetition_make_no_difference(mut features in proptest::collection::vec(any::<u64>(), 1..100), slots in 1_usize..50) {
            let before = ClassicSketcher::new(slots).sketch(&features).unwrap().to_vec();
            features.reverse();
            features.extend_from_within(..features.len() / 2);
            prop_assert_eq!(ClassicSketcher::new(slots).sketch(&features).unwrap().to_vec(), before);
        }
    }

    #[test]
    fn a_permutation_gives_every_element_another_value() {
        // A range of the field: if two values were equal, (a·x + b) would not be a permutation.
        let permutations = ClassicSketcher::new(LANES).permutations[0];
        let mut values: Vec<u32> =
            (0..100_000).map(|element| least_of(&permutations, &[element * 20_011])[3]).collect();
        values.sort_unstable();
        values.dedup();
        assert_eq!(values.len(), 100_000);
        assert!(values.iter().all(|value| *value < PRIME));
    }

    #[test]
    fn multipliers_are_never_zero() {
        let sketcher = ClassicSketcher::new(4096);
        assert!(sketcher.permutations.iter().all(|chunk| chunk.multipliers.iter().all(|a| (1..PRIME).contains(a))));
    }
}
