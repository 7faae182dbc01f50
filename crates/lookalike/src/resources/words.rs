//! Two numbers in a word, as the blocks of the work folder have them.

/// A word of two numbers.
pub(crate) fn pair(low: u32, high: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

/// The two numbers of a word.
pub(crate) fn both(word: u64) -> [u32; 2] {
    [word as u32, (word >> 32) as u32]
}
