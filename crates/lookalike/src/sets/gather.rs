//! Who has what, row by row, to a collection of sets.
//!
//! Note that rows of one name are one set, wherever they stand. So a set may be written as one
//! long line, or as a row for each element.

use std::collections::HashMap;
use std::ops::Range;

use lookalike_core::hash::{Hasher, Key};
use lookalike_core::packed::Strings;

use super::delimiter::Delimiter;
use super::need::Need;
use crate::report::summary::{SkipReason, SkippedEntry};

/// How many skipped rows are named.
const NAMED: usize = 1000;

/// Sets by number, with the features of their elements, which may be repeated.
#[derive(Debug, Default)]
pub(super) struct Collection {
    pub(super) ids: Strings,
    features: Vec<u64>,
    /// Where the features of each set end.
    ends: Vec<usize>,
    /// A weight for each feature, if there are weights.
    pub(super) weights: Option<Vec<f64>>,
    /// What seems to stand between elements.
    pub(super) delimiter: Option<Delimiter>,
    pub(super) skipped: u64,
    pub(super) skipped_rows: Vec<SkippedEntry>,
}

impl Collection {
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Where the features of a set are among all of them.
    pub(super) fn places(&self, set: usize) -> Range<usize> {
        if set == 0 { 0..self.ends[0] } else { self.ends[set - 1]..self.ends[set] }
    }

    pub(super) fn features(&self, set: usize) -> &[u64] {
        &self.features[self.places(set)]
    }

    /// The features of a set, each once, ascending.
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

    /// Whether no set has an element.
    pub(super) fn has_nothing(&self) -> bool {
        self.features.is_empty()
    }

    /// Makes features the numbers of elements, in the order in which they came up: what sketches find must not depend on a key.
    pub(super) fn number_elements(&mut self) {
        let mut numbers: HashMap<u64, u64> = HashMap::new();
        for feature in &mut self.features {
            let next = numbers.len() as u64;
            *feature = *numbers.entry(*feature).or_insert(next);
        }
    }

    /// The sets of both, one collection after the other.
    pub(super) fn followed_by(mut self, others: Self) -> Self {
        let before = self.features.len();
        self.ids.append(&others.ids);
        self.features.extend(others.features);
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

/// Takes rows.
pub(super) struct Gather {
    /// What elements and names are known by: nobody can write two that are taken for one.
    key: Key,
    hasher: Hasher,
    /// Elements are sets, and the names of rows are elements.
    is_transposed: bool,
    ids: Strings,
    /// Of names by 128 bits: a million of them share 64 bits too easily.
    numbers: HashMap<u128, u32>,
    /// The number of a set, or the feature of an element, that the row is about.
    row: u64,
    memberships: Vec<(u32, u64)>,
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
            row: 0,
            memberships: Vec::new(),
            weights: has_weights.then(Vec::new),
            skipped: 0,
            skipped_rows: Vec::new(),
        }
    }

    /// Begins a row of the set of this name.
    pub(super) fn begin(&mut self, name: &str) {
        self.row =
            if self.is_transposed { self.hasher.token_hash(name.as_bytes()) } else { u64::from(self.number(name)) };
    }

    /// Adds an element to the row; its weight counts only where there are weights, and must not be 0 there.
    pub(super) fn add(&mut self, element: &str, weight: f64) {
        let membership = if self.is_transposed {
            (self.number(element), self.row)
        } else {
            (self.row as u32, self.hasher.token_hash(element.as_bytes()))
        };
        self.memberships.push(membership);
        if let Some(weights) = &mut self.weights {
            weights.push(weight);
        }
    }

    /// Notes that a row was left out.
    pub(super) fn skip(&mut self, file: &str, entry: &'static str, position: u64, reason: SkipReason) {
        self.skip_all(SkippedEntry { file: file.to_owned(), entry, position, reason, count: 1 });
    }

    /// Notes that one or several rows were left out.
    pub(super) fn skip_all(&mut self, entry: SkippedEntry) {
        self.skipped += entry.count;
        if self.skipped_rows.len() < NAMED {
            self.skipped_rows.push(entry);
        }
    }

    /// Notes that further rows were left out, which are not named.
    pub(super) fn count_skipped(&mut self, count: u64) {
        self.skipped += count;
    }

    /// What is held so far.
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

    /// The sets in the order in which they came up.
    pub(super) fn finish(self) -> Collection {
        let mut ends = vec![0; self.ids.len()];
        self.memberships.iter().for_each(|(set, _)| ends[*set as usize] += 1);
        let mut total = 0;
        for end in &mut ends {
            // For now the start; filling in moves each to its end.
            (*end, total) = (total, total + *end);
        }
        let mut features = vec![0; total];
        let mut weights = self.weights.as_ref().map(|_| vec![0.0; total]);
        for (at, (set, feature)) in self.memberships.iter().enumerate() {
            let end: &mut usize = &mut ends[*set as usize];
            features[*end] = *feature;
            if let (Some(weights), Some(own)) = (&mut weights, &self.weights) {
                weights[*end] = own[at];
            }
            *end += 1;
        }
        let Self { ids, skipped, skipped_rows, .. } = self;
        Collection { ids, features, ends, weights, delimiter: None, skipped, skipped_rows }
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
    fn transposed_elements_are_sets() {
        let sets = gathered(true);
        assert_eq!(sets.ids.iter().collect::<Vec<_>>(), ["alien", "brazil"]);
        assert_eq!(sets.features(1), ["bob", "ann"].map(|name| token_hash(name.as_bytes())));
        let both = sets.followed_by(gathered(true));
        assert_eq!((both.len(), both.features(3)), (4, both.features(1)));
    }
}
