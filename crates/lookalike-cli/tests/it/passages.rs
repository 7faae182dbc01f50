//! `passages` and `splits` as commands: what they print, write and exit with.

use crate::folder::Folder;
use serde_json::Value;

const PAGES: &str =
    "{\"id\":\"a\",\"text\":\"Home\\nThe river rose.\"}\n{\"id\":\"b\",\"text\":\"Home\\nThe market opens.\"}\n";

#[test]
fn passages_are_counted_on_the_terminal_and_listed_in_a_file() {
    let folder = Folder::new();
    folder.write("in.jsonl", PAGES);
    let ran = folder.run(&["passages", "in.jsonl", "--id", "id", "--unit", "line", "-o", "out"]);
    assert_eq!((ran.code, &*ran.stdout), (0, ""), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("1 of 2 documents have 1 passage that other documents have too (line)"),
        "{}",
        ran.stderr
    );
    let row: Value = serde_json::from_str(&folder.read("out/cuts.jsonl")).unwrap();
    assert_eq!((&row["document_id"], &row["end"], &row["first_document_id"]), (&"b".into(), &5.into(), &"a".into()));
    let report = folder.read("out/report.html");
    assert!(report.contains("<mark class=\"p1\" title=\"first in a, at byte 0; in 2 documents\">Home"), "{report}");
    let ran = folder.run(&["passages", "in.jsonl", "-o", "out"]);
    assert!(ran.code == 2 && ran.stderr.contains("--force"), "{}", ran.stderr);
    let ran = folder.run(&["passages", "in.jsonl", "-o", "out", "--force", "--summary", "json", "-q"]);
    let summary: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((&summary["unit"], &summary["found"]["passage_count"]), (&"run:50".into(), &0.into()));
    assert_eq!(summary["seconds"], serde_json::from_str::<Value>(&folder.read("out/summary.json")).unwrap()["seconds"]);
}

#[test]
fn without_a_folder_or_with_standard_input_nothing_is_done() {
    let folder = Folder::new();
    folder.write("in.jsonl", PAGES);
    let ran = folder.run(&["passages", "in.jsonl"]);
    assert_eq!((ran.code, &*ran.stderr), (2, "lookalike: no output is given: add -o DIR\n"));
    let ran = folder.run(&["passages", "in.jsonl", "--action", "cut", "--report", "out.html"]);
    assert_eq!((ran.code, &*ran.stderr), (2, "lookalike: --action needs -o\n"));
    let ran = folder.run_with(&["passages", "-", "-o", "out"], PAGES.as_bytes());
    assert!(ran.code == 2 && ran.stderr.contains("INPUT must be files or folders"), "{}", ran.stderr);
    assert_eq!(folder.names(), ["in.jsonl"]);
}

#[test]
fn a_report_goes_to_the_file_that_was_named() {
    let folder = Folder::new();
    folder.write("in.jsonl", PAGES);
    let words = ["passages", "in.jsonl", "--id", "id", "--unit", "line"];
    for output in [&[][..], &["-o", "out"]] {
        let ran = folder.run(&[&words[..], &["--report", "own.html", "--force"], output].concat());
        assert_eq!((ran.code, &*ran.stdout), (0, ""), "{}", ran.stderr);
        assert!(ran.stderr.contains("wrote own.html"), "{}", ran.stderr);
        assert!(folder.read("own.html").contains("first in a, at byte 0"));
    }
    assert!(!folder.0.path().join("out/report.html").exists());
    let ran = folder.run(&[&words[..], &["--report", "own.html"]].concat());
    assert!(ran.code == 2 && ran.stderr.contains("--force"), "{}", ran.stderr);
}

