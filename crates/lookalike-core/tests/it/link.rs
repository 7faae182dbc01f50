//! Guarantees of linking: the same answer for any order of rows and any number of threads, ids that do not change, and
//! errors that say what is wrong.

use std::collections::{BTreeSet, HashMap};

use lookalike_core::hash::mix;
use lookalike_core::ids::{Number, Record};
use lookalike_core::link::cluster::{Clusters, best_record};
use lookalike_core::link::config::{ColumnConfig, Config, Kind};
use lookalike_core::link::decide::{matches, one_to_one, suggest_threshold};
use lookalike_core::link::extend::{Extension, Merge, clusters_before, extend};
use lookalike_core::link::guess::guess;
use lookalike_core::link::key::{Bounds, KeyKind, find_candidates};
use lookalike_core::link::records::{Records, Tells};
use lookalike_core::link::score::{Scored, Scorer};
use lookalike_core::link::teach::{Free, LabeledPair, teach};
use lookalike_core::link::validate::{Yardstick, validate};
use lookalike_core::link::verdicts::Verdicts;
use lookalike_core::link::weigh::{Frequencies, Model, compare_all};
use lookalike_core::table::Table;
use lookalike_core::{Error, Result};

const NAMES: [&str; 7] = ["id", "given_name", "family_name", "street", "city", "phone", "born"];
const GIVEN: [&str; 24] = [
    "James", "Mary", "Robert", "Linda", "Michael", "Susan", "David", "Karen", "Thomas", "Nancy", "Daniel", "Emma",
    "Paul", "Laura", "Mark", "Alice", "Kevin", "Helen", "Brian", "Diana", "George", "Ruth", "Peter", "Olivia",
];
const FAMILY: [&str; 30] = [
    "Smith",
    "Johnson",
    "Williams",
    "Brown",
    "Jones",
    "Garcia",
    "Miller",
    "Davis",
    "Wilson",
    "Anderson",
    "Taylor",
    "Thomas",
    "Moore",
    "Jackson",
    "Martin",
    "Thompson",
    "White",
    "Harris",
    "Clark",
    "Lewis",
    "Robinson",
    "Walker",
    "Young",
    "Allen",
    "Wright",
    "Scott",
    "Torres",
    "Nguyen",
    "Szczepanski",
    "Featherstone",
];
const STREETS: [&str; 12] =
    ["Oak", "Maple", "Cedar", "Washington", "Lake", "Hill", "Park", "Pine", "Church", "River", "Meadow", "Chestnut"];
const CITIES: [&str; 6] = ["Springfield", "Riverside", "Franklin", "Greenville", "Bristol", "Clinton"];

fn even(seed: u64, below: usize) -> usize {
    (mix(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(1)) % below as u64) as usize
}

/// Customer `number`, as written down for the `copy`th time: later copies have slips and gaps.
fn customer(number: u64, copy: u64) -> Vec<String> {
    let pick = |what: u64, below: usize| even(number * 16 + what, below);
    let mut fields = vec![
        format!("{number}-{copy}"),
        GIVEN[pick(0, 24)].to_owned(),
        FAMILY[pick(1, 30)].to_owned(),
        format!("{} {} Street", 1 + pick(2, 200), STREETS[pick(3, 12)]),
        CITIES[pick(4, 6)].to_owned(),
        format!("{:03}-555-{:04}", 200 + pick(5, 700), pick(6, 10_000)),
        format!("{}-{:02}-{:02}", 1940 + pick(7, 60), 1 + pick(8, 12), 1 + pick(9, 28)),
    ];
    if copy > 0 {
        let seed = number * 1000 + copy;
        let slipped = 1 + even(seed, 6);
        fields[slipped].remove(1);
        fields[1 + even(seed + 7, 6)].clear();
        fields[3] = fields[3].replace("Street", "St.");
    }
    fields
}

fn table(rows: impl IntoIterator<Item = Vec<String>>) -> Table {
    let mut table = Table::new(NAMES);
    rows.into_iter().for_each(|row| table.push(&row).unwrap());
    table
}

/// 200 customers, half of them twice and some three times.
fn customers() -> Vec<Vec<String>> {
    let copies = |number: u64| if number.is_multiple_of(10) { 3 } else { 1 + number % 2 };
    (0..200).flat_map(|number| (0..copies(number)).map(move |copy| customer(number, copy))).collect()
}

struct Linked {
    matches: Vec<Scored>,
    clusters: Clusters,
    model: Model,
}

