//! Destination of the result of `dedup`: given decisions, a folder, a stream, or none. Output is either complete or
//! absent.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use lookalike_io::write::{OutputFile, Staging};
use serde::Serialize;

use crate::corpus::Corpus;
use crate::error::{Error, Result, until_closed};
use crate::options::{DedupOptions, Output, RowFormat};
use crate::output::captures::Pages;
use crate::output::evidence::Fates;
use crate::output::kept::{EntriesToWrite, Wrote, commit_report, open_report, place_report, write, write_summary};
use crate::output::rows::Removal;
use crate::output::sink::{RowWriter, Seen};
use crate::resources::work::Work;
use crate::run::{Files, Run};

/// Receives the documents of [`crate::filter()`].
pub(crate) type DocumentStream<'a> = &'a mut (dyn Write + Send);

/// The name of the report in the output folder.
pub(crate) const REPORT: &str = "report.html";

/// Names that a run writes, and that a later run may replace. An audit of another result is replaced with it; labels
/// stay, because a person made them.
pub(crate) const ENTRIES: &[&str] = &["audit.json", "kept", "annotated", "removed.jsonl", REPORT, "summary.json"];

/// Output before it is renamed to its final name.
pub(crate) struct Destination<'a> {
    folder: Option<(PathBuf, Staging)>,
    evidence: Option<OutputFile>,
    /// The report, where it has a name of its own.
    report: Option<OutputFile>,
    documents: Option<DocumentStream<'a>>,
}

impl<'a> Destination<'a> {
    /// Makes sure that there is room for the output under its name: a folder, or else a stream.
    pub(crate) fn open(
        folder: Option<&Path>,
        documents: Option<DocumentStream<'a>>,
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
        let evidence = options.removed.as_deref();
        let evidence = evidence.map(|path| OutputFile::new(path, options.force, &unfinished)).transpose()?;
        let report = open_report(options.report_file.as_deref(), options.force, &unfinished)?;
        Ok(Self { folder, evidence, report, documents: documents.filter(|_| options.output != Output::DryRun) })
    }

    /// Writes all but the report and the summary. `seen` is shown each removal, for the report.
    pub(crate) fn write(
        &mut self,
        corpus: &Corpus,
        fates: &Fates<'_>,
        options: &DedupOptions,
        seen: &mut dyn FnMut(&Removal),
        run: &Run<'_>,
    ) -> Result<Wrote> {
        let mut wrote = Wrote::default();
        if let Some((_, staging)) = &self.folder {
            wrote = run.stage("write", || write(corpus, fates, options, (staging, seen), run.progress))?;
        } else if self.report.is_some() {
            let mut rows = Seen { seen, sink: RowWriter::new(io::sink(), RowFormat::Jsonl) };
            fates.write_removals(options.source, &mut rows, Error::unwritable)?;
        }
        if let Some(evidence) = &mut self.evidence {
            let mut rows = RowWriter::new(evidence.writer(), RowFormat::Jsonl);
            fates.write_removals(options.source, &mut rows, Error::unwritable)?;
        }
        if let Some(documents) = self.documents.take() {
            corpus.shelf.check_unchanged()?;
            run.progress.go_on()?;
            let pages = Pages::of_input(corpus, fates)?;
            let (output, progress) = (options.output, run.progress);
            let entries = EntriesToWrite { corpus, fates, pages: &pages, output, progress };
            let write = || entries.write_file(0, options, Path::new("the output"), || Ok(documents));
            wrote = run.stage("write", || until_closed(write()))?;
        }
        Ok(wrote)
    }

    /// True if the output includes a report.
    pub(crate) fn has_report(&self, options: &DedupOptions) -> bool {
        options.report.is_some() && (self.folder.is_some() || self.report.is_some())
    }

    /// Writes the report and the summary, and gives everything its name.
    pub(crate) fn commit(
        self,
        summary: &impl Serialize,
        report: Option<&str>,
        options: &DedupOptions,
        work: &Work,
    ) -> Result<()> {
        let staging = self.folder.as_ref().map(|(_, staging)| staging);
        let report = report.map_or(Ok(None), |page| place_report(page, self.report, staging))?;
        if let Some((folder, staging)) = self.folder {
            write_summary(summary, &staging)?;
            work.named().map_or(Ok(()), |work| work.note_commit(&folder))?;
            staging.commit_with(&options.work.faults)?;
        }
        commit_report(report)?;
        Ok(self.evidence.map_or(Ok(()), OutputFile::commit)?)
    }
}
