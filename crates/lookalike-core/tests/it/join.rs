//! The exact join finds as many pairs as published for real sets, if these are available.
//!
//! The data is not part of this repository: `LOOKALIKE_DATA` names its folder, and `cargo xtask test` runs these tests
//! where it is.

use std::collections::HashSet;
use std::path::Path;

use lookalike_core::decision::{Decision, References};
use lookalike_core::ids::Rank;
use lookalike_core::join::{Sets, independent_set, match_count, matches};
use lookalike_core::measure::criterion::Criterion;
use lookalike_core::measure::similarity::Threshold;

fn labeled(path: &str) -> String {
    let folder = std::env::var_os("LOOKALIKE_DATA").expect("LOOKALIKE_DATA names the folder of the labeled data");
    std::fs::read_to_string(Path::new(&folder).join(path)).unwrap()
}

fn jaccard(threshold: f64) -> Criterion {
    Criterion::Jaccard(Threshold::new(threshold).unwrap())
}

fn sets_of_numbers(text: &str) -> Sets {
    let elements = |line: &str| line.split_whitespace().map(|element| element.parse().unwrap()).collect::<Vec<u64>>();
    Sets::new(&text.lines().map(elements).collect::<Vec<_>>())
}

fn assert_counts(sets: &Sets, expected: [(f64, u64); 4]) {
    for (threshold, count) in expected {
        assert_eq!(match_count(sets, jaccard(threshold), References::default()), count, "at {threshold}");
    }
}

#[test]
#[ignore = "reads labeled data: cargo xtask test runs it where that is"]
fn retail_baskets_have_the_published_pairs() {
    let text = labeled("retail/sets.txt");
    assert_counts(&sets_of_numbers(&text), [(0.5, 5_081_632), (0.7, 609_104), (0.8, 568_171), (0.9, 563_005)]);
}

#[test]
#[ignore = "reads labeled data: cargo xtask test runs it where that is"]
fn visits_of_pages_have_the_published_pairs() {
    let text = labeled("bms_webview1/sets.txt");
    assert_counts(&sets_of_numbers(&text), [(0.5, 14_219_550), (0.7, 6_531_348), (0.8, 6_514_018), (0.9, 6_511_635)]);
}

#[test]
#[ignore = "reads labeled data: cargo xtask test runs it where that is"]
fn damaged_titles_have_the_published_pairs() {
    let text = labeled("dblp_titles_18k/titles.tsv");
    let titles = text.lines().skip(1).map(|line| line.split_once('\t').unwrap().1);
    let trigrams = |title: &str| {
        let characters: Vec<char> = format!(" {} ", title.to_lowercase()).chars().collect();
        let number = |window: &[char]| window.iter().fold(0, |number, character| number << 21 | u64::from(*character));
        characters.windows(3).map(number).collect::<Vec<u64>>()
    };
    let sets = Sets::new(&titles.map(trigrams).collect::<Vec<_>>());
    assert_counts(&sets, [(0.5, 5940), (0.7, 3426), (0.8, 1699), (0.9, 486)]);
}

#[test]
#[ignore = "reads labeled data: cargo xtask test runs it where that is"]
fn what_is_kept_of_retail_baskets_keeps_both_promises() {
    let text = labeled("retail/sets.txt");
    let sets = sets_of_numbers(&text);
    let decisions = independent_set(&sets, jaccard(0.7), References::default());
    let is_kept = |item: u32| decisions[item as usize] == Decision::Kept;
    let found = matches(&sets, jaccard(0.7), References::default());
    assert!(!found.iter().any(|found| is_kept(found.left) && is_kept(found.right)), "nothing is left twice");
    let matching: HashSet<(u32, u32)> = found.iter().map(|found| (found.left, found.right)).collect();
    for (item, decision) in (0..).zip(&decisions) {
        if let Decision::Removed { kept: Rank(by), .. } = *decision {
            assert!(is_kept(by) && matching.contains(&(by.min(item), by.max(item))), "{item} is lost for nothing");
        }
    }
}
