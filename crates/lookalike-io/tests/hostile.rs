//! Hostile bytes for every reader: those that the fuzzer found (`fuzz/regressions`), and good files with parts of them
//! changed. Whatever is read of them reads the same again, also when it was written; nothing panics.

#[path = "../../../fuzz/src/lib.rs"]
#[expect(unreachable_pub, reason = "it is a crate of its own for the fuzzer")]
mod fuzz;

use std::fs;
use std::io::Write;
use std::path::Path;

use fuzz::check;
use lookalike_io::read::{Settings, Split};
use lookalike_io::web::Extract;
use proptest::prelude::*;

/// What a target of the fuzzer is: the name that its files have, and how they are read.
fn target(name: &str) -> (&'static str, Settings) {
    let settings = fuzz::settings();
    match name {
        "jsonl" => ("a.jsonl", settings),
        "json" => ("a.json", settings),
        "csv" => ("a.csv", settings),
        "warc" => ("a.warc", settings),
        "arc" => ("a.arc", settings),
        "html" => ("a.html", settings),
        "article" => ("a.html", Settings { extract: Extract::Article, ..settings }),
        "parquet" => ("a.parquet", settings),
        "lines" => ("a.txt", Settings { split: Split::Line, ..settings }),
        "paragraphs" => ("a.txt", Settings { split: Split::Paragraph, ..settings }),
        "any" => ("a", settings),
        other => panic!("no target {other}"),
    }
}

#[test]
fn what_the_fuzzer_found_is_mended() {
    let regressions = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/regressions");
    let folder = tempfile::tempdir().unwrap();
    let mut count = 0;
    for target_folder in fs::read_dir(&regressions).into_iter().flatten() {
        let target_folder = target_folder.unwrap();
        let (name, settings) = target(target_folder.file_name().to_str().unwrap());
        for file in fs::read_dir(target_folder.path()).unwrap() {
            check(folder.path(), name, &fs::read(file.unwrap().path()).unwrap(), &settings);
            count += 1;
        }
    }
    println!("{count} files");
}

/// A good file of each kind.
fn seeds() -> Vec<(&'static str, Vec<u8>)> {
    let http = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=latin1\r\nTransfer-Encoding: chunked\r\n\r\n\
                11\r\n<html><p>one two \r\n9\r\n<b>three<\r\n0\r\n\r\n";
    let warc = format!(
        "WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: 1\r\n\r\nx\r\n\r\nWARC/1.0\r\nWARC-Type: response\r\n\
         WARC-Target-URI: <http://a.example/>\r\nContent-Type: application/http\r\nContent-Length: {}\r\n\r\n{http}\r\n\r\n\
         WARC/1.0\r\nWARC-Type: conversion\r\nid: 7\r\nContent-Length: 5\r\n\r\none\r\n\r\n\r\n",
        http.len()
    );
    let arc = format!(
        "filedesc://x.arc 0.0.0.0 20140216050221 text/plain 5\n1 0 X\n\nhttp://a.example/ 1.2.3.4 20140216050221 text/html {}\n{http}\n",
        http.len()
    );
    vec![
        ("jsonl", b"{\"id\":1,\"text\":\"one \\u00e9\"}\r\n\n{\"text\":\"two\",\"id\":\"x\"}".to_vec()),
        ("json", b"[{\"id\":1,\"text\":\"one\"} ,\n{\"text\":\"two\",\"x\":[{}]}]\n".to_vec()),
        ("csv", b"id,text\r\n1,\"one, \"\"two\"\"\r\nthree\"\r\n\r\n2,four\r\n".to_vec()),
        ("warc", warc.clone().into_bytes()),
        ("arc", arc.into_bytes()),
        ("html", b"<!doctype html><title>t</title><p>one <b>two</b> &amp; three</p><script>x</script>".to_vec()),
        ("article", b"<html><nav><a>x</a></nav><article><p>one two three, four five.</p></article>".to_vec()),
        ("lines", "one\n\ntwo\r\n\u{feff}three".as_bytes().to_vec()),
        ("paragraphs", b"one\ntwo\n\n\nthree\r\n\r\nfour".to_vec()),
        ("any", gzip(warc.as_bytes())),
        ("any", zstd::encode_all(&b"id,text\n1,one\n2,two"[..], 3).unwrap()),
    ]
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn good_files_are_read_and_written() {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in seeds() {
        let (file, settings) = target(name);
        let content = check(folder.path(), file, &bytes, &settings);
        assert!(!content.documents.is_empty() && content.skipped.is_empty(), "{name}: {content:?}");
    }
}

/// A change of some bytes: at a place, so many go, and others come.
fn changes() -> impl Strategy<Value = Vec<(prop::sample::Index, usize, Vec<u8>)>> {
    let odd = prop::sample::select(&b"\n\r\"\\{}[],<>& \0\xEF\xBB\xFFW1:"[..]);
    let new = prop::collection::vec(prop_oneof![odd, any::<u8>()], 0..4);
    prop::collection::vec((any::<prop::sample::Index>(), 0_usize..4, new), 0..4)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changed_files_are_read_as_well_as_can_be(
        seed in any::<prop::sample::Index>(),
        changes in changes(),
        cut in any::<Option<prop::sample::Index>>(),
    ) {
        let seeds = seeds();
        let (name, mut bytes) = seeds[seed.index(seeds.len())].clone();
        for (place, count, new) in changes {
            let start = place.index(bytes.len() + 1);
            let end = (start + count).min(bytes.len());
            bytes.splice(start..end, new);
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len() + 1));
        }
        let (file, settings) = target(name);
        let folder = tempfile::tempdir().unwrap();
        check(folder.path(), file, &bytes, &settings);
    }
}
