//! Builds a collection of sets, row by row.
//!
//! Note that rows with the same name are one set, wherever they are. A set may thus be one long line, or one row per
//! element.

use std::collections::HashMap;
use std::ops::Range;

use lookalike_core::hash::{Hasher, Key};
use lookalike_core::packed::Strings;
use rayon::prelude::*;

use super::delimiter::Delimiter;
use super::need::Need;
use crate::report::summary::{SkipReason, SkippedEntry};

/// Maximum number of skipped rows to list.
const NAMED: usize = 1000;

/// Sets by number, with the features of their elements, which may be repeated.
#[derive(Debug, Default)]
pub(super) struct Collection {
    pub(super) ids: Strings,
    features: Vec<u64>,
    /// More of the hash of each element, to tell elements with the same feature apart.
    tags: Vec<u32>,
    /// The end of each set's features.
    ends: Vec<usize>,
    /// A weight for each feature, if there are weights.
    pub(super) weights: Option<Vec<f64>>,
    /// The detected separator of elements.
    pub(super) delimiter: Option<Delimiter>,
    pub(super) skipped: u64,
    pub(super) skipped_rows: Vec<SkippedEntry>,
}

impl Collection {
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The range of a set's features.
    pub(super) fn places(&self, set: usize) -> Range<usize> {
        if set == 0 { 0..self.ends[0] } else { self.ends[set - 1]..self.ends[set] }
    }

    pub(super) fn features(&self, set: usize) -> &[u64] {
        &self.features[self.places(set)]
    }

    /// The distinct features of a set, ascending.
    pub(super) fn distinct_features(&self, set: usize) -> Vec<u64> {
        let mut features = self.features(set).to_vec();
        features.sort_unstable();
        features.dedup();
        features
    }

    pub(super) fn all_features(&self) -> &[u64] {
        &self.features
    }

    pub(super) fn need(&self) -> Need {
        let (sets, elements) = (self.len() as u64, self.features.len() as u64);
        Need { sets, elements, id_bytes: self.ids.byte_count() as u64 }
    }

    pub(super) fn empty_count(&self) -> u64 {
        (0..self.len()).filter(|set| self.places(*set).is_empty()).count() as u64
    }

    /// True if no set has an element.
    pub(super) fn has_nothing(&self) -> bool {
        self.features.is_empty()
    }

    /// Replaces features by the numbers of elements, in order of first occurrence: sketches must not depend on a key.
    pub(super) fn number_elements(&mut self) {
        let mut numbers: HashMap<(u64, u32), u64> = HashMap::new();
        for (feature, tag) in self.features.iter_mut().zip(&self.tags) {
            let next = numbers.len() as u64;
            *feature = *numbers.entry((*feature, *tag)).or_insert(next);
        }
    }

    /// True if two different elements of these sets have the same feature, with which one would be taken for the other.
    pub(super) fn has_collision(&self, is_doubtful: impl Fn(usize) -> bool) -> bool {
        let doubtful: Vec<usize> = (0..self.len()).filter(|set| is_doubtful(*set)).collect();
        let collides = |section: u64| {
            let mut tags: HashMap<u64, u32> = HashMap::new();
            let places = doubtful.iter().flat_map(|set| self.places(*set));
            places.filter(|at| self.features[*at] >> 58 == section).any(|at| {
                let tag = self.tags[at];
                *tags.entry(self.features[at]).or_insert(tag) != tag
            })
        };
        // In parts by their highest bits, so that few elements are in memory once more.
        !doubtful.is_empty() && (0..1 << 6).into_par_iter().any(collides)
    }

    /// Appends the sets of another collection.
    pub(super) fn followed_by(mut self, others: Self) -> Self {
        let before = self.features.len();
        self.ids.append(&others.ids);
        self.features.extend(others.features);
        self.tags.extend(others.tags);
        self.ends.extend(others.ends.iter().map(|end| before + end));
        if let (Some(weights), Some(others)) = (&mut self.weights, others.weights) {
            weights.extend(others);
        }
        self.skipped += others.skipped;
        self.skipped_rows.extend(others.skipped_rows);
        self.skipped_rows.truncate(NAMED);
        self
    }
}

/// Collects rows.
pub(super) struct Gather {
    /// The key of hashes of elements and names: nobody can construct two that collide.
    key: Key,
    hasher: Hasher,
    /// True if elements are sets, and the names of rows are elements.
    is_transposed: bool,
    ids: Strings,
    /// By 128-bit hashes of names: with 64 bits, a million of them collide too easily.
    numbers: HashMap<u128, u32>,
    /// The current set number, or if transposed, the feature and the tag of the current element.
    row: (u64, u32),
    /// Sets with their elements: features and tags.
    memberships: Vec<(u32, u32, u64)>,
    weights: Option<Vec<f64>>,
    skipped: u64,
    skipped_rows: Vec<SkippedEntry>,
}

impl Gather {
    pub(super) fn new(key: Key, is_transposed: bool, has_weights: bool) -> Self {
        Self {
            key,
            hasher: Hasher::new(key),
            is_transposed,
            ids: Strings::default(),
            numbers: HashMap::new(),
            row: (0, 0),
            memberships: Vec::new(),
            weights: has_weights.then(Vec::new),
            skipped: 0,
            skipped_rows: Vec::new(),
        }
    }

