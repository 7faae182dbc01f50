//! Selected pairs: with a reference, between two similarities, as a sample. The judge knows the true ones.

use crate::made::{Case, any_corpus, pairs_request, scheme};
use lookalike::core::scheme::MethodName;
use lookalike::{Between, Checksum, Copies, PairsReport, PairsRequest, ReadRequest, Silent, pairs_with_texts};
use lookalike_judge::Shingle;
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

fn request(case: &Case, threshold: f64) -> PairsRequest {
    pairs_request(&ReadRequest::new([case.path("input.jsonl")]).id("id"), &scheme("word:3", threshold, 1.0))
}

fn against(case: &Case, threshold: f64) -> PairsRequest {
    request(case, threshold).against([case.path("reference.jsonl")])
}

type Row = (usize, usize, f64);

fn run(request: &PairsRequest) -> (Vec<Row>, PairsReport) {
    let mut bytes = Vec::new();
    let report = lookalike::pairs(&request.clone().check().unwrap(), &mut bytes, &Silent).unwrap();
    let row = |line: &str| {
        let row: Value = serde_json::from_str(line).unwrap();
        let id = |name: &str| row[name].as_str().unwrap().parse().unwrap();
        (id("left_id"), id("right_id"), row["jaccard"].as_f64().unwrap())
    };
    let rows: Vec<Row> = String::from_utf8(bytes).unwrap().lines().map(row).collect();
    assert_eq!(rows.len() as u64, report.pair_count);
    (rows, report)
}

/// Every pair that the judge finds.
fn judged(texts: &[String], threshold: f64) -> Vec<Row> {
    let pairs = lookalike_judge::pairs(texts, Shingle::Word(3), threshold);
    pairs.iter().map(|pair| (pair.left, pair.right, pair.measures.jaccard())).collect()
}

/// Pairs of an input document and a reference document, in this order, sorted as in the output.
fn across(pairs: &[Row], is_reference: impl Fn(usize) -> bool) -> Vec<Row> {
    let turned = |(left, right, jaccard): &Row| match (is_reference(*left), is_reference(*right)) {
        (false, true) => Some((*left, *right, *jaccard)),
        (true, false) => Some((*right, *left, *jaccard)),
        _ => None,
    };
    let mut across: Vec<Row> = pairs.iter().filter_map(turned).collect();
    across.sort_by_key(|(left, right, _)| (*left, *right));
    across
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn pairs_with_a_reference_are_all_of_both_sides_and_no_others(
        texts in any_corpus(),
        part in 2_usize..5,
        threshold in prop_oneof![Just(0.3), Just(0.6), Just(1.0)],
    ) {
        // With copies on both sides, and more than one on each.
        let texts: Vec<String> = texts.iter().chain(texts.iter().step_by(2)).chain(texts.iter().step_by(3)).cloned().collect();
        let is_reference = |id: usize| id.is_multiple_of(part);
        let case = case(&texts, is_reference);
        let expected = across(&judged(&texts, threshold), is_reference);
        for is_exact in [true, false] {
            let mut request = against(&case, threshold);
            if is_exact {
                (request.scheme.method, request.scheme.recall) = (Some(MethodName::Exact), None);
            }
            prop_assert_eq!(&run(&request).0, &expected);

            // A star has only the first copy of each text on each side.
            request.copies = Some(Copies::Star);
            let first = |id: usize| {
                let is_copy = |other: &usize| is_reference(*other) == is_reference(id)
                    && lookalike_judge::tokens(&texts[*other], Shingle::Word(3)) == lookalike_judge::tokens(&texts[id], Shingle::Word(3));
                (0..texts.len()).find(is_copy) == Some(id)
            };
            let star: Vec<Row> = expected.iter().copied().filter(|(left, right, _)| first(*left) && first(*right)).collect();
            prop_assert_eq!(run(&request).0, star);
        }
    }

    #[test]
    fn pairs_between_two_similarities_are_those_from_the_lower_up_to_the_higher(
        texts in any_corpus(),
        (low, high) in prop_oneof![Just((0.3, 0.6)), Just((0.5, 0.75)), Just((0.6, 1.0))],
    ) {
        let case = case(&texts, |_| false);
        let mut request = request(&case, low).between([low, high]);
        request.scheme.threshold = None;
        let expected: Vec<Row> = judged(&texts, low).into_iter().filter(|row| row.2 < high || high >= 1.0).collect();
        let (rows, report) = run(&request);
        prop_assert_eq!(report.found_count, expected.len() as u64);
        prop_assert_eq!(rows, expected);
    }
}

