//! Verifies candidates: measures the exact similarity of two feature sets, unless a match can be ruled out.

use std::borrow::Cow;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::bucket::Family;
use crate::bucket::passed_over::PassedOver;
use crate::ids::{Document, FamilyPlace, Number};
use crate::measure::criterion::Criterion;
use crate::measure::distinct::Distinct;
use crate::measure::feature_filter::FeatureFilter;
use crate::measure::feature_set::{FeatureSet, Overlap};
use crate::measure::likeness::Likeness;
use crate::method::Method;
use crate::sources::{FeatureSource, PairFilter, SketchSource, SourceError};

/// Maximum bytes of features that all families in progress hold together, so that most items are read once. More does
/// not help.
pub const MOST_HELD_BYTES: usize = 96 << 20;

/// The data that all families need for verification.
pub struct Verifier<'a> {
    criterion: Criterion,
    sizes: &'a [u32],
    sketches: &'a dyn SketchSource,
    method: &'a dyn Method,
    source: &'a dyn FeatureSource,
    filter: Option<&'a PairFilter<'a>>,
    /// The share of one family: each thread processes one.
    most_held_bytes: usize,
    counts: Counts,
    passed_over: Mutex<PassedOver>,
}

/// Number of pairs per stage.
#[derive(Debug, Default)]
struct Counts {
    candidates: AtomicU64,
    measured: AtomicU64,
    matches: AtomicU64,
}

/// Numbers of pairs by stage. A removed item needs no further comparison, so its remaining pairs are not examined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairCounts {
    /// Pairs that shared a bucket and were examined.
    pub candidates: u64,
    /// Of these, the pairs measured exactly: the others were certainly too different.
    pub measured: u64,
    /// Of these, the matches.
    pub matches: u64,
}

impl std::ops::Add for PairCounts {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            candidates: self.candidates + other.candidates,
            measured: self.measured + other.measured,
            matches: self.matches + other.matches,
        }
    }
}

impl std::ops::Sub for PairCounts {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self {
            candidates: self.candidates - other.candidates,
            measured: self.measured - other.measured,
            matches: self.matches - other.matches,
        }
    }
}

impl<'a> Verifier<'a> {
    /// Creates a verifier from the sizes of the items' feature sets, their sketches and their features, which holds
    /// approximately this many bytes of features.
    pub fn new(
        criterion: Criterion,
        sizes: &'a [u32],
        sketches: &'a dyn SketchSource,
        method: &'a dyn Method,
        source: &'a dyn FeatureSource,
        held_bytes: usize,
    ) -> Self {
        let most_held_bytes = held_bytes.min(MOST_HELD_BYTES) / rayon::current_num_threads();
        Self {
            criterion,
            sizes,
            sketches,
            method,
            source,
            filter: None,
            most_held_bytes,
            counts: Counts::default(),
            passed_over: Mutex::default(),
        }
    }

    /// The same; pairs that the filter does not allow are no matches, however similar they are.
    #[must_use]
    pub fn with_filter(self, filter: Option<&'a PairFilter<'a>>) -> Self {
        Self { filter, ..self }
    }

    /// The criterion for a match.
    pub fn criterion(&self) -> Criterion {
        self.criterion
    }

    /// The counts so far. They do not depend on the number of threads.
    pub fn counts(&self) -> PairCounts {
        PairCounts {
            candidates: self.counts.candidates.load(Relaxed),
            measured: self.counts.measured.load(Relaxed),
            matches: self.counts.matches.load(Relaxed),
        }
    }

    /// Takes the pairs passed over since the last call.
    pub fn take_passed_over(&self) -> PassedOver {
        std::mem::take(&mut *self.passed_over.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Adds the pairs that a family passed over.
    pub(crate) fn pass_over(&self, some: PassedOver) {
        let mut all = self.passed_over.lock().unwrap_or_else(PoisonError::into_inner);
        *all = std::mem::take(&mut *all).and(some);
    }

    /// True if two items are a match, whatever buckets they share. This is not counted.
    ///
    /// # Errors
    ///
    /// If the features of one cannot be read.
    pub fn is_match(&self, left: Document, right: Document) -> Result<bool, SourceError> {
        let bench = self.bench_of(vec![left, right]);
        Ok(bench.verify_again(&bench.put(FamilyPlace(0)), &bench.put(FamilyPlace(1)))?.is_some())
    }

    /// Creates a bench for one family; `items` by rank.
    pub fn bench(&self, family: Family<'_>, items: &[Document]) -> Bench<'_> {
        self.bench_of(family.items.iter().map(|rank| items[*rank as usize]).collect())
    }

    fn bench_of(&self, items: Vec<Document>) -> Bench<'_> {
        Bench {
            verifier: self,
            held: items.iter().map(|_| OnceLock::new()).collect(),
            sketches: items.iter().map(|_| OnceLock::new()).collect(),
            held_bytes: AtomicUsize::new(0),
            items,
        }
    }
}

/// Measures pairs of one family, and holds features that are likely to be needed again.
pub struct Bench<'a> {
    verifier: &'a Verifier<'a>,
    items: Vec<Document>,
    held: Vec<OnceLock<Arc<Features>>>,
    sketches: Vec<OnceLock<Cow<'a, [u8]>>>,
    held_bytes: AtomicUsize,
}

/// An item on a bench, by its position in the family. Its features are read when they are first needed.
pub struct OnBench {
    place: FamilyPlace,
    features: OnceLock<Arc<Features>>,
    sketch: OnceLock<Vec<u8>>,
}

/// The features of one item; and their set and its filter, once needed: a pair needs them for one of its items.
struct Features {
    all: Vec<u64>,
    filter: OnceLock<FeatureFilter>,
    set: OnceLock<FeatureSet>,
    size: OnceLock<u32>,
}

impl Features {
    fn filter(&self) -> &FeatureFilter {
        self.filter.get_or_init(|| FeatureFilter::new(&self.all))
    }

