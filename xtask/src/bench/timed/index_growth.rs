//! `cargo xtask bench index-growth`: seconds per added document and per search while a saved index grows ten and a
//! hundred times.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use super::measure::{Usage, measure};
use super::running::{Program, again_optimized};
use crate::bench::corpora::short;
use crate::bench::tables::results::Record;
use crate::bench::tables::{pages, results, thousands};
use crate::table::Table;
use crate::workspace::{Workspace, succeed};

/// Default sizes.
const SIZES: [usize; 3] = [100_000, 1_000_000, 10_000_000];

/// Maximum ratio of the times per added document at two sizes.
const MOST_SPREAD: f64 = 1.25;

/// Maximum memory of a search in the largest index.
const MOST_SEARCH_BYTES: u64 = 150_000_000;

/// Number of documents to search for, all from the first file.
const QUERIES: usize = 20_000;

/// Options of `cargo xtask bench index-growth`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// Numbers of documents, as a list
    #[arg(long, value_name = "N,N", value_delimiter = ',', default_values_t = SIZES)]
    sizes: Vec<usize>,
    /// Keep the documents in target/bench: 10 GB
    #[arg(long)]
    keep: bool,
    #[command(flatten)]
    program: Program,
}

/// Measurements at one size.
#[derive(Serialize, Deserialize)]
pub(in crate::bench) struct Size {
    documents: usize,
    segments: u64,
    add: Usage,
    /// A trivial search, mostly the startup of the process and opening the index.
    one: Usage,
    search: Usage,
    found: usize,
}

impl Size {
    fn add_microseconds(&self) -> f64 {
        self.add.seconds * 1e6 / self.documents as f64
    }

