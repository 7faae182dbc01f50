//! Pairs by the number of super-shingles in which they agree: 2-sim, 3-sim and so on. (Fetterly, Manasse, Najork 2003)

use lookalike_core::method::Sketched;
use serde::Serialize;

use super::EvaluateOptions;
use super::bands::{overlaps, pairs_in, sketched};
use crate::error::{Error, Result};
use crate::options::MethodOptions;
use crate::progress::Progress;
use crate::reread::Reread;

/// Pairs that agree in so many super-shingles.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Agreement {
    /// In how many.
    pub equal: usize,
    /// How many pairs.
    pub pairs: u64,
    /// The mean of their similarities.
    pub mean_similarity: f64,
    /// The share of them that are near-duplicates.
    pub near_duplicates: f64,
}

pub(super) fn table(
    options: &EvaluateOptions,
    method: &MethodOptions,
    progress: &dyn Progress,
) -> Result<Vec<Agreement>> {
    let Some(banding) = method.banding() else { return Ok(Vec::new()) };
    let (corpus, texts, similarity) = sketched(options, method, progress)?;
    let reread = Reread::new(&corpus, &options.read, &similarity, progress);
    let sketched = Sketched { items: &texts.items, sketches: &corpus.sketches, source: &reread };
    let candidates = similarity.method.method(similarity.criterion)?.candidates(sketched).map_err(Error::of_source)?;
    let pairs = match &candidates {
        lookalike_core::method::Candidates::Buckets(buckets) => pairs_in(buckets),
        lookalike_core::method::Candidates::Sets(_) => Vec::new(),
    };
    let overlaps = overlaps(&corpus, &texts, &pairs, options, &similarity, progress)?;
    let mut sums = vec![(0_u64, 0.0, 0_u64); banding.bands() + 1];
    for ((left, right), overlap) in pairs.iter().zip(overlaps) {
        let [left, right] = [left, right].map(|rank| corpus.sketches.keys(texts.items[*rank as usize]));
        let equal = left.iter().zip(right).filter(|(left, right)| left == right).count();
        let (pairs, similarities, near) = &mut sums[equal];
        *pairs += 1;
        *similarities += similarity.criterion.similarity(overlap);
        *near += u64::from(similarity.criterion.accepts(overlap));
    }
    let row = |(equal, (pairs, similarities, near)): (usize, &(u64, f64, u64))| {
        let share = |part: f64| if *pairs == 0 { 0.0 } else { part / *pairs as f64 };
        Agreement { equal, pairs: *pairs, mean_similarity: share(*similarities), near_duplicates: share(*near as f64) }
    };
    Ok(sums.iter().enumerate().skip(banding.agreeing()).map(row).collect())
}
