//! An index created by an earlier version can be opened by every later one, and gives the same answers.

use std::fs;
use std::path::{Path, PathBuf};

use crate::made::Chance;
use lookalike_index::{CreateOptions, Index, NewDocument, Query, SearchOptions};

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/index/v1")
}

/// The stored texts, some of which are near-duplicates.
fn texts() -> Vec<String> {
    let mut chance = Chance::new(11);
    let mut texts: Vec<String> = (0..30).map(|_| chance.text(60)).collect();
    for at in 0..10 {
        texts.push(chance.changed(&texts[at].clone(), 1));
    }
    texts
}

/// The answers of the index as lines: the number of the text, then ids with similarities.
fn answers(index: &Index) -> String {
    let snapshot = index.snapshot().unwrap();
    let mut lines = format!("{} documents\n", snapshot.len());
    for (at, text) in texts().iter().enumerate() {
        let answer = snapshot.search(Query::Text(text), &SearchOptions::default()).unwrap();
        let hits: Vec<String> = answer
            .hits
            .iter()
            .map(|hit| format!("{}:{:.6}:{}:{}", hit.id, hit.similarity, hit.exact_copy, hit.fields))
            .collect();
        lines += &format!("{at} {}\n", hits.join(" "));
    }
    lines
}

#[test]
#[ignore = "makes the fixture, once per version of the layout"]
fn make_the_fixture() {
    let index = Index::create(&fixture(), &CreateOptions::default()).unwrap();
    let writer = index.writer().unwrap();
    let texts = texts();
    for (at, text) in texts.iter().enumerate() {
        let id = format!("d{at}");
        writer.put(NewDocument::new(&id, text).with_fields("{\"made\":1}")).unwrap();
        if at == 15 || at == 30 {
            writer.set_limits(1, 1);
        } else {
            writer.set_limits(1 << 20, 1 << 20);
        }
    }
    // One document of a segment, so that there is a bitmap, and one that is only in the log.
    writer.delete(&["d4"]).unwrap();
    writer.set_limits(1, 1 << 20);
    writer.put(NewDocument::new("d36", &texts[36])).unwrap();
    writer.set_limits(1 << 20, 1 << 20);
    writer.put(NewDocument::new("d3", &texts[3])).unwrap();
    writer.delete(&["d38"]).unwrap();
    drop(writer);
    fs::remove_file(fixture().join("LOCK")).unwrap();
    fs::write(fixture().join("answers.txt"), answers(&index)).unwrap();
}

#[test]
fn an_index_of_the_first_version_answers_as_it_did() {
    let recorded = fs::read_to_string(fixture().join("answers.txt")).unwrap();
    assert!(recorded.contains("38 documents") && recorded.contains("d33:0."), "it has near-duplicates");
    let index = Index::open(&fixture()).unwrap();
    assert_eq!(answers(&index), recorded);
    assert!(lookalike_index::verify(&fixture(), false).unwrap().problems.is_empty());
    let stat = index.snapshot().unwrap().stat();
    assert!(
        stat.segment_count >= 2 && stat.in_memory_count > 0 && stat.log_count >= 2 && stat.deleted_count > 0,
        "{stat:?}"
    );
}

#[test]
fn an_index_of_the_first_version_can_be_written_to() {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("index");
    lookalike_index::snapshot_to(&fixture(), &copy).unwrap();
    let index = Index::open(&copy).unwrap();
    let before = answers(&index);
    let writer = index.writer().unwrap();
    writer.compact(true).unwrap();
    assert_eq!(answers(&index), before);
    writer.put(NewDocument::new("new", "something new")).unwrap();
    assert_eq!(index.snapshot().unwrap().len(), 39);
}
