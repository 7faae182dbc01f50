//! Options of `dedup`.

use std::path::{Path, PathBuf};

use lookalike_core::resolve::keep::Keep;
use lookalike_core::scheme::Scheme;
use lookalike_io::input::held::HeldTable;
use lookalike_io::work::WorkOptions;

use super::compare_with::CompareWith;
use super::read::ReadOptions;
use super::resources::Resources;
use super::source::{Share, SourceBy};
use super::{scheme_label, shown};

/// Options of [`crate::dedup()`].
#[derive(Clone, Debug)]
pub struct DedupOptions {
    /// What to read.
    pub(crate) read: ReadOptions,
    /// When two documents are near-duplicates, and how they are found.
    pub(crate) scheme: Scheme,
    /// Whether a small input is compared exactly, whatever the method of the scheme.
    pub(crate) exact_if_small: bool,
    /// Documents that the input is compared with.
    pub(crate) compare_with: CompareWith,
    /// Which of several near-duplicates is kept.
    pub(crate) keep: Keep,
    /// How matches become removals.
    pub(crate) group: Group,
    /// What the source of a document is.
    pub(crate) source: SourceBy,
    /// A source that loses this share of its documents, or more, ends the run before anything is written.
    pub(crate) fail_if_source_loses: Option<Share>,
    /// The folder to write to; none to write nothing.
    pub(crate) folder: Option<PathBuf>,
    /// Whether documents go to the stream of a filter.
    pub(crate) is_stream: bool,
    /// The file for the evidence, where there is no folder for it.
    pub(crate) removed: Option<PathBuf>,
    /// What to write there.
    pub(crate) output: Output,
    /// Whether to replace what an earlier run wrote.
    pub(crate) force: bool,
    /// What `report.html` in the folder shows of texts; none to write none.
    pub(crate) report: Option<ReportTexts>,
    /// The file of the report, where it is not that of the folder.
    pub(crate) report_file: Option<PathBuf>,
    /// The command line that asked for all this, word by word and without secrets, for the summary and the report; may be empty.
    pub(crate) command: Vec<String>,
    /// Limits.
    pub(crate) resources: Resources,
    /// Where to put what does not fit in memory.
    pub(crate) work: WorkOptions,
    /// The field of ids, where nobody named one and it was found in the input.
    pub(crate) id_field: Option<String>,
}

impl DedupOptions {
    /// What to read.
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

    /// When two documents are near-duplicates, and how they are found.
    pub fn scheme(&self) -> &Scheme {
        &self.scheme
    }

    /// Which of several near-duplicates is kept.
    pub fn keep(&self) -> &Keep {
        &self.keep
    }

    /// The folder to write to.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// The file for the evidence, where there is no folder for it.
    pub fn removed(&self) -> Option<&Path> {
        self.removed.as_deref()
    }

    /// What is written besides the evidence and the summary.
    pub fn output(&self) -> Output {
        self.output
    }

    /// Whether a report is written to the output folder.
    pub fn has_report(&self) -> bool {
        self.report.is_some() && self.report_file.is_none()
    }

    /// The file of the report, where it is not that of the folder.
    pub fn report_file(&self) -> Option<&Path> {
        self.report_file.as_deref()
    }

    /// Limits.
    pub fn resources(&self) -> &Resources {
        &self.resources
    }

    /// The same with failures that are simulated, for tests.
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

    /// The same with ids from a field that nobody named.
    pub(crate) fn with_id_field(mut self, field: String) -> Self {
        self.read.settings.fields.id = Some(field.clone());
        self.id_field = Some(field);
        self
    }

    /// What tells this run from others on the same input, a line each.
    pub(crate) fn label(&self) -> Vec<String> {
        let mut lines = vec!["command dedup".to_owned()];
        lines.extend(scheme_label(&self.scheme));
        lines.extend(self.exact_if_small.then(|| "a small input is compared exactly".to_owned()));
        lines.push(format!("settings {:?}", self.read.settings));
        lines.push(format!("keep {}, group {:?}", self.keep, self.group));
        let reference = self.compare_with.reference().map(|against| (shown(&against.references), against.scope));
        lines.push(format!("reference {reference:?}"));
        lines.extend(self.compare_with.index().map(|against| format!("index {against:?}")));
        lines
    }
}

lookalike_core::word_enum! {
    /// How much of the documents a report shows.
    #[derive(Default)]
    pub enum ReportTexts {
        /// Ids and places only.
        None,
        /// What differs between two documents, and a little around it.
        #[default]
        Excerpt,
        /// Whole documents, as far as there is room.
        Full,
    }
}

lookalike_core::word_enum! {
    /// How matches become removals.
    #[derive(Default)]
    pub enum Group {
        /// A maximal independent set: every removed document has a kept near-duplicate.
        #[default]
        Independent,
        /// Connected components: one document of each is kept, however different the others are.
        Components,
    }
}

/// What `dedup` writes besides the evidence and the summary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Output {
    /// The kept documents.
    #[default]
    Kept,
    /// Nothing.
    DryRun,
    /// All documents, each with notes.
    Annotated,
}
