//! `cargo xtask bench`: speed and memory of `lookalike dedup` compared with `wc -w`, with recall and precision.
//!
//! The timed runs alternate, so that anything that slows the machine down affects all of them. Work that needs much
//! memory or both cores comes after the last of them.

mod corpora;
mod peers;
mod tables;
mod timed;

pub(crate) use self::corpora::{dice, history};
pub(crate) use self::timed::measure;

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use lookalike_core::bucket::banding::Banding;
use lookalike_core::measure::similarity::Threshold;

use self::corpora::{crawl, mixed, texts, truth};
use self::tables::{pages, report, results};
use self::timed::running::again_optimized;
use self::timed::{
    accuracy, blowup, decontaminate, growth, headline, index, index_growth, link, methods, passages, prints, purposes,
    python, reading, serve, sets, sketching, spark, text, timing,
};
use crate::workspace::{Workspace, succeed};

/// Minimum similarity of near-duplicates: the default of the command.
const THRESHOLD: f64 = 0.8;

/// Probability of finding a pair at the threshold: the default of the command.
const RECALL: f64 = 0.99;

/// The shingle that is compared by: the default of the command.
const SHINGLE: &str = "word:5";

/// The default number of documents of the corpus.
const DOCUMENTS: usize = 45_000;

/// Options of the benchmark.
#[derive(Clone, Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Options {
    #[command(subcommand)]
    part: Option<Part>,
    /// A JSONL file with `id` and `text` in each line, instead of the synthetic corpus
    #[arg(long, value_name = "FILE")]
    corpus: Option<PathBuf>,
    /// Number of documents to generate
    #[arg(long, value_name = "N", default_value_t = DOCUMENTS, conflicts_with = "corpus")]
    documents: usize,
    /// Number of timed runs
    #[arg(long, value_name = "R", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    runs: u16,
}

/// A benchmark of its own.
#[derive(Clone, Debug, clap::Subcommand)]
enum Part {
    /// Corpora that provoke quadratic time
    Blowup(blowup::Options),
    /// Generate the corpus of the benchmark, and print its path
    Corpus {
        /// Number of documents to generate
        #[arg(long, value_name = "N", default_value_t = DOCUMENTS)]
        documents: usize,
    },
    /// Generate a synthetic crawl of WET files, and print its path
    Crawl(crawl::Options),
    /// Test items in a corpus: speed, recall and false hits, compared with decon and with shared 13-grams
    Decontaminate(decontaminate::Options),
    /// Seconds per document, for ten and a hundred times as many documents
    Growth(growth::Options),
    /// A whole crawl, also with little memory, compared with decompression
    Headline(headline::Options),
    /// A saved index compared with `dedup` of the same file, with Lance, with tantivy, and with datasketch in memory and on redis
    Index(index::Options),
    /// Seconds per added document and per search in a saved index, for ten and a hundred times as many documents
    IndexGrowth(index_growth::Options),
    /// Link two tables of customers, with precision and recall
    Link(link::Options),
    /// Recall after small edits, compared with other tools
    Edits(peers::edits::Options),
    /// Sketching speed by method, search for sketches within 3 bits, and the exact join compared with the default
    Methods(methods::Options),
    /// Lines, paragraphs and runs compared with `wc -w`, and copies in source code compared with jscpd
    Passages(passages::Options),
    /// Speed, memory and accuracy compared with other tools
    Peers(peers::Options),
    /// Synthetic prints in a gallery: how often the right finger is found, and how fast
    Prints(prints::Options),
    /// A crawl with the purposes for pages of sites, compared with the default
    Purposes(purposes::Options),
    /// `dedup` of a frame in Python compared with the command, and with other tools called from Python on the same strings
    Python(python::Options),
    /// Speed of reading WET.gz, compared with decompression alone
    Read(reading::Options),
    /// Searches and durable writes over HTTP, by many clients
    Serve(serve::Options),
    /// Speed of `lookalike sets`, compared with a plain single-threaded join
    Sets(sets::Options),
    /// `lookalike.spark` on a cluster on this machine, compared with the command and with other tools on Spark
    Spark(spark::Options),
    /// Rewrite the numbers of README and docs from the files in bench/results
    Tables(pages::Options),
    /// Speed from text to tokens and features by script, compared with ASCII
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
        Some(Part::Crawl(_)) if cfg!(debug_assertions) => return again_optimized(workspace),
        Some(Part::Crawl(options)) => {
            println!("{}", crawl::prepare(&workspace.target().join("bench"), options)?.display());
            return Ok(());
        }
        Some(Part::Decontaminate(options)) => return decontaminate::run(workspace, options),
        Some(Part::Growth(options)) => return growth::run(workspace, options),
        Some(Part::Headline(options)) => return headline::run(workspace, options),
        Some(Part::Edits(options)) => return peers::edits::run(workspace, options),
        Some(Part::Index(options)) => return index::run(workspace, options),
        Some(Part::IndexGrowth(options)) => return index_growth::run(workspace, options),
        Some(Part::Link(options)) => return link::run(workspace, options),
        Some(Part::Methods(options)) => return methods::run(workspace, options),
        Some(Part::Passages(options)) => return passages::run(workspace, options),
        Some(Part::Peers(options)) => return peers::run(workspace, options),
        Some(Part::Prints(options)) => return prints::run(workspace, options),
        Some(Part::Purposes(options)) => return purposes::run(workspace, options),
        Some(Part::Python(options)) => return python::run(workspace, options),
        Some(Part::Read(options)) => return reading::run(workspace, options),
        Some(Part::Serve(options)) => return serve::run(workspace, options),
        Some(Part::Sets(options)) => return sets::run(workspace, options),
        Some(Part::Spark(options)) => return spark::run(workspace, options),
        Some(Part::Tables(options)) => return pages::run(workspace, *options),
        Some(Part::Text(options)) => return text::run(workspace, options),
        None => {}
    }
    if cfg!(debug_assertions) {
        return run_optimized(workspace, options);
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

    let measured = report::Measured { corpus_bytes: corpus.metadata()?.len(), timings, sketching, accuracy };
    report::print(&corpus, &lookalike, &measured);
    // Results for another corpus are not for the documentation.
    let is_whole = options.corpus.is_none() && options.documents == DOCUMENTS;
    let name = if is_whole { "dedup" } else { "dedup-trial" };
    let file = results::write(workspace, name, &[&lookalike, Path::new("wc")], &measured)?;
    if is_whole {
        pages::refresh(workspace.root())?;
    }
    println!("\nraw numbers in {}", file.display());
    ensure!(measured.accuracy.is_sound(), "a reported pair is not a near-duplicate, or a removal is not justified");
    Ok(())
}

/// The judge and sketching are part of this program, so it must itself be a release build.
fn run_optimized(workspace: &Workspace, options: &Options) -> Result<()> {
    let mut cargo = workspace.cargo();
    cargo.args(["run", "--quiet", "--release", "--package", "xtask", "--", "bench"]);
    cargo.args(["--runs", &options.runs.to_string()]);
    match &options.corpus {
        // The path is relative to the user's folder, and cargo runs elsewhere.
        Some(file) => cargo.arg("--corpus").arg(std::path::absolute(file)?),
        None => cargo.args(["--documents", &options.documents.to_string()]),
    };
    succeed(&mut cargo)
}
