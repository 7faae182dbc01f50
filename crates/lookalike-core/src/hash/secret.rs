//! Keyed hash functions, used for everything that decides, and for sketches with a key.
//!
//! XXH3 with a seed is not a keyed hash: inputs can be constructed that collide for one seed in a hundred. Both
//! functions here are pseudorandom: without the key, nobody can do better than guess. See `docs/security.md` for the
//! bounds that follow.
//!
//! | what | function |
//! | --- | --- |
//! | bytes, and texts by their words | HighwayHash-128 |
//! | token | AES-128 of its bytes, filled up with zeros to 16; the low 64 bits |
//! | token of more than 16 bytes, or that ends in a zero byte | AES-128 of its HighwayHash-128; the low 64 bits |
//! | shingle of up to [`BLOCK`] tokens | t1·x^(K-1) + … + tK in GF(2^64) |
//! | longer shingle | its blocks of [`BLOCK`] tokens, each a token in turn, in the same way |
//!
//! Hashes of tokens are already random, and so are their sums: unlike the fixed ones, they need no mixing.
//!
//! Processors have instructions for AES, and eight blocks at a time take hardly longer than one. The tokens of a text
//! are therefore queued and encrypted together.

use aes::Aes128;
use aes::cipher::{Array, BlockCipherEncrypt, KeyInit};
use highway::{HighwayHash, HighwayHasher};

use super::filled;

/// A block of AES.
type Block = aes::Block;

/// The low terms of x^64 + x^4 + x^3 + x + 1, the irreducible polynomial over GF(2) that defines GF(2^64).
const MODULUS: u64 = 0b11011;

/// Maximum number of tokens of a shingle whose hash is a single polynomial. The difference of two shingles then has a
/// degree below 64, so it is not 0 in GF(2^64), whatever the tokens are; and the bits that overflow in a shift by a
/// whole block need to be reduced only once.
const BLOCK: usize = 60;

/// The expanded form of a key.
pub(super) struct Secret {
    cipher: Aes128,
    highway: highway::Key,
}

impl Secret {
    pub(super) fn new(key: u128) -> Self {
        let cipher = Aes128::new(&key.to_le_bytes().into());
        let [low, high] = [0, 1].map(|at| derived(&cipher, at));
        let highway = highway::Key([low as u64, (low >> 64) as u64, high as u64, (high >> 64) as u64]);
        Self { cipher, highway }
    }

    /// Derives an independent second key.
    pub(super) fn second_key(&self) -> u128 {
        derived(&self.cipher, 2)
    }

    /// A number that may be made public.
    pub(super) fn fingerprint(&self) -> u64 {
        derived(&self.cipher, 3) as u64
    }

    /// Hashes bytes.
    pub(super) fn bytes_hash(&self, bytes: &[u8]) -> u128 {
        let [low, high] = HighwayHasher::new(self.highway).hash128(bytes);
        u128::from(high) << 64 | u128::from(low)
    }

    /// Hashes a token.
    pub(super) fn token_hash(&self, token: &[u8]) -> u64 {
        self.tagged_token_hash(token).0
    }

    /// The hash of a token, and further bits of the same block.
    pub(super) fn tagged_token_hash(&self, token: &[u8]) -> (u64, u32) {
        let block = encrypt(&self.cipher, self.token(token));
        (block as u64, (block >> 64) as u32)
    }

    /// The 128-bit input for a token of any length.
    fn token(&self, token: &[u8]) -> u128 {
        filled(token).map_or_else(|| self.bytes_hash(token), u128::from_le_bytes)
    }
}

fn encrypt(cipher: &Aes128, block: u128) -> u128 {
    let mut block: Block = block.to_le_bytes().into();
    cipher.encrypt_block(&mut block);
    u128::from_le_bytes(block.into())
}

/// Number `at` derived from a key. A token is UTF-8, so no token has the same AES input.
fn derived(cipher: &Aes128, at: u8) -> u128 {
    let mut block = [0xFF; 16];
    block[0] = at;
    encrypt(cipher, u128::from_le_bytes(block))
}

/// Queued tokens that are hashed together.
pub(super) struct Noted {
    pub(super) secret: Secret,
    blocks: Vec<Block>,
}

impl Noted {
    pub(super) fn new(key: u128) -> Self {
        Self { secret: Secret::new(key), blocks: Vec::new() }
    }

    /// Queues a zero-padded token of up to 16 bytes; returns a placeholder for its hash.
    #[inline]
    pub(super) fn push_filled(&mut self, token: u128) -> u64 {
        self.blocks.push(Array(token.to_le_bytes()));
        0
    }

    pub(super) fn push(&mut self, token: &[u8]) -> u64 {
        self.push_filled(self.secret.token(token))
    }

    pub(super) fn len(&self) -> usize {
        self.blocks.len()
    }

    /// Writes the hashes of all tokens since the last call to `places`.
    pub(super) fn hash<'a>(&mut self, places: impl Iterator<Item = &'a mut u64>) {
        self.secret.cipher.encrypt_blocks(&mut self.blocks);
        for (place, block) in places.zip(&self.blocks) {
            *place = u128::from_le_bytes(block.0) as u64;
        }
        self.blocks.clear();
    }
}

/// Appends the feature of each window of `width` tokens, or of all tokens if there are fewer.
pub(super) fn shingle(key: u128, tokens: &[u64], width: usize, features: &mut Vec<u64>) {
    let width = width.min(tokens.len());
    if width == 0 {
        return;
    }
    features.reserve(tokens.len() - width + 1);
    if width <= BLOCK {
        return windows(tokens, width, |window| features.push(window));
    }
    // A window is identified by blocks that cover it: those at its start, and one at its end.
    let mut noted = Noted::new(Secret::new(key).second_key());
    windows(tokens, BLOCK, |block| noted.blocks.push(Array(u128::from(block).to_le_bytes())));
    let mut blocks = vec![0; noted.len()];
    noted.hash(blocks.iter_mut());
    let window = |first: usize| {
        let starts = (0..width - BLOCK).step_by(BLOCK).chain([width - BLOCK]);
        starts.fold(0, |sum, start| double(sum) ^ blocks[first + start])
    };
    features.extend((0..=tokens.len() - width).map(window));
}

/// Passes the polynomial of each window of up to [`BLOCK`] tokens to `each`: there must be as many.
#[inline]
fn windows(tokens: &[u64], width: usize, mut each: impl FnMut(u64)) {
    let (first, rest) = tokens.split_at(width);
    let mut window = first.iter().fold(0, |sum, token| double(sum) ^ token);
    each(window);
    for (leaving, next) in tokens.iter().zip(rest) {
        window = double(window) ^ (next ^ times_power(*leaving, width as u32));
        each(window);
    }
}

/// Multiplies by x in GF(2^64).
#[inline]
pub(super) fn double(number: u64) -> u64 {
    (number << 1) ^ ((number as i64 >> 63) as u64 & MODULUS)
}

/// Multiplies by x^`power` in GF(2^64), for a power from 1 to [`BLOCK`].
#[inline]
pub(super) fn times_power(number: u64, power: u32) -> u64 {
    let high = number >> (64 - power);
    (number << power) ^ high ^ (high << 1) ^ (high << 3) ^ (high << 4)
}
