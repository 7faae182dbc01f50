//! A run in tasks has the result of the command, byte for byte, however its tasks are divided, ordered, repeated or
//! interrupted.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::made::Case;
use lookalike::tasks::{TaskSizes, TaskStage, Tasks};
use lookalike::{DedupRequest, Error, Silent};
use serde_json::{Map, Value, json};

/// Families of texts that differ in a few words, copies that differ in case or not at all, and empty texts.
fn texts(families: u64) -> Vec<String> {
    let mut state = 11_u64;
    let mut next = move |most: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % most
    };
    let mut texts = vec![String::new(), " ".to_owned()];
    for family in 0..families {
        let length = 20 + next(100);
        let base: Vec<String> = (0..length).map(|_| format!("word{}", next(3000))).collect();
        for _ in 0..=next(5) {
            let mut words = base.clone();
            for _ in 0..next(8) {
                words[next(length) as usize] = format!("word{}", next(3000));
            }
            texts.push(words.join(" "));
        }
        if family % 5 == 0 {
            texts.push(base.join(" "));
            texts.push(base.join(" ").to_uppercase() + "!");
        }
    }
    let count = texts.len();
    (0..count).map(|at| texts[at * 7919 % count].clone()).collect()
}

/// Each text with an id, a score and a group.
fn lines(texts: &[String]) -> String {
    let line = |(at, text): (usize, &String)| {
        json!({"id": format!("d{at}"), "text": text, "score": at * 37 % 101, "site": at % 3}).to_string() + "\n"
    };
    texts.iter().enumerate().map(line).collect()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Everything below a folder, without what differs between equal runs.
fn tree(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    fn walk(folder: &Path, below: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let (path, name) = (entry.path(), below.join(entry.file_name()));
            if path.is_dir() {
                walk(&path, &name, found);
                continue;
            }
            let mut bytes = fs::read(&path).unwrap();
            if name == Path::new("summary.json") {
                let mut summary: Value = serde_json::from_slice(&bytes).unwrap();
                for differs in ["stages", "seconds", "peak_memory_bytes"] {
                    summary[differs] = json!(null);
                }
                bytes = serde_json::to_vec_pretty(&summary).unwrap();
            }
            found.insert(name, bytes);
        }
    }
    let mut found = BTreeMap::new();
    walk(folder, Path::new(""), &mut found);
    found
}

fn options(case: &Case, output: &str, more: &Value) -> Map<String, Value> {
    let mut options = json!({"inputs": [case.path("in")], "output": case.path(output)});
    for (name, value) in more.as_object().unwrap() {
        options[name] = value.clone();
    }
    if let Some(against) = options.get("against") {
        options["against"] = json!([case.path(against.as_str().unwrap())]);
    }
    options.as_object().unwrap().clone()
}

fn small() -> TaskSizes {
    let mut sizes = TaskSizes::default();
    (sizes.unit_bytes, sizes.batch_bytes) = (20_000, 3_000);
    sizes
}

/// The output of the command.
fn command(case: &Case, more: &Value) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut options = options(case, "command", more);
    options.insert("no_report".to_owned(), json!(true));
    let options = DedupRequest::from_options(options).unwrap().check().unwrap();
    lookalike::dedup(&options, &Silent).unwrap();
    let found = tree(&case.path("command"));
    fs::remove_dir_all(case.path("command")).unwrap();
    found
}

fn plan(case: &Case, more: &Value, sizes: TaskSizes) -> Tasks {
    Tasks::plan(options(case, "tasks", more), &case.path("work"), sizes, &Silent).unwrap()
}

/// The output of all stages, run in parts.
fn staged(case: &Case, more: &Value, sizes: TaskSizes, parts: usize) -> BTreeMap<PathBuf, Vec<u8>> {
    plan(case, more, sizes);
    for stage in TaskStage::ALL {
        // The last part comes first, and each part knows only what is in the folder.
        for part in (0..parts).rev() {
            Tasks::open(&case.path("work")).unwrap().part(stage, part, parts, &Silent).unwrap();
        }
    }
    let found = tree(&case.path("tasks"));
    fs::remove_dir_all(case.path("tasks")).unwrap();
    fs::remove_dir_all(case.path("work")).unwrap();
    found
}

