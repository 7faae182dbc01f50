//! Methods side by side over one corpus: what each finds of what is there, and what it takes.
//!
//! What a reader would get wrong: pairs are counted between distinct texts. Documents with the same words are joined before any method,
//! so all find them, and a text with a thousand copies would otherwise outvote the rest.

mod agreement;
mod bands;
mod score;
mod truth;

use std::path::PathBuf;

use lookalike_core::keep::{Keep, Ranking, keep_order};
use lookalike_core::method::Method;
use lookalike_core::resolve::{Candidates, Match, References, matches};
use lookalike_core::verify::Verifier;
use lookalike_io::work::WorkOptions;
use serde::Serialize;

pub use agreement::Agreement;
pub use bands::{BandHistogram, ScoreStep};
pub use score::Score;
pub use truth::Truth;

use crate::copies::{Texts, join_copies};
use crate::corpus::{Corpus, Reading};
use crate::error::Result;
use crate::find::Find;
use crate::memory::Memory;
use crate::options::{MethodOptions, ReadOptions, SimilarityOptions};
use crate::parameters::MethodParameters;
use crate::progress::Progress;
use crate::stages::{self, Stages};
use crate::summary::{self, Input, SkippedEntry, Stage};
use crate::work::Work;

/// What [`evaluate`] is asked to do.
#[derive(Clone, Debug)]
pub struct EvaluateOptions {
    /// What to read.
    pub read: ReadOptions,
    /// When documents are alike. Its method is not looked at.
    pub similarity: SimilarityOptions,
    /// The methods, with the names they are shown by.
    pub methods: Vec<(String, MethodOptions)>,
    /// A file of pairs that are the truth; without it, it is found by the exact join.
    pub truth: Option<PathBuf>,
}

/// Methods side by side.
#[derive(Clone, Debug, Serialize)]
pub struct Evaluation {
    /// What came in.
    pub input: Input,
    /// Distinct texts, between which pairs are counted.
    pub texts: u64,
    /// What is measured.
    pub measure: &'static str,
    /// The threshold.
    pub threshold: f64,
    /// What a feature is made of.
    pub shingle: String,
    /// What is there to be found.
    pub truth: Truth,
    /// What each method found.
    pub methods: Vec<MethodEvaluation>,
    /// For each band of the first method that has bands, the scores of the pairs that agree in it.
    pub bands: Vec<BandHistogram>,
    /// Pairs by the number of super-shingles in which they agree.
    pub super_shingles: Vec<Agreement>,
    /// What was skipped, and why: the first of them.
    pub skipped: Vec<SkippedEntry>,
}

/// What one method found, and what it took.
#[derive(Clone, Debug, Serialize)]
pub struct MethodEvaluation {
    /// The name it was asked for by.
    pub name: String,
    /// Its parameters.
    pub parameters: MethodParameters,
    /// How much it found.
    #[serde(flatten)]
    pub score: Score,
    /// Pairs that were looked at; none where they are not counted one by one.
    pub candidates: Option<u64>,
    /// Seconds of all stages.
    pub seconds: f64,
    /// Seconds by stage.
    pub stages: Vec<Stage>,
    /// Bytes of a document's sketch.
    pub sketch_bytes: usize,
    /// The most memory that the process had during the run, where the system tells.
    pub peak_memory_bytes: Option<u64>,
}

