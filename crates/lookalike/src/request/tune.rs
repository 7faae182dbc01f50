//! The request of `tune`.

use std::path::PathBuf;

use derive_setters::Setters;
use lookalike_core::measure::criterion::Measure;
use lookalike_core::remedy::JobOption;
use lookalike_core::scheme::MethodOptions;
use lookalike_core::sketch::SlotKind;
use serde::{Deserialize, Serialize};

use super::ignoring::IgnoreRequest;
use super::read::ReadRequest;
use super::resources::ResourceRequest;
use super::scheme::{SchemeRequest, out_of_reach, threshold_of};
use super::size::Size;
use crate::options::{MOST_BYTES, TuneOptions, best_within};
use crate::refused::Refused;

/// Unchecked options of [`tune`](crate::tune()). Missing ones have the defaults of the command.
#[derive(Clone, Debug, Default, Serialize, Deserialize, Setters)]
#[serde(default)]
#[setters(strip_option, into)]
#[non_exhaustive]
pub struct TuneRequest {
    /// The corpus, if there is one.
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
    /// Amount of the corpus to read, in parts from all over it. Default: 1G.
    pub sample_bytes: Option<Size>,
    /// Bytes per document that a sketch may take: bands and rows are chosen by it.
    pub budget: Option<Size>,
    /// Files of labels that an audit made, to show what people say of pairs by similarity.
    pub labels: Vec<PathBuf>,
}

from_options!(TuneRequest, read, scheme, ignoring, resources);

impl TuneRequest {
    /// A corpus, or none.
    pub fn new<P: Into<PathBuf>>(inputs: impl IntoIterator<Item = P>) -> Self {
        Self { read: ReadRequest::new(inputs), ..Self::default() }
    }

    /// Checks all options, and that they go together.
    ///
    /// # Errors
    ///
    /// Fails if a value is impossible, has no effect, or contradicts another.
    pub fn check(self) -> Result<TuneOptions, Refused> {
        let resources = self.resources.check()?;
        let (mut scheme, code_file_count) = self.scheme.check_for(&self.read, &resources)?;
        let threshold = threshold_of(scheme.criterion());
        let has_corpus = self.read.has_inputs();
        let purpose = self.scheme.purpose;
        let ignoring =
            if has_corpus { self.ignoring.check(purpose)? } else { self.ignoring.check_without_input(purpose)? };
        scheme = ignoring.leave_out(scheme)?;
        let mut within_budget = Vec::new();
        if let Some(budget) = &self.budget {
            self.check_budget()?;
            let bytes = budget.check(JobOption::Budget, 8, 32_768, "from 8B to 32kB, such as 64B")?;
            within_budget = best_within(bytes as usize, threshold);
            if let Some(best) = within_budget.first() {
                // Keys alone: what super-shingles keep.
                let groups = MethodOptions::SuperShingle { banding: best.banding, slots: SlotKind::Fast };
                scheme = scheme.with_method(groups).map_err(|error| out_of_reach(JobOption::Budget, error))?;
            }
        }
        let Some(banding) = scheme.method().banding() else {
            let option = if self.scheme.method.is_some() { JobOption::Method } else { JobOption::Measure };
            return Err(Refused::unknown_word(
                option,
                scheme.method().name(),
                "a method with bands: minhash or supershingle",
            ));
        };
        if let Some(option) = self.read.given().filter(|_| !has_corpus) {
            return Err(Refused::needs(option, JobOption::Inputs));
        }
        let most_bytes = match &self.sample_bytes {
            Some(_) if !has_corpus => return Err(Refused::needs(JobOption::SampleBytes, JobOption::Inputs)),
            Some(size) => size.check(JobOption::SampleBytes, 1, u64::MAX, "above 0")?,
            None => MOST_BYTES,
        };
        let (read, learning) = ignoring.read(self.read.with_purpose(purpose), &scheme, &resources)?;
        let corpus = has_corpus.then_some(read);
        Ok(TuneOptions {
            scheme,
            learning,
            code_file_count,
            exact_if_small: self.scheme.leaves_method_open() && self.budget.is_none(),
            threshold,
            banding,
            corpus,
            most_bytes,
            within_budget,
            labels: self.labels,
            resources,
        })
    }

    /// A budget chooses bands and rows.
    fn check_budget(&self) -> Result<(), Refused> {
        let given = [
            (JobOption::Recall, self.scheme.recall.is_some()),
            (JobOption::Bands, self.scheme.bands.is_some()),
            (JobOption::Rows, self.scheme.rows.is_some()),
            (JobOption::RowsRandom, self.scheme.rows_random == Some(true)),
            (JobOption::Sketch, self.scheme.sketch.is_some()),
            (JobOption::Method, self.scheme.method.is_some()),
            (JobOption::Exact, self.scheme.exact == Some(true)),
            (JobOption::Measure, self.scheme.measure.is_some_and(|measure| measure != Measure::default())),
        ];
        match given.iter().find(|(_, is_given)| *is_given) {
            Some((option, _)) => Err(Refused::not_with(JobOption::Budget, *option)),
            None => Ok(()),
        }
    }
}
