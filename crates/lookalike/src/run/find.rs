//! From sketches to decisions about candidates, the same for every job.

use std::sync::Mutex;

use lookalike_core::bucket::Buckets;
use lookalike_core::bucket::passed_over::{PassedOver, PassedOverEstimate};
use lookalike_core::decision::References;
use lookalike_core::ids::{Number, Rank};
use lookalike_core::method::Sketched;
use lookalike_core::resolve::{Candidates, TakeFound};
use lookalike_core::sources::SourceError;
use lookalike_core::verify::{PairCounts, Verifier};
use rayon::prelude::*;

use crate::candidates::copies::Texts;
use crate::candidates::verified::{Batch, Resolved, Verified};
use crate::candidates::{lists, ranks};
use crate::error::{Error, Result};
use crate::items::Items;
use crate::run::Run;

/// What a job gives to be searched.
#[derive(Clone, Copy)]
pub(crate) struct Find<'a> {
    pub(crate) items: Items<'a>,
    pub(crate) texts: &'a Texts,
    pub(crate) references: References,
}

/// How much was found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    /// How many items share a bucket with another, references not counted; none where there are no buckets.
    pub(crate) sharing: Option<u64>,
    /// How many pairs came how far; none where they are not counted one by one.
    pub(crate) counts: Option<PairCounts>,
    /// What is known of pairs that shared a bucket and were not compared.
    pub(crate) passed_over: PassedOverEstimate,
}

impl Find<'_> {
    /// Finds candidates, lets `resolve` make of them what the job needs, matches or removals, and gives that to `take`, a few at a
    /// time: there may be more than fit the memory.
    pub(crate) fn run<R: Resolved>(
        self,
        run: &Run<'_>,
        resolve: impl Fn(Candidates<'_>, &Verifier<'_>, &TakeFound<'_, R>) -> std::result::Result<(), SourceError>,
        take: impl FnMut(Vec<R>) -> Result<()> + Send,
    ) -> Result<Found> {
        let Self { items: searched, texts, references } = self;
        let Run { scheme, method, work, progress, .. } = run;
        let method = &**method;
        let Items { sizes, sketched, deciding, shares, .. } = searched;
        let again =
            run.stage_maybe("sketch again", || method.sketch_again(sizes, sketched)).map_err(Error::of_source)?;
        let sketches = again.as_ref().map_or(searched.sketches, |again| again);
        let features = texts.items.iter().map(|item| u64::from(sizes[item.index()])).sum();
        let (items, name) = (texts.items.len() as u64, scheme.method().name());
        shares.check(method.memory(items, features), name)?;
        let collector = lists::Collector::new(work, shares.lists());
        let sets = run
            .stage("bucket", || {
                let ranks = ranks(texts, sizes.len());
                let (items, memory) = (&*texts.items, shares.sorting());
                let sketched = Sketched { items, ranks: &ranks, sketches, source: sketched, deciding, memory };
                method.candidates(sketched, &|lists| {
                    progress.go_on()?;
                    Ok(collector.push(&lists)?)
                })
            })
            .map_err(Error::of_source)?;
        let verifier = Verifier::new(scheme.criterion(), sizes, sketches, method, deciding, shares.features());
        let take = Mutex::new(take);
        let take = |some: Vec<R>| (take.lock().expect("no thread panicked"))(some);
        if let Some(sets) = sets {
            let take = |some: Vec<R>| Ok(take(some)?);
            let resolved = run.stage("verify", || resolve(Candidates::Sets(&sets), &verifier, &take));
            resolved.map_err(Error::of_source)?;
            return Ok(Found { sharing: None, counts: None, passed_over: PassedOverEstimate::default() });
        }
        run.stage("verify", || {
            let mut batches = collector.finish(texts.items.len(), shares)?;
            let mut verified = Verified::start(work)?;
            let (mut sharing, mut counts, mut passed_over) = (0, PairCounts::default(), PassedOver::default());
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
                    let batch = Batch { counts, passed_over, sharing };
                    verified.push(roots, &batch)?;
                    batch
                };
                sharing += batch.sharing;
                counts = counts + batch.counts;
                passed_over = passed_over.and(batch.passed_over);
            }
            let passed_over = self.estimate(&passed_over, counts, &verifier)?;
            Ok(Found { sharing: Some(sharing), counts: Some(counts), passed_over })
        })
    }

    /// Compares a sample of the pairs that were passed over after all, to say how many near-duplicates are among them.
    fn estimate(
        &self,
        passed_over: &PassedOver,
        counts: PairCounts,
        verifier: &Verifier<'_>,
    ) -> Result<PassedOverEstimate> {
        let items = &self.texts.items;
        let is_match = |(left, right): &(Rank, Rank)| verifier.is_match(items[left.index()], items[right.index()]);
        let sample: Vec<(Rank, Rank)> = passed_over.sample().collect();
        let compared: Vec<bool> =
            sample.par_iter().map(is_match).collect::<std::result::Result<_, _>>().map_err(Error::of_source)?;
        let matches = compared.iter().filter(|is_match| **is_match).count();
        let all = items.len() as u64 * (items.len() as u64).saturating_sub(1) / 2;
        Ok(passed_over.estimate(matches, all.saturating_sub(counts.candidates)))
    }
}
