//! The request of `compare`.

use derive_setters::Setters;
use serde::{Deserialize, Serialize};

use super::ignoring::IgnoreRequest;
use super::read::ReadRequest;
use super::resources::ResourceRequest;
use super::scheme::SchemeRequest;
use crate::options::CompareOptions;
use crate::refused::Refused;

/// Unchecked options of [`compare_documents`](crate::compare_documents()). Missing ones have the defaults of the
/// command.
#[derive(Clone, Debug, Default, Serialize, Deserialize, Setters)]
#[serde(default)]
#[setters(strip_option, into)]
#[non_exhaustive]
pub struct CompareRequest {
    /// The corpus that has both documents. Without inputs, documents are files.
    #[serde(flatten, skip_deserializing)]
    #[setters(skip)]
    pub read: ReadRequest,
    /// Criterion for near-duplicates.
    #[serde(flatten, skip_deserializing)]
    #[setters(skip)]
    pub scheme: SchemeRequest,
    /// Text to ignore.
    #[serde(flatten, skip_deserializing)]
    #[setters(skip)]
    pub ignoring: IgnoreRequest,
    /// Limits.
    #[serde(flatten, skip_deserializing)]
    #[setters(skip)]
    pub resources: ResourceRequest,
}

new_from_inputs!(CompareRequest, read.inputs);
from_options!(CompareRequest, read, scheme, ignoring, resources);

impl CompareRequest {
    /// Checks all options, and that they go together.
    ///
    /// # Errors
    ///
    /// Fails if a value is impossible, has no effect, or contradicts another.
    pub fn check(self) -> Result<CompareOptions, Refused> {
        let resources = self.resources.check_for(2)?;
        let purpose = self.scheme.purpose;
        let ignoring = if self.read.inputs.is_empty() {
            self.ignoring.check_without_input(purpose)?
        } else {
            self.ignoring.check(purpose)?
        };
        let scheme = ignoring.leave_out(self.scheme.check()?)?;
        let (read, learning) = ignoring.read(self.read.with_purpose(purpose), &scheme, &resources)?;
        Ok(CompareOptions { read, scheme, learning, resources })
    }
}
