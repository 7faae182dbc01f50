//! Boilerplate: text on most pages of a source, learned from the input and written as a table that other jobs ignore.
//!
//! ```text
//! files → look over → sample of each source → shingles on most of its pages → passages → table
//! ```
//!
//! The same input makes the same table on any number of threads: pages are sampled by the hashes of their bytes.

mod notice;
mod sample;

use std::path::Path;
use std::sync::Arc;

use lookalike_core::hash::Key;
use lookalike_core::ids::Document;
use lookalike_core::method::Copies;
use lookalike_core::text::boilerplate::{About, Boilerplate, Learned, SourceBoilerplate, learn as learn_pages};
use lookalike_core::text::shingle::Shingler;
use lookalike_io::input::discover::Origin;
use lookalike_io::work::WorkOptions;
use rayon::prelude::*;
use serde::Serialize;

pub(crate) use self::notice::deciding_boilerplate;
use self::sample::SourceSample;
use crate::corpus::Corpus;
use crate::corpus::reread::Reread;
use crate::error::{Error, Result};
use crate::options::{Against, BoilerplateOptions, Learning, ReadOptions, Scheme, SourceBy};
use crate::progress::Progress;
use crate::report::summary::{self, Input, SkippedEntry};
use crate::resources::memory::Memory;
use crate::run::stages::Stage;
use crate::run::{Files, Run};

/// Result of a run of `boilerplate`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct BoilerplateReport {
    /// The input.
    pub input: Input,
    /// Definition of the source of a document.
    pub source: String,
    /// Shingles on more than this share of a source's pages are its boilerplate.
    pub share: f64,
    /// Number of sources.
    pub source_count: u64,
    /// Number of sources with too few distinct pages to tell.
    pub small_source_count: u64,
    /// Sources with boilerplate, those with the most pages first.
    pub sources: Vec<LearnedSource>,
    /// Seconds and memory by stage.
    pub stages: Vec<Stage>,
    /// The first skipped entries, with reasons.
    pub skipped: Vec<SkippedEntry>,
}

/// Boilerplate learned from one source.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct LearnedSource {
    /// Its name.
    pub source: String,
    /// Number of its distinct pages.
    pub page_count: u64,
    /// Number of pages that were looked at.
    pub sample_count: u64,
    /// The part of these pages' shingles that is boilerplate.
    pub share: f64,
    /// Number of these pages of which nearly nothing remains.
    pub undecided_count: u64,
    /// Its longest passages.
    pub examples: Vec<String>,
}

/// Maximum number of passages shown per source.
const EXAMPLES: usize = 3;

/// Learns the boilerplate of sources, for [`write_boilerplate`](crate::write_boilerplate()) or other jobs.
///
/// # Errors
///
/// Fails if an input cannot be read, or cannot be read twice.
pub fn boilerplate(
    options: &BoilerplateOptions,
    progress: &dyn Progress,
) -> Result<(Arc<Boilerplate>, BoilerplateReport)> {
    let learn = Learn {
        read: &options.read,
        reference: None,
        output: None,
        scheme: &options.scheme,
        by: options.source,
        share: options.share.value(),
        memory: options.resources.memory,
    };
    let Found { table, counts, input, stages, skipped } = learn.run(progress)?;
    let mut sources: Vec<LearnedSource> = table.sources().iter().map(LearnedSource::of).collect();
    sources.sort_by_key(|source| std::cmp::Reverse(source.page_count));
    let report = BoilerplateReport {
        input,
        source: table.about().source.clone(),
        share: options.share.value(),
        source_count: counts.all,
        small_source_count: counts.small,
        sources,
        stages,
        skipped,
    };
    Ok((table, report))
}

impl LearnedSource {
    fn of(learned: &SourceBoilerplate) -> Self {
        let mut passages: Vec<&String> = learned.passages.iter().collect();
        passages.sort_by_key(|passage| std::cmp::Reverse(passage.len()));
        Self {
            source: learned.source.clone(),
            page_count: learned.page_count,
            sample_count: learned.sample_count,
            share: learned.share,
            undecided_count: learned.undecided_count,
            examples: passages.into_iter().take(EXAMPLES).cloned().collect(),
        }
    }
}

