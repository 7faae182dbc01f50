//! The two promises, held by the judge: brute force over the texts, with no code of the pipeline.

mod made;

use lookalike::core::resolve::keep::Keep;
use lookalike::{Copies, Group};
use lookalike_judge::{Removal, Shingle, independent_set};
use made::{Case, any_corpus, dedup, pairs, similarity};
use proptest::prelude::*;
use serde_json::Value;

fn removals(rows: &[Value]) -> Vec<Removal> {
    let id = |row: &Value, name: &str| row[name].as_str().unwrap().parse::<usize>().unwrap();
    let removal = |row: &Value| Removal {
        removed: id(row, "removed_id"),
        kept: id(row, "kept_id"),
        jaccard: row["jaccard"].as_f64().unwrap(),
    };
    rows.iter().map(removal).collect()
}

fn judge_shingle(shingle: &str) -> Shingle {
    shingle.parse().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn both_promises_hold(
        texts in any_corpus(),
        threshold in prop_oneof![Just(0.3), Just(0.5), Just(0.8), Just(0.95), Just(1.0)],
        shingle in prop_oneof![Just("word:5"), Just("word:1"), Just("word:2"), Just("char:4")],
        keep in prop_oneof![Just(Keep::Longest), Just(Keep::First), Just(Keep::Last)],
    ) {
        let case = Case::of(&texts);
        let mut options = case.options("corpus.jsonl", threshold);
        options.read.settings.fields.id = Some("id".to_owned());
        options.similarity = similarity(shingle, threshold, 1.0);
        options.keep = keep.clone();
        dedup(&options);
        let removals = removals(&case.rows("removed.jsonl"));
        let broken = lookalike_judge::broken_promises(&texts, judge_shingle(shingle), threshold, &removals);
        prop_assert!(broken.is_empty(), "{:?}", broken);

        // And the set that is kept is the one that is first in keep order.
        let pairs = lookalike_judge::pairs(&texts, judge_shingle(shingle), threshold);
        let mut order: Vec<usize> = (0..texts.len()).collect();
        let length = |text: &usize| lookalike_judge::tokens(&texts[*text], judge_shingle(shingle)).len();
        match keep {
            Keep::Longest => order.sort_by_key(|text| std::cmp::Reverse(length(text))),
            Keep::Last => order.reverse(),
            _ => {}
        }
        let kept: Vec<String> = (0..).zip(independent_set(texts.len(), &order, &pairs))
            .filter(|(_, kept)| *kept).map(|(id, _): (usize, bool)| id.to_string()).collect();
        let ours: Vec<String> =
            case.rows("kept/corpus.jsonl").iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect();
        prop_assert_eq!(ours, kept);
    }

    #[test]
    fn pairs_are_those_of_the_judge_to_the_last_digit(
        texts in any_corpus(),
        threshold in prop_oneof![Just(0.3), Just(0.5), Just(0.8), Just(1.0)],
        shingle in prop_oneof![Just("word:5"), Just("word:2"), Just("char:5")],
    ) {
        let case = Case::of(&texts);
        let mut read = case.options("corpus.jsonl", threshold).read;
        read.settings.fields.id = Some("id".to_owned());
        let ours = pairs(&read, similarity(shingle, threshold, 1.0), Copies::All);
        let judged: Vec<(String, String, f64)> = lookalike_judge::pairs(&texts, judge_shingle(shingle), threshold)
            .iter()
            .map(|pair| (pair.left.to_string(), pair.right.to_string(), pair.measures.jaccard()))
            .collect();
        prop_assert_eq!(ours, judged);
    }

    #[test]
    fn pairs_of_folded_texts_are_those_of_the_judge(texts in any_corpus(), shingle in prop_oneof![Just("word:2"), Just("char:5")]) {
        // Every text gets an accent and a number by its place, so that nothing is alike but what is folded.
        let dress = |(place, text): (usize, &String)| text.replace('a', ["á", "a", "ä"][place % 3]) + &format!(" {place}7");
        let texts: Vec<String> = texts.iter().enumerate().map(dress).collect();
        let case = Case::of(&texts);
        let mut read = case.options("corpus.jsonl", 0.5).read;
        read.settings.fields.id = Some("id".to_owned());
        let mut options = similarity(shingle, 0.5, 1.0);
        options.fold = "accents,digits".parse().unwrap();
        let ours = pairs(&read, options, Copies::All);
        let both = lookalike_judge::Fold { accents: true, digits: true };
        let folded: Vec<String> = texts.iter().map(|text| lookalike_judge::fold(text, both)).collect();
        let judged: Vec<(String, String, f64)> = lookalike_judge::pairs(&folded, judge_shingle(shingle), 0.5)
            .iter()
            .map(|pair| (pair.left.to_string(), pair.right.to_string(), pair.measures.jaccard()))
            .collect();
        prop_assert_eq!(ours, judged);
    }

    #[test]
    fn components_keep_the_best_of_each_and_tell_the_truth_about_the_others(texts in any_corpus()) {
        let threshold = 0.6;
        let case = Case::of(&texts);
        let mut options = case.options("corpus.jsonl", threshold);
        options.read.settings.fields.id = Some("id".to_owned());
        options.similarity = similarity("word:3", threshold, 1.0);
        options.group = Group::Components;
        options.keep = Keep::First;
        let summary = dedup(&options);

        let mut component: Vec<usize> = (0..texts.len()).collect();
        for pair in lookalike_judge::pairs(&texts, Shingle::Word(3), threshold) {
            let [least, most] = [component[pair.left].min(component[pair.right]), component[pair.left].max(component[pair.right])];
            component.iter_mut().filter(|other| **other == most).for_each(|other| *other = least);
        }
        let removals = removals(&case.rows("removed.jsonl"));
        let removed: Vec<usize> = (0..texts.len()).filter(|text| component[*text] != *text).collect();
        prop_assert_eq!(removals.iter().map(|removal| removal.removed).collect::<Vec<_>>(), removed);
        let mut below = 0;
        for Removal { removed, kept, jaccard } in removals {
            prop_assert_eq!(kept, component[removed]);
            let measured = lookalike_judge::measure(&texts[removed], &texts[kept], Shingle::Word(3)).jaccard();
            prop_assert!((measured - jaccard).abs() < f64::EPSILON);
            below += u64::from(measured < threshold);
        }
        prop_assert_eq!(summary.found.removed_below_threshold, below);
    }
}

