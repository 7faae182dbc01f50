//! Where the result of `dedup` goes: given decisions, a folder, a stream, or nothing is written, and is either complete or not there.

use std::io::Write;
use std::path::{Path, PathBuf};

use lookalike_io::write::{OutputFile, Staging};

use crate::corpus::Corpus;
use crate::dedup::Stream;
use crate::error::{Error, Result, until_closed};
use crate::options::{DedupOptions, Output, RowFormat};
use crate::output::evidence::Fates;
use crate::output::kept::{EntriesToWrite, write, write_summary};
use crate::output::sink::RowWriter;
use crate::report::page::{self, CorpusTexts, Report};
use crate::report::summary::{Summary, Wrote};
use crate::resources::work::Work;
use crate::run::{Files, Run};

/// What a run writes, and what a later run may replace. What was counted for another result goes with it; labels stay, since
/// a person made them.
const ENTRIES: &[&str] = &["audit.json", "kept", "annotated", "removed.jsonl", "report.html", "summary.json"];

/// What is written, before it has its name.
pub(crate) struct Destination<'a> {
    folder: Option<(PathBuf, Staging)>,
    evidence: Option<OutputFile>,
    documents: Option<&'a mut (dyn Write + Send)>,
}

impl<'a> Destination<'a> {
    /// Makes sure that there is room for the output under its name: a folder, or else a stream.
    pub(crate) fn open(
        folder: Option<&Path>,
        stream: Option<Stream<'a>>,
        options: &DedupOptions,
        files: &Files,
        run: &Run<'_>,
    ) -> Result<Self> {
        let (inputs, unfinished) = (files.shelf.files(), run.progress.unfinished());
        let stage = |folder: &Path| -> Result<(PathBuf, Staging)> {
            let is_resumed = run.work.named().is_some_and(|work| work.was_about_to_commit(folder));
            let staging = if is_resumed {
                Staging::again(folder, ENTRIES, inputs, &unfinished)?
            } else {
                Staging::new(folder, options.force, ENTRIES, inputs, &unfinished)?
            };
            run.work.named().map_or(Ok(()), |work| work.note_staging(staging.around()))?;
            Ok((folder.to_owned(), staging))
        };
        let folder = folder.map(stage).transpose()?;
        let (documents, removed) = stream.map_or((None, None), |stream| (Some(stream.documents), stream.removed));
        let evidence = removed.map(|path| OutputFile::new(path, options.force, &unfinished)).transpose()?;
        Ok(Self { folder, evidence, documents: documents.filter(|_| options.output != Output::DryRun) })
    }

    /// Writes all but the report and the summary.
    pub(crate) fn write(
        &mut self,
        corpus: &Corpus,
        fates: &Fates<'_>,
        options: &DedupOptions,
        run: &Run<'_>,
    ) -> Result<Wrote> {
        let mut wrote = Wrote::default();
        if let Some((_, staging)) = &self.folder {
            wrote = run.stage("write", || write(corpus, fates, options, staging, run.progress))?;
        }
        if let Some(evidence) = &mut self.evidence {
            let mut rows = RowWriter::new(evidence.writer(), RowFormat::Jsonl);
            fates.write_removals(options.source, &mut rows, Error::unwritable)?;
        }
        if let Some(documents) = self.documents.take() {
            corpus.shelf.check_unchanged()?;
            run.progress.go_on()?;
            let entries = EntriesToWrite { corpus, fates, output: options.output, progress: run.progress };
            let write = || entries.write_file(0, options, Path::new("the output"), || Ok(documents));
            wrote = run.stage("write", || until_closed(write()))?;
        }
        Ok(wrote)
    }

    /// Gathers what the report shows, if there is to be one: all but the times.
    pub(crate) fn report(
        &self,
        corpus: &Corpus,
        summary: &Summary,
        options: &DedupOptions,
        run: &Run<'_>,
    ) -> Result<Option<Report>> {
        let (Some((_, staging)), Some(texts)) = (&self.folder, options.report) else { return Ok(None) };
        let source = CorpusTexts::new(corpus, &options.read);
        run.stage("report", || page::of_run(summary, staging.path(), &source, texts)).map(Some)
    }

    /// Writes the report and the summary, and gives everything its name.
    pub(crate) fn commit(
        self,
        summary: &Summary,
        report: Option<Report>,
        options: &DedupOptions,
        work: &Work,
    ) -> Result<()> {
        if let Some((folder, staging)) = self.folder {
            report.map_or(Ok(()), |report| report.write(summary, &staging))?;
            write_summary(summary, &staging)?;
            work.named().map_or(Ok(()), |work| work.note_commit(&folder))?;
            staging.commit_with(&options.work.faults)?;
        }
        Ok(self.evidence.map_or(Ok(()), OutputFile::commit)?)
    }
}
