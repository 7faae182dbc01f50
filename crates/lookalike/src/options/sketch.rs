//! Options of `sketch`.

use lookalike_core::scheme::Scheme;

use super::{ReadOptions, Resources};

/// Options of [`sketch`](crate::sketch()).
#[derive(Clone, Debug)]
pub struct SketchOptions {
    /// What to read.
    pub(crate) read: ReadOptions,
    /// What is sketched, and by which method.
    pub(crate) scheme: Scheme,
    /// Limits.
    pub(crate) resources: Resources,
}

impl SketchOptions {
    /// What is sketched, and by which method.
    pub fn scheme(&self) -> &Scheme {
        &self.scheme
    }

    /// Limits.
    pub fn resources(&self) -> &Resources {
        &self.resources
    }
}
