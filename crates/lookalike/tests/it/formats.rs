//! The output is the input without duplicates: every format, byte by byte. Damage is reported.

use crate::made;
use std::fs;
use std::io::{Read, Write};

use crate::made::{Case, dedup};
use flate2::Compression;
use flate2::bufread::MultiGzDecoder;
use flate2::write::GzEncoder;
use lookalike::Summary;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn gunzip(bytes: &[u8]) -> Vec<u8> {
    let mut unpacked = Vec::new();
    MultiGzDecoder::new(bytes).read_to_end(&mut unpacked).unwrap();
    unpacked
}

fn text(seed: usize) -> String {
    (0..60).map(|at| format!("w{}", seed * 1000 + at)).collect::<Vec<_>>().join(" ")
}

/// A line with its fields in an odd order and with odd spaces, to be copied as it is.
fn line(text: &str) -> String {
    format!("{{ \"x\":[1, 2.50],  \"text\" : {} }}\n", serde_json::json!(text))
}

fn record(kind: &str, name: &str, text: &str) -> String {
    format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: http://{name}.example/page\r\nWARC-Record-ID: <urn:{name}>\r\n\
         Content-Type: text/plain\r\nContent-Length: {}\r\n\r\n{text}\r\n\r\n",
        text.len()
    )
}

/// The records of a crawl: two near-duplicates, a copy, and one more.
fn crawl() -> Vec<String> {
    let near = format!("{} closing", text(1));
    vec![
        record("warcinfo", "info", "software: x"),
        record("conversion", "one", &text(1)),
        record("conversion", "two", &text(2)),
        record("metadata", "about", "x: y"),
        record("conversion", "three", &near),
        record("conversion", "four", &text(2)),
    ]
}

/// The kept part of [`crawl`].
fn kept_crawl() -> String {
    let crawl = crawl();
    [0, 2, 3, 4].map(|at| crawl[at].clone()).concat()
}

fn run(case: &Case) -> Summary {
    dedup(&case.request("in", 0.8))
}

fn out(case: &Case, name: &str) -> Vec<u8> {
    fs::read(case.path("out").join(name)).unwrap()
}

#[test]
fn lines_are_copied_as_they_are() {
    let case = Case::new();
    let lines = [line(&text(1)), "\n".to_owned(), line(&text(2)), line(&text(1)), line(&text(3))];
    // Without a line end at the end, and with a byte order mark at the start.
    let bytes = format!("\u{feff}{}", lines.concat());
    case.write("in/a.jsonl", bytes.trim_end());
    let summary = run(&case);
    assert_eq!((summary.input.document_count, summary.input.skipped_count, summary.found.removed_count), (4, 0, 1));
    let kept = format!("\u{feff}{}\n{}{}", lines[0], lines[2], lines[4].trim_end());
    assert_eq!(String::from_utf8(out(&case, "kept/a.jsonl")).unwrap(), kept);
    let rows = case.rows("removed.jsonl");
    // The blank line counts as a line.
    assert_eq!((rows[0]["removed_id"].as_str(), rows[0]["kept_id"].as_str()), (Some("a.jsonl:4"), Some("a.jsonl:1")));
    assert_eq!(rows[0]["exact_copy"], true);
}

#[test]
fn compressed_lines_come_out_compressed() {
    let lines: Vec<String> = [1, 2, 1, 3].iter().map(|seed| line(&text(*seed))).collect();
    let all = lines.concat();
    let kept = [&*lines[0], &lines[1], &lines[3]].concat();
    // One member, many members that cut lines, and zstd.
    let members: Vec<u8> = all.as_bytes().chunks(100).flat_map(gzip).collect();
    for packed in [gzip(all.as_bytes()), members] {
        let case = Case::new();
        case.write("in/a.jsonl.gz", packed);
        run(&case);
        assert_eq!(gunzip(&out(&case, "kept/a.jsonl.gz")), kept.as_bytes());
    }
    let case = Case::new();
    case.write("in/a.jsonl.zst", zstd::encode_all(all.as_bytes(), 3).unwrap());
    run(&case);
    assert_eq!(zstd::decode_all(&*out(&case, "kept/a.jsonl.zst")).unwrap(), kept.as_bytes());
}

