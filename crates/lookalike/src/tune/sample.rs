//! A sample of a corpus: the number of pairs by similarity, and the threshold that this suggests.

use lookalike_core::bucket::banding::Banding;
use lookalike_core::method::Exact;
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

/// How much is drawn: an error of a few percent in each step, for some thousand documents that are read again.
const EFFORT: Effort = Effort { draws: 2000, listed: 20_000 };

/// Any number; another one would give other draws.
const SEED: u64 = 7;

/// What was read of a corpus, and what was found in it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Sampled {
    /// Documents that were read.
    pub document_count: u64,
    /// Estimated number of documents in the whole corpus.
    pub corpus_document_count: u64,
    /// Whether everything was read; the only uncertainty is then in the pairs drawn at random.
    pub complete: bool,
    /// Whether `dedup` and `pairs` compare the corpus exactly, since it is small and no method was asked for: then nothing is
    /// missed, and the banding is that of larger input.
    pub exact_because_small: bool,
    /// Pairs of the corpus by minimum similarity.
    pub pairs: Vec<PairStep>,
    /// The suggested threshold.
    pub suggestion: Suggestion,
    /// Estimated share of candidates that are not near-duplicates; `None` if no candidates are expected or it is
    /// unknown.
    pub false_candidate_share: Option<f64>,
    /// Estimated number of candidates in the whole corpus; `None` for bands of random rows.
    pub candidate_count: Option<f64>,
    /// Entries that were skipped.
    pub skipped_count: u64,
    /// Why the first of them was skipped.
    pub first_skipped: Option<String>,
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

/// What was read, and what it took.
pub(super) struct Sample {
    pub(super) sampled: Sampled,
    /// Files of the whole corpus.
    pub(super) files: u64,
    /// Bytes of the whole corpus as it lies there.
    pub(super) packed_bytes: u64,
    /// Seconds that one thread would take to read and sketch all of it.
    pub(super) seconds: f64,
    /// Bytes of a document's id, on average.
    pub(super) id_bytes: f64,
    /// The share of documents that share a bucket with another, about.
    pub(super) sharing: f64,
}

/// Reads a corpus, or parts of it, and estimates.
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
        // Each removal takes a pair.
        let removed = |removals: &Removals| removals.at(similarity).within(0.0, pair_count.high);
        PairStep { similarity, pair_count, removed_count: removals.as_ref().map(removed) }
    };
    let mut pairs: Vec<PairStep> = EDGES.iter().copied().chain([1.0]).map(step).collect();
    agree(&mut pairs);
    let shown: Vec<u64> = pairs.iter().map(|step| step.pair_count.value.round() as u64).collect();
    let scale = corpus.scale();
    let (candidates, false_candidates) = candidates(&corpus, &texts, options)?;
    let documents = corpus.document_count as f64 * scale;
    let sharing = 1.0 - (-2.0 * candidates.unwrap_or(0.0) / documents.max(1.0)).exp();
    let sampled = Sampled {
        document_count: corpus.document_count,
        corpus_document_count: documents.round() as u64,
        complete: texts.is_whole(),
        exact_because_small: options.exact_if_small
            && texts.is_whole()
            && Exact::is_cheap(corpus.texts.len(), corpus.feature_count()),
        suggestion: suggest(&EDGES.map(|edge| counts.step(edge)), &shown),
        pairs,
        false_candidate_share: false_candidates,
        candidate_count: candidates,
        skipped_count: corpus.skipped,
        first_skipped: corpus.first_skipped.clone(),
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

/// Makes steps agree with each other: whatever is there from a similarity on is there from a lower one on.
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

/// Candidates of the banding that is explained, and the share of them that are no near-duplicates: of pairs of texts,
/// since copies are joined before.
fn candidates(corpus: &Corpus<'_>, texts: &Texts<'_>, options: &TuneOptions) -> Result<(Option<f64>, Option<f64>)> {
    let banding: Banding = options.banding;
    if banding.is_random() || banding.slot_count() > SLOTS {
        return Ok((None, None));
    }
    let single = vec![1; texts.weights.len()];
    let buckets = Buckets::new(&texts.slots, &single, banding);
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
