//! `lookalike prints`: arguments to options, and the result for a person.

use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};
use clap::{Args, ValueEnum};
use lookalike::core::prints::candidates::DEFAULT_ALIGNED;
use lookalike::core::prints::grid::DEFAULT_BUCKETS;
use lookalike::core::prints::score::DEFAULT_THRESHOLD;
use lookalike::core::prints::{DEFAULT_RESOLUTION, FEWEST_MINUTIAE};
use lookalike::{
    AngleUnit, CandidateRecall, GridOptions, PrintColumns, PrintSearch, PrintsOptions, PrintsReport, ReadPrints,
    Turning,
};

use crate::commands::{Done, done, to_output};
use crate::flags::output::RowOutputArguments;
use crate::flags::resources::{TableResourceArguments, TableResources};
use crate::flags::run::{RunArguments, RunOptions};
use crate::show::streams::{self, talk};
use crate::show::{notes, numbers};

/// As many triples as still fit the memory of any machine, many times over what helps.
const MOST_BUCKETS: usize = 1 << 20;

#[derive(Debug, Args)]
pub(crate) struct PrintsArguments {
    /// Tables with one minutia per row (CSV, TSV, JSON or Parquet), templates of ISO/IEC 19794-2, folders or patterns of these, or
    /// addresses of tables; or - for a table on standard input; with --gallery, the prints to look for
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// Look up each print of INPUT in these prints, instead of in INPUT itself
    #[arg(long, value_name = "GALLERY")]
    gallery: Vec<PathBuf>,
    /// Number of prints of the gallery to write for each print of INPUT, best first [default: 5]
    #[arg(long, value_name = "N", requires = "gallery")]
    top: Option<usize>,
    /// Write the score of every pair, without selecting candidates first
    #[arg(long, conflicts_with_all = ["gallery", "candidates"])]
    all_pairs: bool,
    /// Minimum score of two prints of the same finger, 0 to 1 [default: 0.11; none with --gallery, --all-pairs and --grid]
    #[arg(long, value_name = "SCORE", allow_negative_numbers = true)]
    threshold: Option<f64>,
    /// Number of candidates to align per print, those that share most triangles [default: 50]
    #[arg(long, value_name = "N")]
    candidates: Option<usize>,
    #[command(flatten)]
    grid: GridArguments,
    #[command(flatten)]
    read: ReadPrintsArguments,
    #[command(flatten)]
    output: RowOutputArguments,
    #[command(flatten)]
    run: RunArguments,
}

#[derive(Debug, Args)]
struct GridArguments {
    /// For prints that are already aligned: find pairs that share a random triple of squares with sides of SIDE pixels
    #[arg(long, value_name = "SIDE", allow_negative_numbers = true, conflicts_with_all = ["gallery", "all_pairs", "candidates"])]
    grid: Option<f64>,
    /// With --grid: a minutia within this many pixels of the next square counts in it too [default: 0]
    #[arg(long, value_name = "PIXELS", requires = "grid", allow_negative_numbers = true)]
    margin: Option<f64>,
    /// With --grid: number of random triples of squares [default: 1024]
    #[arg(long, value_name = "N", requires = "grid")]
    buckets: Option<usize>,
}

