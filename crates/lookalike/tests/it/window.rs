//! The limit for Zstandard windows follows the memory limit in every job that reads documents.

use crate::made::Case;
use lookalike::index::{self, CreateOptions, Index};
use lookalike::{AddRequest, DedupRequest, EvaluateRequest, PairsRequest, ReadRequest, ResourceRequest, TuneRequest};
use lookalike::{DedupRows, PairRow, SearchRequest, Silent};

/// Two files of one document each. The second is one Zstandard frame with a window of 64 MiB, which is more than half
/// of the smallest memory limit. (RFC 8878, 3.1.1: a descriptor, the window, and a last block that is not compressed.)
fn case() -> Case {
    let case = Case::new();
    let line = "{\"text\":\"once upon a time there was a window\"}\n";
    case.write("in/plain.jsonl", line);
    let block = (line.len() as u32) << 3 | 1;
    let head = [&b"\x28\xB5\x2F\xFD\x00"[..], &[(26 - 10) << 3], &block.to_le_bytes()[..3]].concat();
    case.write("in/wide.jsonl.zst", [&head, line.as_bytes()].concat());
    case
}

/// Runs a job with little memory and with much: the wide frame is skipped, or read. The job returns the files that it
/// skipped.
fn check(name: &str, job: impl Fn(&Case, &str) -> Vec<String>) {
    let case = case();
    let little = job(&case, "64MiB");
    assert!(matches!(&little[..], [file] if file.contains("wide.jsonl.zst")), "{name} with little memory: {little:?}");
    assert_eq!(job(&case, "1GiB"), [""; 0], "{name} with much memory");
}

#[test]
fn dedup_and_pairs_skip_what_does_not_fit() {
    check("dedup", |case, memory| {
        let options = DedupRequest::new([case.path("in")]).memory(memory).threads(1).check().unwrap();
        let summary = lookalike::dedup_into(&options, DedupRows::default(), &Silent).unwrap();
        summary.skipped.into_iter().map(|entry| entry.file).collect()
    });
    check("pairs", |case, memory| {
        let options = PairsRequest::new([case.path("in")]).memory(memory).threads(1).check().unwrap();
        let mut rows: Vec<PairRow> = Vec::new();
        let report = lookalike::pairs_into(&options, &mut rows, &Silent).unwrap();
        report.skipped.into_iter().map(|entry| entry.file).collect()
    });
}

#[test]
fn evaluate_and_tune_skip_what_does_not_fit() {
    check("evaluate", |case, memory| {
        let request = EvaluateRequest::new([case.path("in")]).methods(["minhash".to_owned()]);
        let options = request.memory(memory).threads(1).check().unwrap();
        let evaluation = lookalike::evaluate(&options, &Silent).unwrap();
        evaluation.skipped.into_iter().map(|entry| entry.file).collect()
    });
    check("tune", |case, memory| {
        let options = TuneRequest::new([case.path("in")]).memory(memory).threads(1).check().unwrap();
        let tuning = lookalike::tune(&options, &Silent).unwrap();
        tuning.sample.unwrap().first_skipped.into_iter().collect()
    });
}

#[test]
fn an_index_adds_and_searches_within_the_limit() {
    check("index add", |case, memory| {
        let folder = tempfile::tempdir().unwrap();
        let archive = Index::create(&folder.path().join("index"), &CreateOptions::default()).unwrap();
        let options = AddRequest::new([case.path("in")]).memory(memory).threads(1).check().unwrap();
        let added = index::add(&archive.writer().unwrap(), &options, &Silent).unwrap();
        added.skipped.into_iter().map(|entry| entry.file).collect()
    });
    check("search", |case, memory| {
        let folder = tempfile::tempdir().unwrap();
        let archive = Index::create(&folder.path().join("index"), &CreateOptions::default()).unwrap();
        let mut request = SearchRequest::default();
        request.input = ReadRequest::new([case.path("in")]);
        request.resources = ResourceRequest::default().memory(memory).threads(1);
        let snapshot = archive.snapshot().unwrap();
        let searched = index::search(&snapshot, &request.check().unwrap(), &mut |_| Ok(()), &Silent).unwrap();
        searched.skipped.into_iter().map(|entry| entry.file).collect()
    });
}
