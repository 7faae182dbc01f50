//! The requests about a finished run: its audit and its report.

use std::path::PathBuf;

use derive_setters::Setters;
use lookalike_core::remedy::JobOption;
use lookalike_core::scheme::Scheme;
use lookalike_io::input::held::HeldTable;
use serde::{Deserialize, Serialize};

use super::{at_least_one, named_file, number};
use crate::options::{AuditOptions, ReadOptions, ReportOptions, ReportTexts};
use crate::refused::Refused;

/// Unchecked options of [`Audit::prepare`](crate::Audit::prepare). Missing ones have the defaults of the command.
///
/// ```
/// use lookalike::{AuditRequest, DedupRequest};
///
/// let run = DedupRequest::new(["news.jsonl"]).output("out").check()?;
/// let options = AuditRequest::new("out", run.read().clone()).sample(100).check()?;
/// let refused = AuditRequest::new("out", run.read().clone()).sample(0).check().unwrap_err();
/// assert_eq!(refused.to_string(), "sample must be at least 1, not 0");
/// # Ok::<(), lookalike::Refused>(())
/// ```
#[derive(Clone, Debug, Default, Serialize, Deserialize, Setters)]
#[serde(default)]
#[setters(strip_option, into)]
#[non_exhaustive]
pub struct AuditRequest {
    /// The output folder of a finished run.
    #[serde(skip)]
    pub folder: PathBuf,
    /// Input of the run, and the settings with which it was read: texts are read again from it.
    #[serde(skip)]
    pub read: Option<ReadOptions>,
    /// The reference of the run.
    #[serde(skip)]
    pub references: Vec<PathBuf>,
    /// The scheme of the run. Default: that of a run without options.
    #[serde(skip)]
    pub scheme: Option<Scheme>,
    /// Approximate number of removals to label. Default: 300.
    pub sample: Option<i64>,
    /// Number of additional pairs just below the threshold to label. Default: 40.
    pub near_misses: Option<i64>,
    /// Random seed: a different seed selects different pairs. Default: 0.
    pub seed: Option<i64>,
    /// The name of the person who labels.
    pub labeler: Option<String>,
    /// Label nothing: [`judge`](crate::judge()) by the labels of the run and those of these files.
    pub labels: Option<Vec<PathBuf>>,
    /// Format of the summary of all labels, which the caller prints once there are any.
    pub summary: Option<String>,
    /// The file of the page, for another person. Default: no file is written.
    pub report: Option<PathBuf>,
    /// Replace the file of the page if it exists.
    pub force: Option<bool>,
}

from_options!(AuditRequest);

impl AuditRequest {
    /// An audit of the run in a folder.
    pub fn new(folder: impl Into<PathBuf>, read: ReadOptions) -> Self {
        Self { folder: folder.into(), read: Some(read), ..Self::default() }
    }

    /// Checks all options.
    ///
    /// # Errors
    ///
    /// If a value is invalid, has no effect, or contradicts another.
    pub fn check(self) -> Result<AuditOptions, Refused> {
        named_file(JobOption::Report, self.report.as_deref())?;
        self.check_report()?;
        Ok(AuditOptions {
            folder: self.folder,
            sample: at_least_one(JobOption::Sample, self.sample.unwrap_or(300))?,
            near_misses: number(JobOption::NearMisses, self.near_misses.unwrap_or(40))?,
            seed: number(JobOption::Seed, self.seed.unwrap_or(0))? as u64,
            labeler: self.labeler,
            read: self.read.unwrap_or_else(ReadOptions::nothing),
            references: self.references,
            scheme: self.scheme.unwrap_or_default(),
        })
    }

    /// Makes sure that options of the page for another person go together: with it, nothing is labeled here.
    fn check_report(&self) -> Result<(), Refused> {
        if self.report.is_none() {
            let forces = self.force == Some(true);
            return if forces { Err(Refused::needs(JobOption::Force, JobOption::Report)) } else { Ok(()) };
        }
        let given = [(JobOption::Labels, self.labels.is_some()), (JobOption::Summary, self.summary.is_some())];
        match given.iter().find(|(_, is_given)| *is_given) {
            Some((option, _)) => Err(Refused::not_with(JobOption::Report, *option)),
            None => Ok(()),
        }
    }
}

/// Unchecked options of [`report`](crate::report()). Missing ones have the defaults of the command.
#[derive(Clone, Debug, Default, Serialize, Deserialize, Setters)]
#[serde(default)]
#[setters(strip_option, into)]
#[non_exhaustive]
pub struct ReportRequest {
    /// The output folder of a finished run.
    #[serde(skip)]
    pub folder: PathBuf,
    /// Input of the run, and the settings with which it was read, if known: texts are read again from it.
    #[serde(skip)]
    pub read: Option<ReadOptions>,
    /// The reference of the run.
    #[serde(skip)]
    pub references: Vec<PathBuf>,
    /// Tables in memory that belong to the reference.
    #[serde(skip)]
    pub reference_tables: Vec<HeldTable>,
    /// The file to write. Default: `report.html` in the folder, which is replaced.
    pub output: Option<PathBuf>,
    /// Replace the file if it exists.
    pub force: Option<bool>,
    /// Amount of documents' text in the report. Default: `excerpt`.
    pub report_texts: Option<ReportTexts>,
}

from_options!(ReportRequest);

impl ReportRequest {
    /// A report on the run in a folder, without texts unless [`read`](Self::read) says where they are.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), ..Self::default() }
    }

    /// Checks all options.
    ///
    /// # Errors
    ///
    /// If the output is not the name of a file.
    pub fn check(self) -> Result<ReportOptions, Refused> {
        named_file(JobOption::Output, self.output.as_deref())?;
        Ok(ReportOptions {
            folder: self.folder,
            output: self.output,
            force: self.force == Some(true),
            texts: self.report_texts.unwrap_or_default(),
            read: self.read,
            references: self.references,
            reference_tables: self.reference_tables,
        })
    }
}
