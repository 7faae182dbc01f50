//! Exact copies, and texts with only the same words.

use crate::made::{Case, dedup, jsonl};
use lookalike::core::scheme::MethodName;
use lookalike::{DedupRequest, Summary};
use lookalike_judge::{Shingle, is_exact_copy, tokens};
use proptest::prelude::*;
use serde_json::Value;

/// A request for texts with the ids 0, 1, 2 …, of which the first is kept.
fn request(case: &Case) -> DedupRequest {
    let mut request = case.request("corpus.jsonl", 0.8);
    request.read.id = Some("id".to_owned());
    request.keep = Some("first".to_owned());
    request
}

/// The contents of a row: the removed and the kept document, and whether it is an exact copy, or has the same words.
fn said(row: &Value) -> (usize, usize, bool, bool) {
    let id = |name: &str| row[name].as_str().unwrap().parse().unwrap();
    let is = |name: &str| row[name].as_bool().unwrap();
    (id("removed_id"), id("kept_id"), is("exact_copy"), is("same_words"))
}

/// Exact copies, same words, near-duplicates.
fn counts(summary: &Summary) -> (u64, u64, u64) {
    let found = &summary.found;
    (found.exact_copy_count, found.same_words_count, found.near_duplicate_count)
}

#[test]
fn texts_that_differ_in_symbols_emoji_case_or_indentation_have_the_same_words() {
    for texts in [
        ["Solve x^2 - 5x + 6 > 0", "Solve x^2 + 5x - 6 < 0"],
        ["if (a < b) return 1;", "if (a >= b) return 1;"],
        ["What a day 😀", "What a day 😢"],
        ["if ready:\n    go()\nstop()", "if ready:\n    go()\n    stop()"],
        ["May I?", "may I?"],
        ["Crème brûlée!", "Crème brûlée"],
    ] {
        let case = Case::of(&texts);
        let summary = dedup(&request(&case));
        assert_eq!(counts(&summary), (0, 1, 0), "{texts:?}");
        let rows = case.rows("removed.jsonl");
        assert_eq!(said(&rows[0]), (1, 0, false, true), "{texts:?}");
        assert_eq!(rows[0]["jaccard"], 1.0);
        // Only exact copies: both are kept.
        assert_eq!(dedup(&request(&case).method(MethodName::Copies)).found.removed_count, 0, "{texts:?}");
    }
}

#[test]
fn encodings_and_line_ends_make_no_difference_to_an_exact_copy() {
    let texts = ["Un café.\n\tDeux !\n", "Un cafe\u{301}. \r\n\tDeux !", "Un café.\n\tDeux !\u{3000}\n\n"];
    for method in [None, Some(MethodName::Copies)] {
        let case = Case::of(&texts);
        let mut request = request(&case);
        request.scheme.method = method;
        assert_eq!(counts(&dedup(&request)), (2, 0, 0));
        let rows = case.rows("removed.jsonl");
        assert_eq!(rows.iter().map(said).collect::<Vec<_>>(), [(1, 0, true, false), (2, 0, true, false)]);
    }
}

#[test]
fn numbers_that_are_folded_make_no_exact_copy() {
    let case = Case::of(&["Pay within 30 days.", "Pay within 90 days.", "Pay within 30 days."]);
    let mut request = request(&case);
    request.scheme.fold = Some("digits".to_owned());
    assert_eq!(counts(&dedup(&request)), (1, 1, 0));
    let rows = case.rows("removed.jsonl");
    assert_eq!(rows.iter().map(said).collect::<Vec<_>>(), [(1, 0, false, true), (2, 0, true, false)]);
}

#[test]
fn a_copy_of_what_is_removed_is_no_copy_of_what_is_kept() {
    let case = Case::of(&["One, two, three!", "one two three", "one two three", "One, two, three!"]);
    let summary = dedup(&request(&case));
    assert_eq!((counts(&summary), summary.found.repeated_text_count), ((1, 2, 0), 2));
    let rows = case.rows("removed.jsonl");
    let expected = [(1, 0, false, true), (2, 0, false, true), (3, 0, true, false)];
    assert_eq!(rows.iter().map(said).collect::<Vec<_>>(), expected);
    // Similarity 1 is counted in the last band, exact copies are not.
    assert_eq!(summary.similarity.last().unwrap().removed_count, 2);
}

