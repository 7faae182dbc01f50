//! `lookalike prints`: converts arguments to a request, and shows the result to people.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use lookalike::core::prints::FEWEST_MINUTIAE;
use lookalike::{AngleUnit, CandidateRecall, PrintsOptions, PrintsReport, PrintsRequest, Turning};

use crate::commands::{Done, done, to_output};
use crate::flags::output::{RowOutputArguments, RowsGo};
use crate::flags::resources::ResourceArguments;
use crate::flags::run::RunOptions;
use crate::flags::words::described;
use crate::show::streams::{self, talk};
use crate::show::{notes, numbers};

#[derive(Debug, Args)]
pub(crate) struct PrintsArguments {
    /// Tables with one minutia per row (CSV, TSV, JSON or Parquet), templates of ISO/IEC 19794-2, folders or patterns of these, or
    /// addresses of tables; or - for a table on standard input
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// Look up each print of INPUT in these prints, instead of in INPUT itself
    #[arg(long, value_name = "REFERENCE", help_heading = "Input")]
    against: Vec<PathBuf>,
    #[command(flatten)]
    read: ReadPrintsArguments,
    #[command(flatten)]
    output: RowOutputArguments,
    #[command(flatten)]
    search: SearchArguments,
    #[command(flatten)]
    resources: ResourceArguments,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Similarity")]
struct SearchArguments {
    /// Minimum score of two prints of the same finger, 0 to 1 [default: 0.11; none with --against, --all-pairs and --grid]
    #[arg(short, long, value_name = "SCORE", allow_negative_numbers = true)]
    threshold: Option<f64>,
    /// Number of prints of REFERENCE to write for each print of INPUT, best first [default: 5]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    top: Option<i64>,
    /// Write the score of every pair, without selecting candidates first
    #[arg(long, help_heading = "Method")]
    all_pairs: bool,
    /// Number of candidates to align per print, those that share most triangles [default: 50]
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = "Method")]
    max_candidates: Option<i64>,
    /// For prints that are already aligned: find pairs that share a random triple of squares with sides of SIDE pixels
    #[arg(long, value_name = "SIDE", allow_negative_numbers = true, help_heading = "Method", hide_short_help = true)]
    grid: Option<f64>,
    /// With --grid: a minutia within this many pixels of the next square counts in it too [default: 0]
    #[arg(long, value_name = "PIXELS", allow_negative_numbers = true, help_heading = "Method", hide_short_help = true)]
    margin: Option<f64>,
    /// With --grid: number of random triples of squares [default: 1024]
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = "Method", hide_short_help = true)]
    buckets: Option<i64>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Input")]
struct ReadPrintsArguments {
    /// Column with the id of the print that a minutia belongs to [default: print]
    #[arg(long, value_name = "COLUMN")]
    id: Option<String>,
    /// Column of the pixels from the left [default: x]
    #[arg(long, value_name = "COLUMN", hide_short_help = true)]
    x: Option<String>,
    /// Column of the pixels from the top [default: y]
    #[arg(long, value_name = "COLUMN", hide_short_help = true)]
    y: Option<String>,
    #[arg(
        long,
        value_name = "COLUMN",
        hide_short_help = true,
        help = "Column of the angle, counter-clockwise from the right in the image [default: angle, angle_deg, theta_deg, \
                direction, angle_rad, theta or orientation, whichever is there]"
    )]
    angle: Option<String>,
    /// Unit of the angles in tables [default: by the column's name if it ends in _deg or _rad, or else by its values]
    #[arg(long, value_name = "UNIT", value_parser = described::<AngleUnit>(&UNITS), hide_short_help = true)]
    angle_unit: Option<AngleUnit>,
    /// Column of the type, end or bif [default: type, if there is one]
    #[arg(long = "type", value_name = "COLUMN", hide_short_help = true)]
    kind: Option<String>,
    /// Angles in tables are clockwise
    #[arg(long)]
    clockwise: bool,
    /// Size of the images in pixels, such as 300x400: minutiae outside are skipped. Templates have their own
    #[arg(long, value_name = "WxH", value_parser = size, hide_short_help = true)]
    size: Option<[i64; 2]>,
    /// Resolution of the images in pixels per centimeter. Templates have their own [default: 197, which is 500 dots per inch]
    #[arg(long, value_name = "PIXELS", allow_negative_numbers = true, hide_short_help = true)]
    resolution: Option<f64>,
}

/// In the order of the variants in the library.
const UNITS: [&str; 2] = ["A full turn is 360", "A full turn is 6.2832"];

