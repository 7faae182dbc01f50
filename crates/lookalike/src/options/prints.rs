//! What a run is asked to do.

use std::path::PathBuf;

use lookalike_core::prints::score::DEFAULT_THRESHOLD;
use lookalike_io::table::memory::MemoryTable;

use super::{Resources, RowFormat};

/// Options of [`prints`](crate::prints()).
#[derive(Clone, Debug)]
pub struct PrintsOptions {
    /// Tables of minutiae, templates, or folders of these.
    pub(crate) inputs: Vec<PathBuf>,
    /// Further tables of minutiae, in the memory of the caller, after the files.
    pub(crate) in_memory: Vec<MemoryTable>,
    /// How they are read.
    pub(crate) read: ReadPrints,
    /// What is held against what.
    pub(crate) search: PrintSearch,
    /// The least similarity that is written. Without it [`DEFAULT_THRESHOLD`] where matches are looked for, and none where scores
    /// are asked for.
    pub(crate) threshold: Option<f64>,
    /// How to write.
    pub(crate) format: RowFormat,
    /// The file that is written to, which is no input then.
    pub(crate) output: Option<PathBuf>,
}

impl PrintsOptions {
    /// Limits.
    pub fn resources(&self) -> &Resources {
        &self.read.resources
    }

    /// Whether the angles of tables turn clockwise.
    pub fn is_clockwise(&self) -> bool {
        self.read.is_clockwise
    }

    /// The score from which on two prints are of the same finger, whatever is written.
    pub(crate) fn match_threshold(&self) -> f64 {
        self.threshold.filter(|threshold| *threshold > 0.0).unwrap_or(DEFAULT_THRESHOLD)
    }
}

/// How prints are read.
#[derive(Clone, Debug)]
pub(crate) struct ReadPrints {
    /// The columns of tables.
    pub(crate) columns: PrintColumns,
    /// Width and height of images in pixels. Templates say it themselves.
    pub(crate) size: Option<(u32, u32)>,
    /// Pixels a centimeter of the images of tables.
    pub(crate) resolution: f64,
    /// The unit of the angles of tables. Without it the one that the name of the column or the angles show.
    pub(crate) angle_unit: Option<AngleUnit>,
    /// Whether the angles of tables turn clockwise as one sees them, and not counter-clockwise.
    pub(crate) is_clockwise: bool,
    /// Limits.
    pub(crate) resources: Resources,
}

lookalike_core::word_enum! {
    /// The unit of an angle.
    pub enum AngleUnit {
        /// A full turn is 360.
        Degrees,
        /// A full turn is 2π.
        Radians,
    }
}

impl AngleUnit {
    /// Degrees of one unit.
    pub(crate) fn degrees(self) -> f64 {
        match self {
            Self::Degrees => 1.0,
            Self::Radians => 1_f64.to_degrees(),
        }
    }
}

/// The columns of a table with a minutia a row.
#[derive(Clone, Debug)]
pub(crate) struct PrintColumns {
    /// Which print the minutia is of.
    pub(crate) id: String,
    /// Pixels from the left.
    pub(crate) x: String,
    /// Pixels from the top.
    pub(crate) y: String,
    /// The angle. Without it one of the usual names.
    pub(crate) angle: Option<String>,
    /// What the ridge does. Without it the column `type`, if there is one.
    pub(crate) kind: Option<String>,
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
    /// Each against those of a second collection that it shares most triangles with.
    Against {
        /// Tables, templates or folders.
        inputs: Vec<PathBuf>,
        /// Tables in memory, after the files.
        in_memory: Vec<MemoryTable>,
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
#[non_exhaustive]
pub struct GridOptions {
    /// The side of a square in pixels.
    pub side: f64,
    /// How near to the next square a minutia is in it too, in pixels.
    pub margin: f64,
    /// How many random sets of three squares there are.
    pub bucket_count: usize,
}
