//! Broken, hostile and enormous input: nothing ends a run, nothing is lost in silence, nothing fills the memory.

mod made;

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use flate2::Compression;
use flate2::write::GzEncoder;
use lookalike::{Summary, io};
use made::{Case, dedup};

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn text(seed: usize) -> String {
    (0..60).map(|at| format!("w{}", seed * 1000 + at)).collect::<Vec<_>>().join(" ")
}

fn line(seed: usize) -> String {
    format!("{{\"text\":\"{}\"}}\n", text(seed))
}

fn record(text: &str) -> String {
    format!(
        "WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Record-ID: <urn:{}>\r\nContent-Length: {}\r\n\r\n{text}\r\n\r\n",
        text.len(),
        text.len()
    )
}

/// What comes of one file: the numbers of documents and of skipped entries, and the first reason with its position.
fn read(name: &str, bytes: impl AsRef<[u8]>) -> (u64, u64, String) {
    let case = Case::new();
    case.write(&format!("in/{name}"), bytes);
    of(&dedup(&case.options("in", 0.8)))
}

fn of(summary: &Summary) -> (u64, u64, String) {
    let first =
        summary.skipped.first().map(|skipped| format!("{} {}: {}", skipped.entry, skipped.position, skipped.reason));
    (summary.input.documents, summary.input.skipped, first.unwrap_or_default())
}

#[test]
fn a_gzip_with_a_wrong_checksum_is_told_and_its_lines_are_read() {
    let mut packed = gzip((line(1) + &line(2)).as_bytes());
    let end = packed.len();
    packed[end - 8] ^= 1;
    let (documents, skipped, reason) = read("a.jsonl.gz", packed);
    assert_eq!((documents, skipped), (2, 1));
    assert!(reason.contains("checksum"), "{reason}");
}

#[test]
fn a_member_without_an_end_costs_what_is_in_it() {
    let packed =
        [gzip(record(&text(1)).as_bytes()), gzip(record(&text(2)).as_bytes()), gzip(record(&text(3)).as_bytes())];
    let cut = [&packed[0][..], &packed[1], &packed[2][..40]].concat();
    let (documents, skipped, reason) = read("a.warc.wet.gz", cut);
    assert_eq!((documents, skipped), (2, 1), "{reason}");
    assert!(reason.contains("damaged or cut short"), "{reason}");
}

#[test]
fn records_without_a_length_or_with_folded_headers_cost_nothing_else() {
    let without = record(&text(1)).replace("Content-Length", "Content-Size");
    let folded = record(&text(2)).replace("conversion\r\n", "\r\n\tconversion\r\n").replace("Length: ", "Length:\r\n ");
    let (documents, skipped, reason) = read("a.warc", without + &folded + &record(&text(3)));
    assert_eq!((documents, skipped), (2, 1));
    assert!(reason.contains("record 1") && reason.contains("Content-Length"), "{reason}");
}

#[test]
fn a_bomb_is_cut_off() {
    for (name, packed) in [
        ("a.jsonl.gz", gzip(&vec![b' '; 400_000_000])),
        ("a.txt.zst", zstd::encode_all(std::io::repeat(b'x').take_bytes(400_000_000), 1).unwrap()),
        (
            "a.warc.gz",
            gzip(
                &[record(&text(1)).as_bytes(), b"WARC/1.0\r\nContent-Length: 399999999\r\n\r\n", &vec![0; 400_000_000]]
                    .concat(),
            ),
        ),
    ] {
        let case = Case::new();
        case.write(&format!("in/{name}"), packed);
        let mut options = case.options("in", 0.8);
        options.read.settings.longest = 10_000_000;
        let summary = dedup(&options);
        let reasons: Vec<&str> = summary.skipped.iter().map(|skipped| &*skipped.reason).collect();
        assert!(
            !reasons.is_empty() && reasons.iter().all(|reason| reason.contains("--max-record")),
            "{name}: {reasons:?}"
        );
        assert!(summary.input.bytes < 50_000_000, "{name}: {}", summary.input.bytes);
    }
}

trait TakeBytes: std::io::Read + Sized {
    fn take_bytes(self, count: u64) -> std::io::Take<Self> {
        std::io::Read::take(self, count)
    }
}

impl<R: std::io::Read> TakeBytes for R {}

