//! The reference: documents that match it are removed, it is unchanged, and both promises hold, checked by the judge.

use crate::made;
use std::collections::BTreeSet;
use std::fs;

use crate::made::{Case, any_corpus, dedup, scheme, try_dedup};
use lookalike::{DedupRequest, Error, Group, Summary};
use lookalike_judge::{Pair, Removal, Shingle, unsupported_removals};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Texts with the ids 0, 1, 2 …: some as the reference, the others as the input.
fn case(texts: &[String], is_reference: impl Fn(usize) -> bool) -> Case {
    let case = Case::new();
    for (name, wanted) in [("input.jsonl", false), ("reference.jsonl", true)] {
        let lines = texts.iter().enumerate().filter(|(id, _)| is_reference(*id) == wanted);
        let line = |(id, text): (usize, &String)| format!("{}\n", json!({"id": id, "text": text}));
        case.write(name, lines.map(line).collect::<String>());
    }
    case
}

fn request(case: &Case, shingle: &str, threshold: f64, only_against: bool) -> DedupRequest {
    let mut request = case.request("input.jsonl", threshold).id("id");
    request.scheme = scheme(shingle, threshold, 1.0);
    request.against([case.path("reference.jsonl")]).only_against(only_against)
}

fn ids(rows: &[Value]) -> Vec<usize> {
    rows.iter().map(|row| row["id"].as_u64().unwrap() as usize).collect()
}

fn removals(rows: &[Value]) -> Vec<Removal> {
    let id = |row: &Value, name: &str| row[name].as_str().unwrap().parse::<usize>().unwrap();
    let removal = |row: &Value| Removal {
        removed: id(row, "removed_id"),
        kept: id(row, "kept_id"),
        jaccard: row["jaccard"].as_f64().unwrap(),
    };
    rows.iter().map(removal).collect()
}

/// The input documents that match a reference.
fn like_reference(pairs: &[Pair], is_reference: impl Fn(usize) -> bool) -> BTreeSet<usize> {
    let ends = pairs.iter().flat_map(|pair| [(pair.left, pair.right), (pair.right, pair.left)]);
    ends.filter(|(input, other)| !is_reference(*input) && is_reference(*other)).map(|(input, _)| input).collect()
}

