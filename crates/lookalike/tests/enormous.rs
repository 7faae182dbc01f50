//! A record larger than the memory limit. A separate test, since it measures the memory of the whole process.

mod made;

use std::fs;
use std::io::{Seek, SeekFrom, Write};

use made::{Case, dedup};

fn record(text: &str) -> String {
    format!("WARC/1.0\r\nWARC-Type: conversion\r\nContent-Length: {}\r\n\r\n{text}\r\n\r\n", text.len())
}

#[test]
fn a_record_of_three_gigabytes_is_passed_over() {
    let case = Case::new();
    let path = case.write("in/a.warc", record("one"));
    let mut file = fs::File::options().write(true).open(path).unwrap();
    file.seek(SeekFrom::End(0)).unwrap();
    let length = 3_u64 << 30;
    write!(file, "WARC/1.0\r\nWARC-Type: conversion\r\nContent-Length: {length}\r\n\r\n").unwrap();
    // A hole in the file, which takes no disk space.
    file.seek(SeekFrom::Current(length as i64)).unwrap();
    write!(file, "\r\n\r\n{}", record("two")).unwrap();
    let summary = dedup(&case.request("in", 0.8));
    assert_eq!((summary.input.document_count, summary.input.skipped_count, summary.skipped[0].position), (2, 1, 2));
    assert!(
        summary.skipped[0].reason.text().contains("the longest record that is read"),
        "{}",
        summary.skipped[0].reason
    );
    assert!(peak_memory() < 1 << 30, "{} bytes of memory", peak_memory());
}

fn peak_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let kilobytes =
        status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse().ok());
    kilobytes.map_or(0, |kilobytes: u64| kilobytes << 10)
}
