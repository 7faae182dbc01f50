//! Every method in the same pipeline: its guarantees, checked by the judge or by counting.

use std::collections::BTreeSet;

use crate::made::{Case, any_corpus, dedup, pairs, pairs_request};
use lookalike::core::measure::criterion::Measure;
use lookalike::core::method::Weights;
use lookalike::core::scheme::MethodName;
use lookalike::core::sketch::SlotKind;
use lookalike::{Checksum, Copies, DedupRequest, Group, SchemeRequest, Silent};
use lookalike_judge::{Removal, Shingle, independent_set, unsupported_removals};
use proptest::prelude::*;
use serde_json::Value;

fn id(row: &Value, name: &str) -> usize {
    row[name].as_str().unwrap().parse().unwrap()
}

fn removals(rows: &[Value]) -> Vec<Removal> {
    let removal = |row: &Value| Removal {
        removed: id(row, "removed_id"),
        kept: id(row, "kept_id"),
        jaccard: row["jaccard"].as_f64().unwrap(),
    };
    rows.iter().map(removal).collect()
}

fn request(case: &Case, threshold: f64, scheme: SchemeRequest) -> DedupRequest {
    let mut request = case.request("corpus.jsonl", threshold).id("id");
    request.scheme = scheme.shingle("word:3").threshold(threshold);
    request
}

fn by(method: MethodName) -> SchemeRequest {
    SchemeRequest::default().method(method)
}

fn exact() -> SchemeRequest {
    by(MethodName::Exact)
}

fn simhash(weights: Weights, width: i64, distance: u32, verify: bool) -> SchemeRequest {
    by(MethodName::SimHash).shingle_weights(weights).sketch_bits(width).bits(distance).verify(verify)
}

fn super_shingles(rows: i64) -> SchemeRequest {
    by(MethodName::SuperShingle).bands(6).rows(rows).agree(2)
}

fn copies(checksum: Checksum) -> SchemeRequest {
    by(MethodName::Copies).checksum(checksum)
}