fn link(first: &Table, second: Option<&Table>, config: &Config) -> Result<Linked> {
    let records = Records::prepare(first, second, config)?;
    let candidates = find_candidates(&records, &Bounds::for_count(records.count()));
    let patterns = compare_all(&records, &candidates);
    let model = Model::estimate(&records, &candidates, &patterns);
    let frequencies = Frequencies::new(&records, &candidates, &patterns, &model);
    let scorer = Scorer { records: &records, model: &model, frequencies: &frequencies };
    let scored = scorer.score_all(&candidates, &patterns);
    let scored = if config.one_to_one { one_to_one(&scorer, &scored) } else { scored };
    let threshold = config.threshold.unwrap_or_else(|| suggest_threshold(&scored));
    let matches = matches(&records, &scored, threshold);
    let clusters = Clusters::join(&scorer, &matches);
    Ok(Linked { matches, clusters, model })
}

/// Clusters as sets of ids.
fn as_ids(clusters: &Clusters, table: &Table) -> BTreeSet<Vec<String>> {
    let id = |record: &Record| table.column(0).get(record.index()).to_owned();
    (0..clusters.count() as u32)
        .map(|cluster| {
            let mut ids: Vec<String> = clusters.members(cluster).iter().map(id).collect();
            ids.sort_unstable();
            ids
        })
        .collect()
}

#[test]
fn customers_are_found_again_without_labels() {
    let table = table(customers());
    let linked = link(&table, None, &guess(&table, None, Some("id"))).unwrap();
    let number = |record: Record| table.column(0).get(record.index()).split('-').next().unwrap().to_owned();
    let right = linked.matches.iter().filter(|pair| number(pair.left) == number(pair.right)).count();
    let truth = 20 * 3 + 100;
    assert!(right as f64 >= 0.95 * f64::from(truth), "{right} of {truth}");
    assert!(right as f64 >= 0.98 * linked.matches.len() as f64, "{right} of {}", linked.matches.len());
}

#[test]
fn the_order_of_the_rows_does_not_matter() {
    let rows = customers();
    let sorted = table(rows.clone());
    let config = guess(&sorted, None, Some("id"));
    let expected = link(&sorted, None, &config).unwrap();
    for seed in 1..4 {
        let mut shuffled = rows.clone();
        shuffled.sort_by_key(|row| mix(row[0].bytes().fold(seed, |hash, b| mix(hash ^ u64::from(b)))));
        let shuffled = table(shuffled);
        assert_eq!(guess(&shuffled, None, Some("id")), config);
        let linked = link(&shuffled, None, &config).unwrap();
        assert_eq!(linked.model, expected.model);
        assert_eq!(as_ids(&linked.clusters, &shuffled), as_ids(&expected.clusters, &sorted));
        let weights = |linked: &Linked| linked.matches.iter().map(|pair| pair.weight).collect::<Vec<_>>();
        assert_eq!(weights(&linked), weights(&expected));
    }
}

#[test]
fn neither_ids_nor_the_order_of_the_columns_matter() {
    let rows = customers();
    let whole = table(rows.clone());
    let expected = link(&whole, None, &guess(&whole, None, Some("id"))).unwrap();
    let matched = |linked: &Linked| {
        let mut pairs: Vec<_> =
            linked.matches.iter().map(|pair| (pair.left, pair.right, pair.weight.to_bits())).collect();
        pairs.sort_unstable();
        pairs
    };

    let renamed = table(rows.iter().enumerate().map(|(at, row)| {
        let mut row = row.clone();
        row[0] = format!("{:x}", mix(at as u64));
        row
    }));
    let linked = link(&renamed, None, &guess(&renamed, None, Some("id"))).unwrap();
    assert_eq!(matched(&linked), matched(&expected));

    let mut turned = Table::new(NAMES.into_iter().rev());
    rows.iter().for_each(|row| turned.push(&row.iter().rev().collect::<Vec<_>>()).unwrap());
    let linked = link(&turned, None, &guess(&turned, None, Some("id"))).unwrap();
    assert_eq!(matched(&linked), matched(&expected));
}

