//! Computes the samples of all runs of a text, and the keys of some, with rolling hashes.

use std::cmp::Reverse;

use crate::hash::{BASE, mix};

/// The samples of the runs of a text, one after the other.
///
/// The sample of a run is the smallest hash of `gram` consecutive words within it: it depends on the run alone. The
/// rightmost of equal hashes is used, which stays in the following runs the longest: a text of one repeated word has no
/// other hashes.
pub(super) fn samples(tokens: &[u64], run: usize, gram: usize, grams: &mut Vec<u64>, mut each: impl FnMut(usize, u64)) {
    if tokens.len() < run {
        return;
    }
    gram_hashes(tokens, gram, grams);
    let width = run - gram + 1;
    let mut least = 0;
    let rightmost = |from: usize, to: usize| {
        let slice = &grams[from..to];
        let least = slice.iter().enumerate().min_by_key(|(at, hash)| (**hash, Reverse(*at)));
        from + least.map_or(0, |(at, _)| at)
    };
    for first in 0..=tokens.len() - run {
        let last = first + width - 1;
        if first == 0 || least < first {
            least = rightmost(first, last + 1);
        } else if grams[last] <= grams[least] {
            least = last;
        }
        each(first, grams[least]);
    }
}

/// The hash of each window of `gram` tokens.
fn gram_hashes(tokens: &[u64], gram: usize, grams: &mut Vec<u64>) {
    grams.clear();
    let leaving = (0..gram).fold(1_u64, |power, _| power.wrapping_mul(BASE));
    let mut hash = 0_u64;
    for (at, token) in tokens.iter().enumerate() {
        hash = hash.wrapping_mul(BASE).wrapping_add(*token);
        if at >= gram {
            hash = hash.wrapping_sub(tokens[at - gram].wrapping_mul(leaving));
        }
        if at + 1 >= gram {
            grams.push(mix(hash));
        }
    }
}

/// The modulus of keys: a Mersenne prime.
const PRIME: u64 = (1 << 61) - 1;

/// Keys of runs of one length: two polynomials over the hashes of words with secret bases. Two different runs of N words have the same key
/// with a chance of (N / 2^61)², whatever the words are.
#[derive(Clone, Debug)]
pub(super) struct RunKeys {
    run: usize,
    bases: [u64; 2],
    /// The bases to the power of `run`: the weight of a word that leaves.
    leaving: [u64; 2],
}

impl RunKeys {
    pub(super) fn new(run: usize, secret: u128) -> Self {
        let bases = [secret as u64, (secret >> 64) as u64].map(|half| half % (PRIME - 2) + 2);
        let leaving = bases.map(|base| (0..run).fold(1, |power, _| times(power, base)));
        Self { run, bases, leaving }
    }

    /// The state after the first run, which starts at `first`.
    pub(super) fn start(&self, tokens: &[u64], first: usize) -> [u64; 2] {
        tokens[first..first + self.run].iter().fold([0; 2], |state, token| self.pushed(state, *token))
    }

    /// The state one word further than the run that starts at `first`.
    pub(super) fn next(&self, state: [u64; 2], tokens: &[u64], first: usize) -> [u64; 2] {
        let pushed = self.pushed(state, tokens[first + self.run]);
        let left = tokens[first] % PRIME;
        [0, 1].map(|half| {
            let gone = times(left, self.leaving[half]);
            (pushed[half] + PRIME - gone) % PRIME
        })
    }

    fn pushed(&self, state: [u64; 2], token: u64) -> [u64; 2] {
        [0, 1].map(|half| (times(state[half], self.bases[half]) + token % PRIME) % PRIME)
    }
}

/// The key of a state.
pub(super) fn key(state: [u64; 2]) -> u128 {
    u128::from(state[1]) << 64 | u128::from(state[0])
}

fn times(left: u64, right: u64) -> u64 {
    let product = u128::from(left) * u128::from(right);
    let sum = (product as u64 & PRIME) + (product >> 61) as u64;
    if sum >= PRIME { sum - PRIME } else { sum }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use proptest::prelude::*;

    use super::*;

    fn all_samples(tokens: &[u64], run: usize, gram: usize) -> Vec<(usize, u64)> {
        let mut all = Vec::new();
        samples(tokens, run, gram, &mut Vec::new(), |first, sample| all.push((first, sample)));
        all
    }

    #[test]
    fn a_text_of_one_word_takes_no_longer_than_others() {
        // Looking at all words of each run again would take minutes.
        let (tokens, begun) = (vec![7; 2_000_000], Instant::now());
        let mut count = 0;
        samples(&tokens, 10_000, 5_001, &mut Vec::new(), |_, _| count += 1);
        assert_eq!(count, 2_000_000 - 10_000 + 1);
        assert!(begun.elapsed().as_secs() < 5, "{:?}", begun.elapsed());
    }

    proptest! {
        #[test]
        fn a_run_has_the_same_sample_and_key_wherever_it_stands(
            tokens in prop::collection::vec(0_u64..3, 0..60), run in 1_usize..9, gram in 1_usize..9,
        ) {
            let gram = gram.min(run);
            let keys = RunKeys::new(run, 0x1234_5678_9abc_def0_1122_3344_5566_7788);
            let found = all_samples(&tokens, run, gram);
            prop_assert_eq!(found.len(), (tokens.len() + 1).saturating_sub(run));
            let mut state = [0; 2];
            for (first, sample) in found {
                state = if first == 0 { keys.start(&tokens, 0) } else { keys.next(state, &tokens, first - 1) };
                let alone = &tokens[first..first + run];
                prop_assert_eq!(all_samples(alone, run, gram), [(0, sample)]);
                prop_assert_eq!(key(keys.start(alone, 0)), key(state));
            }
        }
    }
}