fn check_same(case: &Case, more: &Value) {
    let expected = command(case, more);
    for (sizes, parts) in [(TaskSizes::default(), 1), (small(), 3)] {
        let found = staged(case, more, sizes, parts);
        for (name, bytes) in &expected {
            let other = found.get(name).map(|other| String::from_utf8_lossy(other));
            assert_eq!(other, Some(String::from_utf8_lossy(bytes)), "{more}: {}", name.display());
        }
        assert!(found.keys().eq(expected.keys()), "{more}: {:?}", found.keys());
    }
}

/// A folder with files of several formats.
fn corpus() -> Case {
    let (case, texts) = (Case::new(), texts(120));
    let (first, rest) = texts.split_at(texts.len() / 3);
    let (second, third) = rest.split_at(rest.len() / 2);
    case.write("in/a.jsonl", lines(first));
    case.write("in/b.jsonl.gz", gzip(lines(second).as_bytes()));
    let record = |(at, text): (usize, &String)| {
        let head = format!("WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Target-URI: http://site{}.org/{at}\r\n", at % 4);
        gzip(format!("{head}Content-Length: {}\r\n\r\n{text}\r\n\r\n", text.len()).as_bytes())
    };
    case.write("in/c.warc.wet.gz", third.iter().enumerate().flat_map(record).collect::<Vec<u8>>());
    case.write("in/d.txt", &first[3]);
    case
}

#[test]
fn files_of_several_formats_come_out_as_the_command_writes_them() {
    let case = corpus();
    for more in [json!({"threshold": 0.7}), json!({"threshold": 0.7, "method": "minhash"}), json!({"annotate": true})] {
        check_same(&case, &more);
    }
}

#[test]
fn settings_decide_as_they_do_in_the_command() {
    let case = Case::new();
    let texts = texts(60);
    case.write("in/a.jsonl", lines(&texts));
    case.write("reference/r.jsonl", lines(&texts[..40].iter().map(|text| format!("{text} more")).collect::<Vec<_>>()));
    for more in [
        json!({"method": "minhash", "keep": "max:score,first", "id": "id"}),
        json!({"method": "minhash", "threshold": 0.6, "group": "components", "source": "site"}),
        json!({"method": "minhash", "against": "reference", "threshold": 0.6}),
        json!({"method": "minhash", "against": "reference", "only_against": true, "dry_run": true}),
        json!({"method": "minhash", "different_numbers": "keep", "threshold": 0.5}),
        json!({"method": "supershingle", "threshold": 0.7}),
        json!({"method": "simhash", "keep": "last"}),
        json!({"method": "exact", "threshold": 0.6, "keep": "first"}),
        json!({"method": "copies"}),
        json!({"measure": "containment", "threshold": 0.7}),
        json!({"within": "site", "threshold": 0.5, "method": "minhash"}),
        json!({"different_numbers": "keep", "threshold": 0.5}),
    ] {
        check_same(&case, &more);
    }
}