#[test]
fn equal_values_never_weigh_less_than_nearly_equal_ones() {
    let whole = table(customers());
    let config = guess(&whole, None, Some("id"));
    let records = Records::prepare(&whole, None, &config).unwrap();
    let candidates = find_candidates(&records, &Bounds::for_count(records.count()));
    let patterns = compare_all(&records, &candidates);
    let model = Model::estimate(&records, &candidates, &patterns);
    let frequencies = Frequencies::new(&records, &candidates, &patterns, &model);
    let scorer = Scorer { records: &records, model: &model, frequencies: &frequencies };
    for left in records.all() {
        // A record beside itself is equal in all that it has.
        let equal = scorer.explain(left, left);
        for right in records.all() {
            let other = scorer.explain(left, right);
            for (equal, other) in equal.fields.iter().zip(&other.fields) {
                if other.left.is_some() && other.right.is_some() {
                    assert!(other.weight <= equal.weight, "{other:?} {equal:?}");
                }
            }
        }
    }
}

#[test]
fn without_duplicates_next_to_nothing_is_found() {
    let whole = table((0..600).map(|number| customer(number, 0)));
    let linked = link(&whole, None, &guess(&whole, None, Some("id"))).unwrap();
    // One record in five hundred.
    assert!(linked.matches.len() <= 1, "{}", linked.matches.len());
}

/// Families of two to five at one address and one phone, the youngest two of some of them twins; a few people are there twice.
fn families() -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    for family in 0..150_u64 {
        let home = customer(10_000 + family, 0);
        let count = 2 + family % 4;
        for member in 0..count {
            let mut row = customer(20_000 + family * 8 + member, 0);
            // Nobody of a family is called as another one.
            GIVEN[(family as usize * 7 + member as usize * 5) % GIVEN.len()].clone_into(&mut row[1]);
            (2..6).for_each(|field| row[field].clone_from(&home[field]));
            if count == 5 && member == 4 {
                row[6] = rows.last().map(|twin: &Vec<String>| twin[6].clone()).unwrap();
            }
            rows.push(row.clone());
            if family % 12 == 0 && member == 0 {
                row[0] = row[0].replace("-0", "-1");
                row[2].push('e');
                rows.push(row);
            }
        }
    }
    rows
}

#[test]
fn relatives_and_twins_stay_apart() {
    let table = table(families());
    let linked = link(&table, None, &guess(&table, None, Some("id"))).unwrap();
    let person = |record: Record| table.column(0).get(record.index()).split('-').next().unwrap().to_owned();
    let right = linked.matches.iter().filter(|pair| person(pair.left) == person(pair.right)).count();
    assert_eq!((right, linked.matches.len()), (13, 13));
}

#[test]
fn generations_of_one_name_stay_apart() {
    let mut rows = customers();
    for (id, name) in [("father", "Featherstone Sr."), ("son", "Featherstone Jr."), ("again", "Featherstone Sr")] {
        let mut row = customer(7_777, 0);
        (row[0], row[2]) = (id.to_owned(), name.to_owned());
        row[6].clear();
        rows.push(row);
    }
    let table = table(rows);
    let linked = link(&table, None, &guess(&table, None, Some("id"))).unwrap();
    let cluster =
        |id: &str| linked.clusters.of(Record(table.column(0).iter().position(|other| other == id).unwrap() as u32));
    assert_eq!(cluster("father"), cluster("again"));
    assert_ne!(cluster("father"), cluster("son"));
}

#[test]
fn generations_beside_given_names_stay_apart() {
    let mut rows = customers();
    for (id, name) in [("father", "Morris I"), ("son", "Morris II"), ("again", "Morris I")] {
        let mut row = customer(7_777, 0);
        (row[0], row[1]) = (id.to_owned(), name.to_owned());
        row[6].clear();
        rows.push(row);
    }
    let table = table(rows);
    let linked = link(&table, None, &guess(&table, None, Some("id"))).unwrap();
    let cluster =
        |id: &str| linked.clusters.of(Record(table.column(0).iter().position(|other| other == id).unwrap() as u32));
    assert_eq!(cluster("father"), cluster("again"));
    assert_ne!(cluster("father"), cluster("son"));
}

#[test]
fn the_order_of_rows_does_not_choose_among_copies() {
    let copy = |number: u64, id: &str| {
        let mut row = customer(number, 0);
        row[0] = id.to_owned();
        row
    };
    let left: Vec<_> = (0..60).map(|number| customer(number, 0)).chain([copy(3, "left copy")]).collect();
    let right: Vec<_> =
        (0..60).map(|number| customer(number, 0)).chain([copy(3, "b"), copy(3, "a"), copy(5, "c")]).collect();
    let matched = |left: &[Vec<String>], right: &[Vec<String>]| -> BTreeSet<(String, String)> {
        let (left, right) = (table(left.to_vec()), table(right.to_vec()));
        let config = Config { one_to_one: true, ..guess(&left, Some(&right), Some("id")) };
        let linked = link(&left, Some(&right), &config).unwrap();
        let ids = |pair: &Scored| {
            let other = pair.right.index() - left.row_count();
            (left.column(0).get(pair.left.index()).to_owned(), right.column(0).get(other).to_owned())
        };
        linked.matches.iter().map(ids).collect()
    };
    let turned = |rows: &[Vec<String>]| rows.iter().rev().cloned().collect::<Vec<_>>();
    assert_eq!(matched(&left, &right), matched(&turned(&left), &turned(&right)));
}

