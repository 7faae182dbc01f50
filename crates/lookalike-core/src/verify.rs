//! Candidates to matches: the exact similarity of two feature sets, measured only where it cannot be ruled out.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use crate::bucket::Family;
use crate::feature_filter::FeatureFilter;
use crate::feature_set::{FeatureSet, Overlap};
use crate::similarity::Threshold;
use crate::sketch::Sketches;

/// Where the features of items come from: they are not all in memory, so getting them may fail.
pub trait FeatureSource: Sync {
    /// Why features could not be had.
    type Error: Send;

    /// The features of one item, repeated where its text repeats itself.
    ///
    /// # Errors
    ///
    /// When the item cannot be read again.
    fn features(&self, item: u32) -> Result<Vec<u64>, Self::Error>;
}

/// How likely it may be that the test on sketches rejects a pair exactly at the threshold: one in a billion.
const DOUBT: f64 = 1e-9;

/// How many bytes of features all families under way hold together, so that an item is mostly read once.
const HELD_BYTES: usize = 96 << 20;

/// How many bytes a family may hold however many threads there are.
const LEAST_HELD_BYTES: usize = 16 << 20;

/// What all families need to be verified.
#[derive(Debug)]
pub struct Verifier<'a, S> {
    threshold: Threshold,
    sizes: &'a [u32],
    sketches: &'a Sketches,
    source: &'a S,
    least_agreeing: usize,
    counts: Counts,
}

/// How many pairs came how far.
#[derive(Debug, Default)]
struct Counts {
    candidates: AtomicU64,
    measured: AtomicU64,
    matches: AtomicU64,
    passed_over: AtomicU64,
}

/// How many pairs came how far. Where a removed item needs no further proof, further pairs are not looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairCounts {
    /// Pairs that shared a bucket and were looked at.
    pub candidates: u64,
    /// Of these, measured exactly: the others were beyond doubt too different.
    pub measured: u64,
    /// Of these, alike enough.
    pub matches: u64,
    /// Pairs that shared a bucket and were not looked at, since a bucket had too many kept items; at most so many.
    pub passed_over: u64,
}

impl<'a, S: FeatureSource> Verifier<'a, S> {
    /// A verifier of items by the sizes of their feature sets, their sketches and their features.
    pub fn new(threshold: Threshold, sizes: &'a [u32], sketches: &'a Sketches, source: &'a S) -> Self {
        let least_agreeing = least_agreeing(sketches.banding().slot_count(), threshold.value());
        Self { threshold, sizes, sketches, source, least_agreeing, counts: Counts::default() }
    }

    /// What was done so far. The same for any number of threads, since what is examined does not depend on them.
    pub fn counts(&self) -> PairCounts {
        PairCounts {
            candidates: self.counts.candidates.load(Relaxed),
            measured: self.counts.measured.load(Relaxed),
            matches: self.counts.matches.load(Relaxed),
            passed_over: self.counts.passed_over.load(Relaxed),
        }
    }

    /// A bench for one family; `items` are the places in sizes and sketches, by rank.
    pub fn bench(&self, family: Family<'_>, items: &[u32]) -> Bench<'_, S> {
        Bench {
            verifier: self,
            items: family.items.iter().map(|rank| items[*rank as usize]).collect(),
            held: family.items.iter().map(|_| OnceLock::new()).collect(),
            held_bytes: AtomicUsize::new(0),
        }
    }
}

/// Measures pairs of one family, and holds features that are likely to be asked for again.
pub struct Bench<'a, S> {
    verifier: &'a Verifier<'a, S>,
    items: Vec<u32>,
    held: Vec<OnceLock<Arc<Features>>>,
    held_bytes: AtomicUsize,
}

/// An item on a bench, by its place in the family. Its features are had when they are first needed, and then once.
pub struct OnBench {
    place: u32,
    features: OnceLock<Arc<Features>>,
}

/// The features of one item; and, once they are asked for, their set and its filter: of two items, one needs them.
struct Features {
    all: Vec<u64>,
    filter: OnceLock<FeatureFilter>,
    set: OnceLock<FeatureSet>,
}

impl Features {
    fn filter(&self) -> &FeatureFilter {
        self.filter.get_or_init(|| FeatureFilter::new(&self.all))
    }

    fn set(&self) -> &FeatureSet {
        self.set.get_or_init(|| FeatureSet::new(&self.all))
    }
}

