//! Messages of a build without features for files that need them. `cargo xtask test` creates such a build, and runs
//! this test in it.
#![cfg(not(any(feature = "excel", feature = "parquet", feature = "remote", feature = "web")))]

mod made;

use made::{Case, dedup, try_dedup};

const TEXT: &str = "The quick brown fox jumps over the lazy dog, and nobody minds.";

#[test]
fn files_that_need_a_feature_are_counted_and_named_and_the_others_are_read() {
    let case = Case::new();
    case.write("in/a.txt", TEXT);
    case.write("in/b.txt", TEXT);
    case.write("in/page.html", format!("<html><p>{TEXT}"));
    case.write("in/table.parquet", b"PAR1 and so on PAR1");
    let summary = dedup(&case.request("in", 0.8));
    assert_eq!((summary.input.document_count, summary.found.kept_count), (2, 1), "{summary:?}");
    let mut reasons: Vec<(&str, &str)> = summary
        .skipped
        .iter()
        .map(|skipped| (skipped.file.rsplit('/').next().unwrap(), skipped.reason.text()))
        .collect();
    reasons.sort_unstable();
    let expected = [
        ("page.html", "this build of lookalike reads no web pages: build it with the feature `web`"),
        ("table.parquet", "this build of lookalike reads no Parquet: build it with the feature `parquet`"),
    ];
    assert_eq!(reasons, expected);
}

#[test]
fn the_pages_of_a_crawl_are_counted_as_skipped() {
    let http = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>{TEXT}");
    let plain = format!("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n{TEXT}");
    let packed =
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Encoding: br\r\n\r\n\u{1}\u{2}\u{3}".to_owned();
    let record = |block: &String| {
        format!(
            "WARC/1.0\r\nWARC-Type: response\r\nContent-Type: application/http\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
            block.len()
        )
    };
    let case = Case::new();
    case.write("in.warc", [http, plain, packed].iter().map(record).collect::<String>());
    let summary = dedup(&case.request("in.warc", 0.8));
    assert_eq!(summary.input.document_count, 1, "{summary:?}");
    assert_eq!(summary.skipped.len(), 2, "{summary:?}");
    assert!(summary.skipped.iter().all(|skipped| skipped.reason.text().contains("reads no web pages")), "{summary:?}");
}

#[test]
fn addresses_are_refused_without_what_is_secret_in_them() {
    let case = Case::of(&[TEXT]);
    let mut request = case.request("corpus.jsonl", 0.8);
    request.read.inputs = vec!["https://user:secret@host/file.jsonl?signature=1".into()];
    let message = try_dedup(&request).unwrap_err().to_string();
    assert!(message.contains("https://host/file.jsonl") && message.contains("no remote addresses"), "{message}");
    assert!(!message.contains("secret") && !message.contains("signature"), "{message}");
    let mut request = case.request("corpus.jsonl", 0.8);
    request.output = Some("s3://bucket/out".into());
    let message = try_dedup(&request).unwrap_err().to_string();
    assert!(message.contains("s3://bucket/out") && message.contains("no remote addresses"), "{message}");
}