#[test]
fn columns_that_say_nothing_of_who_somebody_is_change_nothing() {
    let rows = customers();
    let narrow = table(rows.clone());
    let flags: Vec<String> = (0..20).map(|at| format!("flag_{at}")).collect();
    let mut wide = Table::new(flags.iter().map(String::as_str).chain(["created_at", "order_total"]).chain(NAMES));
    for (at, row) in rows.iter().enumerate() {
        let flags = (0..20).map(|flag| even(at as u64 * 32 + flag, 2).to_string());
        let created = format!("2024-{:02}-{:02} 10:00:00", 1 + even(at as u64, 12), 1 + even(at as u64 + 7, 28));
        let total = format!("{}.{:02}", even(at as u64 + 3, 900), even(at as u64 + 5, 100));
        wide.push(&flags.chain([created, total]).chain(row.iter().cloned()).collect::<Vec<_>>()).unwrap();
    }
    let found = |table: &Table| {
        let linked = link(table, None, &guess(table, None, Some("id"))).unwrap();
        linked.matches.iter().map(|pair| (pair.left, pair.right)).collect::<BTreeSet<_>>()
    };
    let (narrow, wide) = (found(&narrow), found(&wide));
    let both = narrow.intersection(&wide).count();
    assert!(100 * both >= 97 * narrow.len().max(wide.len()), "{both} of {} and {}", narrow.len(), wide.len());
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let table = table(customers());
    let config = guess(&table, None, Some("id"));
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| link(&table, None, &config).unwrap())
    };
    let (one, eight) = (with(1), with(8));
    assert_eq!((one.model, one.matches, one.clusters), (eight.model, eight.matches, eight.clusters));
}

#[test]
fn a_number_tells_what_a_thing_is_like_and_which_person_it_is() {
    let tells = |columns: [(&str, Kind); 2]| {
        let mut table = Table::new(columns.map(|(name, _)| name));
        table.push(&["some words", "12.50"]).unwrap();
        table.push(&["other words", "80"]).unwrap();
        let column = |(name, kind): (&str, Kind)| ColumnConfig { name: name.to_owned(), kind, ..Default::default() };
        let config = Config { columns: columns.map(column).to_vec(), ..Config::default() };
        Records::prepare(&table, None, &config).unwrap().fields()[1].tells
    };
    assert_eq!(tells([("title", Kind::FreeText), ("price", Kind::Number)]), Tells::Likeness);
    assert_eq!(tells([("maker", Kind::Organization), ("price", Kind::Number)]), Tells::Likeness);
    assert_eq!(tells([("name", Kind::PersonName), ("member", Kind::Number)]), Tells::Person);
    assert_eq!(tells([("code", Kind::Code), ("count", Kind::Number)]), Tells::Person);
    assert_eq!(tells([("title", Kind::FreeText), ("model", Kind::Code)]), Tells::Model);
    assert_eq!(tells([("name", Kind::PersonName), ("member", Kind::Code)]), Tells::Person);
}

#[test]
fn models_one_sign_apart_are_two_things() {
    let model = |at: usize| format!("{}{}{}", ["EKH", "PXB", "NRG", "ANC"][at % 4], at / 4, 1000 + 37 * (at % 8));
    let rows = (0..160).flat_map(|at| {
        let title = format!("Acme wireless mouse {}", ["silver", "black", "red"][at % 3]);
        let copies = if at % 4 == 0 { 2 } else { 1 };
        (0..copies)
            .map(move |copy| vec![format!("{at}-{copy}"), title.clone(), model(at), format!("{}.50", 20 + at % 9)])
    });
    let mut products = Table::new(["id", "title", "modelno", "price"]);
    rows.for_each(|row| products.push(&row).unwrap());
    let config = guess(&products, None, Some("id"));
    assert_eq!(config.columns.iter().find(|column| column.name == "modelno").unwrap().kind, Kind::Code);
    let linked = link(&products, None, &config).unwrap();
    let thing = |record: Record| products.column(0).get(record.index()).split('-').next().unwrap().to_owned();
    let right = linked.matches.iter().filter(|pair| thing(pair.left) == thing(pair.right)).count();
    assert_eq!((right, linked.matches.len()), (40, 40));
    let codes = &linked.model.fields.iter().find(|field| field.kind == Kind::Code).unwrap().weights;
    assert!(codes[2..6].iter().all(|weight| *weight <= 0.0) && codes[6] > 0.0, "{codes:?}");
}

