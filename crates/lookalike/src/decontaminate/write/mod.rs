//! The result to a folder, which is complete or absent.

mod documents;

use lookalike_io::input::shelf::Shelf;
use lookalike_io::write::{OutputFile, Staging};

use self::documents::Documents;
use super::decide::Decided;
use super::rows::{write_hits, write_items};
use super::search::Searched;
use super::summary::WrittenDocuments;
use super::{DecontaminateSummary, Tests};
use crate::error::{Error, Result};
use crate::options::{ContaminationAction, DecontaminateOptions, RowFormat};
use crate::output::destination::REPORT;
use crate::output::kept::{SUMMARY, commit_report, open_report, place_report, write_summary};
use crate::output::sink::RowWriter;
use crate::progress::Progress;
use crate::run::stages::{Stages, Timed};

/// The files of the rows.
const HITS: &str = "hits.jsonl";
const ITEMS: &str = "items.jsonl";

/// Names that a run writes, and that a later run may replace.
const ENTRIES: &[&str] = &[HITS, ITEMS, "kept", "annotated", "cut", REPORT, SUMMARY];

/// Output before it is renamed to its final name; empty if no folder was named.
pub(super) struct Destination {
    staging: Option<Staging>,
    /// The report, where it has a name of its own.
    report: Option<OutputFile>,
}

impl Destination {
    /// Makes sure that there is room for the output under its name.
    pub(super) fn open(options: &DecontaminateOptions, corpus: &Shelf, progress: &dyn Progress) -> Result<Self> {
        let unfinished = progress.unfinished();
        let stage = |folder| Staging::new(folder, options.force, ENTRIES, corpus.files(), &unfinished);
        let staging = options.folder.as_deref().map(stage).transpose()?;
        let report = open_report(options.report_file.as_deref(), options.force, &unfinished)?;
        Ok(Self { staging, report })
    }

    /// Writes the rows and the documents.
    pub(super) fn write(
        &self,
        corpus: &Shelf,
        (tests, searched, decided): (&Tests, &Searched, &Decided),
        options: &DecontaminateOptions,
        stages: &mut Stages<'_>,
    ) -> Result<WrittenDocuments> {
        let Some(staging) = &self.staging else { return Ok(WrittenDocuments::default()) };
        let timed = Timed::start("write", None, stages.progress());
        let unwritable = |name: &str| {
            let path = staging.path().join(name);
            move |cause| Error::from(lookalike_io::Error::Unwritable { path, cause })
        };
        let mut hits = RowWriter::new(staging.file(HITS)?, RowFormat::Jsonl);
        write_hits(tests, searched, decided, options, &mut hits).map_err(unwritable(HITS))?;
        let mut items = RowWriter::new(staging.file(ITEMS)?, RowFormat::Jsonl);
        write_items(tests, searched, decided, &mut items).map_err(unwritable(ITEMS))?;
        let written = match options.action {
            ContaminationAction::Report => WrittenDocuments::default(),
            _ => Documents::new(corpus, tests, searched, decided, options).write(staging, stages.progress())?,
        };
        stages.push(timed.end());
        Ok(written)
    }

    /// Writes the report and the summary, and gives everything its name.
    pub(super) fn commit(
        self,
        summary: &DecontaminateSummary,
        report: impl FnOnce() -> String,
        options: &DecontaminateOptions,
    ) -> Result<()> {
        let report =
            if options.has_report() { place_report(&report(), self.report, self.staging.as_ref())? } else { None };
        if let Some(staging) = self.staging {
            write_summary(summary, &staging)?;
            staging.commit()?;
        }
        commit_report(report)
    }
}
