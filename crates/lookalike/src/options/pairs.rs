//! Options of `pairs`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use lookalike_core::measure::similarity::Threshold;
use lookalike_core::scheme::Scheme;
use lookalike_io::input::held::HeldTable;
use lookalike_io::work::WorkOptions;

use super::boilerplate::Learning;
use super::matching::{MatchOptions, Purpose};
use super::read::ReadOptions;
use super::resources::Resources;
use super::rows::RowFormat;
use super::{scheme_label, shown};
use crate::error::{Error, Result};

/// Options of [`crate::pairs()`].
#[derive(Clone, Debug)]
pub struct PairsOptions {
    /// Options for reading.
    pub(crate) read: ReadOptions,
    /// Criterion for near-duplicates, and the method that finds them.
    pub(crate) scheme: Scheme,
    /// Rules that decide which similar documents are matches.
    pub(crate) matching: MatchOptions,
    /// The purpose that settings were taken from, if one was named.
    pub(crate) purpose: Option<Purpose>,
    /// The number of files for whose names the tokens of source code were chosen, if they were.
    pub(crate) code_file_count: Option<u64>,
    /// Options for learning boilerplate from the input, if it is learned.
    pub(crate) learning: Option<Learning>,
    /// True if a small input is compared exactly, regardless of the method of the scheme.
    pub(crate) exact_if_small: bool,
    /// The file that is written to, if any, which is then not read as input.
    pub(crate) output: Option<PathBuf>,
    /// Format of the rows.
    pub(crate) format: RowFormat,
    /// Selection of pairs of documents with the same words.
    pub(crate) copies: Copies,
    /// Selection from all pairs.
    pub(crate) selection: Selection,
    /// Limits.
    pub(crate) resources: Resources,
    /// Location for data that does not fit in memory.
    pub(crate) work: WorkOptions,
}

impl PairsOptions {
    /// Options for reading.
    pub fn read(&self) -> &ReadOptions {
        &self.read
    }

    /// Criterion for near-duplicates, and the method that finds them.
    pub fn scheme(&self) -> &Scheme {
        &self.scheme
    }

    /// The work folder, and what to do with an unfinished run in it.
    pub fn work(&self) -> &WorkOptions {
        &self.work
    }

    /// Limits.
    pub fn resources(&self) -> &Resources {
        &self.resources
    }

    /// The same with what was learned.
    pub(crate) fn with_boilerplate(self, scheme: Scheme) -> Self {
        Self { scheme, learning: None, ..self }
    }

    /// Lines that distinguish this run from others on the same input.
    pub(crate) fn label(&self) -> Vec<String> {
        let mut lines = vec!["command pairs".to_owned()];
        lines.extend(scheme_label(&self.scheme));
        lines.extend(self.exact_if_small.then(|| "a small input is compared exactly".to_owned()));
        lines.push(format!("settings {:?}", self.read.settings));
        lines.extend((self.matching != MatchOptions::default()).then(|| format!("matches {:?}", self.matching)));
        lines.push(format!("reference {:?}", shown(&self.selection.references)));
        lines
    }

    /// True if only pairs with a reference are requested.
    pub(crate) fn has_reference(&self) -> bool {
        !self.selection.references.is_empty() || !self.selection.tables.is_empty()
    }
}

/// Selection of the pairs to write: by default, all.
#[derive(Clone, Debug, Default)]
pub(crate) struct Selection {
    /// The reference: files, folders, or `-` for standard input. If there is one, only pairs of an input document
    /// (left) and a reference document (right) are written.
    pub(crate) references: Vec<PathBuf>,
    /// Tables in memory that belong to the reference.
    pub(crate) tables: Vec<HeldTable>,
    /// Only pairs with a similarity in this range.
    pub(crate) between: Option<Between>,
    /// Of the pairs left, a uniform sample of this size: the same one in every run.
    pub(crate) sample: Option<NonZeroUsize>,
}

/// A range of similarities: `low` or more and below `high`; a `high` of 1 is included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Between {
    low: Threshold,
    high: f64,
}

impl Between {
    /// Checks the range.
    ///
    /// # Errors
    ///
    /// [`Error::NothingBetween`] unless 0 < `low` < `high` <= 1.
    pub fn new(low: f64, high: f64) -> Result<Self> {
        match Threshold::new(low) {
            Ok(threshold) if low < high && high <= 1.0 => Ok(Self { low: threshold, high }),
            _ => Err(Error::NothingBetween { low, high }),
        }
    }

    /// The lower end: the threshold of a run that finds these pairs.
    pub fn low(self) -> Threshold {
        self.low
    }

    /// True if a similarity is in the range.
    ///
    /// ```
    /// use lookalike::Between;
    ///
    /// let below = Between::new(0.75, 0.85)?;
    /// assert!(below.contains(0.75) && !below.contains(0.85));
    /// assert!(Between::new(0.75, 1.0)?.contains(1.0));
    /// # Ok::<(), lookalike::Error>(())
    /// ```
    pub fn contains(self, similarity: f64) -> bool {
        similarity >= self.low.value() && (similarity < self.high || self.high >= 1.0)
    }
}

lookalike_core::word_enum! {
    /// Selection of pairs of documents with the same words.
    #[derive(Default)]
    pub enum Copies {
        /// All of them.
        #[default]
        All,
        /// For n such documents, the n - 1 pairs with the first, which alone is paired with other documents.
        Star,
    }
}
