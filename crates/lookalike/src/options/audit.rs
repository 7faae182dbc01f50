//! Options of an audit.

use std::path::PathBuf;

use lookalike_core::scheme::Scheme;

use super::ReadOptions;

/// Options of [`Audit::prepare`](crate::Audit::prepare).
#[derive(Clone, Debug)]
pub struct AuditOptions {
    /// The output folder of a finished run.
    pub(crate) folder: PathBuf,
    /// Approximate number of removals to label.
    pub(crate) sample: usize,
    /// Number of additional pairs just below the threshold to label.
    pub(crate) near_misses: usize,
    /// Random seed.
    pub(crate) seed: u64,
    /// The name of the person who labels.
    pub(crate) labeler: Option<String>,
    /// Input of the run, and the settings with which it was read: texts are read again from it.
    pub(crate) read: ReadOptions,
    /// The reference of the run.
    pub(crate) references: Vec<PathBuf>,
    /// The scheme of the run.
    pub(crate) scheme: Scheme,
}

impl AuditOptions {
    /// Random seed: a different seed selects different pairs.
    pub fn seed(&self) -> u64 {
        self.seed
    }
}
