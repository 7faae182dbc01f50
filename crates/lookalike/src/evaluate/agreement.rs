//! Pairs by the number of super-shingles in which they agree: 2-sim, 3-sim and so on. (Fetterly, Manasse, Najork 2003)

use std::sync::Mutex;

use lookalike_core::bucket::Buckets;
use lookalike_core::ids::{Document, Number};
use lookalike_core::method::{NO_RANK, Sketched};
use serde::Serialize;

use super::bands::{overlaps, pairs_in};
use super::{EvaluateOptions, Read, read};
use crate::candidates::ranks;
use crate::corpus::reread::Reread;
use crate::error::{Error, Result};
use crate::options::Scheme;
use crate::progress::Progress;

/// Pairs that agree in a given number of super-shingles.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Agreement {
    /// Number of equal super-shingles.
    pub equal_count: usize,
    /// Number of pairs.
    pub pair_count: u64,
    /// Their mean similarity.
    pub mean_similarity: f64,
    /// The share of them that are near-duplicates.
    pub near_duplicate_share: f64,
}

pub(super) fn table(options: &EvaluateOptions, similarity: &Scheme, progress: &dyn Progress) -> Result<Vec<Agreement>> {
    let Some(banding) = similarity.method().banding() else { return Ok(Vec::new()) };
    let Read { corpus, texts, run } = read(options, similarity, progress)?;
    let (_, work) = run.end();
    let reread = Reread::new(&corpus, &options.read, similarity, similarity.key().of(work.key()), progress);
    let ranks = ranks(&texts, corpus.len());
    let (items, memory, sketches) = (&*texts.items, corpus.shares.sorting(), corpus.sketches());
    let (source, sizes, criterion) = (&reread, &*corpus.sizes, similarity.criterion());
    let sketched = Sketched { items, ranks: &ranks, sketches, source, deciding: source, sizes, criterion, memory };
    let found = Mutex::new(Vec::new());
    let take = |lists| {
        found.lock().expect("no thread panicked").push(lists);
        Ok(())
    };
    similarity.build_method().candidates(sketched, &take).map_err(Error::of_source)?;
    let lists = found.into_inner().expect("no thread panicked");
    let pairs = pairs_in(&Buckets::of_lists(items.len(), &lists));
    let mut keys = vec![0; items.len() * banding.bands()];
    let bands: Vec<usize> = (0..banding.bands()).collect();
    let keep_keys = &mut |document: Document, of_document: &[u64]| {
        let rank = ranks[document.index()];
        if rank != NO_RANK {
            keys[rank.index() * bands.len()..][..bands.len()].copy_from_slice(of_document);
        }
    };
    sketches.each_keys(&bands, keep_keys).map_err(Error::of_source)?;
    let overlaps = overlaps(&corpus, &texts, &pairs, options, similarity, progress)?;
    let mut sums = vec![(0_u64, 0.0, 0_u64); banding.bands() + 1];
    for ((left, right), overlap) in pairs.iter().zip(overlaps) {
        let [left, right] = [left, right].map(|rank| &keys[rank.index() * bands.len()..][..bands.len()]);
        let equal = left.iter().zip(right).filter(|(left, right)| left == right).count();
        let (pairs, similarities, near) = &mut sums[equal];
        *pairs += 1;
        *similarities += similarity.criterion().similarity(overlap);
        *near += u64::from(similarity.criterion().accepts(overlap));
    }
    let row = |(equal, (pairs, similarities, near)): (usize, &(u64, f64, u64))| {
        let share = |part: f64| if *pairs == 0 { 0.0 } else { part / *pairs as f64 };
        Agreement {
            equal_count: equal,
            pair_count: *pairs,
            mean_similarity: share(*similarities),
            near_duplicate_share: share(*near as f64),
        }
    };
    Ok(sums.iter().enumerate().skip(banding.agreeing()).map(row).collect())
}
