//! `decontaminate` as a command: where the table and the report go, and what is written.

use crate::folder::Folder;
use serde_json::Value;

const QUESTION: &str =
    "How many bolts in total does a robe take that needs 2 bolts of blue fiber and half that much white?";

/// A corpus with one of the two items of a test set.
fn corpus() -> Folder {
    let folder = Folder::new();
    let line = |value: Value| format!("{value}\n");
    let item = |question: &str, answer: &str| line(serde_json::json!({"question": question, "answer": answer}));
    let page = |text: &str| line(serde_json::json!({"id": "page", "text": text}));
    folder.write("pages.jsonl", page("A quiet day.") + &page(&format!("A quiz! {} Three.", QUESTION.to_uppercase())));
    folder.write(
        "quiz.jsonl",
        item(QUESTION, "3")
            + &item("Which of the seven rivers of the old kingdom never once reached the sea in a dry year?", "none"),
    );
    folder
}

#[test]
fn the_table_is_the_result_where_nothing_is_written() {
    let folder = corpus();
    let words = ["decontaminate", "pages.jsonl", "--against", "quiz.jsonl"];
    for quiet in [&[][..], &["-q"]] {
        let ran = folder.run(&[&words, quiet].concat());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let rows: Vec<Vec<&str>> = ran.stdout.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(rows[1][..3], ["quiz.jsonl", "2", "1"], "{}", ran.stdout);
    }
    let ran = folder.run(&[&words[..], &["-o", "out", "-q"]].concat());
    assert_eq!((ran.code, &*ran.stdout, &*ran.stderr), (0, "", ""));
    assert_eq!(folder.names(), ["out", "pages.jsonl", "quiz.jsonl"]);
}

#[test]
fn a_report_goes_to_the_file_that_was_named() {
    let folder = corpus();
    let words = ["decontaminate", "pages.jsonl", "--against", "quiz.jsonl", "-q", "--summary", "none"];
    let alone = folder.run(&[&words[..], &["--report", "alone.html"]].concat());
    assert_eq!((alone.code, &*alone.stderr), (0, ""));
    assert!(folder.read("alone.html").contains("HOW MANY BOLTS"));
    let beside = folder.run(&[&words[..], &["-o", "out", "--report", "beside.html"]].concat());
    assert_eq!((beside.code, &*beside.stderr), (0, ""));
    assert!(folder.0.path().join("beside.html").exists() && !folder.0.path().join("out/report.html").exists());
    let again = folder.run(&[&words[..], &["--report", "alone.html"]].concat());
    assert!(again.code == 2 && again.stderr.contains("--force"), "{}", again.stderr);
    let forced = folder.run(&[&words[..], &["--report", "alone.html", "--force"]].concat());
    assert_eq!((forced.code, &*forced.stderr), (0, ""));
}

#[test]
fn notes_say_what_was_not_looked_for_or_counted() {
    let folder = corpus();
    let words = ["decontaminate", "pages.jsonl", "--against", "quiz.jsonl"];
    let ran = folder.run(&[&words[..], &["--fields", "question,choices,answr"]].concat());
    assert!(ran.stderr.contains("note: no item has the field 'choices'"), "{}", ran.stderr);
    assert!(ran.stderr.contains("note: no item has the field 'answr'"), "{}", ran.stderr);
    assert!(!folder.run(&words).stderr.contains("no item has"), "a test set need not have choices");
    folder.write("empty.jsonl", "");
    let ran = folder.run(&[&words[..], &["empty.jsonl"]].concat());
    assert!(ran.code == 0 && ran.stderr.contains("note: empty.jsonl has no items"), "{}", ran.stderr);
    let ran = folder.run(&[&words[..], &["empty.jsonl", "--fail-if-contaminated", "0.5"]].concat());
    assert_eq!((ran.code, &*ran.stdout), (2, ""), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("empty.jsonl has no items, so there is nothing to check; leave out --fail-if-contaminated"),
        "{}",
        ran.stderr
    );
    let pages: String =
        (0..40).map(|page| serde_json::json!({"id": page.to_string(), "text": QUESTION}).to_string() + "\n").collect();
    folder.write("pages.jsonl", pages);
    let ran = folder.run(&words);
    assert!(ran.stderr.contains("note: 1 item is in more than 1 % of a file's documents"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("items quote"), "{}", ran.stderr);
    let ran = folder.run(&[&words[..], &["--fail-if-contaminated", "0.5"]].concat());
    assert!(ran.code == 0 && ran.stderr.contains("not even by the limit"), "{}", ran.stderr);
    let ran = folder.run(&[&words[..], &["--fail-if-contaminated", "0.5", "--common-share", "1"]].concat());
    assert_eq!(ran.code, 1, "{}", ran.stderr);
}

#[test]
fn documents_that_nothing_is_left_of_are_counted() {
    let folder = corpus();
    folder.write("pages.jsonl", serde_json::json!({"id": "page", "text": QUESTION}).to_string() + "\n");
    let ran = folder.run(&["decontaminate", "pages.jsonl", "--against", "quiz.jsonl", "--action", "cut", "-o", "out"]);
    assert!(
        ran.code == 0 && ran.stderr.contains("0 documents written, 0 passages cut out, 1 left out"),
        "{}",
        ran.stderr
    );
}
