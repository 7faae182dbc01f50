//! What a run is asked to do.

use std::path::PathBuf;

use lookalike_core::prints::score::DEFAULT_THRESHOLD;
use lookalike_io::bounds::InputLimit;

use crate::options::RowFormat;
use crate::resources::memory::Memory;

/// What [`prints`](super::prints) is asked to do.
#[derive(Clone, Debug)]
pub struct PrintsOptions {
    /// Tables of minutiae, templates, or folders of these.
    pub inputs: Vec<PathBuf>,
    /// How they are read.
    pub read: ReadPrints,
    /// What is held against what.
    pub search: PrintSearch,
    /// The least score that is written. Without it [`DEFAULT_THRESHOLD`] where matches are looked for, and none where scores
    /// are asked for.
    pub threshold: Option<f64>,
    /// How to write.
    pub format: RowFormat,
    /// The file that is written to, which is no input then.
    pub output: Option<PathBuf>,
}

impl PrintsOptions {
    /// The score from which on two prints are of the same finger, whatever is written.
    pub(super) fn match_threshold(&self) -> f64 {
        self.threshold.filter(|threshold| *threshold > 0.0).unwrap_or(DEFAULT_THRESHOLD)
    }
}

/// How prints are read.
#[derive(Clone, Debug)]
pub struct ReadPrints {
    /// The columns of tables.
    pub columns: PrintColumns,
    /// Width and height of images in pixels. Templates say it themselves.
    pub size: Option<(u32, u32)>,
    /// Pixels a centimetre of the images of tables.
    pub resolution: f64,
    /// The unit of the angles of tables. Without it the one that the name of the column or the angles show.
    pub angle_unit: Option<AngleUnit>,
    /// Whether the angles of tables turn clockwise as one sees them, and not counter-clockwise.
    pub is_clockwise: bool,
    /// The longest row of a table that is read, in bytes.
    pub longest: u32,
    /// How much is read of all files together.
    pub limit: InputLimit,
    /// How much memory to use.
    pub memory: Memory,
}

/// The unit of an angle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AngleUnit {
    /// A full turn is 360.
    Degrees,
    /// A full turn is 2π.
    Radians,
}

impl AngleUnit {
    /// Degrees of one unit.
    pub(super) fn degrees(self) -> f64 {
        match self {
            Self::Degrees => 1.0,
            Self::Radians => 1_f64.to_degrees(),
        }
    }
}

/// The columns of a table with a minutia a row.
#[derive(Clone, Debug)]
pub struct PrintColumns {
    /// Which print the minutia is of.
    pub id: String,
    /// Pixels from the left.
    pub x: String,
    /// Pixels from the top.
    pub y: String,
    /// The angle. Without it one of the usual names.
    pub angle: Option<String>,
    /// What the ridge does. Without it the column `type`, if there is one.
    pub kind: Option<String>,
}

/// What is held against what.
#[derive(Clone, Debug)]
pub enum PrintSearch {
    /// Each print against those of the input that it shares most triangles with, at most so many.
    Candidates {
        /// How many candidates a print has.
        most: usize,
    },
    /// Each against each.
    AllPairs,
    /// Each against those of a gallery that it shares most triangles with.
    Gallery {
        /// Tables, templates or folders.
        inputs: Vec<PathBuf>,
        /// How many candidates a query has.
        most: usize,
        /// How many of them are written, best first.
        top: usize,
    },
    /// By the squares of a grid that have a minutia, for prints that lie alike.
    Grid(GridOptions),
}

/// A grid, and its buckets.
#[derive(Clone, Copy, Debug)]
pub struct GridOptions {
    /// The side of a square in pixels.
    pub side: f64,
    /// How near to the next square a minutia is in it too, in pixels.
    pub margin: f64,
    /// How many random sets of three squares there are.
    pub bucket_count: usize,
}