#[test]
fn of_references_with_the_same_words_the_exact_copy_is_named() {
    for only_against in [false, true] {
        let case = Case::of(&["one two three", "One two three?", "One, two, three!"]);
        let reference = jsonl(&["One, two, three!", "one two three"]).replace("{\"id\":\"", "{\"id\":\"9");
        let against = vec![case.write("reference.jsonl", reference)];
        let request = request(&case).against(against).only_against(only_against);
        assert_eq!(counts(&dedup(&request)), (2, 1, 0));
        let rows = case.rows("removed.jsonl");
        let expected = [(0, 91, true, false), (1, 90, false, true), (2, 90, true, false)];
        assert_eq!(rows.iter().map(said).collect::<Vec<_>>(), expected);
    }
}

/// Few words with much between them, so that many texts have the same words.
fn texts() -> impl Strategy<Value = Vec<String>> {
    let piece = prop::sample::select(
        &["one", "two", "One", "tw\u{f6}", "two\u{308}", " ", "  ", "\n", " \r\n", "\t", "!", "<", "😀"][..],
    );
    let text = prop::collection::vec(piece, 1..6).prop_map(|pieces| pieces.join(" "));
    let texts = prop::collection::vec(text, 1..6);
    // Each text several times, as it is or with other line ends.
    prop::collection::vec((texts, any::<bool>()), 1..4).prop_map(|parts| {
        let again = |(texts, crlf): (Vec<String>, bool)| {
            let other =
                if crlf { texts.iter().map(|text| text.replace('\n', "\r\n") + " ").collect() } else { Vec::new() };
            texts.into_iter().chain(other)
        };
        parts.into_iter().flat_map(again).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn what_is_said_of_copies_is_what_the_judge_says(texts in texts(), keep in prop_oneof![Just("first"), Just("longest")]) {
        let case = Case::of(&texts);
        let summary = dedup(&request(&case).keep(keep));
        let words = |id: usize| tokens(&texts[id], Shingle::Word(5));
        let rows = case.rows("removed.jsonl");
        let mut expected = (0, 0, 0);
        for row in &rows {
            let (removed, kept, exact_copy, same_words) = said(row);
            let is_copy = is_exact_copy(&texts[removed], &texts[kept]);
            prop_assert_eq!(exact_copy, is_copy);
            prop_assert_eq!(same_words, !is_copy && words(removed) == words(kept));
            *match (exact_copy, same_words) {
                (true, _) => &mut expected.0,
                (_, true) => &mut expected.1,
                _ => &mut expected.2,
            } += 1;
        }
        prop_assert_eq!(counts(&summary), expected);
        let others = |id: usize| (0..texts.len()).filter(move |other| *other != id);
        let removed: Vec<usize> = rows.iter().map(|row| said(row).0).collect();
        // An exact copy of the kept one, or of another one removed, that is better in keep order.
        prop_assert!(summary.found.repeated_text_count >= summary.found.exact_copy_count);
        let has_copy = |id: &&usize| others(**id).any(|other| is_exact_copy(&texts[**id], &texts[other]));
        prop_assert!(summary.found.repeated_text_count <= removed.iter().filter(has_copy).count() as u64);
    }

    #[test]
    fn copies_alone_are_what_the_judge_calls_exact_copies(texts in texts()) {
        let case = Case::of(&texts);
        dedup(&request(&case).method(MethodName::Copies));
        let is_copy = |id: &usize| (0..*id).any(|other| is_exact_copy(&texts[*id], &texts[other]));
        // Documents without words match nothing.
        let has_words = |id: &usize| !tokens(&texts[*id], Shingle::Word(5)).is_empty();
        let expected: Vec<usize> = (0..texts.len()).filter(is_copy).filter(has_words).collect();
        let removed: Vec<usize> = case.rows("removed.jsonl").iter().map(|row| said(row).0).collect();
        prop_assert_eq!(removed, expected);
    }
}
