//! `cargo xtask bench growth`: seconds per document for ten and a hundred times as many documents, with 2 GB of memory.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use super::running::{Output, Program, Run, again_optimized, dedup, memory_limit};
use crate::bench::corpora::short;
use crate::bench::tables::report::range;
use crate::bench::tables::results::Record;
use crate::bench::tables::{against, pages, results};
use crate::table::Table;
use crate::workspace::Workspace;

/// Default sizes.
const SIZES: [usize; 3] = [100_000, 1_000_000, 10_000_000];

/// Maximum ratio of the times per document at two sizes.
const MOST_SPREAD: f64 = 1.15;

/// Options of `cargo xtask bench growth`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// Numbers of documents, as a list
    #[arg(long, value_name = "N,N", value_delimiter = ',', default_values_t = SIZES)]
    sizes: Vec<usize>,
    /// Memory limit of each run
    #[arg(long, value_name = "SIZE", default_value = "2G")]
    memory: String,
    /// Number of runs of each size, alternating
    #[arg(long, value_name = "R", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..))]
    runs: u16,
    /// Keep the documents in target/bench: 10 GB
    #[arg(long)]
    keep: bool,
    #[command(flatten)]
    program: Program,
}

/// All that is measured.
#[derive(Serialize, Deserialize)]
pub(in crate::bench) struct Growth {
    /// The memory limit; none for a program that does not support it.
    memory: Option<String>,
    sizes: Vec<Size>,
    /// Ratio of the maximum to the minimum time per document.
    spread: f64,
}

/// Measurements at one size.
#[derive(Serialize, Deserialize)]
struct Size {
    documents: usize,
    bytes: u64,
    /// The median over the runs.
    seconds: f64,
    runs: Vec<Run>,
}

impl Size {
    fn seconds_per_document(&self) -> f64 {
        self.seconds / self.documents as f64
    }
}

/// Measures, prints and saves.
pub(in crate::bench) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    if cfg!(debug_assertions) {
        return again_optimized(workspace);
    }
    let mut sizes = options.sizes.clone();
    sizes.sort_unstable();
    sizes.dedup();
    ensure!(sizes.first().is_some_and(|size| *size > 0), "sizes are to be 1 or more");
    let folder = workspace.target().join("bench");
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let lookalike = options.program.path(workspace)?;
    let (corpus, label) = (folder.join("growth"), folder.join("growth.label"));
    let parts = short::prepare(&corpus, &label, &sizes)?;
    let growth = measure(&parts, &sizes, &folder, &lookalike, options)?;
    if !options.keep {
        fs::remove_dir_all(&corpus).with_context(|| format!("cannot remove {}", corpus.display()))?;
    }

    let table = table(&growth);
    println!("machine   {}\n", results::Machine::here());
    print!("{table}");
    let verdict = if growth.spread <= MOST_SPREAD { "met" } else { "missed" };
    println!("\nspread    {:.2}, target ≤ {MOST_SPREAD}: {verdict}", growth.spread);
    let is_whole = sizes == SIZES;
    let file = results::write(workspace, if is_whole { "growth" } else { "growth-trial" }, &[&lookalike], &growth)?;
    if is_whole {
        pages::refresh(workspace.root())?;
    }
    println!("raw numbers in {}", file.display());
    Ok(())
}

fn measure(
    parts: &short::Parts,
    sizes: &[usize],
    folder: &Path,
    lookalike: &Path,
    options: &Options,
) -> Result<Growth> {
    let limit = memory_limit(lookalike, &options.memory)?;
    let arguments: Vec<&str> = ["--id", "id"].into_iter().chain(limit.into_iter().flatten()).collect();
    let mut runs: Vec<Vec<Run>> = sizes.iter().map(|_| Vec::new()).collect();
    for number in 1..=options.runs {
        for (size, runs) in sizes.iter().zip(&mut runs) {
            eprintln!("run {number} of {}: {size} documents", options.runs);
            let run = dedup(lookalike, &parts.of_size(*size), &folder.join("growth-out"), Output::Dry, &arguments)?;
            ensure!(run.summary.input.document_count == *size as u64, "not all documents were read");
            runs.push(run);
        }
    }
    let sizes: Vec<Size> = sizes
        .iter()
        .zip(runs)
        .map(|(documents, runs)| Size {
            documents: *documents,
            bytes: runs[0].summary.input.bytes,
            seconds: range(&runs.iter().map(|run| run.usage.seconds).collect::<Vec<_>>()).1,
            runs,
        })
        .collect();
    let (least, _, most) = range(&sizes.iter().map(Size::seconds_per_document).collect::<Vec<_>>());
    Ok(Growth { memory: limit.map(|_| options.memory.clone()), sizes, spread: most / least })
}

fn table(growth: &Growth) -> Table {
    let mut table = Table::new(&[
        "documents",
        "MB",
        "s",
        "range",
        "processor s",
        "µs per document",
        "ratio to the first",
        "peak MB",
        "removed",
        "passed over",
    ]);
    let first = growth.sizes[0].seconds_per_document();
    for size in &growth.sizes {
        let of_runs = |value: &dyn Fn(&Run) -> f64| range(&size.runs.iter().map(value).collect::<Vec<_>>());
        let (least, middle, most) = of_runs(&|run| run.usage.seconds);
        let found = &size.runs[0].summary.found;
        table.row([
            size.documents.to_string(),
            format!("{:.0}", size.bytes as f64 / 1e6),
            format!("{middle:.2}"),
            format!("{least:.2} to {most:.2}"),
            format!("{:.2}", of_runs(&|run| run.usage.cpu_seconds.unwrap_or(0.0)).1),
            format!("{:.2}", size.seconds_per_document() * 1e6),
            format!("{:.2}", size.seconds_per_document() / first),
            format!("{:.0}", of_runs(&Run::peak_bytes).2 / 1e6),
            found.removed_count.to_string(),
            found.passed_over.pair_count.to_string(),
        ]);
    }
    table
}

/// The section for the benchmarks page.
pub(in crate::bench) fn section(record: &Record<Growth>) -> String {
    let growth = &record.results;
    let limit = growth.memory.as_ref().map_or("no memory limit".to_owned(), |memory| format!("`--memory {memory}`"));
    format!(
        "## Growth\n\nDocuments of 1 kB, 10 % of them near-duplicates and 3 % copies; JSONL, {limit}, `--dry-run`.\n\
         Medians of {} alternating runs; {}\nThe longest time per document is {:.2} times the shortest (target {}).\n\n{}",
        growth.sizes[0].runs.len(),
        record.origin(),
        growth.spread,
        against(&MOST_SPREAD.to_string(), growth.spread <= MOST_SPREAD),
        table(growth).to_markdown()
    )
}