#[derive(Debug, Args)]
struct ReadPrintsArguments {
    /// Column with the id of the print that a minutia belongs to
    #[arg(long, value_name = "COLUMN", default_value = "print")]
    id: String,
    /// Column of the pixels from the left
    #[arg(long, value_name = "COLUMN", default_value = "x")]
    x: String,
    /// Column of the pixels from the top
    #[arg(long, value_name = "COLUMN", default_value = "y")]
    y: String,
    #[arg(
        long,
        value_name = "COLUMN",
        help = "Column of the angle, counter-clockwise from the right in the image [default: angle, angle_deg, theta_deg, \
                direction, angle_rad, theta or orientation, whichever is there]"
    )]
    angle: Option<String>,
    /// Unit of the angles in tables [default: by the column's name if it ends in _deg or _rad, or else by its values]
    #[arg(long, value_enum, value_name = "UNIT")]
    angle_unit: Option<AngleUnitArgument>,
    /// Column of the type, end or bif [default: type, if there is one]
    #[arg(long = "type", value_name = "COLUMN")]
    kind: Option<String>,
    /// Angles in tables are clockwise
    #[arg(long)]
    clockwise: bool,
    /// Size of the images in pixels, such as 300x400: minutiae outside are skipped. Templates have their own
    #[arg(long, value_name = "WxH")]
    size: Option<String>,
    /// Resolution of the images in pixels per centimetre: 197 is 500 dots per inch. Templates have their own
    #[arg(long, value_name = "PIXELS", default_value_t = DEFAULT_RESOLUTION, allow_negative_numbers = true)]
    resolution: f64,
    #[command(flatten)]
    resources: TableResourceArguments,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum AngleUnitArgument {
    /// A full turn is 360
    Degrees,
    /// A full turn is 6.2832
    Radians,
}

impl PrintsArguments {
    pub(crate) fn run(self) -> Result<Done> {
        let (target, force, is_clockwise) = (self.output.file(), self.output.force, self.read.clockwise);
        let (options, run) = self.options()?;
        let (report, is_read) = to_output(target.as_deref(), force, run, streams::stdout(), |writer, progress| {
            lookalike::prints(&options, writer, progress)
        })?;
        notes::skipped(&report.skipped.named, report.skipped.count);
        if is_read && !run.quiet {
            show(&report, is_clockwise);
        }
        Ok(done(report.skipped.count))
    }

    fn options(self) -> Result<(PrintsOptions, RunOptions)> {
        let run = self.run.options()?;
        if let Some(threshold) = self.threshold.filter(|threshold| !(0.0..=1.0).contains(threshold)) {
            bail!("--threshold {threshold} is not possible: give a score from 0 to 1, such as {DEFAULT_THRESHOLD}");
        }
        let at_least_one = |flag: &str, value: Option<usize>, default: usize| match value {
            Some(0) => bail!("{flag} 0 is not possible: give 1 or more"),
            value => Ok(value.unwrap_or(default)),
        };
        let most = at_least_one("--candidates", self.candidates, DEFAULT_ALIGNED)?;
        let search = if let Some(side) = self.grid.grid {
            let bucket_count = at_least_one("--buckets", self.grid.buckets, DEFAULT_BUCKETS)?;
            ensure!(
                bucket_count <= MOST_BUCKETS,
                "--buckets {bucket_count} is not possible: give {MOST_BUCKETS} or less"
            );
            PrintSearch::Grid(GridOptions { side, margin: self.grid.margin.unwrap_or(0.0), bucket_count })
        } else if self.all_pairs {
            PrintSearch::AllPairs
        } else if self.gallery.is_empty() {
            PrintSearch::Candidates { most }
        } else {
            PrintSearch::Gallery { inputs: self.gallery, most, top: at_least_one("--top", self.top, 5)? }
        };
        let options = PrintsOptions {
            inputs: self.inputs,
            read: self.read.options()?,
            search,
            threshold: self.threshold,
            format: self.output.format(),
            output: self.output.file(),
        };
        Ok((options, run))
    }
}

impl ReadPrintsArguments {
    fn options(self) -> Result<ReadPrints> {
        let resolution = self.resolution;
        ensure!(
            resolution.is_finite() && resolution > 0.0,
            "--resolution {resolution} is not possible: give pixels per centimetre, such as {DEFAULT_RESOLUTION}"
        );
        let TableResources { memory, longest, limit } = self.resources.options()?;
        Ok(ReadPrints {
            columns: PrintColumns { id: self.id, x: self.x, y: self.y, angle: self.angle, kind: self.kind },
            size: self.size.as_deref().map(size).transpose()?,
            resolution,
            angle_unit: self.angle_unit.map(|unit| match unit {
                AngleUnitArgument::Degrees => AngleUnit::Degrees,
                AngleUnitArgument::Radians => AngleUnit::Radians,
            }),
            is_clockwise: self.clockwise,
            longest,
            limit,
            memory,
        })
    }
}

