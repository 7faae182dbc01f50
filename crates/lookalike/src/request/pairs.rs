//! The request of `pairs`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use derive_setters::Setters;
use lookalike_core::remedy::JobOption;
use lookalike_io::input::held::HeldTable;
use serde::{Deserialize, Serialize};

use super::at_least_one;
use super::read::ReadRequest;
use super::resources::{ResourceRequest, WorkRequest};
use super::scheme::SchemeRequest;
use crate::options::{Between, Copies, PairsOptions, RowFormat, Selection};
use crate::refused::Refused;

/// What [`pairs`](crate::pairs()) is asked to do. What is not given has the default of the command.
#[derive(Clone, Debug, Default, Serialize, Deserialize, Setters)]
#[serde(default)]
#[setters(strip_option, into)]
#[non_exhaustive]
pub struct PairsRequest {
    /// What to read.
    #[serde(flatten, skip_deserializing)]
    #[setters(skip)]
    pub read: ReadRequest,
    /// When documents are near-duplicates.
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
    /// Documents to pair with those of the input: files, folders, patterns, addresses.
    pub against: Vec<PathBuf>,
    /// The same in memory.
    #[serde(skip)]
    pub against_in_memory: Vec<HeldTable>,
    /// Only pairs with a similarity of at least the first number and below the second; a second number of 1 is included.
    pub between: Option<[f64; 2]>,
    /// Only this many random pairs, the same ones in every run.
    pub sample: Option<i64>,
    /// Which pairs of documents with the same words are written. Default: `all`.
    pub copies: Option<Copies>,
    /// The file that is written to, which is not read as input.
    pub output: Option<PathBuf>,
    /// How rows are written. Default: `jsonl`.
    pub format: Option<RowFormat>,
}

new_from_inputs!(PairsRequest, read.inputs);
from_options!(PairsRequest, read, scheme, resources, work);

impl PairsRequest {
    /// Checks all options, and that they go together.
    ///
    /// # Errors
    ///
    /// When a value is impossible, has no effect, or contradicts another.
    pub fn check(mut self) -> Result<PairsOptions, Refused> {
        let between = self.between.map(|[low, high]| between(low, high)).transpose()?;
        if let Some(between) = between {
            if self.scheme.threshold.is_some() {
                return Err(Refused::not_with(JobOption::Between, JobOption::Threshold));
            }
            self.scheme.threshold = Some(between.low().value());
        }
        let resources = self.resources.check()?;
        let work = self.work.check()?;
        let scheme = self.scheme.check()?;
        let sample = self.sample.map(|sample| at_least_one(JobOption::Sample, sample)).transpose()?;
        let read = self.read.check(&resources)?;
        Ok(PairsOptions {
            read,
            scheme,
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
