//! The request of `link`.

use std::path::PathBuf;

use derive_setters::Setters;
use lookalike_core::link::config::Config;
use lookalike_core::remedy::JobOption;
use lookalike_io::table::memory::MemoryTable;
use serde::{Deserialize, Serialize};

use super::resources::ResourceRequest;
use super::{check_report, named_folder, share};
use crate::options::{AddRecordsOptions, LinkModel, LinkOptions, ReviewOptions};
use crate::refused::Refused;

/// Unchecked options of [`link`](crate::link()). Missing ones have the defaults of the command.
#[derive(Clone, Debug, Default, Serialize, Deserialize, Setters)]
#[serde(default)]
#[setters(strip_option, into)]
#[non_exhaustive]
pub struct LinkRequest {
    /// Limits.
    #[serde(flatten, skip_deserializing)]
    #[setters(skip)]
    pub resources: ResourceRequest,
    /// The tables: each a file, a folder, a pattern, an address, or `-` for standard input.
    pub inputs: Vec<PathBuf>,
    /// Further tables, in the memory of the caller.
    #[serde(skip)]
    pub in_memory: Vec<MemoryTable>,
    /// Match within each of two tables as well.
    pub within: Option<bool>,
    /// Column of the ids. Default: rows are numbered from 1.
    pub id: Option<String>,
    /// Column of the ids in the second table, if it has another name.
    pub id_right: Option<String>,
    /// The kinds of columns, as the text of a `link.toml`. Default: detected.
    pub config: Option<String>,
    /// Minimum probability of a match, above 0 and below 1. Default: chosen from the data.
    pub threshold: Option<f64>,
    /// At most one match per record in the other table.
    pub one_to_one: Option<bool>,
    /// Factor on the number of comparisons: 2 for buckets with twice the pairs.
    pub effort: Option<f64>,
    /// Column of dates: merged records have the newest value of each column.
    pub newest: Option<String>,
    /// A table of the true pairs or clusters, to judge the result by.
    pub labels: Option<PathBuf>,
    /// The share of records that have a match, where that is known. Default: estimated.
    pub expect: Option<f64>,
    /// The `model.json` of another result, whose weights are used.
    pub model: Option<PathBuf>,
    /// The text of that file, instead of its name.
    #[serde(skip)]
    pub model_text: Option<String>,
    /// A column that is not compared, to check the matches by.
    pub validate: Option<String>,
    /// The folder to write to. Default: nothing is written.
    pub output: Option<PathBuf>,
    /// Replace what an earlier run wrote.
    pub force: Option<bool>,
    /// The HTML file of the report. Default: `report.html` in the output folder.
    pub report: Option<PathBuf>,
    /// Write no report.
    pub no_report: Option<bool>,
}

from_options!(LinkRequest, resources);

impl LinkRequest {
    /// One table, two, or several, with the defaults of the command and without an output.
    pub fn new<P: Into<PathBuf>>(inputs: impl IntoIterator<Item = P>) -> Self {
        Self { inputs: inputs.into_iter().map(Into::into).collect(), ..Self::default() }
    }

    /// Checks all options, and that they go together.
    ///
    /// # Errors
    ///
    /// Fails if a value is impossible, has no effect, or contradicts another.
    pub fn check(self) -> Result<LinkOptions, Refused> {
        let resources = self.resources.check()?;
        let (within, one_to_one) = (self.within == Some(true), self.one_to_one == Some(true));
        if one_to_one && within {
            return Err(Refused::not_with(JobOption::OneToOne, JobOption::Within));
        }
        let table_count = self.inputs.len() + self.in_memory.len();
        if one_to_one && table_count != 2 {
            return Err(Refused::needs_value(JobOption::OneToOne, JobOption::Inputs, "two tables"));
        }
        if within && table_count < 2 {
            return Err(Refused::needs_value(JobOption::Within, JobOption::Inputs, "two tables or more"));
        }
        if self.id_right.is_some() && self.id.is_none() {
            return Err(Refused::needs(JobOption::IdRight, JobOption::Id));
        }
        if let Some(threshold) = self.threshold.filter(|threshold| !(*threshold > 0.0 && *threshold < 1.0)) {
            return Err(Refused::out_of_range(JobOption::Threshold, threshold, "a probability above 0 and below 1"));
        }
        if let Some(effort) = self.effort.filter(|effort| !(*effort > 0.0 && effort.is_finite())) {
            return Err(Refused::out_of_range(JobOption::Effort, effort, "a factor above 0, such as 4"));
        }
        named_folder(JobOption::Output, self.output.as_deref())?;
        check_report(self.report.as_deref(), self.no_report, None)?;
        self.expect.map_or(Ok(0.0), |value| share(JobOption::Expect, value))?;
        let config = self.config.as_deref().map(config).transpose()?;
        Ok(LinkOptions {
            tables: self.inputs,
            in_memory: self.in_memory,
            within,
            id: self.id,
            id_right: self.id_right,
            config,
            threshold: self.threshold,
            one_to_one,
            effort: self.effort,
            newest: self.newest,
            labels: self.labels,
            expect: self.expect,
            model: self.model.map(LinkModel::File).or(self.model_text.map(LinkModel::Text)),
            validate: self.validate,
            report: self.no_report != Some(true),
            report_file: self.report,
            folder: self.output,
            force: self.force == Some(true),
            resources,
        })
    }
}

/// Records to add to the result of [`link`](crate::link()).
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct AddRecordsRequest {
    /// Limits.
    pub resources: ResourceRequest,
    /// The folder of the result.
    pub folder: PathBuf,
    /// The table of the new records.
    pub new: PathBuf,
}

impl AddRecordsRequest {
    /// A table to add to the result in a folder.
    pub fn new(folder: impl Into<PathBuf>, new: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), new: new.into(), resources: ResourceRequest::default() }
    }

    /// Checks the limits.
    ///
    /// # Errors
    ///
    /// Fails if a limit is impossible.
    pub fn check(self) -> Result<AddRecordsOptions, Refused> {
        Ok(AddRecordsOptions { new: self.new, folder: self.folder, resources: self.resources.check()? })
    }
}

/// Pairs of a result of [`link`](crate::link()) to label.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ReviewRequest {
    /// Limits.
    pub resources: ResourceRequest,
    /// The folder of the result.
    pub folder: PathBuf,
}

impl ReviewRequest {
    /// A review of the result in a folder.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), resources: ResourceRequest::default() }
    }

    /// Checks the limits.
    ///
    /// # Errors
    ///
    /// Fails if a limit is impossible.
    pub fn check(self) -> Result<ReviewOptions, Refused> {
        Ok(ReviewOptions { folder: self.folder, resources: self.resources.check()? })
    }
}

fn config(text: &str) -> Result<Config, Refused> {
    toml::from_str(text).map_err(|error| {
        let line = error.span().map_or(0, |span| text[..span.start].matches('\n').count()) + 1;
        let value = format!("this text (line {line}: {})", error.message());
        Refused::unknown_word(JobOption::Config, value, "the text of a link.toml")
    })
}
