//! `cargo xtask bench python`: `lookalike.dedup` compared with the command on the same rows, and with other tools
//! called from Python on the same strings; many documents of 3 kB; and `lookalike.link` compared with splink. Every
//! speed is shown with the accuracy of the results.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::running::{Output, Program, again_optimized, dedup};
use crate::bench::corpora::{customers, even, mixed, texts, truth};
use crate::bench::peers::environment;
use crate::bench::tables::results::Record;
use crate::bench::tables::{against, pages, results, thousands};
use crate::bench::{DOCUMENTS, SHINGLE, THRESHOLD};
use crate::python;
use crate::table::Table;
use crate::workspace::{Workspace, succeed};

/// Options of `cargo xtask bench python`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// Number of documents to generate
    #[arg(long, value_name = "N", default_value_t = DOCUMENTS)]
    documents: usize,
    /// Number of additional documents of 3 kB; 0 for none
    #[arg(long, value_name = "N", default_value_t = 250_000)]
    even: usize,
    /// Number of rows in each of two tables to link; 0 for none
    #[arg(long, value_name = "N", default_value_t = 50_000)]
    records: usize,
    /// Number of timed runs
    #[arg(long, value_name = "R", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..))]
    runs: u16,
    /// The Python for the peers' environment
    #[arg(long, value_name = "PATH", default_value = "python3")]
    python: PathBuf,
    /// The wheel to measure, in place of the workspace's own, which is built first
    #[arg(long, value_name = "PATH")]
    wheel: Option<PathBuf>,
    /// Measure no other tools
    #[arg(long)]
    alone: bool,
    #[command(flatten)]
    program: Program,
}

/// One call.
#[derive(Clone, Debug, Deserialize, Serialize)]
struct Measured {
    tool: String,
    seconds: f64,
    bytes: u64,
    documents: u64,
    removed: u64,
    /// Number of removed documents of which no near-duplicate is kept; none in results without it.
    #[serde(default)]
    lost: Option<u64>,
    /// Number of removed documents without any near-duplicate.
    #[serde(alias = "wrongly_removed")]
    without_any: u64,
    pair_precision: Option<f64>,
}

/// All that is measured.
#[derive(Serialize, Deserialize)]
pub(in crate::bench) struct Called {
    /// The command on the same rows, by run.
    command_seconds: Vec<f64>,
    /// The calls of lookalike, by run.
    calls: Vec<Vec<Measured>>,
    /// The rows of the table: the median run of lookalike, and the other tools.
    shown: Vec<Measured>,
    /// Many documents of one length, by run.
    even: Vec<Measured>,
    linked: Vec<Linked>,
}

/// Results for two linked tables.
#[derive(Clone, Debug, Deserialize, Serialize)]
struct Linked {
    tool: String,
    seconds: f64,
    matches: u64,
    precision: f64,
    recall: f64,
    f1: f64,
    lines: u32,
}

/// Length of each of many documents, and the time limit for all on two cores.
const EVEN_BYTES: usize = 3000;
const EVEN_SECONDS: f64 = 3.0;

const FRAME: &str = "lookalike, polars frame";
const OWN: [&str; 3] = ["hand-over of Arrow", FRAME, "lookalike"];
const PEERS: [&str; 4] = ["FastSketchLSH", "gaoya", "rensa", "datasketch"];