/// Width and height, such as 300x400.
fn size(written: &str) -> Result<(u32, u32)> {
    let sides = written.split_once('x').and_then(|(width, height)| Some((width.parse().ok()?, height.parse().ok()?)));
    let sides = sides.filter(|(width, height)| *width > 0 && *height > 0);
    sides.with_context(|| format!("--size {written} is not a size: give width and height in pixels, such as 300x400"))
}

/// What was found, how, and what that misses.
fn show(report: &PrintsReport, is_clockwise: bool) {
    let seconds: f64 = report.stages.iter().map(|stage| stage.seconds).sum();
    let prints = format!("{} ({})", numbers::of(report.prints, "print"), numbers::of(report.minutiae, "minutia"));
    let prints = prints.replace("minutias", "minutiae");
    let among = match report.gallery_prints {
        Some(known) => format!("{prints} in a gallery of {}", numbers::count(known)),
        None => prints,
    };
    talk!("{} among {among}, in {}", numbers::of(report.rows, "pair"), numbers::seconds(seconds));
    if let Some(recall) = report.recall.filter(|_| report.pairs > 0) {
        let (compared, pairs) = (numbers::count(report.compared), numbers::count(report.pairs));
        talk!("candidates: {compared} of {pairs} pairs were aligned; {}", candidate_recall(recall));
    }
    if let Some(grid) = report.grid {
        let (squares, buckets) = (numbers::count(grid.square_count.into()), numbers::count(grid.bucket_count));
        talk!(
            "grid: {squares} squares, {:.3} of them with a minutia, and {buckets} triples; {} of {} pairs share one",
            grid.density,
            numbers::count(report.compared),
            numbers::count(report.pairs)
        );
        talk!(
            "by the model, with a chance of {} that a minutia is in the same square again: {:.3} of the pairs of a finger share \
             one, and {:.3} of all others; this does not hold for prints that are shifted or rotated",
            grid.comes_again,
            grid.found,
            grid.by_chance
        );
    }
    if let Some(file) = report.in_radians.first() {
        let others = match report.in_radians.len() {
            1 => String::new(),
            count => format!(" and {}", numbers::of(count as u64 - 1, "other file")),
        };
        talk!(
            "note: the angles of {file}{others} are read as radians, since none exceeds 2π; otherwise give --angle-unit degrees"
        );
    }
    if report.turning.is_wrong() {
        let Turning { alike, opposite, matches, matches_other_way } = report.turning;
        let remedy = if is_clockwise { "leave out --clockwise" } else { "give --clockwise" };
        let [opposite, all, matches, matches_other_way] =
            [opposite, alike + opposite, matches, matches_other_way].map(numbers::count);
        talk!(
            "note: angles seem to have the wrong direction: in a sample, {matches} pairs match as given and {matches_other_way} the \
             other way, and in {opposite} of {all} rotated matches the angles turn against the positions; {remedy}"
        );
    }
    if report.too_few > 0 {
        let prints = numbers::of(report.too_few, "print");
        talk!("note: {prints} with fewer than {FEWEST_MINUTIAE} minutiae, too few to match anything: they score 0");
    }
    if report.repeated_ids > 0 {
        let prints = numbers::of(report.repeated_ids, "print");
        talk!("note: {prints} with the id of another print: the output cannot tell them apart");
    }
}

/// How many matches were candidates, and how that is known.
fn candidate_recall(recall: CandidateRecall) -> String {
    let CandidateRecall { print_count, match_count, candidate_count } = recall;
    let sample = numbers::of(print_count, "print");
    match recall.share() {
        Some(share) => format!(
            "measured recall of candidates {share:.3}: {} compared with all others, {} of {} are candidates",
            sample,
            numbers::count(candidate_count),
            numbers::of(match_count, "match").replace("matchs", "matches")
        ),
        None if print_count == 0 => {
            "recall of candidates not measured: too many prints to compare one with all (see docs/prints.md)".to_owned()
        }
        None => format!("recall of candidates not measured: {sample} compared with all others, without a match"),
    }
}