#[test]
fn crawls_keep_their_records_and_what_belongs_to_them() {
    let all = crawl().concat();
    let case = Case::new();
    case.write("in/crawl.warc.wet", &all);
    let summary = run(&case);
    assert_eq!((summary.input.document_count, summary.input.carried.len(), summary.found.removed_count), (4, 2, 2));
    assert_eq!(out(&case, "kept/crawl.warc.wet"), kept_crawl().as_bytes());
    let rows = case.rows("removed.jsonl");
    assert_eq!((rows[0]["removed_id"].as_str(), rows[0]["kept_id"].as_str()), (Some("<urn:one>"), Some("<urn:three>")));
    assert_eq!(rows[0]["removed_uri"], "http://one.example/page");
    assert_eq!(rows[0]["kept_uri"], "http://three.example/page");
    assert_eq!(
        (rows[1]["removed_source"].as_str(), rows[1]["kept_source"].as_str()),
        (Some("four.example"), Some("two.example"))
    );
}

#[test]
fn crawls_packed_by_the_record_are_copied_by_the_member() {
    let members: Vec<Vec<u8>> = crawl().iter().map(|record| gzip(record.as_bytes())).collect();
    let case = Case::new();
    case.write("in/crawl.warc.wet.gz", members.concat());
    run(&case);
    let kept = [0, 2, 3, 4].map(|at| members[at].clone()).concat();
    assert_eq!(out(&case, "kept/crawl.warc.wet.gz"), kept);
}

#[test]
fn crawls_packed_in_other_ways_come_out_whole_too() {
    let all = crawl().concat();
    let whole = gzip(all.as_bytes());
    // By record at first, then the rest in arbitrary members.
    let first = crawl()[0].len();
    let mixed: Vec<u8> =
        [gzip(&all.as_bytes()[..first]), gzip(&all.as_bytes()[first..first + 50]), gzip(&all.as_bytes()[first + 50..])]
            .concat();
    for packed in [whole, mixed] {
        let case = Case::new();
        case.write("in/crawl.warc.wet.gz", packed);
        run(&case);
        assert_eq!(String::from_utf8(gunzip(&out(&case, "kept/crawl.warc.wet.gz"))).unwrap(), kept_crawl());
    }
    let case = Case::new();
    case.write("in/crawl.warc.wet.zst", zstd::encode_all(all.as_bytes(), 3).unwrap());
    run(&case);
    assert_eq!(zstd::decode_all(&*out(&case, "kept/crawl.warc.wet.zst")).unwrap(), kept_crawl().as_bytes());
}

#[test]
fn text_files_stay_or_go() {
    let case = Case::new();
    case.write("in/b/one.txt", text(1));
    case.write("in/b/two.txt", text(2));
    case.write("in/a/copy.txt", text(1));
    case.write("in/empty.txt", "");
    case.write("in/near.txt.gz", gzip(format!("{} closing", text(2)).as_bytes()));
    let summary = run(&case);
    assert_eq!((summary.input.document_count, summary.input.empty_count, summary.found.removed_count), (5, 1, 2));
    assert_eq!(out(&case, "kept/a/copy.txt"), text(1).as_bytes());
    assert_eq!(out(&case, "kept/empty.txt"), b"");
    assert!(!case.path("out/kept/b/one.txt").exists() && !case.path("out/kept/b/two.txt").exists());
    let rows = case.rows("removed.jsonl");
    assert_eq!((rows[0]["removed_id"].as_str(), rows[0]["kept_id"].as_str()), (Some("b/one.txt"), Some("a/copy.txt")));
    assert_eq!(rows[1]["kept_id"], "near.txt.gz");
}

