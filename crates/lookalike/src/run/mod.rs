//! Common code of all jobs over a corpus: opens the work folder, runs the stages one after the other, and reports their
//! time and memory at the end.

pub(crate) mod find;
pub(crate) mod stages;

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use lookalike_core::hash::bytes_hash;
use lookalike_core::method::Method;
use lookalike_core::resolve::keep::{Keep, Ranking, keep_order};
use lookalike_core::scheme::Scheme;
use lookalike_io::input::shelf::Shelf;
use lookalike_io::work::WorkOptions;

use crate::candidates::against;
use crate::candidates::copies::{Texts, join_copies, lengths};
use crate::corpus::reread::{Reread, RereadBoth};
use crate::corpus::{Corpus, Kept, Reading};
use crate::error::Result;
use crate::options::{Against, DedupOptions, ReadOptions};
use crate::progress::Progress;
use crate::resources::memory::Memory;
use crate::resources::space;
use crate::resources::work::{self, Work};
use crate::run::stages::{Stage, Stages, Timed};

/// The files of a job: those of the input, followed by those of the reference.
pub(crate) struct Files {
    pub(crate) shelf: Shelf,
    /// Number of input files.
    pub(crate) input_count: usize,
}

impl Files {
    /// Finds the files, excluding `output` and the job's own work folder.
    pub(crate) fn find(
        read: &ReadOptions,
        against: Option<&Against>,
        output: Option<&Path>,
        work: &WorkOptions,
    ) -> Result<Self> {
        let (mut shelf, input_count) = against::shelf(read, against, output)?;
        if let Some(folder) = &work.folder {
            shelf.forget_work_folder(folder);
        }
        Ok(Self { shelf, input_count })
    }
}

/// A job in progress.
pub(crate) struct Run<'a> {
    pub(crate) scheme: &'a Scheme,
    pub(crate) method: Box<dyn Method>,
    pub(crate) work: Work,
    pub(crate) progress: &'a dyn Progress,
    /// True if a small input is joined exactly, whatever the method.
    exact_if_small: bool,
    stages: Mutex<Stages<'a>>,
}

impl<'a> Run<'a> {
    /// Starts a job over files; `label` distinguishes it from other jobs on the same input, one line each.
    pub(crate) fn start(
        files: &Files,
        scheme: &'a Scheme,
        (memory, work): (Memory, &WorkOptions),
        label: &[String],
        progress: &'a dyn Progress,
    ) -> Result<Self> {
        scheme.boilerplate().map_or(Ok(()), |table| memory.check_boilerplate(table))?;
        let work = Work::start(memory, work, &files.shelf, label, progress.unfinished())?;
        Ok(Self::new(scheme, scheme.build_method(), work, progress))
    }

    /// Starts a job that reads no files.
    pub(crate) fn of_texts(scheme: &'a Scheme, memory: Memory, progress: &'a dyn Progress) -> Self {
        let work = Work::of_texts(memory, progress.unfinished());
        Self::new(scheme, scheme.build_method(), work, progress)
    }

    fn new(scheme: &'a Scheme, method: Box<dyn Method>, work: Work, progress: &'a dyn Progress) -> Self {
        Self { scheme, method, work, progress, exact_if_small: false, stages: Mutex::new(Stages::start(progress)) }
    }

    /// Replaces the method of the scheme.
    pub(crate) fn with_method(self, method: Box<dyn Method>) -> Self {
        Self { method, ..self }
    }

    /// Joins a small input exactly if no method was requested.
    pub(crate) fn exact_if_small(self, exact_if_small: bool) -> Self {
        Self { exact_if_small, ..self }
    }

    /// Runs a stage.
    pub(crate) fn stage<T>(&self, name: &'static str, stage: impl FnOnce() -> T) -> T {
        self.timed(name, None, stage)
    }

    /// Runs a stage that only some methods have: it is not shown if there was nothing to do.
    pub(crate) fn stage_maybe<T, E>(
        &self,
        name: &'static str,
        stage: impl FnOnce() -> std::result::Result<Option<T>, E>,
    ) -> std::result::Result<Option<T>, E> {
        let timed = Timed::start(name, None, self.progress);
        let result = stage()?;
        if result.is_some() {
            self.push(timed.end());
        }
        Ok(result)
    }

    fn timed<T>(&self, name: &'static str, bytes: Option<u64>, stage: impl FnOnce() -> T) -> T {
        let timed = Timed::start(name, bytes, self.progress);
        let result = stage();
        self.push(timed.end());
        result
    }

    fn push(&self, stage: Stage) {
        self.stages.lock().unwrap_or_else(PoisonError::into_inner).push(stage);
    }

    /// Reads and sketches all documents, if there is enough space.
    pub(crate) fn read(&self, files: Files, options: &ReadOptions) -> Result<Corpus> {
        let Files { shelf, input_count } = files;
        space::check(&shelf, &options.settings, self.method.layout().byte_count(), &self.work)?;
        let bytes = shelf.files().iter().map(|file| file.bytes).sum();
        let Self { scheme, method, work, progress, .. } = self;
        let (method, progress) = (&**method, *progress);
        let keeps = if self.exact_if_small { Kept::SketchesAndFeatures } else { Kept::Sketches };
        let reading = Reading { options, similarity: scheme, method, work, progress, keeps, only: None };
        self.timed("sketch", Some(bytes), || Corpus::read(shelf, input_count, reading))
    }

    /// Reads all documents without sketching them.
    pub(crate) fn look_over(&self, files: Files, options: &ReadOptions) -> Result<Corpus> {
        let Files { shelf, input_count } = files;
        let bytes = shelf.files().iter().map(|file| file.bytes).sum();
        let Self { scheme, method, work, progress, .. } = self;
        let (method, progress) = (&**method, *progress);
        let keeps = Kept::Nothing;
        let reading = Reading { options, similarity: scheme, method, work, progress, keeps, only: None };
        self.timed("look over", Some(bytes), || Corpus::read(shelf, input_count, reading))
    }

    /// Provides the features of documents by rereading them.
    pub(crate) fn reread<'c>(&self, corpus: &'c Corpus, options: &'c ReadOptions) -> RereadBoth<'c>
    where
        'a: 'c,
    {
        RereadBoth::new(corpus, options, self.scheme, self.work.key(), self.progress)
    }

    /// Joins documents with the same words; the first in keep order represents them, and references precede all others.
    pub(crate) fn join_copies(
        &self,
        corpus: &Corpus,
        deciding: &Reread<'_>,
        keep: &Keep,
        source_ranks: &[u32],
    ) -> Result<Texts> {
        self.stage("copies", || {
            let token_counts = lengths(self.scheme.criterion(), &corpus.token_counts, &corpus.sizes);
            let ranking = Ranking { token_counts, field_values: &corpus.values, source_ranks };
            let order = against::references_first(corpus, keep_order(keep, ranking));
            join_copies(deciding, &order, corpus.shares)
        })
    }

    /// Ends the job, and returns its stages. Temporary data exists as long as its `Work`.
    pub(crate) fn end(self) -> (Vec<Stage>, Work) {
        (self.stages.into_inner().unwrap_or_else(PoisonError::into_inner).finish(), self.work)
    }
}

/// Identifies the result of a run that could be resumed: by its label and output options.
pub(crate) fn result_of(shelf: &Shelf, options: &DedupOptions) -> Result<String> {
    let mut all = work::label(shelf, &options.label(), options.work.earlier)?.join("\0");
    all.push_str(&format!("\0{:?}, {:?}", options.output, options.source));
    Ok(format!("{:032x}", bytes_hash(all.as_bytes())))
}
