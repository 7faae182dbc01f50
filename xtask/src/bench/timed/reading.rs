//! Reading alone: a crawl's text, compressed per record, to documents on one thread; compared with decompression only.
//!
//! The timed code is an example of `lookalike-io`: if it were here, every command of the project would first build all
//! the code that reads formats and object stores.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use flate2::write::GzEncoder;

use crate::bench::DOCUMENTS;
use crate::bench::corpora::mixed;
use crate::bench::corpora::texts::{self, Documents};
use crate::table::Table;
use crate::workspace::{Workspace, words};

/// Maximum time of reading relative to decompression.
const MOST: f64 = 1.5;

/// Options of `cargo xtask bench read`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// Number of measurements
    #[arg(long, value_name = "R", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    runs: u16,
}

/// Measures and prints.
pub(in crate::bench) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    let folder = &workspace.target().join("bench");
    let documents = &texts::read(&mixed::prepare(folder, DOCUMENTS)?)?;
    let file = prepare(folder, documents)?;
    let runs = measure(workspace, &file, options.runs)?;
    let count = documents.texts.len();
    ensure!(runs.iter().all(|run| run.documents == count), "not all of {count} documents were read");
    let of_runs = |value: &dyn Fn(&Run) -> f64| median(&mut runs.iter().map(value).collect::<Vec<_>>());
    let mut table = Table::new(&["measure", "median", "target"]);
    let unpacking = of_runs(&|run| run.bytes / 1e6 / run.unpacking);
    let reading = of_runs(&|run| run.bytes / 1e6 / run.reading);
    table.row(["unpacking alone".to_owned(), format!("{unpacking:.0} MB/s")]);
    table.row(["reading WET.gz to documents".to_owned(), format!("{reading:.0} MB/s")]);
    let ratio = of_runs(&|run| run.reading / run.unpacking);
    table.row(["reading / unpacking".to_owned(), format!("{ratio:.2}"), format!("≤ {MOST}")]);
    print!("{table}");
    Ok(())
}

/// One run of both.
struct Run {
    documents: usize,
    bytes: f64,
    unpacking: f64,
    reading: f64,
}

/// Runs the example, which alternates.
fn measure(workspace: &Workspace, file: &Path, runs: u16) -> Result<Vec<Run>> {
    let mut cargo = workspace.cargo();
    cargo.args(["run", "--quiet", "--release", "--package", "lookalike-io", "--example", "reading_speed", "--"]);
    cargo.arg(file).arg(runs.to_string());
    let output = cargo.stderr(std::process::Stdio::inherit()).output()?;
    ensure!(output.status.success(), "{}: {}", words(&cargo), output.status);
    String::from_utf8(output.stdout)?.lines().map(|line| run_of(line).with_context(|| line.to_owned())).collect()
}

fn run_of(line: &str) -> Option<Run> {
    let mut cells = line.split('\t');
    let documents = cells.next()?.parse().ok()?;
    let mut number = || cells.next()?.parse().ok();
    Some(Run { documents, bytes: number()?, unpacking: number()?, reading: number()? })
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The documents as in a crawl: one record each, compressed separately.
fn prepare(folder: &Path, documents: &Documents) -> Result<PathBuf> {
    let file = folder.join(format!("corpus-{:016x}.warc.wet.gz", documents.content_hash()));
    if file.exists() {
        return Ok(file);
    }
    eprintln!("packing the corpus as WET");
    let unfinished = file.with_extension("unfinished");
    let mut writer = BufWriter::new(File::create(&unfinished).with_context(|| format!("{}", unfinished.display()))?);
    for (id, text) in documents.ids.iter().zip(&documents.texts) {
        let mut member = GzEncoder::new(&mut writer, flate2::Compression::default());
        write!(
            member,
            "WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Target-URI: https://example.com/{id}\r\n\
             WARC-Date: 2026-11-16T00:00:00Z\r\nWARC-Record-ID: <urn:bench:{id}>\r\nContent-Type: text/plain\r\n\
             Content-Length: {}\r\n\r\n{text}\r\n\r\n",
            text.len()
        )?;
        member.finish()?;
    }
    writer.flush()?;
    std::fs::rename(&unfinished, &file)?;
    Ok(file)
}
