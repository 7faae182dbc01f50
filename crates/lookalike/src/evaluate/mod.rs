//! Compares schemes on one corpus: the pairs that each method, threshold and shingle finds, and the cost.
//!
//! Pairs are counted between distinct texts. Documents with the same words are joined before any method, so all methods
//! find them, and a text with a thousand copies would otherwise dominate. Given pairs count as given, equally for every
//! scheme: the reference must not depend on the schemes.

mod agreement;
mod bands;
mod score;
mod true_pairs;

use std::borrow::Cow;

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

use crate::boilerplate::Learn;
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
    /// True if `dedup` and `pairs` compare this input exactly unless a method is requested, because it is small.
    pub exact_because_small: bool,
    /// Name of the similarity measure.
    pub measure: &'static str,
    /// The true pairs, for each shingle and threshold.
    pub true_pairs: Vec<TruePairs>,
    /// Results of each scheme.
    pub methods: Vec<MethodEvaluation>,
    /// For each band of the first method that has bands, the scores of the pairs that agree in it.
    pub bands: Vec<BandHistogram>,
    /// Pairs by the number of super-shingles in which they agree.
    pub super_shingles: Vec<Agreement>,
    /// The first skipped entries, with reasons.
    pub skipped: Vec<SkippedEntry>,
}

/// Results and costs of one scheme.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct MethodEvaluation {
    /// The name of the method as it was given.
    pub name: String,
    /// Definition of a feature.
    pub shingle: String,
    /// The threshold.
    pub threshold: f64,
    /// The parameters of the method.
    pub parameters: MethodParameters,
    /// Recall and precision.
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
/// If an input or the true pairs cannot be read, or none of the given pairs can be used.
///
/// # Panics
///
/// If `options.schemes` is empty.
pub fn evaluate(options: &EvaluateOptions, progress: &dyn Progress) -> Result<Evaluation> {
    let options = &*with_boilerplate(options, progress)?;
    let schemes = &options.schemes;
    // Methods first: the exact join takes the most memory, and its leftovers would be attributed to the following runs.
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

/// Adds the boilerplate of the input to the schemes, if it is to be ignored: it is learned once for each shingle.
fn with_boilerplate<'o>(options: &'o EvaluateOptions, progress: &dyn Progress) -> Result<Cow<'o, EvaluateOptions>> {
    let Some(learning) = options.learning else { return Ok(Cow::Borrowed(options)) };
    let mut schemes: Vec<NamedScheme> = Vec::new();
    for NamedScheme { name, scheme } in &options.schemes {
        let is_alike = |other: &&NamedScheme| other.scheme.shingle() == scheme.shingle();
        let table = schemes.iter().find(is_alike).and_then(|other| other.scheme.boilerplate().cloned());
        let scheme = match table {
            Some(table) => scheme.clone().with_boilerplate(table)?,
            None => Learn::new(learning, &options.read, scheme, options.resources.memory).scheme(progress)?,
        };
        schemes.push(NamedScheme { name: name.clone(), scheme });
    }
    Ok(Cow::Owned(EvaluateOptions { schemes, learning: None, ..options.clone() }))
}

/// Maximum bytes of matches that each run holds in memory. All runs hold theirs until the end; the rest is in their
/// work folders.
const HELD_BYTES: usize = 16 << 20;

/// The result of a run of one scheme.
struct Outcome {
    input: Input,
    skipped: Vec<SkippedEntry>,
    texts: u64,
    /// Number of features of all texts, each text counted once.
    features: u64,
    /// By the ranks of texts in input order.
    matches: Sorted<Rank>,
    candidates: Option<u64>,
    stages: Vec<Stage>,
    sketch_bytes: usize,
    /// Keeps the folder with the matches.
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
    let find = Find { items: reread.items(), texts: &texts, references, filter: None, kept: None };
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

/// The corpus as sketched by one method, with the run that owns its memory and its folder.
struct Read<'a> {
    corpus: Corpus,
    texts: Texts,
    run: Run<'a>,
}

fn read<'a>(options: &EvaluateOptions, similarity: &'a Scheme, progress: &'a dyn Progress) -> Result<Read<'a>> {
    read_by(similarity.build_method(), options, similarity, progress)
}

/// Reads the corpus with another method than that of the scheme.
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
    let texts = run.join_copies(&corpus, &run.reread(&corpus, &options.read).deciding, &Keep::First, &[])?;
    Ok(Read { corpus, texts, run })
}
