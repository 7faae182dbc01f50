//! The request of `prints`.

use std::path::PathBuf;

use derive_setters::Setters;
use lookalike_core::prints::DEFAULT_RESOLUTION;
use lookalike_core::prints::candidates::DEFAULT_ALIGNED;
use lookalike_core::prints::grid::DEFAULT_BUCKETS;
use lookalike_core::remedy::JobOption;
use lookalike_io::table::memory::MemoryTable;
use serde::{Deserialize, Serialize};

use super::at_least_one;
use super::resources::ResourceRequest;
use crate::options::{AngleUnit, GridOptions, PrintColumns, PrintSearch, PrintsOptions, ReadPrints, RowFormat};
use crate::refused::Refused;

/// Unchecked options of [`prints`](crate::prints()). Missing ones have the defaults of the command.
#[derive(Clone, Debug, Default, Serialize, Deserialize, Setters)]
#[serde(default)]
#[setters(strip_option, into)]
#[non_exhaustive]
pub struct PrintsRequest {
    /// Limits.
    #[serde(flatten, skip_deserializing)]
    #[setters(skip)]
    pub resources: ResourceRequest,
    /// Tables of minutiae, templates, or folders of these.
    pub inputs: Vec<PathBuf>,
    /// Prints in which those of the input are looked up, instead of in the input itself.
    pub against: Vec<PathBuf>,
    /// More tables of minutiae, in memory.
    #[serde(skip)]
    pub in_memory: Vec<MemoryTable>,
    /// The same for the prints in which those of the input are looked up.
    #[serde(skip)]
    pub against_in_memory: Vec<MemoryTable>,
    /// Number of prints of `against` to write for each print of the input. Default: 5.
    pub top: Option<i64>,
    /// Score every pair, without selecting candidates first.
    pub all_pairs: Option<bool>,
    /// Minimum score of two prints of the same finger, 0 to 1.
    pub threshold: Option<f64>,
    /// Number of candidates to align per print. Default: 50.
    pub max_candidates: Option<i64>,
    /// For prints that are already aligned: the side of a square in pixels.
    pub grid: Option<f64>,
    /// With a grid: the distance within which a minutia counts in the next square too. Default: 0.
    pub margin: Option<f64>,
    /// With a grid: number of random triples of squares. Default: 1024.
    pub buckets: Option<i64>,
    /// Column with the id of the print. Default: `print`.
    pub id: Option<String>,
    /// Column of the pixels from the left. Default: `x`.
    pub x: Option<String>,
    /// Column of the pixels from the top. Default: `y`.
    pub y: Option<String>,
    /// Column of the angle. Default: one of the usual names.
    pub angle: Option<String>,
    /// Unit of the angles. Default: by the column's name or values.
    pub angle_unit: Option<AngleUnit>,
    /// Column of the type, end or bif. Default: `type`, if there is one.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// Angles in tables are clockwise.
    pub clockwise: Option<bool>,
    /// Size of the images in pixels.
    pub size: Option<[i64; 2]>,
    /// Pixels per centimeter. Default: 197, which is 500 dots per inch.
    pub resolution: Option<f64>,
    /// The output file, which is not read as input.
    pub output: Option<PathBuf>,
    /// Format of pairs. Default: `jsonl`.
    pub format: Option<RowFormat>,
}

/// Maximum number of triples: they fit in the memory of any machine, and far fewer are useful.
const MOST_BUCKETS: usize = 1 << 20;

/// Default number of prints of a reference to write per print.
const TOP: i64 = 5;

from_options!(PrintsRequest, resources);

impl PrintsRequest {
    /// Files, folders or patterns, with the defaults of the command.
    pub fn new<P: Into<PathBuf>>(inputs: impl IntoIterator<Item = P>) -> Self {
        Self { inputs: inputs.into_iter().map(Into::into).collect(), ..Self::default() }
    }

