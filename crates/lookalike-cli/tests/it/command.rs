//! The command as users see it: the real binary in a fresh folder, its output, messages and exit codes.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Command;

use crate::folder::{Folder, assert_refused, interrupt, lines, text};
use serde_json::Value;

#[test]
fn a_run_says_what_it_did_and_exits_with_0() {
    let folder = Folder::new();
    let ran = folder.write("in.jsonl", lines()).run(&["dedup", "in.jsonl", "--id", "id", "-o", "out"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
    for said in [
        "4 documents in 1 file",
        "removed   2 (50.0 %): 1 near-duplicate and 1 exact copy of a kept document",
        "0.982  a  →  c",
    ] {
        assert!(ran.stderr.contains(said), "{said}: {}", ran.stderr);
    }
    assert_eq!(folder.read("out/kept/in.jsonl").lines().count(), 2);
    let summary: Value = serde_json::from_str(&folder.read("out/summary.json")).unwrap();
    assert_eq!(summary["found"]["removed_count"], 2);
    assert_eq!(summary["parameters"]["exact_because_small"], true);
    assert_eq!(summary["stages"].as_array().unwrap().len(), 6);
    assert_eq!(folder.names(), ["in.jsonl", "out"]);
}

#[test]
fn skipped_input_is_shown_and_exits_with_1() {
    let folder = Folder::new();
    let ran = folder.write("in.jsonl", lines() + "{oops\n").run(&["dedup", "in.jsonl", "-o", "out"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.starts_with("skipped in.jsonl, line 5: not a document in JSON"), "{}", ran.stderr);
    assert!(ran.stderr.contains("1 skipped"), "{}", ran.stderr);
    let ran = folder.run(&["pairs", "in.jsonl"]);
    assert_eq!(ran.code, 1);
}

#[test]
fn what_cannot_be_done_is_refused_with_the_remedy() {
    let folder = Folder::new();
    folder.write("in.jsonl", lines()).write("full/x", "x").write("empty/.hidden", "");
    let refused = |arguments: &[&str], said: &[&str]| assert_refused(&folder, arguments, said);
    let dedup = |more: &[&'static str]| [&["dedup", "in.jsonl", "-o", "out"], more].concat();
    refused(&["dedup", "missing.jsonl", "-o", "out"], &["cannot read missing.jsonl", "check the path"]);
    refused(&["dedup", "empty", "-o", "out"], &["nothing to read in empty"]);
    refused(&["dedup", "in.jsonl", "in.jsonl", "-o", "out"], &["in.jsonl is given twice", "give it once"]);
    refused(&["dedup", "in.jsonl", "-o", "full"], &["full exists and is not empty", "--force"]);
    refused(&["dedup", "in.jsonl", "-o", "in.jsonl", "--force"], &["in.jsonl would be overwritten"]);
    refused(&["dedup", "full", "-o", "full", "--force"], &["full would be overwritten"]);
    refused(&["dedup", "in.jsonl", "-o", "full/x", "--force"], &["full/x is not a folder"]);
    refused(&["dedup", "missing", "-o", "new/out"], &["cannot read missing"]);
    refused(&["dedup", "in.jsonl", "-o", "full/x/out"], &["cannot write full/x", "permissions"]);
    refused(&["dedup", "*.nothing", "-o", "out"], &["nothing matches *.nothing", "check the pattern"]);
    refused(&["pairs", "in.jsonl", "-o", "in.jsonl", "--force"], &["in.jsonl would be overwritten"]);
    refused(&["pairs", "in.jsonl", "-o", "full", "--force"], &["full is a folder"]);
    refused(&["dedup", "-", "-", "-o", "out"], &["given twice"]);
    refused(&dedup(&["-q", "--keep", "max:typo"]), &["'typo'", "the fields of the first document are id, text"]);
    refused(&dedup(&["--threshold", "1.5"]), &["--threshold must be above 0 and at most 1, not 1.5"]);
    refused(&dedup(&["--threshold", "nan"]), &["at most 1"]);
    refused(&dedup(&["--threshold", "high"]), &["'high'", "--threshold"]);
    refused(&dedup(&["--recall", "0"]), &["--recall must be above 0 and at most 1, not 0"]);
    refused(&dedup(&["--bands", "20"]), &["--bands needs --rows"]);
    refused(
        &dedup(&["--bands", "20", "--rows", "5", "--recall", "0.9"]),
        &["--recall cannot be combined with --bands"],
    );
    refused(&dedup(&["--threads", "100000"]), &["1 to 1024"]);
    refused(&dedup(&["--rows", "5"]), &["--rows needs --bands"]);
    refused(&dedup(&["--bands", "0", "--rows", "5"]), &["at least 1"]);
    refused(&dedup(&["--shingle", "line:5"]), &["word:K or char:K"]);
    refused(
        &dedup(&["--fold", "case"]),
        &["--fold must be accents, digits or links, or several with commas, or identifiers, not case"],
    );
    refused(&dedup(&["--keep", "best"]), &["longest, first, last"]);
    refused(&dedup(&["--threads", "0"]), &["1 to 1024"]);
    refused(&dedup(&["--color"]), &["--color", "--help"]);
    refused(&["compare", "in.jsonl", "in.jsonl"], &["4 documents", "give --in INPUT"]);
    refused(&["compare", "a", "z", "--in", "in.jsonl", "--id", "id"], &["no document has the id 'z'"]);
}

fn by_site(site: &str, seeds: std::ops::Range<usize>, more: &str) -> String {
    let line = |seed| format!("{{\"site\":\"{site}\",\"text\":\"{} {more}\"}}\n", text(seed));
    seeds.map(line).collect()
}

#[test]
fn what_is_like_the_reference_is_removed_and_told() {
    let folder = Folder::new();
    folder.write("in.jsonl", lines()).write("test/a.jsonl", lines().lines().next().unwrap());
    let dedup = ["dedup", "in.jsonl", "--id", "id", "-o", "out", "--force", "--against", "test"];
    let ran = folder.run(&dedup);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
    for said in [
        "read      4 documents in 1 file",
        "reference 1 document in 1 file; 2 documents of the input are similar to one of them",
        "removed   3 (75.0 %): 1 near-duplicate and 2 exact copies of a kept or a reference document",
    ] {
        assert!(ran.stderr.contains(said), "{said}: {}", ran.stderr);
    }
    let rows = folder.read("out/removed.jsonl");
    let rows: Vec<&str> = rows.lines().collect();
    assert!(
        rows[0].starts_with(r#"{"removed_id":"a","kept_id":"a","similarity":1.0,"jaccard":1.0"#)
            && rows[0].contains(r#""kept_in":"reference""#),
        "{}",
        rows[0]
    );
    assert!(!rows[2].contains("kept_in"), "{}", rows[2]);
    let summary: Value = serde_json::from_str(&folder.read("out/summary.json")).unwrap();
    assert_eq!(
        (&summary["input"]["reference_file_count"], &summary["input"]["reference_document_count"]),
        (&1.into(), &1.into())
    );
    assert_eq!(summary["found"]["removed_by_reference_count"], 2);

    let ran = folder.run(&[&dedup[..], &["--only-against"]].concat());
    assert!(ran.stderr.contains("removed   2 (50.0 %): 1 near-duplicate and 1 exact copy"), "{}", ran.stderr);
    assert_eq!(folder.read("out/kept/in.jsonl").lines().count(), 2);
    let ran = folder.run(&[&dedup[..], &["--group", "components"]].concat());
    assert!(ran.stderr.contains("; 2 documents of the input are linked to one of them"), "{}", ran.stderr);

    // Skipped entries of the reference are shown and counted.
    folder.write("test/b.jsonl", "{oops\n");
    let ran = folder.run(&dedup);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.starts_with("skipped test/b.jsonl, line 1"), "{}", ran.stderr);
    assert!(ran.stderr.contains("reference 1 document in 2 files (1 skipped); 2 documents"), "{}", ran.stderr);
}

#[test]
fn a_reference_that_makes_no_sense_is_refused() {
    let folder = Folder::new();
    folder.write("in.jsonl", lines()).write("all/a.jsonl", lines()).write("all/test.jsonl", lines());
    let refused = |arguments: &[&str], said: &[&str]| assert_refused(&folder, arguments, said);
    refused(
        &["dedup", "all", "-o", "out", "--against", "all/test.jsonl"],
        &["all/test.jsonl is both input and reference", "leave it out of one"],
    );
    refused(&["dedup", "-", "-o", "out", "--against", "-"], &["standard input is both input and reference"]);
    refused(&["dedup", "in.jsonl", "-o", "out", "--against", "none"], &["cannot read none"]);
    refused(&["dedup", "in.jsonl", "-o", "out", "--only-against"], &["--against"]);
    refused(&["dedup", "-o", "out", "--against", "all/a.jsonl", "in.jsonl"], &["INPUT"]);
    refused(
        &["dedup", "in.jsonl", "-o", "out", "--against", "all", "--only-against", "--group", "components"],
        &["--only-against cannot be combined with --group components"],
    );
    assert_eq!(folder.run(&["dedup", "in.jsonl", "-o", "out"]).code, 0);
    let inside = ["dedup", "all", "-o", "out", "--force", "--against", "out/kept"];
    refused(&inside, &["out/kept/in.jsonl would be overwritten"]);
}

#[test]
fn sources_that_lose_most_are_shown_and_those_nearly_lost_get_a_note() {
    let folder = Folder::new();
    let old = by_site("old.example", 0..59, "") + &by_site("old.example", 900..901, "");
    let corpus = by_site("new.example", 0..80, "more") + &old + &by_site("other.example", 100..102, "");
    folder.write("in.jsonl", corpus);
    let dedup = ["dedup", "in.jsonl", "--source", "site", "-o", "out"];
    let ran = folder.run(&dedup);
    assert_eq!(ran.code, 0);
    let note = "note: 98.3 % of 60 documents of old.example are removed, most as near-duplicates of documents of new.example\n      \
         look at removed.jsonl; --fail-if-source-loses 0.95 would stop such a run\n";
    assert!(ran.stderr.starts_with(note), "{}", ran.stderr);
    let table = "\
sources   losing the most  documents  removed   share
          old.example             60       59  98.3 %
          and 2 more sources
";
    assert!(ran.stderr.contains(table), "{}", ran.stderr);
    assert!(folder.read("out/removed.jsonl").contains(r#""removed_source":"old.example","kept_source":"new.example""#));

    let folder = Folder::new();
    folder.write("in.jsonl", by_site("old", 0..3, "") + &by_site("new", 0..3, "more"));
    let fail = ["dedup", "in.jsonl", "--source", "field:site", "-o", "out", "--fail-if-source-loses", "1"];
    assert_refused(
        &folder,
        &fail,
        &["100.0 % of 3 documents of old;", "nothing was written", "give --dry-run instead of --fail-if-source-loses"],
    );
    let many: String = (0..6).map(|site| by_site(&format!("s{site}"), 0..2, &"x ".repeat(site))).collect();
    folder.write("in.jsonl", many);
    assert_refused(&folder, &fail, &["documents of s0, ", "documents of s2, and 2 more sources; nothing"]);
    for wrong in ["0", "-1", "95", "nan"] {
        let fail = ["dedup", "in.jsonl", "-o", "out", "--fail-if-source-loses", wrong];
        assert_refused(&folder, &fail, &["--fail-if-source-loses must be above 0 and at most 1, not "]);
    }
    assert_refused(
        &folder,
        &["dedup", "in.jsonl", "-o", "out", "--source", "field:"],
        &["--source must be host, file or a field, not an empty name"],
    );
    let ran = folder.run(&["dedup", "in.jsonl", "--dry-run", "--source", "typo"]);
    assert!(ran.stderr.contains("12 documents have no field 'typo', and count to '(no source)'"), "{}", ran.stderr);
}

#[test]
fn force_replaces_an_earlier_result() {
    let folder = Folder::new();
    folder.write("in.jsonl", lines());
    assert_eq!(folder.run(&["dedup", "in.jsonl", "-o", "out"]).code, 0);
    assert_eq!(folder.run(&["dedup", "in.jsonl", "-o", "out"]).code, 2);
    assert_eq!(folder.run(&["dedup", "in.jsonl", "-o", "out", "--force", "--dry-run"]).code, 0);
    // A dry run writes no documents, and those of the earlier run would not belong to it.
    assert!(!folder.0.path().join("out/kept").exists());
    assert_eq!(folder.read("out/removed.jsonl").lines().count(), 2);
}

#[test]
fn connected_components_are_called_so() {
    let folder = Folder::new();
    folder.write("in.jsonl", lines());
    let ran = folder.run(&["dedup", "in.jsonl", "--dry-run", "--group", "components", "-o", "out"]);
    assert!(ran.stderr.contains("by connected components: 0 documents less"), "{}", ran.stderr);
    assert!(folder.read("out/summary.json").contains("\"group\": \"components\""));
}

#[test]
fn a_dry_run_needs_no_folder() {
    let folder = Folder::new();
    let ran = folder.write("in.jsonl", lines()).run(&["dedup", "in.jsonl", "--dry-run"]);
    assert_eq!(ran.code, 0);
    assert!(ran.stderr.contains("removed   2"));
    assert_eq!(folder.names(), ["in.jsonl"]);
}

#[test]
fn standard_input_is_read_in_any_compression() {
    let gzip = {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(lines().as_bytes()).unwrap();
        encoder.finish().unwrap()
    };
    let zstd = zstd::encode_all(lines().as_bytes(), 3).unwrap();
    for input in [lines().into_bytes(), gzip, zstd] {
        let folder = Folder::new();
        let ran = folder.run_with(&["pairs", "-", "--id", "id", "--format", "tsv"], &input);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert_eq!(
            ran.stdout,
            "left_id\tright_id\tsimilarity\tjaccard\tcontainment_of_left\tcontainment_of_right\tleft_file\tleft_position\tright_file\tright_position\n\
             a\tc\t0.9824561403508771\t0.9824561403508771\t1\t0.9824561403508771\tstdin\t1\tstdin\t3\nb\td\t1\t1\t1\t1\tstdin\t2\tstdin\t4\n"
        );
        assert!(ran.stderr.starts_with("2 pairs among 4 documents"), "{}", ran.stderr);
        let ran = folder.run_with(&["dedup", "-", "-o", "out", "-q"], &input);
        assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
        assert!(Path::new(&folder.0.path().join("out/kept/stdin")).exists());
    }
}

#[test]
fn pairs_go_to_a_file_all_at_once() {
    let folder = Folder::new();
    folder.write("in.jsonl", lines());
    assert_eq!(folder.run(&["pairs", "in.jsonl", "-o", "pairs.jsonl"]).code, 0);
    assert_eq!(
        folder.read("pairs.jsonl").lines().next().unwrap(),
        r#"{"left_id":"in.jsonl:1","right_id":"in.jsonl:3","similarity":0.9824561403508771,"jaccard":0.9824561403508771,"containment_of_left":1.0,"containment_of_right":0.9824561403508771,"left_file":"in.jsonl","left_position":1,"right_file":"in.jsonl","right_position":3}"#
    );
    assert_refused(&folder, &["pairs", "in.jsonl", "-o", "pairs.jsonl"], &["pairs.jsonl exists"]);
    assert_eq!(folder.run(&["pairs", "in.jsonl", "-o", "pairs.jsonl", "--force"]).code, 0);
}

#[test]
fn compare_shows_measures_and_what_differs() {
    let folder = Folder::new();
    folder.write("old.txt", "Once upon a midnight dreary, while I pondered");
    folder.write("new.txt", "Once upon a midnight SO dreary, while I pondered");
    let ran = folder.run(&["compare", "old.txt", "new.txt", "--shingle", "word:4"]);
    assert_eq!(ran.code, 0);
    for said in [
        "verdict              not near-duplicates, at a threshold of 0.8",
        "jaccard              0.222222  (2 of 9 shingles)",
        "containment_of_left  0.400000",
        "tokens               8 and 9",
        "Once upon a midnight [+SO+] dreary, while I pondered",
    ] {
        assert!(ran.stdout.contains(said), "{said}: {}", ran.stdout);
    }
    let ran = folder.run(&["compare", "old.txt", "old.txt"]);
    // The marks are explained, but not used.
    assert!(ran.stdout.contains("exact copies") && ran.stdout.matches("-]").count() == 1, "{}", ran.stdout);
}

#[test]
fn compare_marks_what_documents_with_the_same_words_differ_in() {
    let folder = Folder::new();
    for (left, right, flags, said) in [
        (
            "if (a < b)\n    return;",
            "if (a >= b)\n    return;",
            &[][..],
            &["if (a [-<-] b)\n    return;", "if (a [+>=+] b)\n    return;"][..],
        ),
        ("good 😀", "good 😢", &[], &["good [-😀-]", "good [+😢+]"]),
        ("if a:\n    go()", "if a:\n\tgo()", &[], &["if a:\n[-····-]go()", "if a:\n[+⇥+]go()"]),
        ("  one two", "one two", &[], &["[-··-]one two", "\none two\n"]),
        ("one\n\ntwo", "one\ntwo", &[], &["one\n[-⏎-]\ntwo", "one\ntwo\n"]),
        (
            "Pay in 30 days",
            "Pay in 90 days",
            &["--fold", "digits"],
            &["white space or folded digits differ", "Pay in [-30-] days", "Pay in [+90+] days"],
        ),
    ] {
        folder.write("left.txt", left).write("right.txt", right);
        let ran = folder.run(&[&["compare", "left.txt", "right.txt"], flags].concat());
        assert!(ran.stdout.starts_with("verdict              the same words: only case"), "{}", ran.stdout);
        for said in said {
            assert!(ran.stdout.contains(said), "{said}: {}", ran.stdout);
        }
    }
    // Line endings do not make texts different.
    folder.write("left.txt", "One \r\ntwo\r\n").write("right.txt", "One\ntwo");
    let ran = folder.run(&["compare", "left.txt", "right.txt"]);
    assert!(ran.stdout.starts_with("verdict              exact copies\n"), "{}", ran.stdout);
    assert!(ran.stdout.contains("character_edit_count 0 edits"), "{}", ran.stdout);
    assert_eq!(ran.stdout.matches("-]").count(), 1, "{}", ran.stdout);
}

#[test]
fn compare_shows_every_measure_and_gives_it_to_programs() {
    let folder = Folder::new();
    folder.write("old.txt", "Once upon a midnight dreary, while I pondered");
    folder.write("new.txt", "Once upon a midnight SO dreary, while I wandered");
    let ran = folder.run(&["compare", "old.txt", "new.txt", "--shingle", "word:3"]);
    for said in [
        "word_edit_count      2 edits  (of 8 and 9 tokens)",
        "character_edit_count 5 edits  (of 45 and 48 characters)",
        "sketch_estimate",
        "simhash",
        " of 64 bits differ)",
        "chance_to_be_found",
    ] {
        assert!(ran.stdout.contains(said), "{said}: {}", ran.stdout);
    }
    let ran = folder.run(&["compare", "old.txt", "new.txt", "--shingle", "word:3", "--summary", "json"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let compared: Value = serde_json::from_str(&ran.stdout).unwrap();
    for (name, value) in [
        ("left_id", Value::from("old.txt")),
        ("verdict", "not_near_duplicates".into()),
        ("jaccard", (3.0 / 10.0).into()),
        ("word_edit_count", 2.into()),
        ("character_edit_count", 5.into()),
        ("sketch_bits", 64.into()),
    ] {
        assert_eq!(compared[name], value, "{name}");
    }
    for name in ["containment_of_left", "containment_of_right", "sketch_estimate", "simhash", "chance_to_be_found"] {
        assert!(compared[name].is_f64(), "{name}");
    }
    let passages = compared["right"]["passages"].as_array().unwrap();
    let text: String = passages.iter().map(|passage| passage["text"].as_str().unwrap()).collect();
    assert_eq!(text, "Once upon a midnight SO dreary, while I wandered");
    let lacking: Vec<&Value> = passages.iter().filter(|passage| passage["shared"] == false).collect();
    assert_eq!(
        lacking.iter().map(|passage| passage["text"].as_str().unwrap()).collect::<Vec<_>>(),
        ["SO ", "wandered"]
    );
}

#[test]
fn a_run_names_documents_with_the_same_words_apart() {
    let folder = Folder::new();
    folder.write("in.txt", "x > 0 holds\nx < 0 holds\nx < 0 holds\nx > 0 holds\n");
    let ran = folder.run(&["dedup", "in.txt", "--split", "line", "-o", "out"]);
    for said in [
        "removed   3 (75.0 %): 0 near-duplicates, 2 with the same words, and 1 exact copy of a kept document",
        "          1 of them is an exact copy of another one removed",
    ] {
        assert!(ran.stderr.contains(said), "{said}: {}", ran.stderr);
    }
    let summary: Value = serde_json::from_str(&folder.read("out/summary.json")).unwrap();
    let found = &summary["found"];
    assert_eq!((&found["exact_copy_count"], &found["same_words_count"]), (&1.into(), &2.into()));
    let ran = folder.run(&["dedup", "in.txt", "--split", "line", "--dry-run", "--method", "copies"]);
    assert!(ran.stderr.contains("removed   2 (50.0 %): 0 near-duplicates and 2 exact copies"), "{}", ran.stderr);
    assert!(ran.stderr.contains("found by  exact copies only, by text"), "{}", ran.stderr);
}

#[test]
fn what_is_folded_makes_no_difference_and_the_output_says_so() {
    let folder = Folder::new();
    folder.write("old.txt", "Le café a ouvert le 12 mars 2024");
    folder.write("new.txt", "Le cafe a ouvert le 7 mars 2023");
    let ran = folder.run(&["compare", "old.txt", "new.txt"]);
    assert!(ran.stdout.contains("not near-duplicates"), "{}", ran.stdout);
    let ran = folder.run(&["compare", "old.txt", "new.txt", "--fold", "accents,digits"]);
    assert!(
        ran.stdout.contains("the same words") && ran.stdout.contains("(word:5, accents,digits folded)"),
        "{}",
        ran.stdout
    );
    let ran = folder.run(&["dedup", "old.txt", "new.txt", "-o", "out", "--fold", "accents,digits"]);
    assert_eq!(ran.code, 0);
    assert!(ran.stderr.contains("word:5 shingles, accents,digits folded, at"), "{}", ran.stderr);
    let summary: Value = serde_json::from_str(&folder.read("out/summary.json")).unwrap();
    assert_eq!(
        (&summary["parameters"]["fold"], &summary["found"]["removed_count"]),
        (&"accents,digits".into(), &1.into())
    );
    let ran = folder.run(&["dedup", "old.txt", "new.txt", "-o", "out", "--force"]);
    let summary: Value = serde_json::from_str(&folder.read("out/summary.json")).unwrap();
    assert_eq!(
        (&summary["parameters"]["fold"], &summary["found"]["removed_count"]),
        (&"none".into(), &0.into()),
        "{}",
        ran.stdout
    );
}

#[test]
fn the_version_is_shown_and_nothing_typed_is_a_wrong_call() {
    let folder = Folder::new();
    assert_eq!(folder.run(&["--version"]).stdout, format!("lookalike {}\n", env!("CARGO_PKG_VERSION")));
    assert_eq!(folder.run(&[]).code, 2);
}

#[test]
fn what_is_probably_not_meant_gets_a_note() {
    let folder = Folder::new();
    folder.write("in.jsonl", lines() + &lines());
    folder.write("scored.jsonl", lines() + "{\"text\":\"one more\",\"score\":3}\n");
    let ran = folder.run(&["dedup", "scored.jsonl", "--dry-run", "--keep", "max:score"]);
    assert_eq!(ran.code, 0);
    assert!(ran.stderr.contains("4 documents have no field 'score', and come last in keep order"), "{}", ran.stderr);
    let ran = folder.run(&["dedup", "in.jsonl", "--dry-run", "--id", "id"]);
    assert_eq!(ran.code, 0);
    assert!(ran.stderr.contains("4 documents have the id of another"), "{}", ran.stderr);
    folder.write("in.jsonl", lines() + "{\"text\":\"one more\"}\n");
    for (arguments, said) in [
        (&["--id", "id"][..], "1 document has no field 'id', and is named by file and line"),
        (&["--keep", "max:id"], "1 document has no field 'id', and comes last in keep order"),
        (&["--source", "id"], "1 document has no field 'id', and counts to '(no source)'"),
    ] {
        let ran = folder.run(&[&["dedup", "in.jsonl", "--dry-run"], arguments].concat());
        assert!(ran.stderr.contains(said), "{}", ran.stderr);
    }
}

#[test]
fn empty_input_is_no_trouble() {
    let folder = Folder::new();
    let nothing = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default()).finish().unwrap();
    folder.write("in/a.txt.gz", nothing).write("in/b.txt", "").write("in/c.jsonl", "").write("in/d.txt", text(1));
    let ran = folder.run(&["dedup", "in", "-o", "out"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("3 documents in 4 files"), "{}", ran.stderr);
    assert!(ran.stderr.contains("2 without words"), "{}", ran.stderr);
    assert_eq!(folder.run_with(&["pairs", "-"], b"").code, 0);
}

#[test]
fn names_that_clash_stay_apart() {
    let folder = Folder::new();
    folder.write("stdin", text(7)).write("x.txt", text(8)).write("x.txt.jsonl", lines());
    assert_eq!(folder.run_with(&["dedup", "-", "stdin", "-o", "out"], lines().as_bytes()).code, 0);
    assert!(folder.0.path().join("out/kept/stdin").exists() && folder.0.path().join("out/kept/stdin~2").exists());
    assert_eq!(folder.run(&["dedup", "x.txt", "x.txt.jsonl", "-o", "notes", "--annotate"]).code, 0);
    assert!(folder.read("notes/annotated/x.txt.jsonl~2").lines().count() == 4);
    assert!(folder.read("notes/annotated/x.txt.jsonl").contains("\"id\":\"x.txt\""));
}

#[cfg(unix)]
#[test]
fn a_named_pipe_is_read_as_standard_input_is() {
    let folder = Folder::new();
    let pipe = folder.0.path().join("pipe");
    Command::new("mkfifo").arg(&pipe).status().unwrap();
    let writer = std::thread::spawn(move || fs::write(pipe, lines()).unwrap());
    let ran = folder.run(&["dedup", "pipe", "-o", "out"]);
    writer.join().unwrap();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(folder.read("out/kept/pipe").lines().count(), 2);
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_leaves_nothing_behind() {
    let folder = Folder::new();
    let child = folder.start(&["dedup", "-", "-o", "out"]);
    // Its input does not end; wait until the output folder exists.
    while folder.names().is_empty() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let ran = interrupt(child);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("interrupted"), "{}", ran.stderr);
    assert!(folder.names().is_empty(), "{:?}", folder.names());
}

#[test]
fn fields_that_notes_replace_are_told() {
    let folder = Folder::new();
    folder.write("corpus.jsonl", lines());
    let first = folder.run(&["dedup", "corpus.jsonl", "--annotate", "-o", "first"]);
    assert!(first.code == 0 && !first.stderr.contains("note: "), "{}", first.stderr);
    let again = folder.run(&["dedup", "first/annotated/corpus.jsonl", "--annotate", "-o", "again"]);
    assert!(again.stderr.contains("note: 4 documents already had a field that --annotate writes"), "{}", again.stderr);
    assert_eq!(folder.read("again/annotated/corpus.jsonl").matches("\"cluster\"").count(), 4);
    let used = ["dedup", "first/annotated/corpus.jsonl", "--id", "kept_id", "--annotate", "-o", "used"];
    assert_refused(
        &folder,
        &used,
        &["--annotate would replace the field 'kept_id', which --id names: rename it in the input"],
    );
}
