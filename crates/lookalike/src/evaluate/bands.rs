//! For each band, the scores of the pairs that agree in it.

use std::sync::Mutex;

use lookalike_core::bucket::{Buckets, Entry, lists_of_columns};
use lookalike_core::hash::Key;
use lookalike_core::ids::{Number, Rank};
use lookalike_core::measure::feature_set::Overlap;
use lookalike_core::method::NO_RANK;
use lookalike_core::sources::FeatureSource;
use rayon::prelude::*;
use serde::Serialize;

use super::{EvaluateOptions, Read, read};
use crate::candidates::copies::Texts;
use crate::candidates::ranks;
use crate::corpus::Corpus;
use crate::corpus::reread::Reread;
use crate::error::{Error, Result};
use crate::options::Scheme;
use crate::progress::Progress;

/// Number of steps of scores.
const STEPS: usize = 10;

/// For a larger bucket, only pairs among its first members are used: boilerplate would dominate by its square.
const MOST_MEMBERS: usize = 200;

/// The pairs that agree in one band, by their scores.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct BandHistogram {
    /// The number of the band, counted from 1.
    pub band: usize,
    /// Number of pairs that agree in it.
    pub pair_count: u64,
    /// By score, from 0 upwards.
    pub scores: Vec<ScoreStep>,
}

/// Pairs in one step of the score.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ScoreStep {
    /// The lower end of the step.
    pub score: f64,
    /// Their share of the pairs of the band.
    pub share: f64,
    /// Their number.
    pub pair_count: u64,
}

pub(super) fn histograms(
    options: &EvaluateOptions,
    similarity: &Scheme,
    progress: &dyn Progress,
) -> Result<Vec<BandHistogram>> {
    let Some(banding) = similarity.method().banding() else { return Ok(Vec::new()) };
    let Read { corpus, texts, run } = read(options, similarity, progress)?;
    let _work = run.end();
    let ranks = ranks(&texts, corpus.len());
    let pairs_of_band = |band: usize| {
        let entries = |_, push: &mut dyn FnMut(Entry)| {
            corpus.sketches().each_keys(&[band], &mut |document, keys| {
                let rank = ranks[document.index()];
                if rank != NO_RANK {
                    push(Entry { key: keys[0], rank: rank.0 });
                }
            })
        };
        let found = Mutex::new(Vec::new());
        let take = |lists| {
            found.lock().expect("no thread panicked").push(lists);
            Ok(())
        };
        lists_of_columns(1, texts.items.len(), corpus.shares.sorting(), entries, take).map_err(Error::of_source)?;
        let lists = found.into_inner().expect("no thread panicked");
        Ok(pairs_in(&Buckets::of_lists(texts.items.len(), &lists)))
    };
    let by_band: Vec<Vec<(Rank, Rank)>> = (0..banding.bands()).map(pairs_of_band).collect::<Result<_>>()?;
    let mut pairs = by_band.concat();
    pairs.sort_unstable();
    pairs.dedup();
    let overlaps = overlaps(&corpus, &texts, &pairs, options, similarity, progress)?;
    let score = |pair: &(Rank, Rank)| {
        let at = pairs.binary_search(pair).expect("every pair of a band was measured");
        similarity.criterion().similarity(overlaps[at])
    };
    let histogram = |(band, pairs): (usize, &Vec<(Rank, Rank)>)| BandHistogram {
        band: band + 1,
        pair_count: pairs.len() as u64,
        scores: steps(pairs.iter().map(score)),
    };
    Ok(by_band.iter().enumerate().map(histogram).collect())
}

/// All pairs of ranks that share a bucket, sorted.
pub(super) fn pairs_in(buckets: &Buckets) -> Vec<(Rank, Rank)> {
    let of_family = |family: lookalike_core::bucket::Family<'_>| {
        let mut pairs = Vec::new();
        for bucket in family.buckets() {
            let bucket = &bucket[..bucket.len().min(MOST_MEMBERS)];
            for (at, left) in bucket.iter().enumerate() {
                let rank = |place: &u32| Rank(family.items[*place as usize]);
                pairs.extend(bucket[at + 1..].iter().map(|right| (rank(left), rank(right))));
            }
        }
        pairs
    };
    let mut pairs: Vec<(Rank, Rank)> = buckets.families().map(of_family).collect::<Vec<_>>().concat();
    pairs.par_sort_unstable();
    pairs.dedup();
    pairs
}

/// Measures sorted pairs exactly. The features of the left text are read once for all its pairs.
pub(super) fn overlaps(
    corpus: &Corpus,
    texts: &Texts,
    pairs: &[(Rank, Rank)],
    options: &EvaluateOptions,
    similarity: &Scheme,
    progress: &dyn Progress,
) -> Result<Vec<Overlap>> {
    let reread = Reread::new(corpus, &options.read, similarity, Key::random(), progress);
    let features = |rank: Rank| reread.features(texts.items[rank.index()]).map_err(Error::of_source);
    let of_left = |pairs: &[(Rank, Rank)]| {
        let left = features(pairs[0].0)?;
        pairs.iter().map(|(_, right)| Ok(Overlap::of(&left, &features(*right)?))).collect::<Result<Vec<_>>>()
    };
    let by_left: Vec<&[(Rank, Rank)]> = pairs.chunk_by(|left, right| left.0 == right.0).collect();
    Ok(by_left.into_par_iter().map(of_left).collect::<Result<Vec<_>>>()?.concat())
}

fn steps(scores: impl Iterator<Item = f64>) -> Vec<ScoreStep> {
    let mut numbers = [0_u64; STEPS];
    scores.for_each(|score| numbers[((score * STEPS as f64) as usize).min(STEPS - 1)] += 1);
    let all = numbers.iter().sum::<u64>().max(1) as f64;
    let step = |(at, number): (usize, &u64)| ScoreStep {
        score: at as f64 / STEPS as f64,
        share: *number as f64 / all,
        pair_count: *number,
    };
    numbers.iter().enumerate().map(step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_fall_into_steps_and_one_into_the_last() {
        let steps = steps([0.0, 0.05, 0.95, 1.0].into_iter());
        assert_eq!(steps[0], ScoreStep { score: 0.0, share: 0.5, pair_count: 2 });
        assert_eq!(steps[9], ScoreStep { score: 0.9, share: 0.5, pair_count: 2 });
        assert_eq!(steps.iter().map(|step| step.pair_count).sum::<u64>(), 4);
    }
}