#[test]
fn a_file_that_loses_everything_is_empty_and_still_a_file_of_its_kind() {
    let case = Case::new();
    case.write("in/a.jsonl", line(&text(1)));
    case.write("in/b.jsonl.gz", gzip(line(&text(1)).as_bytes()));
    run(&case);
    assert_eq!(gunzip(&out(&case, "kept/b.jsonl.gz")), b"");
}

#[test]
fn annotated_files_have_everything_with_a_note() {
    let case = Case::new();
    case.write("in/a.jsonl.gz", gzip((line(&text(1)) + &line(&text(1))).as_bytes()));
    case.write("in/crawl.wet", crawl().concat());
    case.write("in/t.txt", text(9));
    let mut request = case.request("in", 0.8);
    request.annotate = Some(true);
    dedup(&request);
    assert!(!case.path("out/kept").exists());
    let lines = String::from_utf8(gunzip(&out(&case, "annotated/a.jsonl.gz"))).unwrap();
    let rows: Vec<serde_json::Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    // Both match the longer record of the crawl, which is kept.
    assert_eq!((&rows[1]["kept"], &rows[1]["kept_id"]), (&false.into(), &"<urn:three>".into()));
    assert_eq!(rows[0]["text"], text(1));
    assert_eq!(rows[0]["cluster"], rows[1]["cluster"]);
    let wet = String::from_utf8(out(&case, "annotated/crawl.wet")).unwrap();
    assert_eq!(wet.matches("Lookalike-Kept: true\r\n").count(), 2);
    assert_eq!(wet.matches("Lookalike-Kept: false\r\n").count(), 2);
    let text_rows = made::rows(&case.path("out/annotated/t.txt.jsonl"));
    assert_eq!((&text_rows[0]["id"], &text_rows[0]["kept"]), (&"t.txt".into(), &true.into()));
}

/// The gzip members of the records.
fn members(bytes: &[u8]) -> Vec<String> {
    let (mut rest, mut records) = (bytes, Vec::new());
    while !rest.is_empty() {
        let mut decoder = flate2::bufread::GzDecoder::new(rest);
        let mut record = String::new();
        decoder.read_to_string(&mut record).unwrap();
        records.push(record);
        rest = decoder.into_inner();
    }
    records
}

#[test]
fn crawls_come_out_with_a_member_for_each_record_however_they_were_packed() {
    let records = crawl();
    let by_record: Vec<u8> = records.iter().flat_map(|record| gzip(record.as_bytes())).collect();
    let whole = gzip(records.concat().as_bytes());
    for packed in [by_record, whole] {
        for (annotate, folder, expected) in [(false, "kept", 4), (true, "annotated", 6)] {
            let case = Case::new();
            case.write("in/crawl.warc.gz", &packed);
            dedup(&case.request("in", 0.8).annotate(annotate));
            let members = members(&out(&case, &format!("{folder}/crawl.warc.gz")));
            assert_eq!(members.len(), expected, "{folder}");
            assert!(members.iter().all(|record| record.starts_with("WARC/1.0\r\n")), "{folder}");
            assert!(members.iter().all(|record| record.matches("WARC-Type").count() == 1), "{folder}");
        }
    }
    let case = Case::new();
    case.write("in/crawl.warc.zst", zstd::encode_all(records.concat().as_bytes(), 3).unwrap());
    dedup(&case.request("in", 0.8).annotate(true));
    let packed = out(&case, "annotated/crawl.warc.zst");
    let frames = packed.windows(4).filter(|bytes| bytes == b"\x28\xB5\x2F\xFD").count();
    assert_eq!(frames, records.len());
    assert_eq!(String::from_utf8(zstd::decode_all(&*packed).unwrap()).unwrap().matches("WARC/1.0").count(), 6);
}