/// True if `kept_in` is correct in every row.
fn names_references(rows: &[Value], is_reference: impl Fn(usize) -> bool) -> bool {
    let said = |row: &Value| row.get("kept_in").and_then(Value::as_str) == Some("reference");
    rows.iter().zip(removals(rows)).all(|(row, removal)| said(row) == is_reference(removal.kept))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn both_promises_hold_with_a_reference(
        texts in any_corpus(),
        part in 2_usize..5,
        threshold in prop_oneof![Just(0.3), Just(0.6), Just(0.8), Just(1.0)],
        shingle in prop_oneof![Just("word:5"), Just("word:2"), Just("char:4")],
        keep in prop_oneof![Just("longest"), Just("first"), Just("last")],
    ) {
        let is_reference = |id: usize| id.is_multiple_of(part);
        let case = case(&texts, is_reference);
        let before = fs::read(case.path("reference.jsonl")).unwrap();
        let summary = dedup(&request(&case, shingle, threshold, false).keep(keep));
        let judge: Shingle = shingle.parse().unwrap();
        let rows = case.rows("removed.jsonl");
        let removals = removals(&rows);

        // Promise 1: the named document is kept or a reference, and as similar as the judge measures. No reference is
        // removed.
        let broken = unsupported_removals(&texts, judge, threshold, &removals);
        prop_assert!(broken.is_empty(), "{:?}", broken);
        prop_assert!(removals.iter().all(|removal| !is_reference(removal.removed)));
        prop_assert!(names_references(&rows, is_reference));

        // Promise 2: no two kept input documents match, and none matches a reference. Two references may.
        let pairs = lookalike_judge::pairs(&texts, judge, threshold);
        let removed: BTreeSet<usize> = removals.iter().map(|removal| removal.removed).collect();
        let is_left = |pair: &&Pair| {
            let ends = [pair.left, pair.right];
            !ends.iter().all(|end| is_reference(*end)) && !ends.iter().any(|end| removed.contains(end))
        };
        prop_assert_eq!(pairs.iter().find(is_left), None);

        // Input documents that match the reference are counted as such; and the rest is written.
        let by_reference: BTreeSet<usize> =
            removals.iter().filter(|removal| is_reference(removal.kept)).map(|removal| removal.removed).collect();
        prop_assert_eq!(&by_reference, &like_reference(&pairs, is_reference));
        prop_assert_eq!(summary.found.removed_by_reference_count, by_reference.len() as u64);
        let kept: Vec<usize> = (0..texts.len()).filter(|id| !is_reference(*id) && !removed.contains(id)).collect();
        prop_assert_eq!(ids(&case.rows("kept/input.jsonl")), kept);
        prop_assert_eq!(fs::read_dir(case.path("out/kept")).unwrap().count(), 1);
        prop_assert_eq!(fs::read(case.path("reference.jsonl")).unwrap(), before);
        check_counts(&summary, &texts, is_reference)?;
    }

    #[test]
    fn only_what_is_like_the_reference_goes_if_asked_so(
        texts in any_corpus(),
        part in 2_usize..5,
        threshold in prop_oneof![Just(0.3), Just(0.8), Just(1.0)],
        shingle in prop_oneof![Just("word:5"), Just("word:2")],
    ) {
        let is_reference = |id: usize| id.is_multiple_of(part);
        let case = case(&texts, is_reference);
        let summary = dedup(&request(&case, shingle, threshold, true));
        let judge: Shingle = shingle.parse().unwrap();
        let rows = case.rows("removed.jsonl");
        let removals = removals(&rows);
        let broken = unsupported_removals(&texts, judge, threshold, &removals);
        prop_assert!(broken.is_empty(), "{:?}", broken);
        prop_assert!(rows.iter().all(|row| row["kept_in"] == "reference"));
        let removed: BTreeSet<usize> = removals.iter().map(|removal| removal.removed).collect();
        prop_assert_eq!(removed, like_reference(&lookalike_judge::pairs(&texts, judge, threshold), is_reference));
        prop_assert_eq!(summary.found.removed_by_reference_count, summary.found.removed_count);
        prop_assert_eq!(summary.found.cluster_count, 0);
        prop_assert!(summary.found.repeated_text_count >= summary.found.exact_copy_count);
        check_counts(&summary, &texts, is_reference)?;
    }

    #[test]
    fn components_keep_references_and_remove_all_that_is_linked_to_them(texts in any_corpus(), part in 2_usize..5) {
        let is_reference = |id: usize| id.is_multiple_of(part);
        let threshold = 0.6;
        let case = case(&texts, is_reference);
        let summary = dedup(&request(&case, "word:3", threshold, false).group(Group::Components).keep("first"));

        // The best of a component is a reference if it has one.
        let order: Vec<usize> = (0..texts.len()).filter(|id| is_reference(*id))
            .chain((0..texts.len()).filter(|id| !is_reference(*id))).collect();
        let rank = |id: usize| order.iter().position(|other| *other == id).unwrap();
        let mut component: Vec<usize> = (0..texts.len()).collect();
        let tokens: Vec<Vec<String>> =
            texts.iter().map(|text| lookalike_judge::tokens(text, Shingle::Word(3))).collect();
        // Copies represent one text, and a text that is also in the reference is a reference.
        let is_copy = |id: usize, other: usize| !tokens[id].is_empty() && tokens[other] == tokens[id];
        let has_text = |id: usize| (0..texts.len()).any(|other| is_reference(other) && is_copy(id, other));
        for pair in lookalike_judge::pairs(&texts, Shingle::Word(3), threshold) {
            // References are not compared with each other.
            if has_text(pair.left) && has_text(pair.right) && tokens[pair.left] != tokens[pair.right] {
                continue;
            }
            let [left, right] = [component[pair.left], component[pair.right]];
            let [best, worst] = if left < right { [left, right] } else { [right, left] };
            component.iter_mut().filter(|other| **other == worst).for_each(|other| *other = best);
        }
        let best = |id: usize| {
            // A copy of a reference is removed for that one, whatever else is in its component.
            let is_near = |other: &usize| {
                if has_text(id) { tokens[*other] == tokens[id] } else { component[*other] == component[id] }
            };
            // Of several references with its words, for the one of which it is an exact copy.
            let is_other = |other: &usize| {
                has_text(id) && !(is_reference(*other) && lookalike_judge::is_exact_copy(&texts[id], &texts[*other]))
            };
            (0..texts.len()).filter(is_near).min_by_key(|other| (is_other(other), rank(*other))).unwrap()
        };
        let removals = removals(&case.rows("removed.jsonl"));
        let removed: Vec<usize> = (0..texts.len()).filter(|id| !is_reference(*id) && best(*id) != *id).collect();
        prop_assert_eq!(removals.iter().map(|removal| removal.removed).collect::<Vec<_>>(), removed);
        for Removal { removed, kept, jaccard } in removals {
            prop_assert_eq!(kept, best(removed));
            let measured = lookalike_judge::measure(&texts[removed], &texts[kept], Shingle::Word(3)).jaccard();
            prop_assert!((measured - jaccard).abs() < f64::EPSILON);
        }
        check_counts(&summary, &texts, is_reference)?;
    }
}

