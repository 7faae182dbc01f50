//! `cargo xtask bench purposes`: a crawl with the purposes for pages of sites and with a saved table of boilerplate,
//! compared with the default.
//!
//! All runs are dry, so that the ratios are those of reading and comparing, which a purpose changes.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use super::measure::{Usage, measure};
use super::running::{Output, Program, Run, again_optimized, dedup};
use crate::bench::corpora::crawl;
use crate::bench::tables::{against, results};
use crate::table::Table;
use crate::workspace::Workspace;

/// Maximum time of a purpose, in times of the default; and of a run that differs from it by a saved table alone.
const MOST_TIMES: f64 = 3.0;
const MOST_TIMES_WITH_TABLE: f64 = 2.0;

/// Options of `cargo xtask bench purposes`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// Number of pages in the crawl
    #[arg(long, value_name = "N", default_value_t = crawl::PAGES)]
    pages: usize,
    /// Number of files
    #[arg(long, value_name = "F", default_value_t = crawl::FILES)]
    files: usize,
    #[command(flatten)]
    program: Program,
}

/// All that is measured.
#[derive(Serialize, Deserialize)]
struct Purposes {
    pages: usize,
    files: usize,
    /// Learning the table by itself.
    learning: Usage,
    /// Each run with its settings; the default is the first.
    runs: Vec<(String, Run)>,
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
    let purposes = measure_all(&crawl, &folder, &lookalike, options)?;
    println!("machine   {}", results::Machine::here());
    println!("crawl     {}\n", crawl.display());
    print!("{}", table(&purposes));
    let is_whole = (options.pages, options.files) == (crawl::PAGES, crawl::FILES);
    let name = if is_whole { "purposes".to_owned() } else { format!("purposes-{}", options.pages) };
    let file = results::write(workspace, &name, &[&lookalike], &purposes)?;
    println!("\nraw numbers in {}", file.display());
    Ok(())
}

fn measure_all(crawl: &Path, folder: &Path, lookalike: &Path, options: &Options) -> Result<Purposes> {
    let table = folder.join("purposes.boilerplate");
    eprintln!("learning boilerplate");
    let mut learn = Command::new(lookalike);
    learn.arg("boilerplate").arg(crawl).arg("--force").arg("-o").arg(&table);
    let learning = measure(&learn)?;
    let table = format!("--ignore-boilerplate={}", table.to_str().context("the path of the table is not text")?);
    let settings: [(&str, &[&str]); 4] = [
        ("default", &[]),
        ("--for web", &["--for", "web"]),
        ("--for news", &["--for", "news"]),
        ("--ignore-boilerplate=FILE", &[&table]),
    ];
    let mut runs = Vec::new();
    for (name, more) in settings {
        eprintln!("removing near-duplicates: {name}");
        let run = dedup(lookalike, &[crawl], &folder.join("purposes-out"), Output::Dry, more)?;
        ensure!(run.summary.input.document_count == options.pages as u64, "not all pages were read");
        runs.push((name.to_owned(), run));
    }
    Ok(Purposes { pages: options.pages, files: options.files, learning, runs })
}

fn table(purposes: &Purposes) -> Table {
    let mut table = Table::new(&[
        "settings",
        "seconds",
        "times the default",
        "peak memory, MB",
        "removed",
        "passed over",
        "target",
    ]);
    let default = purposes.runs.first().map_or(f64::NAN, |(_, run)| run.usage.seconds);
    for (at, (name, run)) in purposes.runs.iter().enumerate() {
        let times = run.usage.seconds / default;
        let most = if name.ends_with("FILE") { MOST_TIMES_WITH_TABLE } else { MOST_TIMES };
        table.row([
            name.clone(),
            format!("{:.1}", run.usage.seconds),
            format!("{times:.2}"),
            format!("{:.0}", run.peak_bytes() / 1e6),
            run.summary.found.removed_count.to_string(),
            run.summary.found.passed_over.pair_count.to_string(),
            if at == 0 { String::new() } else { against(&format!("≤ {most:.0}"), times <= most) },
        ]);
    }
    table.row(["lookalike boilerplate".to_owned(), format!("{:.1}", purposes.learning.seconds)]);
    table
}