#[test]
fn fields_that_an_earlier_run_noted_are_replaced_and_counted() {
    let case = Case::new();
    case.write("in/a.jsonl", line(&text(1)) + &line(&text(1)) + &line(&text(2)));
    case.write("in/b.csv", format!("text,kept\n{},mine\n", text(3)));
    case.write("in/crawl.wet", crawl().concat());
    let request = case.request("in", 0.8).annotate(true);
    assert_eq!(dedup(&request).wrote.replaced_field_count, 1);
    let first: Vec<Vec<u8>> =
        ["a.jsonl", "b.csv", "crawl.wet"].map(|name| out(&case, &format!("annotated/{name}"))).into();
    // The notes of a second run replace those of the first.
    fs::rename(case.path("out/annotated"), case.path("again")).unwrap();
    fs::remove_dir_all(case.path("out")).unwrap();
    let request = case.request("again", 0.8).annotate(true);
    assert_eq!(dedup(&request).wrote.replaced_field_count, 8);
    let second: Vec<Vec<u8>> =
        ["a.jsonl", "b.csv", "crawl.wet"].map(|name| out(&case, &format!("annotated/{name}"))).into();
    assert_eq!(first, second);
    let wet = String::from_utf8(second[2].clone()).unwrap();
    assert_eq!(wet.matches("Lookalike-Cluster:").count(), 4);
}

#[test]
fn a_field_in_use_is_not_overwritten_by_a_note() {
    for field in ["kept_id", "cluster.text"] {
        let refused = Case::new().request("in", 0.8).annotate(true).text(field).check().unwrap_err();
        assert_eq!((refused.name(), refused.why().kind()), ("annotate", "not_with"));
        let message = format!("annotate would replace the field '{field}', which text names: rename it in the input");
        assert_eq!(refused.to_string(), message);
    }
}

/// A record of a capture, with the ids of others that it names.
fn linked(kind: &str, name: &str, to: &[&str], text: &str) -> String {
    let links: String = to.iter().map(|to| format!("WARC-Concurrent-To: <urn:{to}>\r\n")).collect();
    record(kind, name, text).replace("Content-Type", &format!("{links}Content-Type"))
}

#[test]
fn requests_go_with_the_responses_they_belong_to() {
    let response = |seed| format!("{} closing", text(seed));
    let page = |name: &str, to: &[&str], seed| linked("resource", name, to, &response(seed));
    let records = [
        record("warcinfo", "info", "software: x"),
        page("kept", &[], 1),
        linked("request", "of-kept", &["kept"], "GET /"),
        // As Heritrix links them: all to the response, which comes first or last.
        linked("request", "heritrix", &["gone-1"], "GET /"),
        page("gone-1", &[], 1),
        linked("metadata", "about-1", &["gone-1"], "x: y"),
        // As in Common Crawl: the response names the request.
        linked("request", "nutch", &[], "GET /"),
        page("gone-2", &["nutch"], 1),
        linked("metadata", "about-2", &["gone-2"], "x: y"),
        linked("metadata", "of-request", &["nutch"], "x: y"),
        // By reference.
        record("metadata", "wat", "{}").replace("Content-Type", "WARC-Refers-To: <urn:gone-2>\r\nContent-Type"),
        // These belong to no removed document, or to a kept one as well.
        linked("request", "alone", &["elsewhere"], "GET /"),
        linked("metadata", "both", &["kept", "gone-3"], "x: y"),
        page("gone-3", &[], 1),
        // A revisit is removed with its page, and so is what was captured with it.
        record("revisit", "again", "").replace("Content-Type", "WARC-Refers-To: <urn:gone-1>\r\nContent-Type"),
        linked("request", "of-again", &["again"], "GET /"),
        record("revisit", "of-kept-again", "").replace("Content-Type", "WARC-Refers-To: <urn:kept>\r\nContent-Type"),
    ];
    let stays = [0, 1, 2, 11, 12, 16].map(|at: usize| &*records[at]).concat();
    let packed: Vec<u8> = records.iter().flat_map(|record| gzip(record.as_bytes())).collect();
    let expected = [("metadata".to_owned(), 4), ("request".to_owned(), 3), ("revisit".to_owned(), 1)];
    for (name, bytes) in [("a.warc", records.concat().into_bytes()), ("a.warc.gz", packed)] {
        let case = Case::new();
        case.write(&format!("in/{name}"), bytes);
        let summary = run(&case);
        assert_eq!(summary.found.removed_count, 3);
        assert_eq!(summary.wrote.removed_along, expected.clone().into());
        let kept = out(&case, &format!("kept/{name}"));
        let kept = if name == "a.warc" { kept } else { gunzip(&kept) };
        assert_eq!(String::from_utf8(kept).unwrap(), stays, "{name}");
        // Annotated, everything is there.
        let summary = dedup(&case.request("in", 0.8).annotate(true));
        assert!(summary.wrote.removed_along.is_empty());
        let all = out(&case, &format!("annotated/{name}"));
        let all = if name == "a.warc" { all } else { gunzip(&all) };
        assert_eq!(String::from_utf8(all).unwrap().matches("WARC-Type").count(), records.len());
    }
}

