//! The two promises, checked by the judge: brute force over the texts, without code of the pipeline.

use crate::made::{Case, any_corpus, dedup, pairs, scheme, similarity};
use lookalike::core::measure::criterion::Measure;
use lookalike::core::measure::feature_set::Overlap;
use lookalike::core::method::Weights;
use lookalike::core::resolve::keep::Keep;
use lookalike::core::scheme::MethodName;
use lookalike::core::sketch::SlotKind;
use lookalike::texts::{self, Fate, MemoryIndex, TextOptions};
use lookalike::{Checksum, Copies, Group, MethodOptions, Scheme, SchemeRequest, Silent};
use lookalike_judge::{Removal, Shingle, independent_set};
use proptest::prelude::*;
use serde_json::Value;

fn judge_shingle(shingle: &str) -> Shingle {
    shingle.parse().unwrap()
}

/// The removals of the job on texts in memory, as the judge expects them.
fn removals_of(fates: &[Fate]) -> Vec<Removal> {
    let removal = |(removed, fate): (usize, &Fate)| match *fate {
        Fate::Removed { by, likeness, .. } => {
            Some(Removal { removed, kept: by, jaccard: likeness.overlap().unwrap().jaccard() })
        }
        _ => None,
    };
    fates.iter().enumerate().filter_map(removal).collect()
}

fn dedup_texts(corpus: &[String], scheme: &Scheme, keep: &Keep, group: Group) -> Vec<Fate> {
    let options = TextOptions::default().keep(keep.clone()).group(group);
    texts::dedup_with(corpus, scheme, &options, &Silent).unwrap()
}