#[test]
fn depth_is_no_danger() {
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    let deeper = format!("{}1{}", "{\"text\":".repeat(10_000), "}".repeat(10_000));
    let lines = format!("{{\"a\":{deep},\"text\":\"{}\"}}\n{{\"text\":{deep}}}\n{deeper}\n{}", text(1), line(2));
    let (documents, skipped, reason) = read("a.jsonl", &lines);
    assert_eq!((documents, skipped), (2, 2), "{reason}");
    assert!(reason.starts_with("line 2: "), "{reason}");
    let (documents, skipped, _) = read("a.json", format!("[{}]", lines.trim().replace('\n', ",")));
    assert_eq!((documents, skipped), (2, 2));
}

#[test]
fn an_open_quote_costs_its_line() {
    let table = format!("id,text\n1,{}\n2,\"{}\n3,{}\n4,{}\n", text(1), text(2), text(3), text(4));
    let (documents, skipped, reason) = read("a.csv", table);
    assert_eq!((documents, skipped), (3, 1));
    assert!(reason.starts_with("row 3: ") && reason.contains("quote"), "{reason}");
}

#[test]
fn zeros_marks_and_line_ends_are_no_trouble() {
    let lines = format!("\u{feff}{}\r\n{{\"text\":\"a\\u0000b \u{0} c\"}}\r\n{}", line(1).trim(), line(2));
    let (documents, skipped, reason) = read("a.jsonl", lines);
    // A bare zero is no JSON; an escaped one is.
    assert_eq!((documents, skipped), (2, 1), "{reason}");
    assert_eq!(read("a.txt", format!("\u{feff}a zero \u{0} in {}\r\n", text(1))).0, 1);
    assert_eq!(read("a.csv", format!("\u{feff}text\r\na zero \u{0} in {}\r\n", text(1))), (1, 0, String::new()));
    assert_eq!(read("a.warc", format!("\u{feff}\r\n\r\n{}", record("a zero \u{0}"))), (1, 0, String::new()));
}

#[test]
fn a_file_that_changes_while_it_is_read_ends_the_run_without_output() {
    struct Meddler(PathBuf);
    impl lookalike::Progress for Meddler {
        fn stage(&self, name: &'static str, _: Option<u64>) {
            // When all is read, and before it is read again.
            if name == "bucket" {
                let mut file = fs::File::options().append(true).open(&self.0).unwrap();
                file.write_all(line(9).as_bytes()).unwrap();
            }
        }
        fn advance(&self, _: u64, _: lookalike::Counted) {}
        fn finish(&self) {}
    }
    let case = Case::new();
    let path = case.write("in/a.jsonl", line(1) + &line(2));
    let error = lookalike::dedup(&case.options("in", 0.8), &Meddler(path)).unwrap_err();
    assert!(matches!(error, lookalike::Error::Io(io::Error::Changed { .. })), "{error}");
    assert!(!case.path("out").exists());
}

#[test]
fn names_in_the_input_never_lead_out_of_the_output() {
    let case = Case::new();
    // A name that would be a path elsewhere, and records whose ids and addresses would.
    case.write("in/..\\..\\x.jsonl", line(1));
    case.write("in/... /x.jsonl", line(2));
    let evil = record(&text(3))
        .replace("<urn:", "<../../../../evil")
        .replace("WARC-Record", "WARC-Target-URI: file:///../../x\r\nWARC-Record");
    case.write("in/a.warc", evil);
    let mut options = case.options("in", 0.8);
    options.read.inputs =
        vec![case.path("in/../in/a.warc"), case.path("in/..\\..\\x.jsonl"), case.path("in/... /x.jsonl")];
    assert_eq!(dedup(&options).input.documents, 3);
    let mut outside: Vec<_> = fs::read_dir(case.path("")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    outside.sort();
    assert_eq!(outside, ["in", "out"]);
}

#[test]
fn a_parquet_file_cut_in_half_is_one_thing_that_is_skipped() {
    let case = Case::new();
    case.write("in/half.parquet", b"PAR1 and then no more");
    case.write("in/empty.parquet", b"");
    case.write("in/a.jsonl", line(1));
    let (documents, skipped, reason) = of(&dedup(&case.options("in", 0.8)));
    assert_eq!((documents, skipped), (1, 2), "{reason}");
    assert!(case.path("out/kept/a.jsonl").exists() && !case.path("out/kept/half.parquet").exists());
}
