//! `cargo xtask bench growth`: seconds per document for ten and a hundred times as many documents, with 2 GB of memory; with
//! `--containment`, the same by containment.

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

/// Maximum exponent with which the time by containment grows.
const MOST_EXPONENT: f64 = 1.2;

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
    /// Compare by containment instead of Jaccard similarity
    #[arg(long)]
    containment: bool,
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
    /// True if documents were compared by containment.
    #[serde(default)]
    containment: bool,
}

impl Growth {
    /// The exponent with which the time grows from the smallest size to the largest: 1 if it is linear.
    fn exponent(&self) -> f64 {
        let [first, last] =
            [self.sizes.first(), self.sizes.last()].map(|size| size.map_or((1.0, 1.0), Size::logarithms));
        if first.0 < last.0 { (last.1 - first.1) / (last.0 - first.0) } else { 1.0 }
    }

    /// The target, and whether it is met.
    fn verdict(&self) -> String {
        if self.containment {
            let target = format!("exponent {:.2}, target ≤ {MOST_EXPONENT}", self.exponent());
            against(&target, self.exponent() <= MOST_EXPONENT)
        } else {
            against(&format!("spread {:.2}, target ≤ {MOST_SPREAD}", self.spread), self.spread <= MOST_SPREAD)
        }
    }
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

    fn logarithms(&self) -> (f64, f64) {
        ((self.documents as f64).ln(), self.seconds.ln())
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
    println!("\n{}", growth.verdict());
    let is_whole = sizes == SIZES;
    let name = match (options.containment, is_whole) {
        (false, true) => "growth",
        (true, true) => "growth-containment",
        (_, false) => "growth-trial",
    };
    let file = results::write(workspace, name, &[&lookalike], &growth)?;
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
    let measure = options.containment.then_some(["--measure", "containment"]);
    let arguments: Vec<&str> =
        ["--id", "id"].into_iter().chain(limit.into_iter().flatten()).chain(measure.into_iter().flatten()).collect();
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
    Ok(Growth {
        memory: limit.map(|_| options.memory.clone()),
        sizes,
        spread: most / least,
        containment: options.containment,
    })
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

/// The section of the growth by containment.
pub(in crate::bench) fn containment_section(record: &Record<Growth>) -> String {
    let growth = &record.results;
    format!(
        "## Growth by containment\n\nThe same documents with `--measure containment`. Medians of {} alternating runs; {}\n\
         The time grows with the number of documents to the power of {:.2} (target {}).\n\n{}",
        growth.sizes[0].runs.len(),
        record.origin(),
        growth.exponent(),
        against(&MOST_EXPONENT.to_string(), growth.exponent() <= MOST_EXPONENT),
        table(growth).to_markdown()
    )
}
