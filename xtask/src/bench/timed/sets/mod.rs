//! `lookalike sets` beside a plain join in one thread: both read the same file, find all pairs and write them.
//!
//! The two take turns, so that whatever slows the machine down slows both, and ratios are those of a turn.

mod plain;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde::Serialize;

use crate::bench::corpora::baskets;
use crate::bench::tables::results;
use crate::bench::timed::measure::measure;
use crate::bench::timed::running::again_optimised;
use crate::table::Table;
use crate::workspace::Workspace;

/// Where the data is, seen from the workspace.
const DATA: &str = "../shared/data";

/// Where pairs are sought from.
const THRESHOLD: f64 = 0.5;

/// What sketches are asked for.
const RECALL: &str = "0.95";

/// What the measure of sets can be told.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// How often to measure
    #[arg(long, value_name = "R", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    runs: u16,
    /// The folder of the data [default: ../shared/data beside the workspace]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
}

/// Measures and prints.
pub(in crate::bench) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    if cfg!(debug_assertions) {
        return again_optimised(workspace);
    }
    let folder = workspace.target().join("bench");
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let made = folder.join("baskets.txt");
    fs::write(&made, baskets::make()).with_context(|| format!("cannot write {}", made.display()))?;
    let bench = Bench { lookalike: workspace.build_lookalike()?, folder, runs: options.runs };

    let mut ways = Vec::new();
    let data = options.data.clone().unwrap_or_else(|| workspace.root().join(DATA));
    let retail = data.join("retail/sets.txt");
    if retail.is_file() {
        ways.extend(bench.compare("retail", &retail, "≥ 2, < 1 s")?);
    } else {
        println!("no {}: it is not measured", retail.display());
    }
    ways.extend(bench.compare("100,000 synthetic baskets", &made, "≥ 3")?);
    let table = table(&ways);
    println!("machine   {}\n", results::Machine::here());
    print!("{table}");
    let file = results::write(workspace, "sets", &[&bench.lookalike], &ways)?;
    results::publish(workspace, "sets", &section(&table, options.runs))?;
    println!("\nraw numbers in {}", file.display());
    Ok(())
}

/// One way to find the pairs of a collection, and what it took.
#[derive(Serialize)]
struct Way {
    sets: &'static str,
    way: &'static str,
    pairs: u64,
    /// Of the pairs that the plain join finds.
    recall: f64,
    seconds: Vec<f64>,
    /// The median of how many times as fast as the plain join it was in each turn.
    times_as_fast: f64,
    target: &'static str,
}

fn table(ways: &[Way]) -> Table {
    let mut table = Table::new(&["sets", "method", "pairs", "recall", "seconds", "speedup", "target"]);
    for way in ways {
        table.row([
            way.sets.to_owned(),
            way.way.to_owned(),
            way.pairs.to_string(),
            format!("{:.4}", way.recall),
            format!("{:.3}", median(&way.seconds)),
            format!("{:.1}", way.times_as_fast),
            way.target.to_owned(),
        ]);
    }
    table
}

fn section(table: &Table, runs: u16) -> String {
    format!(
        "## Sets\n\nAll pairs with a Jaccard similarity of {THRESHOLD} or more, compared with a plain single-threaded AllPairs \
         join. All read the\nsame file and write all pairs: retail (88,162 baskets), and 100,000 synthetic baskets of 10 on \
         average from 870 items,\ngenerated like T10I4D100K. Medians of {runs} alternating runs; sketches were asked for a \
         recall of {RECALL}.\n{}, {}.\n`cargo xtask bench sets`.\n\n{}",
        results::today(),
        results::Machine::here(),
        table.to_markdown()
    )
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
                sets: name,
                way,
                pairs: counts[at],
                recall: counts[at] as f64 / counts[0].max(1) as f64,
                seconds: seconds[at].clone(),
                times_as_fast: median(&ratios),
                target: if at == 1 { target } else { "" },
            }
        };
        Ok(names.into_iter().enumerate().map(way).collect())
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
