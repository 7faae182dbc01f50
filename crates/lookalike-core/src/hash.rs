//! The fixed hash functions, from which every feature, sketch and band key is computed.
//!
//! They are part of the format. The same text gives the same numbers on every machine, permanently, guarded by the
//! golden vectors in `fixtures/golden/`. Changing one requires a new format version.
//!
//! | what | function |
//! | --- | --- |
//! | token | XXH3-64 of the token's UTF-8 bytes, filled up with zeros to 16 bytes |
//! | token that ends in a zero byte | XXH3-64 of the token's UTF-8 bytes, seeded with 1 |
//! | text, by its words | XXH3-128 of the token hashes, little-endian |
//! | text, by its content | XXH3-128 of the bytes of its [`content`](crate::text::content) |
//! | shingle | polynomial over token hashes with base [`BASE`], modulo 2^64, then [`mix`] |
//! | later rounds of a sketch | [`mix`] of the feature plus the round times [`ROUND_STEP`] |
//! | classic slot | a·x + b modulo 2^31 - 1, with x the feature's high 31 bits, a and b from [`draw`] |
//! | second half of 128 `SimHash` bits | [`mix`] of the feature plus [`ROUND_STEP`] |
//! | band key | XXH3-64 of the rows, little-endian, seeded with the band's number |
//! | random rows of a band | [`row_draw`] |
//!
//! With a secret [`Key`], tokens, texts and shingles use the functions in `hash/secret.rs` instead; everything else is
//! the same.

mod secret;

use std::hash::{BuildHasher, RandomState};

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed, xxh3_128};

use self::secret::{Noted, Secret};

/// Base of the shingle polynomial: odd, so that multiplication is invertible modulo 2^64. (The multiplier of Knuth's
/// MMIX generator.)
pub const BASE: u64 = 6_364_136_223_846_793_005;

/// Step between the rounds of a sketch: 2^64 divided by the golden ratio, made odd.
pub const ROUND_STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// Tokens up to this length are zero-padded to it, so that no branch depends on the length: it would be mispredicted
/// for every third word. Distinct tokens stay distinct, since tokens that end in a zero byte are not padded.
pub(crate) const SHORT: usize = 16;

/// The key of the hashes of texts. Hashes with different keys are unrelated.
///
/// Sketches use [`Key::FIXED`] unless the user chooses another key, so that runs can be compared. Hashes that decide,
/// above all in the measure of two documents, use an unpredictable key: with the fixed hashes, words can be constructed
/// that collide.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Key(Option<u128>);

impl std::fmt::Debug for Key {
    /// Shows the kind of key, and not the secret.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if *self == Self::FIXED { "Key(fixed)" } else { "Key(secret)" })
    }
}

impl Key {
    /// The fixed, publicly known hashes: the default for sketches.
    pub const FIXED: Self = Self(None);

    /// A key chosen by the user, or drawn at random.
    pub const fn new(key: u128) -> Self {
        Self(Some(key))
    }

    /// Draws a random key.
    pub fn random() -> Self {
        // Keys that the system draws for the hash maps of a process; different for each call.
        let drawn = RandomState::new();
        Self::new(u128::from(drawn.hash_one(0)) << 64 | u128::from(drawn.hash_one(1)))
    }

    /// The key as a number; none for the fixed hashes.
    pub const fn value(self) -> Option<u128> {
        self.0
    }

    /// Identifies a key in public output; the key cannot be derived from it.
    pub fn fingerprint(self) -> u64 {
        self.0.map_or(0, |key| Secret::new(key).fingerprint())
    }

    /// Returns an independent second key. The fixed hashes return themselves.
    #[must_use]
    pub fn second(self) -> Self {
        Self(self.0.map(|key| Secret::new(key).second_key()))
    }

    /// Hashes one token.
    pub fn token_hash(self, token: &[u8]) -> u64 {
        Hasher::new(self).token_hash(token)
    }

    /// Hashes bytes, such as a whole text.
    pub fn bytes_hash(self, bytes: &[u8]) -> u128 {
        Hasher::new(self).bytes_hash(bytes)
    }

    /// Hashes a whole text from the hashes of its tokens: equal for the same words in the same order.
    pub fn text_hash(self, tokens: &[u64]) -> u128 {
        if cfg!(target_endian = "little") {
            self.bytes_hash(bytemuck::cast_slice(tokens))
        } else {
            let swapped: Vec<u64> = tokens.iter().map(|token| token.to_le()).collect();
            self.bytes_hash(bytemuck::cast_slice(&swapped))
        }
    }

    /// Appends the feature of each window of `width` tokens; a shorter text is one window of all its tokens.
    pub(crate) fn shingle(self, tokens: &[u64], width: usize, features: &mut Vec<u64>) {
        match self.0 {
            Some(key) => secret::shingle(key, tokens, width, features),
            None => shingle(tokens, width, features),
        }
    }
}

/// Hashes tokens and texts with one key, which is set up only once.
///
/// ```
/// use lookalike_core::hash::{Key, Hasher};
///
/// let key = Key::random();
/// assert_eq!(Hasher::new(key).token_hash(b"rose"), key.token_hash(b"rose"));
/// ```
pub struct Hasher(Option<Noted>);

impl Hasher {
    /// Creates a hasher for this key.
    pub fn new(key: Key) -> Self {
        Self(key.0.map(Noted::new))
    }

