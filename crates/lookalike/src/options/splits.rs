//! Options of `splits`.

use std::path::{Path, PathBuf};

use super::{PairsOptions, PassagesOptions, ReadOptions, Resources};

/// Options of [`crate::splits()`].
#[derive(Clone, Debug)]
pub struct SplitsOptions {
    /// Options of the search for near-duplicates.
    pub(crate) pairs: PairsOptions,
    /// Options of the search for passages, if shared passages count.
    pub(crate) passages: Option<PassagesOptions>,
    /// The names of the splits, where their inputs have none: one for each input and table.
    pub(crate) names: Vec<String>,
    /// A pair of splits with a larger share of leaks than this fails.
    pub(crate) fail_if_leaks: Option<f64>,
    /// The field of the cluster, in documents that are written with it.
    pub(crate) group: Option<String>,
    /// The folder to write to; none to write nothing.
    pub(crate) folder: Option<PathBuf>,
    /// Write a report.
    pub(crate) report: bool,
    /// The file of the report, where it is not that of the folder.
    pub(crate) report_file: Option<PathBuf>,
    /// Replace the output of an earlier run.
    pub(crate) force: bool,
    /// The command line that asked for all this, word by word and without secrets.
    pub(crate) command: Vec<String>,
}

impl SplitsOptions {
    /// The input.
    pub fn read(&self) -> &ReadOptions {
        &self.pairs.read
    }

    /// The folder to write to.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// True if a report is written, to the output folder or to a file of its own.
    pub fn has_report(&self) -> bool {
        self.report && (self.folder.is_some() || self.report_file.is_some())
    }

    /// The file of the report, where it is not that of the folder.
    pub fn report_file(&self) -> Option<&Path> {
        self.report_file.as_deref()
    }

    /// Limits.
    pub fn resources(&self) -> &Resources {
        &self.pairs.resources
    }
}