    /// Starts a row of the set with this name.
    pub(super) fn begin(&mut self, name: &str) {
        self.row = if self.is_transposed {
            self.hasher.tagged_token_hash(name.as_bytes())
        } else {
            (u64::from(self.number(name)), 0)
        };
    }

    /// Adds an element to the row; its weight is used only if there are weights, and must not be 0 then.
    pub(super) fn add(&mut self, element: &str, weight: f64) {
        let (set, (feature, tag)) = if self.is_transposed {
            (self.number(element), self.row)
        } else {
            (self.row.0 as u32, self.hasher.tagged_token_hash(element.as_bytes()))
        };
        self.memberships.push((set, tag, feature));
        if let Some(weights) = &mut self.weights {
            weights.push(weight);
        }
    }

    /// Records a skipped row.
    pub(super) fn skip(&mut self, file: &str, entry: &'static str, position: u64, reason: SkipReason) {
        self.skip_all(SkippedEntry { file: file.to_owned(), entry, position, reason, count: 1 });
    }

    /// Records one or several skipped rows.
    pub(super) fn skip_all(&mut self, entry: SkippedEntry) {
        self.skipped += entry.count;
        if self.skipped_rows.len() < NAMED {
            self.skipped_rows.push(entry);
        }
    }

    /// Counts further skipped rows, which are not listed.
    pub(super) fn count_skipped(&mut self, count: u64) {
        self.skipped += count;
    }

    /// Memory held so far.
    pub(super) fn need(&self) -> Need {
        Need {
            sets: self.ids.len() as u64,
            elements: self.memberships.len() as u64,
            id_bytes: self.ids.byte_count() as u64,
        }
    }

    fn number(&mut self, name: &str) -> u32 {
        *self.numbers.entry(self.key.bytes_hash(name.as_bytes())).or_insert_with(|| {
            self.ids.push(name);
            self.ids.len() as u32 - 1
        })
    }

    /// Returns the sets in order of first occurrence.
    pub(super) fn finish(self) -> Collection {
        let mut ends = vec![0; self.ids.len()];
        self.memberships.iter().for_each(|(set, ..)| ends[*set as usize] += 1);
        let mut total = 0;
        for end in &mut ends {
            // For now the start; filling in moves each to its end.
            (*end, total) = (total, total + *end);
        }
        let (mut features, mut tags) = (vec![0; total], vec![0; total]);
        let mut weights = self.weights.as_ref().map(|_| vec![0.0; total]);
        for (at, (set, tag, feature)) in self.memberships.iter().enumerate() {
            let end: &mut usize = &mut ends[*set as usize];
            (features[*end], tags[*end]) = (*feature, *tag);
            if let (Some(weights), Some(own)) = (&mut weights, &self.weights) {
                weights[*end] = own[at];
            }
            *end += 1;
        }
        let Self { ids, skipped, skipped_rows, .. } = self;
        Collection { ids, features, tags, ends, weights, delimiter: None, skipped, skipped_rows }
    }
}

#[cfg(test)]
mod tests {
    use lookalike_core::hash::token_hash;

    use super::*;

    fn gathered(is_transposed: bool) -> Collection {
        let mut gather = Gather::new(Key::FIXED, is_transposed, true);
        for (name, element, weight) in [("ann", "alien", 5.0), ("bob", "brazil", 1.0), ("ann", "brazil", 2.0)] {
            gather.begin(name);
            gather.add(element, weight);
        }
        gather.begin("cleo");
        gather.finish()
    }

    #[test]
    fn rows_of_one_name_are_one_set() {
        let sets = gathered(false);
        assert_eq!(sets.ids.iter().collect::<Vec<_>>(), ["ann", "bob", "cleo"]);
        assert_eq!(sets.features(0), ["alien", "brazil"].map(|element| token_hash(element.as_bytes())));
        assert_eq!(sets.weights.as_deref(), Some(&[5.0, 2.0, 1.0][..]));
        assert_eq!(sets.empty_count(), 1);
    }

    #[test]
    fn elements_with_the_same_feature_are_told_apart() {
        let mut gather = Gather::new(Key::new(7), false, false);
        for (name, element) in [("ann", "alien"), ("bob", "brazil"), ("cleo", "alien")] {
            gather.begin(name);
            gather.add(element, 1.0);
        }
        let mut sets = gather.finish();
        assert!(!sets.has_collision(|_| true));
        // A collision that no key known to us has.
        sets.features[1] = sets.features[0];
        assert!(sets.has_collision(|_| true));
        assert!(!sets.has_collision(|set| set != 1));
        sets.number_elements();
        assert_eq!((sets.features(0), sets.features(1), sets.features(2)), (&[0][..], &[1][..], &[0][..]));
    }

    #[test]
    fn transposed_elements_are_sets() {
        let sets = gathered(true);
        assert_eq!(sets.ids.iter().collect::<Vec<_>>(), ["alien", "brazil"]);
        assert_eq!(sets.features(1), ["bob", "ann"].map(|name| token_hash(name.as_bytes())));
        let both = sets.followed_by(gathered(true));
        assert_eq!((both.len(), both.features(3)), (4, both.features(1)));
    }
}
