//! `lookalike sets` beside a plain join in one thread: both read the same file, find all pairs and write them.
//!
//! The two take turns, so that whatever slows the machine down slows both, and ratios are those of a turn.

mod baskets;
mod plain;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, ensure};

use super::measure::measure;
use crate::table::Table;
use crate::workspace::{Workspace, succeed};

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
pub(super) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    if cfg!(debug_assertions) {
        let mut cargo = workspace.cargo();
        cargo.args(["run", "--quiet", "--release", "--package", "xtask", "--", "bench", "sets"]);
        cargo.args(["--runs", &options.runs.to_string()]);
        if let Some(data) = &options.data {
            // The path was given relative to where the user is, and cargo is called elsewhere.
            cargo.arg("--data").arg(std::path::absolute(data)?);
        }
        return succeed(&mut cargo);
    }
    let folder = workspace.target().join("bench");
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let made = folder.join("baskets.txt");
    fs::write(&made, baskets::make()).with_context(|| format!("cannot write {}", made.display()))?;
    let bench = Bench { lookalike: workspace.build_lookalike()?, folder, runs: options.runs };

    let mut table = Table::new(&["sets", "way", "pairs", "recall", "seconds", "times as fast", "target"]);
    let data = options.data.clone().unwrap_or_else(|| workspace.root().join(DATA));
    let retail = data.join("retail/sets.txt");
    if retail.is_file() {
        bench.compare("retail", &retail, "≥ 2, < 1 s", &mut table)?;
    } else {
        println!("no {}: it is not measured", retail.display());
    }
    bench.compare("100,000 made baskets", &made, "≥ 3", &mut table)?;
    print!("{table}");
    println!("threshold {THRESHOLD}, two threads, reading and writing included; medians of {} runs", options.runs);
    Ok(())
}

struct Bench {
    lookalike: PathBuf,
    folder: PathBuf,
    runs: u16,
}

impl Bench {
    fn compare(&self, name: &str, input: &Path, target: &str, table: &mut Table) -> Result<()> {
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
        for (at, way) in names.into_iter().enumerate() {
            let mut ratios: Vec<f64> = seconds[0].iter().zip(&seconds[at]).map(|(plain, own)| plain / own).collect();
            table.row([
                name.to_owned(),
                way.to_owned(),
                counts[at].to_string(),
                format!("{:.4}", counts[at] as f64 / counts[0].max(1) as f64),
                format!("{:.3}", median(&mut seconds[at].clone())),
                format!("{:.1}", median(&mut ratios)),
                if at == 1 { target.to_owned() } else { String::new() },
            ]);
        }
        Ok(())
    }
}

fn line_count(path: &Path) -> Result<u64> {
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(bytes.split(|byte| *byte == b'\n').count() as u64 - 1)
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
