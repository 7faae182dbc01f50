//! Options of the job that explains parameters.

use std::path::PathBuf;

use lookalike_core::bucket::banding::Banding;
use lookalike_core::measure::similarity::Threshold;
use lookalike_core::scheme::Scheme;

use super::budget::Bought;
use super::{ReadOptions, Resources};

/// Options of [`tune`](crate::tune()).
#[derive(Clone, Debug)]
pub struct TuneOptions {
    /// When documents are near-duplicates; its method is the one that is explained.
    pub(crate) scheme: Scheme,
    /// Whether a small input is compared exactly, whatever the method of the scheme.
    pub(crate) exact_if_small: bool,
    /// The threshold of the scheme.
    pub(crate) threshold: Threshold,
    /// How the sketch is cut.
    pub(crate) banding: Banding,
    /// The corpus, if there is one.
    pub(crate) corpus: Option<ReadOptions>,
    /// Maximum number of bytes to read, before decompression; if the corpus is larger, parts from all over it are read.
    pub(crate) most_bytes: u64,
    /// Bandings within a budget, the best first; empty if there is none.
    pub(crate) within_budget: Vec<Bought>,
    /// Files of labels, to show what people say of pairs by similarity.
    pub(crate) labels: Vec<PathBuf>,
    /// Limits.
    pub(crate) resources: Resources,
}

/// The default of [`TuneOptions::most_bytes`]: a few seconds of reading.
pub(crate) const MOST_BYTES: u64 = 1_000_000_000;

impl TuneOptions {
    /// Limits.
    pub fn resources(&self) -> &Resources {
        &self.resources
    }

    /// How the sketch is cut.
    pub fn banding(&self) -> Banding {
        self.banding
    }
}
