//! `lookalike prints` in a gallery of synthetic prints: how often the right finger is ranked first, the time per query,
//! and memory.
//!
//! A finger has a loop: the directions of its minutiae follow the flow of ridges around a core and a delta (Sherlock,
//! Monro: A model for interpreting fingerprint topology, 1993), so different fingers have more in common than random
//! points. An impression is rotated, shifted, stretched and cropped, lacks some minutiae and has spurious ones.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::measure::measure;
use super::running::Program;
use crate::bench::corpora::dice::Dice;
use crate::bench::tables::results::Record;
use crate::bench::tables::{pages, results, thousands};
use crate::pairs;
use crate::table::Table;
use crate::workspace::Workspace;

/// Half the width and height of a finger, in pixels.
const EXTENT: (f64, f64) = (150.0, 200.0);

/// Minimum and maximum number of minutiae of a finger.
const MINUTIAE: (usize, usize) = (40, 65);

/// Shares of missing and of spurious minutiae of an impression.
const LOST: f64 = 0.2;
const INVENTED: f64 = 0.15;

/// Numbers of candidates to align per query.
const ALIGNED: [usize; 3] = [10, 50, 200];

/// Options of `cargo xtask bench prints`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    #[command(flatten)]
    program: Program,
    /// Number of fingers in the gallery
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    gallery: usize,
    /// Number of prints to look up
    #[arg(long, value_name = "N", default_value_t = 500)]
    queries: usize,
}

/// Results for queries with this many candidates.
#[derive(Serialize, Deserialize)]
pub(in crate::bench) struct Way {
    gallery: usize,
    queries: usize,
    aligned: usize,
    /// Share of queries whose finger is among the candidates, and of those where it is the best.
    among: f64,
    first: f64,
    /// Share of queries whose finger is found at the default threshold, and of those that find another.
    found: f64,
    wrong: f64,
    milliseconds_a_query: f64,
    peak_memory_bytes: Option<u64>,
}

/// Measures and prints.
pub(in crate::bench) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    let folder = workspace.target().join("bench");
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let lookalike = options.program.path(workspace)?;
    let (gallery, queries) = (folder.join("gallery.csv"), folder.join("queries.csv"));
    write_prints(&gallery, 0..options.gallery, 1)?;
    // Queries are spread over the gallery.
    let distance = (options.gallery / options.queries.max(1)).max(1);
    write_prints(&queries, (0..options.gallery).step_by(distance).take(options.queries), 2)?;
    let none = folder.join("no-queries.csv");
    write_prints(&none, 0..1, 3)?;

    let bench = Bench { lookalike: &lookalike, folder: &folder, gallery: &gallery };
    let mut ways = Vec::new();
    for aligned in ALIGNED {
        ways.push(bench.identify(&queries, &none, aligned, options)?);
    }
    println!("machine   {}\n", results::Machine::here());
    print!("{}", table(&ways));
    let file = results::write(workspace, "prints", &[&lookalike], &ways)?;
    pages::refresh(workspace.root())?;
    println!("\nraw numbers in {}", file.display());
    Ok(())
}

fn table(ways: &[Way]) -> Table {
    let mut table = Table::new(&["aligned", "among them", "first", "found", "wrong", "ms per query", "MB"]);
    for way in ways {
        table.row([
            way.aligned.to_string(),
            format!("{:.3}", way.among),
            format!("{:.3}", way.first),
            format!("{:.3}", way.found),
            format!("{:.3}", way.wrong),
            format!("{:.1}", way.milliseconds_a_query),
            way.peak_memory_bytes.map_or("?".to_owned(), |bytes| (bytes >> 20).to_string()),
        ]);
    }
    table
}

