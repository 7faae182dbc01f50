//! `cargo xtask load`: clients of all kinds for an hour, while memory, files and descriptors of the server must not
//! grow.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};

use crate::bench::dice::Dice;
use crate::service::{Client, Service, edited, text};
use crate::table::Table;
use crate::workspace::Workspace;

/// Options of `cargo xtask load`.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Options {
    /// Duration of the load
    #[arg(long, value_name = "M", default_value_t = 60.0)]
    minutes: f64,
    /// Number of clients
    #[arg(long, value_name = "N", default_value_t = 8)]
    clients: usize,
    /// Number of ids to write, delete and write again
    #[arg(long, value_name = "N", default_value_t = 50_000)]
    documents: usize,
}

/// Measurements at one moment.
#[derive(Clone, Copy, Debug)]
struct Sample {
    memory_bytes: u64,
    descriptors: usize,
    files: usize,
    disk_bytes: u64,
}

/// Number of documents sent together initially: a body that takes too long is rejected, even on a busy machine.
const FILLED_AT_ONCE: usize = 2000;

/// Number of samples.
const SAMPLES: u32 = 40;

/// Number of initial samples, while the index is still growing, which are not compared.
const FIRST: usize = 10;

/// Allowed growth of memory: segments are merged at varying times.
const MEMORY_SLACK_BYTES: u64 = 64 << 20;

/// Runs the load, and fails if something grew.
pub(crate) fn run(workspace: &Workspace, options: Options) -> Result<()> {
    let lookalike = workspace.build_lookalike()?;
    let folder = tempfile::tempdir()?;
    let service = Service::start(&lookalike, folder.path())?;
    service.client()?.done("PUT", "/v1/indexes/news", "")?;
    fill(&mut service.client()?, options.documents)?;

    let (stop, requests) = (AtomicBool::new(false), AtomicU64::new(0));
    let samples = thread::scope(|scope| {
        let threads: Vec<_> = (0..options.clients)
            .map(|seed| {
                let (service, stop, requests) = (&service, &stop, &requests);
                scope.spawn(move || act_on(service, seed as u64, options.documents, stop, requests))
            })
            .collect();
        let samples = watch(&service, folder.path(), options, &requests);
        stop.store(true, Relaxed);
        for thread in threads {
            thread.join().expect("a client does not panic")?;
        }
        samples
    })?;
    service.stop()?;
    judge(&samples)?;
    println!(
        "{} requests in {} minutes: memory, files and descriptors are level",
        requests.into_inner(),
        options.minutes
    );
    Ok(())
}

fn fill(client: &mut Client, documents: usize) -> Result<()> {
    for first in (0..documents).step_by(FILLED_AT_ONCE) {
        let line = |number: usize| format!("{{\"id\":\"{number}\",\"text\":\"{}\"}}\n", text(number as u64));
        let lines: String = (first..documents.min(first + FILLED_AT_ONCE)).map(line).collect();
        let (status, answer) = client.send_as("POST", "/v1/indexes/news/documents", "application/x-ndjson", &lines)?;
        ensure!(status == 200, "{status} {}", String::from_utf8_lossy(&answer));
    }
    Ok(())
}

/// One client: mostly searches, some writes, and occasionally everything else, including invalid requests.
fn act_on(service: &Service, seed: u64, documents: usize, stop: &AtomicBool, requests: &AtomicU64) -> Result<()> {
    let mut dice = Dice::new(seed);
    let mut client = service.client()?;
    while !stop.load(Relaxed) {
        let number = dice.below(documents) as u64;
        let search = || format!("{{\"text\":\"{}\",\"passages\":{}}}", edited(number), number.is_multiple_of(10));
        let new = format!("{number} {}", text(number + dice.below(3) as u64));
        let (method, path, body, expected) = match dice.below(100) {
            0..60 => ("POST", "/v1/indexes/news/search".to_owned(), search(), 200),
            60..80 => {
                let body = format!("{{\"id\":\"{number}\",\"text\":\"{new}\"}}");
                ("POST", "/v1/indexes/news/documents?unless_duplicate=false".to_owned(), body, 200)
            }
            80..85 => {
                let body = format!("{{\"id\":\"{number}\",\"text\":\"{new}\"}}");
                ("POST", "/v1/indexes/news/documents?unless_duplicate=true".to_owned(), body, 200)
            }
            85..92 => ("DELETE", format!("/v1/indexes/news/documents/{number}"), String::new(), 200),
            92..95 => ("GET", format!("/v1/indexes/news/documents?after={number}&limit=20"), String::new(), 200),
            95..97 => ("GET", "/metrics".to_owned(), String::new(), 200),
            97 => ("POST", "/v1/indexes/news/search".to_owned(), "{\"text\":".to_owned(), 400),
            98 => ("GET", "/v1/indexes/other".to_owned(), String::new(), 404),
            _ => {
                // A connection that is dropped without notice.
                client = service.client()?;
                ("GET", "/livez".to_owned(), String::new(), 200)
            }
        };
        let (status, answer) = client.send(method, &path, &body)?;
        ensure!(status == expected, "{method} {path}: {status} {}", String::from_utf8_lossy(&answer));
        requests.fetch_add(1, Relaxed);
    }
    Ok(())
}

