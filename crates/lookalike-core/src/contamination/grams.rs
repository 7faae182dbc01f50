//! The n-grams of some stretches of words, to be found in other texts: a filter of bits, then a table of places.
//!
//! An entry of the table is a place in the words, whose n-gram is compared word by word: the rolling hash only leads there.

/// Multiplies the hash of a window as it rolls by one word: odd, so that nothing is lost modulo 2^64.
const BASE: u64 = 0xD6E8_FEB8_6659_FD93;

/// Bits of the filter per n-gram: one in sixteen lookups of absent n-grams goes on to the table.
const FILTER_BITS: usize = 16;

/// No entry.
const NONE: u32 = u32::MAX;

/// Not to be followed: the n-gram is common.
const COMMON: u32 = u32::MAX - 1;

/// Places of n-grams of one length.
#[derive(Debug)]
pub(super) struct Grams {
    /// The number of words.
    pub(super) width: usize,
    /// Factor of the first word of a window.
    power: u64,
    filter: Vec<u64>,
    /// The first entry of each n-gram, at a place that its hash leads to.
    slots: Vec<u32>,
    /// Place of an n-gram, and the next entry of the same n-gram.
    entries: Vec<(u32, u32)>,
}

/// All places of one n-gram.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry(u32);

impl Grams {
    /// The n-grams at these places of `words`.
    pub(super) fn new(width: usize, words: &[u64], places: impl Iterator<Item = u32> + Clone) -> Self {
        let count = places.clone().count();
        let power = (1..width).fold(1_u64, |power, _| power.wrapping_mul(BASE));
        let mut grams = Self {
            width,
            power,
            filter: vec![0; (count * FILTER_BITS).div_ceil(64).max(1)],
            slots: vec![NONE; count + count / 2 + 1],
            entries: Vec::with_capacity(count),
        };
        for place in places {
            grams.add(place, words);
        }
        grams
    }

    fn add(&mut self, place: u32, words: &[u64]) {
        let window = &words[place as usize..place as usize + self.width];
        let hash = hash(window);
        let (at, bit) = self.bit(hash);
        self.filter[at] |= bit;
        let slot = self.slot(hash, window, words);
        self.entries.push((place, self.slots[slot]));
        self.slots[slot] = self.entries.len() as u32 - 1;
    }

    fn bit(&self, hash: u64) -> (usize, u64) {
        let bit = scaled(hash.rotate_left(32).wrapping_mul(BASE), self.filter.len() * 64);
        (bit / 64, 1 << (bit % 64))
    }

    /// The slot of a window, which is empty if no entry has it.
    fn slot(&self, hash: u64, window: &[u64], words: &[u64]) -> usize {
        let mut slot = scaled(mixed(hash), self.slots.len());
        while self.slots[slot] != NONE {
            let place = self.entries[self.slots[slot] as usize].0 as usize;
            if words[place..place + self.width] == *window {
                break;
            }
            slot = if slot + 1 == self.slots.len() { 0 } else { slot + 1 };
        }
        slot
    }

    /// Calls `found` with each window of `text` that is an n-gram of `words`: where it starts, and its entry.
    pub(super) fn each_in(&self, text: &[u64], words: &[u64], mut found: impl FnMut(usize, Entry)) {
        if self.entries.is_empty() || text.len() < self.width {
            return;
        }
        let mut rolling = hash(&text[..self.width]);
        let mut start = 0;
        loop {
            let (at, bit) = self.bit(rolling);
            if self.filter[at] & bit != 0 {
                let slot = self.slot(rolling, &text[start..start + self.width], words);
                if self.slots[slot] != NONE {
                    found(start, Entry(self.slots[slot]));
                }
            }
            let Some(next) = text.get(start + self.width) else { return };
            let first = text[start].wrapping_mul(self.power);
            rolling = rolling.wrapping_sub(first).wrapping_mul(BASE).wrapping_add(*next);
            start += 1;
        }
    }

    /// All n-grams, each once.
    pub(super) fn all(&self) -> impl Iterator<Item = Entry> {
        self.slots.iter().filter(|slot| **slot != NONE).map(|slot| Entry(*slot))
    }

    /// The places of an n-gram, the last one first; of a common one, a single place.
    pub(super) fn places(&self, entry: Entry) -> impl Iterator<Item = u32> {
        let mut next = entry.0;
        std::iter::from_fn(move || {
            let (place, after) = *self.entries.get(next as usize)?;
            next = after;
            Some(place)
        })
    }

    /// Forgets the places of an n-gram in an item after the first: a document that has it is compared with the item from
    /// there, once, and in an item of one repeated word it has thousands of places.
    pub(super) fn keep_first_of_each(&mut self, item_of: impl Fn(u32) -> u32) {
        for slot in 0..self.slots.len() {
            let mut at = self.slots[slot];
            // Places come last first, so those of an item follow each other.
            while let Some((mut place, mut next)) = self.entries.get(at as usize).copied() {
                let item = item_of(place);
                while let Some((before, after)) = self.entries.get(next as usize).copied()
                    && item_of(before) == item
                {
                    (place, next) = (before, after);
                }
                self.entries[at as usize] = (place, next);
                at = next;
            }
        }
    }

    /// Marks an n-gram as common: its other places are forgotten.
    pub(super) fn set_common(&mut self, entry: Entry) {
        self.entries[entry.0 as usize].1 = COMMON;
    }

    pub(super) fn is_common(&self, entry: Entry) -> bool {
        self.entries[entry.0 as usize].1 == COMMON
    }
}

fn hash(window: &[u64]) -> u64 {
    window.iter().fold(0, |hash: u64, word| hash.wrapping_mul(BASE).wrapping_add(*word))
}

/// A polynomial has its entropy in the upper bits only where its words have it everywhere; so these are spread.
fn mixed(hash: u64) -> u64 {
    (hash ^ hash >> 32).wrapping_mul(BASE)
}

/// A hash as a number below `most`.
fn scaled(hash: u64, most: usize) -> usize {
    ((u128::from(hash) * most as u128) >> 64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_of_every_window_is_found_and_nothing_else() {
        let draw = |at: u64| crate::hash::draw(at, 7) % 5;
        let words: Vec<u64> = (0..400).map(draw).collect();
        let text: Vec<u64> = (1000..3000).map(draw).collect();
        let grams = Grams::new(4, &words, 0..397);
        let mut found = Vec::new();
        grams.each_in(&text, &words, |start, entry| {
            found.extend(grams.places(entry).map(|place| (start, place as usize)));
        });
        found.sort_unstable();
        let windows = |all: &[u64]| all.windows(4).map(<[u64]>::to_vec).collect::<Vec<_>>();
        let mut expected = Vec::new();
        for (start, window) in windows(&text).iter().enumerate() {
            expected.extend((0..397).filter(|place| windows(&words)[*place] == *window).map(|place| (start, place)));
        }
        assert!(expected.len() > 500);
        assert_eq!(found, expected);
    }

    #[test]
    fn texts_shorter_than_a_window_have_none() {
        let grams = Grams::new(3, &[1, 2, 3], 0..1);
        let mut count = 0;
        for text in [&[][..], &[1, 2], &[1, 2, 3]] {
            grams.each_in(text, &[1, 2, 3], |_, _| count += 1);
        }
        assert_eq!(count, 1);
        Grams::new(3, &[], 0..0).each_in(&[1, 2, 3], &[], |_, _| unreachable!("there are no n-grams"));
    }
}
