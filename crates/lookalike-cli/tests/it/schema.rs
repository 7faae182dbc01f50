//! Schemas, documentation and files name the same fields.

use crate::folder;
use std::collections::BTreeSet;

use crate::folder::Folder;
use serde_json::Value;

/// Gives every property of a schema to `each`.
fn each_property(schema: &Value, each: &mut dyn FnMut(&str)) {
    match schema {
        Value::Object(object) => {
            if let Some(Value::Object(properties)) = object.get("properties") {
                properties.keys().for_each(|name| each(name));
            }
            object.values().for_each(|value| each_property(value, each));
        }
        Value::Array(values) => values.iter().for_each(|value| each_property(value, each)),
        _ => {}
    }
}

/// The parts of a schema that a value may fit, with references followed.
fn alternatives<'a>(root: &'a Value, schema: &'a Value) -> Vec<&'a Value> {
    let mut all = vec![schema];
    if let Some(name) = schema["$ref"].as_str().and_then(|path| path.strip_prefix("#/$defs/")) {
        all.extend(alternatives(root, &root["$defs"][name]));
    }
    for key in ["anyOf", "oneOf", "allOf"] {
        all.extend(schema[key].as_array().into_iter().flatten().flat_map(|part| alternatives(root, part)));
    }
    all
}

/// Every field of a value is in the schema, and every field that the schema wants is in the value.
fn assert_names(root: &Value, schema: &Value, value: &Value, place: &str) {
    let parts = alternatives(root, schema);
    match value {
        Value::Array(items) => {
            let of_items = parts.iter().find_map(|part| part.get("items"));
            for item in items {
                if let Some(schema) = of_items {
                    assert_names(root, schema, item, place);
                }
            }
        }
        Value::Object(fields) => {
            let is_map = |part: &&&Value| part.get("additionalProperties").is_some_and(|more| *more != false);
            if parts.iter().any(|part| is_map(&part) || part.get("patternProperties").is_some()) {
                return;
            }
            for (name, field) in fields {
                let known = parts.iter().find_map(|part| part["properties"].get(name));
                let schema = known.unwrap_or_else(|| panic!("{place}.{name} is not in the schema"));
                assert_names(root, schema, field, &format!("{place}.{name}"));
            }
            for name in parts.iter().filter_map(|part| part["required"].as_array()).flatten() {
                assert!(fields.contains_key(name.as_str().unwrap()), "{place} has no {name}");
            }
        }
        _ => {}
    }
}

