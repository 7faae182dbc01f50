//! Hostile files take time in proportion to their size. Each of these would take hours if it took the square of it, so that
//! the bounds are generous enough for any machine.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::GzEncoder;
use lookalike_io::input::discover::discover;
use lookalike_io::read::{Chunk, Entry, Parser, Settings, Stream, units};

/// Reads a file to its end: how many documents and how many skipped entries it has.
fn read(name: &str, bytes: &[u8], unit_bytes: u64) -> (usize, usize) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, bytes).unwrap();
    let start = Instant::now();
    let counts = entries(&path, unit_bytes);
    let seconds = start.elapsed();
    assert!(seconds < Duration::from_mins(1), "{name}: {seconds:?}");
    counts
}

fn entries(path: &Path, unit_bytes: u64) -> (usize, usize) {
    let settings = Settings::default();
    let files = discover(&[path.to_owned()], None).unwrap();
    let (mut parser, mut chunk) = (Parser::new(&settings), Chunk::default());
    let shelf = lookalike_io::input::shelf::Shelf::new(files);
    let (mut documents, mut skipped) = (0, 0);
    for unit in units(shelf.files(), &settings, unit_bytes).unwrap() {
        let mut stream = Stream::open(&unit, &shelf.files()[0], &settings).unwrap();
        while stream.next(&mut chunk).unwrap() {
            chunk.settle(&shelf).unwrap();
            parser.entries(&chunk, |placed| match placed.entry {
                Entry::Document(_) => documents += 1,
                Entry::Carried(_) => {}
                Entry::Skipped(_) => skipped += 1,
            });
        }
    }
    (documents, skipped)
}

fn record(text: &str, length: usize) -> String {
    format!("WARC/1.0\r\nWARC-Type: conversion\r\nContent-Length: {length}\r\n\r\n{text}\r\n\r\n")
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn white_space_at_the_end_is_not_walked_for_every_record() {
    let spaces = " ".repeat(64 << 20);
    let warc = record("one", 3).repeat(20_000) + &spaces;
    assert_eq!(read("a.warc.gz", &gzip(warc.as_bytes()), u64::MAX / 4), (20_000, 0));
    let line =
        "http://a.example/ 1.2.3.4 20140216050221 text/plain 45\nHTTP/1.1 200 OK\nContent-Type: text/plain\n\none\n";
    let arc = line.repeat(20_000) + &spaces;
    assert_eq!(read("a.arc.gz", &gzip(arc.as_bytes()), u64::MAX / 4), (20_000, 0));
}

#[test]
fn a_false_length_does_not_move_all_that_is_ahead_for_every_record() {
    // Each claims what is nearly the longest record, and all that follows has to be seen before that is given up.
    let file = record("one", 200_000_000).repeat(300_000) + &record("two", 3);
    let (documents, skipped) = read("a.warc.gz", &gzip(file.as_bytes()), u64::MAX / 4);
    assert_eq!((documents, skipped), (1, 300_000));
}

#[test]
fn what_seems_to_be_a_member_is_not_unpacked_without_end() {
    // A good text file of a crawl, and in the middle of it very many starts of members.
    let mut file = gzip(record("one", 3).as_bytes());
    file.extend([0x1F, 0x8B, 0x08, 0].repeat(3_000_000));
    file.extend(gzip(record("two", 3).as_bytes()));
    let (documents, _) = read("a.warc.wet.gz", &file, 1 << 20);
    assert!(documents >= 1);
}
