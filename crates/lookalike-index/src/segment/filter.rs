//! A filter of the keys in a column: two bits per key, in one word of 64 bits. Of the keys not in the column, five in
//! six are rejected without reading a page, so that searching many segments costs little more than searching one.

use lookalike_core::hash::mix;

use crate::row::{Entry, key_of};

/// Bits per row of the segment.
const BITS: u64 = 4;

/// The bits of one column; empty for columns without a filter.
#[derive(Debug, Default)]
pub(super) struct Filter {
    words: Vec<u64>,
}

impl Filter {
    /// Number of words in the filter of a segment with this many rows.
    pub(super) fn word_count(rows: u32) -> u64 {
        (u64::from(rows) * BITS).div_ceil(64)
    }

    /// An empty filter.
    pub(super) fn new(rows: u32) -> Self {
        Self { words: vec![0; Self::word_count(rows) as usize] }
    }

    /// A filter from stored words.
    pub(super) fn of_words(words: Vec<u64>) -> Self {
        Self { words }
    }

    pub(super) fn words(&self) -> &[u64] {
        &self.words
    }

    #[inline]
    fn place(&self, entry: Entry) -> (usize, u64) {
        let hash = mix(key_of(entry));
        let word = ((hash >> 32) * self.words.len() as u64) >> 32;
        (word as usize, 1 << (hash & 63) | 1 << (hash >> 6 & 63))
    }

    /// Adds the key of an entry.
    pub(super) fn insert(&mut self, entry: Entry) {
        let (word, bits) = self.place(entry);
        if let Some(word) = self.words.get_mut(word) {
            *word |= bits;
        }
    }

    /// False only if the column has no entry with this key.
    #[inline]
    pub(super) fn allows(&self, entry: Entry) -> bool {
        let (word, bits) = self.place(entry);
        self.words.get(word).is_none_or(|word| word & bits == bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::entry;

    #[test]
    fn no_key_is_denied_and_most_strangers_are() {
        let mut filter = Filter::new(10_000);
        let key = |at: u64| entry(mix(at), at as u32 % 100);
        (0..10_000).for_each(|at| filter.insert(key(at)));
        assert!((0..10_000).all(|at| filter.allows(key(at))));
        let strangers = (10_000..20_000).filter(|at| filter.allows(key(*at))).count();
        // Two of 64 bits for each of sixteen keys: 39 % are set, so 16 % pass, plus a little because keys are not
        // spread evenly.
        assert!((1000..2200).contains(&strangers), "{strangers}");
        assert!(Filter::default().allows(key(1)));
    }
}
