//! What the job about sets is asked to do.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use lookalike_core::bucket::banding::Banding;
use lookalike_core::join::Measure;
use lookalike_core::measure::similarity::Threshold;
use lookalike_io::bounds::InputLimit;
use lookalike_io::read::Settings;

use crate::options::RowFormat;
use crate::resources::memory::Memory;

/// What [`sets`](crate::sets()) is asked to do.
#[derive(Clone, Debug)]
pub struct SetsOptions {
    /// The sets: files, folders, patterns, addresses, or `-` for standard input.
    pub inputs: Vec<PathBuf>,
    /// A second collection, of the same form: sets are then compared with its sets only. None if it is empty.
    pub against: Vec<PathBuf>,
    /// The file that is written to, which is no input then.
    pub output: Option<PathBuf>,
    /// The longest line or row that is read, in bytes.
    pub longest: u32,
    /// How much is read of all files together.
    pub limit: InputLimit,
    /// How much memory may be used.
    pub memory: Memory,
    /// Where sets and elements are in the input.
    pub form: SetsForm,
    /// Elements become sets, and sets their elements.
    pub is_transposed: bool,
    /// What is measured.
    pub measure: Measure,
    /// Whether an element counts the more the fewer sets have it.
    pub by_rarity: bool,
    /// How pairs are found.
    pub finding: Finding,
    /// How many of the nearest of each set are written; all pairs without it.
    pub top: Option<NonZeroUsize>,
    /// How pairs are written.
    pub format: RowFormat,
}

impl Default for SetsOptions {
    fn default() -> Self {
        Self {
            inputs: Vec::new(),
            against: Vec::new(),
            output: None,
            longest: Settings::default().longest,
            limit: InputLimit::default(),
            memory: Memory::default(),
            form: SetsForm::default(),
            is_transposed: false,
            measure: Measure::default(),
            by_rarity: false,
            finding: Finding::default(),
            top: None,
            format: RowFormat::default(),
        }
    }
}

impl SetsOptions {
    /// Whether elements count differently.
    pub(super) fn has_weights(&self) -> bool {
        self.by_rarity || self.form.weights.is_some()
    }
}

/// Where sets and elements are in the input.
#[derive(Clone, Debug, Default)]
pub struct SetsForm {
    /// Lines: the first element is the name of the set.
    pub has_names: bool,
    /// What stands between elements, instead of blanks.
    pub separator: Option<char>,
    /// Lines and cells are texts, whose sets are the so many characters in a row that they have.
    pub grams: Option<NonZeroUsize>,
    /// Tables: the column that names the set.
    pub set: Option<String>,
    /// Tables: the column of one element a row.
    pub element: Option<String>,
    /// Tables: the column with all elements of a set.
    pub column: Option<String>,
    /// Tables: the column of weights.
    pub weights: Option<String>,
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
