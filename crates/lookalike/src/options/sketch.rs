//! Options of `sketch`.

use lookalike_core::scheme::Scheme;

use super::{ReadOptions, Resources};

/// Options of [`sketch`](crate::sketch()).
#[derive(Clone, Debug)]
pub struct SketchOptions {
    /// Input.
    pub(crate) read: ReadOptions,
    /// Features to sketch, and the method.
    pub(crate) scheme: Scheme,
    /// Limits.
    pub(crate) resources: Resources,
}

impl SketchOptions {
    /// Features to sketch, and the method.
    pub fn scheme(&self) -> &Scheme {
        &self.scheme
    }

    /// Limits.
    pub fn resources(&self) -> &Resources {
        &self.resources
    }
}
