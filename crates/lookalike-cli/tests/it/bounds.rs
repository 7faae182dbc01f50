//! Bounds on what a run reads, keeps and skips, whatever the input.
#![cfg(target_os = "linux")]

use std::io::Write;
use std::process::{Command, Stdio};

use crate::folder::{Folder, Ran, assert_refused, lines, prints};

/// Runs a command on a stream that never ends.
fn run_on_endless(folder: &Folder, arguments: &[&str], line: &[u8]) -> Ran {
    let mut child = Command::new(env!("CARGO_BIN_EXE_lookalike"))
        .args(arguments)
        .current_dir(folder.0.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let lines = line.repeat(1 << 12);
    // Until the pipe is closed.
    while input.write_all(&lines).is_ok() {}
    Ran::new(child.wait_with_output().unwrap())
}

#[test]
fn a_stream_without_end_stops_at_the_bound_and_leaves_nothing() {
    let folder = Folder::new();
    folder.write("work/x", "").write("truth.jsonl", lines());
    std::fs::remove_file(folder.0.path().join("work/x")).unwrap();
    for (arguments, line) in [
        (&["dedup", "-", "-o", "out", "--split", "line"][..], &b"once upon a time there was a line\n"[..]),
        (&["dedup", "-", "-o", "out", "--split", "line", "--work", "work"], b"once upon a time there was a line\n"),
        (&["pairs", "-", "-o", "out", "--split", "line"], b"once upon a time there was a line\n"),
        // One endless line, most of which is passed over.
        (&["dedup", "-", "-o", "out", "--split", "line", "--max-record", "1M"], b"once upon a time"),
        (&["tune", "-"], b"{\"text\":\"once upon a time\"}\n"),
        (&["sets", "-", "-o", "out", "--threshold", "0.5"], b"one two three four\n"),
        (&["link", "-", "-o", "out"], b"one,two,three,four\n"),
        (&["prints", "-", "-o", "out"], b"print,x,y,angle\n"),
    ] {
        let ran = run_on_endless(&folder, &[arguments, &["--max-input", "3M", "-q"]].concat(), line);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{arguments:?}: {}", ran.stderr);
        let said = "the input has more than 3.0 MB of text, which is the limit";
        assert!(
            ran.stderr.contains(said) && ran.stderr.contains("; raise --max-input"),
            "{arguments:?}: {}",
            ran.stderr
        );
        assert_eq!(folder.names(), ["truth.jsonl", "work"], "{arguments:?}");
    }
    // Input of exactly this length is read, also by a job that reads it several times.
    folder.write("in.jsonl", lines());
    let size = lines().len().to_string();
    for command in ["evaluate", "dedup"] {
        let output: &[&str] = if command == "dedup" { &["-o", "out"] } else { &[] };
        let common = [&[command, "in.jsonl", "--max-input"][..], &[&*size], output].concat();
        let ran = folder.run(&common);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    }
    let short = (lines().len() - 1).to_string();
    assert_refused(&folder, &["pairs", "in.jsonl", "--max-input", &short], &["--max-input"]);
    assert_refused(&folder, &["pairs", "in.jsonl", "--max-input", "0"], &["--max-input must be above 0, not 0"]);
}

#[test]
fn millions_of_skipped_lines_cost_no_memory() {
    let folder = Folder::new();
    folder.write("bad.jsonl", format!("{}{}", lines(), "x\n".repeat(1_500_000)));
    let ran = folder.run(&["dedup", "bad.jsonl", "-o", "out", "--memory", "64MiB"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let summary: serde_json::Value = serde_json::from_str(&folder.read("out/summary.json")).unwrap();
    assert_eq!(summary["input"]["skipped_count"], 1_500_000);
    let peak = summary["peak_memory_bytes"].as_u64().unwrap();
    assert!(peak <= (64 << 20) * 11 / 10, "{} MiB", peak >> 20);
}

#[test]
fn compare_and_prints_keep_to_the_memory_or_refuse() {
    let folder = Folder::new();
    folder.write("long.txt", "once upon a time ".repeat(150_000)).write("short.txt", "once upon a time");
    assert_refused(
        &folder,
        &["compare", "long.txt", "short.txt", "--memory", "64MiB"],
        &["longer than 2097152 bytes", "--max-record"],
    );
    assert_eq!(folder.run(&["compare", "long.txt", "short.txt", "--memory", "96MiB"]).code, 0);
    folder.write("prints.csv", prints());
    assert_eq!(folder.run(&["prints", "prints.csv", "--memory", "64MiB"]).code, 0);
    let rows: String = (0..60_000).map(|row| format!("{},{},{},10\n", row / 40, row % 300, row % 400)).collect();
    folder.write("many.csv", format!("print,x,y,angle\n{rows}"));
    let refused = ["for 60,000 minutiae, and may use 67.1 MB: raise the memory limit", "; give --memory 116M"];
    assert_refused(&folder, &["prints", "many.csv", "--memory", "64MiB"], &refused);
}

#[test]
fn many_threads_and_long_documents_keep_to_the_memory() {
    let folder = Folder::new();
    let word = |number: u64| format!("{:x} ", number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40);
    for file in 0..8 {
        folder.write(&format!("in/{file}.txt"), (0..300_000).map(|at| word(file * 1_000_000 + at)).collect::<String>());
    }
    let ran = folder.run(&["dedup", "in", "-o", "out", "--memory", "64MiB", "--threads", "64"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.starts_with("note: 4 of 64 threads are used: --memory of 67"), "{}", ran.stderr);
    let summary: serde_json::Value = serde_json::from_str(&folder.read("out/summary.json")).unwrap();
    assert_eq!(summary["input"]["document_count"], 8);
    // Four of them at the same time would take 110 MB.
    let peak = summary["peak_memory_bytes"].as_u64().unwrap();
    assert!(peak <= (64 << 20) * 11 / 10, "{} MiB", peak >> 20);
}

#[test]
fn what_was_too_long_to_be_read_comes_with_the_flag_that_reads_it() {
    let folder = Folder::new();
    folder.write("in.jsonl", lines() + "{\"text\":\"x\"}\n");
    let note = "note: to read more of this, raise --max-record\n";
    let ran = folder.run(&["pairs", "in.jsonl", "--max-record", "20"]);
    assert!(ran.code == 1 && ran.stderr.contains(note), "{}", ran.stderr);
    let ran = folder.run(&["pairs", "in.jsonl"]);
    assert!(ran.code == 0 && !ran.stderr.contains(note), "{}", ran.stderr);
}
