//! A filter of samples that were seen more than once, in a fixed amount of memory.
//!
//! It has no false negatives. False positives occur because samples share bits; they cost some work later and change no
//! result.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Samples by their hashes.
#[derive(Debug)]
pub struct Seen {
    /// Two bits per slot: the first sighting sets the low bit, the second the high bit. Both slots of a sample are in one word,
    /// so that a sighting is one atomic operation.
    words: Vec<AtomicU64>,
}

/// Slots of a word, two bits each.
const SLOTS: u32 = 32;

/// Bytes per sample at which about one in a hundred samples is taken for one that was seen twice.
pub const BYTES_PER_SAMPLE: u64 = 8;

impl Seen {
    /// Takes space for about `samples` samples, in at most `most_bytes` bytes.
    pub fn new(samples: u64, most_bytes: u64) -> Self {
        let bytes = (samples * BYTES_PER_SAMPLE).min(most_bytes).max(1 << 12);
        let words = (bytes / 8).next_power_of_two();
        let words = if words * 8 > bytes.max(1 << 12) { words / 2 } else { words };
        Self { words: (0..words).map(|_| AtomicU64::new(0)).collect() }
    }

    /// Notes that a sample was seen.
    pub fn note(&self, sample: u64) {
        let (word, first) = self.place(sample);
        let before = word.fetch_or(first, Relaxed);
        // Of two sightings at the same time, one gets the bits that the other has set.
        if before & first == first && before & (first << 1) != first << 1 {
            word.fetch_or(first << 1, Relaxed);
        }
    }

    /// Returns true if a sample was seen twice, and rarely for one that was not.
    #[inline]
    pub fn is_repeated(&self, sample: u64) -> bool {
        let (word, first) = self.place(sample);
        word.load(Relaxed) & (first << 1) == first << 1
    }

    /// Bytes that it takes.
    pub fn byte_count(&self) -> u64 {
        self.words.len() as u64 * 8
    }

    #[inline]
    fn place(&self, sample: u64) -> (&AtomicU64, u64) {
        let word = &self.words[sample as usize & (self.words.len() - 1)];
        let [one, other] = [58, 53].map(|shift| (sample >> shift) as u32 % SLOTS);
        (word, 1 << (2 * one) | 1 << (2 * other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix;

    #[test]
    fn what_was_seen_twice_is_repeated_and_little_else() {
        let seen = Seen::new(10_000, 1 << 30);
        let samples: Vec<u64> = (0..10_000).map(mix).collect();
        samples.iter().for_each(|sample| seen.note(*sample));
        let wrong = samples.iter().filter(|sample| seen.is_repeated(**sample)).count();
        // Two bits of 64 are taken of a word by each of one sample on average: some hundreds of ten thousand share both.
        assert!(wrong < 500, "{wrong}");
        samples[..1000].iter().for_each(|sample| seen.note(*sample));
        assert!(samples[..1000].iter().all(|sample| seen.is_repeated(*sample)));
    }

    #[test]
    fn threads_that_see_the_same_at_once_miss_nothing() {
        let seen = Seen::new(1000, 1 << 20);
        let samples: Vec<u64> = (0..1000).map(mix).collect();
        std::thread::scope(|scope| {
            (0..2).for_each(|_| drop(scope.spawn(|| samples.iter().for_each(|sample| seen.note(*sample)))));
        });
        assert!(samples.iter().all(|sample| seen.is_repeated(*sample)));
    }

    #[test]
    fn it_takes_no_more_than_it_may() {
        assert!(Seen::new(u64::from(u32::MAX), 100_000).byte_count() <= 100_000);
        assert!(Seen::new(0, 0).byte_count() > 0);
    }
}
