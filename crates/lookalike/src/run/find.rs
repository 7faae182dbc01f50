//! The steps from sketches to decisions on candidates, shared by all jobs.

use std::sync::Mutex;

use lookalike_core::bucket::Buckets;
use lookalike_core::bucket::passed_over::{PassedOver, PassedOverEstimate};
use lookalike_core::decision::{Match, References};
use lookalike_core::ids::{Document, Number, Rank};
use lookalike_core::join::may_match;
use lookalike_core::measure::criterion::Criterion;
use lookalike_core::method::{Exact, Method, Sketched};
use lookalike_core::packed::Lists;
use lookalike_core::resolve::{Candidates, TakeFound, each_match};
use lookalike_core::sources::{FeatureSource, PairFilter, SourceError};
use lookalike_core::verify::{PairCounts, Verifier};
use rayon::prelude::*;

use crate::candidates::copies::Texts;
use crate::candidates::verified::{Batch, Resolved, Verified};
use crate::candidates::{lists, ranks};
use crate::error::{Error, Result};
use crate::items::{Items, KeptFeatures};
use crate::options::MethodOptions;
use crate::run::Run;

/// Input of the search.
pub(crate) struct Find<'a> {
    pub(crate) items: Items<'a>,
    pub(crate) texts: &'a Texts,
    pub(crate) references: References,
    /// Pairs that are not matches regardless of their similarity.
    pub(crate) filter: Option<&'a PairFilter<'a>>,
    /// Features that are still in memory from sketching.
    pub(crate) kept: Option<KeptFeatures>,
}

/// Statistics of the search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    /// True if the items were joined exactly because there are few, whatever the method of the scheme.
    pub(crate) is_small: bool,
    /// Number of items that share a bucket with another, excluding references; none if there are no buckets.
    pub(crate) sharing: Option<u64>,
    /// Number of items of the largest family, including references; none if there are no buckets.
    pub(crate) largest_family: Option<u64>,
    /// Number of pairs by stage; none if they are not counted individually.
    pub(crate) counts: Option<PairCounts>,
    /// Estimates for pairs that shared a bucket and were not compared.
    pub(crate) passed_over: PassedOverEstimate,
}

impl Find<'_> {
    /// Finds candidates, calls `resolve` to compute matches or removals, and passes these to `take`, a few at a time:
    /// there may be more than fit in memory.
    pub(crate) fn run<R: Resolved>(
        self,
        run: &Run<'_>,
        resolve: impl Fn(Candidates<'_>, &Verifier<'_>, &TakeFound<'_, R>) -> std::result::Result<(), SourceError> + Sync,
        take: impl FnMut(Vec<R>) -> Result<()> + Send,
    ) -> Result<Found> {
        let Self { items: searched, texts, references, filter, kept } = self;
        let Run { scheme, work, progress, .. } = run;
        let Items { sizes, sketched, deciding, shares, .. } = searched;
        let features = texts.items.iter().map(|item| u64::from(sizes[item.index()])).sum();
        let is_small = run.exact_if_small && Exact::is_cheap(texts.items.len(), features);
        let method: &dyn Method = if is_small { &Exact } else { &*run.method };
        let name = if is_small { MethodOptions::Exact.name() } else { scheme.method().name() };
        let again =
            run.stage_maybe("sketch again", || method.sketch_again(sizes, sketched)).map_err(Error::of_source)?;
        let sketches = again.as_ref().map_or(searched.sketches, |again| again);
        shares.check(method.memory(texts.items.len() as u64, features), name)?;
        let collector = lists::Collector::new(work, shares.lists());
        let mut all_are_lonely = false;
        let sets = run
            .stage("bucket", || {
                let ranks = ranks(texts, sizes.len());
                let (items, memory) = (&*texts.items, shares.sorting());
                let lonely = kept.filter(|_| is_small);
                let lonely = lonely.map(|kept| WithoutLonely::new(items, sizes, &kept, deciding, scheme.criterion()));
                all_are_lonely = lonely.as_ref().is_some_and(|lonely| lonely.may_match.is_empty());
                if all_are_lonely {
                    return Ok(None);
                }
                let deciding = lonely.as_ref().map_or(deciding, |lonely| lonely);
                let (ranks, source, criterion) = (&*ranks, sketched, scheme.criterion());
                let sketched = Sketched { items, ranks, sketches, source, deciding, sizes, criterion, memory };
                method.candidates(sketched, &|lists| {
                    progress.go_on()?;
                    Ok(collector.push(&lists)?)
                })
            })
            .map_err(Error::of_source)?;
        let passed_over = PassedOverEstimate::default();
        let without_counts = Found { is_small, sharing: None, largest_family: None, counts: None, passed_over };
        if all_are_lonely {
            return Ok(without_counts);
        }
        let verifier = Verifier::new(scheme.criterion(), sizes, sketches, method, deciding, shares.features());
        let verifier = verifier.with_filter(filter);
        let take = Mutex::new(take);
        let take = |some: Vec<R>| (take.lock().expect("no thread panicked"))(some);
        // A join knows of no filter: what it finds is verified like all candidates.
        if let (Some(sets), Some(_)) = (&sets, filter) {
            let push = |some: Vec<Match<Rank>>| {
                progress.go_on()?;
                let lists: Lists = some.iter().map(|Match { left, right, .. }| [left.0, right.0].into_iter()).collect();
                Ok(collector.push(&lists)?)
            };
            run.stage("join", || each_match(Candidates::Sets(sets), &texts.items, references, &verifier, &push))
                .map_err(Error::of_source)?;
        } else if let Some(sets) = sets {
            let take = |some: Vec<R>| Ok(take(some)?);
            let resolved = run.stage("verify", || {
                progress.go_on()?;
                resolve(Candidates::Sets(&sets), &verifier, &take)
            });
            resolved.map_err(Error::of_source)?;
            return Ok(without_counts);
        }
        let largest = texts.items.iter().map(|item| sizes[item.index()]).max().unwrap_or(0);
        let comparing = shares.comparing(largest, rayon::current_num_threads());
        let verify = || {
            let mut batches = collector.finish(texts.items.len(), shares)?;
            let mut verified = Verified::start(work)?;
            let (mut sharing, mut largest_family) = (0, 0);
            let (mut counts, mut passed_over) = (PairCounts::default(), PassedOver::default());
            for (at, roots) in batches.roots().to_vec().iter().enumerate() {
                progress.go_on()?;
                let batch = if let Some(earlier) = verified.take(roots) {
                    verified.each_resolved(&earlier, take)?;
                    earlier.batch
                } else {
                    let buckets = Buckets::of_lists(texts.items.len(), &batches.take(at)?);
                    let before = verifier.counts();
                    let take = |some: Vec<R>| {
                        verified.push_resolved(roots, &some)?;
                        Ok(take(some)?)
                    };
                    resolve(Candidates::Buckets(&buckets), &verifier, &take).map_err(Error::of_source)?;
                    let sharing = buckets.item_count_from(references.count) as u64;
                    let (counts, passed_over) = (verifier.counts() - before, verifier.take_passed_over());
                    let largest_family = buckets.largest_family() as u64;
                    let batch = Batch { counts, passed_over, sharing, largest_family };
                    verified.push(roots, &batch)?;
                    batch
                };
                sharing += batch.sharing;
                largest_family = largest_family.max(batch.largest_family);
                counts = counts + batch.counts;
                passed_over = passed_over.and(batch.passed_over);
            }
            let passed_over = estimate(&texts.items, &passed_over, counts, &verifier)?;
            let (sharing, largest_family, counts) = (Some(sharing), Some(largest_family), Some(counts));
            Ok(Found { is_small, sharing, largest_family, counts, passed_over })
        };
        run.stage("verify", || with_threads(comparing, verify))
    }
}

