//! Test items are found where brute force finds them, and nothing is said of them that brute force does not bear out.

use lookalike_core::contamination::{COVERAGE, FoundItem, NGRAM, Scanner, TestItems, TestItemsBuilder};
use lookalike_core::hash::Key;
use lookalike_judge::{occurrences, shared_words};
use proptest::prelude::*;

/// Words of which texts are made: few enough that runs repeat by chance, and no numerals, which the pipeline reads by their values.
const WORDS: [&str; 24] = [
    "river",
    "the",
    "Été",
    "market",
    "a",
    "roof",
    "was",
    "old",
    "STRAẞE",
    "bell",
    "of",
    "in",
    "mill",
    "naïve",
    "sold",
    "to",
    "bridge",
    "snake_case",
    "how",
    "much",
    "left",
    "donut",
    "ships",
    "harbor",
];

fn text(words: std::ops::Range<usize>) -> impl Strategy<Value = Vec<&'static str>> {
    prop::collection::vec(prop::sample::select(&WORDS[..]), words)
}

/// Joins words with signs between them, which make no difference.
fn spaced(words: &[&str], signs: &[&str]) -> String {
    words.iter().enumerate().map(|(at, word)| format!("{word}{}", signs[at % signs.len()])).collect()
}

fn items(questions: &[String]) -> TestItems {
    let mut builder = TestItemsBuilder::new(Key::random(), NGRAM, 1);
    questions.iter().for_each(|question| builder.add(&[question]));
    builder.finish()
}

fn signs() -> impl Strategy<Value = Vec<&'static str>> {
    prop::collection::vec(prop::sample::select(vec![" ", "\n", ", ", ". ", "  ", " — ", "; "]), 1..5)
}

/// The words of a question that a document has, in number.
fn word_count(found: &FoundItem) -> usize {
    found.words.iter().map(ExactSizeIterator::len).sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_whole_question_is_found_at_its_place(
        question in text(NGRAM..40), before in text(0..60), after in text(0..60), other in text(NGRAM..40), signs in signs(),
    ) {
        let asked = spaced(&question, &[" "]);
        let items = items(&[asked.clone(), spaced(&other, &[" "])]);
        let document = spaced(&[&before[..], &question[..], &after[..]].concat(), &signs);
        let found = Scanner::new(&items, COVERAGE).scan(&document).found;
        let places = occurrences(&asked, &document);
        prop_assert!(!places.is_empty());
        for (start, end) in places {
            let is_there = |found: &&FoundItem| found.item == 0 && found.bytes.start <= start && found.bytes.end >= end;
            let hit = found.iter().find(is_there);
            prop_assert!(hit.is_some(), "{start}..{end} of {found:?}");
            prop_assert!((hit.unwrap().coverage - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn a_hit_is_what_brute_force_bears_out(
        question in text(NGRAM..50), pieces in prop::collection::vec((0_usize..50, 0_usize..50, text(0..20)), 1..4), signs in signs(),
    ) {
        let asked = spaced(&question, &[" "]);
        let mut words = Vec::new();
        for (from, to, between) in pieces {
            let (from, to) = (from.min(question.len()), to.min(question.len()));
            words.extend(&question[from.min(to)..from.max(to)]);
            words.extend(between);
        }
        let document = spaced(&words, &signs);
        let items = items(std::slice::from_ref(&asked));
        let found = Scanner::new(&items, COVERAGE).scan(&document).found;
        for hit in &found {
            let passage = &document[hit.bytes.clone()];
            let shared = shared_words(&asked, passage);
            prop_assert!(shared.run >= NGRAM, "{shared:?} in {passage}");
            // Segments that stand in another order count together; each of them is in order.
            prop_assert!(hit.coverage >= COVERAGE && word_count(hit) <= question.len());
            let in_passages: usize = hit.passages.iter().map(|part| shared_words(&asked, &document[part.clone()]).in_order).sum();
            prop_assert!(word_count(hit) <= in_passages, "{} words of {in_passages}: {passage}", word_count(hit));
            prop_assert!(hit.passages.iter().all(|part| hit.bytes.start <= part.start && part.end <= hit.bytes.end));
        }
        let shared = shared_words(&asked, &document);
        if shared.run < NGRAM {
            prop_assert!(found.is_empty(), "{shared:?}");
        }
    }
}
