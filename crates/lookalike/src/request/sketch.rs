//! The request of `sketch`.

use derive_setters::Setters;
use lookalike_core::remedy::JobOption;
use lookalike_core::scheme::SketchKey;
use serde::{Deserialize, Serialize};

use super::read::ReadRequest;
use super::resources::ResourceRequest;
use super::scheme::SchemeRequest;
use crate::options::SketchOptions;
use crate::refused::Refused;

/// Unchecked options of [`sketch`](crate::sketch()). Missing ones have the defaults of `dedup`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, Setters)]
#[serde(default)]
#[setters(strip_option, into)]
#[non_exhaustive]
pub struct SketchRequest {
    /// Input.
    #[serde(flatten, skip_deserializing)]
    #[setters(skip)]
    pub read: ReadRequest,
    /// Features to sketch, and the method.
    #[serde(flatten, skip_deserializing)]
    #[setters(skip)]
    pub scheme: SchemeRequest,
    /// Limits.
    #[serde(flatten, skip_deserializing)]
    #[setters(skip)]
    pub resources: ResourceRequest,
}

new_from_inputs!(SketchRequest, read.inputs);
from_options!(SketchRequest, read, scheme, resources);

impl SketchRequest {
    /// Checks all options.
    ///
    /// # Errors
    ///
    /// If a value is invalid; if the method creates no sketches, or cannot sketch a text on its own; or if sketches of
    /// two calls would not be comparable.
    pub fn check(self) -> Result<SketchOptions, Refused> {
        let resources = self.resources.check()?;
        let scheme = self.scheme.check()?;
        let method = scheme.build_method();
        if method.layout().byte_count() == 0 || method.learns() {
            let allowed =
                "one that makes a sketch of each text by itself: minhash, supershingle, or simhash without idf";
            return Err(Refused::unknown_word(JobOption::Method, scheme.method().name(), allowed));
        }
        if scheme.key() == SketchKey::Random {
            let allowed = "1 to 16 hexadecimal digits: sketches with different keys cannot be compared";
            return Err(Refused::unknown_word(JobOption::Key, "random", allowed));
        }
        let read = self.read.check(&resources)?;
        Ok(SketchOptions { read, scheme, resources })
    }
}
