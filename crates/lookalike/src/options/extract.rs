//! Options of `extract`.

use std::path::PathBuf;

use lookalike_core::scheme::Scheme;

use super::{Learning, ReadOptions, Resources, RowFormat};

/// Options of [`extract`](crate::extract()).
#[derive(Clone, Debug)]
pub struct ExtractOptions {
    /// Options for reading.
    pub(crate) read: ReadOptions,
    /// Scheme of the comparison, including the boilerplate that is ignored.
    pub(crate) scheme: Scheme,
    /// Options for learning boilerplate from the input, if it is learned.
    pub(crate) learning: Option<Learning>,
    /// The file that is written to, if any, which is then not read as input.
    pub(crate) output: Option<PathBuf>,
    /// Format of the rows.
    pub(crate) format: RowFormat,
    /// Limits.
    pub(crate) resources: Resources,
}

impl ExtractOptions {
    /// Options for reading.
    pub fn read(&self) -> &ReadOptions {
        &self.read
    }

    /// Limits.
    pub fn resources(&self) -> &Resources {
        &self.resources
    }
}