/// The summary's statements about the input exclude the reference.
fn check_counts(
    summary: &Summary,
    texts: &[String],
    is_reference: impl Fn(usize) -> bool,
) -> Result<(), TestCaseError> {
    let references = (0..texts.len()).filter(|id| is_reference(*id)).count() as u64;
    let (input, found) = (&summary.input, &summary.found);
    prop_assert_eq!((input.file_count, input.reference_file_count, input.reference_document_count), (1, 1, references));
    prop_assert_eq!(input.document_count, texts.len() as u64 - references);
    prop_assert_eq!(found.kept_count + found.removed_count, input.document_count);
    prop_assert_eq!(summary.clusters_by_size.values().sum::<u64>(), found.kept_count);
    let in_clusters: u64 = summary.clusters_by_size.iter().map(|(size, count)| size * count).sum();
    prop_assert_eq!(in_clusters + found.removed_by_reference_count, input.document_count);
    prop_assert_eq!(summary.sources.iter().map(|source| source.document_count).sum::<u64>(), input.document_count);
    prop_assert!(found.sharing_bucket_count.unwrap() <= input.document_count);
    Ok(())
}

fn words(from: usize, to: usize) -> String {
    (from..to).map(|at| format!("word{at}")).collect::<Vec<_>>().join(" ")
}

#[test]
fn an_empty_document_is_like_no_reference_and_ids_of_both_may_be_the_same() {
    let case = Case::new();
    let line = |id: &str, text: &str| format!("{}\n", json!({"id": id, "text": text}));
    case.write("input.jsonl", line("a", "") + &line("b", &words(0, 50)));
    case.write("reference.jsonl", line("a", "") + &line("a", &words(0, 50)) + &line("b", &words(0, 50)));
    let summary = dedup(&request(&case, "word:5", 0.8, false));
    assert_eq!((summary.input.empty_count, summary.input.repeated_id_count, summary.found.exact_copy_count), (1, 0, 1));
    assert_eq!(summary.input.bytes, fs::metadata(case.path("input.jsonl")).unwrap().len());
    let rows = case.rows("removed.jsonl");
    assert_eq!((&rows[0]["removed_id"], &rows[0]["kept_id"]), (&json!("b"), &json!("a")));
    assert_eq!((&rows[0]["kept_in"], &rows[0]["kept_source"]), (&json!("reference"), &json!("reference.jsonl")));
}

/// 400 references and 1,100 documents share boilerplate just below the threshold. No more references than other
/// documents are compared, which is counted; and they do not hide the duplicates among the following documents.
#[test]
fn many_references_in_a_bucket_do_not_hide_duplicates_in_the_input() {
    let text = |id: usize| format!("{} {}", words(0, 57), words(1000 * id + 1000, 1000 * id + 1003));
    let mut texts: Vec<String> = (0..1500).map(text).collect();
    (0..8).for_each(|at| texts[1492 + at] = format!("{} changed", texts[400 + at]));
    let case = case(&texts, |id| id < 400);
    let mut request = request(&case, "word:1", 0.95, false).bands(12).rows(1).keep("first");
    request.scheme.recall = None;
    let summary = dedup(&request);
    assert!(summary.found.passed_over.pair_count > 0);
    let found: Vec<(usize, usize)> =
        removals(&case.rows("removed.jsonl")).iter().map(|removal| (removal.removed, removal.kept)).collect();
    assert_eq!(found, (0..8).map(|at| (1492 + at, 400 + at)).collect::<Vec<_>>());
}

