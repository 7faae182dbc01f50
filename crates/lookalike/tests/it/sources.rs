//! Sources: the source of a document, the losses of each, and to which source.

use crate::made::{Case, dedup, try_dedup};
use lookalike::{DedupRequest, Error, Share};
use serde_json::{Value, json};

fn text(seed: usize) -> String {
    (0..40).map(|at| format!("w{}", seed * 1000 + at)).collect::<Vec<_>>().join(" ")
}

fn line(id: usize, text: &str, site: &str) -> String {
    let site = if site.is_empty() { Value::Null } else { json!(site) };
    format!("{}\n", json!({"id": id, "text": text, "meta": {"site": site}}))
}

/// `new` has 60 texts, of which `old` has 50, one word shorter, and one of its own; one document has no site.
fn two_sites() -> Case {
    let case = Case::new();
    let new = (0..60).map(|seed| line(seed, &format!("{} more", text(seed)), "new"));
    let old = (0..50).map(|seed| line(100 + seed, &text(seed), "old"));
    let rest = [line(200, &text(200), "old"), line(201, &text(201), "")];
    case.write("corpus.jsonl", new.chain(old).chain(rest).collect::<String>());
    case
}

fn by_site(case: &Case) -> DedupRequest {
    case.request("corpus.jsonl", 0.8).source("meta.site")
}

#[test]
fn a_field_says_the_source() {
    let case = two_sites();
    let summary = dedup(&by_site(&case));
    let found: Vec<_> = summary
        .sources
        .iter()
        .map(|source| (source.source.as_str(), source.document_count, source.removed_count))
        .collect();
    assert_eq!(found, [("new", 60, 0), ("old", 51, 50), ("(no source)", 1, 0)]);
    assert_eq!((summary.input.without_source_count, summary.parameters.source.as_str()), (1, "field:meta.site"));
    let row = &case.rows("removed.jsonl")[0];
    assert_eq!((&row["removed_source"], &row["kept_source"]), (&json!("old"), &json!("new")));
    assert_eq!(summary.losing_most.iter().map(|source| source.source.as_str()).collect::<Vec<_>>(), ["old"]);
}

#[test]
fn a_source_that_is_nearly_lost_is_told_with_the_one_that_replaces_it() {
    let case = two_sites();
    let summary = dedup(&by_site(&case));
    let [lost] = &summary.nearly_lost[..] else { panic!("{:?}", summary.nearly_lost) };
    assert_eq!((lost.source.source.as_str(), lost.source.removed_count, lost.source.document_count), ("old", 50, 51));
    assert_eq!(
        (lost.mostly_for.as_str(), lost.mostly_for_removed_count, lost.mostly_for_reference),
        ("new", 50, false)
    );
    let json: Value = serde_json::from_slice(&std::fs::read(case.path("out/summary.json")).unwrap()).unwrap();
    assert_eq!(
        (&json["nearly_lost"][0]["source"], &json["nearly_lost"][0]["mostly_for"]),
        (&json!("old"), &json!("new"))
    );

    // By file it is one source, and loses less than half.
    assert!(dedup(&by_site(&case).source("file")).nearly_lost.is_empty());
}

#[test]
fn few_documents_or_a_smaller_share_are_no_reason_for_alarm() {
    for (copies, others, is_told) in [(19, 0, false), (20, 0, true), (19, 1, true), (38, 2, true), (37, 3, false)] {
        let case = Case::new();
        let reference = (0..copies).map(|seed| line(seed, &text(seed), "test")).collect::<String>();
        let input = (0..copies).map(|seed| line(seed, &text(seed), "site"));
        let others = (0..others).map(|seed| line(seed, &text(500 + seed), "site"));
        case.write("corpus.jsonl", input.chain(others).collect::<String>());
        case.write("test.jsonl", reference);
        let summary = dedup(&by_site(&case).against([case.path("test.jsonl")]));
        assert_eq!(!summary.nearly_lost.is_empty(), is_told, "{copies}");
        for lost in summary.nearly_lost {
            assert_eq!((lost.mostly_for.as_str(), lost.mostly_for_reference), ("test", true));
        }
        assert_eq!(summary.sources.len(), 1, "the reference is no source of the input");
    }
}