    fn set(&self) -> &FeatureSet {
        self.set.get_or_init(|| FeatureSet::new(&self.all))
    }

    fn size(&self) -> u32 {
        *self.size.get_or_init(|| self.set.get().map_or_else(|| Distinct::new(&self.all).size(), FeatureSet::size))
    }
}

impl Bench<'_> {
    /// Puts an item on the bench, to be compared with others.
    pub fn put(&self, place: FamilyPlace) -> OnBench {
        OnBench { place, features: OnceLock::new(), sketch: OnceLock::new() }
    }

    /// The exact overlap of a pair, whether it is a match or not. Faster if `right` is the same for many calls.
    ///
    /// # Errors
    ///
    /// If the features of one cannot be read.
    pub fn likeness(&self, left: &OnBench, right: &OnBench) -> Result<Likeness, SourceError> {
        match self.likeness_of_sketches(left, right)? {
            Some(likeness) => Ok(likeness),
            None => Ok(Likeness::Features(self.overlap(left, right)?)),
        }
    }

    /// The exact overlap of a candidate pair, if it is a match.
    ///
    /// # Errors
    ///
    /// If the features of one cannot be read.
    pub fn verify(&self, left: &OnBench, right: &OnBench) -> Result<Option<Likeness>, SourceError> {
        let counts = &self.verifier.counts;
        let is_possible = self.is_possible(left, right)?;
        let found = if is_possible { self.verify_exactly(left, right)? } else { None };
        counts.candidates.fetch_add(1, Relaxed);
        counts.measured.fetch_add(u64::from(is_possible), Relaxed);
        counts.matches.fetch_add(u64::from(found.is_some()), Relaxed);
        Ok(found)
    }

    /// The same without counting, for pairs that may have been verified before.
    ///
    /// # Errors
    ///
    /// If the features of one cannot be read.
    pub fn verify_again(&self, left: &OnBench, right: &OnBench) -> Result<Option<Likeness>, SourceError> {
        if self.is_possible(left, right)? { self.verify_exactly(left, right) } else { Ok(None) }
    }

    /// The criterion for a match.
    pub fn criterion(&self) -> Criterion {
        self.verifier.criterion
    }

    /// True if one pair is more similar than another.
    pub fn is_more(&self, likeness: Likeness, other: Likeness) -> bool {
        let criterion = self.criterion();
        likeness.similarity(criterion) > other.similarity(criterion)
    }

    /// Drops all features if there is no room for more. Call this from time to time, between parallel work.
    pub fn make_room(&mut self) {
        if *self.held_bytes.get_mut() >= self.verifier.most_held_bytes {
            self.held.iter_mut().for_each(|held| drop(held.take()));
            self.sketches.iter_mut().for_each(|held| drop(held.take()));
            *self.held_bytes.get_mut() = 0;
        }
    }

    /// True if a pair could be a match: the length filter, then the sketches. False only if a match is practically
    /// impossible.
    fn is_possible(&self, left: &OnBench, right: &OnBench) -> Result<bool, SourceError> {
        let Verifier { criterion, sizes, method, .. } = self.verifier;
        let [left_size, right_size] = [left, right].map(|item| sizes[self.items[item.place.index()].index()]);
        // If the sketches are the measure, sizes do not matter.
        if !method.is_measure() && !criterion.allows_sizes(left_size, right_size) {
            return Ok(false);
        }
        Ok(method.allows(self.sketch(left)?, self.sketch(right)?))
    }

    /// A match: similar enough, and allowed by the filter.
    fn verify_exactly(&self, left: &OnBench, right: &OnBench) -> Result<Option<Likeness>, SourceError> {
        let (found, filter) = (self.similar(left, right)?, self.verifier.filter);
        let (Some(likeness), Some(filter)) = (found, filter) else { return Ok(found) };
        let [left, right] = [left, right].map(|item| self.items[item.place.index()]);
        Ok(filter(left, right)?.then_some(likeness))
    }