    fn search_microseconds(&self) -> f64 {
        (self.search.seconds - self.one.seconds) * 1e6 / QUERIES as f64
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
    ensure!(sizes.first().is_some_and(|size| *size >= QUERIES), "sizes are to be {QUERIES} or more");
    let folder = workspace.target().join("bench");
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let lookalike = options.program.path(workspace)?;
    let corpus = folder.join("growth");
    let parts = short::prepare(&corpus, &folder.join("growth.label"), &sizes)?;
    let queries = write_queries(&folder.join("growth-queries.jsonl"), parts.of_size(sizes[0])[0])?;
    let mut measured = Vec::new();
    for size in &sizes {
        eprintln!("an index of {size} documents");
        measured.push(measure_size(&lookalike, &folder.join("growth-index"), &parts.of_size(*size), &queries, *size)?);
    }
    fs::remove_dir_all(folder.join("growth-index"))?;
    if !options.keep {
        fs::remove_dir_all(&corpus).with_context(|| format!("cannot remove {}", corpus.display()))?;
    }

    println!("machine   {}\n\n{}\n{}", results::Machine::here(), table(&measured), verdict(&measured));
    let is_whole = sizes == SIZES;
    let name = if is_whole { "index-growth" } else { "index-growth-trial" };
    let file = results::write(workspace, name, &[&lookalike], &measured)?;
    if is_whole {
        pages::refresh(workspace.root())?;
    }
    println!("raw numbers in {}", file.display());
    Ok(())
}

fn measure_size(lookalike: &Path, index: &Path, inputs: &[&Path], queries: &Path, documents: usize) -> Result<Size> {
    if index.exists() {
        fs::remove_dir_all(index).with_context(|| format!("cannot remove {}", index.display()))?;
    }
    succeed(Command::new(lookalike).args(["index", "create"]).arg(index).stderr(Stdio::null()))?;
    let mut add = Command::new(lookalike);
    add.args(["index", "add"]).arg(index).args(inputs).args(["--id", "id", "--quiet"]);
    let add = measure(&add)?;
    let stat = Command::new(lookalike).args(["index", "stat", "--summary", "json"]).arg(index).output()?;
    let stat: serde_json::Value = serde_json::from_slice(&stat.stdout).context("index stat prints no JSON")?;
    ensure!(stat["document_count"].as_u64() == Some(documents as u64), "not all documents were added: {stat}");
    let segments = stat["segment_count"].as_u64();

    let mut one = Command::new(lookalike);
    one.arg("search").arg(index).arg("one text that is nowhere");
    let one = measure(&one)?;
    let found = index.with_extension("found.tsv");
    let mut search = Command::new(lookalike);
    search.arg("search").arg(index).arg("--input").arg(queries).args(["--id", "id", "--format", "tsv"]);
    let search = measure(search.args(["--quiet", "--force", "-o"]).arg(&found))?;
    let found = fs::read_to_string(&found)?.lines().count().saturating_sub(1);
    ensure!(found >= QUERIES, "a document does not find itself: {found} answers to {QUERIES} queries");
    Ok(Size { documents, segments: segments.context("index stat has no segment_count")?, add, one, search, found })
}

/// The first documents, as queries.
fn write_queries(path: &Path, documents: &Path) -> Result<PathBuf> {
    let file = fs::File::open(documents).with_context(|| format!("cannot read {}", documents.display()))?;
    let mut queries = String::new();
    for line in BufReader::new(file).lines().take(QUERIES) {
        queries.push_str(&line?);
        queries.push('\n');
    }
    fs::write(path, queries).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(path.to_owned())
}

fn table(sizes: &[Size]) -> Table {
    let mut table = Table::new(&[
        "documents",
        "segments",
        "add, s",
        "add, µs per document",
        "add, peak MB",
        "open and one search, s",
        "search, µs",
        "search, peak MB",
        "answers per search",
    ]);
    let megabytes = |usage: &Usage| format!("{:.0}", usage.peak_bytes.unwrap_or(0) as f64 / 1e6);
    for size in sizes {
        table.row([
            size.documents.to_string(),
            size.segments.to_string(),
            format!("{:.2}", size.add.seconds),
            format!("{:.2}", size.add_microseconds()),
            megabytes(&size.add),
            format!("{:.3}", size.one.seconds),
            format!("{:.1}", size.search_microseconds()),
            megabytes(&size.search),
            format!("{:.2}", size.found as f64 / QUERIES as f64),
        ]);
    }
    table
}

/// The results for the targets.
fn verdict(sizes: &[Size]) -> String {
    let said = |is_met| if is_met { "met" } else { "**missed**" };
    let add = |least: fn(f64, f64) -> f64| sizes.iter().map(Size::add_microseconds).reduce(least).unwrap_or(f64::NAN);
    let spread = add(f64::max) / add(f64::min);
    let (first, last) = (&sizes[0], &sizes[sizes.len() - 1]);
    let slower = last.search_microseconds() / first.search_microseconds();
    let segments = last.segments as f64 / (first.segments as f64).max(1.0);
    let peak = last.one.peak_bytes.unwrap_or(0);
    format!(
        "- The longest time per added document is {spread:.2} times the shortest (target: {MOST_SPREAD}, {}).\n\
         - A search in the largest index takes {slower:.2} times as long as in the smallest, with {segments:.0} times as many \
         segments (target: no more than segments, {}).\n\
         - To open the largest index and search once takes {:.0} MB (target: {:.0}, {}).\n",
        said(spread <= MOST_SPREAD),
        said(slower <= segments.max(1.0)),
        peak as f64 / 1e6,
        MOST_SEARCH_BYTES as f64 / 1e6,
        said(peak <= MOST_SEARCH_BYTES),
    )
}

/// The section for the benchmarks page.
pub(in crate::bench) fn section(record: &Record<Vec<Size>>) -> String {
    format!(
        "## Growth of the saved index\n\nDocuments of 1 kB, 10 % of them near-duplicates and 3 % copies, added from JSONL; then {} \
         of them are searched for.\nPeak memory of a search includes the pages of the index that it touched. One run; {}\n\n{}\n{}",
        thousands(QUERIES as u64),
        record.origin(),
        table(&record.results).to_markdown(),
        verdict(&record.results)
    )
}
