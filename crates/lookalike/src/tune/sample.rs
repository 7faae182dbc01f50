//! A sample of a corpus: the number of pairs by similarity, and the threshold that this suggests.

use lookalike_core::bucket::banding::Banding;
use lookalike_core::method::Exact;
use lookalike_io::input::discover::LeftOut;
use serde::Serialize;

use super::TuneOptions;
use super::buckets::{Buckets, Slots};
use super::chance::Chance;
use super::pairs::{EDGES, Effort, PairCounts, Texts};
use super::read::{Corpus, SLOTS};
use super::removals::Removals;
use super::suggest::{Suggestion, suggest};
use crate::error::Result;
use crate::options::ReadOptions;
use crate::progress::Progress;
use crate::statistics::Estimate;

/// Amount of sampling: an error of a few percent in each step, for a few thousand documents that are read again.
const EFFORT: Effort = Effort { draws: 2000, listed: 20_000 };

/// An arbitrary random seed.
const SEED: u64 = 7;

/// Sample of a corpus, and the pairs found in it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Sampled {
    /// Documents that were read.
    pub document_count: u64,
    /// Estimated number of documents in the whole corpus.
    pub corpus_document_count: u64,
    /// True if everything was read; the only uncertainty is then in the pairs drawn at random.
    pub complete: bool,
    /// True if `dedup` and `pairs` compare the corpus exactly, because it is small and no method was requested: then
    /// nothing is missed, and the banding applies to larger input.
    pub exact_because_small: bool,
    /// The number of files for whose names the tokens of source code were chosen, if they were and no tokens were
    /// requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code_file_count: Option<u64>,
    /// Pairs of the corpus by minimum similarity.
    pub pairs: Vec<PairStep>,
    /// The suggested threshold.
    pub suggestion: Suggestion,
    /// Estimated share of candidates that are not near-duplicates; `None` if no candidates are expected or it is
    /// unknown.
    pub false_candidate_share: Option<f64>,
    /// Estimated number of candidates in the whole corpus; `None` for bands of random rows.
    pub candidate_count: Option<f64>,
    /// Estimated number of distinct texts in the largest family of the whole corpus: texts that share buckets, directly
    /// or through others, and are decided together. `None` for bands of random rows.
    pub largest_family: Option<u64>,
    /// Number of buckets of the sample that join these.
    pub largest_family_bucket_count: Option<u64>,
    /// Entries that were skipped.
    pub skipped_count: u64,
    /// Reason why the first of them was skipped.
    pub first_skipped: Option<String>,
    /// Files that were left out.
    pub left_out: LeftOut,
    /// Options that have no effect on files of these formats.
    pub without_effect: Vec<String>,
}

/// Pairs with at least a given similarity.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct PairStep {
    /// The minimum similarity.
    pub similarity: f64,
    /// Pairs of documents.
    pub pair_count: Estimate,
    /// Maximum number of documents that `dedup` would remove at this threshold; `None` if only a part of the corpus was
    /// read.
    pub removed_count: Option<Estimate>,
}

/// Statistics of the sample.
pub(super) struct Sample {
    pub(super) sampled: Sampled,
    /// Number of files of the whole corpus.
    pub(super) files: u64,
    /// Size of the whole corpus as stored.
    pub(super) packed_bytes: u64,
    /// Estimated seconds for one thread to read and sketch all of it.
    pub(super) seconds: f64,
    /// Average bytes of a document's id.
    pub(super) id_bytes: f64,
    /// Approximate share of documents that share a bucket with another.
    pub(super) sharing: f64,
}