/// A ~ B ~ C, but A and C are not alike: connected components would remove C for nothing.
#[test]
fn a_chain_loses_only_its_middle() {
    let words: Vec<String> = (0..150).map(|at| format!("word{at}")).collect();
    let texts = [words[..120].join(" "), words[10..130].join(" "), words[20..140].join(" ")];
    let case = Case::of(&texts);
    let mut options = case.options("corpus.jsonl", 0.8);
    options.read.settings.fields.id = Some("id".to_owned());
    let summary = dedup(&options);
    assert_eq!((summary.found.kept, summary.found.removed), (2, 1));
    let rows = case.rows("removed.jsonl");
    assert_eq!((rows[0]["removed_id"].as_str(), rows[0]["kept_id"].as_str()), (Some("1"), Some("0")));

    options.group = Group::Components;
    let summary = dedup(&options);
    assert_eq!((summary.found.kept, summary.found.removed_below_threshold), (1, 1));
}

#[test]
fn the_kept_document_that_is_named_is_the_most_similar_one() {
    let words: Vec<String> = (0..200).map(|at| format!("word{at}")).collect();
    // The middle is like both ends, and more like the second.
    let texts = [words[..160].join(" "), words[25..186].join(" "), words[12..168].join(" ")];
    let case = Case::of(&texts);
    let mut options = case.options("corpus.jsonl", 0.8);
    options.read.settings.fields.id = Some("id".to_owned());
    dedup(&options);
    let rows = case.rows("removed.jsonl");
    assert_eq!(rows.len(), 1);
    let jaccard = |other: usize| lookalike_judge::measure(&texts[2], &texts[other], Shingle::Word(5)).jaccard();
    let best = if jaccard(0) > jaccard(1) { "0" } else { "1" };
    assert_eq!(rows[0]["kept_id"], best, "{} {}", jaccard(0), jaccard(1));
}

#[test]
fn keep_orders_choose_who_stays() {
    let long = (0..40).map(|at| format!("w{at}")).collect::<Vec<_>>().join(" ");
    let longer = format!("{long} more");
    let line =
        |id: &str, text: &str, score: f64| format!("{}\n", serde_json::json!({"id": id, "text": text, "score": score}));
    let case = Case::new();
    case.write("corpus.jsonl", line("a", &long, 3.0) + &line("b", &longer, 1.0) + &line("c", &long, 2.0));
    for (keep, kept) in [("longest", "b"), ("first", "a"), ("last", "c"), ("max:score", "a"), ("min:score", "b")] {
        let mut options = case.options("corpus.jsonl", 0.8);
        options.keep = keep.parse().unwrap();
        options.read.settings.fields.id = Some("id".to_owned());
        options.read.settings.fields.value = options.keep.field().map(str::to_owned);
        dedup(&options);
        let rows = case.rows("kept/corpus.jsonl");
        assert_eq!(rows.iter().map(|row| row["id"].as_str().unwrap()).collect::<Vec<_>>(), [kept], "{keep}");
    }
}

#[test]
fn copies_as_a_star_are_one_row_less_than_there_are_copies() {
    let text = |seed: usize| (0..30).map(|at| format!("w{}", seed * 100 + at)).collect::<Vec<_>>().join(" ");
    let near = text(1).replace("w129", "other");
    let texts = [text(1), text(1), text(2), near.clone(), text(1), near];
    let case = Case::of(&texts);
    let mut read = case.options("corpus.jsonl", 0.8).read;
    read.settings.fields.id = Some("id".to_owned());
    let ids = |copies| {
        let pairs = pairs(&read, similarity("word:5", 0.8, 1.0), copies);
        pairs.into_iter().map(|(left, right, _)| left + &right).collect::<Vec<_>>()
    };
    assert_eq!(ids(Copies::All), ["01", "03", "04", "05", "13", "14", "15", "34", "35", "45"]);
    assert_eq!(ids(Copies::Star), ["01", "03", "04", "35"]);
}
