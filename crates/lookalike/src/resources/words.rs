//! Packs two numbers into a word, for the blocks of the work folder.

/// Packs two numbers into a word.
pub(crate) fn pair(low: u32, high: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

/// Unpacks the two numbers of a word.
pub(crate) fn both(word: u64) -> [u32; 2] {
    [word as u32, (word >> 32) as u32]
}
