//! `cargo xtask bench peers` and `bench edits`: compares lookalike with other tools, on the same file in one run.
//!
//! Each peer is run as a separate process by a small program in `bench/peers`, with the same shingles and the same
//! threshold, in the fastest way that its own documentation shows. Reading the file is included for all tools. A tool
//! that fails or takes too long is reported as such, and the others continue.

pub(in crate::bench) mod answer;
pub(in crate::bench) mod chart;
pub(super) mod edits;
mod edits_corpus;
pub(in crate::bench) mod edits_report;
pub(in crate::bench) mod environment;
pub(in crate::bench) mod judge;
pub(in crate::bench) mod report;
mod run;
mod tool;

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::Result;

use self::judge::Verdict;
use self::report::{Report, Row};
use self::run::Runner;
use self::tool::{LOOKALIKE, Tool};
use crate::bench::corpora::{mixed, texts, truth};
use crate::bench::timed::measure::{Usage, measure};
use crate::bench::{DOCUMENTS, SHINGLE, THRESHOLD};
use crate::workspace::{Workspace, succeed};

/// Number of runs of lookalike before the peers, and again after them: one second is too short for a single
/// measurement.
const OWN_RUNS: usize = 3;

/// Options of `cargo xtask bench peers`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// A JSONL file with `id` and `text` in each line, in place of a synthetic one
    #[arg(long, value_name = "FILE")]
    corpus: Option<PathBuf>,
    /// Number of documents to generate
    #[arg(long, value_name = "N", default_value_t = DOCUMENTS, conflicts_with = "corpus")]
    documents: usize,
    #[command(flatten)]
    field: Field,
}

/// Options of both comparisons.
#[derive(Clone, Debug, clap::Args)]
struct Field {
    /// The lookalike to measure, in place of the workspace's own, which is built first
    #[arg(long, value_name = "PATH")]
    lookalike: Option<PathBuf>,
    /// The Python for the peers' environment
    #[arg(long, value_name = "PATH", default_value = "python3")]
    python: PathBuf,
    /// Run only the peers with this in their name; can be repeated
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// Time limit of a peer
    #[arg(long, value_name = "MINUTES", default_value_t = 15)]
    limit: u64,
    /// A note to save with the results, such as that the machine was busy
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
    /// Show the results without recording them
    #[arg(long)]
    print_only: bool,
}

impl Field {
    /// The options as typed, with absolute paths.
    fn words(&self) -> Result<Vec<OsString>> {
        let mut words: Vec<OsString> = Vec::new();
        if let Some(path) = &self.lookalike {
            words.extend(["--lookalike".into(), std::path::absolute(path)?.into()]);
        }
        words.extend(["--python".into(), self.python.clone().into()]);
        for name in &self.only {
            words.extend(["--only".into(), name.into()]);
        }
        words.extend(["--limit".into(), self.limit.to_string().into()]);
        if let Some(note) = &self.note {
            words.extend(["--note".into(), note.into()]);
        }
        if self.print_only {
            words.push("--print-only".into());
        }
        Ok(words)
    }

    /// The requested peers.
    fn peers(&self) -> Vec<&'static Tool> {
        let is_wanted = |tool: &&Tool| self.only.is_empty() || self.only.iter().any(|part| tool.name.contains(part));
        tool::PEERS.iter().filter(is_wanted).collect()
    }

    /// Everything needed to run them.
    fn runner(&self, workspace: &Workspace, folder: &Path) -> Result<Runner> {
        let python = environment::prepare(workspace, &self.python)?;
        let lookalike = match &self.lookalike {
            Some(path) => path.clone(),
            None => workspace.build_lookalike()?,
        };
        let limit = std::time::Duration::from_secs(60 * self.limit);
        Ok(Runner { python, lookalike, scripts: environment::scripts(workspace), out: folder.join("peers"), limit })
    }
}

/// The judge is part of this program, so it must itself be a release build.
fn run_optimized(workspace: &Workspace, part: &str, words: Vec<OsString>) -> Result<()> {
    let mut cargo = workspace.cargo();
    cargo.args(["run", "--quiet", "--release", "--package", "xtask", "--", "bench", part]);
    succeed(cargo.args(words))
}

/// Runs all tools, and reports.
pub(super) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    if cfg!(debug_assertions) {
        let mut words = options.field.words()?;
        match &options.corpus {
            Some(file) => words.extend(["--corpus".into(), std::path::absolute(file)?.into()]),
            None => words.extend(["--documents".into(), options.documents.to_string().into()]),
        }
        return run_optimized(workspace, "peers", words);
    }
    let folder = workspace.target().join("bench");
    let file = match &options.corpus {
        Some(file) => file.clone(),
        None => mixed::prepare(&folder, options.documents)?,
    };
    let runner = options.field.runner(workspace, &folder)?;
    let documents = texts::read(&file)?;
    let truth = truth::load_or_join(&folder, &documents)?;
    let places = documents.places();

    let versions = environment::versions(workspace, &runner)?;
    // Every timed run finds the file in the page cache; the first would not.
    measure(std::process::Command::new("wc").arg("-w").arg(&file))?;
    let mut rows = vec![own_row(&runner, &versions, &file, &places, &truth)?];
    for tool in options.field.peers() {
        eprintln!("running {}", tool.name);
        let (outcome, usage) = match runner.run(tool, &file, &places) {
            Ok(success) => (Ok(Verdict::of(&success.answer, &truth)), Some((success.usage, success.library_seconds))),
            Err(error) => (Err(report::brief(&error)), None),
        };
        let (usage, library_seconds) = usage.unzip();
        rows.push(Row::new(tool, &versions, usage.into_iter().collect(), library_seconds.flatten(), outcome));
    }
    rows.push(own_row(&runner, &versions, &file, &places, &truth)?);

    let report = Report {
        versions,
        note: options.field.note.clone(),
        corpus: options.corpus.as_ref().map_or_else(|| "synthetic".to_owned(), |_| "given".to_owned()),
        corpus_bytes: file.metadata()?.len(),
        document_count: documents.texts.len(),
        true_count: truth.len(),
        shingle: SHINGLE.to_owned(),
        threshold: THRESHOLD,
        is_written: true,
        tools: rows,
    };
    report.print();
    if !options.field.print_only {
        report.record(workspace)?;
    }
    Ok(())
}

/// Several runs of lookalike, which give the same result.
fn own_row(
    runner: &Runner,
    versions: &BTreeMap<String, String>,
    file: &Path,
    places: &HashMap<&str, usize>,
    truth: &truth::Truth,
) -> Result<Row> {
    eprintln!("running lookalike");
    let mut runs: Vec<Usage> = Vec::new();
    for _ in 1..OWN_RUNS {
        runs.push(runner.time_lookalike(file)?);
    }
    let success = runner.run(&LOOKALIKE, file, places)?;
    runs.push(success.usage);
    Ok(Row::new(&LOOKALIKE, versions, runs, None, Ok(Verdict::of(&success.answer, truth))))
}
