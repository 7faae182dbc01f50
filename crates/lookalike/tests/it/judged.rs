//! Checks matches with special tokens and rules by brute force: both promises, and every similarity to its last digit.

use std::collections::HashMap;

use crate::made::{Case, dedup};
use lookalike::DedupRequest;
use lookalike::core::scheme::MethodName;
use lookalike_judge as judge;
use proptest::prelude::*;
use serde_json::{Value, json};

/// The similarity of two documents where they are a match.
type Judge<'a> = &'a dyn Fn(usize, usize) -> Option<f64>;

/// Runs both methods, and compares what they do with what the judge says.
fn check_promises(case: &Case, request: &DedupRequest, count: usize, judge: Judge<'_>) -> Result<(), TestCaseError> {
    for method in [MethodName::Exact, MethodName::MinHash] {
        let mut request = request.clone().id("id").keep("first").method(method);
        // Of minhash, so that a miss is next to impossible.
        request.scheme.recall = (method == MethodName::MinHash).then_some(1.0);
        dedup(&request);
        let removed: HashMap<usize, (usize, f64)> = case
            .rows("removed.jsonl")
            .iter()
            .map(|row| {
                let id = |name: &str| row[name].as_str().unwrap().parse().unwrap();
                (id("removed_id"), (id("kept_id"), row["similarity"].as_f64().unwrap()))
            })
            .collect();
        for (document, (kept, similarity)) in &removed {
            prop_assert!(!removed.contains_key(kept), "{method}: {document} for {kept}");
            prop_assert_eq!(judge(*document, *kept), Some(*similarity), "{}: {} for {}", method, document, kept);
        }
        let kept: Vec<usize> = (0..count).filter(|document| !removed.contains_key(document)).collect();
        for (at, left) in kept.iter().enumerate() {
            for right in &kept[at + 1..] {
                prop_assert_eq!(judge(*left, *right), None, "{}: {} and {} are kept", method, left, right);
            }
        }
    }
    Ok(())
}

fn write(case: &Case, rows: impl Iterator<Item = Value>) {
    case.write("in.jsonl", rows.map(|row| format!("{row}\n")).collect::<String>());
}

/// All runs of so many tokens, in order; of fewer tokens the only one.
fn runs(tokens: &[String], width: usize) -> Vec<&[String]> {
    if tokens.is_empty() { Vec::new() } else { tokens.windows(width.min(tokens.len())).collect() }
}

/// Counts the occurrences of each run.
fn counts(tokens: &[String], width: usize) -> HashMap<&[String], u32> {
    let mut counts = HashMap::new();
    runs(tokens, width).into_iter().for_each(|run| *counts.entry(run).or_default() += 1);
    counts
}

/// The share of runs in both, each counted as often as it occurs, or else once.
fn jaccard(left: &[String], right: &[String], width: usize, counts_repeats: bool) -> f64 {
    let weight = |count: u32| if counts_repeats { count } else { count.min(1) };
    let (left, right) = (counts(left, width), counts(right, width));
    let of_right = |run: &[String]| right.get(run).copied().map_or(0, weight);
    let shared: u32 = left.iter().map(|(run, count)| weight(*count).min(of_right(run))).sum();
    let all: u32 = left.values().chain(right.values()).map(|count| weight(*count)).sum();
    if shared == 0 { 0.0 } else { f64::from(shared) / f64::from(all - shared) }
}

/// Texts of few words, so that runs repeat, often in families.
fn any_repeating() -> impl Strategy<Value = Vec<String>> {
    let text = proptest::collection::vec(0_usize..3, 0..14);
    let edit = (0_usize..14, 0_usize..4);
    proptest::collection::vec((text, proptest::collection::vec(edit, 0..3)), 1..7).prop_map(|families| {
        let mut texts = Vec::new();
        for (words, edits) in families {
            let mut words: Vec<&str> = words.into_iter().map(|word| ["rose", "is", "a"][word]).collect();
            texts.push(words.join(" "));
            for (at, word) in edits {
                words.insert(at.min(words.len()), ["rose", "is", "a", "Tulip"][word]);
                texts.push(words.join(" "));
            }
        }
        texts
    })
}