/// Samples the server at intervals, and compacts like an owner would.
fn watch(service: &Service, folder: &Path, options: Options, requests: &AtomicU64) -> Result<Vec<Sample>> {
    let start = Instant::now();
    let time = Duration::from_secs_f64(options.minutes * 60.0);
    let mut samples = Vec::new();
    for number in 1..=SAMPLES {
        let until = time * number / SAMPLES;
        thread::sleep(until.saturating_sub(start.elapsed()));
        if number.is_multiple_of(4) {
            // On a separate connection, since idle ones are closed.
            compact(&mut service.client()?)?;
        }
        let (files, disk_bytes) = files(&folder.join("news"))?;
        let sample =
            Sample { memory_bytes: service.memory_bytes()?, descriptors: service.descriptors()?, files, disk_bytes };
        let done = requests.load(Relaxed);
        println!(
            "{:>6.1} min  {done:>10} requests  {:>5} MB of memory  {:>3} descriptors  {files:>3} files  {:>6} MB",
            start.elapsed().as_secs_f64() / 60.0,
            sample.memory_bytes / 1_000_000,
            sample.descriptors,
            disk_bytes / 1_000_000
        );
        samples.push(sample);
    }
    Ok(samples)
}

fn compact(client: &mut Client) -> Result<()> {
    let task = client.done("POST", "/v1/indexes/news/compact", "{\"purge\":true}")?;
    loop {
        let task = client.done("GET", &format!("/v1/tasks/{}", task["id"]), "")?;
        match task["state"].as_str() {
            Some("running") => thread::sleep(Duration::from_millis(100)),
            Some("done") => return Ok(()),
            _ => bail!("{task}"),
        }
    }
}

fn files(folder: &Path) -> Result<(usize, u64)> {
    let (mut count, mut bytes) = (0, 0);
    for entry in fs::read_dir(folder)? {
        // Temporary files may vanish meanwhile.
        let Ok(entry) = entry else { continue };
        if entry.path().is_dir() {
            let (more, more_bytes) = files(&entry.path())?;
            (count, bytes) = (count + more, bytes + more_bytes);
        } else {
            count += 1;
            bytes += entry.metadata().map_or(0, |metadata| metadata.len());
        }
    }
    Ok((count, bytes))
}

/// Compares the maximum of the second half with that of the first, after the initial samples: it may be slightly
/// larger.
fn judge(samples: &[Sample]) -> Result<()> {
    let (early, late) = samples[FIRST..].split_at((samples.len() - FIRST) / 2);
    let mut table = Table::new(&["what", "earlier", "later", "allowed"]);
    let mut is_level = true;
    let mut row = |what: &str, value: fn(&Sample) -> u64, slack: u64| {
        let [early, late] = [early, late].map(|some| some.iter().map(value).max().unwrap_or(0));
        let allowed = early + early / 4 + slack;
        is_level &= late <= allowed;
        table.row([what.to_owned(), early.to_string(), late.to_string(), allowed.to_string()]);
    };
    row("memory, bytes", |sample| sample.memory_bytes, MEMORY_SLACK_BYTES);
    row("descriptors", |sample| sample.descriptors as u64, 8);
    row("files", |sample| sample.files as u64, 8);
    row("bytes on disk", |sample| sample.disk_bytes, MEMORY_SLACK_BYTES);
    println!("{table}");
    ensure!(is_level, "something grows");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_grows_is_noticed_and_what_swings_is_not() {
        let sample = |at: u64| Sample { memory_bytes: at, descriptors: 20, files: 12, disk_bytes: 1000 };
        let swinging: Vec<Sample> = (0..40).map(|at| sample(100_000_000 + at % 5 * 5_000_000)).collect();
        assert!(judge(&swinging).is_ok());
        let growing: Vec<Sample> = (0..40).map(|at| sample(100_000_000 * (at + 1))).collect();
        assert!(judge(&growing).is_err());
        let leaking: Vec<Sample> = (0..40).map(|at| Sample { descriptors: at * 3, ..sample(1) }).collect();
        assert!(judge(&leaking).is_err());
    }
}
