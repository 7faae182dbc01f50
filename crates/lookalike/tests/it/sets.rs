//! Compares `sets` with brute force over plain maps, without shared code: every measure, weights, the nearest, a second
//! collection, transposed; and the same bytes with one thread and with many.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use lookalike::core::join::Measure;
use lookalike::core::table::Table;
use lookalike::io::table::memory::MemoryTable;
use lookalike::{RowFormat, RowWriter, SetPair, SetsRequest, Silent, Sink, sets, sets_into};
use lookalike_judge::{SetMeasure, WeightedSet, weigh_by_rarity};
use proptest::prelude::*;

/// Tolerance for rounding: the weights of vectors have at least eight digits.
fn near(measure: Measure) -> f64 {
    if measure == Measure::Cosine { 1e-7 } else { 1e-9 }
}

/// Rows of a table: set, element, weight in quarters.
type Rows = Vec<(u8, u8, u32)>;

/// The elements of sets; sets in order of first occurrence.
type Plain = Vec<(String, BTreeMap<String, f64>)>;

fn rows() -> impl Strategy<Value = Rows> {
    proptest::collection::vec((0_u8..25, 0_u8..12, 0_u32..9), 1..150)
        .prop_filter("something must be there", |rows| rows.iter().any(|(_, _, weight)| *weight > 0))
}

fn measure() -> impl Strategy<Value = Measure> {
    proptest::sample::select(vec![Measure::Jaccard, Measure::Containment, Measure::Cosine, Measure::Overlap])
}

fn threshold() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.5), Just(1.0), Just(0.25), Just(2.0 / 3.0), 0.01_f64..1.0]
}

/// A folder with two collections.
struct Input {
    folder: tempfile::TempDir,
}

