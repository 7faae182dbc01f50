//! Options of `decontaminate`.

use std::path::{Path, PathBuf};

use super::{ReadOptions, ReportTexts, Resources};

/// The fields that are added to documents with a note: whether there are test items, and which.
pub(crate) const CONTAMINATED: [&str; 2] = ["contaminated", "contaminated_by"];

/// The field that is added to documents of which passages were cut.
pub(crate) const CUT_ITEMS: &str = "cut_items";

/// Options of [`decontaminate`](crate::decontaminate()).
#[derive(Clone, Debug)]
pub struct DecontaminateOptions {
    /// The corpus.
    pub(crate) read: ReadOptions,
    /// The test sets: their text is the first field, and further fields are the others.
    pub(crate) items: ReadOptions,
    /// The fields of an item by name, the question first.
    pub(crate) fields: Vec<String>,
    /// Number of words of an n-gram.
    pub(crate) ngram: usize,
    /// The share of a question that a hit covers.
    pub(crate) coverage: f64,
    /// The share of a source's documents that makes a passage common.
    pub(crate) common_share: f64,
    /// Action on contaminated documents.
    pub(crate) action: ContaminationAction,
    /// The folder to write to; none to write nothing.
    pub(crate) folder: Option<PathBuf>,
    /// True to replace the output of an earlier run.
    pub(crate) force: bool,
    /// Amount of text in `report.html`; `None` to write no report.
    pub(crate) report: Option<ReportTexts>,
    /// The file of the report, where it is not that of the folder.
    pub(crate) report_file: Option<PathBuf>,
    /// The share of a test set's items that makes the run fail after everything is written.
    pub(crate) fail_if_contaminated: Option<f64>,
    /// The command line, word by word and without secrets; may be empty.
    pub(crate) command: Vec<String>,
    /// Limits.
    pub(crate) resources: Resources,
}

impl DecontaminateOptions {
    /// The corpus.
    pub fn read(&self) -> &ReadOptions {
        &self.read
    }

    /// The fields of an item by name, the question first.
    pub fn fields(&self) -> &[String] {
        &self.fields
    }

    /// Action on contaminated documents.
    pub fn action(&self) -> ContaminationAction {
        self.action
    }

    /// The folder to write to.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// True if a report is written, to that folder or to a file of its own.
    pub fn has_report(&self) -> bool {
        self.report.is_some() && (self.folder.is_some() || self.report_file.is_some())
    }

    /// The file of the report, where it is not that of the folder.
    pub fn report_file(&self) -> Option<&Path> {
        self.report_file.as_deref()
    }

    /// The share of a test set's items that makes the run fail.
    pub fn fail_if_contaminated(&self) -> Option<f64> {
        self.fail_if_contaminated
    }

    /// Limits.
    pub fn resources(&self) -> &Resources {
        &self.resources
    }
}

lookalike_core::word_enum! {
    /// Action on documents that contain test items.
    #[derive(Default)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub enum ContaminationAction {
        /// They are named, and no documents are written.
        #[default]
        Report,
        /// All other documents are written.
        Remove,
        /// All documents are written, each with a note.
        Annotate,
        /// All documents are written, without the passages that are test items.
        Cut,
    }
}