#[test]
fn hard_corpora_come_out_as_the_command_writes_them() {
    let words = |from: usize, to: usize| (from..to).map(|at| format!("word{at}")).collect::<Vec<_>>().join(" ");
    let exact: Vec<String> = vec![words(0, 40); 400];
    let template: Vec<String> = (0..300).map(|at| format!("{} {at}", words(0, 60))).collect();
    // Each is like the next one, and the ends have nothing in common.
    let chain: Vec<String> = (0..150).map(|at| words(at * 2, at * 2 + 60)).collect();
    let boilerplate: Vec<String> =
        (0..320).map(|id| format!("{} {}", words(0, 57), words(1000 * id + 1000, 1000 * id + 1003))).collect();
    let chinese: Vec<String> = (0..60)
        .map(|at| (0..50).map(|word| char::from_u32(0x4E00 + (word * 7 + at / 3) % 900).unwrap()).collect())
        .collect();
    let one_word = json!({"threshold": 0.95, "shingle": "word:1", "bands": 6, "rows": 1, "keep": "first"});
    for (texts, more) in [
        (Vec::new(), json!({})),
        (vec!["one text".to_owned()], json!({"method": "minhash"})),
        (exact, json!({"method": "minhash"})),
        (template, json!({"method": "minhash", "threshold": 0.8})),
        (chain, json!({"method": "minhash", "threshold": 0.8})),
        (boilerplate, one_word),
        (chinese, json!({"method": "minhash", "threshold": 0.6, "shingle": "char:5"})),
    ] {
        let case = Case::new();
        case.write("in/a.jsonl", lines(&texts));
        check_same(&case, &more);
    }
}

#[test]
fn a_run_goes_on_wherever_it_was_ended() {
    let (case, more) = (corpus(), json!({"threshold": 0.7, "method": "minhash"}));
    let expected = command(&case, &more);
    plan(&case, &more, small());
    for stage in TaskStage::ALL {
        let tasks = Tasks::open(&case.path("work")).unwrap();
        for unit in tasks.missing(stage).unwrap() {
            // The first attempt leaves a file that is not complete, the second one is lost after its files were
            // written.
            case.write(&format!("work/{stage}/{unit:06}-a0.parquet.7.part"), "half");
            tasks.task(stage, unit, 1, &Silent).unwrap();
            if stage == TaskStage::Commit {
                break;
            }
            let row = tasks.task(stage, unit, 2, &Silent).unwrap();
            tasks.accept(&row).unwrap();
            assert!(row.files.iter().all(|file| file.name.contains("-a2")), "{row:?}");
        }
    }
    assert_eq!(tree(&case.path("tasks")), expected);
    // A commit that was ended before its row was accepted is repeated, and changes nothing.
    let tasks = Tasks::open(&case.path("work")).unwrap();
    tasks.part(TaskStage::Commit, 0, 1, &Silent).unwrap();
    assert_eq!(tree(&case.path("tasks")), expected);
    assert!(TaskStage::ALL.iter().all(|stage| tasks.missing(*stage).unwrap().is_empty()));
}

#[test]
fn a_stage_that_is_not_complete_and_a_damaged_file_are_named() {
    let (case, more) = (corpus(), json!({}));
    let tasks = plan(&case, &more, small());
    let Err(Error::IncompleteStage { stage: "S1", missing, first: 0 }) = tasks.task(TaskStage::Rank, 0, 0, &Silent)
    else {
        panic!("S2 needs S1")
    };
    assert_eq!(missing, tasks.unit_count(TaskStage::Sketch).unwrap());
    let rows = tasks.part(TaskStage::Sketch, 0, 1, &Silent).unwrap();
    let file = case.path("work").join(&rows[1].files[0].name);
    let mut bytes = fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&file, bytes).unwrap();
    let error = Tasks::open(&case.path("work")).unwrap().task(TaskStage::Rank, 0, 0, &Silent).unwrap_err();
    assert!(error.to_string().contains(&rows[1].files[0].name), "{error}");
    // As the message says.
    fs::remove_file(case.path("work/S1/000001.json")).unwrap();
    let tasks = Tasks::open(&case.path("work")).unwrap();
    tasks.part(TaskStage::Sketch, 0, 1, &Silent).unwrap();
    tasks.task(TaskStage::Rank, 0, 0, &Silent).unwrap();
}

#[test]
fn another_input_or_another_request_is_another_run() {
    let (case, more) = (corpus(), json!({"threshold": 0.7}));
    plan(&case, &more, small());
    plan(&case, &more, small());
    let other = Tasks::plan(options(&case, "tasks", &json!({"threshold": 0.6})), &case.path("work"), small(), &Silent);
    assert!(matches!(other, Err(Error::OtherPlan { .. })));
    case.write("in/e.jsonl", lines(&texts(3)));
    assert!(matches!(Tasks::open(&case.path("work")), Err(Error::OtherPlan { .. })));
}