/// Methods whose matches are measured by features.
fn measured_methods() -> Vec<SchemeRequest> {
    vec![
        exact(),
        by(MethodName::MinHash).bands(20).rows(3).sketch(SlotKind::Classic),
        by(MethodName::MinHash).bands(125).rows(3).rows_random(true).slots(100),
        super_shingles(2),
        simhash(Weights::Idf, 64, 12, true),
        simhash(Weights::None, 128, 10, true),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn the_exact_join_keeps_both_promises_without_exception(
        texts in any_corpus(),
        threshold in prop_oneof![Just(0.3), Just(0.5), Just(2.0 / 3.0), Just(0.8), Just(1.0)],
        keep in prop_oneof![Just("longest"), Just("first"), Just("last")],
    ) {
        let case = Case::of(&texts);
        let request = request(&case, threshold, exact()).keep(keep);
        dedup(&request);
        let removals = removals(&case.rows("removed.jsonl"));
        let broken = lookalike_judge::broken_promises(&texts, Shingle::Word(3), threshold, &removals);
        prop_assert!(broken.is_empty(), "{:?}", broken);
        let found = pairs(&request.read, &request.scheme, Copies::All);
        let judged: Vec<(String, String, f64)> = lookalike_judge::pairs(&texts, Shingle::Word(3), threshold)
            .iter()
            .map(|pair| (pair.left.to_string(), pair.right.to_string(), pair.measures.jaccard()))
            .collect();
        prop_assert_eq!(found, judged);
    }

    #[test]
    fn a_small_input_is_compared_as_by_the_exact_join(
        texts in any_corpus(),
        threshold in prop_oneof![Just(0.3), Just(0.5), Just(2.0 / 3.0), Just(0.8), Just(1.0)],
        measure in prop_oneof![Just(Measure::Jaccard), Just(Measure::Containment)],
        group in prop_oneof![Just(Group::Independent), Just(Group::Components)],
    ) {
        let [by_default, exact] = [SchemeRequest::default(), exact()].map(|scheme| {
            let case = Case::of(&texts);
            let request = request(&case, threshold, scheme.measure(measure)).group(group);
            let summary = dedup(&request);
            assert_eq!(summary.parameters.method.name, "exact");
            (case.rows("removed.jsonl"), rows_of_pairs(&request))
        });
        prop_assert_eq!(by_default, exact);
    }

    #[test]
    fn whatever_the_method_nothing_is_lost_for_nothing(texts in any_corpus(), threshold in prop_oneof![Just(0.5), Just(0.8)]) {
        for method in measured_methods() {
            let case = Case::of(&texts);
            dedup(&request(&case, threshold, method.clone()));
            let removals = removals(&case.rows("removed.jsonl"));
            let broken = unsupported_removals(&texts, Shingle::Word(3), threshold, &removals);
            prop_assert!(broken.is_empty(), "{:?}: {:?}", method, broken);
        }
    }

    #[test]
    fn components_of_the_exact_join_are_those_of_bands(texts in any_corpus()) {
        let [exact, bands] = [exact(), SchemeRequest::default().recall(1.0)].map(|method| {
            let case = Case::of(&texts);
            dedup(&request(&case, 0.6, method).group(Group::Components));
            case.rows("removed.jsonl")
        });
        prop_assert_eq!(exact, bands);
    }

    #[test]
    fn what_lies_inside_of_another_is_found_whatever_their_sizes(texts in any_corpus(), threshold in prop_oneof![Just(0.6), Just(0.9)]) {
        // With a part of each text among them.
        let part = |text: &String| text.split(' ').take(12).collect::<Vec<_>>().join(" ");
        let texts: Vec<String> = texts.iter().cloned().chain(texts.iter().map(part)).collect();
        let mut judged = BTreeSet::new();
        for left in 0..texts.len() {
            for right in left + 1..texts.len() {
                let measures = lookalike_judge::measure(&texts[left], &texts[right], Shingle::Word(3));
                if measures.containment_left().max(measures.containment_right()) >= threshold {
                    judged.insert((left, right));
                }
            }
        }
        for (method, is_exact) in [(exact(), true), (SchemeRequest::default().recall(0.999_999), false)] {
            let case = Case::of(&texts);
            let request = request(&case, threshold, method).measure(Measure::Containment);
            let found: BTreeSet<(usize, usize)> = rows_of_pairs(&request).iter()
                .map(|row| (id(row, "left_id"), id(row, "right_id"))).collect();
            prop_assert!(found.is_subset(&judged));
            // One in a million at the threshold may be missed by the sketch.
            prop_assert!(!is_exact && judged.len() - found.len() <= 1 || found == judged);

            // Removed documents are contained in kept ones.
            dedup(&request);
            for row in case.rows("removed.jsonl") {
                let measures = lookalike_judge::measure(&texts[id(&row, "removed_id")], &texts[id(&row, "kept_id")], Shingle::Word(3));
                prop_assert!(measures.containment_left() >= threshold);
                prop_assert!((measures.containment_left() - row["containment_of_removed"].as_f64().unwrap()).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn bits_are_what_the_features_vote_for(texts in any_corpus(), distance in 0_u32..9) {
        let case = Case::of(&texts);
        let request = request(&case, 0.8, simhash(Weights::Count, 64, distance, false));
        // Counted from the same features.
        let scheme = request.scheme.check().unwrap();
        let mut shingler = lookalike::core::text::shingle::Shingler::new(scheme.shingle(), scheme.fold());
        let sketches: Vec<Option<u64>> = texts.iter().map(|text| {
            let features = shingler.features(text).all.to_vec();
            let ones = |bit: u32| features.iter().filter(|feature| **feature >> bit & 1 == 1).count();
            (!features.is_empty()).then(|| (0..64).filter(|bit| 2 * ones(*bit) > features.len()).map(|bit| 1 << bit).sum())
        }).collect();
        let mut expected = Vec::new();
        for left in 0..texts.len() {
            for right in left + 1..texts.len() {
                if let (Some(a), Some(b)) = (sketches[left], sketches[right]) && (a ^ b).count_ones() <= distance {
                    expected.push((left, right, u64::from((a ^ b).count_ones())));
                }
            }
        }
        let rows = rows_of_pairs(&request);
        let found: Vec<(usize, usize, u64)> = rows.iter()
            .map(|row| (id(row, "left_id"), id(row, "right_id"), row["hamming"].as_u64().unwrap())).collect();
        prop_assert_eq!(&found, &expected);
        for row in &rows {
            prop_assert!((row["similarity"].as_f64().unwrap() - (64.0 - row["hamming"].as_f64().unwrap()) / 64.0).abs() < 1e-12);
        }

        // The kept documents are the independent set of these pairs.
        let summary = dedup(&request);
        let measures = lookalike_judge::measure("", "", Shingle::Word(3));
        let graph: Vec<lookalike_judge::Pair> =
            expected.iter().map(|(left, right, _)| lookalike_judge::Pair { left: *left, right: *right, measures }).collect();
        let mut order: Vec<usize> = (0..texts.len()).collect();
        order.sort_by_key(|text| std::cmp::Reverse(lookalike_judge::tokens(&texts[*text], Shingle::Word(3)).len()));
        let kept = independent_set(texts.len(), &order, &graph).iter().filter(|kept| **kept).count() as u64;
        prop_assert_eq!(summary.found.kept_count, kept);
    }
}

fn rows_of_pairs(request: &DedupRequest) -> Vec<Value> {
    let options = pairs_request(&request.read, &request.scheme).check().unwrap();
    let mut bytes = Vec::new();
    lookalike::pairs(&options, &mut bytes, &Silent).unwrap();
    String::from_utf8(bytes).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn every_method_writes_the_same_for_any_number_of_threads() {
    let words = |seed: usize, count: usize| -> String {
        (0..count).map(|at| format!("w{} ", (seed * 7919 + at * at * 31 + at) % 997)).collect()
    };
    let texts: Vec<String> = (0..600).map(|id| words(id / 3, 60 + id % 3) + &words(5000 + id, id % 4)).collect();
    let methods = measured_methods().into_iter().chain([
        simhash(Weights::Idf, 64, 6, false),
        copies(Checksum::Md5),
        SchemeRequest::default().measure(Measure::Containment),
    ]);
    for method in methods {
        let case = Case::of(&texts);
        let request = request(&case, 0.8, method.clone());
        let outputs = [1, 4].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| dedup(&request));
            (case.rows("removed.jsonl"), case.rows("kept/corpus.jsonl"))
        });
        assert_eq!(outputs[0], outputs[1], "{method:?}");
        assert!(method.method == Some(MethodName::Copies) || !outputs[0].0.is_empty(), "{method:?}");
    }
}

#[test]
fn a_sum_of_bytes_is_shown_and_does_not_decide() {
    // The same letters in another order have the same sum; the last has the same words, in different bytes.
    let texts = ["Tropical fish", "Tropical shif", "Tropical fish", "tropical fish"];
    let case = Case::of(&texts);
    let summary = dedup(&request(&case, 0.8, copies(Checksum::Sum)));
    let rows = case.rows("removed.jsonl");
    assert_eq!(rows.len(), 1);
    assert_eq!((id(&rows[0], "removed_id"), id(&rows[0], "kept_id")), (2, 0));
    assert_eq!((rows[0]["checksum"].as_str(), rows[0]["exact_copy"].as_bool()), (Some("508"), Some(true)));
    assert_eq!(summary.found.checksum_collision_count, 1);

    let summary = dedup(&request(&case, 0.8, copies(Checksum::Text)));
    assert_eq!((summary.found.removed_count, summary.found.checksum_collision_count), (1, 0));
    assert!(case.rows("removed.jsonl").iter().all(|row| row.get("checksum").is_none()));
}

#[test]
fn super_shingles_take_forty_eight_bytes_and_simhash_eight() {
    let case = Case::of(&["one two three four five", "six seven eight nine ten"]);
    for (method, bytes) in [
        (super_shingles(14), 48),
        (simhash(Weights::Count, 64, 3, false), 8),
        (simhash(Weights::Count, 128, 3, false), 16),
        (exact(), 0),
    ] {
        assert_eq!(dedup(&request(&case, 0.8, method)).parameters.sketch_bytes, bytes);
    }
}

/// Pairs of texts that share 82 words and have ten of their own: they share 80 of 100 shingles of three words.
fn pairs_at_the_threshold(count: usize) -> Vec<String> {
    let words = |pair: usize, from: usize, to: usize| (from..to).map(|at| format!("w{pair}x{at}")).collect::<Vec<_>>();
    let text = |pair: usize, own: usize| [words(pair, 0, 82), words(pair, own, own + 10)].concat().join(" ");
    (0..count).flat_map(|pair| [text(pair, 1000), text(pair, 2000)]).collect()
}

#[test]
fn pairs_that_sketches_miss_are_found_in_a_small_input() {
    let case = Case::of(&pairs_at_the_threshold(400));
    let found = |scheme: SchemeRequest| {
        let request = request(&case, 0.8, scheme);
        let summary = dedup(&request);
        assert_eq!(rows_of_pairs(&request).len() as u64, summary.found.removed_count);
        (summary.found.removed_count, summary.parameters)
    };
    let (by_sketches, parameters) = found(SchemeRequest::default().recall(0.9));
    assert!(by_sketches < 400 && !parameters.exact_because_small, "{by_sketches}");
    let (by_default, parameters) = found(SchemeRequest::default());
    assert_eq!((by_default, parameters.recall_at_threshold), (400, Some(1.0)));
    assert_eq!((&*parameters.method.name, parameters.exact_because_small), ("exact", true));
}

/// The method of a run on these texts if none is given: its name, and whether it was chosen because they are few.
fn default_method(texts: &[String]) -> (String, bool) {
    let case = Case::of(texts);
    let parameters = dedup(&case.request("corpus.jsonl", 0.8)).parameters;
    (parameters.method.name.into_owned(), parameters.exact_because_small)
}

#[test]
fn texts_and_features_decide_what_is_small_and_copies_do_not() {
    let text =
        |from: usize, count: usize| (from..from + count).map(|at| format!("w{at}")).collect::<Vec<_>>().join(" ");
    let short = |count: usize| (0..count).map(|at| text(6 * at, 5)).collect::<Vec<_>>();
    assert_eq!(default_method(&short(25_000)), ("exact".to_owned(), true));
    assert_eq!(default_method(&short(25_001)), ("minhash".to_owned(), false));
    // A text of n words has n − 4 features.
    let long = |features: usize| vec![text(0, features / 2 + 4), text(2_000_000, features - features / 2 + 4)];
    assert_eq!(default_method(&long(250_000)), ("exact".to_owned(), true));
    assert_eq!(default_method(&long(250_001)), ("minhash".to_owned(), false));
    // More documents and features than that, from twenty texts.
    let copies: Vec<String> = (0..30_000).map(|at| text(at % 20 * 3, 100)).collect();
    assert_eq!(default_method(&copies), ("exact".to_owned(), true));
}

#[test]
fn whatever_says_how_to_find_pairs_is_followed_in_a_small_input() {
    let case = Case::of(&pairs_at_the_threshold(3));
    let open = SchemeRequest::default;
    for (scheme, name, is_small) in [
        (open(), "exact", true),
        (open().exact(false).verify(false), "exact", true),
        (open().key("random"), "exact", true),
        (open().fold("digits"), "exact", true),
        (open().measure(Measure::Containment), "exact", true),
        (open().exact(true), "exact", false),
        (open().method(MethodName::MinHash), "minhash", false),
        (open().recall(0.99), "minhash", false),
        (open().bands(20).rows(7), "minhash", false),
        (open().sketch(SlotKind::Fast), "minhash", false),
        (open().measure(Measure::Containment).recall(0.99), "minhash", false),
        (super_shingles(14), "supershingle", false),
    ] {
        let parameters = dedup(&request(&case, 0.8, scheme.clone())).parameters;
        assert_eq!((&*parameters.method.name, parameters.exact_because_small), (name, is_small), "{scheme:?}");
    }
}
