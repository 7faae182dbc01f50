//! Options of `boilerplate`.

use lookalike_core::scheme::Scheme;

use super::{ReadOptions, Resources, Share, SourceBy};

/// Options of [`boilerplate`](crate::boilerplate()).
#[derive(Clone, Debug)]
pub struct BoilerplateOptions {
    /// Options for reading.
    pub(crate) read: ReadOptions,
    /// Scheme of the comparison.
    pub(crate) scheme: Scheme,
    /// Definition of the source of a document.
    pub(crate) source: SourceBy,
    /// Shingles on more than this share of a source's pages are its boilerplate.
    pub(crate) share: Share,
    /// Limits.
    pub(crate) resources: Resources,
}

/// Options for learning the boilerplate of a job's own input.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Learning {
    /// Shingles on more than this share of a source's pages are its boilerplate.
    pub(crate) share: Share,
    /// Definition of the source of a document.
    pub(crate) by: SourceBy,
}

impl BoilerplateOptions {
    /// Options for reading.
    pub fn read(&self) -> &ReadOptions {
        &self.read
    }

    /// Limits.
    pub fn resources(&self) -> &Resources {
        &self.resources
    }
}
