//! Source code compared by its own tokens: layout and comments do not count, operators and constants do.

use crate::made;
use std::collections::BTreeMap;
use std::io::Read;

use crate::made::{Case, dedup, pairs};
use lookalike::{Copies, ReadRequest, SchemeRequest};
use serde_json::Value;

const ADD: &str = "int total(int *items, int count) {\n    int sum = 0;\n    for (int i = 0; i < count; i++) {\n        \
                   sum += items[i]; // one by one\n    }\n    return sum;\n}\n";

fn code() -> SchemeRequest {
    SchemeRequest::default().tokens("code")
}

/// The similarity of two texts, if there is any.
fn similarity(left: &str, right: &str, scheme: &SchemeRequest) -> f64 {
    let case = Case::of(&[left, right]);
    let found = pairs(&ReadRequest::new([case.path("corpus.jsonl")]), &scheme.clone().threshold(0.3), Copies::All);
    found.first().map_or(0.0, |(_, _, similarity)| *similarity)
}

#[test]
fn layout_and_comments_are_no_difference_and_an_operator_is_one() {
    let other_layout = ADD.replace(" {\n", "\n{\n\t\t").replace("// one by one", "/* all */");
    assert!((similarity(ADD, &other_layout, &code()) - 1.0).abs() < 1e-12);
    for (from, to) in [("i < count", "i <= count"), ("sum = 0", "sum = 1"), ("sum += ", "sum -= ")] {
        let changed = similarity(ADD, &ADD.replace(from, to), &code());
        assert!(changed > 0.3 && changed < 1.0, "{to}: {changed}");
    }
    // Words do not tell them apart.
    let as_words = similarity(ADD, &ADD.replace("i < count", "i >= count"), &SchemeRequest::default());
    assert!((as_words - 1.0).abs() < 1e-12);
}

#[test]
fn renamed_identifiers_are_found_where_they_are_folded() {
    let renamed = ADD.replace("sum", "result").replace("items", "values");
    assert!(similarity(ADD, &renamed, &code()) < 0.5);
    assert!((similarity(ADD, &renamed, &code().fold("identifiers")) - 1.0).abs() < 1e-12);
    assert!(similarity(ADD, &renamed.replace('<', ">"), &code().fold("identifiers")) < 1.0);
}

#[test]
fn files_of_source_code_are_compared_as_code_unless_something_else_is_asked_for() {
    let case = Case::new();
    case.write("in/a.c", ADD);
    case.write("in/b.c", ADD.replace("    ", "\t"));
    case.write("in/c.c", ADD.replace("i < count", "i > count"));
    case.write("in/notes.txt", "of something else altogether, in many words");
    let summary = dedup(&case.request("in", 0.95));
    assert_eq!((summary.parameters.shingle.as_str(), summary.parameters.code_file_count), ("code:c:5", Some(3)));
    let removed = case.rows("removed.jsonl");
    assert_eq!((removed.len(), &removed[0]["removed_id"], &removed[0]["kept_id"]), (1, &"b.c".into(), &"a.c".into()));
    let words = dedup(&case.request("in", 0.95).tokens("words"));
    assert_eq!((words.parameters.shingle.as_str(), words.parameters.code_file_count), ("word:5", None));
    assert_eq!(words.found.removed_count, 2);
    // Beside a file of many documents, it is not for the names to say.
    case.write("in/more.jsonl", "{\"text\": \"a b c\"}");
    assert_eq!(dedup(&case.request("in", 0.95)).parameters.shingle, "word:5");
}

#[test]
fn repeats_count_where_they_are_asked_for() {
    let (once, twice) = ("a rose is a rose", "a rose is a rose is a rose");
    let words = SchemeRequest::default().shingle("word:2");
    assert!((similarity(once, twice, &words) - 1.0).abs() < 1e-12);
    // a rose, rose is, is a, a rose; and these with rose is, is a, a rose once more: 4 of 7.
    assert!((similarity(once, twice, &words.count_repeats(true)) - 4.0 / 7.0).abs() < 1e-9);
}

/// The labeled versions of real files: which of them are found, and which are said to be equal to the original.
#[test]
#[ignore = "reads labeled data: cargo xtask test runs it where that is"]
fn versions_of_real_files_are_told_apart() {
    let folder = made::labeled("code");
    let mut docs = String::new();
    let packed = std::fs::File::open(folder.join("docs.jsonl.gz")).unwrap();
    flate2::read::MultiGzDecoder::new(packed).read_to_string(&mut docs).unwrap();
    let case = Case::new();
    case.write("docs.jsonl", docs);
    let labels: BTreeMap<String, (String, String)> = made::rows(&folder.join("labels.jsonl"))
        .into_iter()
        .map(|label: Value| {
            let word = |name: &str| label[name].as_str().unwrap().to_owned();
            (word("id"), (word("cluster"), word("kind")))
        })
        .collect();
    let found = pairs(&ReadRequest::new([case.path("docs.jsonl")]).id("id"), &code(), Copies::All);
    let mut equal: BTreeMap<&str, usize> = BTreeMap::new();
    for (left, right, similarity) in &found {
        let [(cluster, left), (other, right)] = [&labels[left], &labels[right]];
        assert_eq!(cluster, other);
        let kind = if left == "base" { right } else { left };
        if (left == "base" || right == "base") && (similarity - 1.0).abs() < 1e-12 {
            *equal.entry(kind).or_default() += 1;
        }
    }
    assert_eq!(equal, BTreeMap::from([("comments", 80), ("identical", 80), ("reformatted", 79)]));
}