impl PrintsArguments {
    pub(crate) fn run(self) -> Result<Done> {
        let (target, force, is_clockwise) = (self.output.file(), self.output.force, self.read.clockwise);
        let how = self.output.summary;
        let (options, run) = self.options()?;
        let (report, is_read) = to_output(target.as_deref(), force, &run, streams::stdout(), |writer, progress| {
            lookalike::prints(&options, writer, progress)
        })?;
        notes::skipped(&report.skips.skipped, report.skips.skipped_count);
        how.print(&report, RowsGo::to(target.as_deref()), || {
            if is_read && !run.is_quiet() {
                show(&report, is_clockwise);
            }
            Ok(())
        })?;
        Ok(done(report.skips.skipped_count))
    }

    fn options(self) -> Result<(PrintsOptions, RunOptions)> {
        let mut request = PrintsRequest::new(self.inputs);
        request.resources = self.resources.request();
        request.against = self.against;
        request.top = self.search.top;
        request.all_pairs = self.search.all_pairs.then_some(true);
        request.threshold = self.search.threshold;
        request.max_candidates = self.search.max_candidates;
        request.grid = self.search.grid;
        request.margin = self.search.margin;
        request.buckets = self.search.buckets;
        request.id = self.read.id;
        request.x = self.read.x;
        request.y = self.read.y;
        request.angle = self.read.angle;
        request.angle_unit = self.read.angle_unit;
        request.kind = self.read.kind;
        request.clockwise = self.read.clockwise.then_some(true);
        request.size = self.read.size;
        request.resolution = self.read.resolution;
        request.output = self.output.file();
        request.format = self.output.format;
        let options = request.check()?;
        let run = RunOptions { resources: options.resources().clone(), talk: self.resources.run.talk() };
        Ok((options, run))
    }
}

/// Width and height, such as 300x400.
fn size(written: &str) -> Result<[i64; 2]> {
    let sides = written.split_once('x').and_then(|(width, height)| Some([width.parse().ok()?, height.parse().ok()?]));
    sides.context("give width and height in pixels, such as 300x400")
}

/// Shows the matches, the method, and its measured recall.
fn show(report: &PrintsReport, is_clockwise: bool) {
    let seconds: f64 = report.stages.iter().map(|stage| stage.seconds).sum();
    let prints =
        format!("{} ({})", numbers::of(report.print_count, "print"), numbers::of(report.minutia_count, "minutia"));
    let prints = prints.replace("minutias", "minutiae");
    let among = match report.reference_count {
        Some(known) => format!("{prints} and {}", numbers::of(known, "reference print")),
        None => prints,
    };
    talk!("{} among {among}, in {}", numbers::of(report.row_count, "pair"), numbers::seconds(seconds));
    if let Some(recall) = report.recall.filter(|_| report.pair_count > 0) {
        let (compared, pairs) = (numbers::count(report.compared_count), numbers::count(report.pair_count));
        talk!("candidates: {compared} of {pairs} pairs were aligned; {}", candidate_recall(recall));
    }
    if let Some(grid) = report.grid {
        let (squares, buckets) = (numbers::count(grid.square_count.into()), numbers::count(grid.bucket_count));
        talk!(
            "grid: {squares} squares, {:.3} of them with a minutia, and {buckets} triples; {} of {} pairs share one",
            grid.density,
            numbers::count(report.compared_count),
            numbers::count(report.pair_count)
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
        let Turning { same_count, opposite_count, match_count, other_way_match_count, .. } = report.turning;
        let remedy = if is_clockwise { "leave out --clockwise" } else { "give --clockwise" };
        let [opposite, all, matches, matches_other_way] =
            [opposite_count, same_count + opposite_count, match_count, other_way_match_count].map(numbers::count);
        talk!(
            "note: angles seem to have the wrong direction: in a sample, {matches} pairs match as given and {matches_other_way} the \
             other way, and in {opposite} of {all} rotated matches the angles turn against the positions; {remedy}"
        );
    }
    if report.too_few_count > 0 {
        let prints = numbers::of(report.too_few_count, "print");
        talk!("note: {prints} with fewer than {FEWEST_MINUTIAE} minutiae, too few to match anything: they score 0");
    }
    if report.repeated_id_count > 0 {
        let prints = numbers::of(report.repeated_id_count, "print");
        talk!("note: {prints} with the id of another print: the output cannot tell them apart");
    }
}

/// Describes the share of matches that were candidates, and the sample it was measured on.
fn candidate_recall(recall: CandidateRecall) -> String {
    let CandidateRecall { print_count, match_count, candidate_count, .. } = recall;
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