#[test]
fn a_town_with_its_postcode_is_a_place_and_not_a_number_of_a_person() {
    // Families share all but the given name; nobody is in the table twice.
    let mut people = Table::new(["id", "name", "address", "city", "phone"]);
    for family in 0..200_u64 {
        let home = customer(10_000 + family, 0);
        for member in 0..3_usize {
            let name = format!("{} {}", GIVEN[(family as usize * 7 + member * 5) % GIVEN.len()], home[2]);
            let city = format!("{} {}", home[4], 10_000 + even(family, 90_000));
            people.push(&[&format!("{family}-{member}"), &name, &home[3], &city, &home[5]]).unwrap();
        }
    }
    let config = guess(&people, None, Some("id"));
    assert_eq!(config.columns.iter().find(|column| column.name == "city").unwrap().kind, Kind::Address);
    let linked = link(&people, None, &config).unwrap();
    assert!(linked.matches.is_empty(), "{}", linked.matches.len());
}

#[test]
fn one_to_one_gives_no_record_two_matches() {
    let first = table((0..100).map(|number| customer(number, 0)));
    let second = table((50..150).flat_map(|number| [customer(number, 1), customer(number, 2)]));
    let mut config = guess(&first, Some(&second), Some("id"));
    config.one_to_one = true;
    let linked = link(&first, Some(&second), &config).unwrap();
    let left: BTreeSet<Record> = linked.matches.iter().map(|pair| pair.left).collect();
    let right: BTreeSet<Record> = linked.matches.iter().map(|pair| pair.right).collect();
    assert_eq!((left.len(), right.len()), (linked.matches.len(), linked.matches.len()));
    assert!(linked.matches.len() >= 45, "{}", linked.matches.len());
}

#[test]
fn every_pair_that_is_equal_in_a_field_is_a_candidate_of_small_tables() {
    let table = table(customers());
    let records = Records::prepare(&table, None, &guess(&table, None, Some("id"))).unwrap();
    let candidates = find_candidates(&records, &Bounds::for_count(records.count()));
    let found: BTreeSet<(Record, Record)> = (0..candidates.len()).map(|at| candidates.pair(at)).collect();
    for field in records.fields().iter().filter(|field| field.name != "city") {
        for left in records.all() {
            for right in records.all().filter(|right| *right > left) {
                let is_equal = field.text(left).is_some() && field.text(left) == field.text(right);
                assert!(!is_equal || found.contains(&(left, right)), "{}: {left:?} {right:?}", field.name);
            }
        }
    }
    let (_, identical) = candidates.reports().find(|(kind, _)| *kind == KeyKind::Identical).unwrap();
    assert!(identical.candidate_count > 0 && identical.not_compared_count == 0, "{identical:?}");
}

fn added(old: &[Vec<String>], clusters: &[u64], new: &[Vec<String>]) -> Extension {
    let whole = table(customers());
    let config = guess(&whole, None, Some("id"));
    let model = link(&whole, None, &config).unwrap().model;
    let table = table(old.iter().chain(new).cloned());
    let records = Records::prepare(&table, None, &config).unwrap();
    let bounds = Bounds { from: Record(old.len() as u32), ..Bounds::for_count(records.count()) };
    let candidates = find_candidates(&records, &bounds);
    assert!((0..candidates.len()).all(|at| candidates.pair(at).1.index() >= old.len()));
    let patterns = compare_all(&records, &candidates);
    let frequencies = Frequencies::of_clusters(&records, &clusters_before(&records, clusters), &model);
    let scorer = Scorer { records: &records, model: &model, frequencies: &frequencies };
    let scored = scorer.score_all(&candidates, &patterns);
    extend(&scorer, &matches(&records, &scored, 0.5), clusters)
}

