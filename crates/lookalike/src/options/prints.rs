//! Options of `prints`.

use std::path::PathBuf;

use lookalike_core::prints::score::DEFAULT_THRESHOLD;
use lookalike_io::table::memory::MemoryTable;

use super::{Resources, RowFormat};

/// Options of [`prints`](crate::prints()).
#[derive(Clone, Debug)]
pub struct PrintsOptions {
    /// Tables of minutiae, templates, or folders of these.
    pub(crate) inputs: Vec<PathBuf>,
    /// More tables of minutiae, in memory, after the files.
    pub(crate) in_memory: Vec<MemoryTable>,
    /// Settings for reading them.
    pub(crate) read: ReadPrints,
    /// Comparisons to make.
    pub(crate) search: PrintSearch,
    /// Minimum similarity of the output. Default: [`DEFAULT_THRESHOLD`] when searching for matches, and none when all
    /// scores are requested.
    pub(crate) threshold: Option<f64>,
    /// Format of the output.
    pub(crate) format: RowFormat,
    /// The output file, which is not read as input.
    pub(crate) output: Option<PathBuf>,
}

impl PrintsOptions {
    /// Limits.
    pub fn resources(&self) -> &Resources {
        &self.read.resources
    }

    /// True if the angles of tables are clockwise.
    pub fn is_clockwise(&self) -> bool {
        self.read.is_clockwise
    }

    /// The minimum score of two prints of the same finger, whatever is written.
    pub(crate) fn match_threshold(&self) -> f64 {
        self.threshold.filter(|threshold| *threshold > 0.0).unwrap_or(DEFAULT_THRESHOLD)
    }
}

/// Settings for reading prints.
#[derive(Clone, Debug)]
pub(crate) struct ReadPrints {
    /// The columns of tables.
    pub(crate) columns: PrintColumns,
    /// Width and height of images in pixels. Templates contain their own.
    pub(crate) size: Option<(u32, u32)>,
    /// Pixels per centimeter of the images of tables.
    pub(crate) resolution: f64,
    /// The unit of the angles of tables. Default: the unit that the column's name or the values indicate.
    pub(crate) angle_unit: Option<AngleUnit>,
    /// True if the angles of tables are clockwise in the image, false if they are counterclockwise.
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

/// The columns of a table with one minutia per row.
#[derive(Clone, Debug)]
pub(crate) struct PrintColumns {
    /// The print that the minutia belongs to.
    pub(crate) id: String,
    /// Pixels from the left.
    pub(crate) x: String,
    /// Pixels from the top.
    pub(crate) y: String,
    /// The angle. Default: one of the usual names.
    pub(crate) angle: Option<String>,
    /// The type of the minutia. Default: the column `type`, if there is one.
    pub(crate) kind: Option<String>,
}

/// Comparisons to make.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum PrintSearch {
    /// Each print with those of the input that share the most triangles with it, up to a maximum.
    Candidates {
        /// Maximum number of candidates per print.
        most: usize,
    },
    /// Each print with each other.
    AllPairs,
    /// Each print with those of a second collection that share the most triangles with it.
    Against {
        /// Tables, templates or folders.
        inputs: Vec<PathBuf>,
        /// Tables in memory, after the files.
        in_memory: Vec<MemoryTable>,
        /// Maximum number of candidates per query.
        most: usize,
        /// Maximum number of them to write, best first.
        top: usize,
    },
    /// By the squares of a grid that contain a minutia, for prints that are already aligned.
    Grid(GridOptions),
}

/// A grid, and its buckets.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct GridOptions {
    /// The side of a square in pixels.
    pub side: f64,
    /// Distance in pixels within which a minutia counts in the next square too.
    pub margin: f64,
    /// Number of random sets of three squares.
    pub bucket_count: usize,
}
