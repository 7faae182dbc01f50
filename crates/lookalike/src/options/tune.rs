//! Options of the job that explains parameters.

use std::path::PathBuf;

use lookalike_core::bucket::banding::Banding;
use lookalike_core::measure::similarity::Threshold;
use lookalike_core::scheme::Scheme;

use super::budget::Bought;
use super::{Learning, ReadOptions, Resources};

/// Options of [`tune`](crate::tune()).
#[derive(Clone, Debug)]
pub struct TuneOptions {
    /// Criterion for near-duplicates; the method of this scheme is the one that is explained.
    pub(crate) scheme: Scheme,
    /// Options for learning boilerplate from the corpus, if it is learned.
    pub(crate) learning: Option<Learning>,
    /// The number of files for whose names the tokens of source code were chosen, if they were.
    pub(crate) code_file_count: Option<u64>,
    /// True if a small input is compared exactly, regardless of the method of the scheme.
    pub(crate) exact_if_small: bool,
    /// The threshold of the scheme.
    pub(crate) threshold: Threshold,
    /// Division of the sketch into bands.
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

    /// Division of the sketch into bands.
    pub fn banding(&self) -> Banding {
        self.banding
    }
}