/// The section for the benchmarks page.
pub(in crate::bench) fn section(record: &Record<Vec<Way>>) -> String {
    let [queries, gallery] = record.results.first().map_or([0, 0], |way| [way.queries, way.gallery]);
    format!(
        "## Prints\n\n{} synthetic prints, each another impression of a finger, looked up in a gallery of {}: how often the \
         finger is\namong the aligned candidates and is the best of them, how often it reaches the default threshold, and how \
         often a\nstranger does. Processor time per query, without reading and preparing the gallery.\n{}\n\n{}",
        thousands(queries as u64),
        thousands(gallery as u64),
        record.origin(),
        table(&record.results).to_markdown()
    )
}

struct Bench<'a> {
    lookalike: &'a Path,
    folder: &'a Path,
    gallery: &'a Path,
}

impl Bench<'_> {
    fn identify(&self, queries: &Path, none: &Path, aligned: usize, options: &Options) -> Result<Way> {
        let out = self.folder.join("found.tsv");
        let count = aligned.to_string();
        let command = |queries: &Path| {
            let mut command = Command::new(self.lookalike);
            command.arg("prints").arg(queries).arg("--against").arg(self.gallery).args(["--max-candidates", &count]);
            command.args(["--top", &count, "--threads", "1", "--format", "tsv", "--quiet", "--force", "-o"]).arg(&out);
            command
        };
        // The time for the gallery alone.
        let idle = measure(&command(none))?;
        let usage = measure(&command(queries))?;
        let found = pairs::read(&out)?;
        let mut best: std::collections::BTreeMap<&str, (f64, bool)> = std::collections::BTreeMap::new();
        let (mut among, mut mates, mut wrong) = (0, 0, std::collections::BTreeSet::new());
        for ((one, other), score) in &found {
            let is_mate = one[1..] == other[1..];
            let query = if one.starts_with('q') { one } else { other };
            among += usize::from(is_mate);
            let reaches = *score >= lookalike_core::prints::score::DEFAULT_THRESHOLD;
            mates += usize::from(is_mate && reaches);
            if reaches && !is_mate {
                wrong.insert(query);
            }
            let best = best.entry(query).or_insert((*score, is_mate));
            if *score > best.0 {
                *best = (*score, is_mate);
            }
        }
        let share = |count: usize| pairs::share(count, options.queries);
        let seconds = |usage: &super::measure::Usage| usage.cpu_seconds.unwrap_or(usage.seconds);
        Ok(Way {
            gallery: options.gallery,
            queries: options.queries,
            aligned,
            among: share(among),
            first: share(best.values().filter(|(_, is_mate)| *is_mate).count()),
            found: share(mates),
            wrong: share(wrong.len()),
            milliseconds_a_query: 1000.0 * (seconds(&usage) - seconds(&idle)) / options.queries as f64,
            peak_memory_bytes: usage.peak_bytes,
        })
    }
}

