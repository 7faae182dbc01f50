//! Options of `sets`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use lookalike_core::bucket::banding::Banding;
use lookalike_core::join::Measure;
use lookalike_core::measure::similarity::Threshold;
use lookalike_io::table::memory::MemoryTable;

use super::{Resources, RowFormat};

/// Options of [`sets`](crate::sets()).
#[derive(Clone, Debug)]
pub struct SetsOptions {
    /// The sets: files, folders, patterns, addresses, or `-` for standard input.
    pub(crate) inputs: Vec<PathBuf>,
    /// More sets: tables in memory, after the files.
    pub(crate) in_memory: Vec<MemoryTable>,
    /// A second collection of the same form: sets are then compared only with its sets. None if it is empty.
    pub(crate) against: Vec<PathBuf>,
    /// Tables in memory that belong to the second collection, after its files.
    pub(crate) against_in_memory: Vec<MemoryTable>,
    /// The output file, which is not read as input.
    pub(crate) output: Option<PathBuf>,
    /// Position of sets and elements in the input.
    pub(crate) form: SetsForm,
    /// Swap sets and elements.
    pub(crate) is_transposed: bool,
    /// The measure of similarity.
    pub(crate) measure: Measure,
    /// Weigh each element by its rarity.
    pub(crate) by_rarity: bool,
    /// Method for finding pairs.
    pub(crate) finding: Finding,
    /// Number of most similar sets to write for each set; all pairs without it.
    pub(crate) top: Option<NonZeroUsize>,
    /// Format of pairs.
    pub(crate) format: RowFormat,
    /// Limits.
    pub(crate) resources: Resources,
}

impl SetsOptions {
    /// The sets: files, folders, patterns or addresses.
    pub fn inputs(&self) -> &[PathBuf] {
        &self.inputs
    }

    /// The second collection.
    pub fn against(&self) -> &[PathBuf] {
        &self.against
    }

    /// The measure of similarity.
    pub fn measure(&self) -> Measure {
        self.measure
    }

    /// Method for finding pairs.
    pub fn finding(&self) -> Finding {
        self.finding
    }

    /// Number of most similar sets to write for each set.
    pub fn top(&self) -> Option<NonZeroUsize> {
        self.top
    }

    /// True if each element is weighted by its rarity.
    pub fn is_by_rarity(&self) -> bool {
        self.by_rarity
    }

    /// True if the columns of tables were named.
    pub fn names_columns(&self) -> bool {
        self.form.set.is_some() || self.form.element.is_some() || self.form.weight.is_some()
    }

    /// Limits.
    pub fn resources(&self) -> &Resources {
        &self.resources
    }

    /// True if elements have different weights.
    pub(crate) fn has_weights(&self) -> bool {
        self.by_rarity || self.form.weight.is_some()
    }
}

/// Position of sets and elements in the input.
#[derive(Clone, Debug, Default)]
pub(crate) struct SetsForm {
    /// Lines: the first element is the name of the set.
    pub(crate) has_names: bool,
    /// The separator of elements; blanks without it.
    pub(crate) delimiter: Option<char>,
    /// Lines and cells are texts, whose elements are the runs of this many characters.
    pub(crate) grams: Option<NonZeroUsize>,
    /// Tables: the column that names the set.
    pub(crate) set: Option<String>,
    /// Tables: the column of one element per row.
    pub(crate) element: Option<String>,
    /// Tables: the column with all elements of a set.
    pub(crate) column: Option<String>,
    /// Tables: the column of weights.
    pub(crate) weight: Option<String>,
}

/// Method for finding pairs.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Finding {
    /// All pairs; without a threshold, all pairs that share an element.
    Exact {
        /// The minimum similarity of a pair.
        threshold: Option<Threshold>,
    },
    /// Pairs whose sketches agree in a band. Sketches do not support weights: weighted sets are joined exactly.
    Sketched {
        /// The minimum similarity of a pair.
        threshold: Threshold,
        /// Bands and rows.
        banding: Banding,
    },
}

impl Default for Finding {
    fn default() -> Self {
        Self::Exact { threshold: None }
    }
}

impl Finding {
    /// The minimum similarity of a pair, if there is one.
    pub fn threshold(self) -> Option<Threshold> {
        match self {
            Self::Exact { threshold } => threshold,
            Self::Sketched { threshold, .. } => Some(threshold),
        }
    }
}
