//! Schemes compared on one corpus: what each method, threshold and shingle finds, and what it costs.
//!
//! Pairs are counted between distinct texts. Documents with the same words are joined before any method,
//! so all find them, and a text with a thousand copies would otherwise outvote the rest. Pairs that are given count as they are
//! given, for every scheme alike: what can be compared must not depend on what is compared.

mod agreement;
mod bands;
mod score;
mod true_pairs;

use lookalike_core::decision::References;
use lookalike_core::ids::{Number, Rank};
use lookalike_core::method::{Exact, Method};
use lookalike_core::resolve::keep::Keep;
use lookalike_core::resolve::{Candidates, TakeMatches, each_match};
use lookalike_core::verify::Verifier;
use lookalike_io::work::WorkOptions;
use serde::Serialize;

pub use agreement::Agreement;
pub use bands::{BandHistogram, ScoreStep};
pub use score::Score;
use true_pairs::AllTruePairs;
pub use true_pairs::TruePairs;

use crate::candidates::copies::Texts;
use crate::candidates::sorted::{Sorted, Sorting};
use crate::corpus::Corpus;
use crate::error::Result;
use crate::options::{EvaluateOptions, MethodOptions, NamedScheme, Scheme};
use crate::progress::Progress;
use crate::report::parameters::MethodParameters;
use crate::report::summary::{self, Input, SkippedEntry, Stage};
use crate::resources::work::Work;
use crate::run::find::Find;
use crate::run::stages;
use crate::run::{Files, Run};

/// Schemes side by side.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Evaluation {
    /// The input.
    pub input: Input,
    /// Distinct texts, between which pairs are counted.
    pub text_count: u64,
    /// Whether `dedup` and `pairs` compare this input exactly unless a method is asked for, since it is small.
    pub exact_because_small: bool,
    /// What is measured.
    pub measure: &'static str,
    /// The true pairs, for each shingle and threshold.
    pub true_pairs: Vec<TruePairs>,
    /// What each scheme found.
    pub methods: Vec<MethodEvaluation>,
    /// For each band of the first method that has bands, the scores of the pairs that agree in it.
    pub bands: Vec<BandHistogram>,
    /// Pairs by the number of super-shingles in which they agree.
    pub super_shingles: Vec<Agreement>,
    /// The first skipped entries, with reasons.
    pub skipped: Vec<SkippedEntry>,
}

/// What one scheme found, and what it cost.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct MethodEvaluation {
    /// The name of the method as it was given.
    pub name: String,
    /// What a feature is made of.
    pub shingle: String,
    /// The threshold.
    pub threshold: f64,
    /// The parameters of the method.
    pub parameters: MethodParameters,
    /// How much it found.
    #[serde(flatten)]
    pub score: Score,
    /// Pairs that were examined; `None` where they are not counted one by one.
    pub candidate_count: Option<u64>,
    /// Seconds of all stages.
    pub seconds: f64,
    /// Seconds by stage.
    pub stages: Vec<Stage>,
    /// Bytes of a sketch.
    pub sketch_bytes: usize,
    /// Peak memory of the process during the run, where the system reports it.
    pub peak_memory_bytes: Option<u64>,
}

/// Compares schemes.
///
/// # Errors
///
/// When an input or the true pairs cannot be read, or none of the given pairs can be used.
///
/// # Panics
///
/// When `options.schemes` is empty.
pub fn evaluate(options: &EvaluateOptions, progress: &dyn Progress) -> Result<Evaluation> {
    let schemes = &options.schemes;
    // Methods first: the exact join takes the most memory, and what it leaves behind would count to those after it.
    let runs = schemes.iter().map(|scheme| run(options, &scheme.scheme, progress)).collect::<Result<Vec<_>>>()?;
    let true_pairs = AllTruePairs::find(options, progress)?;
    let evaluation = |(scheme, run): (&NamedScheme, &Outcome)| {
        let (shingle, threshold) = scheme.target();
        let judges = true_pairs.judges(&shingle, threshold);
        let found = pairs_of(&run.matches)?.filter(|pair| pair.as_ref().map_or(true, &judges));
        Ok(MethodEvaluation {
            name: scheme.name.clone(),
            parameters: MethodParameters::new(scheme.scheme.method()),
            score: Score::new(
                found,
                true_pairs.pairs_of(&shingle, threshold)?,
                true_pairs.same_words(&shingle, threshold),
            )?,
            shingle,
            threshold,
            candidate_count: run.candidates,
            seconds: run.stages.iter().map(|stage| stage.seconds).sum(),
            peak_memory_bytes: run.stages.last().and_then(|stage| stage.peak_memory_bytes),
            stages: run.stages.clone(),
            sketch_bytes: run.sketch_bytes,
        })
    };
    let methods = schemes.iter().zip(&runs).map(evaluation).collect::<Result<_>>()?;
    let first_of = |is_wanted: fn(&MethodOptions) -> bool| {
        schemes.iter().map(|scheme| &scheme.scheme).find(|of| options.histograms && is_wanted(of.method()))
    };
    let banded = first_of(|method| matches!(method, MethodOptions::MinHash { .. }));
    let bands = banded.map(|similarity| bands::histograms(options, similarity, progress)).transpose()?;
    let grouped = first_of(|method| matches!(method, MethodOptions::SuperShingle { .. }));
    let super_shingles = grouped.map(|similarity| agreement::table(options, similarity, progress)).transpose()?;
    let Outcome { input, texts, features, skipped, .. } = runs.into_iter().next().expect("there is a scheme");
    Ok(Evaluation {
        input,
        text_count: texts,
        exact_because_small: Exact::is_cheap(texts as usize, features),
        measure: schemes[0].scheme.criterion().measure(),
        true_pairs: true_pairs.said,
        methods,
        bands: bands.unwrap_or_default(),
        super_shingles: super_shingles.unwrap_or_default(),
        skipped,
    })
}

