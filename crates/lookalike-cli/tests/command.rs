//! The command as a person meets it: the real binary in a fresh folder, its output, its messages and its exit code.

mod folder;

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use folder::{Folder, assert_refused, lines, text};
use serde_json::Value;

#[test]
fn a_run_says_what_it_did_and_exits_with_0() {
    let folder = Folder::new();
    let ran = folder.write("in.jsonl", lines()).run(&["dedup", "in.jsonl", "--id", "id", "-o", "out"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    for said in [
        "4 documents in 1 file",
        "removed   2 (50.0 %): 1 near-duplicate and 1 exact copy of a kept document",
        "0.982  a  →  c",
    ] {
        assert!(ran.stdout.contains(said), "{said}: {}", ran.stdout);
    }
    assert_eq!(folder.read("out/kept/in.jsonl").lines().count(), 2);
    let summary: Value = serde_json::from_str(&folder.read("out/summary.json")).unwrap();
    assert_eq!(summary["found"]["removed"], 2);
    assert_eq!(summary["parameters"]["method"]["bands"], 20);
    assert_eq!(summary["stages"].as_array().unwrap().len(), 5);
    assert_eq!(folder.names(), ["in.jsonl", "out"]);
}

#[test]
fn skipped_input_is_shown_and_exits_with_1() {
    let folder = Folder::new();
    let ran = folder.write("in.jsonl", lines() + "{oops\n").run(&["dedup", "in.jsonl", "-o", "out"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.starts_with("skipped in.jsonl, line 5: not a document in JSON"), "{}", ran.stderr);
    assert!(ran.stdout.contains("1 skipped"), "{}", ran.stdout);
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
    refused(&["dedup", "in.jsonl", "in.jsonl", "-o", "out"], &["in.jsonl is given twice"]);
    refused(&["dedup", "in.jsonl", "-o", "full"], &["full exists and is not empty", "--force"]);
    refused(&["dedup", "in.jsonl", "-o", "in.jsonl", "--force"], &["in.jsonl would be overwritten"]);
    refused(&["dedup", "full", "-o", "full", "--force"], &["full would be overwritten"]);
    refused(&["dedup", "in.jsonl", "-o", "full/x", "--force"], &["full/x is not a folder"]);
    refused(&["dedup", "missing", "-o", "new/out"], &["cannot read missing"]);
    refused(&["pairs", "in.jsonl", "-o", "in.jsonl", "--force"], &["in.jsonl would be overwritten"]);
    refused(&["pairs", "in.jsonl", "-o", "full", "--force"], &["full is a folder"]);
    refused(&["dedup", "-", "-", "-o", "out"], &["given twice"]);
    refused(&["dedup", "in.jsonl"], &["--output"]);
    refused(&dedup(&["--threshold", "1.5"]), &["1.5", "at most 1", "0.8"]);
    refused(&dedup(&["--threshold", "nan"]), &["at most 1"]);
    refused(&dedup(&["--threshold", "high"]), &["'high'", "--threshold"]);
    refused(&dedup(&["--recall", "0"]), &["recall of 0", "0.99"]);
    refused(&dedup(&["--bands", "20"]), &["--bands needs --rows"]);
    refused(&dedup(&["--bands", "20", "--rows", "5", "--recall", "0.9"]), &["not both"]);
    refused(&dedup(&["--threads", "100000"]), &["1 to 1024"]);
    refused(&dedup(&["--rows", "5"]), &["--rows needs --bands"]);
    refused(&dedup(&["--bands", "0", "--rows", "5"]), &["at least 1"]);
    refused(&dedup(&["--shingle", "line:5"]), &["word:K or char:K"]);
    refused(&dedup(&["--fold", "case"]), &["'case'", "accents, digits, or accents,digits"]);
    refused(&dedup(&["--keep", "best"]), &["longest, first, last"]);
    refused(&dedup(&["--threads", "0"]), &["1 to 1024"]);
    refused(&dedup(&["--colour"]), &["--colour", "--help"]);
    refused(&["compare", "in.jsonl", "in.jsonl"], &["4 documents", "--in in.jsonl"]);
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
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    for said in [
        "read      4 documents in 1 file",
        "reference 1 document in 1 file; 2 documents of the input are like one of them",
        "removed   3 (75.0 %): 1 near-duplicate and 2 exact copies of a kept or a reference document",
    ] {
        assert!(ran.stdout.contains(said), "{said}: {}", ran.stdout);
    }
    let rows = folder.read("out/removed.jsonl");
    let rows: Vec<&str> = rows.lines().collect();
    assert!(
        rows[0].starts_with(r#"{"removed_id":"a","kept_id":"a","kept_in":"reference","jaccard":1.0"#),
        "{}",
        rows[0]
    );
    assert!(!rows[2].contains("kept_in"), "{}", rows[2]);
    let summary: Value = serde_json::from_str(&folder.read("out/summary.json")).unwrap();
    assert_eq!(
        (&summary["input"]["reference_files"], &summary["input"]["reference_documents"]),
        (&1.into(), &1.into())
    );
    assert_eq!(summary["found"]["removed_by_reference"], 2);

    let ran = folder.run(&[&dedup[..], &["--only-against"]].concat());
    assert!(ran.stdout.contains("removed   2 (50.0 %): 1 near-duplicate and 1 exact copy"), "{}", ran.stdout);
    assert_eq!(folder.read("out/kept/in.jsonl").lines().count(), 2);
    let ran = folder.run(&[&dedup[..], &["--group", "components"]].concat());
    assert!(ran.stdout.contains("; 2 documents of the input are linked to one of them"), "{}", ran.stdout);

    // What is skipped of the reference is shown, and counts.
    folder.write("test/b.jsonl", "{oops\n");
    let ran = folder.run(&dedup);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.starts_with("skipped test/b.jsonl, line 1"), "{}", ran.stderr);
    assert!(ran.stdout.contains("reference 1 document in 2 files (1 skipped); 2 documents"), "{}", ran.stdout);
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
        &["leave out --group components"],
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
    assert_eq!(
        ran.stderr,
        "note: 98.3 % of 60 documents of old.example are removed, most as near-duplicates of documents of new.example\n      \
         look at removed.jsonl; --fail-if-source-loses 0.95 would stop such a run\n"
    );
    let table = "\
sources   that lose most  documents  removed   share
          old.example            60       59  98.3 %
          and 2 more sources
";
    assert!(ran.stdout.contains(table), "{}", ran.stdout);
    assert!(folder.read("out/removed.jsonl").contains(r#""removed_source":"old.example","kept_source":"new.example""#));

    let folder = Folder::new();
    folder.write("in.jsonl", by_site("old", 0..3, "") + &by_site("new", 0..3, "more"));
    let fail = ["dedup", "in.jsonl", "--source", "field:site", "-o", "out", "--fail-if-source-loses", "1"];
    assert_refused(&folder, &fail, &["100.0 % of 3 documents of old;", "nothing was written", "removed.jsonl"]);
    let many: String = (0..6).map(|site| by_site(&format!("s{site}"), 0..2, &"x ".repeat(site))).collect();
    folder.write("in.jsonl", many);
    assert_refused(&folder, &fail, &["documents of s0, ", "documents of s2, and 2 more sources; nothing"]);
    for wrong in ["0", "-1", "95", "nan"] {
        let fail = ["dedup", "in.jsonl", "-o", "out", "--fail-if-source-loses", wrong];
        assert_refused(&folder, &fail, &["is not a share of documents", "at most 1", "0.95"]);
    }
    assert_refused(&folder, &["dedup", "in.jsonl", "-o", "out", "--source", "field:"], &["--source needs a name"]);
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
    // A dry run has no documents, and those of the earlier run would not belong to it.
    assert!(!folder.0.path().join("out/kept").exists());
    assert_eq!(folder.read("out/removed.jsonl").lines().count(), 2);
}

#[test]
fn connected_components_are_called_so() {
    let folder = Folder::new();
    folder.write("in.jsonl", lines());
    let ran = folder.run(&["dedup", "in.jsonl", "--dry-run", "--group", "components", "-o", "out"]);
    assert!(ran.stdout.contains("by connected components, whatever lies between: 0 documents less"), "{}", ran.stdout);
    assert!(folder.read("out/summary.json").contains("\"group\": \"components\""));
}

#[test]
fn a_dry_run_needs_no_folder() {
    let folder = Folder::new();
    let ran = folder.write("in.jsonl", lines()).run(&["dedup", "in.jsonl", "--dry-run"]);
    assert_eq!(ran.code, 0);
    assert!(ran.stdout.contains("removed   2"));
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
            "left_id\tright_id\tjaccard\tcontainment_left\tcontainment_right\n\
             a\tc\t0.9824561403508771\t1\t0.9824561403508771\nb\td\t1\t1\t1\n"
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
        r#"{"left_id":"in.jsonl:1","right_id":"in.jsonl:3","jaccard":0.9824561403508771,"containment_left":1.0,"containment_right":0.9824561403508771}"#
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
        "containment_left     0.400000",
        "tokens               8 and 9",
        "Once upon a midnight [+SO+] dreary, while I pondered",
    ] {
        assert!(ran.stdout.contains(said), "{said}: {}", ran.stdout);
    }
    let ran = folder.run(&["compare", "old.txt", "old.txt"]);
    assert!(ran.stdout.contains("exact copies"), "{}", ran.stdout);
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
        ran.stdout.contains("exact copies") && ran.stdout.contains("(word:5, accents,digits folded)"),
        "{}",
        ran.stdout
    );
    let ran = folder.run(&["dedup", "old.txt", "new.txt", "-o", "out", "--fold", "accents,digits"]);
    assert_eq!(ran.code, 0);
    assert!(ran.stdout.contains("word:5 shingles, accents,digits folded, at"), "{}", ran.stdout);
    let summary: Value = serde_json::from_str(&folder.read("out/summary.json")).unwrap();
    assert_eq!((&summary["parameters"]["fold"], &summary["found"]["removed"]), (&"accents,digits".into(), &1.into()));
    let ran = folder.run(&["dedup", "old.txt", "new.txt", "-o", "out", "--force"]);
    let summary: Value = serde_json::from_str(&folder.read("out/summary.json")).unwrap();
    assert_eq!(
        (&summary["parameters"]["fold"], &summary["found"]["removed"]),
        (&"none".into(), &0.into()),
        "{}",
        ran.stdout
    );
}

#[test]
fn every_command_has_help_with_examples_that_work() {
    let folder = Folder::new();
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    for command in ["dedup", "pairs", "compare", "tune", "evaluate"] {
        let help = folder.run(&[command, "--help"]);
        assert_eq!(help.code, 0);
        let lines: Vec<&str> = help.stdout.lines().filter_map(|line| line.strip_prefix("  lookalike ")).collect();
        assert!(!lines.is_empty(), "{}", help.stdout);
        for line in lines {
            // From the folder that has the examples, which is not this one; and what the shell would do is left out.
            let words = line.split(" > ").next().unwrap().split(' ');
            let here = |word: &str| word.replace("examples/", &format!("{}/", examples.display()));
            let arguments: Vec<String> = words.map(here).collect();
            let ran = folder.run(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
            assert_eq!(ran.code, 0, "{line}: {}", ran.stderr);
            assert!(!ran.stdout.is_empty(), "{line}");
        }
    }
    assert_eq!(folder.run(&["--version"]).stdout, format!("lookalike {}\n", env!("CARGO_PKG_VERSION")));
    assert_eq!(folder.run(&[]).code, 2);
}

#[test]
fn what_is_probably_not_meant_gets_a_note() {
    let folder = Folder::new();
    folder.write("in.jsonl", lines() + &lines());
    for (arguments, said) in [
        (&["--id", "typo"][..], "8 documents have no field 'typo', and are known by file and line"),
        (&["--keep", "max:typo"], "8 documents have no field 'typo', and are kept last"),
        (&["--id", "id"], "4 documents have the id of another"),
    ] {
        let ran = folder.run(&[&["dedup", "in.jsonl", "--dry-run"], arguments].concat());
        assert_eq!(ran.code, 0);
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
    assert!(ran.stdout.contains("3 documents in 4 files"), "{}", ran.stdout);
    assert!(ran.stdout.contains("2 without a word"), "{}", ran.stdout);
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
    let mut child = Command::new(env!("CARGO_BIN_EXE_lookalike"))
        .args(["dedup", "-", "-o", "out"])
        .current_dir(folder.0.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // It waits for its input, which does not end; the folder it writes to is there.
    while folder.names().is_empty() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let stdin = child.stdin.take();
    let output = child.wait_with_output().unwrap();
    drop(stdin);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("interrupted"));
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
    assert_refused(&folder, &used, &["'kept_id'", "rename it in the input"]);
}