#[test]
fn clusters_keep_their_ids_when_records_are_added() {
    let old: Vec<_> = (0..40).map(|number| customer(number, 0)).collect();
    let clusters: Vec<u64> = (0..40).map(|number| 7 + 3 * number).collect();
    let extension = added(&old, &clusters, &[customer(5, 1), customer(180, 0), customer(181, 0)]);
    assert_eq!(&extension.cluster_of[..40], clusters);
    assert_eq!(extension.cluster_of[40], clusters[5]);
    let new: BTreeSet<u64> = extension.cluster_of[41..].iter().copied().collect();
    assert_eq!(new, BTreeSet::from([clusters[39] + 1, clusters[39] + 2]));
    assert_eq!(extension.merges, []);
}

#[test]
fn clusters_that_a_new_record_makes_one_are_listed() {
    // The same customer under two ids: once without a phone, once without a birthday. The new record has both.
    let whole = customer(3, 0);
    let mut old: Vec<_> = (10..40).map(|number| customer(number, 0)).collect();
    for missing in [5, 6] {
        let mut part = whole.clone();
        part[missing].clear();
        part[0] = format!("part {missing}");
        old.push(part);
    }
    let clusters: Vec<u64> = (1..=32).collect();
    let extension = added(&old, &clusters, std::slice::from_ref(&whole));
    assert_eq!(extension.merges, [Merge { from: 32, into: 31 }]);
    assert_eq!(extension.cluster_of[30..], [31, 31, 31]);
}

#[test]
fn a_pair_is_explained_field_by_field() {
    let table = table(customers());
    let config = guess(&table, None, Some("id"));
    let records = Records::prepare(&table, None, &config).unwrap();
    let candidates = find_candidates(&records, &Bounds::for_count(records.count()));
    let patterns = compare_all(&records, &candidates);
    let model = Model::estimate(&records, &candidates, &patterns);
    let frequencies = Frequencies::new(&records, &candidates, &patterns, &model);
    let scorer = Scorer { records: &records, model: &model, frequencies: &frequencies };
    for scored in scorer.score_all(&candidates, &patterns) {
        let why = scorer.explain(scored.left, scored.right);
        let sum: f64 = why.fields.iter().map(|field| field.weight).sum();
        assert!((why.prior + sum + why.bounded - why.weight).abs() < 1e-9);
        assert!((why.weight - scored.weight).abs() < 1e-9);
        assert_eq!(why, scorer.explain(scored.left, scored.right));
        let turned = scorer.explain(scored.right, scored.left);
        assert!((turned.weight - why.weight).abs() < 1e-9 && turned.points == why.points);
    }
}

#[test]
fn more_candidates_than_there_is_room_for_are_told() {
    let table = table(customers());
    let records = Records::prepare(&table, None, &guess(&table, None, Some("id"))).unwrap();
    let all = find_candidates(&records, &Bounds::for_count(records.count()));
    assert!(all.is_complete() && all.len() > 2);
    let bounds = |most| Bounds { most, ..Bounds::for_count(records.count()) };
    assert!(find_candidates(&records, &bounds(all.len())).is_complete());
    assert!(!find_candidates(&records, &bounds(all.len() - 1)).is_complete());
}

#[test]
fn the_best_record_has_what_most_others_have() {
    let mut rows = vec![customer(1, 0), customer(1, 0), customer(1, 0)];
    rows[0][1].clear();
    rows[1][2] = "Smyth".to_owned();
    (0..3).for_each(|at| rows[at][0] = at.to_string());
    let table = table(rows);
    let mut config = guess(&table, None, Some("id"));
    config.columns.iter_mut().skip(1).for_each(|column| column.kind = Kind::FreeText);
    let records = Records::prepare(&table, None, &config).unwrap();
    assert_eq!(best_record(&records, &[0, 1, 2].map(Record)), Some(Record(2)));
    assert_eq!(best_record(&records, &[]), None);
}

#[test]
fn matches_are_validated_by_a_field_that_was_not_used() {
    let table = table(customers());
    let mut config = guess(&table, None, Some("id"));
    config.columns.iter_mut().filter(|column| column.name == "born").for_each(|column| column.kind = Kind::Ignored);
    let linked = link(&table, None, &config).unwrap();
    let records = Records::prepare(&table, None, &config).unwrap();
    let yardstick = Yardstick::new(Kind::Date, table.column(6), None);
    let validation = validate(&records, &yardstick, &linked.matches);
    assert!(validation.random.mean > 20.0 * validation.sure.mean, "{validation:?}");
    assert!(validation.all.right.unwrap().high > 0.9, "{validation:?}");
}

