//! Measures the speed of a saved index with precomputed keys: insertion, lookups in one segment and in eight, opening,
//! durable single puts.
//!
//! ```text
//! cargo run --release -p lookalike-index --example index_speed -- FOLDER [DOCUMENTS]
//! ```
//!
//! `FOLDER` must not exist; it is removed afterwards. Keys are random, so that lookups measure only the index.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

use lookalike_core::hash::mix;
use lookalike_index::{CreateOptions, Index, NewDocument, Query, Result, SearchOptions};

const KEYS: usize = 20;
const BYTES: usize = 140;
const BATCH: u64 = 10_000;

fn keys(document: u64) -> Vec<u64> {
    (0..KEYS as u64).map(|band| mix(document * 64 + band + 1)).collect()
}

fn text(document: u64) -> String {
    let words = (0..85).map(|at| format!("{:05}", mix(document * 100 + at) % 30_000));
    words.collect::<Vec<_>>().join(" ")
}

/// Creates an index with `count` documents; returns it with the wall-clock and processor seconds that inserting them
/// took.
fn fill(folder: &Path, count: u64, segments: u64) -> Result<(Index, f64, f64)> {
    let index = Index::create(folder, &CreateOptions::default())?;
    let writer = index.writer()?;
    if segments > 1 {
        writer.set_limits(usize::MAX, 1 << 40);
    }
    let (mut seconds, mut processor_seconds) = (0.0, 0.0);
    for from in (0..count).step_by(BATCH as usize) {
        let numbers: Vec<u64> = (from..(from + BATCH).min(count)).collect();
        let ids: Vec<String> = numbers.iter().map(|at| format!("document-{at}")).collect();
        let texts: Vec<String> = numbers.iter().map(|at| text(*at)).collect();
        let keys: Vec<Vec<u64>> = numbers.iter().map(|at| keys(*at)).collect();
        let sketch = |at: &u64| (0..BYTES as u64).map(|byte| mix(at * 1000 + byte) as u8).collect();
        let sketches: Vec<Vec<u8>> = numbers.iter().map(sketch).collect();
        let all = ids.iter().zip(&texts).zip(keys.iter().zip(&sketches));
        let all: Vec<_> =
            all.map(|((id, text), (keys, sketch))| (NewDocument::new(id, text), &**keys, &**sketch)).collect();
        let (start, before) = (Instant::now(), processor());
        writer.put_ready(&all)?;
        // Seven segments of one size and a small one: eight of one size would be merged.
        let each = (count * 14 / 100 / BATCH).max(1) * BATCH;
        if segments > 1 && (from + BATCH).is_multiple_of(each) {
            writer.set_limits(0, 1 << 40);
            writer.put_ready(&[(NewDocument::new(&format!("last-{from}"), "x"), &keys[0], &sketches[0])])?;
            writer.set_limits(usize::MAX, 1 << 40);
        }
        seconds += start.elapsed().as_secs_f64();
        processor_seconds += processor() - before;
    }
    let (start, before) = (Instant::now(), processor());
    writer.close()?;
    Ok((index, seconds + start.elapsed().as_secs_f64(), processor_seconds + processor() - before))
}

/// Returns lookups per second, and processor microseconds per lookup.
fn lookups(index: &Index, count: u64, threads: u64) -> Result<(f64, f64)> {
    let snapshot = index.snapshot()?;
    let each = 40_000;
    let run = |thread: u64| {
        for at in 0..each {
            let found = snapshot.lookup(&keys(mix(thread << 32 | at) % count)).expect("the index can be read");
            assert!(found >= KEYS as u64, "{found}");
        }
    };
    run(99);
    let (start, before) = (Instant::now(), processor());
    std::thread::scope(|scope| {
        (0..threads).for_each(|thread| drop(scope.spawn(move || run(thread))));
    });
    let lookups = (threads * each) as f64;
    Ok((lookups / start.elapsed().as_secs_f64(), (processor() - before) / lookups * 1e6))
}