    /// As [`Key::token_hash`].
    pub fn token_hash(&self, token: &[u8]) -> u64 {
        self.0.as_ref().map_or_else(|| fixed_token_hash(token), |noted| noted.secret.token_hash(token))
    }

    /// The same, with 32 more bits if the key is secret, which distinguish tokens with the same hash.
    pub fn tagged_token_hash(&self, token: &[u8]) -> (u64, u32) {
        self.0.as_ref().map_or_else(|| (fixed_token_hash(token), 0), |noted| noted.secret.tagged_token_hash(token))
    }

    /// As [`Key::bytes_hash`].
    pub fn bytes_hash(&self, bytes: &[u8]) -> u128 {
        self.0.as_ref().map_or_else(|| xxh3_128(bytes), |noted| noted.secret.bytes_hash(bytes))
    }

    pub(crate) fn is_fixed(&self) -> bool {
        self.0.is_none()
    }

    /// Returns the fixed hash of a token. With a secret key, queues the token instead, and its hash is returned by
    /// [`hash_noted`](Self::hash_noted).
    pub(crate) fn hash_or_note(&mut self, token: &[u8]) -> u64 {
        match &mut self.0 {
            Some(noted) => noted.push(token),
            None => fixed_token_hash(token),
        }
    }

    /// The same for the word at the start of `bytes`, whose length is from 1 to [`SHORT`]. The bytes after it are
    /// ignored. A word has no zero bytes.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "called for every word")]
    pub(crate) fn hash_or_note_short(&mut self, bytes: &[u8; SHORT], length: usize) -> u64 {
        let token = u128::from_le_bytes(*bytes) & (u128::MAX >> (8 * (SHORT - length)));
        match &mut self.0 {
            Some(noted) => noted.push_filled(token),
            None => xxh3_64(&token.to_le_bytes()),
        }
    }

    /// Number of queued tokens.
    pub(crate) fn noted_count(&self) -> usize {
        self.0.as_ref().map_or(0, Noted::len)
    }

    /// Writes the hashes of the tokens queued since the last call to `places`.
    pub(crate) fn hash_noted<'a>(&mut self, places: impl Iterator<Item = &'a mut u64>) {
        if let Some(noted) = &mut self.0 {
            noted.hash(places);
        }
    }
}

fn fixed_token_hash(token: &[u8]) -> u64 {
    match filled(token) {
        Some(filled) => xxh3_64(&filled),
        None => xxh3_64_with_seed(token, u64::from(token.ends_with(&[0]))),
    }
}

/// A short token, zero-padded. None if it is longer, or ends in a zero byte: it could not be told from padding.
fn filled(token: &[u8]) -> Option<[u8; SHORT]> {
    if token.len() > SHORT || token.ends_with(&[0]) {
        return None;
    }
    let mut filled = [0; SHORT];
    filled[..token.len()].copy_from_slice(token);
    Some(filled)
}

/// Hashes one token with the fixed key.
pub fn token_hash(token: &[u8]) -> u64 {
    Key::FIXED.token_hash(token)
}

/// Hashes bytes for purposes other than decisions about texts.
pub fn bytes_hash(bytes: &[u8]) -> u128 {
    xxh3_128(bytes)
}

/// Appends the feature of each window of `width` tokens with the fixed hashes.
fn shingle(tokens: &[u64], width: usize, features: &mut Vec<u64>) {
    let width = width.min(tokens.len());
    if width == 0 {
        return;
    }
    let mut window = tokens[..width].iter().fold(0_u64, |sum, token| sum.wrapping_mul(BASE).wrapping_add(*token));
    // The token that leaves the window has been multiplied once for each token after it, and once more by the step.
    let leaving = BASE.wrapping_pow(width as u32);
    features.reserve(tokens.len() - width + 1);
    features.push(mix(window));
    features.extend(tokens.iter().zip(&tokens[width..]).map(|(first, next)| {
        window = window.wrapping_mul(BASE).wrapping_add(next.wrapping_sub(first.wrapping_mul(leaving)));
        mix(window)
    }));
}

/// Computes the key of one band from its rows.
pub fn band_key(band: usize, rows: &[u64]) -> u64 {
    if cfg!(target_endian = "little") {
        xxh3_64_with_seed(bytemuck::cast_slice(rows), band as u64)
    } else {
        let swapped: Vec<u64> = rows.iter().map(|row| row.to_le()).collect();
        xxh3_64_with_seed(bytemuck::cast_slice(&swapped), band as u64)
    }
}

/// Fixed pseudorandom numbers: number `at` of the stream for this purpose.
pub fn draw(purpose: u64, at: u64) -> u64 {
    mix(mix(purpose.wrapping_mul(ROUND_STEP)).wrapping_add(at.wrapping_mul(ROUND_STEP)))
}

/// The draws that select the slots of a band.
pub fn row_draw(band: usize, at: u64) -> u64 {
    draw(0x726F_7773 << 32 | band as u64, at)
}

/// Mixes every bit of `x` into all 64: a bijection, the finalizer of `MurmurHash3`.
#[inline]
pub fn mix(mut x: u64) -> u64 {
    x ^= x >> 33;
    x = x.wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    x ^= x >> 33;
    x = x.wrapping_mul(0xC4CE_B9FE_1A85_EC53);
    x ^ (x >> 33)
}

#[cfg(test)]
mod tests;