const TOKENS: [&str; 16] =
    ["x", "total", "0", "17", "0x1F", "3.5", "+", "-", "<", ">=", "==", "(", ")", "{", "\"a b\"", ";"];

/// Programs as tokens, and what is between these: blanks, line ends and comments.
fn any_programs() -> impl Strategy<Value = Vec<(Vec<String>, String)>> {
    let tokens = proptest::collection::vec(0_usize..TOKENS.len(), 1..30);
    let version = (0_usize..30, 0_usize..TOKENS.len() + 1, proptest::collection::vec(0_usize..5, 31));
    proptest::collection::vec((tokens, proptest::collection::vec(version, 1..4)), 1..6).prop_map(|families| {
        let mut programs = Vec::new();
        for (tokens, versions) in families {
            let mut tokens: Vec<String> = tokens.into_iter().map(|token| TOKENS[token].to_owned()).collect();
            for (at, other, between) in versions {
                let layout = |place: usize| [" ", "\n", "\t\t", " /* x + 1 */ ", " // y\n"][between[place]];
                let text: String =
                    (0..).zip(&tokens).map(|(place, token)| format!("{token}{}", layout(place))).collect();
                programs.push((tokens.clone(), text));
                // The next version differs in one token, or in layout alone.
                let at = at % tokens.len();
                if let Some(other) = TOKENS.get(other) {
                    (*other).clone_into(&mut tokens[at]);
                }
            }
        }
        programs
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn repeats_are_counted_as_the_judge_does(texts in any_repeating(), threshold in prop_oneof![Just(0.4), Just(0.7), Just(1.0)]) {
        let case = Case::new();
        write(&case, texts.iter().enumerate().map(|(id, text)| json!({"id": id.to_string(), "text": text})));
        let tokens: Vec<Vec<String>> = texts.iter().map(|text| judge::tokens(text, judge::Shingle::Word(2))).collect();
        if tokens.iter().all(Vec::is_empty) {
            return Ok(());
        }
        let judge = |left: usize, right: usize| {
            let similarity = jaccard(&tokens[left], &tokens[right], 2, true);
            (similarity >= threshold).then_some(similarity)
        };
        let request = case.request("in.jsonl", threshold).shingle("word:2").count_repeats(true);
        check_promises(&case, &request, texts.len(), &judge)?;
    }

    #[test]
    fn every_field_is_similar_as_the_judge_says(
        documents in proptest::collection::vec((0_usize..3, 0_usize..4, 0_usize..4), 1..14),
        threshold in prop_oneof![Just(0.3), Just(0.6)],
    ) {
        let titles = ["", "storm hits the coast at night", "markets fall for the third day"];
        let bodies = [
            "", "one two three four five six seven eight", "one two three four five six seven nine", "red green blue",
        ];
        let fields = |(title, body, edit): &(usize, usize, usize)| {
            let end = ["", " today", " now", ""][*edit];
            [format!("{}{}", titles[*title], if titles[*title].is_empty() { "" } else { end }), bodies[*body].to_owned()]
        };
        let texts: Vec<[String; 2]> = documents.iter().map(fields).collect();
        let case = Case::new();
        write(&case, texts.iter().enumerate().map(|(id, [title, body])| json!({"id": id.to_string(), "title": title, "body": body})));
        let tokens: Vec<[Vec<String>; 2]> =
            texts.iter().map(|fields| fields.each_ref().map(|field| judge::tokens(field, judge::Shingle::Word(2)))).collect();
        if tokens.iter().all(|fields| fields.iter().all(Vec::is_empty)) {
            return Ok(());
        }
        let judge = |left: usize, right: usize| {
            let (left, right) = (&tokens[left], &tokens[right]);
            if [left, right].iter().any(|fields| fields.iter().all(Vec::is_empty)) {
                return None;
            }
            let of_field = |field: usize| {
                let both_empty = left[field].is_empty() && right[field].is_empty();
                both_empty || jaccard(&left[field], &right[field], 2, false) >= threshold
            };
            // Runs of different fields are different ones.
            let marked = |fields: &[Vec<String>; 2]| -> Vec<(usize, Vec<String>)> {
                let of = |field: usize| runs(&fields[field], 2).into_iter().map(move |run| (field, run.to_vec()));
                let mut all: Vec<(usize, Vec<String>)> = (0..2).flat_map(of).collect();
                all.sort();
                all.dedup();
                all
            };
            let (left_runs, right_runs) = (marked(left), marked(right));
            let shared = left_runs.iter().filter(|run| right_runs.contains(run)).count();
            let similarity = shared as f64 / (left_runs.len() + right_runs.len() - shared) as f64;
            (similarity >= threshold && (0..2).all(of_field)).then_some(similarity)
        };
        let request = case.request("in.jsonl", threshold).shingle("word:2").text("title,body").each_field(true);
        check_promises(&case, &request, texts.len(), &judge)?;
    }

    // The judge knows the tokens before they are written, and reads no code.
    #[test]
    fn source_code_is_compared_by_its_tokens_as_the_judge_does(
        programs in any_programs(),
        threshold in prop_oneof![Just(0.5), Just(0.8), Just(1.0)],
        width in prop_oneof![Just(1_usize), Just(3), Just(5)],
    ) {
        let case = Case::new();
        write(&case, programs.iter().enumerate().map(|(id, (_, text))| json!({"id": id.to_string(), "text": text})));
        let judge = |left: usize, right: usize| {
            let similarity = jaccard(&programs[left].0, &programs[right].0, width, false);
            (similarity >= threshold).then_some(similarity)
        };
        let request = case.request("in.jsonl", threshold).tokens("code:c").shingle(format!("word:{width}"));
        check_promises(&case, &request, programs.len(), &judge)?;
    }

    // Numbers are written as people write them: with separators, so that one is several words.
    #[test]
    fn what_differs_in_numbers_alone_is_what_the_judge_says(
        documents in proptest::collection::vec((0_usize..5, 0_usize..3, 0_usize..3), 2..14),
        threshold in prop_oneof![Just(0.3), Just(0.6)],
    ) {
        let text = |(amount, unit, end): &(usize, usize, usize)| {
            let amount = ["30", "2.5", "1,000,000", "500,000", "some"][*amount];
            let (unit, end) = (["days", "euros", "Days"][*unit], ["in the year 2024", "in the year 1999", "or later"][*end]);
            format!("the notice period of this agreement is {amount} {unit} from receipt {end}")
        };
        let texts: Vec<String> = documents.iter().map(text).collect();
        let case = Case::new();
        write(&case, texts.iter().enumerate().map(|(id, text)| json!({"id": id.to_string(), "text": text})));
        let tokens: Vec<Vec<String>> = texts.iter().map(|text| judge::tokens(text, judge::Shingle::Word(2))).collect();
        let without_numbers = |tokens: &[String]| -> Vec<String> {
            let is_number = |word: &String| word.chars().all(char::is_numeric);
            let mut words: Vec<String> =
                tokens.iter().map(|word| if is_number(word) { "0".to_owned() } else { word.clone() }).collect();
            words.dedup_by(|word, before| word == "0" && before == "0");
            words
        };
        let judge = |left: usize, right: usize| {
            let (left, right) = (&tokens[left], &tokens[right]);
            let is_number = left != right && without_numbers(left) == without_numbers(right);
            let similarity = jaccard(left, right, 2, false);
            (similarity >= threshold && !is_number).then_some(similarity)
        };
        let request = case.request("in.jsonl", threshold).shingle("word:2");
        check_promises(&case, &request.different_numbers(lookalike::DifferentNumbers::Keep), texts.len(), &judge)?;
    }
}
