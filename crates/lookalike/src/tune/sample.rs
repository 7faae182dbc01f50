//! A sample of a corpus: the first documents of files that are spread over it, and how alike pairs of them are.
//!
//! What a reader would get wrong: pairs of a sample are few. A pair of the corpus is in a sample of a hundredth of it
//! once in ten thousand times; so numbers of pairs are multiplied by that, and those of few pairs are rough.

use std::time::Instant;

use lookalike_core::feature_set::{FeatureSet, Overlap};
use lookalike_core::shingle::Shingler;
use lookalike_core::similarity::Similarity;
use lookalike_core::sketch::{FastSketcher, SlotSketcher};
use lookalike_io::discover::{InputFile, discover};
use lookalike_io::place::Shelf;
use lookalike_io::read::{Chunk, Entry, Parser, Stream, Unit};
use rayon::prelude::*;
use serde::Serialize;

use super::TuneOptions;
use crate::error::Result;
use crate::options::ReadOptions;
use crate::progress::{Counted, Progress};

/// How many files are looked into.
const FILES: usize = 64;

/// How many documents are taken in all: their pairs are all looked at.
const DOCUMENTS: usize = 4000;

/// Slots of the sketches by which pairs of the sample are found that have anything in common.
const SLOTS: usize = 128;

/// How wide a step of similarity is: twenty of them.
const STEPS: usize = 20;

/// What a sample shows.
#[derive(Clone, Debug, Serialize)]
pub struct Sampled {
    /// Documents that were read.
    pub documents: u64,
    /// Documents that the whole corpus has, about.
    pub documents_of_corpus: u64,
    /// Pairs of the corpus by similarity, about; the first step has all that share next to nothing.
    pub pairs: Vec<PairStep>,
    /// The share of candidates that will be no near-duplicates, about; none where no candidate is expected.
    pub false_candidates: Option<f64>,
    /// Candidates of the whole corpus, about.
    pub candidates: f64,
}

/// Pairs of about one similarity.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct PairStep {
    /// From this similarity on.
    pub similarity: f64,
    /// Pairs in the sample.
    pub sampled: u64,
    /// Pairs in the corpus, about.
    pub pairs: f64,
    /// Of these, candidates.
    pub candidates: f64,
}

/// A sample, and what it took to read it.
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

/// What is kept of a document while the sample is looked at.
struct Item {
    features: Vec<u64>,
    sketch: Vec<u64>,
}

/// Reads a sample of a corpus.
pub(super) fn read(corpus: &ReadOptions, options: &TuneOptions, progress: &dyn Progress) -> Result<Sample> {
    let shelf = Shelf::new(discover(&corpus.inputs, None)?);
    let files = shelf.files();
    let packed_bytes: u64 = files.iter().map(|file| file.bytes).sum();
    progress.stage("sample", None);
    let step = files.len().div_ceil(FILES).max(1);
    let chosen: Vec<(u32, &InputFile)> = (0..).zip(files).step_by(step).collect();
    let share = DOCUMENTS.div_ceil(chosen.len().max(1));
    let start = Instant::now();
    let (mut items, mut bytes_read, mut id_bytes) = (Vec::new(), 0, 0);
    let mut shingler = Shingler::new(&options.similarity.shingle, options.similarity.fold);
    let mut sketcher = FastSketcher::new(SLOTS);
    for (number, file) in chosen {
        let mut stream = Stream::open(&Unit::whole(number), file, &corpus.settings)?;
        let (mut parser, mut chunk) = (Parser::new(&corpus.settings), Chunk::default());
        let before = items.len();
        while items.len() < before + share && stream.next(&mut chunk)? {
            chunk.settle(&shelf)?;
            parser.entries(&chunk, |placed| {
                let Entry::Document(document) = placed.entry else { return };
                let features = shingler.features(document.text).all;
                id_bytes += document.id.as_ref().map_or(0, |id| id.len());
                if let Some(sketch) = sketcher.sketch(features) {
                    items.push(Item { features: features.to_vec(), sketch: sketch.to_vec() });
                }
            });
            bytes_read += chunk.packed_bytes();
            progress.advance(chunk.packed_bytes(), Counted::Documents(0));
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    progress.finish();
    let scale = (packed_bytes as f64 / bytes_read.max(1) as f64).max(1.0);
    let documents = items.len();
    let sampled = look_at(&items, scale, options);
    let sharing = 1.0 - (-2.0 * sampled.candidates / (documents as f64 * scale).max(1.0)).exp();
    Ok(Sample {
        files: files.len() as u64,
        packed_bytes,
        seconds: seconds * scale,
        id_bytes: id_bytes as f64 / documents.max(1) as f64,
        sharing,
        sampled,
    })
}

/// All pairs of a sample, and what there is of them in a corpus so many times as large.
fn look_at(items: &[Item], scale: f64, options: &TuneOptions) -> Sampled {
    let numbers = pair_numbers(items, options);
    let step = |(at, sampled): (usize, &u64)| {
        let similarity = at as f64 / STEPS as f64;
        let pairs = *sampled as f64 * scale * scale;
        // The middle of the step; of the first, what shares next to nothing.
        let middle = if at == 0 { 0.0 } else { similarity + 0.5 / STEPS as f64 };
        let found = Similarity::new(middle).map_or(0.0, |similarity| options.banding.recall_at(similarity));
        PairStep { similarity, sampled: *sampled, pairs, candidates: pairs * found }
    };
    let pairs: Vec<PairStep> = numbers.iter().enumerate().map(step).collect();
    let candidates: f64 = pairs.iter().map(|step| step.candidates).sum();
    let half = 0.5 / STEPS as f64;
    let is_below = |step: &&PairStep| step.similarity + half < options.threshold.value();
    let wrong: f64 = pairs.iter().filter(is_below).map(|step| step.candidates).sum();
    Sampled {
        documents: items.len() as u64,
        documents_of_corpus: (items.len() as f64 * scale) as u64,
        false_candidates: (candidates >= 1.0).then(|| wrong / candidates),
        pairs,
        candidates,
    }
}

/// Numbers of pairs by step. What agrees in no slot is in the first; all else is measured exactly.
fn pair_numbers(items: &[Item], options: &TuneOptions) -> Vec<u64> {
    let of_item = |(at, item): (usize, &Item)| {
        let mut numbers = vec![0; STEPS];
        let set = FeatureSet::new(&item.features);
        for other in &items[at + 1..] {
            let agrees = item.sketch.iter().zip(&other.sketch).any(|(left, right)| left == right);
            let similarity = if agrees {
                let other_set = FeatureSet::new(&other.features);
                let overlap =
                    Overlap { shared: set.shared_count(&other.features), left: set.size(), right: other_set.size() };
                options.similarity.criterion.similarity(overlap)
            } else {
                0.0
            };
            numbers[((similarity * STEPS as f64) as usize).min(STEPS - 1)] += 1;
        }
        numbers
    };
    let add = |mut all: Vec<u64>, numbers: Vec<u64>| {
        all.iter_mut().zip(numbers).for_each(|(all, number)| *all += number);
        all
    };
    items.par_iter().enumerate().map(of_item).reduce(|| vec![0; STEPS], add)
}