#[test]
fn tables_that_cannot_be_linked_are_refused() {
    let table = table(customers());
    let config = guess(&table, None, Some("id"));
    let refused = |first: &Table, config: &Config| link(first, None, config).err().unwrap();
    assert_eq!(refused(&Table::new(NAMES), &config), Error::NoRows { table: "the first table" });

    let mut twice = table.clone();
    twice.push(&customer(0, 0)).unwrap();
    assert!(matches!(refused(&twice, &config), Error::IdNotUnique { first: 1, second: 341, .. }));

    let mut wrong = config.clone();
    wrong.columns[3].name = "avenue".to_owned();
    assert!(matches!(refused(&table, &wrong), Error::NoSuchColumn { name, .. } if name == "avenue"));

    let mut ignored = config;
    ignored.columns.iter_mut().for_each(|column| column.kind = Kind::Ignored);
    assert!(matches!(refused(&table, &ignored), Error::NothingToCompare { .. }));
}

#[test]
fn columns_are_what_their_values_are() {
    let guessed = guess(&table(customers()), None, Some("id"));
    let kinds: HashMap<&str, Kind> = guessed.columns.iter().map(|column| (column.name.as_str(), column.kind)).collect();
    let expected = [
        ("id", Kind::Ignored),
        ("given_name", Kind::PersonName),
        ("family_name", Kind::PersonName),
        ("street", Kind::Address),
        ("city", Kind::Address),
        ("phone", Kind::Phone),
        ("born", Kind::Date),
    ];
    assert_eq!(kinds, HashMap::from(expected));
}

#[test]
fn many_different_typing_errors_do_not_outvote_what_they_are_errors_of() {
    let mut born = Table::new(["born"]);
    for year in 1900..1980 {
        let day = format!("{year}-05-17");
        (0..60).for_each(|_| born.push(&[&day]).unwrap());
        // Each of them once: more different errors than dates, in few of the rows.
        for error in [format!("{year}-0517"), format!("{year}-5x-17"), format!("{year}-05--17")] {
            born.push(&[error]).unwrap();
        }
    }
    assert_eq!(guess(&born, None, None).columns[0].kind, Kind::Date);

    // Nor does what is typed for want of a better: four of five rows have it.
    let mut phones = Table::new(["call"]);
    for number in 0..100 {
        phones.push(&[format!("555-01{number:02}-77")]).unwrap();
        (0..4).for_each(|_| phones.push(&["unknown"]).unwrap());
    }
    assert_eq!(guess(&phones, None, None).columns[0].kind, Kind::Phone);
}

#[test]
fn copies_are_found_however_many_there_are() {
    // More copies of one customer than a bucket may have, under other ids, and a misspelled one.
    let copies = 300;
    let mut rows = customers();
    let mut copy = customer(3, 0);
    for number in 0..copies {
        copy[0] = format!("copy {number}");
        rows.push(copy.clone());
    }
    copy[0] = "misspelled".to_owned();
    copy[2].push('e');
    rows.push(copy);
    let whole = table(rows.clone());
    let config = guess(&whole, None, Some("id"));
    let linked = link(&whole, None, &config).unwrap();
    let last = rows.len() as u32 - 1;
    let of_copy = linked.clusters.of(Record(last - 1));
    assert!((last - copies..=last).all(|record| linked.clusters.of(Record(record)) == of_copy));

    let second = table(rows[rows.len() - copies as usize..].to_vec());
    let linked = link(&whole, Some(&second), &config).unwrap();
    let matched: BTreeSet<Record> = linked.matches.iter().map(|pair| pair.right).collect();
    assert!((0..copies).all(|at| matched.contains(&Record(rows.len() as u32 + at))));
}

/// Customers of whom each lives with a relative of the same birthday and nearly the same given name: without labels, one cannot know
/// whether the name or the day is to be believed.
fn confusing() -> Vec<Vec<String>> {
    let mut rows = customers();
    for number in 0..200_u64 {
        let mut relative = customer(number, 0);
        relative[0] = format!("{number}-r");
        relative[1] = format!("{}a", relative[1]);
        relative[5] = format!("{:03}-555-{:04}", 200 + even(number + 9_000, 700), even(number + 8_000, 10_000));
        rows.push(relative);
    }
    rows
}

fn wrong_count(scorer: &Scorer<'_>, labels: &[LabeledPair]) -> usize {
    let is_wrong = |label: &&LabeledPair| (scorer.score(label.left, label.right).weight > 0.0) != label.is_same;
    labels.iter().filter(is_wrong).count()
}

