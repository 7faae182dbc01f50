//! `cargo xtask bench serve`: searches of a million documents and single durable writes over HTTP, by clients on the
//! same machine.
//!
//! Clients and server share the processor, so the result is less than a server alone could do.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use super::running::{Program, again_optimized};
use crate::bench::corpora::dice::Dice;
use crate::bench::tables::results::Record;
use crate::bench::tables::{against, pages, results, thousands};
use crate::service::{Client, Service, edited, text};
use crate::table::Table;
use crate::workspace::Workspace;

/// Number of documents per request for filling the index.
const AT_ONCE: u64 = 20_000;

/// Options of `cargo xtask bench serve`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// Number of documents in the index
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    documents: u64,
    /// Time to search, and time to write
    #[arg(long, value_name = "S", default_value_t = 20)]
    seconds: u64,
    /// Number of clients that search
    #[arg(long, value_name = "N", default_value_t = 8)]
    searching: usize,
    /// Number of clients that write
    #[arg(long, value_name = "N", default_value_t = 64)]
    writing: usize,
    #[command(flatten)]
    program: Program,
}

/// Measurements of clients.
#[derive(Serialize, Deserialize)]
struct Seen {
    clients: usize,
    requests: usize,
    per_second: f64,
    median_ms: f64,
    p99_ms: f64,
    largest_ms: f64,
    /// Share of requests with the expected response.
    right: f64,
}

#[derive(Serialize, Deserialize)]
pub(in crate::bench) struct Served {
    documents: u64,
    fill_seconds: Option<f64>,
    search: Seen,
    write: Seen,
    /// Number of sequential disk syncs per second.
    syncs_per_second: f64,
    memory_bytes: u64,
}

/// Measures, prints and publishes.
pub(in crate::bench) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    if cfg!(debug_assertions) {
        return again_optimized(workspace);
    }
    let lookalike = options.program.path(workspace)?;
    let folder = workspace.target().join("bench").join(format!("serve-{}", options.documents));
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let service = Service::start(&lookalike, &folder)?;
    let fill_seconds = fill(&service, options.documents)?;
    // As after a restart: all documents are in segments, and none in memory.
    service.stop()?;
    let service = Service::start(&lookalike, &folder)?;

    let time = Duration::from_secs(options.seconds);
    clients(&service, options.searching, Duration::from_secs(2), |client, dice| search(client, dice, options))?;
    let searched = clients(&service, options.searching, time, |client, dice| search(client, dice, options))?;
    let next = AtomicU64::new(0);
    service.client()?.send("DELETE", "/v1/indexes/written", "")?;
    service.client()?.done("PUT", "/v1/indexes/written", "")?;
    let written = clients(&service, options.writing, time, |client, _| write(client, next.fetch_add(1, Relaxed)))?;
    let memory_bytes = service.memory_bytes()?;
    let stored = service.client()?.done("GET", "/v1/indexes/written", "")?["document_count"].as_u64();
    ensure!(
        stored == Some(written.requests as u64),
        "{stored:?} documents are stored, and {} were acknowledged",
        written.requests
    );
    service.stop()?;

    let syncs_per_second = syncs_per_second(&folder)?;
    let documents = options.documents;
    let served = Served { documents, fill_seconds, search: searched, write: written, syncs_per_second, memory_bytes };
    println!("{}", table(&served));
    let file = results::write(workspace, "serve", &[&lookalike], &served)?;
    println!("raw numbers in {}", file.display());
    pages::refresh(workspace.root())
}

/// Fills the index over HTTP, unless an earlier run has done so; returns the duration.
fn fill(service: &Service, documents: u64) -> Result<Option<f64>> {
    let mut client = service.client()?;
    let there = client.done("PUT", "/v1/indexes/news", "")?["document_count"].as_u64();
    if there == Some(documents) {
        return Ok(None);
    }
    let start = Instant::now();
    for first in (0..documents).step_by(AT_ONCE as usize) {
        let line = |number: u64| format!("{{\"id\":\"{number}\",\"text\":\"{}\"}}\n", text(number));
        let lines: String = (first..documents.min(first + AT_ONCE)).map(line).collect();
        let (status, answer) = client.send_as("POST", "/v1/indexes/news/documents", "application/x-ndjson", &lines)?;
        ensure!(status == 200, "{status} {}", String::from_utf8_lossy(&answer));
    }
    Ok(Some(start.elapsed().as_secs_f64()))
}

fn search(client: &mut Client, dice: &mut Dice, options: &Options) -> Result<bool> {
    let number = dice.below(options.documents as usize) as u64;
    let body = format!("{{\"text\":\"{}\"}}", edited(number));
    let (status, answer) = client.send("POST", "/v1/indexes/news/search", &body)?;
    ensure!(status == 200, "{status} {}", String::from_utf8_lossy(&answer));
    let wanted = format!("{{\"id\":\"{number}\",");
    Ok(answer.windows(wanted.len()).any(|some| some == wanted.as_bytes()))
}

fn write(client: &mut Client, number: u64) -> Result<bool> {
    let body = format!("{{\"id\":\"{number}\",\"text\":\"{}\"}}", text(number));
    let (status, answer) = client.send("POST", "/v1/indexes/written/documents", &body)?;
    ensure!(status == 200, "{status} {}", String::from_utf8_lossy(&answer));
    Ok(String::from_utf8_lossy(&answer).contains("\"added_count\":1,"))
}

