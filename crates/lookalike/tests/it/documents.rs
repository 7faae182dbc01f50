//! Unusual documents: short, empty, huge, monotonous, without letters, or equal except for a number.

use crate::made;
use crate::made::{Case, dedup};

/// The ids of documents that are removed.
fn removed(texts: &[impl AsRef<str>]) -> Vec<String> {
    let case = Case::of(texts);
    let mut request = case.request("corpus.jsonl", 0.8);
    request.read.id = Some("id".to_owned());
    dedup(&request);
    case.rows("removed.jsonl").iter().map(|row| row["removed_id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn one_liners_that_differ_in_a_number_are_not_merged() {
    let roads = ["Farm to Market Road 1506", "Farm to Market Road 1507", "farm to market road 1506!"];
    assert_eq!(removed(&roads), ["2"]);
}

#[test]
fn with_digits_folded_they_are() {
    let case = Case::of(&["Farm to Market Road 1506", "Farm to Market Road 77", "Farm to Market Roads"]);
    let mut request = case.request("corpus.jsonl", 0.8);
    request.scheme.fold = Some("digits".to_owned());
    let summary = dedup(&request);
    assert_eq!(
        (summary.found.removed_count, summary.found.exact_copy_count, summary.found.same_words_count),
        (1, 0, 1)
    );
}

#[test]
fn documents_shorter_than_the_shingle_are_compared_as_a_whole() {
    assert_eq!(removed(&["Hello world", "Hello", "hello, WORLD", "Hello there", "world hello"]), ["2"]);
}

#[test]
fn empty_documents_are_never_duplicates_and_are_counted() {
    let case = Case::of(&["", "... !!! 😀", "  \n", "word", ""]);
    let summary = dedup(&case.request("corpus.jsonl", 0.8));
    assert_eq!((summary.input.empty_count, summary.found.removed_count, summary.found.kept_count), (4, 0, 5));
    assert_eq!(case.rows("kept/corpus.jsonl").len(), 5);
}

#[test]
fn a_single_repeated_word_is_one_shingle() {
    let [some, more, other] =
        [("buffalo ", 1000), ("buffalo ", 1200), ("bison ", 1000)].map(|(word, count)| word.repeat(count));
    // The longest is kept; the other word is not a near-duplicate.
    assert_eq!(removed(&[some, more, other]), ["0"]);
}

#[test]
fn characters_without_letters_are_compared_by_characters() {
    let case = Case::of(&["+-+-+-+-*/", "+-+-+-+-*/", "[][][]()()"]);
    let mut request = case.request("corpus.jsonl", 0.8);
    request.scheme = made::scheme("char:3", 0.8, 0.99);
    let summary = dedup(&request);
    assert_eq!((summary.input.empty_count, summary.found.removed_count), (0, 1));
}

#[test]
fn a_document_of_200_megabytes_is_a_document() {
    let words: Vec<String> = (0..500_000).map(|at| format!("number{at}")).collect();
    let mut text = words.join(" ");
    while text.len() < 200_000_000 {
        let again = text.len().min(200_000_000 - text.len());
        let cut = text[..again].rfind(' ').unwrap_or(again);
        text = format!("{text} {}", &text[..cut]);
        if cut < 100 {
            break;
        }
    }
    let near = format!("One more beginning. {text}");
    let case = Case::of(&[&text, "a short one", &near]);
    let mut request = case.request("corpus.jsonl", 0.8);
    request.read.id = Some("id".to_owned());
    let summary = dedup(&request);
    assert_eq!(summary.found.removed_count, 1);
    assert!(summary.input.bytes > 390_000_000);
    let rows = case.rows("removed.jsonl");
    assert_eq!((rows[0]["removed_id"].as_str(), rows[0]["kept_id"].as_str()), (Some("0"), Some("2")));
    assert!(rows[0]["jaccard"].as_f64().unwrap() > 0.9999);
}
