//! Compares the estimates of `tune` with the true numbers: the judge counts all pairs.

use crate::made::{Case, dedup, jsonl, scheme};
use lookalike::{Sampled, Silent, TuneRequest, Tuning};
use lookalike_judge::Shingle;

/// More than any corpus here has.
const MOST_BYTES: u64 = 1_000_000_000;

fn tune(case: &Case, most_bytes: u64) -> Tuning {
    let request = TuneRequest::new([case.path("in")]).shingle("word:3").sample_bytes(most_bytes);
    let options = request.check().unwrap();
    lookalike::tune(&options, &Silent).unwrap()
}

fn sampled(case: &Case, most_bytes: u64) -> Sampled {
    tune(case, most_bytes).sample.unwrap()
}

/// Families side by side, as crawls have them: a text and others with some words replaced, and one exact copy.
fn families(count: usize) -> Vec<String> {
    let word = |seed: usize, at: usize| format!("w{}", (seed * 7919 + at * 104_729) % 1_000_003);
    let member = |family: usize, member: usize| -> String {
        let replaced = |at: usize| member > 0 && (at * 31 + member * 17) % 97 < member * 3;
        (0..60).map(|at| word(family * 100 + if replaced(at) { member } else { 0 }, at) + " ").collect()
    };
    let of_family = |family: usize| (0..family % 5 + 2).map(move |at| member(family, at / 2 * 2));
    (0..count).flat_map(of_family).collect()
}

/// The similarities of all pairs that are counted.
fn similarities(texts: &[String]) -> Vec<f64> {
    let pairs = lookalike_judge::pairs(texts, Shingle::Word(3), 0.5);
    pairs.iter().map(|pair| pair.measures.jaccard()).collect()
}

fn count_from(similarities: &[f64], threshold: f64) -> f64 {
    similarities.iter().filter(|similarity| **similarity >= threshold).count() as f64
}

#[test]
fn pairs_of_a_corpus_that_is_read_whole_are_counted() {
    let texts = families(60);
    let case = Case::new();
    case.write("in/corpus.jsonl", jsonl(&texts));
    let sampled = sampled(&case, MOST_BYTES);
    assert!(sampled.complete);
    assert_eq!((sampled.document_count, sampled.corpus_document_count), (texts.len() as u64, texts.len() as u64));
    assert_eq!(sampled.pairs.len(), 11);
    let similarities = similarities(&texts);
    for step in &sampled.pairs {
        let truth = count_from(&similarities, step.similarity);
        // All pairs are measured; one in two hundred at the edge of a step may agree in no band.
        assert!((step.pair_count.value - truth).abs() <= 2.0 + 0.01 * truth, "{step:?}, in truth {truth}");
    }
}

#[test]
fn the_largest_family_is_predicted() {
    let shared = "all pages of this site say the same in a dozen words ".repeat(6);
    let template = (0..200).map(|at| format!("{shared}{at}"));
    let texts: Vec<String> = template.chain(families(60)).collect();
    let case = Case::new();
    case.write("in/corpus.jsonl", jsonl(&texts));
    let sampled = sampled(&case, MOST_BYTES);
    assert!(sampled.largest_family >= Some(190) && sampled.largest_family < Some(220), "{:?}", sampled.largest_family);
    assert!(sampled.largest_family_bucket_count > Some(0));
}

#[test]
fn documents_that_would_be_removed_are_no_more_than_was_said() {
    let texts = families(60);
    let case = Case::new();
    case.write("in/corpus.jsonl", jsonl(&texts));
    let sampled = sampled(&case, MOST_BYTES);
    for step in sampled.pairs.iter().filter(|step| [0.6, 0.8, 0.9].contains(&step.similarity)) {
        let mut request = case.request("in", step.similarity);
        request.scheme = scheme("word:3", step.similarity, 1.0);
        let removed = dedup(&request).found.removed_count as f64;
        let said = step.removed_count.unwrap();
        assert!(removed <= said.high && removed >= 0.9 * said.low, "{said:?}, in truth {removed}");
    }
}

/// Regression: the count was too large by more than half if the first documents of each file were taken as
/// representative, and pairs of adjacent documents multiplied as if they could be anywhere.
#[test]
fn neighbors_that_are_alike_do_not_make_pairs_of_what_was_not_read() {
    let texts = families(400);
    let case = Case::new();
    for (file, texts) in texts.chunks(400).enumerate() {
        case.write(&format!("in/{file}.jsonl"), jsonl(texts));
    }
    let bytes: u64 =
        std::fs::read_dir(case.path("in")).unwrap().map(|file| file.unwrap().metadata().unwrap().len()).sum();
    let sampled = sampled(&case, bytes / 3);
    assert!(!sampled.complete && sampled.document_count < texts.len() as u64 / 2, "{sampled:?}");
    let similarities = similarities(&texts);
    assert!((sampled.corpus_document_count as f64 / texts.len() as f64 - 1.0).abs() < 0.15, "{sampled:?}");
    for step in &sampled.pairs {
        let truth = count_from(&similarities, step.similarity);
        assert!(step.pair_count.low <= truth && truth <= step.pair_count.high, "{step:?}, in truth {truth}");
        // The interval says something: a factor of two and not of ten.
        assert!(step.pair_count.high < 3.0 * truth && step.removed_count.is_none(), "{step:?}, in truth {truth}");
    }
}

#[test]
fn threads_make_no_difference_to_what_is_said() {
    let case = Case::new();
    for (file, texts) in families(200).chunks(100).enumerate() {
        case.write(&format!("in/{file}.jsonl"), jsonl(texts));
    }
    for most_bytes in [MOST_BYTES, 100_000] {
        let [one, eight] = [1, 8].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            serde_json::to_string(&pool.install(|| sampled(&case, most_bytes))).unwrap()
        });
        assert_eq!(one, eight);
    }
}

#[test]
fn what_is_skipped_is_counted_and_a_corpus_of_nothing_has_no_pairs() {
    let case = Case::new();
    case.write("in/corpus.jsonl", "{\"text\":\"\"}\n{oops\n{\"text\":\"one two three\"}\n");
    let sampled = sampled(&case, MOST_BYTES);
    assert_eq!((sampled.document_count, sampled.skipped_count), (2, 1));
    assert!(sampled.first_skipped.unwrap().contains("corpus.jsonl"));
    assert!(sampled.pairs.iter().all(|step| step.pair_count.high < 0.5));
    assert!(!sampled.suggestion.valley);
}