#[test]
fn leaks_between_splits_decide_the_exit_code() {
    let folder = Folder::new();
    folder.write("train.jsonl", PAGES).write("test.jsonl", "{\"text\":\"home: the river rose\"}\n{\"text\":\"new\"}\n");
    let ran = folder.run(&["splits", "train.jsonl", "test.jsonl", "-q"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let row: Vec<&str> = ran.stdout.lines().nth(1).unwrap().split_whitespace().collect();
    assert_eq!(row, ["test.jsonl", "train.jsonl", "2", "1", "0.5000", "1", "1"]);
    for (most, code) in [("0.5", 0), ("0.1", 1), ("0", 1)] {
        let ran = folder.run(&["splits", "train.jsonl", "test.jsonl", "--fail-if-leaks", most, "--summary", "none"]);
        assert_eq!(ran.code, code, "{most}: {}", ran.stderr);
    }
    assert_eq!(folder.names(), ["test.jsonl", "train.jsonl"]);
    let ran =
        folder.run(&["splits", "train.jsonl", "test.jsonl", "-o", "out", "--passages", "line", "--group", "part"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let first: Value = serde_json::from_str(folder.read("out/grouped/test.jsonl").lines().next().unwrap()).unwrap();
    assert_eq!(first["part"], 1);
    let page = folder.read("out/report.html");
    assert!(page.contains("Leaks between splits") && page.contains("river rose</mark>"));
    let ran = folder.run(&["splits", "train.jsonl", "test.jsonl", "--report", "own.html", "--passages", "line"]);
    assert!(ran.code == 0 && ran.stderr.contains("wrote own.html"), "{}", ran.stderr);
    assert!(folder.read("own.html").contains("Documents that share passages"));
    let ran = folder.run(&["splits", "train.jsonl", "test.jsonl", "-o", "out", "--force", "--no-report"]);
    assert!(ran.code == 0 && !folder.0.path().join("out/report.html").exists(), "{}", ran.stderr);
    let ran = folder.run(&["splits", "train.jsonl", "test.jsonl", "--report", "own.html", "--no-report", "--force"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    // A split of which nothing could be read would have no leaks.
    folder.write("bad.jsonl", "{oops\n[1]\n");
    let ran = folder.run(&["splits", "bad.jsonl", "test.jsonl", "--fail-if-leaks", "0.1"]);
    assert_eq!((ran.code, &*ran.stdout), (2, ""), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("nothing could be read: all 2 entries were skipped, the first is bad.jsonl"),
        "{}",
        ran.stderr
    );
    folder.write("empty.jsonl", "");
    let ran = folder.run(&["splits", "train.jsonl", "empty.jsonl", "--fail-if-leaks", "0.1"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("empty.jsonl has no documents") && ran.stderr.contains("--fail-if-leaks"),
        "{}",
        ran.stderr
    );
    let ran = folder.run(&["splits", "train.jsonl", "empty.jsonl"]);
    assert!(ran.code == 0 && ran.stderr.contains("note: empty.jsonl has no documents"), "{}", ran.stderr);
    let ran = folder.run(&["splits", "train.jsonl"]);
    assert!(ran.code == 2 && ran.stderr.contains("splits needs at least two inputs"), "{}", ran.stderr);
}

#[test]
fn repeated_text_and_new_passages_decide_the_exit_code() {
    let folder = Folder::new();
    folder.write("in.jsonl", PAGES);
    let words = ["passages", "in.jsonl", "--id", "id", "--unit", "line", "--force", "-q", "-o"];
    for (most, code) in [("0.5", 0), ("0.01", 1)] {
        let ran = folder.run(&[&words[..], &["out", "--fail-if-repeated", most]].concat());
        assert_eq!(ran.code, code, "{most}: {}", ran.stderr);
        assert!(folder.read("out/cuts.jsonl").contains("\"b\""), "all is written first");
    }
    let again = [&words[..], &["again", "--baseline", "out/cuts.jsonl"]].concat();
    assert_eq!(folder.run(&again).code, 0);
    folder.write("in.jsonl", PAGES.to_owned() + "{\"id\":\"c\",\"text\":\"The river rose.\"}\n");
    assert_eq!(folder.run(&again).code, 1);
    assert_eq!(folder.run(&[&again[..], &["--fail-if-repeated", "0.9"]].concat()).code, 0);
    folder.write("other.jsonl", "{\"a\":1}\n");
    let ran = folder.run(&[&words[..], &["again", "--baseline", "other.jsonl"]].concat());
    assert!(ran.code == 2 && ran.stderr.contains("cuts.jsonl or cuts.sarif"), "{}", ran.stderr);
}