#[test]
fn a_revisit_goes_with_its_page_in_another_file_and_stays_with_one_that_is_kept_or_elsewhere() {
    let with = |record: String, fields: &str| record.replace("Content-Type", &format!("{fields}Content-Type"));
    let near = format!("{} closing", text(1));
    let dated = |record, date| with(record, &format!("WARC-Date: {date}\r\n"));
    let kept = with(record("resource", "kept", &near), "WARC-Payload-Digest: sha1:KEPT\r\n");
    let gone =
        with(dated(record("resource", "gone", &text(1)), "2024-01-01T00:00:00Z"), "WARC-Payload-Digest: sha1:GONE\r\n");
    let by_date = "WARC-Refers-To-Target-URI: http://gone.example/page\r\nWARC-Refers-To-Date: ";
    let revisits = [
        with(record("revisit", "a", ""), &format!("{by_date}2024-01-01T00:00:00Z\r\n")),
        with(record("revisit", "b", ""), "WARC-Payload-Digest: sha1:GONE\r\n"),
        with(record("revisit", "c", ""), &format!("{by_date}1999-01-01T00:00:00Z\r\n")),
        with(record("revisit", "d", ""), "WARC-Payload-Digest: sha1:KEPT\r\n"),
        with(record("revisit", "e", ""), "WARC-Refers-To: <urn:elsewhere>\r\n"),
    ];
    let case = Case::new();
    case.write("in/pages.warc", format!("{kept}{gone}"));
    case.write("in/revisits.warc", revisits.concat());
    let summary = run(&case);
    assert_eq!(summary.found.removed_count, 1);
    assert_eq!(summary.wrote.removed_along, [("revisit".to_owned(), 2)].into());
    assert_eq!(String::from_utf8(out(&case, "kept/revisits.warc")).unwrap(), revisits[2..].concat());
}

#[test]
fn captures_that_cannot_be_told_apart_lose_nothing() {
    let capture = linked("request", "q", &["r"], "GET /") + &linked("resource", "r", &[], &text(1));
    let case = Case::new();
    case.write("in/twice.warc", format!("{capture}{capture}"));
    let summary = run(&case);
    assert_eq!((summary.found.removed_count, summary.wrote.removed_along.len()), (1, 0));
    assert_eq!(String::from_utf8(out(&case, "kept/twice.warc")).unwrap().matches("GET /").count(), 2);
}

/// The positions and reasons of what is skipped when a file has this content.
fn skipped(name: &str, bytes: &[u8]) -> (Summary, Vec<(u64, String)>) {
    let case = Case::new();
    case.write(&format!("in/{name}"), bytes);
    let summary = run(&case);
    let skipped = summary.skipped.iter().map(|skipped| (skipped.position, skipped.reason.to_string())).collect();
    (summary, skipped)
}