/// Compares methods.
///
/// # Errors
///
/// When an input or the truth cannot be read.
pub fn evaluate(options: &EvaluateOptions, progress: &dyn Progress) -> Result<Evaluation> {
    // Methods first: the exact join takes the most memory, and what it leaves behind would count to those after it.
    let runs = options.methods.iter().map(|(_, method)| run(options, method, progress)).collect::<Result<Vec<_>>>()?;
    let (truth, exact) = truth::find(options, progress)?;
    let methods = options.methods.iter().zip(&runs).map(|((name, method), run)| MethodEvaluation {
        name: name.clone(),
        parameters: MethodParameters::new(method),
        score: Score::new(&run.pairs(), &exact),
        candidates: run.candidates,
        seconds: run.stages.iter().map(|stage| stage.seconds).sum(),
        peak_memory_bytes: run.stages.last().and_then(|stage| stage.peak_memory_bytes),
        stages: run.stages.clone(),
        sketch_bytes: run.sketch_bytes,
    });
    let banded = options.methods.iter().find(|(_, method)| matches!(method, MethodOptions::MinHash { .. }));
    let bands = banded.map(|(_, method)| bands::histograms(options, method, progress)).transpose()?;
    let grouped = options.methods.iter().find(|(_, method)| matches!(method, MethodOptions::SuperShingle { .. }));
    let super_shingles = grouped.map(|(_, method)| agreement::table(options, method, progress)).transpose()?;
    let methods = methods.collect();
    let run = &runs[0];
    Ok(Evaluation {
        input: summary::input(&run.corpus, &options.read)?,
        texts: run.texts.items.len() as u64,
        measure: options.similarity.criterion.measure(),
        threshold: options.similarity.criterion.threshold(),
        shingle: options.similarity.shingle.to_string(),
        truth,
        methods,
        bands: bands.unwrap_or_default(),
        super_shingles: super_shingles.unwrap_or_default(),
        skipped: summary::skipped(&run.corpus),
    })
}

/// One run of one method.
struct Run {
    corpus: Corpus,
    texts: Texts,
    matches: Vec<Match>,
    candidates: Option<u64>,
    stages: Vec<Stage>,
    sketch_bytes: usize,
}

impl Run {
    /// The pairs that were found, by the ranks of texts in the order of the input.
    fn pairs(&self) -> Vec<(u32, u32)> {
        self.matches.iter().map(|found| (found.left, found.right)).collect()
    }
}

fn run(options: &EvaluateOptions, method: &MethodOptions, progress: &dyn Progress) -> Result<Run> {
    stages::forget_peak_memory();
    let similarity = &SimilarityOptions { method: method.clone(), ..options.similarity.clone() };
    let method = &*similarity.method.method(similarity.criterion)?;
    let mut stages = Stages::start(progress);
    let Read { corpus, texts, work } = read(options, similarity, method, &mut stages, progress)?;
    let (references, work) = (References::default(), &work);
    let find =
        Find { corpus: &corpus, texts: &texts, read: &options.read, similarity, method, references, work, progress };
    let resolve = |candidates: Candidates<'_>, verifier: &Verifier<'_>| matches(candidates, &texts.items, verifier);
    let mut matches = Vec::new();
    let found = find.run(&mut stages, resolve, |found| {
        matches.extend(found);
        Ok(())
    })?;
    matches.sort_unstable_by_key(|found| (found.left, found.right));
    let candidates = found.counts.map(|counts| counts.candidates);
    Ok(Run { corpus, texts, matches, candidates, stages: stages.finish(), sketch_bytes: method.layout().byte_count() })
}

/// The corpus as one method sketches it, with the memory and the folder that hold it.
struct Read {
    corpus: Corpus,
    texts: Texts,
    work: Work,
}

fn read(
    options: &EvaluateOptions,
    similarity: &SimilarityOptions,
    method: &dyn Method,
    stages: &mut Stages<'_>,
    progress: &dyn Progress,
) -> Result<Read> {
    let shelf = Corpus::shelf(&options.read, None)?;
    let work = Work::start(Memory::half_of_machine(), &WorkOptions::default(), &shelf, &[])?;
    let reading = Reading { options: &options.read, similarity, method, work: &work, progress };
    let bytes = shelf.files().iter().map(|file| file.bytes).sum();
    let input_files = shelf.files().len();
    let corpus = stages.run("sketch", Some(bytes), || Corpus::read(shelf, input_files, reading))?;
    let texts = stages.run("copies", None, || {
        let ranking = Ranking { token_counts: &corpus.token_counts, field_values: &[] };
        join_copies(&corpus, &keep_order(&Keep::First, ranking))
    })?;
    Ok(Read { corpus, texts, work })
}
