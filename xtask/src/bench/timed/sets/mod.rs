//! `lookalike sets` compared with a simple single-threaded join: both read the same file, find all pairs and write
//! them.
//!
//! The two alternate, so that anything that slows the machine down affects both, and ratios are computed per round.

mod plain;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use crate::bench::corpora::baskets;
use crate::bench::tables::results::Record;
use crate::bench::tables::{against, pages, results, thousands};
use crate::bench::timed::measure::measure;
use crate::bench::timed::running::again_optimized;
use crate::table::Table;
use crate::workspace::Workspace;

/// Threshold of the pairs.
const THRESHOLD: f64 = 0.5;

/// Recall requested for sketches.
const RECALL: &str = "0.95";

/// Options of `cargo xtask bench sets`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// Number of measurements
    #[arg(long, value_name = "R", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    runs: u16,
    /// The folder of the data [default: bench/data, or ../shared/data beside the workspace]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
}

/// Measures and prints.
pub(in crate::bench) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    if cfg!(debug_assertions) {
        return again_optimized(workspace);
    }
    let folder = workspace.target().join("bench");
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let made = folder.join("baskets.txt");
    fs::write(&made, baskets::make()).with_context(|| format!("cannot write {}", made.display()))?;
    let bench = Bench { lookalike: workspace.build_lookalike()?, folder, runs: options.runs };

    let (mut ways, mut nearest) = (Vec::new(), Vec::new());
    let data = options.data.clone().unwrap_or_else(|| workspace.data());
    let retail = data.join("retail/sets.txt");
    if retail.is_file() {
        ways.extend(bench.compare("retail", &retail, "≥ 2, < 1 s")?);
        nearest.extend(bench.nearest("retail", &retail)?);
    } else {
        println!("no {}: it is not measured; bench/data/README.md says where it can be had", retail.display());
    }
    ways.extend(bench.compare("100,000 synthetic baskets", &made, "≥ 3")?);
    nearest.extend(bench.nearest("100,000 synthetic baskets", &made)?);
    println!("machine   {}\n", results::Machine::here());
    print!("{}\n{}", table(&ways), table_of_nearest(&nearest));
    let joined = Joined { ways, nearest };
    let file = results::write(workspace, "sets", &[&bench.lookalike], &joined)?;
    pages::refresh(workspace.root())?;
    println!("\nraw numbers in {}", file.display());
    Ok(())
}

/// All that is measured.
#[derive(Serialize, Deserialize)]
pub(in crate::bench) struct Joined {
    ways: Vec<Way>,
    nearest: Vec<OfNearest>,
}

/// One way to find the pairs of a collection, and its measurements.
#[derive(Serialize, Deserialize)]
struct Way {
    sets: String,
    way: String,
    pairs: u64,
    /// Share of the pairs that the simple join finds.
    recall: f64,
    seconds: Vec<f64>,
    /// Median of the speed relative to the simple join in each round.
    times_as_fast: f64,
    target: String,
}

impl Way {
    /// True if the target is met, which is "≥ TIMES" or "≥ TIMES, < SECONDS s"; none without a target.
    fn verdict(&self) -> Option<bool> {
        let mut parts = self.target.split(", ");
        let times: f64 = parts.next()?.strip_prefix("≥ ")?.parse().ok()?;
        let seconds = parts.next().and_then(|part| part.strip_prefix("< ")?.strip_suffix(" s")?.parse().ok());
        Some(self.times_as_fast >= times && median(&self.seconds) < seconds.unwrap_or(f64::INFINITY))
    }
}

fn table(ways: &[Way]) -> Table {
    let mut table = Table::new(&["sets", "method", "pairs", "recall", "seconds", "speedup", "target"]);
    for way in ways {
        table.row([
            way.sets.clone(),
            way.way.clone(),
            thousands(way.pairs),
            format!("{:.4}", way.recall),
            format!("{:.3}", median(&way.seconds)),
            format!("{:.1}", way.times_as_fast),
            way.verdict().map_or(String::new(), |is_met| against(&way.target, is_met)),
        ]);
    }
    table
}

/// The nearest few of each set, and the time relative to the join.
#[derive(Serialize, Deserialize)]
struct OfNearest {
    sets: String,
    top: String,
    pairs: u64,
    seconds: Vec<f64>,
    /// Median of the time relative to the join in each round.
    times_the_join: f64,
}

fn table_of_nearest(all: &[OfNearest]) -> Table {
    let mut table = Table::new(&["sets", "--top", "pairs", "seconds", "times the join"]);
    for way in all {
        let (seconds, times) = (format!("{:.3}", median(&way.seconds)), format!("{:.1}", way.times_the_join));
        table.row([way.sets.clone(), way.top.clone(), thousands(way.pairs), seconds, times]);
    }
    table
}

/// The section for the benchmarks page.
pub(in crate::bench) fn section(record: &Record<Joined>) -> String {
    let Joined { ways, nearest } = &record.results;
    format!(
        "## Sets\n\nAll pairs with a Jaccard similarity of {THRESHOLD} or more, compared with a plain single-threaded AllPairs \
         join. All read the\nsame file and write all pairs: retail (88,162 baskets), and 100,000 synthetic baskets of 10 on \
         average from 870 items,\ngenerated like T10I4D100K. Medians of {} alternating runs, with two threads; sketches were \
         asked for a recall of {RECALL}.\n{}\n\n{}\n{}\nThe most similar sets of each set (`--top`), compared with the exact \
         join above:\n\n{}",
        ways.first().map_or(0, |way| way.seconds.len()),
        record.origin(),
        table(ways).to_markdown(),
        sketches_sentence(ways),
        table_of_nearest(nearest).to_markdown()
    )
}

