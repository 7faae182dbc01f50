//! The request of `sets`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use derive_setters::Setters;
use lookalike_core::join::Measure;
use lookalike_core::measure::similarity::Threshold;
use lookalike_core::remedy::JobOption;
use lookalike_io::table::memory::MemoryTable;
use serde::{Deserialize, Serialize};

use super::at_least_one;
use super::read::delimiter;
use super::resources::ResourceRequest;
use crate::options::{Finding, RowFormat, SetsForm, SetsOptions};
use crate::refused::{Refusal, Refused};

/// Unchecked options of [`sets`](crate::sets()). Missing ones have the defaults of the command.
#[derive(Clone, Debug, Default, Serialize, Deserialize, Setters)]
#[serde(default)]
#[setters(strip_option, into)]
#[non_exhaustive]
pub struct SetsRequest {
    /// Limits.
    #[serde(flatten, skip_deserializing)]
    #[setters(skip)]
    pub resources: ResourceRequest,
    /// The sets: files, folders, patterns, addresses, or `-` for standard input.
    pub inputs: Vec<PathBuf>,
    /// A second collection of the same form, with whose sets those of the input are compared.
    pub against: Vec<PathBuf>,
    /// More sets: tables in memory.
    #[serde(skip)]
    pub in_memory: Vec<MemoryTable>,
    /// The same for the second collection.
    #[serde(skip)]
    pub against_in_memory: Vec<MemoryTable>,
    /// Minimum similarity of a pair: above 0, at most 1.
    pub threshold: Option<f64>,
    /// Only this many of the most similar sets of each set.
    pub top: Option<i64>,
    /// The measure of similarity. Default: `jaccard`.
    pub measure: Option<Measure>,
    /// Weigh each element by its rarity.
    pub idf: Option<bool>,
    /// Find pairs by sketches: the probability of finding a pair at the threshold. Default: exact.
    pub recall: Option<f64>,
    /// Swap sets and elements.
    pub transpose: Option<bool>,
    /// Lines: the first element is the name of the set.
    pub named: Option<bool>,
    /// Separator of elements: one character, or `tab`. Default: blanks.
    pub delimiter: Option<String>,
    /// Lines and cells are texts, whose elements are the runs of this many characters.
    pub grams: Option<i64>,
    /// Tables: column with the name of the set.
    pub set: Option<String>,
    /// Tables: column of one element per row.
    pub element: Option<String>,
    /// Tables: column with all elements of a set.
    pub column: Option<String>,
    /// Tables: column of weights.
    pub weight: Option<String>,
    /// The output file, which is not read as input.
    pub output: Option<PathBuf>,
    /// Format of pairs. Default: `jsonl`.
    pub format: Option<RowFormat>,
}

new_from_inputs!(SetsRequest, inputs);
from_options!(SetsRequest, resources);

impl SetsRequest {
    /// Checks all options, and their combinations.
    ///
    /// # Errors
    ///
    /// If a value is invalid, has no effect, or contradicts another.
    pub fn check(self) -> Result<SetsOptions, Refused> {
        let resources = self.resources.check()?;
        let measure = self.measure.unwrap_or_default();
        let finding = self.finding(measure)?;
        let top = self.top.map(|top| at_least_one(JobOption::Top, top)).transpose()?;
        if finding.threshold().is_none() && top.is_none() {
            return Err(Refused::missing_unless(JobOption::Threshold, &[JobOption::Top]));
        }
        let form = self.form()?;
        Ok(SetsOptions {
            inputs: self.inputs,
            in_memory: self.in_memory,
            against: self.against,
            against_in_memory: self.against_in_memory,
            output: self.output,
            form,
            is_transposed: self.transpose == Some(true),
            measure,
            by_rarity: self.idf == Some(true),
            finding,
            top: top.and_then(NonZeroUsize::new),
            format: self.format.unwrap_or_default(),
            resources,
        })
    }

    fn finding(&self, measure: Measure) -> Result<Finding, Refused> {
        let threshold = self.threshold.map(|value| {
            Threshold::new(value)
                .map_err(|_| Refused::out_of_range(JobOption::Threshold, value, "above 0 and at most 1"))
        });
        let threshold = threshold.transpose()?;
        let Some(recall) = self.recall else { return Ok(Finding::Exact { threshold }) };
        let Some(threshold) = threshold else { return Err(Refused::needs(JobOption::Recall, JobOption::Threshold)) };
        // Sketches do not support weights.
        if self.idf == Some(true) {
            return Err(Refused::not_with(JobOption::Recall, JobOption::Idf));
        }
        if self.weight.is_some() {
            return Err(Refused::not_with(JobOption::Recall, JobOption::Weight));
        }
        let banding = measure.banding(threshold, recall);
        let banding = banding.map_err(|error| Refused::new(JobOption::Recall, Refusal::OutOfReach(error)))?;
        Ok(Finding::Sketched { threshold, banding })
    }

    /// Lines, lists and rows of a table each have their own options.
    fn form(&self) -> Result<SetsForm, Refused> {
        let named = self.named == Some(true);
        let pairs = [
            (JobOption::Named, named, JobOption::Set, self.set.is_some()),
            (JobOption::Named, named, JobOption::Element, self.element.is_some()),
            (JobOption::Named, named, JobOption::Column, self.column.is_some()),
            (JobOption::Named, named, JobOption::Weight, self.weight.is_some()),
            (JobOption::Grams, self.grams.is_some(), JobOption::Delimiter, self.delimiter.is_some()),
            (JobOption::Grams, self.grams.is_some(), JobOption::Element, self.element.is_some()),
            (JobOption::Grams, self.grams.is_some(), JobOption::Weight, self.weight.is_some()),
            (JobOption::Grams, self.grams.is_some(), JobOption::Named, named),
            (JobOption::Element, self.element.is_some(), JobOption::Column, self.column.is_some()),
        ];
        if let Some((option, _, other, _)) = pairs.iter().find(|(_, is_given, _, is_other)| *is_given && *is_other) {
            return Err(Refused::not_with(*option, *other));
        }
        let grams = self.grams.map(|grams| at_least_one(JobOption::Grams, grams)).transpose()?;
        Ok(SetsForm {
            has_names: named,
            delimiter: self.delimiter.as_deref().map(delimiter).transpose()?,
            grams: grams.and_then(NonZeroUsize::new),
            set: self.set.clone(),
            element: self.element.clone(),
            column: self.column.clone(),
            weight: self.weight.clone(),
        })
    }
}