/// Runs this many clients that repeat an action, each on its own connection.
fn clients(
    service: &Service,
    count: usize,
    time: Duration,
    act: impl Fn(&mut Client, &mut Dice) -> Result<bool> + Sync,
) -> Result<Seen> {
    let start = Instant::now();
    let one = |seed: usize| -> Result<(Vec<Duration>, usize)> {
        let (mut client, mut dice) = (service.client()?, Dice::new(seed as u64 ^ start.elapsed().as_nanos() as u64));
        let (mut times, mut right) = (Vec::new(), 0);
        while start.elapsed() < time {
            let begin = Instant::now();
            right += usize::from(act(&mut client, &mut dice)?);
            times.push(begin.elapsed());
        }
        Ok((times, right))
    };
    let all = thread::scope(|scope| {
        let threads: Vec<_> = (0..count).map(|seed| scope.spawn(move || one(seed))).collect();
        threads.into_iter().map(|thread| thread.join().expect("a client does not panic")).collect::<Result<Vec<_>>>()
    })?;
    let seconds = start.elapsed().as_secs_f64();
    let right: usize = all.iter().map(|(_, right)| right).sum();
    let mut times: Vec<f64> = all.iter().flat_map(|(times, _)| times).map(|time| time.as_secs_f64() * 1e3).collect();
    times.sort_by(f64::total_cmp);
    let requests = times.len();
    ensure!(requests > 0, "nothing was answered");
    let at = |share: f64| times[((requests - 1) as f64 * share) as usize];
    Ok(Seen {
        clients: count,
        requests,
        per_second: requests as f64 / seconds,
        median_ms: at(0.5),
        p99_ms: at(0.99),
        largest_ms: at(1.0),
        right: right as f64 / requests as f64,
    })
}

/// Measures the number of sequential syncs of a small write per second.
fn syncs_per_second(folder: &Path) -> Result<f64> {
    let path = folder.join("syncs");
    let mut file = File::create(&path)?;
    let (start, mut count) = (Instant::now(), 0.0);
    while start.elapsed() < Duration::from_secs(2) {
        file.write_all(&[7; 512])?;
        file.sync_data()?;
        count += 1.0;
    }
    let seconds = start.elapsed().as_secs_f64();
    fs::remove_file(&path)?;
    Ok(count / seconds)
}

fn table(served: &Served) -> Table {
    let Served { search, write, syncs_per_second, .. } = served;
    let mut table = Table::new(&["measure", "search", "write", "target"]);
    let number = |value: f64, digits: usize| format!("{value:.digits$}");
    let mut row = |name: &str, value: &dyn Fn(&Seen) -> String, target: String| {
        table.row([name.to_owned(), value(search), value(write), target]);
    };
    let is_right = search.right >= 0.99 && write.right >= 0.99;
    row("clients", &|seen| seen.clients.to_string(), String::new());
    let per_second = against("≥ 5,000 searches", search.per_second >= 5_000.0);
    row("requests per second", &|seen| thousands(seen.per_second.round() as u64), per_second);
    row("median, ms", &|seen| number(seen.median_ms, 2), against("< 1 for a search", search.median_ms < 1.0));
    row("99th percentile, ms", &|seen| number(seen.p99_ms, 2), against("< 5 for a search", search.p99_ms < 5.0));
    row("largest, ms", &|seen| number(seen.largest_ms, 2), String::new());
    row("share of right answers", &|seen| number(seen.right, 4), against("≥ 0.99", is_right));
    let ratio = write.per_second / syncs_per_second;
    let disk = number(*syncs_per_second, 0);
    table.row(["single syncs of the disk per second".to_owned(), String::new(), disk, String::new()]);
    table.row(["writes per single sync".to_owned(), String::new(), number(ratio, 1), against("≥ 20", ratio >= 20.0)]);
    let memory = number(served.memory_bytes as f64 / 1e6, 0);
    table.row(["memory of the server, MB".to_owned(), String::new(), memory, String::new()]);
    table
}

/// The section for the benchmarks page.
pub(in crate::bench) fn section(record: &Record<Served>) -> String {
    let served = &record.results;
    format!(
        "## The service\n\nAn index of {} documents of 80 words, over HTTP, by clients on the same machine. A search is for a \
         document with one word\nreplaced, and right if it finds it. A write is one document, acknowledged when it is on the \
         disk.\n{}\n\n{}",
        thousands(served.documents),
        record.origin(),
        table(served).to_markdown()
    )
}

/// The row for the README.
pub(in crate::bench) fn speed_row(record: &Record<Served>) -> [String; 3] {
    let Served { documents, search, write, memory_bytes, .. } = &record.results;
    [
        format!("`serve` of an index of {} documents, {} clients searching", thousands(*documents), search.clients),
        format!(
            "{} searches per second, median {:.1} ms, {:.1} GB of memory",
            thousands(search.per_second.round() as u64),
            search.median_ms,
            *memory_bytes as f64 / 1e9
        ),
        format!(
            "{} durable writes per second by {} clients",
            thousands(write.per_second.round() as u64),
            write.clients
        ),
    ]
}
