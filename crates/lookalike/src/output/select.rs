//! Selects the pairs to write: those within a range of similarities, and all or a sample of these.
//!
//! The sample is selected by a hash of both documents' positions in the input, so it does not depend on threads or on
//! the order in which pairs are found, and a larger sample contains every smaller one.

use std::collections::BTreeMap;

use lookalike_core::hash::draw;
use lookalike_core::ids::Document;
use lookalike_core::measure::criterion::Criterion;
use lookalike_core::measure::likeness::Likeness;

use crate::options::Selection;

/// Two documents, left before right, with their measurement.
pub(crate) type FoundPair = (Document, Document, Likeness);

/// Selects pairs one by one.
pub(crate) struct Selecting<'a> {
    selection: &'a Selection,
    criterion: Criterion,
    /// The pairs with the smallest hashes.
    sampled: BTreeMap<u64, FoundPair>,
    /// Number of pairs in the range.
    pub(crate) count: u64,
}

impl<'a> Selecting<'a> {
    pub(crate) fn new(selection: &'a Selection, criterion: Criterion) -> Self {
        Self { selection, criterion, sampled: BTreeMap::new(), count: 0 }
    }

    /// Adds a pair; returns it if it must be written at once.
    pub(crate) fn take(&mut self, pair: FoundPair) -> Option<FoundPair> {
        let similarity = pair.2.similarity(self.criterion);
        if self.selection.between.is_some_and(|between| !between.contains(similarity)) {
            return None;
        }
        self.count += 1;
        let Some(most) = self.selection.sample else { return Some(pair) };
        // A bijection of both numbers, so that hashes of pairs are distinct.
        self.sampled.insert(draw(u64::from(pair.0.0) << 32 | u64::from(pair.1.0), 0), pair);
        if self.sampled.len() > most.get() {
            self.sampled.pop_last();
        }
        None
    }

    /// The sample, in input order.
    pub(crate) fn sample(&mut self) -> Vec<FoundPair> {
        let mut sample: Vec<FoundPair> = std::mem::take(&mut self.sampled).into_values().collect();
        sample.sort_unstable_by_key(|(left, right, _)| (*left, *right));
        sample
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use lookalike_core::measure::feature_set::Overlap;
    use lookalike_core::measure::similarity::Threshold;

    use super::*;

    fn sample(size: usize, pairs: impl Iterator<Item = (u32, u32)>) -> Vec<(u32, u32)> {
        let selection = Selection { sample: NonZeroUsize::new(size), ..Selection::default() };
        let mut selecting = Selecting::new(&selection, Criterion::Jaccard(Threshold::new(0.5).unwrap()));
        for (left, right) in pairs {
            assert!(
                selecting.take((Document(left), Document(right), Likeness::Features(Overlap::of_equals(3)))).is_none()
            );
        }
        selecting.sample().iter().map(|(left, right, _)| (left.0, right.0)).collect()
    }

    #[test]
    fn a_sample_is_the_same_in_any_order_and_part_of_a_larger_one() {
        let pairs = || (0..40_u32).flat_map(|left| (left + 1..40).map(move |right| (left, right)));
        let mut reversed: Vec<_> = pairs().collect();
        reversed.reverse();
        let small = sample(20, pairs());
        assert_eq!(small.len(), 20);
        assert!(small.is_sorted());
        assert_eq!(small, sample(20, reversed.into_iter()));
        let large = sample(200, pairs());
        assert!(small.iter().all(|pair| large.contains(pair)));
        assert_eq!(sample(10_000, pairs()).len(), 780);
    }

    #[test]
    fn every_pair_is_in_a_sample_equally_often() {
        // Lefts of 100,000 pairs, in ten groups: each has 100 of 1,000 with a standard deviation of 9.5.
        let sampled = sample(1000, (0..1000_u32).flat_map(|left| (1000..1100).map(move |right| (left, right))));
        let mut groups = [0_i32; 10];
        sampled.iter().for_each(|(left, _)| groups[*left as usize / 100] += 1);
        assert!(groups.iter().all(|count| (count - 100).abs() < 45), "{groups:?}");
    }
}