#[test]
fn hosts_and_files_are_sources() {
    let record = |uri: &str, text: &str| {
        format!(
            "WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Target-URI: {uri}\r\nContent-Length: {}\r\n\r\n{text}\r\n\r\n",
            text.len()
        )
    };
    let case = Case::new();
    case.write("in/a.wet", record("http://one.example/x", &text(1)) + &record("http://two.example/y", &text(2)));
    case.write("in/b.txt", text(1));
    for (source, expected) in [
        (None, ["./", "one.example", "two.example"].as_slice()),
        (Some("host"), &["(no host)", "one.example", "two.example"]),
        (Some("file"), &["a.wet", "b.txt"]),
        (Some("field:meta.site"), &["(no source)"]),
    ] {
        let mut request = case.request("in", 0.8);
        request.source = source.map(str::to_owned);
        let summary = dedup(&request);
        let mut sources: Vec<&str> = summary.sources.iter().map(|source| source.source.as_str()).collect();
        sources.sort_unstable();
        assert_eq!(sources, expected, "{source:?}");
    }
}

#[test]
fn a_source_that_loses_too_much_ends_the_run_with_nothing_written() {
    let case = two_sites();
    let mut request = by_site(&case);
    let share = 50.0 / 51.0;
    request.fail_if_source_loses = Some(share);
    match try_dedup(&request) {
        Err(Error::SourcesLose { sources, .. }) => assert_eq!(sources.len(), 1),
        other => panic!("{other:?}"),
    }
    assert_eq!(std::fs::read_dir(case.folder.path()).unwrap().count(), 1, "only the corpus is there");
    request.fail_if_source_loses = Some(share + 1e-9);
    dedup(&request);
    for wrong in [0.0, -0.5, 1.5, 95.0, f64::NAN] {
        assert!(matches!(Share::new(wrong), Err(Error::ShareOutOfRange { .. })), "{wrong}");
        let refused = by_site(&case).fail_if_source_loses(wrong).check().unwrap_err();
        assert_eq!((refused.name(), refused.why().kind()), ("fail_if_source_loses", "out_of_range"));
    }
}

#[test]
fn a_source_of_one_document_may_be_lost() {
    let case = Case::new();
    case.write("corpus.jsonl", line(0, &text(0), "a") + &line(1, &text(0), "b"));
    let mut request = by_site(&case);
    // More than the half that the whole input loses.
    request.fail_if_source_loses = Some(0.6);
    let summary = dedup(&request);
    assert_eq!(summary.found.removed_count, 1);
    assert!(summary.losing_most.is_empty(), "a single document says nothing of its source");
}

/// Pages of a site, 20 words of which are the same in all except the first 16.
fn pages(folder: &str) -> Case {
    let case = Case::new();
    for page in 0..200 {
        let same = if page < 16 { page } else { 0 };
        let text = format!("<title>Page</title><p>{} {page}</p>", text(same));
        case.write(&format!("in/{folder}/{page:03}.html"), text);
    }
    case
}

#[test]
fn the_source_of_a_file_that_is_one_document_is_its_folder() {
    let case = pages("site");
    case.write("in/other/a.txt", text(900));
    let mut request = case.request("in", 0.8);
    request.fail_if_source_loses = Some(0.9);
    match try_dedup(&request) {
        Err(error @ Error::SourcesLose { .. }) => {
            assert!(error.to_string().contains("92.0 % of 200 documents of site/"), "{error}");
        }
        other => panic!("{other:?}"),
    }
    request.fail_if_source_loses = None;
    let summary = dedup(&request);
    let found: Vec<_> = summary.sources.iter().map(|source| (source.source.as_str(), source.document_count)).collect();
    assert_eq!((found, summary.found.removed_count), (vec![("site/", 200), ("other/", 1)], 184));
    let row = &case.rows("removed.jsonl")[0];
    assert_eq!((&row["removed_source"], &row["kept_source"]), (&json!("site/"), &json!("site/")));
    // With the source "file", every file is a source.
    request.source = Some("file".to_owned());
    assert_eq!(dedup(&request).sources.len(), 201);
}

#[test]
fn the_whole_input_is_a_source_that_may_lose_too_much() {
    let case = pages("site");
    let mut request = case.request("in", 0.8);
    request.source = Some("file".to_owned());
    for (share, fails) in [(0.92, true), (0.93, false)] {
        request.fail_if_source_loses = Some(share);
        match try_dedup(&request) {
            Err(error @ Error::SourcesLose { .. }) => {
                assert!(fails && error.to_string().contains("92.0 % of 200 documents of the whole input"), "{error}");
                assert!(!case.path("out").exists());
            }
            other => assert!(!fails && other.is_ok(), "{share}: {other:?}"),
        }
    }
}
