//! What the job about sets is asked to do.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use lookalike_core::bucket::banding::Banding;
use lookalike_core::join::Measure;
use lookalike_core::measure::similarity::Threshold;
use lookalike_io::table::memory::MemoryTable;

use super::{Resources, RowFormat};

/// What [`sets`](crate::sets()) is asked to do.
#[derive(Clone, Debug)]
pub struct SetsOptions {
    /// The sets: files, folders, patterns, addresses, or `-` for standard input.
    pub(crate) inputs: Vec<PathBuf>,
    /// Further sets: tables in the memory of the caller, after the files.
    pub(crate) in_memory: Vec<MemoryTable>,
    /// A second collection, of the same form: sets are then compared with its sets only. None if it is empty.
    pub(crate) against: Vec<PathBuf>,
    /// Tables in memory that belong to the second collection, after its files.
    pub(crate) against_in_memory: Vec<MemoryTable>,
    /// The file that is written to, which is no input then.
    pub(crate) output: Option<PathBuf>,
    /// Where sets and elements are in the input.
    pub(crate) form: SetsForm,
    /// Elements become sets, and sets their elements.
    pub(crate) is_transposed: bool,
    /// What is measured.
    pub(crate) measure: Measure,
    /// Whether an element counts the more the fewer sets have it.
    pub(crate) by_rarity: bool,
    /// How pairs are found.
    pub(crate) finding: Finding,
    /// How many of the nearest of each set are written; all pairs without it.
    pub(crate) top: Option<NonZeroUsize>,
    /// How pairs are written.
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

    /// How pairs are found.
    pub fn finding(&self) -> Finding {
        self.finding
    }

    /// How many of the nearest of each set are written.
    pub fn top(&self) -> Option<NonZeroUsize> {
        self.top
    }

    /// Whether an element counts the more the fewer sets have it.
    pub fn is_by_rarity(&self) -> bool {
        self.by_rarity
    }

    /// Whether the columns of tables were named.
    pub fn names_columns(&self) -> bool {
        self.form.set.is_some() || self.form.element.is_some() || self.form.weight.is_some()
    }

    /// Limits.
    pub fn resources(&self) -> &Resources {
        &self.resources
    }

    /// Whether elements count differently.
    pub(crate) fn has_weights(&self) -> bool {
        self.by_rarity || self.form.weight.is_some()
    }
}

/// Where sets and elements are in the input.
#[derive(Clone, Debug, Default)]
pub(crate) struct SetsForm {
    /// Lines: the first element is the name of the set.
    pub(crate) has_names: bool,
    /// What stands between elements, instead of blanks.
    pub(crate) delimiter: Option<char>,
    /// Lines and cells are texts, whose sets are the so many characters in a row that they have.
    pub(crate) grams: Option<NonZeroUsize>,
    /// Tables: the column that names the set.
    pub(crate) set: Option<String>,
    /// Tables: the column of one element a row.
    pub(crate) element: Option<String>,
    /// Tables: the column with all elements of a set.
    pub(crate) column: Option<String>,
    /// Tables: the column of weights.
    pub(crate) weight: Option<String>,
}

/// How pairs are found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Finding {
    /// All of them; without a threshold, whoever shares anything.
    Exact {
        /// The similarity from which on sets are a pair.
        threshold: Option<Threshold>,
    },
    /// Those whose sketches agree in a band. Weights know no sketches, and are joined exactly.
    Sketched {
        /// The similarity from which on sets are a pair.
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
    /// The least similarity of a pair, if there is one.
    pub fn threshold(self) -> Option<Threshold> {
        match self {
            Self::Exact { threshold } => threshold,
            Self::Sketched { threshold, .. } => Some(threshold),
        }
    }
}