/// Reads a corpus, or parts of it, and computes estimates.
pub(super) fn read(corpus: &ReadOptions, options: &TuneOptions, progress: &dyn Progress) -> Result<Sample> {
    let corpus = Corpus::read(corpus, &options.scheme, options.most_bytes, progress)?;
    let weights: Vec<u32> = corpus.texts.iter().map(|copies| copies.len() as u32).collect();
    let texts = Texts {
        slots: Slots { slots: &corpus.slots, per_text: SLOTS },
        weights: &weights,
        documents: &corpus.texts,
        part_of: &corpus.part_of,
        parts_read: corpus.parts_read,
        parts: corpus.parts,
    };
    let counts = PairCounts::estimate(&texts, EFFORT, SEED, |pairs| corpus.measure(pairs))?;
    let removals = texts.is_whole().then(|| Removals::estimate(&corpus)).transpose()?;
    let step = |similarity: f64| {
        let pair_count = counts.from(similarity);
        // Each removal implies a pair.
        let removed = |removals: &Removals| removals.at(similarity).within(0.0, pair_count.high);
        PairStep { similarity, pair_count, removed_count: removals.as_ref().map(removed) }
    };
    let mut pairs: Vec<PairStep> = EDGES.iter().copied().chain([1.0]).map(step).collect();
    agree(&mut pairs);
    let shown: Vec<u64> = pairs.iter().map(|step| step.pair_count.value.round() as u64).collect();
    let scale = corpus.scale();
    let single = vec![1; texts.weights.len()];
    // A banding that cannot be cut from these slots has no estimate.
    let is_cut = !options.banding.is_random() && options.banding.slot_count() <= SLOTS;
    let buckets = is_cut.then(|| Buckets::new(&texts.slots, &single, options.banding));
    let (candidates, false_candidates) = match &buckets {
        Some(buckets) => candidates(&corpus, &texts, buckets, options)?,
        None => (None, None),
    };
    let largest = buckets.as_ref().map(|buckets| buckets.largest_family().unwrap_or_default());
    let documents = corpus.document_count as f64 * scale;
    let sharing = 1.0 - (-2.0 * candidates.unwrap_or(0.0) / documents.max(1.0)).exp();
    let sampled = Sampled {
        document_count: corpus.document_count,
        corpus_document_count: documents.round() as u64,
        complete: texts.is_whole(),
        code_file_count: options.code_file_count,
        exact_because_small: options.exact_if_small
            && texts.is_whole()
            && Exact::is_cheap(corpus.texts.len(), corpus.feature_count()),
        suggestion: suggest(&EDGES.map(|edge| counts.step(edge)), &shown),
        pairs,
        false_candidate_share: false_candidates,
        candidate_count: candidates,
        largest_family: largest.map(|(texts, _)| (texts as f64 * scale).round() as u64),
        largest_family_bucket_count: largest.map(|(_, buckets)| buckets),
        skipped_count: corpus.skipped,
        first_skipped: corpus.first_skipped.clone(),
        left_out: corpus.left_out().clone(),
        without_effect: corpus.without_effect.clone(),
    };
    Ok(Sample {
        files: corpus.file_count(),
        packed_bytes: corpus.packed_bytes,
        seconds: corpus.seconds * scale,
        id_bytes: corpus.id_bytes as f64 / corpus.document_count.max(1) as f64,
        sharing,
        sampled,
    })
}

/// Makes cumulative counts monotonic: pairs above a similarity are also above a lower one.
fn agree(steps: &mut [PairStep]) {
    let narrow = |of: &mut Estimate, least: f64, most: f64| *of = of.within(least.min(most), most);
    for at in 1..steps.len() {
        let before = steps[at - 1];
        narrow(&mut steps[at].pair_count, 0.0, before.pair_count.high);
        if let (Some(removed), Some(most)) = (&mut steps[at].removed_count, before.removed_count) {
            narrow(removed, 0.0, most.high);
        }
    }
    for at in (1..steps.len()).rev() {
        let after = steps[at];
        let before = &mut steps[at - 1];
        narrow(&mut before.pair_count, after.pair_count.low, f64::INFINITY);
        if let (Some(removed), Some(least)) = (&mut before.removed_count, after.removed_count) {
            narrow(removed, least.low, f64::INFINITY);
        }
    }
}

/// Number of candidates of the explained banding, and the share of them that are not near-duplicates: pairs of texts,
/// since copies are joined first.
fn candidates(
    corpus: &Corpus<'_>,
    texts: &Texts<'_>,
    buckets: &Buckets<'_>,
    options: &TuneOptions,
) -> Result<(Option<f64>, Option<f64>)> {
    let banding: Banding = options.banding;
    if buckets.pair_count() == 0 {
        return Ok((Some(0.0), None));
    }
    let mut drawn = buckets.drawn(EFFORT.draws, &mut Chance::new(SEED + 1));
    drawn.sort_unstable();
    let similarities = corpus.measure(&drawn)?;
    let (mut all, mut wrong) = (0.0, 0.0);
    for ((left, right), similarity) in drawn.iter().zip(similarities) {
        let agreeing = texts.slots.agreeing(banding, *left, *right).max(1);
        if agreeing >= banding.agreeing() {
            all += 1.0 / agreeing as f64;
            wrong += if similarity < options.threshold.value() { 1.0 / agreeing as f64 } else { 0.0 };
        }
    }
    let scale = if texts.is_whole() { 1.0 } else { corpus.scale() * corpus.scale() };
    let candidates = buckets.pair_count() as f64 / EFFORT.draws as f64 * all * scale;
    Ok((Some(candidates), (all > 0.0).then(|| wrong / all)))
}