/// Measures and prints.
pub(in crate::bench) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    if cfg!(debug_assertions) {
        return again_optimized(workspace);
    }
    let folder = workspace.target().join("bench");
    let corpus = mixed::prepare(&folder, options.documents)?;
    let documents = texts::read(&corpus)?;
    truth::load_or_join(&folder, &documents)?;
    let truth =
        folder.join(format!("truth-{}-{THRESHOLD}-{:016x}.tsv", SHINGLE.replace(':', ""), documents.content_hash()));
    let lookalike = options.program.path(workspace)?;
    let wheel = options.wheel.clone().map_or_else(|| python::wheel(workspace), Ok)?;
    let python = environment::prepare(workspace, &options.python)?;
    succeed(
        Command::new(&python).args(["-m", "pip", "install", "--quiet", "--force-reinstall", "--no-deps"]).arg(&wheel),
    )?;
    succeed(Command::new(&python).args(["-m", "pip", "install", "--quiet", "polars"]))?;

    let mut command_seconds = Vec::new();
    let mut all: Vec<Vec<Measured>> = Vec::new();
    for _ in 0..options.runs {
        command_seconds.push(
            dedup(&lookalike, &[&corpus], &folder.join("python-out"), Output::Dry, &["-q", "--no-report"])?
                .usage
                .seconds,
        );
        let own = OWN.iter().map(|tool| call(workspace, &python, tool, &corpus, &truth));
        all.push(own.collect::<Result<_>>()?);
    }
    let middle = |tool: usize| {
        let mut runs: Vec<&Measured> = all.iter().map(|run| &run[tool]).collect();
        runs.sort_by(|left, right| left.seconds.total_cmp(&right.seconds));
        runs[runs.len() / 2].clone()
    };
    let mut shown: Vec<Measured> = (0..OWN.len()).map(middle).collect();
    if !options.alone {
        for tool in PEERS {
            match call(workspace, &python, tool, &corpus, &truth) {
                Ok(measured) => shown.push(measured),
                Err(error) => println!("{tool} is not measured: {error:#}"),
            }
        }
    }
    let even = time_even(workspace, &python, options)?;
    let linked = time_link(workspace, &python, options)?;
    let called = Called { command_seconds, calls: all, shown, even, linked };
    println!("{}\n{}{}", table(&called), sentences(&called), link_table(&called.linked));
    let is_whole = !options.alone && options.documents == DOCUMENTS && options.even > 0 && options.records > 0;
    let name = if is_whole { "python" } else { "python-trial" };
    let file = results::write(workspace, name, &[&lookalike], &called)?;
    println!("raw numbers in {}", file.display());
    if is_whole {
        pages::refresh(workspace.root())?;
    }
    Ok(())
}

/// Index of the additional measurement: only passing a table.
const HAND_OVER: usize = 0;

fn table(called: &Called) -> Table {
    // Older results count only those without any near-duplicate.
    let has_lost = called.shown.iter().all(|measured| measured.lost.is_some());
    let wrong = if has_lost { "lost" } else { "removed without any near-duplicate" };
    let mut table =
        Table::new(&["called from Python", "seconds", "times lookalike", "removed", wrong, "precision of pairs"]);
    let frame = called.shown[1].seconds;
    for measured in &called.shown[HAND_OVER + 1..] {
        table.row([
            measured.tool.clone(),
            format!("{:.3}", measured.seconds),
            format!("{:.1}", measured.seconds / frame),
            thousands(measured.removed),
            thousands(measured.lost.filter(|_| has_lost).unwrap_or(measured.without_any)),
            measured.pair_precision.map_or_else(|| "–".to_owned(), |share| format!("{share:.4}")),
        ]);
    }
    table
}

/// One line for each target.
fn sentences(called: &Called) -> String {
    let command = median(called.command_seconds.clone());
    let times = called.shown[1].seconds / command;
    let hand_over = called.shown[HAND_OVER].seconds * 1e9 / called.shown[HAND_OVER].bytes as f64;
    let mut lines = format!(
        "- the command on the same rows as JSONL, a dry run: {command:.3} s, so that `dedup(frame)` takes {times:.2} times as long \
         (target {})\n- to hand a table over as Arrow: {hand_over:.3} s per GB (target {})\n",
        against("1", times <= 1.0),
        against("0.1", hand_over <= 0.1)
    );
    if let Some(one) = called.even.first() {
        let seconds = median(called.even.iter().map(|run| run.seconds).collect());
        lines += &format!(
            "- {} documents of {} kB: {seconds:.1} s (target {})\n",
            thousands(one.documents),
            EVEN_BYTES / 1000,
            against(&EVEN_SECONDS.to_string(), seconds <= EVEN_SECONDS)
        );
    }
    lines
}