/// Writes an impression of each of these fingers: `g7` in a gallery is the finger of `q7`.
fn write_prints(path: &PathBuf, fingers: impl Iterator<Item = usize>, impression: u64) -> Result<()> {
    let mut text = "print,x,y,angle,type\n".to_owned();
    let side = if impression == 1 { 'g' } else { 'q' };
    for finger in fingers {
        for Point { x, y, angle, is_end } in impression_of(finger as u64, impression) {
            let kind = if is_end { "end" } else { "bif" };
            writeln!(text, "{side}{finger},{x:.0},{y:.0},{angle:.0},{kind}").expect("a string takes everything");
        }
    }
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

/// A minutia: pixels from the left and the top, and degrees, counterclockwise.
#[derive(Clone, Copy)]
struct Point {
    x: f64,
    y: f64,
    angle: f64,
    is_end: bool,
}

/// The minutiae of a finger, relative to its center.
fn finger(number: u64) -> Vec<Point> {
    let mut dice = Dice::new(number << 8);
    let core = (20.0 * dice.normal(), -30.0 + 20.0 * dice.normal());
    let delta = (if dice.chance(0.5) { 90.0 } else { -90.0 } + 15.0 * dice.normal(), 110.0 + 20.0 * dice.normal());
    let count = MINUTIAE.0 + dice.below(MINUTIAE.1 - MINUTIAE.0);
    let mut points: Vec<Point> = Vec::new();
    while points.len() < count {
        let point = anywhere(&mut dice);
        // Two minutiae are at least a ridge apart.
        if points.iter().any(|other| (other.x - point.x).hypot(other.y - point.y) < 9.0) {
            continue;
        }
        let around = |(x, y): (f64, f64)| (y - point.y).atan2(point.x - x);
        let flow = ((around(delta) - around(core)) / 2.0).to_degrees();
        let angle = flow + if dice.chance(0.5) { 180.0 } else { 0.0 } + 6.0 * dice.normal();
        points.push(Point { angle, ..point });
    }
    points
}

/// A random point on a finger, with a random direction.
fn anywhere(dice: &mut Dice) -> Point {
    loop {
        let (x, y) = (2.0 * dice.unit() - 1.0, 2.0 * dice.unit() - 1.0);
        if x * x + y * y < 1.0 {
            let angle = 360.0 * dice.unit();
            return Point { x: x * EXTENT.0, y: y * EXTENT.1, angle, is_end: dice.chance(0.6) };
        }
    }
}

/// The image of a finger.
fn impression_of(number: u64, impression: u64) -> Vec<Point> {
    let mut dice = Dice::new(number << 8 | impression);
    let degrees = 12.0 * dice.normal();
    let (sine, cosine) = degrees.to_radians().sin_cos();
    let shift = (20.0 * dice.normal(), 25.0 * dice.normal());
    // Skin is elastic: distortion grows with the distance from the center.
    let stretch = (0.03 * dice.normal(), 0.03 * dice.normal());
    // The finger is placed differently each time, and parts outside the sensor are not on the image.
    let pad = (25.0 * dice.normal(), 35.0 * dice.normal());
    let mut points = finger(number);
    points.retain(|point| {
        let (x, y) = ((point.x - pad.0) / (0.9 * EXTENT.0), (point.y - pad.1) / (0.85 * EXTENT.1));
        x * x + y * y < 1.0 && !dice.chance(LOST)
    });
    let count = points.len();
    for point in &mut points {
        let (x, y) =
            (point.x * (1.0 + stretch.0) + 2.0 * dice.normal(), point.y * (1.0 + stretch.1) + 2.0 * dice.normal());
        let is_end = point.is_end != dice.chance(0.15);
        *point = Point { x, y, angle: point.angle + 5.0 * dice.normal(), is_end };
    }
    points.extend((0..(INVENTED * count as f64).round() as usize).map(|_| anywhere(&mut dice)));
    for point in &mut points {
        // The image has `y` downwards, so that the rotation appears counterclockwise.
        let (x, y) = (point.x * cosine + point.y * sine, point.y * cosine - point.x * sine);
        *point = Point {
            x: (x + shift.0 + 300.0).max(0.0),
            y: (y + shift.1 + 400.0).max(0.0),
            angle: (point.angle + degrees).rem_euclid(360.0),
            ..*point
        };
    }
    points
}

#[cfg(test)]
mod tests {
    use lookalike_core::prints::{Kind, Minutia, PreparedPrint, Print};

    use super::*;

    fn print(number: u64, impression: u64) -> PreparedPrint {
        let minutia = |point: Point| Minutia { x: point.x, y: point.y, angle: point.angle, kind: Kind::Other };
        PreparedPrint::new(&Print::new(impression_of(number, impression).into_iter().map(minutia).collect()))
    }

    #[test]
    fn impressions_of_a_finger_are_alike_and_strangers_are_not() {
        let scores = |apart: u64| -> Vec<f64> {
            (0..30).map(|finger| print(finger, 1).compare(&print(finger + apart, 2)).score).collect()
        };
        let reaching = |scores: &[f64]| scores.iter().filter(|score| **score >= 0.11).count();
        assert!(reaching(&scores(0)) >= 25, "{:?}", scores(0));
        assert_eq!(reaching(&scores(1)), 0, "{:?}", scores(1));
        assert!((20..60).contains(&print(1, 1).minutia_count()));
    }
}
