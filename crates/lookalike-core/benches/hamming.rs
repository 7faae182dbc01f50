//! Times finding all pairs within 3 bits among a million random and planted 64-bit sketches; with the argument `brute`
//! also by comparing every two, which takes minutes and must give the same result.

use std::time::Instant;

use lookalike_core::bucket::hamming::{Bits, pairs_within};
use lookalike_core::hash::mix;
use rayon::prelude::*;

fn main() {
    let count = 1_000_000;
    // One in three is a copy of another one with up to seven bits flipped.
    let mut sketches: Vec<u64> = Vec::new();
    for at in 0..count {
        let random = mix(at + 1);
        let other = (random.is_multiple_of(3) && at > 0).then(|| sketches[(random >> 8) as usize % sketches.len()]);
        let flips = (0..random >> 56 & 7).map(|flip| 1_u64 << (mix(random ^ flip) % 64));
        sketches.push(other.map_or(random, |other| flips.fold(other, |bits, flip| bits ^ flip)));
    }
    for _ in 0..5 {
        let start = Instant::now();
        let found = pairs_within(&sketches, 3);
        println!("{} pairs within 3 bits of {count} sketches: {:.3} s", found.len(), start.elapsed().as_secs_f64());
    }
    if std::env::args().nth(1).is_some_and(|argument| argument == "brute") {
        let start = Instant::now();
        let pairs_of = |left: usize| {
            let bits = sketches[left];
            let near = (left + 1..).zip(&sketches[left + 1..]).filter(move |(_, other)| bits.distance(**other) <= 3);
            near.map(move |(right, _)| (left as u32, right as u32))
        };
        let mut brute: Vec<(u32, u32)> = (0..sketches.len()).into_par_iter().flat_map_iter(pairs_of).collect();
        brute.par_sort_unstable();
        println!("{} by brute force: {:.0} s", brute.len(), start.elapsed().as_secs_f64());
        assert_eq!(brute, pairs_within(&sketches, 3));
        println!("the same pairs");
    }
}