#[test]
fn text_files_and_pages_of_the_reference_are_read_and_not_written() {
    let case = Case::new();
    let record = |id: &str, text: &str| {
        format!(
            "WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Record-ID: <{id}>\r\nWARC-Target-URI: http://{id}.example/\r\n\
             Content-Length: {}\r\n\r\n{text}\r\n\r\n",
            text.len()
        )
    };
    let info = "WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: 0\r\n\r\n\r\n\r\n";
    case.write("in/a.txt", words(0, 60));
    case.write("in/b.txt", words(100, 160));
    case.write("in/c.wet", info.to_owned() + &record("c", &words(200, 260)) + &record("d", &words(300, 360)));
    case.write("tests/a.txt", words(100, 161));
    case.write("tests/e.wet", info.to_owned() + &record("e", &words(200, 261)));
    for (annotate, folder) in [(false, "kept"), (true, "annotated")] {
        let summary = dedup(&case.request("in", 0.8).against([case.path("tests")]).annotate(annotate));
        assert_eq!((summary.input.carried.len(), summary.input.document_count, summary.found.removed_count), (1, 4, 2));
        let mut names: Vec<_> = fs::read_dir(case.path("out").join(folder))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        let kept = fs::read_to_string(case.path("out").join(folder).join("c.wet")).unwrap();
        assert_eq!(kept.matches("warcinfo").count(), 1);
        if annotate {
            assert_eq!(names, ["a.txt.jsonl", "b.txt.jsonl", "c.wet"]);
            let row = &made::rows(&case.path("out/annotated/b.txt.jsonl"))[0];
            assert_eq!((&row["kept"], &row["kept_id"]), (&json!(false), &json!("a.txt")));
            assert!(kept.contains("Lookalike-Kept-ID: <e>"), "{kept}");
        } else {
            assert_eq!(names, ["a.txt", "c.wet"]);
            assert!(!kept.contains("word200") && kept.contains("word300"));
        }
    }
}

#[test]
fn what_is_both_input_and_reference_or_would_be_overwritten_is_refused() {
    let case = Case::new();
    case.write("in/a.jsonl", made::jsonl(&[words(0, 50)]));
    case.write("in/test/b.jsonl", made::jsonl(&[words(100, 150)]));
    let run = |references: &str, force: bool| {
        try_dedup(&case.request("in", 0.8).against([case.path(references)]).force(force))
    };
    assert!(matches!(run("in/test", true), Err(Error::InputIsReference { path }) if path.ends_with("b.jsonl")));
    assert!(!case.path("out").exists());
    dedup(&case.request("in", 0.8));
    // The output of an earlier run is about to be replaced.
    for inside in ["out/kept", "out/kept/a.jsonl"] {
        assert!(matches!(run(inside, true), Err(Error::Io(lookalike::io::Error::OutputIsInput { .. }))), "{inside}");
    }
    assert!(matches!(run("out", true), Err(Error::Io(lookalike::io::Error::OutputIsInput { .. }))));
}

#[test]
fn threads_make_no_difference_to_what_goes_for_the_reference() {
    let texts: Vec<String> = (0..1200)
        .map(|id| {
            let start = id % 400 * 200;
            format!("{} {}", words(start, start + 60 + id % 7), if id % 5 == 0 { "more" } else { "" })
        })
        .collect();
    let case = case(&texts, |id| id % 3 == 0);
    for only_against in [false, true] {
        let request = request(&case, "word:5", 0.8, only_against);
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut summary = serde_json::to_value(pool.install(|| dedup(&request))).unwrap();
            for differs in ["stages", "seconds", "peak_memory_bytes"] {
                summary[differs] = Value::Null;
            }
            summary["parameters"]["threads"] = Value::Null;
            let read = |name: &str| fs::read(case.path("out").join(name)).unwrap();
            (read("removed.jsonl"), read("kept/input.jsonl"), summary)
        };
        let one = run(1);
        assert!(one.2["found"]["removed_by_reference_count"].as_u64() > Some(100), "there is something to find");
        assert!(one == run(8));
    }
}