#[test]
fn every_field_of_an_output_is_documented() {
    let ran = Folder::new().run(&["schema"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let schemas: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(schemas.as_object().unwrap().len(), 49);
    let documented = include_str!("../../../../docs/output.md");
    let mut missing = BTreeSet::new();
    each_property(&schemas, &mut |name| {
        assert!(!name.starts_with("is_"), "{name}");
        if !documented.contains(&format!("`{name}`")) {
            missing.insert(name.to_owned());
        }
    });
    assert!(missing.is_empty(), "docs/output.md does not name {missing:?}");
}

/// Whole numbers whose names are not those of counts: parameters by the names of their options, numbers of clusters, tables,
/// bands and ranks, positions, points, and bounds of an estimate. `cluster_size`, `cluster_sources` and `copies` are counts
/// that are named by what they count.
const NOT_COUNTS: [&str; 39] = [
    "agree",
    "at_least",
    "band",
    "bands",
    "bits",
    "bytes",
    "cluster",
    "cluster_size",
    "cluster_sources",
    "copies",
    "document_position",
    "end",
    "first_position",
    "first_start",
    "from",
    "gap",
    "hamming",
    "husk",
    "item_position",
    "kept_position",
    "left_position",
    "left_table",
    "manifest",
    "ngram",
    "number",
    "other_position",
    "points",
    "position",
    "rank",
    "removed_position",
    "right_position",
    "right_table",
    "rows",
    "slots",
    "start",
    "table",
    "taken",
    "threads",
    "to",
];

#[test]
fn counts_end_in_count_and_sizes_in_bytes() {
    let schemas: Value = serde_json::from_str(&Folder::new().run(&["schema"]).stdout).unwrap();
    let mut others = BTreeSet::new();
    each_integer(&schemas, &mut |name| {
        let is_named = ["_count", "_bytes", "_seconds", "_bits"].iter().any(|end| name.ends_with(end));
        if !is_named && !NOT_COUNTS.contains(&name) {
            others.insert(name.to_owned());
        }
    });
    // A number of entries is the count of what the object is about, and the others are about counts.
    let about_counts = [
        "count",
        "label_count_to_halve",
        "largest_family",
        "match_count_at_least",
        "match_count_at_most",
        "pair_count_error",
    ];
    assert_eq!(others.iter().map(String::as_str).collect::<Vec<_>>(), about_counts);
}

/// Gives the name of every property that is a whole number to `each`.
fn each_integer(schema: &Value, each: &mut dyn FnMut(&str)) {
    match schema {
        Value::Object(object) => {
            if let Some(Value::Object(properties)) = object.get("properties") {
                let is_integer = |of: &Value| {
                    of["type"] == "integer"
                        || of["type"].as_array().is_some_and(|types| types.contains(&"integer".into()))
                };
                properties.iter().filter(|(_, of)| is_integer(of)).for_each(|(name, _)| each(name));
            }
            object.values().for_each(|value| each_integer(value, each));
        }
        Value::Array(values) => values.iter().for_each(|value| each_integer(value, each)),
        _ => {}
    }
}

#[test]
fn what_dedup_and_pairs_write_fits_their_schemas() {
    let folder = Folder::new();
    let text = "one two three four five six seven eight nine ten";
    let line = |text: &str| format!("{}\n", serde_json::json!({ "text": text }));
    let lines = [text, text, "One two three four five six seven eight nine ten eleven", "alone"].map(line).concat();
    folder.write("in.jsonl", lines + "not an object\n");
    let schema = |name: &str| -> Value { serde_json::from_str(&folder.run(&["schema", name]).stdout).unwrap() };
    for flags in [&["--threshold", "0.6"][..], &["--method", "simhash"], &["--method", "copies", "--checksum", "md5"]] {
        let ran = folder.run(&[&["dedup", "in.jsonl", "-o", "out", "--force", "--shingle", "word:2"], flags].concat());
        assert_eq!(ran.code, 1, "{}", ran.stderr);
        let summary: Value = serde_json::from_str(&folder.read("out/summary.json")).unwrap();
        let (of_summary, of_removal, of_pair) = (schema("summary"), schema("removal"), schema("pair"));
        assert_names(&of_summary, &of_summary, &summary, "summary");
        assert!(summary["found"]["removed_count"].as_u64() > Some(0), "{summary}");
        for row in folder.read("out/removed.jsonl").lines() {
            assert_names(&of_removal, &of_removal, &serde_json::from_str(row).unwrap(), "removal");
        }
        let pairs = folder.run(&[&["pairs", "in.jsonl", "--shingle", "word:2"], flags].concat());
        assert!(!pairs.stdout.is_empty());
        for row in pairs.stdout.lines() {
            assert_names(&of_pair, &of_pair, &serde_json::from_str(row).unwrap(), "pair");
        }
    }
}

/// A schema by its name.
fn schema(folder: &Folder, name: &str) -> Value {
    let ran = folder.run(&["schema", name]);
    assert_eq!(ran.code, 0, "{name}: {}", ran.stderr);
    serde_json::from_str(&ran.stdout).unwrap()
}

/// Every line is an object that fits its schema, and there is at least one.
fn assert_lines(folder: &Folder, name: &str, lines: &str) {
    let schema = schema(folder, name);
    assert!(!lines.is_empty(), "{name}");
    for line in lines.lines() {
        let value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{name}: {error}: {line}"));
        assert_names(&schema, &schema, &value, name);
    }
}

/// The summary that a command prints where its rows go to a file, and where they go to standard output.
fn assert_summary(folder: &Folder, name: &str, words: &[&str]) {
    let of = schema(folder, name);
    let quiet = ["-q", "--summary", "json"];
    let to_file = folder.run(&[words, &quiet, &["-o", "rows", "--force"]].concat());
    assert!(to_file.code < 2, "{words:?}: {}", to_file.stderr);
    let summary: Value = serde_json::from_str(&to_file.stdout).unwrap();
    assert_names(&of, &of, &summary, name);
    let to_stdout = folder.run(&[words, &quiet].concat());
    let last = to_stdout.stderr.lines().last().unwrap_or_default();
    assert_names(&of, &of, &serde_json::from_str(last).unwrap(), name);
    assert_eq!(folder.run(&[words, &["--summary", "none", "-o", "rows", "--force"]].concat()).stdout, "");
}

/// The result that a command without rows prints.
fn assert_result(folder: &Folder, name: &str, words: &[&str]) {
    let of = schema(folder, name);
    let ran = folder.run(&[words, &["-q", "--summary", "json"]].concat());
    assert_eq!((ran.code, &*ran.stderr), (0, ""), "{words:?}");
    assert_names(&of, &of, &serde_json::from_str(&ran.stdout).unwrap(), name);
}

#[test]
fn the_report_has_a_summary() {
    let folder = Folder::new();
    folder.write("in.jsonl", folder::lines());
    assert_eq!(folder.run(&["dedup", "in.jsonl", "-o", "out", "-q"]).code, 0);
    assert_result(&folder, "report-summary", &["report", "out"]);
    let silent = folder.run(&["report", "out", "--summary", "none"]);
    assert_eq!((silent.code, &*silent.stdout, &*silent.stderr), (0, "", ""));
}

#[test]
fn rows_and_summaries_of_pairs_sets_and_prints_fit_their_schemas() {
    let folder = Folder::new();
    folder.write("in.jsonl", folder::lines()).write("sets.txt", "a b c\na b d\n");
    folder.write("prints.csv", folder::prints());
    assert_summary(&folder, "pairs-summary", &["pairs", "in.jsonl"]);
    let sets = ["sets", "sets.txt", "--threshold", "0.2"];
    for measure in ["jaccard", "containment"] {
        let rows = folder.run(&[&sets[..], &["--measure", measure]].concat());
        assert_lines(&folder, "set-pair", &rows.stdout);
    }
    assert_summary(&folder, "sets-summary", &sets);
    let prints = ["prints", "prints.csv"];
    assert_lines(&folder, "print-pair", &folder.run(&prints).stdout);
    assert_summary(&folder, "prints-summary", &prints);
}

#[test]
fn what_passages_and_splits_write_fits_their_schemas() {
    let folder = Folder::new();
    let line = |text: &str| format!("{}\n", serde_json::json!({ "text": text }));
    folder.write("one.jsonl", ["Home\nThe river rose.", "Home"].map(line).concat());
    folder.write(
        "two.jsonl",
        ["Home\nThe market opens.", "the river rose at home", "Home: the river rose!"].map(line).concat(),
    );
    let words = ["passages", "one.jsonl", "two.jsonl", "--unit", "line", "-o", "out"];
    assert_result(&folder, "passages-summary", &words);
    assert_lines(&folder, "passage", &folder.read("out/cuts.jsonl"));
    assert_lines(&folder, "husk", &folder.read("out/husks.jsonl"));
    assert_result(
        &folder,
        "splits-summary",
        &["splits", "one.jsonl", "two.jsonl", "--passages", "line", "-o", "leaks"],
    );
    assert_lines(&folder, "leak", &folder.read("leaks/leaks.jsonl"));
    assert_lines(&folder, "shared-passage", &folder.read("leaks/passages.jsonl"));
}

#[test]
fn what_decontaminate_boilerplate_and_extract_write_fits_their_schemas() {
    let folder = Folder::new();
    let question =
        "How many bolts in total does a robe take that needs 2 bolts of blue fiber and half that much white?";
    folder.write("quiz.jsonl", format!("{}\n", serde_json::json!({"question": question, "answer": "3"})));
    let page = |number: usize| {
        let own = format!("page {number} tells of {} and {}", number * 7, number * 11);
        serde_json::json!({ "text": format!("our shop has opened on every day of the week since 1987\n{own}\n{question}"), "site": "shop" })
    };
    folder.write("pages.jsonl", (1..40).map(|number| format!("{}\n", page(number))).collect::<String>());
    let words = ["decontaminate", "pages.jsonl", "--against", "quiz.jsonl"];
    assert_result(&folder, "decontaminate-summary", &words);
    assert_result(&folder, "decontaminate-summary", &[&words[..], &["-o", "found"]].concat());
    assert_lines(&folder, "hit", &folder.read("found/hits.jsonl"));
    assert_lines(&folder, "item", &folder.read("found/items.jsonl"));
    let learned = ["boilerplate", "pages.jsonl", "--source", "site"];
    assert_result(&folder, "boilerplate-summary", &learned);
    let summary = folder.run(&[&learned[..], &["-q", "--summary", "json"]].concat()).stdout;
    assert!(summary.contains("page_count"), "{summary}");
    assert_lines(&folder, "extracted-text", &folder.run(&["extract", "pages.jsonl"]).stdout);
    assert_summary(&folder, "extract-summary", &["extract", "pages.jsonl"]);
}

#[test]
fn what_link_writes_fits_its_schemas() {
    let folder = Folder::new();
    let customers = include_str!("../../../../examples/customers.csv");
    folder.write("customers.csv", customers);
    let words = ["link", "customers.csv", "--id", "id", "-o", "out", "-q", "--summary", "json"];
    let ran = folder.run(&words);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let (of_summary, of_model) = (schema(&folder, "link-summary"), schema(&folder, "link-model"));
    let summary: Value = serde_json::from_str(&ran.stdout).unwrap();
    let written: Value = serde_json::from_str(&folder.read("out/summary.json")).unwrap();
    assert_eq!(summary["match_count"], written["match_count"]);
    for summary in [&summary, &written] {
        assert_names(&of_summary, &of_summary, summary, "link-summary");
    }
    let model = serde_json::from_str(&folder.read("out/model.json")).unwrap();
    assert_names(&of_model, &of_model, &model, "link-model");
    assert_result(&folder, "link-explanation", &["link", "explain", "out", "1", "2"]);
    assert_result(&folder, "link-analysis", &["link", "analyze", "customers.csv", "--id", "id"]);
    assert_result(&folder, "config-summary", &["link", "config", "customers.csv", "-o", "link.toml"]);
}

#[test]
fn what_an_index_answers_fits_its_schemas() {
    let folder = Folder::new();
    folder.write("in.jsonl", folder::lines());
    assert_eq!(folder.run(&["index", "create", "archive", "-q"]).code, 0);
    let add = ["index", "add", "archive", "in.jsonl", "--id", "id", "--unless-duplicate", "-q", "--summary", "json"];
    let added = folder.run(&add);
    assert_eq!(added.code, 0, "{}", added.stderr);
    assert_lines(&folder, "duplicate", &added.stdout);
    assert_lines(&folder, "add-summary", added.stderr.lines().last().unwrap());
    let search = ["search", "archive", "--input", "in.jsonl", "--format", "jsonl"];
    assert_lines(&folder, "search-match", &folder.run(&search).stdout);
    assert_summary(&folder, "search-summary", &search);
    for (name, words) in [
        ("index-stat", &["create", "other"][..]),
        ("index-stat", &["stat", "archive"]),
        ("index-stat", &["snapshot", "archive", "copy"]),
        ("index-verification", &["verify", "archive"]),
        ("merge-summary", &["merge", "other", "archive"]),
        ("delete-summary", &["delete", "other", "a", "nobody"]),
        ("compact-summary", &["compact", "other", "--purge"]),
        ("upgrade-summary", &["upgrade", "other"]),
    ] {
        assert_result(&folder, name, &[&["index"], words].concat());
    }
    assert_summary(&folder, "export-summary", &["index", "export", "archive"]);
    assert_lines(&folder, "index-document", &folder.run(&["index", "export", "archive"]).stdout);
    folder.write("a.txt", "one two three").write("b.txt", "one two four");
    let compared = folder.run(&["compare", "a.txt", "b.txt", "--summary", "json"]);
    let schema = schema(&folder, "comparison");
    assert_names(&schema, &schema, &serde_json::from_str(&compared.stdout).unwrap(), "comparison");
}