fn any_keep() -> impl Strategy<Value = Keep> {
    prop_oneof![Just(Keep::Longest), Just(Keep::First), Just(Keep::Last)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn both_promises_hold(
        texts in any_corpus(),
        threshold in prop_oneof![Just(0.3), Just(0.5), Just(0.8), Just(0.95), Just(1.0)],
        shingle in prop_oneof![Just("word:5"), Just("word:1"), Just("word:2"), Just("char:4")],
        keep in any_keep(),
    ) {
        let fates = dedup_texts(&texts, &similarity(shingle, threshold, 1.0), &keep, Group::Independent);
        let broken = lookalike_judge::broken_promises(&texts, judge_shingle(shingle), threshold, &removals_of(&fates));
        prop_assert!(broken.is_empty(), "{:?}", broken);

        // The kept set is the one that is first in keep order.
        let pairs = lookalike_judge::pairs(&texts, judge_shingle(shingle), threshold);
        let mut order: Vec<usize> = (0..texts.len()).collect();
        let length = |text: &usize| lookalike_judge::tokens(&texts[*text], judge_shingle(shingle)).len();
        match keep {
            Keep::Longest => order.sort_by_key(|text| std::cmp::Reverse(length(text))),
            Keep::Last => order.reverse(),
            _ => {}
        }
        let kept = independent_set(texts.len(), &order, &pairs);
        prop_assert_eq!(fates.iter().map(|fate| *fate == Fate::Kept).collect::<Vec<bool>>(), kept);
    }

    #[test]
    fn pairs_are_those_of_the_judge_to_the_last_digit(
        texts in any_corpus(),
        threshold in prop_oneof![Just(0.3), Just(0.5), Just(0.8), Just(1.0)],
        shingle in prop_oneof![Just("word:5"), Just("word:2"), Just("char:5")],
        is_exact in any::<bool>(),
    ) {
        let mut scheme = similarity(shingle, threshold, 1.0);
        if is_exact {
            scheme = scheme.with_method(MethodOptions::Exact).unwrap();
        }
        let judged: Vec<(usize, usize, f64)> = lookalike_judge::pairs(&texts, judge_shingle(shingle), threshold)
            .iter()
            .map(|pair| (pair.left, pair.right, pair.measures.jaccard()))
            .collect();
        prop_assert_eq!(pairs_of(&texts, &scheme), judged);
    }

    #[test]
    fn pairs_of_folded_texts_are_those_of_the_judge(texts in any_corpus(), shingle in prop_oneof![Just("word:2"), Just("char:5")]) {
        // Every text gets accents and numbers by its position, so that texts are similar only after folding.
        let dress = |(place, text): (usize, &String)| text.replace('a', ["á", "a", "ä"][place % 3]) + &format!(" {place}7");
        let texts: Vec<String> = texts.iter().enumerate().map(dress).collect();
        let scheme = similarity(shingle, 0.5, 1.0).with_fold("accents,digits".parse().unwrap());
        let both = lookalike_judge::Fold { accents: true, digits: true };
        let folded: Vec<String> = texts.iter().map(|text| lookalike_judge::fold(text, both)).collect();
        let judged: Vec<(usize, usize, f64)> = lookalike_judge::pairs(&folded, judge_shingle(shingle), 0.5)
            .iter()
            .map(|pair| (pair.left, pair.right, pair.measures.jaccard()))
            .collect();
        prop_assert_eq!(pairs_of(&texts, &scheme), judged);
    }

    #[test]
    fn components_keep_the_best_of_each_and_tell_the_truth_about_the_others(texts in any_corpus()) {
        let threshold = 0.6;
        let fates = dedup_texts(&texts, &similarity("word:3", threshold, 1.0), &Keep::First, Group::Components);
        let mut component: Vec<usize> = (0..texts.len()).collect();
        for pair in lookalike_judge::pairs(&texts, Shingle::Word(3), threshold) {
            let [least, most] = [component[pair.left].min(component[pair.right]), component[pair.left].max(component[pair.right])];
            component.iter_mut().filter(|other| **other == most).for_each(|other| *other = least);
        }
        let removals = removals_of(&fates);
        let removed: Vec<usize> = (0..texts.len()).filter(|text| component[*text] != *text).collect();
        prop_assert_eq!(removals.iter().map(|removal| removal.removed).collect::<Vec<_>>(), removed);
        for Removal { removed, kept, jaccard } in removals {
            prop_assert_eq!(kept, component[removed]);
            let measured = lookalike_judge::measure(&texts[removed], &texts[kept], Shingle::Word(3)).jaccard();
            prop_assert!((measured - jaccard).abs() < f64::EPSILON);
        }
    }

    #[test]
    fn an_index_finds_what_the_judge_finds(
        texts in any_corpus(),
        threshold in prop_oneof![Just(0.3), Just(0.5), Just(0.8)],
        removed in proptest::collection::vec(any::<prop::sample::Index>(), 0..4),
        is_exact in any::<bool>(),
    ) {
        let mut scheme = similarity("word:3", threshold, 1.0);
        if is_exact {
            scheme = scheme.with_method(MethodOptions::Exact).unwrap();
        }
        let mut index = MemoryIndex::new(scheme).unwrap();
        texts.iter().enumerate().for_each(|(id, text)| index.put(&id.to_string(), text));
        // Once more, which changes nothing.
        index.put("0", &texts[0]);
        let removed: Vec<usize> = removed.iter().map(|at| at.index(texts.len())).collect();
        for id in &removed {
            index.delete(&id.to_string());
        }
        for text in &texts {
            let measured = |id: usize| lookalike_judge::measure(text, &texts[id], Shingle::Word(3)).jaccard();
            let is_hit = |id: &usize| !removed.contains(id) && measured(*id) >= threshold;
            let mut expected: Vec<(String, f64)> =
                (0..texts.len()).filter(is_hit).map(|id| (id.to_string(), measured(id))).collect();
            let mut found: Vec<(String, f64)> =
                index.search(text).into_iter().map(|hit| (hit.id, hit.similarity)).collect();
            prop_assert!(found.is_sorted_by(|one, next| one.1 >= next.1));
            found.sort_by(|left, right| left.0.cmp(&right.0));
            expected.sort_by(|left, right| left.0.cmp(&right.0));
            prop_assert_eq!(found, expected);
        }
    }
}

fn pairs_of(corpus: &[String], scheme: &Scheme) -> Vec<(usize, usize, f64)> {
    let pairs = texts::pairs(corpus, scheme).unwrap();
    pairs.iter().map(|pair| (pair.left, pair.right, pair.likeness.overlap().unwrap().jaccard())).collect()
}

/// Every method, at a recall that misses something, so that equal results mean equal sketches too.
fn methods() -> Vec<SchemeRequest> {
    let by = |method: MethodName| SchemeRequest::default().shingle("word:3").threshold(0.5).method(method);
    let simhash =
        |weights: Weights, verify: bool| by(MethodName::SimHash).shingle_weights(weights).bits(6).verify(verify);
    vec![
        scheme("word:3", 0.5, 0.9),
        by(MethodName::SuperShingle).bands(8).rows(2).agree(1).sketch(SlotKind::Classic),
        simhash(Weights::Count, false),
        simhash(Weights::Idf, true),
        by(MethodName::Exact),
        by(MethodName::Copies).checksum(Checksum::Text),
        by(MethodName::Copies).checksum(Checksum::Crc32),
        SchemeRequest::default().measure(Measure::Containment).threshold(0.6),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// The road of files once more, so that what holds without them holds with them.
    #[test]
    fn files_have_the_answer_of_texts_in_memory(texts in any_corpus(), asked in prop::sample::select(methods()), keep in any_keep()) {
        let case = Case::of(&texts);
        // A document that contains another is kept, and no other order is possible.
        let keep = if asked.measure == Some(Measure::Containment) { Keep::Longest } else { keep };
        let mut request = case.request("corpus.jsonl", 0.5).id("id").keep(keep.to_string());
        request.scheme = asked;
        dedup(&request);
        let scheme = request.scheme.check().unwrap();
        let fates = dedup_texts(&texts, &scheme, &keep, Group::Independent);
        let in_memory: Vec<(usize, usize, f64, bool)> = fates.iter().enumerate().filter_map(|(removed, fate)| match *fate {
            Fate::Removed { by, likeness, is_exact_copy, .. } => Some((removed, by, likeness.overlap().map_or(likeness.similarity(scheme.criterion()), Overlap::jaccard), is_exact_copy)),
            _ => None,
        }).collect();
        let of_row = |row: &Value| {
            let id = |name: &str| row[name].as_str().unwrap().parse::<usize>().unwrap();
            let similarity = row.get("jaccard").unwrap_or(&row["similarity"]);
            (id("removed_id"), id("kept_id"), similarity.as_f64().unwrap(), row["exact_copy"].as_bool().unwrap())
        };
        let from_files: Vec<(usize, usize, f64, bool)> = case.rows("removed.jsonl").iter().map(of_row).collect();
        prop_assert_eq!(from_files, in_memory);

        if matches!(scheme.method(), MethodOptions::SimHash { is_verified: false, .. }) {
            // Its pairs have no feature similarity to read.
            return Ok(());
        }
        let found = pairs(&request.read, &request.scheme, Copies::All);
        let ids: Vec<(String, String)> = found.into_iter().map(|(left, right, _)| (left, right)).collect();
        let in_memory: Vec<(String, String)> = texts::pairs(&texts, &scheme)
            .unwrap()
            .iter()
            .map(|pair| (pair.left.to_string(), pair.right.to_string()))
            .collect();
        prop_assert_eq!(ids, in_memory);
    }
}

/// A ~ B ~ C, but A and C are not similar: connected components would remove C without reason.
#[test]
fn a_chain_loses_only_its_middle() {
    let words: Vec<String> = (0..150).map(|at| format!("word{at}")).collect();
    let texts = [words[..120].join(" "), words[10..130].join(" "), words[20..140].join(" ")];
    let case = Case::of(&texts);
    let request = case.request("corpus.jsonl", 0.8).id("id");
    let summary = dedup(&request);
    assert_eq!((summary.found.kept_count, summary.found.removed_count), (2, 1));
    let rows = case.rows("removed.jsonl");
    assert_eq!((rows[0]["removed_id"].as_str(), rows[0]["kept_id"].as_str()), (Some("1"), Some("0")));

    let summary = dedup(&request.group(Group::Components));
    assert_eq!((summary.found.kept_count, summary.found.removed_below_threshold_count), (1, 1));
}

#[test]
fn the_kept_document_that_is_named_is_the_most_similar_one() {
    let words: Vec<String> = (0..200).map(|at| format!("word{at}")).collect();
    // The middle matches both ends, and is more similar to the second.
    let texts = [words[..160].join(" "), words[25..186].join(" "), words[12..168].join(" ")];
    let case = Case::of(&texts);
    dedup(&case.request("corpus.jsonl", 0.8).id("id"));
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
        dedup(&case.request("corpus.jsonl", 0.8).id("id").keep(keep));
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
    let read = case.request("corpus.jsonl", 0.8).id("id").read;
    let ids = |copies| {
        let pairs = pairs(&read, &scheme("word:5", 0.8, 1.0), copies);
        pairs.into_iter().map(|(left, right, _)| left + &right).collect::<Vec<_>>()
    };
    assert_eq!(ids(Copies::All), ["01", "03", "04", "05", "13", "14", "15", "34", "35", "45"]);
    assert_eq!(ids(Copies::Star), ["01", "03", "04", "35"]);
}
