//! `cargo xtask bench`: speed and memory of `lookalike dedup` beside `wc -w`, with recall and precision beside both.
//!
//! The timed runs take turns, so that whatever slows the machine down slows all of them. Everything that needs much
//! memory or both cores comes after the last of them.

mod corpora;
mod peers;
mod tables;
mod timed;

pub(crate) use self::corpora::dice;
pub(crate) use self::timed::measure;

use std::path::PathBuf;

use anyhow::{Result, ensure};
use lookalike_core::bucket::banding::Banding;
use lookalike_core::measure::similarity::Threshold;

use self::corpora::{crawl, mixed, texts, truth};
use self::tables::report;
use self::timed::running::again_optimised;
use self::timed::{accuracy, blowup, growth, headline, link, methods, reading, sets, sketching, text, timing};
use crate::workspace::{Workspace, succeed};

/// The similarity from which on documents are near-duplicates: the default of the command.
const THRESHOLD: f64 = 0.8;

/// The chance to find a pair at the threshold: the default of the command.
const RECALL: f64 = 0.99;

/// The shingle that is compared by: the default of the command.
const SHINGLE: &str = "word:5";

/// How many documents the corpus has, unless another number is asked for.
const DOCUMENTS: usize = 45_000;

/// What the benchmark can be told.
#[derive(Clone, Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Options {
    #[command(subcommand)]
    part: Option<Part>,
    /// A JSONL file with `id` and `text` in each line, in place of one that is made
    #[arg(long, value_name = "FILE")]
    corpus: Option<PathBuf>,
    /// How many documents to make
    #[arg(long, value_name = "N", default_value_t = DOCUMENTS, conflicts_with = "corpus")]
    documents: usize,
    /// How often to run everything that is timed
    #[arg(long, value_name = "R", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    runs: u16,
}

/// A part that is measured by itself.
#[derive(Clone, Debug, clap::Subcommand)]
enum Part {
    /// Corpora on which a careless detector needs the square of their size
    Blowup(blowup::Options),
    /// Make the corpus that is measured on, and say where it is
    Corpus {
        /// How many documents to make
        #[arg(long, value_name = "N", default_value_t = DOCUMENTS)]
        documents: usize,
    },
    /// Make a crawl of WET files, and say where it is
    Crawl(crawl::Options),
    /// Seconds a document while documents become ten and a hundred times as many
    Growth(growth::Options),
    /// A whole crawl, also with little memory, beside unpacking it
    Headline(headline::Options),
    /// Two tables of customers, linked and held against what is known
    Link(link::Options),
    /// Recall after small edits, beside the other tools of the field
    Edits(peers::edits::Options),
    /// Speed of sketching by method, of finding bits, and of the exact join beside the default
    Methods(methods::Options),
    /// Speed, memory and accuracy beside the other tools of the field
    Peers(peers::Options),
    /// Speed of reading WET.gz, beside unpacking it and no more
    Read(reading::Options),
    /// Speed of `lookalike sets`, beside a plain join in one thread
    Sets(sets::Options),
    /// Speed of text to tokens and features by script, beside ASCII
    Text(text::Options),
}

/// Measures everything and prints one table.
pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    match &options.part {
        Some(Part::Corpus { documents }) => {
            println!("{}", mixed::prepare(&workspace.target().join("bench"), *documents)?.display());
            return Ok(());
        }
        Some(Part::Blowup(options)) => return blowup::run(workspace, options),
        Some(Part::Crawl(_)) if cfg!(debug_assertions) => return again_optimised(workspace),
        Some(Part::Crawl(options)) => {
            println!("{}", crawl::prepare(&workspace.target().join("bench"), options)?.display());
            return Ok(());
        }
        Some(Part::Growth(options)) => return growth::run(workspace, options),
        Some(Part::Headline(options)) => return headline::run(workspace, options),
        Some(Part::Edits(options)) => return peers::edits::run(workspace, options),
        Some(Part::Link(options)) => return link::run(workspace, options),
        Some(Part::Methods(options)) => return methods::run(workspace, options),
        Some(Part::Peers(options)) => return peers::run(workspace, options),
        Some(Part::Read(options)) => return reading::run(workspace, options),
        Some(Part::Sets(options)) => return sets::run(workspace, options),
        Some(Part::Text(options)) => return text::run(workspace, options),
        None => {}
    }
    if cfg!(debug_assertions) {
        return run_optimised(workspace, options);
    }
    let folder = workspace.target().join("bench");
    let corpus = match &options.corpus {
        Some(file) => file.clone(),
        None => mixed::prepare(&folder, options.documents)?,
    };
    let lookalike = workspace.build_lookalike()?;

    let timings = timing::run(&corpus, &lookalike, &folder, options.runs)?;
    let documents = texts::read(&corpus)?;
    let banding = Banding::for_recall(Threshold::new(THRESHOLD)?, RECALL)?;
    let sketching = sketching::key_speeds(&documents, &SHINGLE.parse()?, banding, options.runs);
    let truth = truth::load_or_join(&folder, &documents)?;
    let accuracy = accuracy::judge(&corpus, &lookalike, &folder, &documents, &truth)?;

    report::print(&corpus, &lookalike, &timings, &sketching, &accuracy)?;
    ensure!(accuracy.is_sound(), "a pair that is none, or a document lost for nothing: this is not a matter of speed");
    Ok(())
}

/// The judge and the sketching are part of this program, so it must itself be a release build.
fn run_optimised(workspace: &Workspace, options: &Options) -> Result<()> {
    let mut cargo = workspace.cargo();
    cargo.args(["run", "--quiet", "--release", "--package", "xtask", "--", "bench"]);
    cargo.args(["--runs", &options.runs.to_string()]);
    match &options.corpus {
        // The path was given relative to where the user is, and cargo is called elsewhere.
        Some(file) => cargo.arg("--corpus").arg(std::path::absolute(file)?),
        None => cargo.args(["--documents", &options.documents.to_string()]),
    };
    succeed(&mut cargo)
}