impl Input {
    fn new(first: &Rows, second: &Rows) -> Self {
        let input = Self { folder: tempfile::tempdir().unwrap() };
        for (name, rows) in [("first.csv", first), ("second.csv", second)] {
            let mut text = "who,what,weight\n".to_owned();
            rows.iter().for_each(|(set, element, weight)| {
                writeln!(text, "s{set},e{element},{}", f64::from(*weight) / 4.0).unwrap();
            });
            std::fs::write(input.path(name), text).unwrap();
        }
        input
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn request(&self, asked: &Asked) -> SetsRequest {
        let mut request = SetsRequest::new([self.path("first.csv")])
            .set("who")
            .element("what")
            .transpose(asked.is_transposed)
            .measure(asked.measure)
            .format(RowFormat::Tsv);
        request.weight = asked.is_weighted.then(|| "weight".to_owned());
        request.against = asked.is_against.then(|| self.path("second.csv")).into_iter().collect();
        (request.threshold, request.top) = (asked.threshold, asked.top.map(|top| top as i64));
        request
    }
}

/// A request.
#[derive(Clone, Debug)]
struct Asked {
    measure: Measure,
    is_weighted: bool,
    is_against: bool,
    is_transposed: bool,
    threshold: Option<f64>,
    top: Option<usize>,
}

fn asked() -> impl Strategy<Value = Asked> {
    let how = prop_oneof![
        threshold().prop_map(|threshold| (Some(threshold), None)),
        (1_usize..5).prop_map(|top| (None, Some(top))),
        (threshold(), 1_usize..5).prop_map(|(threshold, top)| (Some(threshold), Some(top))),
    ];
    (measure(), any::<[bool; 3]>(), how).prop_map(|(measure, [is_weighted, is_against, is_transposed], how)| Asked {
        // The cosine of weights has its own test.
        measure: if is_weighted && measure == Measure::Cosine { Measure::Jaccard } else { measure },
        is_weighted,
        is_against,
        is_transposed,
        threshold: how.0,
        top: how.1,
    })
}

fn plain(rows: &Rows, asked: &Asked) -> Plain {
    let mut sets: Plain = Vec::new();
    for (set, element, weight) in rows {
        let (mut set, mut element) = (format!("s{set}"), format!("e{element}"));
        if asked.is_transposed {
            (set, element) = (element, set);
        }
        let weight = if asked.is_weighted { f64::from(*weight) / 4.0 } else { 1.0 };
        let is_there = weight > 0.0;
        if !is_there && asked.is_transposed {
            continue;
        }
        let at = sets.iter().position(|(id, _)| *id == set).unwrap_or_else(|| {
            sets.push((set, BTreeMap::new()));
            sets.len() - 1
        });
        if is_there {
            let all = sets[at].1.entry(element).or_insert(0.0);
            *all = if asked.is_weighted { *all + weight } else { 1.0 };
        }
    }
    sets
}

/// The similarity, and the cells after it.
fn similarity(measure: Measure, left: &BTreeMap<String, f64>, right: &BTreeMap<String, f64>) -> (f64, String) {
    let shared: f64 =
        left.iter().filter_map(|(element, weight)| right.get(element).map(|other| weight.min(*other))).sum();
    let [l, r] = [left, right].map(|set| set.values().sum::<f64>());
    if shared == 0.0 {
        return (0.0, String::new());
    }
    let similarity = match measure {
        Measure::Jaccard => shared / (l + r - shared),
        // The larger of both, as in dedup.
        Measure::Containment => (shared / l).max(shared / r),
        Measure::Cosine => shared / (l * r).sqrt(),
        Measure::Overlap => shared / l.min(r),
    };
    let both = format!("{shared}\t{}\t{}", shared / l, shared / r);
    (similarity, if measure == Measure::Containment { both } else { shared.to_string() })
}

fn by_brute_force(first: &Plain, second: Option<&Plain>, asked: &Asked) -> String {
    let more = if asked.measure == Measure::Containment { "\tcontainment_of_left\tcontainment_of_right" } else { "" };
    let shared = if asked.is_weighted { "shared_weight" } else { "shared_count" };
    let mut text = format!("left_id\tright_id\tsimilarity\t{shared}{more}\n");
    for (at, (left_id, left)) in first.iter().enumerate() {
        let mut near = Vec::new();
        for (other, (right_id, right)) in second.unwrap_or(first).iter().enumerate() {
            let is_told = second.is_some() || at < other || at != other && asked.top.is_some();
            let (similarity, cells) = similarity(asked.measure, left, right);
            if is_told && similarity > 0.0 && asked.threshold.is_none_or(|threshold| similarity >= threshold) {
                near.push((similarity, cells, right_id));
            }
        }
        if let Some(top) = asked.top {
            near.sort_by(|one, other| other.0.total_cmp(&one.0));
            near.truncate(top);
        }
        for (similarity, cells, right_id) in near {
            writeln!(text, "{left_id}\t{right_id}\t{similarity}\t{cells}").unwrap();
        }
    }
    text
}

fn found(request: &SetsRequest, threads: usize) -> String {
    let options = request.clone().check().unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let mut bytes = Vec::new();
    let report = pool.install(|| sets(&options, &mut bytes, &Silent)).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    assert_eq!(report.pair_count as usize + 1, text.lines().count());
    text
}

/// The typed rows of the same tables in memory, as lines.
fn found_in_memory(first: &Rows, second: &Rows, request: &SetsRequest) -> String {
    let table = |name: &str, rows: &Rows| {
        let mut table = Table::new(["who", "what", "weight"]);
        for (set, element, weight) in rows {
            table.push(&[format!("s{set}"), format!("e{element}"), (f64::from(*weight) / 4.0).to_string()]).unwrap();
        }
        vec![MemoryTable::new(name, table)]
    };
    let mut request = request.clone();
    request.against_in_memory = if request.against.is_empty() { Vec::new() } else { table("second", second) };
    request.in_memory = table("first", first);
    (request.inputs, request.against) = (Vec::new(), Vec::new());
    let options = request.check().unwrap();
    let mut rows: Vec<SetPair> = Vec::new();
    let report = sets_into(&options, &mut rows, &Silent).unwrap();
    assert_eq!(report.pair_count as usize, rows.len());
    let mut bytes = Vec::new();
    RowWriter::new(&mut bytes, RowFormat::Tsv).take(rows).unwrap();
    String::from_utf8(bytes).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn what_is_found_is_what_brute_force_finds(first in rows(), second in rows(), asked in asked()) {
        let input = Input::new(&first, &second);
        let second_rows = second;
        let second = asked.is_against.then(|| plain(&second_rows, &asked));
        let expected = by_brute_force(&plain(&first, &asked), second.as_ref(), &asked);
        let request = input.request(&asked);
        let one = found(&request, 1);
        prop_assert_eq!(&one, &expected);
        prop_assert_eq!(&found(&request, 4), &one);
        let (_, lines) = one.split_once('\n').unwrap();
        prop_assert_eq!(found_in_memory(&first, &second_rows, &request), lines);
    }

    // Logarithms and roots are no fractions, so the judge's numbers are near ours and not the same.
    #[test]
    fn weights_rarity_and_cosine_are_what_the_judge_says(
        first in rows(), measure in measure(), is_weighted in any::<bool>(), by_rarity in any::<bool>(),
        threshold in 0.01_f64..1.0, top in proptest::option::of(1_usize..4)
    ) {
        let (input, near) = (Input::new(&first, &first), near(measure));
        let threshold = top.is_none().then_some(threshold);
        let asked = Asked { measure, is_weighted, is_against: false, is_transposed: false, threshold, top };
        let (ids, mut plain): (Vec<String>, Vec<WeightedSet>) = plain(&first, &asked).into_iter().unzip();
        if by_rarity {
            weigh_by_rarity(&mut plain);
        }
        let judge = match measure {
            Measure::Jaccard => SetMeasure::Jaccard,
            Measure::Cosine => SetMeasure::Cosine,
            Measure::Containment | Measure::Overlap => SetMeasure::Containment,
        };
        let found = found(&input.request(&asked).idf(by_rarity), 2);
        let rows: Vec<(&str, &str, f64)> = found
            .lines()
            .skip(1)
            .map(|line| {
                let cells: Vec<&str> = line.split('\t').collect();
                (cells[0], cells[1], cells[2].parse().unwrap())
            })
            .collect();
        let place = |id: &str| ids.iter().position(|other| other == id).unwrap();
        for (left, right, similarity) in &rows {
            let judged = judge.similarity(&plain[place(left)], &plain[place(right)]);
            prop_assert!((similarity - judged).abs() < near, "{left} {right} {similarity} {judged}");
        }
        for (at, left) in ids.iter().enumerate() {
            let mut judged: Vec<f64> = (0..ids.len())
                .filter(|other| if top.is_some() { *other != at } else { *other > at })
                .map(|other| judge.similarity(&plain[at], &plain[other]))
                .filter(|similarity| *similarity > 0.0)
                .collect();
            judged.sort_by(|one, other| other.total_cmp(one));
            let mut own: Vec<f64> = rows.iter().filter(|row| row.0 == left).map(|row| row.2).collect();
            own.sort_by(|one, other| other.total_cmp(one));
            if let Some(top) = top {
                prop_assert_eq!(own.len(), judged.len().min(top));
            }
            if let Some(threshold) = threshold {
                // Sets this close to the threshold may be on either side.
                let surely = |least: f64| judged.iter().filter(|similarity| **similarity >= least).count();
                prop_assert!((surely(threshold + near)..=surely(threshold - near)).contains(&own.len()));
            }
            prop_assert!(own.iter().zip(&judged).all(|(own, judged)| (own - judged).abs() < near));
        }
    }

    #[test]
    fn sketches_find_a_part_of_the_truth(first in rows(), threshold in 0.3_f64..1.0) {
        let input = Input::new(&first, &first);
        let asked = Asked {
            measure: Measure::Jaccard,
            is_weighted: false,
            is_against: false,
            is_transposed: false,
            threshold: Some(threshold),
            top: None,
        };
        let exact = input.request(&asked);
        let sketched = exact.clone().recall(0.9);
        let (all, some) = (found(&exact, 2), found(&sketched, 1));
        prop_assert!(some.lines().all(|line| all.lines().any(|other| other == line)));
        prop_assert_eq!(found(&sketched, 4), some);
    }
}

#[test]
fn many_sets_come_in_the_same_bytes_from_more_threads() {
    let folder = tempfile::tempdir().unwrap();
    let path: &Path = &folder.path().join("in.txt");
    let mut text = String::new();
    for at in 0..20_000_u32 {
        let elements: Vec<String> = (0..6).map(|place| ((at / 5 + place) % 3000 + at % 3 * 7).to_string()).collect();
        writeln!(text, "{}", elements.join(" ")).unwrap();
    }
    std::fs::write(path, text).unwrap();
    let request = SetsRequest::new([path]);
    for request in [request.clone().threshold(0.6), request.clone().threshold(0.6).recall(0.95), request.clone().top(3)]
    {
        let one = found_jsonl(&request, 1);
        assert!(one.lines().count() > 20_000 && one == found_jsonl(&request, 8), "{request:?}");
    }
}

#[test]
fn elements_that_differ_in_zero_bytes_at_the_end_are_different() {
    let folder = tempfile::tempdir().unwrap();
    let path: &Path = &folder.path().join("in.csv");
    std::fs::write(path, "who,what\nann,a\nbob,a\0\ncleo,a\0\0\ndora,b\nemil,b\n").unwrap();
    let request = SetsRequest::new([path]).set("who").element("what");
    for request in [request.clone().threshold(0.1), request.clone().threshold(0.1).recall(0.95), request.top(3)] {
        let found = found_jsonl(&request, 1);
        assert!(found.lines().all(|pair| pair.contains("dora") && pair.contains("emil")), "{found}");
        assert!(found.contains("dora"));
    }
}

fn found_jsonl(request: &SetsRequest, threads: usize) -> String {
    let options = request.clone().check().unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let mut bytes = Vec::new();
    pool.install(|| sets(&options, &mut bytes, &Silent)).unwrap();
    String::from_utf8(bytes).unwrap()
}
