//! The request of `extract`.

use std::path::PathBuf;

use derive_setters::Setters;
use serde::{Deserialize, Serialize};

use super::ignoring::IgnoreRequest;
use super::read::ReadRequest;
use super::resources::ResourceRequest;
use super::scheme::SchemeRequest;
use crate::options::{ExtractOptions, RowFormat};
use crate::refused::Refused;

/// Unchecked options of [`extract`](crate::extract()). Missing ones have the defaults of the command.
#[derive(Clone, Debug, Default, Serialize, Deserialize, Setters)]
#[serde(default)]
#[setters(strip_option, into)]
#[non_exhaustive]
pub struct ExtractRequest {
    /// Options for reading.
    #[serde(flatten, skip_deserializing)]
    #[setters(skip)]
    pub read: ReadRequest,
    /// Scheme of the comparison, which determines the text that is ignored. Its threshold and method have no effect.
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
    /// The file that is written to, which is not read as input.
    pub output: Option<PathBuf>,
    /// Format of the rows. Default: `jsonl`.
    pub format: Option<RowFormat>,
}

new_from_inputs!(ExtractRequest, read.inputs);
from_options!(ExtractRequest, read, scheme, ignoring, resources);

impl ExtractRequest {
    /// Checks all options.
    ///
    /// # Errors
    ///
    /// Fails if a value is impossible, has no effect, or contradicts another.
    pub fn check(self) -> Result<ExtractOptions, Refused> {
        let resources = self.resources.check()?;
        let purpose = self.scheme.purpose;
        let ignoring = self.ignoring.check(purpose)?;
        let scheme = ignoring.leave_out(self.scheme.check()?)?;
        let (read, learning) = ignoring.read(self.read.with_purpose(purpose), &scheme, &resources)?;
        let format = self.format.unwrap_or_default();
        Ok(ExtractOptions { read, scheme, learning, output: self.output, format, resources })
    }
}
