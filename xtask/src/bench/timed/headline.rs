//! `cargo xtask bench headline`: a whole crawl, with unlimited and with little memory, compared with decompression.
//!
//! Output is written, as for users. Both runs must give the same result: the files of removals are compared byte by
//! byte. Decompression comes first, so that the runs find as much of the files in the page cache as fits; no run reads
//! its input from a cold disk.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use super::measure::{Usage, measure};
use super::running::{Output, Program, Run, again_optimized, dedup, memory_limit};
use super::timing::UNIFORM_LOCALE;
use super::unpacking::{self, Unpacking, are_equal, unpack, unpack_all};
use crate::bench::corpora::crawl;
use crate::bench::tables::results::Record;
use crate::bench::tables::{against, pages, results, thousands};
use crate::table::Table;
use crate::workspace::Workspace;

/// Maximum seconds per page: 120 for two million.
const SECONDS_PER_PAGE: f64 = 120.0 / 2e6;

/// Maximum memory without a limit, and with a limit of a gigabyte.
const PEAK_BYTES: f64 = 4e9;
const LIMITED_PEAK_BYTES: f64 = 1.1e9;

/// Options of `cargo xtask bench headline`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// Number of pages in the crawl
    #[arg(long, value_name = "N", default_value_t = crawl::PAGES)]
    pages: usize,
    /// Number of files
    #[arg(long, value_name = "F", default_value_t = crawl::FILES)]
    files: usize,
    /// Memory limit of the second run
    #[arg(long, value_name = "SIZE", default_value = "1G")]
    memory: String,
    #[command(flatten)]
    program: Program,
}

/// All that is measured.
#[derive(Serialize, Deserialize)]
pub(in crate::bench) struct Headline {
    pages: usize,
    files: usize,
    packed_bytes: u64,
    unpacking: Unpacking,
    /// For the first file only.
    word_count: Option<WordCount>,
    /// True if the kept documents were written, false for dry runs.
    is_written: bool,
    dedup: Run,
    limit: String,
    limited: Option<Run>,
    /// True if both runs removed the same documents for the same ones.
    same_removals: Option<bool>,
}

/// The time of `wc -w` for the first file, decompressed.
#[derive(Serialize, Deserialize)]
struct WordCount {
    bytes: u64,
    usage: Usage,
}

/// Measures, prints and saves.
pub(in crate::bench) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    if cfg!(debug_assertions) {
        return again_optimized(workspace);
    }
    let folder = workspace.target().join("bench");
    let lookalike = options.program.path(workspace)?;
    let kind = crawl::Options { pages: options.pages, files: options.files, plain: false };
    let crawl = crawl::prepare(&folder, &kind)?;
    let headline = measure_all(&crawl, &folder, &lookalike, options)?;

    let table = table(&headline);
    println!("machine   {}", results::Machine::here());
    println!("crawl     {}: {:.1} GB packed\n", crawl.display(), headline.packed_bytes as f64 / 1e9);
    print!("{table}");
    let is_whole = (options.pages, options.files) == (crawl::PAGES, crawl::FILES);
    let name = if is_whole { "headline".to_owned() } else { format!("headline-{}", options.pages) };
    let file = results::write(workspace, &name, &[&lookalike, Path::new("wc")], &headline)?;
    // Results of a trial are not for the documentation.
    if is_whole {
        pages::refresh(workspace.root())?;
    }
    println!("\nraw numbers in {}", file.display());
    ensure!(headline.same_removals != Some(false), "with --memory {} other documents are removed", options.memory);
    Ok(())
}

fn measure_all(crawl: &Path, folder: &Path, lookalike: &Path, options: &Options) -> Result<Headline> {
    let limit = memory_limit(lookalike, &options.memory)?;
    let outs = ["headline-out", "headline-limited-out"].map(|name| folder.join(name));
    eprintln!("unpacking");
    let unpacking = unpack_all(crawl)?;
    eprintln!("counting words");
    let word_count = count_words(&unpacking::files(crawl)?[0], folder)?;
    eprintln!("removing near-duplicates");
    let free = dedup_written(lookalike, crawl, &outs[0], &[])?;
    let mut limited = None;
    let mut same_removals = None;
    if let Some(limit) = limit {
        eprintln!("removing near-duplicates with {}", limit.join(" "));
        limited = Some(dedup_written(lookalike, crawl, &outs[1], &limit)?);
        let [one, other] = outs.map(|out| out.join("removed.jsonl"));
        same_removals = Some(are_equal(&one, &other)?);
    }
    let (pages, files, packed_bytes) = (options.pages, options.files, crawl::folder_bytes(crawl)?);
    ensure!(free.summary.input.document_count == pages as u64, "not all pages were read");
    let limit = options.memory.clone();
    Ok(Headline {
        pages,
        files,
        packed_bytes,
        unpacking,
        word_count,
        is_written: true,
        dedup: free,
        limit,
        limited,
        same_removals,
    })
}

