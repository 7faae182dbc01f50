//! `cargo xtask bench spark`: `lookalike.spark` on a cluster of two workers of one core each, compared with the command,
//! with the same tasks run by local processes, and with other tools on the same cluster and documents.

use std::fs;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use super::running::{Program, again_optimized};
use crate::bench::corpora::{mixed, texts, truth};
use crate::bench::peers::environment;
use crate::bench::tables::{results, thousands};
use crate::bench::{DOCUMENTS, SHINGLE, THRESHOLD};
use crate::table::Table;
use crate::workspace::{Workspace, succeed};
use crate::{python, spark};

/// Options of `cargo xtask bench spark`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// Number of documents to generate
    #[arg(long, value_name = "N", default_value_t = DOCUMENTS)]
    documents: usize,
    #[command(flatten)]
    program: Program,
}

/// One tool.
#[derive(Clone, Debug, Deserialize, Serialize)]
struct Measured {
    tool: String,
    /// With the start of the Spark session.
    seconds: f64,
    bytes: u64,
    documents: u64,
    shuffle_bytes: u64,
    removed: u64,
    /// Number of removed documents of which no near-duplicate is kept.
    lost: u64,
    /// Share of the pairs of near-duplicates of which at least one document is removed.
    recall: f64,
    /// Share of the removed documents that have a near-duplicate.
    precision: f64,
}

/// Measures and prints.
pub(in crate::bench) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    if cfg!(debug_assertions) {
        return again_optimized(workspace);
    }
    spark::check_java()?;
    let folder = workspace.target().join("bench");
    let corpus = mixed::prepare(&folder, options.documents)?;
    let documents = texts::read(&corpus)?;
    truth::load_or_join(&folder, &documents)?;
    let truth =
        folder.join(format!("truth-{}-{THRESHOLD}-{:016x}.tsv", SHINGLE.replace(':', ""), documents.content_hash()));
    let lookalike = options.program.path(workspace)?;
    let wheel = python::wheel(workspace)?;
    let package = python::package(workspace);
    let python = python::environment(workspace, "spark-bench", &package.join("requirements-spark.txt"))?;
    let install = |python| {
        let mut pip = python::module_of(python, "pip");
        pip.args(["install", "--quiet", "--disable-pip-version-check"]);
        pip
    };
    succeed(install(&python).args(["--force-reinstall", "--no-deps"]).arg(&wheel))?;
    let scripts = environment::scripts(workspace);
    if let Err(error) = succeed(install(&python).arg("-r").arg(scripts.join("requirements-spark.txt"))) {
        println!("{error:#}: tools that are missing are not measured");
    }
    let runs = folder.join("spark");
    if runs.exists() {
        fs::remove_dir_all(&runs)?;
    }
    fs::create_dir_all(&runs)?;
    let output = Command::new(&python)
        .arg("-B")
        .arg(scripts.join("spark_calls.py"))
        .args([&runs, &corpus, &truth, &lookalike])
        .env("PYTHONPATH", package.join("tests").join("spark"))
        .stderr(Stdio::inherit())
        .output()
        .context("cannot run Python")?;
    ensure!(output.status.success(), "spark_calls.py: {}", output.status);
    let all: Vec<Measured> = serde_json::from_slice(&output.stdout).context("spark_calls.py printed something else")?;
    println!("{}", table(&all));
    let file = results::write(workspace, "spark", &[&lookalike], &all)?;
    println!("raw numbers in {}", file.display());
    Ok(())
}

fn table(all: &[Measured]) -> Table {
    let mut table = Table::new(&[
        "on 2 × 1 core",
        "seconds",
        "MB/s",
        "shuffled, kB per document",
        "removed",
        "lost",
        "recall",
        "precision",
    ]);
    for measured in all {
        let of_documents = measured.shuffle_bytes as f64 / 1e3 / measured.documents.max(1) as f64;
        table.row([
            measured.tool.clone(),
            format!("{:.1}", measured.seconds),
            format!("{:.1}", measured.bytes as f64 / 1e6 / measured.seconds),
            format!("{of_documents:.2}"),
            thousands(measured.removed),
            thousands(measured.lost),
            format!("{:.4}", measured.recall),
            format!("{:.4}", measured.precision),
        ]);
    }
    table
}
