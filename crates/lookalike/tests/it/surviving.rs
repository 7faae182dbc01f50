//! Broken, malicious and enormous input: nothing ends a run, nothing is lost silently, nothing fills the memory.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use crate::made::{Case, dedup, try_dedup};
use flate2::Compression;
use flate2::write::GzEncoder;
use lookalike::{Summary, io};

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

/// The result for one file: the numbers of documents and of skipped entries, and the first reason with its position.
fn read(name: &str, bytes: impl AsRef<[u8]>) -> (u64, u64, String) {
    let case = Case::new();
    case.write(&format!("in/{name}"), bytes);
    of(&dedup(&case.request("in", 0.8)))
}

fn of(summary: &Summary) -> (u64, u64, String) {
    let first =
        summary.skipped.first().map(|skipped| format!("{} {}: {}", skipped.entry, skipped.position, skipped.reason));
    (summary.input.document_count, summary.input.skipped_count, first.unwrap_or_default())
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
        let summary = match try_dedup(&case.request("in", 0.8).max_record(10_000_000)) {
            Ok(summary) => summary,
            Err(error) => {
                // All that there is was cut off.
                assert!(error.to_string().contains("the longest record that is read"), "{name}: {error}");
                continue;
            }
        };
        let reasons: Vec<&str> = summary.skipped.iter().map(|skipped| skipped.reason.text()).collect();
        assert!(
            !reasons.is_empty() && reasons.iter().all(|reason| reason.contains("the longest record that is read")),
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
    let mut request = case.request("in", 0.8);
    request.read.inputs =
        vec![case.path("in/../in/a.warc"), case.path("in/..\\..\\x.jsonl"), case.path("in/... /x.jsonl")];
    assert_eq!(dedup(&request).input.document_count, 3);
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
    let (documents, skipped, reason) = of(&dedup(&case.request("in", 0.8)));
    assert_eq!((documents, skipped), (1, 2), "{reason}");
    assert!(case.path("out/kept/a.jsonl").exists() && !case.path("out/kept/half.parquet").exists());
}

#[test]
fn a_crawl_whose_first_byte_is_damaged_loses_that_record_and_is_not_a_text() {
    let records = record(&text(1)) + &record(&text(2)) + &record(&text(3));
    let damaged = format!("X{}", &records[1..]);
    for (name, bytes) in [
        ("a.warc", damaged.clone().into_bytes()),
        ("a.wet", damaged.clone().into_bytes()),
        ("a.warc.wet.gz", gzip(damaged.as_bytes())),
        ("a.warc.zst", zstd::encode_all(damaged.as_bytes(), 1).unwrap()),
    ] {
        assert_eq!(read(name, bytes), (2, 1, "record 1: not a WARC record".to_owned()), "{name}");
    }
    // A file without any record is counted too, and so is one that is only recognized by its name.
    for (name, bytes, reason) in [
        ("a.warc", text(1).into_bytes(), "record 1: not a WARC record"),
        ("a.warc.gz", gzip(records.as_bytes())[1..].to_vec(), ""),
        ("a.arc", text(1).into_bytes(), "record 1: not an ARC record"),
        ("a.parquet", line(1).into_bytes(), "not Parquet"),
    ] {
        let case = Case::new();
        case.write(&format!("in/{name}"), bytes);
        let error = try_dedup(&case.request("in", 0.8)).unwrap_err().to_string();
        assert!(error.starts_with("nothing could be read") && error.contains(reason), "{name}: {error}");
    }
}

/// A Parquet file of one column of texts: a row group for each part, and where the page of each starts.
fn parquet(groups: &[Vec<String>]) -> (Vec<u8>, Vec<usize>) {
    fn number(value: u64) -> Vec<u8> {
        let mut left = value << 1;
        let mut bytes = Vec::new();
        while left > 127 {
            bytes.push(left as u8 | 128);
            left >>= 7;
        }
        bytes.push(left as u8);
        bytes
    }
    let name = |name: &str| [&[name.len() as u8], name.as_bytes()].concat();
    // Each field: how far its number is from that of the field before it, its type, its value. (Thrift's compact
    // protocol)
    let fields = |fields: &[(u8, u8, Vec<u8>)]| {
        let field = |(step, kind, value): &(u8, u8, Vec<u8>)| [&[step << 4 | kind], &value[..]].concat();
        [fields.iter().flat_map(field).collect::<Vec<u8>>(), vec![0]].concat()
    };
    let list = |kind: u8, items: &[Vec<u8>]| [vec![(items.len() as u8) << 4 | kind], items.concat()].concat();
    let (i32, i64, binary, lists, object) = (5, 6, 8, 9, 12);
    let (mut bytes, mut starts, mut described, mut rows) = (b"PAR1".to_vec(), Vec::new(), Vec::new(), 0);
    for texts in groups {
        let values: Vec<u8> =
            texts.iter().flat_map(|text| [&(text.len() as u32).to_le_bytes()[..], text.as_bytes()].concat()).collect();
        let (size, count) = (number(values.len() as u64), number(texts.len() as u64));
        let page = fields(&[(1, i32, count.clone()), (1, i32, number(0)), (1, i32, number(3)), (1, i32, number(3))]);
        let head = fields(&[(1, i32, number(0)), (1, i32, size.clone()), (1, i32, size), (2, object, page)]);
        let start = number(bytes.len() as u64);
        starts.push(bytes.len());
        let length = number((head.len() + values.len()) as u64);
        bytes.extend(head.into_iter().chain(values));
        let column = fields(&[
            (1, i32, number(6)),
            (1, lists, list(i32, &[number(0)])),
            (1, lists, list(binary, &[name("text")])),
            (1, i32, number(0)),
            (1, i64, count.clone()),
            (1, i64, length.clone()),
            (1, i64, length.clone()),
            (2, i64, start.clone()),
        ]);
        let chunk = fields(&[(2, i64, start), (1, object, column)]);
        described.push(fields(&[(1, lists, list(object, &[chunk])), (1, i64, length), (1, i64, count)]));
        rows += texts.len() as u64;
    }
    let root = fields(&[(4, binary, name("root")), (1, i32, number(1))]);
    let column = fields(&[(1, i32, number(6)), (2, i32, number(0)), (1, binary, name("text")), (2, i32, number(0))]);
    let footer = fields(&[
        (1, i32, number(1)),
        (1, lists, list(object, &[root, column])),
        (1, i64, number(rows)),
        (1, lists, list(object, &described)),
    ]);
    bytes.extend(&footer);
    bytes.extend((footer.len() as u32).to_le_bytes());
    bytes.extend(b"PAR1");
    (bytes, starts)
}

#[test]
fn rows_of_a_row_group_that_cannot_be_read_are_all_counted() {
    let (mut bytes, starts) = parquet(&[(0..3).map(text).collect(), (3..13).map(text).collect(), vec![text(13)]]);
    assert_eq!(read("a.parquet", &bytes), (14, 0, String::new()));
    bytes[starts[1]..][..8].fill(0xFF);
    let (documents, skipped, reason) = read("a.parquet", &bytes);
    assert_eq!((documents, skipped), (4, 10), "{reason}");
    assert!(reason.starts_with("row 4: ") && reason.ends_with("10 rows are lost"), "{reason}");

    // Also as the table that `link` and `sets` read.
    let case = Case::new();
    let path = case.write("a.parquet", &bytes);
    let table = io::table::read_table(&[path], None, &io::read::Settings::default(), |_| Ok::<_, io::Error>(()));
    let table = table.unwrap();
    assert_eq!((table.table.row_count(), table.skipped_count, table.skipped.len()), (4, 10, 1));
    assert_eq!((table.skipped[0].position, table.skipped[0].count), (4, 10));
}