/// One run with its output written. The documents are deleted to make room for the next run; the evidence is kept for
/// comparison.
fn dedup_written(lookalike: &Path, crawl: &Path, out: &Path, more: &[&str]) -> Result<Run> {
    let run = dedup(lookalike, &[crawl], out, Output::Written, more)?;
    let kept = out.join("kept");
    fs::remove_dir_all(&kept).with_context(|| format!("cannot remove {}", kept.display()))?;
    Ok(run)
}

/// Counts the words of a file; none if the program is missing.
fn count_words(file: &Path, folder: &Path) -> Result<Option<WordCount>> {
    let mut unpacked = tempfile::NamedTempFile::new_in(folder).context("cannot make a file to count words of")?;
    let bytes = unpack(file, &mut unpacked)?;
    let mut wc = Command::new("wc");
    wc.arg("-w").arg(unpacked.path()).env("LC_ALL", UNIFORM_LOCALE);
    Ok(measure(&wc).ok().map(|usage| WordCount { bytes, usage }))
}

fn table(headline: &Headline) -> Table {
    let limited_name = format!("--memory {}", headline.limit);
    let mut table = Table::new(&["measure", "dedup", &limited_name, "target"]);
    let runs: Vec<&Run> = std::iter::once(&headline.dedup).chain(&headline.limited).collect();
    let mut row = |name: &str, value: &dyn Fn(&Run) -> String, target: String| {
        let cell = |place: usize| runs.get(place).map_or(String::new(), |run| value(run));
        table.row([name.to_owned(), cell(0), cell(1), target]);
    };
    let megabytes = headline.dedup.summary.input.bytes as f64 / 1e6;
    let seconds_target = SECONDS_PER_PAGE * headline.pages as f64;

    let is_quick = runs.iter().all(|run| run.usage.seconds <= seconds_target);
    let seconds_target = against(&format!("≤ {seconds_target:.0}"), is_quick);
    row("seconds", &|run| format!("{:.1}", run.usage.seconds), seconds_target);
    row(
        "processor seconds",
        &|run| run.usage.cpu_seconds.map_or(String::new(), |cpu| format!("{cpu:.1}")),
        String::new(),
    );
    row("MB/s of text", &|run| format!("{:.0}", megabytes / run.usage.seconds), String::new());
    row("pages/s", &|run| format!("{:.0}", headline.pages as f64 / run.usage.seconds), String::new());
    row(
        "seconds / decompression",
        &|run| format!("{:.2}", run.usage.seconds / headline.unpacking.seconds),
        String::new(),
    );
    let is_small = runs.iter().zip([PEAK_BYTES, LIMITED_PEAK_BYTES]).all(|(run, limit)| run.peak_bytes() < limit);
    let limits = against(&format!("< {:.0}, < {:.0}", PEAK_BYTES / 1e6, LIMITED_PEAK_BYTES / 1e6), is_small);
    row("peak memory, MB", &|run| format!("{:.0}", run.peak_bytes() / 1e6), limits);
    row("documents removed", &|run| run.summary.found.removed_count.to_string(), String::new());
    row("pairs passed over", &|run| run.summary.found.passed_over.pair_count.to_string(), String::new());
    for stage in &headline.dedup.summary.stages {
        row(&format!("  {}, s", stage.name), &|run| format!("{:.2}", run.summary.seconds(&stage.name)), String::new());
    }
    let same = match headline.same_removals {
        Some(true) => "yes",
        Some(false) => "no",
        None => "",
    };
    let target = headline.same_removals.map_or(String::new(), |is_same| against("yes", is_same));
    table.row(["same removals".to_owned(), String::new(), same.to_owned(), target]);
    let unpacking = &headline.unpacking;
    let speed = unpacking.bytes as f64 / 1e6 / unpacking.seconds;
    table.row(["decompression alone, s".to_owned(), format!("{:.1}", unpacking.seconds)]);
    table.row(["decompression alone, MB/s".to_owned(), format!("{speed:.0}")]);
    if let Some(count) = &headline.word_count {
        let speed = count.bytes as f64 / 1e6 / count.usage.seconds;
        table.row(["wc -w of the first file, decompressed, one thread, MB/s".to_owned(), format!("{speed:.0}")]);
    }
    table
}