#[test]
fn labels_teach_what_the_data_does_not_say() {
    let table = table(confusing());
    let records = Records::prepare(&table, None, &guess(&table, None, Some("id"))).unwrap();
    let candidates = find_candidates(&records, &Bounds::for_count(records.count()));
    let patterns = compare_all(&records, &candidates);
    let model = Model::estimate(&records, &candidates, &patterns);
    let frequencies = Frequencies::new(&records, &candidates, &patterns, &model);
    let scorer = Scorer { records: &records, model: &model, frequencies: &frequencies };
    let id = |record: Record| table.column(0).get(record.index());
    let is_same = |left: Record, right: Record| {
        let [(one, copy), (other, other_copy)] = [left, right].map(|record| id(record).split_once('-').unwrap());
        one == other && (copy == "r") == (other_copy == "r")
    };
    let mut labels: Vec<LabeledPair> = scorer
        .score_all(&candidates, &patterns)
        .iter()
        .map(|pair| LabeledPair { left: pair.left, right: pair.right, is_same: is_same(pair.left, pair.right) })
        .collect();
    labels.sort_by_key(|label| (even(u64::from(label.left.0) << 20 | u64::from(label.right.0), 1 << 30), label.left));
    let (few, others) = labels.split_at(40);
    let free = Free { prior: true, fields: vec![true; records.fields().len()] };
    let taught = teach(&scorer, few, &free).unwrap();
    assert!(taught.is_better(few), "{:?}", taught.held_out);
    let better = Scorer { model: &taught.model, ..scorer };
    let (before, after) = (wrong_count(&scorer, others), wrong_count(&better, others));
    assert!(before > 100 && after < before / 2, "{before} {after} of {}", others.len());

    // Whatever the order of labels.
    let turned: Vec<LabeledPair> =
        few.iter().rev().map(|label| LabeledPair { left: label.right, right: label.left, ..*label }).collect();
    assert_eq!(teach(&scorer, &turned, &free).unwrap().model, taught.model);
    // What was written by hand stays.
    let frozen = Free { prior: false, fields: vec![false; records.fields().len()] };
    assert_eq!(teach(&scorer, few, &frozen).unwrap().model, model);
    // One answer alone says nothing.
    let same: Vec<LabeledPair> = few.iter().filter(|label| label.is_same).copied().collect();
    assert!(teach(&scorer, &same, &free).is_none());
}

#[test]
fn what_people_said_of_a_pair_is_so() {
    let table = table(customers());
    let records = Records::prepare(&table, None, &guess(&table, None, Some("id"))).unwrap();
    let candidates = find_candidates(&records, &Bounds::for_count(records.count()));
    let patterns = compare_all(&records, &candidates);
    let model = Model::estimate(&records, &candidates, &patterns);
    let frequencies = Frequencies::new(&records, &candidates, &patterns, &model);
    let scorer = Scorer { records: &records, model: &model, frequencies: &frequencies };
    let found = matches(&records, &scorer.score_all(&candidates, &patterns), 0.5);
    let of = |id: &str| Record(table.column(0).iter().position(|other| other == id).unwrap() as u32);
    // Three copies of customer 10, of which two are said to be different, and two strangers that are said to be one.
    let [a, b, c, stranger] = ["10-0", "10-1", "10-2", "1-0"].map(of);
    let verdicts = Verdicts::new(&[
        LabeledPair { left: b, right: a, is_same: true },
        LabeledPair { left: b, right: a, is_same: false },
        LabeledPair { left: stranger, right: c, is_same: true },
    ]);
    let settled = verdicts.settle(&scorer, found.clone());
    let pairs: Vec<(Record, Record)> = settled.iter().map(|pair| (pair.left, pair.right)).collect();
    assert!(!pairs.contains(&(a.min(b), a.max(b))) && pairs.contains(&(stranger.min(c), stranger.max(c))));
    assert_eq!(settled.len(), found.len());
    let clusters = Clusters::join_with(&scorer, &settled, &verdicts);
    assert_ne!(clusters.of(a), clusters.of(b));
    assert_eq!(clusters.of(stranger), clusters.of(c));
    let open = verdicts.open(&found, true);
    assert!(
        open.iter().all(|pair| ![pair.left, pair.right].contains(&c) && ![pair.left, pair.right].contains(&stranger))
    );
    assert!(Verdicts::default().open(&found, true).len() == found.len() && Verdicts::default().is_empty());
}