#[test]
fn what_cannot_be_between_is_refused() {
    for (low, high) in [(0.8, 0.8), (0.9, 0.8), (0.0, 0.5), (0.5, 1.1), (f64::NAN, 0.5), (0.5, f64::NAN)] {
        let refused = Between::new(low, high).unwrap_err().to_string();
        assert!(refused.contains("0 < LOW < HIGH <= 1"), "{refused}");
        let refused = PairsRequest::new(["in"]).between([low, high]).check().unwrap_err();
        assert_eq!((refused.name(), refused.why().kind()), ("between", "out_of_range"));
    }
}

/// Ten families of twelve that share most of their words.
fn families() -> Vec<String> {
    let words = |from: usize, to: usize| (from..to).map(|at| format!("w{at} ")).collect::<String>();
    (0..120)
        .map(|id| words(id / 12 * 1000, id / 12 * 1000 + 60) + &words(50_000 + id * 3, 50_000 + id * 3 + id % 5))
        .collect()
}

#[test]
fn a_sample_is_some_of_the_pairs_in_their_order_whatever_the_threads() {
    let case = case(&families(), |_| false);
    let all = run(&request(&case, 0.6)).0;
    assert_eq!(all.len(), 660);
    let request = request(&case, 0.6).sample(40);
    let [one, eight] = [1, 8].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| run(&request))
    });
    assert_eq!((one.1.found_count, one.1.pair_count), (660, 40));
    assert_eq!(one.0, eight.0);
    let places: Vec<usize> = one.0.iter().map(|row| all.iter().position(|other| other == row).unwrap()).collect();
    assert!(places.is_sorted());
    // Not the first ones: of 40 of 660 positions, the middle one is near the middle.
    assert!((150..510).contains(&places[20]), "{places:?}");
}

#[test]
fn copies_on_both_sides_are_pairs_whatever_makes_them_copies() {
    let texts: Vec<String> =
        ["one two three", "four five six", "one two three", "one two three "].map(str::to_owned).into();
    let case = case(&texts, |id| id >= 2);
    for (checksum, expected) in [(Checksum::Text, 2), (Checksum::Md5, 1)] {
        let mut request = against(&case, 0.8).method(MethodName::Copies).checksum(checksum);
        request.scheme.recall = None;
        let rows = run(&request).0;
        assert_eq!(rows.len(), expected, "{rows:?}");
        assert_eq!((rows[0].0, rows[0].1), (0, 2));
    }
}

#[test]
fn pairs_come_with_their_texts_and_places() {
    let case = case(&families(), |id| id % 12 > 1);
    let request = against(&case, 0.6).sample(3);
    let rows = run(&request).0;
    let mut pairs = Vec::new();
    let mut each = |pair: &lookalike::TextPair| {
        pairs.push(pair.clone());
        Ok(())
    };
    let report = pairs_with_texts(&request.check().unwrap(), &mut each, &Silent).unwrap();
    assert_eq!((report.pair_count, report.input.reference_document_count), (3, 100));
    for (pair, (left, right, jaccard)) in pairs.iter().zip(rows) {
        assert_eq!((&pair.left.id, &pair.right.id), (&left.to_string(), &right.to_string()));
        assert_eq!((&pair.left.text, &pair.right.text), (&families()[left], &families()[right]));
        assert!((pair.similarity - jaccard).abs() < 1e-12);
        assert!(pair.left.place.starts_with("input.jsonl:") && pair.right.place.starts_with("reference.jsonl:"));
    }
}

#[test]
fn rows_have_the_left_document_of_the_input_also_where_the_reference_comes_first_by_name() {
    let case = case(&families(), |id| id % 2 == 0);
    let rows = run(&against(&case, 0.6)).0;
    assert_eq!(rows.len(), 10 * 36);
    assert!(rows.iter().all(|(left, right, _)| left % 2 == 1 && right % 2 == 0));
}
