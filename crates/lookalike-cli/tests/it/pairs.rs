//! `pairs` for users who want to look at some of them: between two similarities, a sample, side by side, with a
//! reference.

use std::fmt::Write;

use crate::folder::{Folder, assert_refused, lines, text};

/// Documents of one family: the first `same` words of sixty are those of the family.
fn line(id: &str, family: usize, same: usize) -> String {
    let words: Vec<String> = text(family).split(' ').take(same).map(str::to_owned).collect();
    let others: String = (same..60).fold(String::new(), |mut others, at| {
        write!(others, " {id}{at}").unwrap();
        others
    });
    format!("{{\"id\":\"{id}\",\"text\":\"{}{others}\"}}\n", words.join(" "))
}

/// Similarities by `word:1`: 60 and 55 words of 65, 60 and 50 of 70, 55 and 50 words of 70.
fn family() -> String {
    line("a", 1, 60) + &line("b", 1, 55) + &line("c", 1, 50)
}

fn ids(stdout: &str) -> Vec<(String, String)> {
    let row = |line: &str| {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        let id = |name: &str| row[name].as_str().unwrap().to_owned();
        (id("left_id"), id("right_id"))
    };
    stdout.lines().map(row).collect()
}

#[test]
fn pairs_between_two_similarities_are_listed() {
    let folder = Folder::new();
    folder.write("in.jsonl", family());
    let run = |between: &str| {
        let ran = folder.run(&["pairs", "in.jsonl", "--id", "id", "--shingle", "word:1", "--between", between]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        ids(&ran.stdout)
    };
    let pair = |left: &str, right: &str| (left.to_owned(), right.to_owned());
    assert_eq!(run("0.6,1"), [pair("a", "b"), pair("a", "c"), pair("b", "c")]);
    assert_eq!(run("0.6,0.8"), [pair("a", "c"), pair("b", "c")]);
    assert_eq!(run("0.8,1"), [pair("a", "b")]);
    for (between, said) in [("0.8", "comma"), ("0.9,0.8", "LOW < HIGH"), ("a,b", "0.75,0.85"), ("0,0.5", "0 < LOW")] {
        assert_refused(&folder, &["pairs", "in.jsonl", "--between", between], &[said, "--between"]);
    }
    assert_refused(&folder, &["pairs", "in.jsonl", "--between", "0.6,0.8", "--threshold", "0.6"], &["--threshold"]);
}

#[test]
fn a_sample_says_of_how_many_it_is() {
    let folder = Folder::new();
    folder.write("in.jsonl", family());
    let ran = folder.run(&["pairs", "in.jsonl", "--shingle", "word:1", "--threshold", "0.6", "--sample", "2"]);
    assert_eq!((ran.code, ran.stdout.lines().count()), (0, 2));
    assert!(ran.stderr.starts_with("2 of 3 pairs, chosen at random"), "{}", ran.stderr);
    assert_refused(&folder, &["pairs", "in.jsonl", "--sample", "0"], &["--sample"]);
}

#[test]
fn pairs_are_shown_side_by_side_with_what_differs_marked() {
    let folder = Folder::new();
    folder.write("in.jsonl", family());
    let show = ["pairs", "in.jsonl", "--id", "id", "--shingle", "word:1", "--between", "0.8,1", "--show"];
    let ran = folder.run(&show);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.starts_with("0.8462 ───"), "{}", ran.stdout);
    assert!(ran.stdout.contains("a (in.jsonl:1)") && ran.stdout.contains("b (in.jsonl:2)"), "{}", ran.stdout);
    let left: String = ran.stdout.lines().filter_map(|line| Some(line.split_once(" │ ")?.0.trim_end())).collect();
    let right: String = ran.stdout.lines().filter_map(|line| Some(line.split_once(" │ ")?.1)).collect();
    assert!(left.contains("[-w1055") && right.contains("[+b55"), "{}", ran.stdout);
    let widest = ran.stdout.lines().map(|line| line.chars().count()).max();
    assert_eq!(widest, Some(100), "{}", ran.stdout);
    assert_refused(&folder, &[&show[..], &["--format", "tsv"]].concat(), &["--format"]);
}

#[test]
fn twenty_pairs_are_shown_unless_more_are_asked_for() {
    let folder = Folder::new();
    folder.write("in.jsonl", (0..8).map(|at| line(&format!("d{at}"), 1, 58)).collect::<String>());
    let shown = |more: &[&str]| {
        let ran = folder.run(&[&["pairs", "in.jsonl", "--id", "id", "--show"], more].concat());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        (ran.stdout.lines().filter(|line| line.ends_with("──")).count(), ran.stderr)
    };
    let (count, said) = shown(&[]);
    assert_eq!(count, 20);
    assert!(said.starts_with("20 of 28 pairs, chosen at random (--sample N for more)"), "{said}");
    assert_eq!(shown(&["--sample", "25"]).0, 25);
    assert_eq!(shown(&["--sample", "100"]).0, 28);
}

#[test]
fn hostile_texts_do_nothing_to_the_terminal() {
    let folder = Folder::new();
    let hostile = |last: &str| format!("{} \\u001b[2J\\u001b]0;title\\u0007 \\u009b31m \\u202e {last}", text(1));
    let line = |id: &str, last: &str| format!("{{\"id\":\"{id}\",\"text\":\"{}\"}}\n", hostile(last));
    folder.write("in.jsonl", line("a\\u001b[1m", "one") + &line("b", "two"));
    let ran = folder.run(&["pairs", "in.jsonl", "--id", "id", "--show"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("\\u{202e}") && ran.stdout.contains("a␛[1m"), "{}", ran.stdout);
    let does_something = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
    assert!(!ran.stdout.chars().any(does_something), "{:?}", ran.stdout);
}

#[test]
fn pairs_with_a_reference_have_one_document_of_each() {
    let folder = Folder::new();
    // In the input, b and d are copies; the reference has another copy, and two that are similar to each other and to
    // c.
    folder.write("in.jsonl", lines());
    folder.write(
        "ref/r.jsonl",
        format!("{{\"id\":\"r\",\"text\":\"{}\"}}\n", text(2))
            + &lines().lines().nth(2).unwrap().replace("\"c\"", "\"s\"")
            + "\n",
    );
    let against = ["pairs", "in.jsonl", "--id", "id", "--against", "ref"];
    let ran = folder.run(&against);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let pair = |left: &str, right: &str| (left.to_owned(), right.to_owned());
    assert_eq!(ids(&ran.stdout), [pair("a", "s"), pair("b", "r"), pair("c", "s"), pair("d", "r")]);
    assert!(ran.stderr.starts_with("4 pairs of 4 documents with 2 of the reference"), "{}", ran.stderr);
    assert_refused(&folder, &["pairs", "in.jsonl", "--against", "in.jsonl"], &["both input and reference"]);

    // Skipped entries of the reference are shown and counted.
    folder.write("ref/s.jsonl", "{oops\n");
    let ran = folder.run(&against);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.starts_with("skipped ref/s.jsonl, line 1"), "{}", ran.stderr);
}