    /// Similarity of two items by their features, or by their sketches if these are the measure (then every candidate
    /// is similar).
    fn similar(&self, left: &OnBench, right: &OnBench) -> Result<Option<Likeness>, SourceError> {
        if let Some(likeness) = self.likeness_of_sketches(left, right)? {
            return Ok(Some(likeness));
        }
        let criterion = self.verifier.criterion;
        let most_shared = self.features(right)?.filter().most_shared(&self.features(left)?.all);
        if !criterion.accepts(self.overlap_of(left, right, most_shared)) {
            return Ok(None);
        }
        let overlap = self.overlap(left, right)?;
        let is_match = criterion.accepts(overlap) && (overlap.shared != 1 || self.is_confirmed(left, right)?);
        Ok(is_match.then_some(Likeness::Features(overlap)))
    }

    /// True if two items that share a single feature also share one with a second key. One in 2^64 pairs of shingles
    /// has the same feature by chance, and there may be billions of pairs of very short texts.
    fn is_confirmed(&self, left: &OnBench, right: &OnBench) -> Result<bool, SourceError> {
        let second = |item: &OnBench| self.verifier.source.second_features(self.items[item.place.index()]);
        let (Some(left), Some(right)) = (second(left)?, second(right)?) else { return Ok(true) };
        Ok(FeatureSet::new(&right).shared_count(&left) > 0)
    }

    fn likeness_of_sketches(&self, left: &OnBench, right: &OnBench) -> Result<Option<Likeness>, SourceError> {
        let method = self.verifier.method;
        if !method.is_measure() {
            return Ok(None);
        }
        Ok(method.likeness(self.sketch(left)?, self.sketch(right)?))
    }

    fn sketch<'i>(&'i self, item: &'i OnBench) -> Result<&'i [u8], SourceError> {
        let held = &self.sketches[item.place.index()];
        if let Some(sketch) = held.get() {
            return Ok(sketch);
        }
        if let Some(sketch) = item.sketch.get() {
            return Ok(sketch);
        }
        match self.verifier.sketches.bytes(self.items[item.place.index()])? {
            Cow::Owned(sketch) if !self.has_room() => Ok(item.sketch.get_or_init(|| sketch)),
            sketch => {
                if let Cow::Owned(sketch) = &sketch {
                    self.held_bytes.fetch_add(sketch.len() + OVERHEAD, Relaxed);
                }
                Ok(held.get_or_init(|| sketch))
            }
        }
    }

    fn has_room(&self) -> bool {
        self.held_bytes.load(Relaxed) < self.verifier.most_held_bytes
    }

    /// The exact overlap of a pair, computed only from features that are read now. This includes sizes: those stored
    /// with the sketches count features hashed with a key that the authors of the texts may know.
    fn overlap(&self, left: &OnBench, right: &OnBench) -> Result<Overlap, SourceError> {
        let [left, right] = [self.features(left)?, self.features(right)?];
        Ok(Overlap { shared: right.set().shared_count(&left.all), left: left.size(), right: right.size() })
    }

    /// The overlap of a pair with the sizes stored with their sketches; `shared` is limited to the smaller of these.
    fn overlap_of(&self, left: &OnBench, right: &OnBench, shared: u32) -> Overlap {
        let [left, right] = [left, right].map(|item| self.verifier.sizes[self.items[item.place.index()].index()]);
        Overlap { shared: shared.min(left).min(right), left, right }
    }

    fn features<'i>(&self, item: &'i OnBench) -> Result<&'i Features, SourceError> {
        if let Some(features) = item.features.get() {
            return Ok(features);
        }
        let held = &self.held[item.place.index()];
        let features = match held.get() {
            Some(features) => Arc::clone(features),
            None => self.read(item.place, held)?,
        };
        Ok(item.features.get_or_init(|| features))
    }

    fn read(&self, place: FamilyPlace, held: &OnceLock<Arc<Features>>) -> Result<Arc<Features>, SourceError> {
        let all = self.verifier.source.features(self.items[place.index()])?;
        // A set takes up to four times the space of the features, its filter half of it.
        let bytes = all.len() * 6 * size_of::<u64>();
        let features = Arc::new(Features { all, filter: OnceLock::new(), set: OnceLock::new(), size: OnceLock::new() });
        // Two threads may read the same item at once; then the second finds it present, which does no harm.
        if self.has_room() && held.set(Arc::clone(&features)).is_ok() {
            self.held_bytes.fetch_add(bytes, Relaxed);
        }
        Ok(features)
    }
}

/// Approximate overhead of an allocation.
const OVERHEAD: usize = 16;
