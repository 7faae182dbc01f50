//! Real crawls of many origins, if the shared data is available (see `build.rs`): read to their ends or to the damage,
//! without losing anything silently. The numbers of records were compared with those of `warcio`, file by file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::made::{Case, dedup, labeled};
use lookalike::Summary;
use lookalike::io::web::Extract;

fn samples() -> PathBuf {
    labeled("warc-samples")
}

/// All samples, except the table of their origins, which has no text.
fn all_of(folder: &Path) -> Vec<PathBuf> {
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> = paths.filter(|path| !path.ends_with("files.tsv")).collect();
    paths.sort_unstable();
    paths
}

fn read(inputs: Vec<PathBuf>, extract: Extract) -> (Case, Summary) {
    let case = Case::new();
    let summary = dedup(&case.request("in", 0.8).inputs(inputs).extract(extract));
    (case, summary)
}

#[test]
#[ignore = "reads labeled data: cargo xtask test runs it where that is"]
fn every_sample_is_read_to_its_end_or_to_the_damage() {
    let folder = samples();
    let (_, summary) = read(all_of(&folder), Extract::default());
    let carried = [
        ("filedesc", 3),
        ("metadata", 35),
        ("not text", 38),
        ("other", 6),
        ("request", 265),
        ("revisit", 138),
        ("warcinfo", 31),
    ];
    let carried: BTreeMap<String, u64> = carried.into_iter().map(|(kind, count)| (kind.to_owned(), count)).collect();
    assert_eq!(summary.input.carried, carried);
    assert_eq!((summary.input.document_count, summary.input.skipped_count), (118, 13));
    let mut skipped: Vec<(&str, u64)> = summary
        .skipped
        .iter()
        .map(|skipped| (skipped.file.rsplit("__").next().unwrap().rsplit('/').next().unwrap(), skipped.position))
        .collect();
    skipped.sort_unstable();
    assert_eq!(
        skipped,
        [
            ("bad.arc", 1),
            ("bad.arc", 2),
            ("double-single-inflate-error.gz", 1),
            ("example-extra.warc", 4),
            ("example-extra.warc", 5),
            ("example-space-in-url.arc", 2),
            ("example-trunc.warc", 3),
            ("example-wrong-chunks.warc.gz", 1),
            ("missing-status-text.warc", 1),
            ("sample.warc.txt", 1),
            ("sample.warc.txt", 2),
            ("sample.warc.txt", 3),
            ("sample.warc.txt", 4),
        ]
    );
}

#[test]
#[ignore = "reads labeled data: cargo xtask test runs it where that is"]
fn a_page_is_known_again_in_every_form_of_its_crawl() {
    let folder = samples();
    // The same page as HTML, plain and gzip, and as the text that Common Crawl made of it, plain and gzip.
    let names = ["warc", "warc.gz", "warc.wet", "warc.wet.gz"];
    let inputs = names.map(|end| folder.join(format!("commoncrawl__whirlwind-python__whirlwind.{end}"))).to_vec();
    for extract in [Extract::Text, Extract::Article] {
        let (case, summary) = read(inputs.clone(), extract);
        assert_eq!((summary.input.document_count, summary.input.skipped_count), (4, 0));
        // The two files of each form are one text; the two forms with all visible text are near-duplicates too.
        assert!(summary.found.removed_count >= 2, "{extract:?}: {:?}", case.rows("removed.jsonl"));
    }
}

#[test]
#[ignore = "reads labeled data: cargo xtask test runs it where that is"]
fn written_crawls_read_the_same_again() {
    let folder = samples();
    let (case, first) = read(all_of(&folder), Extract::default());
    let (_, second) = read(vec![case.path("out/kept")], Extract::default());
    // A file whose entries were all skipped is empty, and an empty .txt file is a document without words.
    assert_eq!(
        second.input.document_count - second.input.empty_count,
        first.found.kept_count - first.input.empty_count
    );
    assert_eq!(second.input.skipped_count, 0);
    let mut carried = first.input.carried;
    for (kind, count) in first.wrote.removed_along {
        assert!(["metadata", "request", "revisit"].contains(&&*kind), "{kind}");
        *carried.get_mut(&kind).unwrap() -= count;
    }
    assert_eq!((second.found.removed_count, second.input.carried), (0, carried));
}
