//! Tests of the hash functions, fixed and keyed.

use proptest::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use super::*;

/// The hashes of tokens that were queued together.
fn noted(hasher: &mut Hasher, note: impl Fn(&mut Hasher) -> Vec<u64>) -> Vec<u64> {
    let mut hashes = note(hasher);
    let count = hasher.noted_count();
    assert_eq!(count, if hasher.is_fixed() { 0 } else { hashes.len() });
    let from = hashes.len() - count;
    hasher.hash_noted(hashes[from..].iter_mut());
    assert_eq!(hasher.noted_count(), 0);
    hashes
}

#[test]
fn a_token_has_one_hash_whatever_follows_it_and_whatever_it_is_hashed_with() {
    let bytes = *b"abcdefghijklmnop";
    for key in [Key::FIXED, Key::new(7)] {
        let mut hasher = Hasher::new(key);
        let expected: Vec<u64> = (1..=SHORT).map(|length| key.token_hash(&bytes[..length])).collect();
        let short = |hasher: &mut Hasher| (1..=SHORT).map(|length| hasher.hash_or_note_short(&bytes, length)).collect();
        assert_eq!(noted(&mut hasher, short), expected);
        let any = |hasher: &mut Hasher| (1..=SHORT).map(|length| hasher.hash_or_note(&bytes[..length])).collect();
        assert_eq!(noted(&mut hasher, any), expected);
        let long = "abcdefghijklmnopq".repeat(20);
        let one = |hasher: &mut Hasher| vec![hasher.hash_or_note(long.as_bytes())];
        assert_eq!(noted(&mut hasher, one), [key.token_hash(long.as_bytes())]);
        assert_eq!(hasher.token_hash(b"abc"), key.token_hash(b"abc"));
    }
    assert_eq!(token_hash(b"abc"), xxh3_64(b"abc\0\0\0\0\0\0\0\0\0\0\0\0\0"));
    assert_eq!(token_hash(b"abcdefghijklmnopq"), xxh3_64(b"abcdefghijklmnopq"));
    assert_ne!(Key::new(7).token_hash(b"abc"), token_hash(b"abc"));
}

#[test]
fn zero_bytes_at_the_end_make_another_token() {
    for key in [Key::FIXED, Key::new(7)] {
        let tokens: Vec<Vec<u8>> = [0, 1, 2, 14, 15, 16, 17]
            .into_iter()
            .flat_map(|length| (0..20).map(move |zeros| [vec![b'a'; length], vec![0; zeros]].concat()))
            .collect();
        let mut hasher = Hasher::new(key);
        let queued = noted(&mut hasher, |hasher| tokens.iter().map(|token| hasher.hash_or_note(token)).collect());
        for (at, token) in tokens.iter().enumerate() {
            assert_eq!(queued[at], key.token_hash(token), "{token:?}");
            assert!(queued[..at].iter().all(|other| *other != queued[at]), "{token:?} {key:?}");
        }
    }
}

#[test]
fn a_key_is_not_shown() {
    let key = Key::new(0x5EED_0FA1_10C0_FFEE);
    assert_eq!(format!("{key:?} {:?}", Key::FIXED), "Key(secret) Key(fixed)");
    assert_ne!(key.fingerprint(), Key::new(0x5EED_0FA1_10C0_FFED).fingerprint());
    assert_ne!(key.second(), key);
    assert_ne!(Key::random(), Key::random());
}

/// The texts of Thue and Morse: for every odd base of a polynomial modulo 2^64, these two have the same value from 2^11
/// tokens on, and nearly the same with fewer.
fn thue_morse(count: usize, other: u32) -> Vec<u64> {
    (0..count as u32)
        .map(|at| if (at.count_ones() + other).is_multiple_of(2) { 7_777_777 } else { 123_456_789 })
        .collect()
}

#[test]
fn texts_that_every_polynomial_modulo_a_power_of_two_takes_for_one_are_told_apart() {
    let features = |key: Key, tokens: &[u64], width: usize| {
        let mut features = Vec::new();
        key.shingle(tokens, width, &mut features);
        features
    };
    let [left, right] = [0, 1].map(|other| thue_morse(4096, other));
    assert_eq!(features(Key::FIXED, &left, 4096), features(Key::FIXED, &right, 4096), "the fixed hash is such a one");
    for key in (1..50).map(Key::new) {
        for width in [2, 4, 60, 61, 64, 128, 512, 1000, 4096] {
            let [left, right] = [&left, &right].map(|tokens| features(key, &tokens[..width], width));
            assert_ne!(left, right, "{width}");
        }
    }
}

#[test]
fn the_field_is_a_field() {
    // x^(2^64) = x and x^(2^32) != x hold for an irreducible polynomial of degree 64. (Rabin)
    let times = |left: u64, right: u64| {
        (0..64).rev().fold(0, |sum, at| secret::double(sum) ^ if right >> at & 1 == 1 { left } else { 0 })
    };
    let power = |count: u32| (0..count).fold(2_u64, |number, _| times(number, number));
    assert_eq!(power(64), 2);
    assert_ne!(power(32), 2);
    for power in 1..=60 {
        let number = 0xF123_4567_89AB_CDEF;
        let doubled = (0..power).fold(number, |number, _| secret::double(number));
        assert_eq!(secret::times_power(number, power), doubled, "{power}");
    }
}

proptest! {
    #[test]
    fn rolling_on_gives_what_starting_anew_gives(
        tokens in proptest::collection::vec(any::<u64>(), 1..300),
        width in prop_oneof![1_usize..9, 57_usize..65, 120_usize..200],
        key in prop_oneof![Just(Key::FIXED), any::<u128>().prop_map(Key::new)],
    ) {
        let shingles = |tokens: &[u64]| {
            let mut features = Vec::new();
            key.shingle(tokens, width, &mut features);
            features
        };
        let anew: Vec<u64> = tokens.windows(width.min(tokens.len())).flat_map(shingles).collect();
        prop_assert_eq!(shingles(&tokens), anew);
    }
}
