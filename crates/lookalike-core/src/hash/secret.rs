//! The hash functions of a secret key: everything that decides uses them, and sketches with `--key`.
//!
//! XXH3 with a seed is not a keyed hash: inputs can be built that have equal hashes for one seed in a hundred. Here both
//! functions are pseudorandom: whoever does not know the key can do no better than guess. See `docs/security.md` for
//! the bounds that follow.
//!
//! | what | function |
//! | --- | --- |
//! | token | SipHash-1-3, of its bytes filled up with zeros to 16 |
//! | bytes, and texts by their words | HighwayHash-128 |
//! | shingle of up to [`BLOCK`] tokens | t1·x^(K-1) + … + tK in GF(2^64), then [`mix`] |
//! | longer shingle | its blocks of [`BLOCK`] tokens, each a token in turn, in the same way |

use highway::{HighwayHash, HighwayHasher};
use siphasher::sip::SipHasher13;

use super::{SHORT, mix};

/// The low terms of x^64 + x^4 + x^3 + x + 1, by which GF(2^64) is made of polynomials over GF(2). It is irreducible.
const MODULUS: u64 = 0b11011;

/// How many tokens a shingle has at most for its hash to be one polynomial. The polynomial that tells two shingles apart
/// then has a degree below 64, so that it is not 0 in GF(2^64), whatever the tokens are.
const BLOCK: usize = 64;

/// A pseudorandom function with 64 bits for short inputs.
fn sip(key: u128) -> SipHasher13 {
    SipHasher13::new_with_keys(key as u64, (key >> 64) as u64)
}

/// Number `at` of the numbers derived from a key. Tokens have 16 bytes or more, so none is hashed to one of these.
fn derived(key: u128, at: u64) -> u64 {
    sip(key).hash(&at.to_le_bytes())
}

/// The key of HighwayHash.
fn highway_key(key: u128) -> highway::Key {
    highway::Key([0, 1, 2, 3].map(|at| derived(key, at)))
}

/// Another key, which says nothing about the first.
pub(super) fn second_key(key: u128) -> u128 {
    u128::from(derived(key, 5)) << 64 | u128::from(derived(key, 4))
}

/// A number that may be shown.
pub(super) fn fingerprint(key: u128) -> u64 {
    derived(key, 6)
}

/// The hash of bytes.
pub(super) fn bytes_hash(key: u128, bytes: &[u8]) -> u128 {
    let [low, high] = HighwayHasher::new(highway_key(key)).hash128(bytes);
    u128::from(high) << 64 | u128::from(low)
}

/// The hash of a token.
pub(super) fn token_hash(key: u128, token: &[u8]) -> u64 {
    if token.len() > SHORT {
        return sip(key).hash(token);
    }
    let mut filled = [0; SHORT];
    filled[..token.len()].copy_from_slice(token);
    sip(key).hash(&filled)
}

/// Hashes of short tokens that came up before: a text is made of few words, and SipHash takes four times as long as
/// XXH3.
pub(super) struct Known {
    sip: SipHasher13,
    tokens: Box<[u128; Known::ENTRIES]>,
    hashes: Box<[u64; Known::ENTRIES]>,
}

impl Known {
    /// What fits the second-level cache.
    const ENTRIES: usize = 1 << 12;

    pub(super) fn new(key: u128) -> Self {
        // No token has such bytes, since they are not UTF-8.
        let tokens = vec![u128::MAX; Self::ENTRIES].into_boxed_slice().try_into().expect("as many as were made");
        let hashes = vec![0; Self::ENTRIES].into_boxed_slice().try_into().expect("as many as were made");
        Self { sip: sip(key), tokens, hashes }
    }

    /// The hash of a token of up to 16 bytes, filled up with zeros. A call, so that the fixed hash stays small enough to be
    /// inlined wherever words are found.
    #[inline(never)]
    pub(super) fn token_hash(&mut self, token: u128) -> u64 {
        let folded = token as u64 ^ ((token >> 64) as u64).rotate_left(32);
        let at = (folded.wrapping_mul(super::ROUND_STEP) >> 52) as usize % Self::ENTRIES;
        if self.tokens[at] == token { self.hashes[at] } else { self.hash_anew(token, at) }
    }

    #[cold]
    fn hash_anew(&mut self, token: u128, at: usize) -> u64 {
        let hash = self.sip.hash(&token.to_le_bytes());
        (self.tokens[at], self.hashes[at]) = (token, hash);
        hash
    }
}

/// Appends the feature of each window of `width` tokens, or of all tokens if there are fewer.
pub(super) fn shingle(key: u128, tokens: &[u64], width: usize, features: &mut Vec<u64>) {
    let width = width.min(tokens.len());
    if width == 0 {
        return;
    }
    if width <= BLOCK {
        return features.extend(windows(tokens, width).map(mix));
    }
    // A window is known by blocks that cover it: those at its start, and one at its end.
    let sip = sip(second_key(key));
    let blocks: Vec<u64> = windows(tokens, BLOCK).map(|block| sip.hash(&block.to_le_bytes())).collect();
    let window = |first: usize| {
        let starts = (0..width - BLOCK).step_by(BLOCK).chain([width - BLOCK]);
        mix(starts.fold(0, |sum, start| double(sum) ^ blocks[first + start]))
    };
    features.extend((0..=tokens.len() - width).map(window));
}

/// The polynomial of each window of up to [`BLOCK`] tokens: there must be as many.
fn windows(tokens: &[u64], width: usize) -> impl Iterator<Item = u64> {
    let (first, rest) = tokens.split_at(width);
    let start = first.iter().fold(0, |sum, token| double(sum) ^ token);
    let rolled = tokens.iter().zip(rest).scan(start, move |window, (leaving, next)| {
        *window = double(*window) ^ (next ^ times_power(*leaving, width as u32));
        Some(*window)
    });
    std::iter::once(start).chain(rolled)
}

/// Times x in GF(2^64).
#[inline]
pub(super) fn double(number: u64) -> u64 {
    (number << 1) ^ ((number as i64 >> 63) as u64 & MODULUS)
}

/// Times x^`power` in GF(2^64), for a power of up to 64.
#[inline]
pub(super) fn times_power(number: u64, power: u32) -> u64 {
    let wide = u128::from(number) << power;
    let reduced = |high: u64| {
        let high = u128::from(high);
        high ^ (high << 1) ^ (high << 3) ^ (high << 4)
    };
    // What is above 64 bits becomes up to 68, and four of these become up to 8.
    let once = reduced((wide >> 64) as u64) ^ u128::from(wide as u64);
    (reduced((once >> 64) as u64) ^ once) as u64
}
