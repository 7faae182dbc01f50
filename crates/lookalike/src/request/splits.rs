//! The request of `splits`.

use std::path::PathBuf;

use derive_setters::Setters;
use lookalike_core::remedy::JobOption;
use serde::{Deserialize, Serialize};

use super::pairs::PairsRequest;
use super::passages::PassagesRequest;
use super::read::ReadRequest;
use super::resources::{ResourceRequest, WorkRequest};
use super::scheme::SchemeRequest;
use super::{check_added, check_report, is_stream, named_folder};
use crate::options::{Copies, SplitsOptions};
use crate::refused::Refused;

/// The request of [`splits`](crate::splits()). Missing fields have the default of the command.
#[derive(Clone, Debug, Default, Serialize, Deserialize, Setters)]
#[serde(default)]
#[setters(strip_option, into)]
#[non_exhaustive]
pub struct SplitsRequest {
    /// The input: each path and table is a split, training data first.
    #[serde(flatten, skip_deserializing)]
    #[setters(skip)]
    pub read: ReadRequest,
    /// Criterion for near-duplicates.
    #[serde(flatten, skip_deserializing)]
    #[setters(skip)]
    pub scheme: SchemeRequest,
    /// Limits.
    #[serde(flatten, skip_deserializing)]
    #[setters(skip)]
    pub resources: ResourceRequest,
    /// The work folder.
    #[serde(flatten, skip_deserializing)]
    #[setters(skip)]
    pub work: WorkRequest,
    /// Passages that splits share count as well: `line`, `paragraph`, or `run:N`. Default: only near-duplicates count.
    pub passages: Option<String>,
    /// A pair of splits with a larger share of leaks than this fails: from 0 to 1.
    pub fail_if_leaks: Option<f64>,
    /// Write all documents with the number of their cluster in this field.
    pub group: Option<String>,
    /// The folder to write to. Default: nothing is written.
    pub output: Option<PathBuf>,
    /// The file of the report. Default: `report.html` in the output folder.
    pub report: Option<PathBuf>,
    /// Write no report.
    pub no_report: Option<bool>,
    /// The names of the splits. Default: the names of inputs and tables.
    #[serde(skip)]
    pub names: Vec<String>,
    /// The command line that asked for all this, word by word and without secrets, for the summary.
    #[serde(skip)]
    pub command: Vec<String>,
}

new_from_inputs!(SplitsRequest, read.inputs);
from_options!(SplitsRequest, read, scheme, resources, work);

impl SplitsRequest {
    /// Checks all options, and that they go together.
    ///
    /// # Errors
    ///
    /// Fails if a value is impossible, has no effect, or contradicts another.
    pub fn check(self) -> Result<SplitsOptions, Refused> {
        let fail_if_leaks = self.fail_if_leaks.map(share).transpose()?;
        if self.group.is_some() && self.output.is_none() {
            return Err(Refused::needs(JobOption::Group, JobOption::Output));
        }
        named_folder(JobOption::Output, self.output.as_deref())?;
        check_report(self.report.as_deref(), self.no_report, None)?;
        if let Some(input) = self.read.inputs.iter().find(|input| is_stream(input)) {
            let allowed = "files or folders, one for each split";
            return Err(Refused::unknown_word(JobOption::Inputs, input.display().to_string(), allowed));
        }
        let passages = self.passages.map(|unit| {
            let mut request = PassagesRequest::default().unit(unit);
            (request.read, request.resources) = (self.read.clone(), self.resources.clone());
            request.check().map_err(|refused| match refused.option() {
                Some(JobOption::Unit) => refused.renamed(JobOption::Passages),
                _ => refused,
            })
        });
        let mut pairs = PairsRequest::default().copies(Copies::Star);
        (pairs.read, pairs.scheme, pairs.resources, pairs.work) =
            (self.read, self.scheme, self.resources, self.work.clone());
        pairs.output.clone_from(&self.output);
        let pairs = pairs.check()?;
        if let Some(field) = &self.group {
            check_added(JobOption::Group, &[field], &pairs.read)?;
        }
        Ok(SplitsOptions {
            pairs,
            passages: passages.transpose()?,
            names: self.names,
            fail_if_leaks,
            group: self.group,
            folder: self.output,
            report: self.no_report != Some(true),
            report_file: self.report,
            force: self.work.is_forced(),
            command: self.command,
        })
    }
}

fn share(value: f64) -> Result<f64, Refused> {
    if (0.0..=1.0).contains(&value) {
        Ok(value)
    } else {
        Err(Refused::out_of_range(JobOption::FailIfLeaks, value, "from 0 to 1"))
    }
}
