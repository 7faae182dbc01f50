//! `lookalike report DIR` as users run it: in the same folder, in another one, and without the input.

use std::process::Command;

use crate::folder::{Folder, Ran, assert_refused, lines};

/// A run in a folder of its own, with names that are relative to it.
fn deduplicated() -> Folder {
    let folder = Folder::new();
    folder.write("data/in.jsonl", lines()).write("data/known/reference.jsonl", lines());
    folder.write("list.txt", "data/in.jsonl\n").write("elsewhere/empty", "");
    let ran = folder.run(&["dedup", "--files-from", "list.txt", "--id", "id", "-o", "out"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    folder
}

fn run_in(folder: &Folder, below: &str, arguments: &[&str]) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lookalike"));
    Ran::new(command.args(arguments).current_dir(folder.0.path().join(below)).output().unwrap())
}

#[test]
fn a_report_is_made_again_byte_for_byte() {
    let folder = deduplicated();
    let first = folder.read("out/report.html");
    assert!(first.contains("class=\"sides\""));
    let ran = folder.run(&["report", "out"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
    assert!(ran.stderr.starts_with("wrote     out/report.html ("), "{}", ran.stderr);
    assert_eq!(folder.read("out/report.html"), first);
    let ran = folder.run(&["report", "out", "--report-texts", "none", "-o", "short.html", "-q"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert!(!folder.read("short.html").contains("class=\"sides\""));
    assert_refused(&folder, &["report", "out", "-o", "short.html"], &["short.html", "--force"]);
}

#[test]
fn the_input_is_found_from_another_folder() {
    let folder = deduplicated();
    let first = folder.read("out/report.html");
    let ran = run_in(&folder, "elsewhere", &["report", "../out"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.starts_with("wrote     ../out/report.html ("), "{}", ran.stderr);
    assert_eq!(folder.read("out/report.html"), first);
    assert!(!first.contains(&*folder.0.path().to_string_lossy()), "the page does not say where it was made");
    let ran = run_in(
        &folder,
        "data",
        &["dedup", "in.jsonl", "--id", "id", "--against", "known/reference.jsonl", "-q", "-o", "../second"],
    );
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let first = folder.read("second/report.html");
    let ran = folder.run(&["report", "second"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(folder.read("second/report.html"), first);
    assert!(first.contains("class=\"sides\"") && first.contains("reference"));
}

#[test]
fn a_list_and_stop_words_of_a_run_are_found_from_another_folder() {
    let folder = deduplicated();
    folder.write("data/list.txt", "in.jsonl\n").write("data/words.txt", "the\na\nof\nto\nand\nin\non\n");
    // Files with the same names that do not belong to the run.
    folder.write("elsewhere/list.txt", "absent.jsonl\n").write("elsewhere/words.txt", "");
    let stop_words = ["--shingle", "stopword", "--stopwords", "words.txt"];
    let line = ["dedup", "--files-from", "list.txt", "--id", "id", "-q", "-o", "../out", "--force"];
    let ran = run_in(&folder, "data", &[&line[..], &stop_words].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let first = folder.read("out/report.html");
    let ran = run_in(&folder, "elsewhere", &["report", "../out"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(folder.read("out/report.html"), first);
    assert!(first.contains("class=\"sides\""));
}

#[test]
fn without_the_input_the_report_says_that_texts_are_missing() {
    let folder = deduplicated();
    std::fs::remove_file(folder.0.path().join("data/in.jsonl")).unwrap();
    let ran = folder.run(&["report", "out"]);
    assert_eq!(ran.code, 0);
    assert!(ran.stderr.contains("note: the texts of 4 of 4 documents are not shown"), "{}", ran.stderr);
    assert!(folder.read("out/report.html").contains("Texts are not shown"));
}

#[test]
fn a_folder_without_a_run_is_refused() {
    let folder = Folder::new();
    folder.write("in.jsonl", lines()).write("out/other", "");
    for command in ["report", "audit"] {
        let said = ["out is not the output of a finished run of dedup", "summary.json"];
        assert_refused(&folder, &[command, "out"], &said);
    }
}
