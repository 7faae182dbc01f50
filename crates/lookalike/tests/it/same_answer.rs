//! The same result for any number of threads, from run to run, and however the input is divided into files.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::made::{Case, dedup, jsonl, pairs, scheme};
use lookalike::{Copies, DedupRequest, Summary};
use serde_json::{Value, json};

/// Some 3,000 documents in a few hundred families, long enough for several chunks a file.
fn texts() -> Vec<String> {
    let mut state = 7_u64;
    let mut next = move |most: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % most
    };
    let mut texts = Vec::new();
    for _ in 0..600 {
        let length = 50 + next(400);
        let base: Vec<String> = (0..length).map(|_| format!("word{}", next(5000))).collect();
        for _ in 0..=next(8) {
            let mut words = base.clone();
            for _ in 0..next(12) {
                let at = next(length) as usize;
                words[at] = format!("word{}", next(5000));
            }
            texts.push(words.join(" "));
        }
    }
    // Shuffled, not family after family.
    let count = texts.len();
    (0..count).map(|at| texts[at * 7919 % count].clone()).collect()
}

/// All files below a folder with their bytes, except those that must differ: times and memory.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    fn walk(folder: &Path, prefix: &str, found: &mut BTreeMap<String, Vec<u8>>) {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let name = format!("{prefix}{}", entry.file_name().into_string().unwrap());
            if entry.path().is_dir() {
                walk(&entry.path(), &format!("{name}/"), found);
            } else if name == "summary.json" {
                let mut summary: Value = serde_json::from_slice(&fs::read(entry.path()).unwrap()).unwrap();
                for differs in ["stages", "seconds", "peak_memory_bytes"] {
                    summary[differs] = json!(null);
                }
                summary["parameters"]["threads"] = json!(null);
                found.insert(name, summary.to_string().into_bytes());
            } else if name == "report.html" {
                let page = fs::read_to_string(entry.path()).unwrap();
                let (before, times) = page.split_once("<section id=\"stages\"").unwrap();
                found.insert(name, (before.to_owned() + times.split_once("</section>").unwrap().1).into_bytes());
            } else {
                found.insert(name, fs::read(entry.path()).unwrap());
            }
        }
    }
    let mut found = BTreeMap::new();
    walk(folder, "", &mut found);
    found
}

fn with_threads(threads: usize, request: &DedupRequest) -> Summary {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(|| dedup(request))
}

#[test]
fn any_number_of_threads_writes_the_same_bytes() {
    let texts = texts();
    let case = Case::new();
    let half = texts.len() / 2;
    // One file that is read again at an offset, one through the spool.
    case.write("in/a.jsonl", jsonl(&texts[..half]));
    case.write("in/b.jsonl.zst", zstd::encode_all(jsonl(&texts[half..]).as_bytes(), 3).unwrap());
    for annotate in [false, true] {
        let request = case.request("in", 0.8).annotate(annotate);
        let outputs: Vec<_> = [1, 2, 8, 2]
            .iter()
            .map(|threads| {
                with_threads(*threads, &request);
                files(&case.path("out"))
            })
            .collect();
        assert!(outputs[0]["removed.jsonl"].len() > 10_000, "there is something to find");
        for other in &outputs[1..] {
            assert!(other == &outputs[0]);
        }
    }
}

#[test]
fn a_file_cut_in_two_changes_nothing_but_positions() {
    let texts = texts();
    let lines = jsonl(&texts);
    let cut = lines[..lines.len() / 3].rfind('\n').unwrap() + 1;
    let removed = |case: &Case| {
        let mut request = case.request("in", 0.8);
        request.read.id = Some("id".to_owned());
        let summary = dedup(&request);
        let rows: Vec<Value> = case.rows("removed.jsonl");
        let rows: Vec<_> = rows
            .iter()
            .map(|row| (row["removed_id"].clone(), row["kept_id"].clone(), row["jaccard"].clone()))
            .collect();
        (rows, summary.found.candidate_count, summary.clusters_by_size)
    };
    let whole = Case::new();
    whole.write("in/a.jsonl", &lines);
    let parts = Case::new();
    parts.write("in/a.jsonl", &lines[..cut]);
    parts.write("in/b.jsonl", &lines[cut..]);
    let (of_whole, of_parts) = (removed(&whole), removed(&parts));
    assert!(of_whole.0.len() > 100);
    assert_eq!(of_whole, of_parts);
    let kept = |case: &Case, names: &[&str]| {
        names.iter().map(|name| fs::read_to_string(case.path("out/kept").join(name)).unwrap()).collect::<String>()
    };
    assert_eq!(kept(&whole, &["a.jsonl"]), kept(&parts, &["a.jsonl", "b.jsonl"]));
}

#[test]
fn the_recall_of_a_run_is_what_was_asked_for() {
    let texts = texts();
    let case = Case::of(&texts);
    let read = case.request("corpus.jsonl", 0.8).read;
    let found = |recall| pairs(&read, &scheme("word:5", 0.8, recall), Copies::All);
    let all = found(1.0);
    // Pairs above the threshold are found more often than those at it, so at least 99 of 100 of all must be found:
    // minus three standard deviations of a share of 0.99 among this many.
    let some = found(0.99);
    let bound = 0.99 - 3.0 * (0.99 * 0.01 / all.len() as f64).sqrt();
    assert!(all.len() > 1000);
    assert!(some.len() as f64 / all.len() as f64 > bound, "{} of {}", some.len(), all.len());
    assert!(some.iter().all(|pair| all.contains(pair)));
}
