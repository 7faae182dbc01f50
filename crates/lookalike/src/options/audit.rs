//! Options of an audit.

use std::path::PathBuf;

use lookalike_core::scheme::Scheme;

use super::ReadOptions;

/// Options of [`Audit::prepare`](crate::Audit::prepare).
#[derive(Clone, Debug)]
pub struct AuditOptions {
    /// The output folder of a finished run.
    pub(crate) folder: PathBuf,
    /// About how many removals are labeled.
    pub(crate) sample: usize,
    /// How many pairs just below the threshold are labeled besides.
    pub(crate) near_misses: usize,
    /// Random seed.
    pub(crate) seed: u64,
    /// The name of who labels.
    pub(crate) labeler: Option<String>,
    /// How the input of the run was read: texts are read again from there.
    pub(crate) read: ReadOptions,
    /// The reference of the run.
    pub(crate) references: Vec<PathBuf>,
    /// The scheme of the run.
    pub(crate) scheme: Scheme,
}

impl AuditOptions {
    /// Random seed: another one draws other pairs.
    pub fn seed(&self) -> u64 {
        self.seed
    }
}
