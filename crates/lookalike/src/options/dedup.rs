//! Options of `dedup`.

use std::path::{Path, PathBuf};

use lookalike_core::resolve::keep::Keep;
use lookalike_core::scheme::Scheme;
use lookalike_io::input::held::HeldTable;
use lookalike_io::work::WorkOptions;

use super::compare_with::CompareWith;
use super::matching::{MatchOptions, Purpose};
use super::read::ReadOptions;
use super::resources::Resources;
use super::source::{Share, SourceBy};
use super::{scheme_label, shown};

/// Options of [`crate::dedup()`].
#[derive(Clone, Debug)]
pub struct DedupOptions {
    /// Input.
    pub(crate) read: ReadOptions,
    /// Definition of near-duplicates, and the method that finds them.
    pub(crate) scheme: Scheme,
    /// Rules that decide which similar documents are matches.
    pub(crate) matching: MatchOptions,
    /// The purpose that settings were taken from, if one was named.
    pub(crate) purpose: Option<Purpose>,
    /// The number of files whose names made the tokens of source code the default, if they did.
    pub(crate) code_file_count: Option<u64>,
    /// The share of a source's pages by which boilerplate is learned, if it is.
    pub(crate) learn_boilerplate: Option<Share>,
    /// Compare a small input exactly, whatever the method of the scheme.
    pub(crate) exact_if_small: bool,
    /// Documents that the input is compared with.
    pub(crate) compare_with: CompareWith,
    /// Rule that decides which of several near-duplicates is kept.
    pub(crate) keep: Keep,
    /// Rule for converting matches to removals.
    pub(crate) group: Group,
    /// Definition of a document's source.
    pub(crate) source: SourceBy,
    /// Share of a source's documents whose loss ends the run before anything is written.
    pub(crate) fail_if_source_loses: Option<Share>,
    /// The folder to write to; none to write nothing.
    pub(crate) folder: Option<PathBuf>,
    /// Write documents to the stream of a filter.
    pub(crate) is_stream: bool,
    /// The file for the evidence, if there is no folder for it.
    pub(crate) removed: Option<PathBuf>,
    /// Documents to write there.
    pub(crate) output: Output,
    /// Replace the results of an earlier run.
    pub(crate) force: bool,
    /// Amount of text shown in `report.html` in the folder; `None` for no report.
    pub(crate) report: Option<ReportTexts>,
    /// The file of the report, if it is not in the folder.
    pub(crate) report_file: Option<PathBuf>,
    /// The command line that requested all this, word by word and without secrets, for the summary and the report; may
    /// be empty.
    pub(crate) command: Vec<String>,
    /// Limits.
    pub(crate) resources: Resources,
    /// Options of the work folder, for data that does not fit in memory.
    pub(crate) work: WorkOptions,
    /// The field of ids, if none was named and one was found in the input.
    pub(crate) id_field: Option<String>,
}

impl DedupOptions {
    /// Input.
    pub fn read(&self) -> &ReadOptions {
        &self.read
    }

    /// The reference: files, folders, patterns or addresses.
    pub fn references(&self) -> &[PathBuf] {
        self.compare_with.reference().map_or(&[], |against| &against.references)
    }

    /// Tables in memory that belong to the reference.
    pub fn reference_tables(&self) -> &[HeldTable] {
        self.compare_with.reference().map_or(&[], |against| &against.tables)
    }

    /// Definition of near-duplicates, and the method that finds them.
    pub fn scheme(&self) -> &Scheme {
        &self.scheme
    }

    /// Rule that decides which of several near-duplicates is kept.
    pub fn keep(&self) -> &Keep {
        &self.keep
    }

    /// The folder to write to.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// The file for the evidence, if there is no folder for it.
    pub fn removed(&self) -> Option<&Path> {
        self.removed.as_deref()
    }

    /// Documents that are written in addition to the evidence and the summary.
    pub fn output(&self) -> Output {
        self.output
    }

    /// True if a report is written to the output folder.
    pub fn has_report(&self) -> bool {
        self.report.is_some() && self.report_file.is_none()
    }

    /// The file of the report, if it is not in the folder.
    pub fn report_file(&self) -> Option<&Path> {
        self.report_file.as_deref()
    }

    /// Limits.
    pub fn resources(&self) -> &Resources {
        &self.resources
    }

    /// Adds simulated failures, for tests.
    #[doc(hidden)]
    #[must_use]
    pub fn with_faults(mut self, faults: lookalike_io::work::Faults) -> Self {
        self.work.faults = faults.into();
        self
    }

    /// The simulated failures, which count the operations of a run.
    #[doc(hidden)]
    pub fn faults(&self) -> &lookalike_io::work::Faults {
        &self.work.faults
    }

    /// Sets a field of ids that was not named.
    pub(crate) fn with_id_field(mut self, field: String) -> Self {
        self.read.settings.fields.id = Some(field.clone());
        self.id_field = Some(field);
        self
    }

    /// Sets the scheme with the learned boilerplate.
    pub(crate) fn with_boilerplate(self, scheme: Scheme) -> Self {
        Self { scheme, learn_boilerplate: None, ..self }
    }

    /// Properties that distinguish this run from others on the same input, one line each.
    pub(crate) fn label(&self) -> Vec<String> {
        let mut lines = vec!["command dedup".to_owned()];
        lines.extend(scheme_label(&self.scheme));
        lines.extend(self.exact_if_small.then(|| "a small input is compared exactly".to_owned()));
        lines.push(format!("settings {:?}", self.read.settings));
        lines.extend((self.matching != MatchOptions::default()).then(|| format!("matches {:?}", self.matching)));
        lines.push(format!("keep {}, group {:?}", self.keep, self.group));
        let reference = self.compare_with.reference().map(|against| (shown(&against.references), against.scope));
        lines.push(format!("reference {reference:?}"));
        lines.extend(self.compare_with.index().map(|against| format!("index {against:?}")));
        lines
    }
}

lookalike_core::word_enum! {
    /// Amount of documents' text in a report.
    #[derive(Default)]
    pub enum ReportTexts {
        /// Ids and places only.
        None,
        /// Differences between two documents, with a little context.
        #[default]
        Excerpt,
        /// Whole documents, as far as space permits.
        Full,
    }
}

lookalike_core::word_enum! {
    /// Rule for converting matches to removals.
    #[derive(Default)]
    pub enum Group {
        /// A maximal independent set: every removed document has a kept near-duplicate.
        #[default]
        Independent,
        /// Connected components: one document of each is kept, however different the others are.
        Components,
    }
}

/// Documents that `dedup` writes in addition to the evidence and the summary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Output {
    /// The kept documents.
    #[default]
    Kept,
    /// Nothing.
    DryRun,
    /// All documents, each with notes.
    Annotated,
}