/// Runs `job` with at most this many threads.
fn with_threads<T: Send>(threads: usize, job: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    if threads >= rayon::current_num_threads() {
        return job();
    }
    match rayon::ThreadPoolBuilder::new().num_threads(threads).build() {
        Ok(pool) => pool.install(job),
        Err(_) => job(),
    }
}

/// Compares a sample of the pairs that were passed over, to estimate the number of near-duplicates among them.
fn estimate(
    items: &[Document],
    passed_over: &PassedOver,
    counts: PairCounts,
    verifier: &Verifier<'_>,
) -> Result<PassedOverEstimate> {
    let is_match = |(left, right): &(Rank, Rank)| verifier.is_match(items[left.index()], items[right.index()]);
    let sample: Vec<(Rank, Rank)> = passed_over.sample().collect();
    let compared: Vec<bool> =
        sample.par_iter().map(is_match).collect::<std::result::Result<_, _>>().map_err(Error::of_source)?;
    let matches = compared.iter().filter(|is_match| **is_match).count();
    Ok(estimate_of(items.len(), passed_over, counts, matches))
}

/// The estimate for the pairs that were passed over, by the number of matches in their sample.
pub(crate) fn estimate_of(
    items: usize,
    passed_over: &PassedOver,
    counts: PairCounts,
    matches: usize,
) -> PassedOverEstimate {
    let all = items as u64 * (items as u64).saturating_sub(1) / 2;
    passed_over.estimate(matches, all.saturating_sub(counts.candidates))
}

/// The features of documents that may have a match; all others have none here, and are not read again.
struct WithoutLonely<'a> {
    features: &'a dyn FeatureSource,
    /// The documents that may have a match, sorted.
    may_match: Vec<Document>,
}

impl<'a> WithoutLonely<'a> {
    fn new(
        items: &[Document],
        sizes: &[u32],
        kept: &KeptFeatures,
        features: &'a dyn FeatureSource,
        criterion: Criterion,
    ) -> Self {
        let sizes: Vec<u32> = items.iter().map(|item| sizes[item.index()]).collect();
        let is_wanted = may_match(&sizes, |item| kept.of(items[item]), criterion);
        let wanted = items.iter().zip(is_wanted).filter(|(_, is_wanted)| *is_wanted);
        let mut may_match: Vec<Document> = wanted.map(|(document, _)| *document).collect();
        may_match.sort_unstable();
        Self { features, may_match }
    }
}

impl FeatureSource for WithoutLonely<'_> {
    fn features(&self, document: Document) -> std::result::Result<Vec<u64>, SourceError> {
        match self.may_match.binary_search(&document) {
            Ok(_) => self.features.features(document),
            Err(_) => Ok(Vec::new()),
        }
    }

    fn second_features(&self, document: Document) -> std::result::Result<Option<Vec<u64>>, SourceError> {
        match self.may_match.binary_search(&document) {
            Ok(_) => self.features.second_features(document),
            Err(_) => Ok(Some(Vec::new())),
        }
    }
}
