//! Counts the documents that have each unit, and finds its first place.
//!
//! All threads count at the same time; the result does not depend on their order.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use super::units::UnitPlace;

/// The first place of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct First {
    /// The number of the document.
    pub document: u32,
    /// The first byte of the unit.
    pub start: u32,
}

/// A unit that documents have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occurrence {
    /// Its first place.
    pub first: First,
    /// Number of documents that have it, or of places that do not overlap.
    pub documents: u32,
}

/// Definition of a copy of a unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Counting {
    /// Another document that has it, however often.
    #[default]
    Documents,
    /// Another place, in the same document as well, that does not overlap the one before.
    Places,
}

type Shard = HashMap<u128, Occurrence, BuildHasherDefault<KeyHasher>>;

/// Parts of the map, each with a lock.
const SHARDS: usize = 256;

/// Bytes per unit, with what a map has empty, and what it takes while it grows.
pub const BYTES_PER_UNIT: u64 = 72;

/// Counts units.
#[derive(Debug)]
pub struct OccurrenceCounter {
    shards: Vec<Mutex<Shard>>,
    counting: Counting,
    count: AtomicUsize,
    most: usize,
}

impl OccurrenceCounter {
    /// Has room for different units in `most_bytes` bytes.
    pub fn new(counting: Counting, most_bytes: u64) -> Self {
        let shards = (0..SHARDS).map(|_| Mutex::default()).collect();
        Self { shards, counting, count: AtomicUsize::new(0), most: (most_bytes / BYTES_PER_UNIT) as usize }
    }

    /// Counts the units of a document, in any order. Returns true if there is still room; if not, the counts must not
    /// be used.
    #[must_use]
    pub fn add(&self, document: u32, units: &mut Vec<UnitPlace>) -> bool {
        units.sort_unstable_by_key(|unit| (unit.key, unit.start));
        if self.counting == Counting::Documents {
            units.dedup_by_key(|unit| unit.key);
        } else {
            // The first of several overlapping units stays.
            units.dedup_by(|unit, before| unit.key == before.key && unit.start < before.end);
        }
        for of_shard in units.chunk_by(|left, right| shard(left.key) == shard(right.key)) {
            let mut map = self.shards[shard(of_shard[0].key)].lock().unwrap_or_else(PoisonError::into_inner);
            let before = map.len();
            for unit in of_shard {
                let first = First { document, start: unit.start };
                let occurrence = map.entry(unit.key).or_insert(Occurrence { first, documents: 0 });
                occurrence.documents += 1;
                occurrence.first = occurrence.first.min(first);
            }
            let added = map.len() - before;
            drop(map);
            if self.count.fetch_add(added, Relaxed) + added > self.most {
                return false;
            }
        }
        true
    }

    /// Returns the units that at least `at_least` documents have.
    pub fn finish(self, at_least: u32) -> Occurrences {
        let repeated = |shard: Mutex<Shard>| {
            let mut shard = shard.into_inner().unwrap_or_else(PoisonError::into_inner);
            shard.retain(|_, occurrence| occurrence.documents >= at_least);
            shard
        };
        Occurrences { shards: self.shards.into_iter().map(repeated).collect() }
    }
}

/// Units that several documents have.
#[derive(Debug)]
pub struct Occurrences {
    shards: Vec<Shard>,
}

impl Occurrences {
    /// Looks up a unit; none if too few documents have it.
    #[inline]
    pub fn of(&self, key: u128) -> Option<Occurrence> {
        self.shards[shard(key)].get(&key).copied()
    }

    /// Number of units.
    pub fn len(&self) -> usize {
        self.shards.iter().map(HashMap::len).sum()
    }

    /// Returns true if there are no units.
    pub fn is_empty(&self) -> bool {
        self.shards.iter().all(HashMap::is_empty)
    }
}

/// Returns the shard of a key. Keys are already hashes with a secret key: the high half, of which 61 bits count,
/// selects the shard, and the low half the place in it.
fn shard(key: u128) -> usize {
    (key >> 117) as usize % SHARDS
}

/// Takes the low half of a key as it is.
#[derive(Default)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        // The map looks at the highest bits too, and the keys of runs have none there.
        self.0.rotate_left(3)
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("keys are numbers")
    }

    fn write_u128(&mut self, key: u128) {
        self.0 = key as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(key: u128, start: u32) -> UnitPlace {
        UnitPlace { key: key << 64 | key, number: start, start, end: start + 1 }
    }

    #[test]
    fn documents_are_counted_once_each_and_the_first_place_is_found_in_any_order() {
        let counter = OccurrenceCounter::new(Counting::Documents, 1 << 20);
        assert!(counter.add(7, &mut vec![unit(1, 5), unit(2, 0), unit(1, 9)]));
        assert!(counter.add(3, &mut vec![unit(1, 8), unit(3, 0), unit(1, 4)]));
        let found = counter.finish(2);
        let first = First { document: 3, start: 4 };
        assert_eq!(found.of(unit(1, 0).key), Some(Occurrence { first, documents: 2 }));
        assert_eq!((found.of(unit(2, 0).key), found.len()), (None, 1));
    }

    #[test]
    fn places_of_one_document_count_where_they_do_not_overlap() {
        let counter = OccurrenceCounter::new(Counting::Places, 1 << 20);
        let long = |start: u32| UnitPlace { end: start + 10, ..unit(1, start) };
        assert!(counter.add(7, &mut vec![long(25), long(5), long(1), long(11)]));
        let found = counter.finish(2);
        let first = First { document: 7, start: 1 };
        assert_eq!(found.of(unit(1, 0).key), Some(Occurrence { first, documents: 3 }));
    }

    #[test]
    fn it_says_when_there_is_no_room() {
        let counter = OccurrenceCounter::new(Counting::Documents, 10 * BYTES_PER_UNIT);
        assert!(counter.add(0, &mut (0..10).map(|key| unit(key, 0)).collect()));
        assert!(counter.add(1, &mut (0..10).map(|key| unit(key, 0)).collect()), "nothing new");
        assert!(!counter.add(2, &mut vec![unit(10, 0)]));
    }
}