impl Headline {
    /// True if the kept documents were written.
    #[cfg(test)]
    pub(in crate::bench) fn is_written(&self) -> bool {
        self.is_written
    }
}

/// Describes the output of the runs for readers.
fn output(headline: &Headline) -> &'static str {
    if headline.is_written { "output written" } else { "a dry run: the documents that stay are not written" }
}

/// The section for the benchmarks page.
pub(in crate::bench) fn section(record: &Record<Headline>) -> String {
    let headline = &record.results;
    format!(
        "## A crawl\n\n{} pages of a synthetic crawl in {} WET.gz files: {:.1} GB of text, {:.1} GB compressed; {}.\n{}\n\
         *Decompression* is that of `flate2` with as many threads.\n\n{}",
        thousands(headline.pages as u64),
        headline.files,
        headline.dedup.summary.input.bytes as f64 / 1e9,
        headline.packed_bytes as f64 / 1e9,
        output(headline),
        record.origin(),
        table(headline).to_markdown()
    )
}

/// The section for the performance page: the cost of each stage, and the lower bound.
pub(in crate::bench) fn stages_section(record: &Record<Headline>) -> String {
    let headline = &record.results;
    let summary = &headline.dedup.summary;
    let (input, found) = (&summary.input, &summary.found);
    let sketch = summary.seconds("sketch");
    let mut table = Table::new(&["stage", "s", "work"]);
    for stage in &summary.stages {
        let work = match stage.name.as_str() {
            "sketch" => format!(
                "reading, decompressing, parsing and sketching everything once: {:.0} MB/s of text",
                input.bytes as f64 / 1e6 / sketch
            ),
            "copies" => format!("sorting {} hashes", thousands(input.document_count)),
            "bucket" => "sorting the keys of all bands".to_owned(),
            "verify" => format!(
                "reading, decompressing and shingling again the {:.0} % of pages that share a bucket, and {:.1} million \
                 exact measurements",
                100.0 * found.sharing_bucket_count as f64 / input.document_count as f64,
                found.measured_count as f64 / 1e6
            ),
            "write" if headline.is_written => "the documents that stay, and `removed.jsonl`".to_owned(),
            "write" => "`removed.jsonl` alone: a dry run".to_owned(),
            "report" => "`report.html`".to_owned(),
            _ => String::new(),
        };
        table.row([stage.name.clone(), format!("{:.1}", stage.seconds), work]);
    }
    let limited = headline.limited.as_ref().map_or(String::new(), |run| {
        let (limit, seconds, peak) = (&headline.limit, run.usage.seconds, run.peak_bytes() / 1e6);
        format!("\nWith `--memory {limit}` the same run took {seconds:.1} s and at most {peak:.0} MB.\n")
    });
    format!(
        "{}\n{} pages, {:.1} GB of text; {}. The run took {:.1} s, and {:.0} s of processor time.\nThe lower bound, \
         decompressing the same files on two threads and nothing else, took {:.1} s.\n\n{}{limited}",
        record.origin(),
        thousands(headline.pages as u64),
        input.bytes as f64 / 1e9,
        output(headline),
        headline.dedup.usage.seconds,
        headline.dedup.usage.cpu_seconds.unwrap_or(0.0),
        headline.unpacking.seconds,
        table.to_markdown()
    )
}

/// The row for the README.
pub(in crate::bench) fn speed_row(record: &Record<Headline>) -> [String; 3] {
    let headline = &record.results;
    let limited = headline.limited.as_ref().map_or(String::new(), |run| {
        format!(", or {:.1} GB with `--memory {}`", run.peak_bytes() / 1e9, headline.limit)
    });
    [
        format!(
            "`dedup` of {} crawled pages, {:.1} GB of text in WET.gz{}",
            thousands(headline.pages as u64),
            headline.dedup.summary.input.bytes as f64 / 1e9,
            if headline.is_written { "" } else { " (dry run: kept pages not written)" }
        ),
        format!(
            "{:.0} s, {:.1} GB of memory{limited}",
            headline.dedup.usage.seconds,
            headline.dedup.peak_bytes() / 1e9
        ),
        format!("decompressing alone: {:.0} s", headline.unpacking.seconds),
    ]
}