fn link_table(linked: &[Linked]) -> Table {
    let mut table = Table::new(&["linking", "seconds", "precision", "recall", "F1", "lines of code"]);
    for Linked { tool, seconds, precision, recall, f1, lines, .. } in linked {
        let [precision, recall, f1] = [precision, recall, f1].map(|share| format!("{share:.4}"));
        table.row([tool.clone(), format!("{seconds:.1}"), precision, recall, f1, lines.to_string()]);
    }
    table
}

/// The section for the benchmarks page.
pub(in crate::bench) fn section(record: &Record<Called>) -> String {
    let called = &record.results;
    let has_lost = called.shown.iter().all(|measured| measured.lost.is_some());
    let explained = if has_lost {
        "*Lost*: removed documents of which no near-duplicate is kept, as above."
    } else {
        "The number of removed documents without any near-duplicate is a lower bound of those that are lost, since a\n\
         near-duplicate may be removed as well."
    };
    format!(
        "## From Python\n\n{}\n{} documents of 6.7 kB as a list of strings, for lookalike also as a polars frame; the wheel as it \
         is installed.\nA document is removed if the tool names an earlier one for it. {explained}\n\n{}\n{}\nTwo tables of 50,000 \
         customers, as data frames:\n\n{}",
        record.origin(),
        thousands(called.shown[1].documents),
        table(called).to_markdown(),
        sentences(called),
        link_table(&called.linked).to_markdown()
    )
}

/// Many documents of equal length in a data frame.
fn time_even(workspace: &Workspace, python: &Path, options: &Options) -> Result<Vec<Measured>> {
    if options.even == 0 {
        return Ok(Vec::new());
    }
    let (corpus, truth) = even::prepare(&workspace.target().join("bench"), options.even, EVEN_BYTES)?;
    let runs = (0..options.runs).map(|_| call(workspace, python, FRAME, &corpus, &truth));
    let runs = runs.collect::<Result<Vec<_>>>()?;
    let seconds = median(runs.iter().map(|run| run.seconds).collect());
    println!(
        "{} documents of {EVEN_BYTES} bytes: {seconds:.3} s ({EVEN_SECONDS} s for 250,000 are the goal); {} removed of {}, {} lost",
        options.even,
        runs[0].removed,
        options.even / even::GROUP,
        runs[0].lost.unwrap_or(0)
    );
    Ok(runs)
}

/// Two tables of customers, linked by each tool.
fn time_link(workspace: &Workspace, python: &Path, options: &Options) -> Result<Vec<Linked>> {
    if options.records == 0 {
        return Ok(Vec::new());
    }
    let folder = workspace.target().join("bench");
    let tables = ["python-first.csv", "python-second.csv"].map(|name| folder.join(name));
    customers::write(options.records, &tables[0], &tables[1])?;
    let mut all = Vec::new();
    let tools: &[&str] = if options.alone { &["lookalike"] } else { &["lookalike", "splink"] };
    for tool in tools {
        match run_script(workspace, python, "link_calls.py", tool, [&tables[0], &tables[1]]) {
            Ok(linked) => all.push(linked),
            Err(error) if *tool != "lookalike" => println!("{tool} is not measured: {error:#}"),
            Err(error) => return Err(error),
        }
    }
    Ok(all)
}

fn call(workspace: &Workspace, python: &Path, tool: &str, corpus: &Path, truth: &Path) -> Result<Measured> {
    run_script(workspace, python, "python_calls.py", tool, [corpus, truth])
}

/// The output of a script for a tool with two files.
fn run_script<T: DeserializeOwned>(
    workspace: &Workspace,
    python: &Path,
    script: &str,
    tool: &str,
    files: [&Path; 2],
) -> Result<T> {
    let output = Command::new(python)
        .arg("-B")
        .arg(environment::scripts(workspace).join(script))
        .arg(tool)
        .args(files)
        .stderr(Stdio::inherit())
        .output()
        .context("cannot run Python")?;
    ensure!(output.status.success(), "{tool}: {}", output.status);
    serde_json::from_slice(&output.stdout).with_context(|| format!("{tool} printed something else"))
}

fn median(mut seconds: Vec<f64>) -> f64 {
    seconds.sort_by(f64::total_cmp);
    seconds[seconds.len() / 2]
}