#[test]
fn bad_lines_are_skipped_and_shown_with_their_line() {
    let mut bytes = line(&text(1)).into_bytes();
    bytes.extend_from_slice(b"not json\n{\"no\": \"text\"}\n");
    bytes.extend_from_slice(line(&text(2)).as_bytes());
    bytes.extend_from_slice(b"{\"text\": \"caf\xE9\"}\n{\"text\": 5}\n");
    let (summary, skipped) = skipped("a.jsonl", &bytes);
    assert_eq!((summary.input.document_count, summary.input.skipped_count, summary.found.kept_count), (2, 3, 2));
    assert_eq!(skipped.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [2, 5, 6]);
    for ((_, reason), said) in skipped.iter().zip(["not a document in JSON", "not UTF-8", "not a text"]) {
        assert!(reason.contains(said), "{reason}");
    }
}

#[test]
fn positions_are_right_far_into_a_file() {
    // More than one chunk of a megabyte.
    let mut bytes = Vec::new();
    for seed in 0..4000 {
        bytes.extend_from_slice(line(&text(seed)).as_bytes());
    }
    assert!(bytes.len() > 1_500_000);
    bytes.extend_from_slice(b"{broken\n");
    bytes.extend_from_slice(line(&text(7)).as_bytes());
    let case = Case::new();
    case.write("in/a.jsonl", bytes);
    let summary = run(&case);
    assert_eq!((summary.input.document_count, summary.skipped[0].position), (4001, 4001));
    let rows = case.rows("removed.jsonl");
    assert_eq!((&rows[0]["removed_id"], &rows[0]["kept_id"]), (&"a.jsonl:4002".into(), &"a.jsonl:8".into()));
}

#[test]
fn a_gzip_cut_short_gives_what_came_before() {
    let lines: String = (0..2000).map(|seed| line(&text(seed))).collect();
    let packed = gzip(lines.as_bytes());
    let (summary, skipped) = skipped("a.jsonl.gz", &packed[..packed.len() / 2]);
    assert!((500..1500).contains(&summary.input.document_count), "{}", summary.input.document_count);
    assert_eq!(skipped.len(), 1);
    assert!(skipped[0].1.contains("damaged or cut short"), "{}", skipped[0].1);
    // The next line would have been the lost one.
    assert_eq!(skipped[0].0, summary.input.document_count + 1);
    // Nothing is left of a file that is one document.
    let case = Case::new();
    case.write("in/t.txt.gz", &gzip(text(1).as_bytes())[..30]);
    let refused = made::try_dedup(&case.request("in", 0.8)).unwrap_err();
    assert!(matches!(refused, lookalike::Error::NothingRead { count: 1, .. }), "{refused}");
}

#[test]
fn what_follows_gzip_data_is_passed_over() {
    let packed = gzip(text(1).as_bytes());
    // Zeros are common, and not reported.
    let (summary, skipped) = skipped("t.txt.gz", &[&packed[..], &[0; 512]].concat());
    assert_eq!((summary.input.document_count, skipped.len()), (1, 0));
    let (summary, skipped) = self::skipped("t.txt.gz", &[&packed[..], b"rubbish"].concat());
    assert_eq!(summary.input.document_count, 1);
    assert!(skipped[0].1.contains("not gzip"), "{}", skipped[0].1);
}

#[test]
fn a_record_with_a_wrong_length_is_skipped_and_the_next_one_is_read() {
    let mut records = crawl();
    records[2] = records[2].replace("Content-Length: ", "Content-Length: 1");
    let (summary, skipped) = skipped("crawl.warc.wet", records.concat().as_bytes());
    assert_eq!((summary.input.document_count, summary.input.skipped_count), (3, 1));
    assert_eq!(skipped[0].0, 3);
    assert!(skipped[0].1.contains("Content-Length"), "{}", skipped[0].1);
    // Cut in the middle of the last record.
    let all = crawl().concat();
    let (summary, _) = self::skipped("crawl.warc.wet", &all.as_bytes()[..all.len() - 100]);
    assert_eq!((summary.input.document_count, summary.input.skipped_count), (3, 1));
}