/// Input and options of learning a table.
pub(crate) struct Learn<'a> {
    pub(crate) read: &'a ReadOptions,
    /// Its pages count as well: they are compared.
    pub(crate) reference: Option<&'a Against>,
    /// Output of the run, which is excluded from the input.
    pub(crate) output: Option<&'a Path>,
    pub(crate) scheme: &'a Scheme,
    pub(crate) by: SourceBy,
    pub(crate) share: f64,
    pub(crate) memory: Memory,
}

/// A table, and what it was learned from.
struct Found {
    table: Arc<Boilerplate>,
    counts: SourceCounts,
    input: Input,
    stages: Vec<Stage>,
    skipped: Vec<SkippedEntry>,
}

/// Number of sources.
#[derive(Clone, Copy, Debug, Default)]
struct SourceCounts {
    all: u64,
    /// With too few pages to tell.
    small: u64,
}

impl<'a> Learn<'a> {
    /// Learns from the input of a job alone.
    pub(crate) fn new(learning: Learning, read: &'a ReadOptions, scheme: &'a Scheme, memory: Memory) -> Self {
        let Learning { share, by } = learning;
        Self { read, reference: None, output: None, scheme, by, share: share.value(), memory }
    }

    /// The scheme of the run, ignoring what is learned.
    pub(crate) fn scheme(&self, progress: &dyn Progress) -> Result<Scheme> {
        let table = self.run(progress)?.table;
        Ok(self.scheme.clone().with_boilerplate(table)?)
    }

    fn run(&self, progress: &dyn Progress) -> Result<Found> {
        let work = WorkOptions::default();
        let files = Files::find(self.read, self.reference, self.output, &work)?;
        check_readable_twice(&files)?;
        let run = Run::start(&files, self.scheme, (self.memory, &work), &[], progress)?.with_method(Box::new(Copies));
        let corpus = run.look_over(files, self.read)?;
        let (samples, counts) = SourceSample::of_all(&corpus, self.by)?;
        let reread = Reread::new(&corpus, self.read, self.scheme, Key::FIXED, progress);
        let sources = run.stage("boilerplate", || {
            let of_source = |sample: &SourceSample| self.learn(sample, &corpus, &reread);
            samples.par_iter().map(of_source).collect::<Result<Vec<SourceBoilerplate>>>()
        })?;
        let field = self.read.settings.fields.source.as_deref();
        let about = About::new(self.scheme.shingle(), self.scheme.fold(), self.by.written(field), self.share);
        let table = Arc::new(Boilerplate::new(about, sources));
        self.memory.check_boilerplate(&table)?;
        let (input, skipped) = (summary::input(&corpus, self.read)?, summary::skipped(&corpus));
        let (stages, work) = run.end();
        work.finish()?;
        Ok(Found { table, counts, input, stages, skipped })
    }

    fn learn(&self, sample: &SourceSample, corpus: &Corpus, reread: &Reread<'_>) -> Result<SourceBoilerplate> {
        let text = |document: &Document| reread.text(*document);
        let pages: Vec<String> = sample.documents.iter().map(text).collect::<Result<_>>()?;
        let mut shingler = Shingler::new(self.scheme.shingle(), self.scheme.fold());
        let Learned { passages, all_count, common_count, bare_count } = learn_pages(&pages, self.share, &mut shingler);
        let described = corpus.describe(sample.documents[0])?;
        Ok(SourceBoilerplate {
            source: described.origin().named_source(self.by).unwrap_or_default().to_owned(),
            page_count: sample.page_count,
            sample_count: pages.len() as u64,
            share: (common_count as f64 / all_count.max(1) as f64 * 10_000.0).round() / 10_000.0,
            undecided_count: bare_count as u64,
            passages,
        })
    }
}

/// Refuses input that is gone once it is read: it is needed a second time, when it is compared.
fn check_readable_twice(files: &Files) -> Result<()> {
    let is_gone = |origin: &Origin| matches!(origin, Origin::Stdin | Origin::Pipe(_));
    match files.shelf.files().iter().find(|file| is_gone(&file.origin)) {
        Some(file) => Err(Error::CannotReadTwice { input: file.shown().display().to_string() }),
        None => Ok(()),
    }
}