    /// Checks all options, and their combinations.
    ///
    /// # Errors
    ///
    /// If a value is invalid, has no effect, or contradicts another.
    pub fn check(self) -> Result<PrintsOptions, Refused> {
        let resources = self.resources.check()?;
        if let Some(threshold) = self.threshold.filter(|threshold| !(0.0..=1.0).contains(threshold)) {
            return Err(Refused::out_of_range(JobOption::Threshold, threshold, "a score from 0 to 1"));
        }
        let search = self.search()?;
        let resolution = self.resolution.unwrap_or(DEFAULT_RESOLUTION);
        if !(resolution.is_finite() && resolution > 0.0) {
            return Err(Refused::out_of_range(JobOption::Resolution, resolution, "above 0, in pixels per centimeter"));
        }
        let size = self.size.map(|[width, height]| size(width, height)).transpose()?;
        let or = |column: Option<String>, default: &str| column.unwrap_or_else(|| default.to_owned());
        Ok(PrintsOptions {
            inputs: self.inputs,
            in_memory: self.in_memory,
            read: ReadPrints {
                columns: PrintColumns {
                    id: or(self.id, "print"),
                    x: or(self.x, "x"),
                    y: or(self.y, "y"),
                    angle: self.angle,
                    kind: self.kind,
                },
                size,
                resolution,
                angle_unit: self.angle_unit,
                is_clockwise: self.clockwise == Some(true),
                resources,
            },
            search,
            threshold: self.threshold,
            format: self.format.unwrap_or_default(),
            output: self.output,
        })
    }

    fn search(&self) -> Result<PrintSearch, Refused> {
        let all_pairs = self.all_pairs == Some(true);
        let has_reference = !self.against.is_empty() || !self.against_in_memory.is_empty();
        let pairs = [
            (JobOption::AllPairs, all_pairs, JobOption::Against, has_reference),
            (JobOption::AllPairs, all_pairs, JobOption::MaxCandidates, self.max_candidates.is_some()),
            (JobOption::Grid, self.grid.is_some(), JobOption::Against, has_reference),
            (JobOption::Grid, self.grid.is_some(), JobOption::AllPairs, all_pairs),
            (JobOption::Grid, self.grid.is_some(), JobOption::MaxCandidates, self.max_candidates.is_some()),
        ];
        if let Some((option, _, other, _)) = pairs.iter().find(|(_, is_given, _, is_other)| *is_given && *is_other) {
            return Err(Refused::not_with(*option, *other));
        }
        let needed = [
            (JobOption::Top, self.top.is_some(), JobOption::Against, has_reference),
            (JobOption::Margin, self.margin.is_some(), JobOption::Grid, self.grid.is_some()),
            (JobOption::Buckets, self.buckets.is_some(), JobOption::Grid, self.grid.is_some()),
        ];
        if let Some((option, _, other, _)) = needed.iter().find(|(_, is_given, _, is_other)| *is_given && !is_other) {
            return Err(Refused::needs(*option, *other));
        }
        let most =
            self.max_candidates.map_or(Ok(DEFAULT_ALIGNED), |most| at_least_one(JobOption::MaxCandidates, most))?;
        let top = at_least_one(JobOption::Top, self.top.unwrap_or(TOP))?;
        if let Some(side) = self.grid {
            if !(side.is_finite() && side > 0.0) {
                return Err(Refused::out_of_range(JobOption::Grid, side, "the side of a square, above 0 pixels"));
            }
            if let Some(margin) = self.margin.filter(|margin| !(margin.is_finite() && *margin >= 0.0)) {
                return Err(Refused::out_of_range(JobOption::Margin, margin, "at least 0 pixels"));
            }
            let bucket_count =
                self.buckets.map_or(Ok(DEFAULT_BUCKETS), |count| at_least_one(JobOption::Buckets, count))?;
            if bucket_count > MOST_BUCKETS {
                return Err(Refused::out_of_range(JobOption::Buckets, bucket_count, format!("at most {MOST_BUCKETS}")));
            }
            return Ok(PrintSearch::Grid(GridOptions { side, margin: self.margin.unwrap_or(0.0), bucket_count }));
        }
        Ok(if all_pairs {
            PrintSearch::AllPairs
        } else if has_reference {
            PrintSearch::Against { inputs: self.against.clone(), in_memory: self.against_in_memory.clone(), most, top }
        } else {
            PrintSearch::Candidates { most }
        })
    }
}

fn size(width: i64, height: i64) -> Result<(u32, u32), Refused> {
    let pixels = |pixels: i64| u32::try_from(pixels).ok().filter(|pixels| *pixels > 0);
    match (pixels(width), pixels(height)) {
        (Some(width), Some(height)) => Ok((width, height)),
        _ => Err(Refused::out_of_range(JobOption::Size, format!("{width}x{height}"), "a width and a height above 0")),
    }
}