/// Compares sketches with the exact join on each collection: medians that differ by less than a tenth count as equal.
fn sketches_sentence(ways: &[Way]) -> String {
    let mut sentences = String::new();
    for sketches in ways.iter().filter(|way| way.way == "sketches") {
        let exact = ways.iter().find(|way| way.way == "exact" && way.sets == sketches.sets);
        let Some(exact) = exact else { continue };
        let ratio = median(&sketches.seconds) / median(&exact.seconds);
        let compared = if (0.9..=1.1).contains(&ratio) {
            "as long as the exact join".to_owned()
        } else {
            format!("{ratio:.1} times as long as the exact join")
        };
        sentences += &format!("On {}, sketches take {compared}.\n", sketches.sets);
    }
    sentences
}

struct Bench {
    lookalike: PathBuf,
    folder: PathBuf,
    runs: u16,
}

impl Bench {
    fn compare(&self, name: &'static str, input: &Path, target: &'static str) -> Result<Vec<Way>> {
        let ways: [(&str, &[&str]); 2] = [("exact", &[]), ("sketches", &["--recall", RECALL])];
        let mut seconds: [Vec<f64>; 3] = Default::default();
        let mut counts = [0; 3];
        for _ in 0..self.runs {
            let output = self.folder.join("plain.tsv");
            let start = Instant::now();
            counts[0] = plain::join(input, THRESHOLD, &output)?;
            seconds[0].push(start.elapsed().as_secs_f64());
            for (at, (way, arguments)) in (1..).zip(ways) {
                let output = self.folder.join(format!("{way}.tsv"));
                let mut command = Command::new(&self.lookalike);
                command.arg("sets").arg(input).args(["--threshold", &THRESHOLD.to_string(), "--threads", "2"]);
                command.args(["--format", "tsv", "--quiet", "--force", "-o"]).arg(&output).args(arguments);
                seconds[at].push(measure(&command)?.seconds);
                counts[at] = line_count(&output)? - 1;
            }
        }
        ensure!(counts[1] == counts[0], "{name}: {} pairs, and {} by the plain join", counts[1], counts[0]);
        let names = ["plain, one thread", ways[0].0, ways[1].0];
        let way = |(at, way): (usize, &'static str)| {
            let ratios: Vec<f64> = seconds[0].iter().zip(&seconds[at]).map(|(plain, own)| plain / own).collect();
            Way {
                sets: name.to_owned(),
                way: way.to_owned(),
                pairs: counts[at],
                recall: counts[at] as f64 / counts[0].max(1) as f64,
                seconds: seconds[at].clone(),
                times_as_fast: median(&ratios),
                target: if at == 1 { target } else { "" }.to_owned(),
            }
        };
        Ok(names.into_iter().enumerate().map(way).collect())
    }
}

impl Bench {
    /// The nearest few of each set, alternating with the join.
    fn nearest(&self, name: &'static str, input: &Path) -> Result<Vec<OfNearest>> {
        let output = self.folder.join("nearest.tsv");
        let run = |arguments: &[&str]| -> Result<f64> {
            let mut command = Command::new(&self.lookalike);
            command.arg("sets").arg(input).args(arguments).args(["--threads", "2", "--format", "tsv", "--quiet"]);
            Ok(measure(command.args(["--force", "-o"]).arg(&output))?.seconds)
        };
        let mut all = Vec::new();
        for top in ["1", "5"] {
            let (mut seconds, mut ratios, mut pairs) = (Vec::new(), Vec::new(), 0);
            for _ in 0..self.runs {
                let join = run(&["--threshold", &THRESHOLD.to_string()])?;
                seconds.push(run(&["--top", top])?);
                pairs = line_count(&output)? - 1;
                ratios.extend(seconds.last().map(|seconds| seconds / join));
            }
            let (sets, top) = (name.to_owned(), top.to_owned());
            all.push(OfNearest { sets, top, pairs, seconds, times_the_join: median(&ratios) });
        }
        Ok(all)
    }
}

fn line_count(path: &Path) -> Result<u64> {
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(bytes.split(|byte| *byte == b'\n').count() as u64 - 1)
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn way(sets: &str, name: &str, seconds: f64, times_as_fast: f64, target: &str) -> Way {
        let (sets, way, target) = (sets.to_owned(), name.to_owned(), target.to_owned());
        Way { sets, way, pairs: 1, recall: 1.0, seconds: vec![seconds], times_as_fast, target }
    }

    #[test]
    fn a_target_has_a_ratio_and_may_have_seconds() {
        assert_eq!(way("a", "exact", 0.5, 4.0, "≥ 2, < 1 s").verdict(), Some(true));
        assert_eq!(way("a", "exact", 1.5, 4.0, "≥ 2, < 1 s").verdict(), Some(false));
        assert_eq!(way("a", "exact", 1.5, 1.0, "≥ 3").verdict(), Some(false));
        assert_eq!(way("a", "sketches", 1.5, 1.0, "").verdict(), None);
    }

    #[test]
    fn what_is_said_of_sketches_follows_the_numbers() {
        let ways = [
            way("retail", "exact", 0.5, 4.0, ""),
            way("retail", "sketches", 1.5, 1.4, ""),
            way("baskets", "exact", 0.74, 27.0, ""),
            way("baskets", "sketches", 0.73, 26.0, ""),
        ];
        assert_eq!(
            sketches_sentence(&ways),
            "On retail, sketches take 3.0 times as long as the exact join.\n\
             On baskets, sketches take as long as the exact join.\n"
        );
    }
}