impl<S: FeatureSource> Bench<'_, S> {
    /// Puts an item on the bench, to be compared with others.
    pub fn put(&self, place: u32) -> OnBench {
        OnBench { place, features: OnceLock::new() }
    }

    /// The exact overlap of a pair, alike or not. Faster when `right` is the same for many a `left`.
    ///
    /// # Errors
    ///
    /// When the features of one cannot be had.
    pub fn overlap(&self, left: &OnBench, right: &OnBench) -> Result<Overlap, S::Error> {
        let shared = self.features(right)?.set().shared_count(&self.features(left)?.all);
        Ok(self.overlap_of(left, right, shared))
    }

    /// A candidate's overlap if it is a match.
    ///
    /// # Errors
    ///
    /// When the features of one cannot be had.
    pub fn verify(&self, left: &OnBench, right: &OnBench) -> Result<Option<Overlap>, S::Error> {
        let counts = &self.verifier.counts;
        let is_possible = self.is_possible(left, right);
        let found = if is_possible { self.verify_exactly(left, right)? } else { None };
        counts.candidates.fetch_add(1, Relaxed);
        counts.measured.fetch_add(u64::from(is_possible), Relaxed);
        counts.matches.fetch_add(u64::from(found.is_some()), Relaxed);
        Ok(found)
    }

    /// The same without being counted, for pairs that may have been verified before.
    ///
    /// # Errors
    ///
    /// When the features of one cannot be had.
    pub fn verify_again(&self, left: &OnBench, right: &OnBench) -> Result<Option<Overlap>, S::Error> {
        if self.is_possible(left, right) { self.verify_exactly(left, right) } else { Ok(None) }
    }

    /// Counts candidates that were passed over, since a bucket has too many.
    pub fn pass_over(&self, count: u64) {
        self.verifier.counts.passed_over.fetch_add(count, Relaxed);
    }

    /// Lets go of all features when there is no room for more. To be called now and then, between parallel work.
    pub fn make_room(&mut self) {
        if *self.held_bytes.get_mut() >= most_held_bytes() {
            self.held.iter_mut().for_each(|held| drop(held.take()));
            *self.held_bytes.get_mut() = 0;
        }
    }

    /// Whether a pair could be a match: the length filter, then the sketches. Says no only to what is beyond doubt.
    fn is_possible(&self, left: &OnBench, right: &OnBench) -> bool {
        let [left, right] = [left, right].map(|item| self.items[item.place as usize]);
        let verifier = self.verifier;
        verifier.threshold.allows_sizes(verifier.sizes[left as usize], verifier.sizes[right as usize])
            && verifier.sketches.agreeing(left, right) >= verifier.least_agreeing
    }

    fn verify_exactly(&self, left: &OnBench, right: &OnBench) -> Result<Option<Overlap>, S::Error> {
        let threshold = self.verifier.threshold;
        let most_shared = self.features(right)?.filter().most_shared(&self.features(left)?.all);
        if !self.overlap_of(left, right, most_shared).reaches(threshold) {
            return Ok(None);
        }
        Ok(Some(self.overlap(left, right)?).filter(|overlap| overlap.reaches(threshold)))
    }

    /// The overlap of a pair that shares so many features; more than one of them has are none.
    fn overlap_of(&self, left: &OnBench, right: &OnBench, shared: u32) -> Overlap {
        let [left, right] = [left, right].map(|item| self.verifier.sizes[self.items[item.place as usize] as usize]);
        Overlap { shared: shared.min(left).min(right), left, right }
    }

    fn features<'i>(&self, item: &'i OnBench) -> Result<&'i Features, S::Error> {
        if let Some(features) = item.features.get() {
            return Ok(features);
        }
        let held = &self.held[item.place as usize];
        let features = match held.get() {
            Some(features) => Arc::clone(features),
            None => self.read(item.place, held)?,
        };
        Ok(item.features.get_or_init(|| features))
    }

    fn read(&self, place: u32, held: &OnceLock<Arc<Features>>) -> Result<Arc<Features>, S::Error> {
        let all = self.verifier.source.features(self.items[place as usize])?;
        // A set takes up to four times the features, its filter half as much.
        let bytes = all.len() * 6 * size_of::<u64>();
        let features = Arc::new(Features { all, filter: OnceLock::new(), set: OnceLock::new() });
        // Two threads may read the same item at once; then the second finds the place taken, which does no harm.
        if self.held_bytes.load(Relaxed) < most_held_bytes() && held.set(Arc::clone(&features)).is_ok() {
            self.held_bytes.fetch_add(bytes, Relaxed);
        }
        Ok(features)
    }
}

/// The share of one family: each thread has one under way. It must hold the kept items of a block at least.
fn most_held_bytes() -> usize {
    (HELD_BYTES / rayon::current_num_threads()).max(LEAST_HELD_BYTES)
}

/// The least number of agreeing slots that does not reject a pair: the chance that one at the threshold or above has
/// fewer is at most [`DOUBT`].
///
/// The number of agreeing slots of two sets with similarity J is concentrated at least as well as a binomial variable
/// of k draws with chance J (Dahlgaard, Knudsen, Thorup 2017, theorem 2 and its Chernoff bounds), and low bytes that
/// agree by chance only add to it.
fn least_agreeing(slots: usize, threshold: f64) -> usize {
    let mut below = 0.0;
    for agreeing in 0..=slots {
        below += binomial(slots, agreeing, threshold);
        if below > DOUBT {
            return agreeing;
        }
    }
    slots
}

fn binomial(draws: usize, hits: usize, chance: f64) -> f64 {
    if chance >= 1.0 {
        return if hits == draws { 1.0 } else { 0.0 };
    }
    // By logarithms: the coefficients alone would overflow.
    let log_choose: f64 = (1..=hits).map(|i| ((draws - hits + i) as f64 / i as f64).ln()).sum();
    (log_choose + hits as f64 * chance.ln() + (draws - hits) as f64 * (1.0 - chance).ln()).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binomial_chances_add_up_to_one() {
        let sum: f64 = (0..=96).map(|hits| binomial(96, hits, 0.8)).sum();
        assert!((sum - 1.0).abs() < 1e-12);
        assert!((binomial(3, 2, 0.5) - 0.375).abs() < 1e-12);
    }

    #[test]
    fn a_pair_at_the_threshold_is_as_good_as_never_rejected() {
        let least = least_agreeing(96, 0.8);
        let rejected: f64 = (0..least).map(|agreeing| binomial(96, agreeing, 0.8)).sum();
        assert!(rejected <= DOUBT && rejected + binomial(96, least, 0.8) > DOUBT);
        // And yet the test is of use: a pair half alike agrees in 48 slots, give or take 5.
        assert!((50..56).contains(&least), "{least}");
    }

    #[test]
    fn equal_sets_agree_in_all_slots() {
        assert_eq!(least_agreeing(96, 1.0), 96);
    }
}