/// How many bytes of matches each run holds in memory. All runs hold theirs until the end; what is more is in their
/// folders.
const HELD_BYTES: usize = 16 << 20;

/// What is left of a run of one scheme.
struct Outcome {
    input: Input,
    skipped: Vec<SkippedEntry>,
    texts: u64,
    /// Of all texts, counted once for each.
    features: u64,
    /// By the ranks of texts in the order of the input.
    matches: Sorted<Rank>,
    candidates: Option<u64>,
    stages: Vec<Stage>,
    sketch_bytes: usize,
    /// Has the folder that matches are in.
    _work: Work,
}

/// Matches as pairs of texts.
fn pairs_of(matches: &Sorted<Rank>) -> Result<impl Iterator<Item = Result<(Rank, Rank)>>> {
    Ok(matches.in_order()?.map(|found| found.map(|found| (found.left, found.right))))
}

fn run(options: &EvaluateOptions, similarity: &Scheme, progress: &dyn Progress) -> Result<Outcome> {
    stages::forget_peak_memory();
    let Read { corpus, texts, run } = read(options, similarity, progress)?;
    let references = References::default();
    let reread = run.reread(&corpus, &options.read);
    let resolve = |candidates: Candidates<'_>, verifier: &Verifier<'_>, take: &TakeMatches<'_>| {
        each_match(candidates, &texts.items, references, verifier, take)
    };
    let mut matches = Sorting::new(&run.work, "match", HELD_BYTES.min(corpus.shares.matches()));
    let find = Find { items: reread.items(), texts: &texts, references, kept: None };
    let found = find.run(&run, resolve, |some| some.into_iter().try_for_each(|found| matches.push(found)))?;
    let (matches, sketch_bytes) = (matches.finish()?, run.method.layout().byte_count());
    let (stages, work) = run.end();
    Ok(Outcome {
        input: summary::input(&corpus, &options.read)?,
        skipped: summary::skipped(&corpus),
        texts: texts.items.len() as u64,
        features: texts.items.iter().map(|item| u64::from(corpus.sizes[item.index()])).sum(),
        matches,
        candidates: found.counts.map(|counts| counts.candidates),
        stages,
        sketch_bytes,
        _work: work,
    })
}

/// The corpus as one method sketches it, with the run that has its memory and its folder.
struct Read<'a> {
    corpus: Corpus,
    texts: Texts,
    run: Run<'a>,
}

fn read<'a>(options: &EvaluateOptions, similarity: &'a Scheme, progress: &'a dyn Progress) -> Result<Read<'a>> {
    read_by(similarity.build_method(), options, similarity, progress)
}

/// The same with another method than that of the scheme.
fn read_by<'a>(
    method: Box<dyn Method>,
    options: &EvaluateOptions,
    similarity: &'a Scheme,
    progress: &'a dyn Progress,
) -> Result<Read<'a>> {
    let work = WorkOptions::default();
    let files = Files::find(&options.read, None, None, &work)?;
    let run = Run::start(&files, similarity, (options.resources.memory, &work), &[], progress)?.with_method(method);
    let corpus = run.read(files, &options.read)?;
    let texts = run.join_copies(&corpus, &run.reread(&corpus, &options.read).deciding, &Keep::First)?;
    Ok(Read { corpus, texts, run })
}