/// Processor seconds of all threads so far, user and system: meaningful on a busy machine too.
fn processor() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}

fn resident() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|kilobytes| kilobytes.parse::<u64>().ok()).unwrap_or(0) >> 10
}

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().expect("a folder that does not exist is the first argument");
    let folder = Path::new(&folder);
    let count: u64 = arguments.next().map_or(1_000_000, |count| count.parse().expect("a number of documents"));
    let mut out = std::io::stdout();
    let mut say = |line: String| writeln!(out, "{line}").expect("standard output can be written to");

    let (index, seconds, processor_seconds) = fill(&folder.join("one"), count, 1)?;
    let stat = index.snapshot()?.stat();
    let micros = processor_seconds / count as f64 * 1e6;
    let rate = count as f64 / seconds;
    say(format!("in: {rate:.0} documents/s, {micros:.2} µs of processor each, {} segments", stat.segment_count));
    let (start, before) = (Instant::now(), processor());
    index.writer()?.compact(false)?;
    say(format!("compact: {:.1} s, {:.1} s of processor", start.elapsed().as_secs_f64(), processor() - before));
    let stat = index.snapshot()?.stat();
    say(format!("bytes per document besides text: {:.1}", stat.segment_bytes as f64 / stat.document_count as f64));
    drop(index);
    let before = resident();
    let start = Instant::now();
    let index = Index::open(&folder.join("one"))?;
    say(format!(
        "open: {:.3} s, {} MiB more resident",
        start.elapsed().as_secs_f64(),
        resident().saturating_sub(before)
    ));
    for threads in [1, 2] {
        let (rate, micros) = lookups(&index, count, threads)?;
        say(format!("lookups in one segment, {threads} threads: {rate:.0}/s, {micros:.1} µs of processor each"));
    }
    let texts: Vec<String> = (0..2000).map(|at| text(mix(at) % count)).collect();
    let (start, before) = (Instant::now(), processor());
    let snapshot = index.snapshot()?;
    for text in &texts {
        snapshot.search(Query::Text(text), &SearchOptions::default())?;
    }
    let rate = texts.len() as f64 / start.elapsed().as_secs_f64();
    let micros = (processor() - before) / texts.len() as f64 * 1e6;
    say(format!("searches for texts, 1 thread: {rate:.0}/s, {micros:.0} µs of processor each"));

    let (index, ..) = fill(&folder.join("eight"), count, 8)?;
    say(format!("{} segments", index.snapshot()?.stat().segment_count));
    for threads in [1, 2] {
        let (rate, micros) = lookups(&index, count, threads)?;
        say(format!("lookups in eight segments, {threads} threads: {rate:.0}/s, {micros:.1} µs of processor each"));
    }

    let index = Index::create(&folder.join("single"), &CreateOptions::default())?;
    let path = folder.join("synced");
    let mut file = fs::File::create(&path).expect("the folder can be written to");
    let start = Instant::now();
    for _ in 0..200 {
        file.write_all(&[7; 600]).and_then(|()| file.sync_data()).expect("the disk can be written to");
    }
    let syncs = 200.0 / start.elapsed().as_secs_f64();
    let writer = index.writer()?;
    let texts: Vec<String> = (0..64 * 100).map(text).collect();
    let start = Instant::now();
    std::thread::scope(|scope| {
        for thread in 0..64 {
            let (writer, texts) = (&writer, &texts);
            scope.spawn(move || {
                for at in (thread..texts.len()).step_by(64) {
                    writer.put(NewDocument::new(&at.to_string(), &texts[at])).expect("the disk can be written to");
                }
            });
        }
    });
    let puts = texts.len() as f64 / start.elapsed().as_secs_f64();
    say(format!("durable puts by 64 threads: {puts:.0}/s, {:.0} × one fdatasync ({syncs:.0}/s)", puts / syncs));
    drop(writer);
    fs::remove_dir_all(folder).expect("the folder can be removed");
    Ok(())
}
