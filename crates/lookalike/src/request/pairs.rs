//! The request of `pairs`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use derive_setters::Setters;
use lookalike_core::remedy::JobOption;
use lookalike_io::input::held::HeldTable;
use serde::{Deserialize, Serialize};

use super::at_least_one;
use super::ignoring::IgnoreRequest;
use super::matching::MatchRequest;
use super::read::ReadRequest;
use super::resources::{ResourceRequest, WorkRequest};
use super::scheme::SchemeRequest;
use crate::options::{Between, Copies, PairsOptions, RowFormat, Selection};
use crate::refused::Refused;

/// Unchecked options of [`pairs`](crate::pairs()). Missing ones have the defaults of the command.
#[derive(Clone, Debug, Default, Serialize, Deserialize, Setters)]
#[serde(default)]
#[setters(strip_option, into)]
#[non_exhaustive]
pub struct PairsRequest {
    /// Options for reading.
    #[serde(flatten, skip_deserializing)]
    #[setters(skip)]
    pub read: ReadRequest,
    /// Criterion for near-duplicates.
    #[serde(flatten, skip_deserializing)]
    #[setters(skip)]
    pub scheme: SchemeRequest,
    /// Rules that decide which similar documents are matches.
    #[serde(flatten, skip_deserializing)]
    #[setters(skip)]
    pub matching: MatchRequest,
    /// Text to ignore.
    #[serde(flatten, skip_deserializing)]
    #[setters(skip)]
    pub ignoring: IgnoreRequest,
    /// Limits.
    #[serde(flatten, skip_deserializing)]
    #[setters(skip)]
    pub resources: ResourceRequest,
    /// The work folder.
    #[serde(flatten, skip_deserializing)]
    #[setters(skip)]
    pub work: WorkRequest,
    /// Documents to pair with those of the input: files, folders, patterns, addresses.
    pub against: Vec<PathBuf>,
    /// The same in memory.
    #[serde(skip)]
    pub against_in_memory: Vec<HeldTable>,
    /// Only pairs with a similarity of at least the first number and below the second; a second number of 1 is
    /// included.
    pub between: Option<[f64; 2]>,
    /// Only this many random pairs, the same ones in every run.
    pub sample: Option<i64>,
    /// Selection of pairs of documents with the same words. Default: `all`.
    pub copies: Option<Copies>,
    /// The file that is written to, which is not read as input.
    pub output: Option<PathBuf>,
    /// Format of the rows. Default: `jsonl`.
    pub format: Option<RowFormat>,
}

new_from_inputs!(PairsRequest, read.inputs);
from_options!(PairsRequest, read, scheme, matching, ignoring, resources, work);

impl PairsRequest {
    /// Checks all options, and that they go together.
    ///
    /// # Errors
    ///
    /// Fails if a value is impossible, has no effect, or contradicts another.
    pub fn check(mut self) -> Result<PairsOptions, Refused> {
        let between = self.between.map(|[low, high]| between(low, high)).transpose()?;
        if let Some(between) = between {
            if self.scheme.threshold.is_some() {
                return Err(Refused::not_with(JobOption::Between, JobOption::Threshold));
            }
            self.scheme.threshold = Some(between.low().value());
        }
        let resources = self.resources.check()?;
        let purpose = self.scheme.purpose;
        self.read = self.read.with_purpose(purpose);
        self.matching = self.matching.with_purpose(purpose);
        let ignoring = self.ignoring.check(purpose)?;
        let work = self.work.check()?;
        let (scheme, code_file_count) = self.scheme.check_for(&self.read, &resources)?;
        let scheme = ignoring.leave_out(scheme)?;
        let matching = self.matching.check(&self.scheme.with_purpose(), self.read.text.as_deref())?;
        let scheme = matching.applied(scheme);
        let sample = self.sample.map(|sample| at_least_one(JobOption::Sample, sample)).transpose()?;
        let has_own_fields = self.read.fields_in_input.is_some();
        let (mut read, learning) = ignoring.read(self.read, &scheme, &resources)?;
        if !has_own_fields {
            matching.read_by(&mut read.settings);
        }
        Ok(PairsOptions {
            read,
            scheme,
            matching,
            purpose,
            code_file_count,
            learning,
            exact_if_small: self.scheme.leaves_method_open(),
            output: self.output,
            format: self.format.unwrap_or_default(),
            copies: self.copies.unwrap_or_default(),
            selection: Selection {
                references: self.against,
                tables: self.against_in_memory,
                between,
                sample: sample.and_then(NonZeroUsize::new),
            },
            resources,
            work,
        })
    }
}

fn between(low: f64, high: f64) -> Result<Between, Refused> {
    Between::new(low, high).map_err(|_| {
        let value = format!("{low},{high}");
        Refused::out_of_range(JobOption::Between, value, "two numbers with 0 < LOW < HIGH <= 1, such as 0.75,0.85")
    })
}
