//! Reading alone: a crawl's text, packed by the record, to documents on one thread; beside unpacking it and no more.
//!
//! Both use the same decompressor with the same buffer, and take turns.

use std::fs::File;
use std::hint::black_box;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use flate2::bufread::MultiGzDecoder;
use flate2::write::GzEncoder;
use lookalike_io::discover::discover;
use lookalike_io::place::Shelf;
use lookalike_io::read::{Chunk, Entry, Parser, Settings, Stream};

use super::texts::{self, Documents};
use super::{DOCUMENTS, corpus};
use crate::table::Table;
use crate::workspace::{Workspace, succeed};

/// The most that reading may cost over unpacking.
const MOST: f64 = 1.5;

/// What the measure of reading can be told.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// How often to measure
    #[arg(long, value_name = "R", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    runs: u16,
}

/// Measures and prints.
pub(super) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    if cfg!(debug_assertions) {
        let mut cargo = workspace.cargo();
        cargo.args(["run", "--quiet", "--release", "--package", "xtask", "--", "bench", "read"]);
        return succeed(cargo.args(["--runs", &options.runs.to_string()]));
    }
    let folder = &workspace.target().join("bench");
    let documents = &texts::read(&corpus::prepare(folder, DOCUMENTS)?)?;
    let file = prepare(folder, documents)?;
    // Once before, so that every timed run finds the file in the memory of the system.
    let bytes = unpack(&file)?;
    let (mut unpacking, mut reading) = (Vec::new(), Vec::new());
    for _ in 0..options.runs {
        let start = Instant::now();
        black_box(unpack(&file)?);
        unpacking.push(start.elapsed().as_secs_f64());
        let start = Instant::now();
        let count = read(&file)?;
        reading.push(start.elapsed().as_secs_f64());
        ensure!(count == documents.texts.len(), "{count} documents were read, and {} written", documents.texts.len());
    }
    let mut ratios: Vec<f64> = reading.iter().zip(&unpacking).map(|(reading, unpacking)| reading / unpacking).collect();
    let [unpacking, reading] = [unpacking, reading].map(|mut seconds| median(&mut seconds));
    let mut table = Table::new(&["measure", "median", "target"]);
    let megabytes = bytes as f64 / 1e6;
    table.row(["unpacking alone".to_owned(), format!("{:.0} MB/s", megabytes / unpacking)]);
    table.row(["reading WET.gz to documents".to_owned(), format!("{:.0} MB/s", megabytes / reading)]);
    table.row(["reading / unpacking".to_owned(), format!("{:.2}", median(&mut ratios)), format!("≤ {MOST}")]);
    print!("{table}");
    Ok(())
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The documents as a crawl has them: a record each, packed by itself.
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

/// Unpacks everything, and counts the bytes.
fn unpack(file: &Path) -> Result<u64> {
    let mut decoder = MultiGzDecoder::new(BufReader::with_capacity(256 << 10, File::open(file)?));
    let mut buffer = vec![0; 1 << 20];
    let mut bytes = 0;
    loop {
        match decoder.read(&mut buffer)? {
            0 => return Ok(bytes),
            count => bytes += black_box(&buffer[..count]).len() as u64,
        }
    }
}

/// Reads every document, and counts them.
fn read(file: &Path) -> Result<usize> {
    let settings = Settings::default();
    let shelf = Shelf::new(discover(&[file.to_owned()], None)?);
    let mut stream = Stream::open(0, &shelf.files()[0], &settings)?;
    let (mut parser, mut chunk) = (Parser::new(&settings), Chunk::default());
    let mut count = 0;
    while stream.next(&mut chunk)? {
        chunk.settle(&shelf)?;
        parser.entries(&chunk, |placed| {
            if let Entry::Document(document) = placed.entry {
                count += usize::from(!black_box(document.text).is_empty());
            }
        });
    }
    Ok(count)
}
