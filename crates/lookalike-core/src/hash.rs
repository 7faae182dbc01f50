//! The fixed hash functions. Every feature, sketch and band key is computed from these and nothing else.
//!
//! They are part of the format. The same text gives the same numbers on every machine, permanently; the golden
//! vectors under `fixtures/golden/` guard that. Changing one requires a new format version.
//!
//! | what | function |
//! | --- | --- |
//! | token | XXH3-64 of the token's UTF-8 bytes, filled up with zeros to 16 bytes, with the [`Key`] for its seed |
//! | text, by its words | XXH3-128 of the token hashes, little-endian, seed 0 |
//! | text, by its content | XXH3-128 of the bytes of its [`content`](crate::text::content), with the [`Key`] for its seed |
//! | shingle | polynomial over token hashes with base [`BASE`], modulo 2^64, then [`mix`] |
//! | later rounds of a sketch | [`mix`] of the feature plus the round times [`ROUND_STEP`] |
//! | classic slot | a·x + b modulo 2^31 - 1, with x the feature's high 31 bits, a and b from [`draw`] |
//! | second half of 128 `SimHash` bits | [`mix`] of the feature plus [`ROUND_STEP`] |
//! | band key | XXH3-64 of the rows, little-endian, seeded with the band's number |
//! | random rows of a band | [`row_draw`] |

use std::hash::{BuildHasher, RandomState};

use xxhash_rust::xxh3::{xxh3_64_with_seed, xxh3_128, xxh3_128_with_seed};

/// Base of the shingle polynomial: odd, so that multiplying by it loses nothing modulo 2^64.
/// (The multiplier of Knuth's MMIX generator.)
pub const BASE: u64 = 6_364_136_223_846_793_005;

/// What separates one round of a sketch from the next: 2^64 divided by the golden ratio, made odd.
pub const ROUND_STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// Tokens up to this length are hashed at this length, so that no branch depends on it: such a branch would be guessed
/// wrong for every third word. No two tokens become the same by it, since no token ends in a zero byte.
pub(crate) const SHORT: usize = 16;

/// The key that tokens are hashed with. Features made with one key say nothing about features made with another.
///
/// Sketches use [`Key::FIXED`] unless the user chooses another, so that runs can be compared. What decides, the measure
/// of two documents above all, uses a key that nobody can know beforehand: with the fixed one, words can be made that
/// have the same hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key(u64);

impl Key {
    /// The default key of sketches.
    pub const FIXED: Self = Self(0);

    /// A key chosen by the user, or at random.
    pub const fn new(key: u64) -> Self {
        Self(key)
    }

    /// A random key, which nobody can know in advance.
    pub fn random() -> Self {
        // Keys that the system draws for the hash maps of a process; each call has another.
        Self(RandomState::new().hash_one(0))
    }

    /// As a number.
    pub const fn value(self) -> u64 {
        self.0
    }

    /// The hash of one token.
    pub fn token_hash(self, token: &[u8]) -> u64 {
        if token.len() > SHORT {
            return xxh3_64_with_seed(token, self.0);
        }
        let mut filled = [0; SHORT];
        filled[..token.len()].copy_from_slice(token);
        xxh3_64_with_seed(&filled, self.0)
    }

    /// The hash of a whole text by its bytes.
    pub fn bytes_hash(self, bytes: &[u8]) -> u128 {
        xxh3_128_with_seed(bytes, self.0)
    }

    /// The hash of the token at the start of `bytes`, whose length is from 1 to [`SHORT`]. What follows it is not
    /// looked at.
    #[inline]
    pub(crate) fn short_token_hash(self, bytes: &[u8; SHORT], length: usize) -> u64 {
        let token = u128::from_le_bytes(*bytes) & (u128::MAX >> (8 * (SHORT - length)));
        xxh3_64_with_seed(&token.to_le_bytes(), self.0)
    }
}

/// The hash of one token with the fixed key.
pub fn token_hash(token: &[u8]) -> u64 {
    Key::FIXED.token_hash(token)
}

/// The hash of a whole text by its tokens: equal for the same words in the same order, and for nothing else that will
/// ever be met.
pub fn text_hash(tokens: &[u64]) -> u128 {
    if cfg!(target_endian = "little") {
        xxh3_128(bytemuck::cast_slice(tokens))
    } else {
        let swapped: Vec<u64> = tokens.iter().map(|token| token.to_le()).collect();
        xxh3_128(bytemuck::cast_slice(&swapped))
    }
}

/// A hash of bytes for purposes that do not decide about texts.
pub fn bytes_hash(bytes: &[u8]) -> u128 {
    Key::FIXED.bytes_hash(bytes)
}

/// The key of one band from its rows.
pub fn band_key(band: usize, rows: &[u64]) -> u64 {
    if cfg!(target_endian = "little") {
        xxh3_64_with_seed(bytemuck::cast_slice(rows), band as u64)
    } else {
        let swapped: Vec<u64> = rows.iter().map(|row| row.to_le()).collect();
        xxh3_64_with_seed(bytemuck::cast_slice(&swapped), band as u64)
    }
}

/// The fixed random numbers: number `at` of the stream for this purpose.
pub fn draw(purpose: u64, at: u64) -> u64 {
    mix(mix(purpose.wrapping_mul(ROUND_STEP)).wrapping_add(at.wrapping_mul(ROUND_STEP)))
}

/// The draws that choose the slots of a band.
pub fn row_draw(band: usize, at: u64) -> u64 {
    draw(0x726F_7773 << 32 | band as u64, at)
}

/// Spreads every bit of `x` over all 64: a bijection, the finalizer of `MurmurHash3`.
#[inline]
pub fn mix(mut x: u64) -> u64 {
    x ^= x >> 33;
    x = x.wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    x ^= x >> 33;
    x = x.wrapping_mul(0xC4CE_B9FE_1A85_EC53);
    x ^ (x >> 33)
}

#[cfg(test)]
mod tests {
    use xxhash_rust::xxh3::xxh3_64;

    use super::*;

    #[test]
    fn a_token_has_one_hash_whatever_follows_it() {
        let bytes = *b"abcdefghijklmnop";
        for (key, length) in [Key::FIXED, Key::new(7)].into_iter().flat_map(|key| (1..=SHORT).map(move |at| (key, at)))
        {
            assert_eq!(key.short_token_hash(&bytes, length), key.token_hash(&bytes[..length]), "{length}");
        }
        assert_eq!(token_hash(b"abc"), xxh3_64(b"abc\0\0\0\0\0\0\0\0\0\0\0\0\0"));
        assert_eq!(token_hash(b"abcdefghijklmnopq"), xxh3_64(b"abcdefghijklmnopq"));
        assert_ne!(Key::new(7).token_hash(b"abc"), token_hash(b"abc"));
    }
}
