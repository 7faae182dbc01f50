//! Options of the job that compares schemes.

use std::path::{Path, PathBuf};

use lookalike_core::scheme::Scheme;

use super::{Learning, ReadOptions, Resources};

/// Options of [`evaluate`](crate::evaluate()).
#[derive(Clone, Debug)]
pub struct EvaluateOptions {
    /// Options for reading.
    pub(crate) read: ReadOptions,
    /// The schemes to compare, at least one.
    pub(crate) schemes: Vec<NamedScheme>,
    /// Options for learning boilerplate from the input, if it is learned.
    pub(crate) learning: Option<Learning>,
    /// File of the true pairs, or of labels of an audit. Without it, they are found by an exact join.
    pub(crate) labels: Option<PathBuf>,
    /// True to also count pairs by score and by agreement.
    pub(crate) histograms: bool,
    /// The file of the whole result, as JSON, which the caller writes.
    pub(crate) output: Option<PathBuf>,
    /// Limits.
    pub(crate) resources: Resources,
}

/// One way to find near-duplicates: shingle, threshold and method.
#[derive(Clone, Debug)]
pub struct NamedScheme {
    /// The name of the method as it is shown.
    pub(crate) name: String,
    /// Criterion for near-duplicates, and the method that finds them.
    pub(crate) scheme: Scheme,
}

impl NamedScheme {
    /// Returns the shingle and the threshold that define the true pairs.
    pub(crate) fn target(&self) -> (String, f64) {
        (self.scheme.shingle().to_string(), self.scheme.criterion().threshold())
    }
}

impl EvaluateOptions {
    /// The input.
    pub fn read(&self) -> &ReadOptions {
        &self.read
    }

    /// Limits.
    pub fn resources(&self) -> &Resources {
        &self.resources
    }

    /// The file of the whole result, as JSON, which the caller writes.
    pub fn output(&self) -> Option<&Path> {
        self.output.as_deref()
    }
}