#[test]
#[cfg(target_os = "linux")]
fn a_unit_that_cannot_be_read_is_skipped_counted_and_named() {
    let case = Case::new();
    case.write("in/a.jsonl", lines(&texts(20)));
    // The first byte of the memory of a process cannot be read.
    std::os::unix::fs::symlink("/proc/self/mem", case.path("in/b.jsonl")).unwrap();
    let found = staged(&case, &json!({}), small(), 2);
    let summary: Value = serde_json::from_slice(&found[Path::new("summary.json")]).unwrap();
    assert_eq!(summary["input"]["skipped_count"], 1);
    assert!(summary["skipped"][0]["file"].as_str().unwrap().ends_with("b.jsonl"), "{}", summary["skipped"]);
    fs::remove_file(case.path("in/b.jsonl")).unwrap();
    let alone = command(&case, &json!({}));
    for name in ["removed.jsonl", "kept/a.jsonl"] {
        assert_eq!(found[Path::new(name)], alone[Path::new(name)], "{name}");
    }
    assert!(!found.contains_key(Path::new("kept/b.jsonl")));
}

#[test]
fn what_tasks_cannot_do_is_refused_before_anything_is_read() {
    let case = corpus();
    let refused = |more: Value| {
        let planned = Tasks::plan(options(&case, "tasks", &more), &case.path("work"), small(), &Silent);
        planned.err().unwrap_or_else(|| panic!("{more}")).to_string()
    };
    for more in [
        json!({"output": "-"}),
        json!({"against_index": "index"}),
        json!({"ignore_boilerplate": true}),
        json!({"max_input": "1G"}),
        json!({"method": "simhash", "shingle_weights": "idf"}),
    ] {
        assert!(refused(more.clone()).contains("in tasks is not supported"), "{more}");
    }
    // The rules of requests are those of the command.
    for more in [json!({"threshold": 7.0}), json!({"treshold": 0.7}), json!({"annotate": true, "dry_run": true})] {
        let options = options(&case, "tasks", &more);
        let expected = DedupRequest::from_options(options).and_then(DedupRequest::check).unwrap_err();
        assert_eq!(refused(more), expected.to_string());
    }
    assert!(refused(json!({"work": "elsewhere"})).contains("there is no option work"));
    assert!(!case.path("work").exists());
}

#[test]
fn an_output_that_is_there_is_refused_before_anything_is_read() {
    let case = corpus();
    case.write("tasks/mine.txt", "mine");
    let planned = Tasks::plan(options(&case, "tasks", &json!({})), &case.path("work"), small(), &Silent);
    let error = planned.err().unwrap().to_string();
    assert!(error.contains("exists and is not empty"), "{error}");
    assert!(!case.path("work").exists());
    let left: Vec<_> = fs::read_dir(case.path("tasks")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["mine.txt"]);
}

#[test]
fn needs_are_estimated_from_a_sample() {
    let case = Case::new();
    let template: Vec<String> = (0..400).map(|at| format!("{} end{at}", ["all say the same"; 12].join(" "))).collect();
    case.write("in/a.jsonl", lines(&template[..200]));
    case.write("in/b.jsonl", lines(&template[200..]));
    let tasks = plan(&case, &json!({"method": "minhash", "shingle": "word:1"}), TaskSizes::default());
    let [all, half] = [1 << 30, 1].map(|bytes| tasks.estimate(bytes, &Silent).unwrap());
    assert_eq!((all.document_count, all.largest_family, all.sampled_unit_count, all.unit_count), (400, 400, 2, 2));
    // The family is as large a part of the sample as of the whole.
    assert_eq!((half.document_count, half.largest_family, half.sampled_unit_count), (400, 400, 1));
    assert!(all.largest_family_bucket_count > 0 && all.gathered_bytes == all.largest_family_bytes, "{all:?}");
}
