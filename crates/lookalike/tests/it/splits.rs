//! Leaks between splits: which documents, how many, and clusters by which splits have none.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use lookalike::{Leak, Silent, SplitsReport, SplitsRequest};
use serde_json::{Value, json};

fn write(folder: &Path, name: &str, texts: &[&str]) -> PathBuf {
    let line = |(at, text): (usize, &&str)| format!("{}\n", json!({"id": format!("{name}{at}"), "text": text}));
    let path = folder.join(format!("{name}.jsonl"));
    fs::write(&path, texts.iter().enumerate().map(line).collect::<String>()).unwrap();
    path
}

const STORM: &str = "the storm hit the coast on monday night and the bridge was closed";
const MARKET: &str = "the market opens on saturday with forty stalls twelve of them new this year";

/// Three splits: test has a copy of train, and something like it; dev has a copy of test.
fn three(folder: &Path) -> [PathBuf; 3] {
    let storm_like = format!("{STORM} again");
    [
        write(folder, "train", &[STORM, MARKET, MARKET, "a quiet day"]),
        write(folder, "dev", &["rain in may", "nothing to see here"]),
        write(
            folder,
            "test",
            &[
                "The market opens on Saturday, with forty stalls: twelve of them new this year.",
                &storm_like,
                "Rain in May!",
                "wind",
            ],
        ),
    ]
}

fn run(request: SplitsRequest) -> (Vec<Leak>, SplitsReport) {
    let mut leaks = Vec::new();
    let report = lookalike::splits_into(&request.check().unwrap(), &mut leaks, &Silent).unwrap();
    (leaks, report)
}

#[test]
fn documents_of_a_later_split_are_named_with_the_most_similar_ones_of_earlier_splits() {
    let folder = tempfile::tempdir().unwrap();
    let (leaks, report) = run(SplitsRequest::new(three(folder.path())).id("id").threshold(0.7).fail_if_leaks(0.5));
    let named: Vec<(&str, &str, bool)> =
        leaks.iter().map(|leak| (&*leak.document_id, &*leak.other_id, leak.same_words)).collect();
    assert_eq!(named, [("test0", "train1", true), ("test1", "train0", false), ("test2", "dev0", true)]);
    let counts: Vec<(u64, u64, u64, u64)> = report
        .pairs
        .iter()
        .map(|pair| (pair.document_count, pair.leak_count, pair.near_duplicate_count, pair.same_words_count))
        .collect();
    assert_eq!(counts, [(2, 0, 0, 0), (4, 2, 2, 1), (4, 1, 1, 1)]);
    assert!(!report.failed, "half of a split is not more than half");
    let (_, report) = run(SplitsRequest::new(three(folder.path())).threshold(0.7).fail_if_leaks(0.49));
    assert!(report.failed);
}

#[test]
fn shared_passages_count_if_they_are_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let quoted = format!(
        "As the paper wrote: {MARKET}. And many other things were said on that day, none of which matter here."
    );
    let train = write(folder.path(), "train", &["first", MARKET]);
    let test = write(folder.path(), "test", &[&quoted, "other"]);
    let out = folder.path().join("out");
    let (leaks, report) = run(SplitsRequest::new([train, test]).id("id").passages("run:10").output(&out));
    assert!(leaks.is_empty());
    let pair = &report.pairs[0];
    assert_eq!((pair.leak_count, pair.near_duplicate_count, pair.with_passage_count), (1, 0, Some(1)));
    let row: Value = serde_json::from_str(&fs::read_to_string(out.join("passages.jsonl")).unwrap()).unwrap();
    assert_eq!((&row["document_id"], &row["first_document_id"]), (&json!("test0"), &json!("train1")));
    assert_eq!((row["start"].as_u64(), row["first_start"].as_u64()), (Some(20), Some(0)));
}

#[test]
fn splits_by_cluster_have_no_leaks() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let (_, report) =
        run(SplitsRequest::new(three(folder.path())).id("id").threshold(0.7).group("cluster").output(&out));
    let mut clusters: BTreeMap<String, u64> = BTreeMap::new();
    for split in ["train", "dev", "test"] {
        for line in fs::read_to_string(out.join(format!("grouped/{split}.jsonl"))).unwrap().lines() {
            let document: Value = serde_json::from_str(line).unwrap();
            clusters.insert(document["id"].as_str().unwrap().to_owned(), document["cluster"].as_u64().unwrap());
        }
    }
    assert_eq!((clusters.len(), report.cluster_count), (10, Some(6)));
    assert_eq!(clusters["train0"], clusters["test1"]);
    assert_eq!((clusters["train1"], clusters["train2"]), (clusters["test0"], clusters["test0"]));
    assert_eq!(clusters["dev0"], clusters["test2"]);
    // Odd and even clusters as splits.
    let mut names = Vec::new();
    for parity in [0, 1] {
        let name = format!("half{parity}");
        let lines: String = ["train", "dev", "test"]
            .iter()
            .flat_map(|split| {
                let text = fs::read_to_string(out.join(format!("grouped/{split}.jsonl"))).unwrap();
                text.lines().map(str::to_owned).collect::<Vec<_>>()
            })
            .filter(|line| serde_json::from_str::<Value>(line).unwrap()["cluster"].as_u64().unwrap() % 2 == parity)
            .map(|line| line + "\n")
            .collect();
        fs::write(folder.path().join(&name), lines).unwrap();
        names.push(folder.path().join(name));
    }
    assert_eq!(run(SplitsRequest::new(names).threshold(0.7)).1.pairs[0].leak_count, 0);
}

#[test]
fn one_split_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let train = write(folder.path(), "train", &[STORM]);
    let failed = lookalike::splits(&SplitsRequest::new([train]).check().unwrap(), &Silent);
    assert!(matches!(failed, Err(lookalike::Error::OneSplit)));
}
