//! `dedup` as a filter, from standard input or one file to standard output, and the destination of the summary.

use crate::folder;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::folder::{Folder, assert_refused, lines, prints};
use serde_json::Value;

fn csv() -> String {
    let text = folder::text(1);
    format!("id,text\r\n1,\"{text}\"\r\n2,{text}\r\n3,other\r\n")
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Runs the filter on these bytes, and returns the bytes that it writes.
fn filter(folder: &Folder, arguments: &[&str], input: &[u8]) -> Vec<u8> {
    folder.write("piped", input);
    let stdin = fs::File::open(folder.0.path().join("piped")).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_lookalike"));
    command.args(arguments).current_dir(folder.0.path()).stdin(stdin).stderr(Stdio::inherit());
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{arguments:?}");
    output.stdout
}

#[test]
fn a_filter_writes_what_the_folder_would_have() {
    let crawl = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/news/crawl.warc.wet");
    let list = format!("[{}]", lines().trim_end().replace('\n', ",\n"));
    for (name, input) in [
        ("in.jsonl", lines().into_bytes()),
        ("in.jsonl.gz", gzip(lines().as_bytes())),
        ("in.jsonl.zst", zstd::encode_all(lines().as_bytes(), 3).unwrap()),
        ("in.json", list.into_bytes()),
        ("in.csv", csv().into_bytes()),
        ("in.warc.wet", fs::read(crawl).unwrap()),
    ] {
        let folder = Folder::new();
        folder.write(name, &input);
        for (flags, part) in [(&[][..], "kept"), (&["--annotate"], "annotated")] {
            // Notes contain ids, which would begin with the file name; records of a crawl have their own.
            let ids = if name.ends_with("wet") { &["-q"][..] } else { &["-q", "--id", "id"] };
            assert_eq!(folder.run(&[&["dedup", name, "-o", part], flags, ids].concat()).code, 0, "{name}");
            let expected = fs::read(folder.0.path().join(part).join(part).join(name)).unwrap();
            assert!(!expected.is_empty() && expected != input, "{name}, {part}");
            assert!(filter(&folder, &[&["dedup", "-"], flags, ids].concat(), &input) == expected, "{name}, {part}");
            // The command as users type it for a file.
            let of_file = filter(&folder, &[&["dedup", name, "-o", "-"], flags, ids].concat(), b"");
            assert!(of_file == expected, "{name}, {part}");
        }
    }
}

#[test]
fn a_filter_talks_on_standard_error_alone_and_leaves_no_file() {
    let folder = Folder::new();
    let ran = folder.run_with(&["dedup", "-"], lines().as_bytes());
    assert_eq!(ran.code, 0);
    let all = lines();
    let all: Vec<&str> = all.lines().collect();
    assert_eq!(ran.stdout.lines().collect::<Vec<_>>(), [all[1], all[2]]);
    assert!(ran.stderr.contains("removed   2 (50.0 %)") && !ran.stderr.contains("wrote"), "{}", ran.stderr);
    assert!(folder.names().is_empty(), "{:?}", folder.names());

    let ran = folder.run_with(&["dedup", "-"], (lines() + "{oops\n").as_bytes());
    assert_eq!((ran.code, ran.stdout.lines().count()), (1, 2));
    assert!(ran.stderr.starts_with("skipped standard input, line 5"), "{}", ran.stderr);
    let ran = folder.run_with(&["dedup", "-", "-q"], lines().as_bytes());
    assert_eq!((ran.code, ran.stdout.lines().count(), ran.stderr.as_str()), (0, 2, ""));
}

#[test]
fn the_evidence_of_a_filter_goes_to_a_file_all_at_once() {
    let folder = Folder::new();
    let dedup = ["dedup", "-", "--id", "id", "--removed", "removed.jsonl"];
    let ran = folder.run_with(&dedup, lines().as_bytes());
    assert_eq!(ran.code, 0);
    assert!(ran.stderr.contains("wrote     removed.jsonl (removals and reasons)"), "{}", ran.stderr);
    let removed = folder.read("removed.jsonl");
    folder.write("in.jsonl", lines());
    assert_eq!(folder.run(&["dedup", "in.jsonl", "--id", "id", "-o", "out"]).code, 0);
    // Only the source, which is the file, has a different name.
    assert_eq!(removed.replace("\"stdin\"", "\"in.jsonl\""), folder.read("out/removed.jsonl"));

    assert_refused(&folder, &dedup, &["removed.jsonl exists", "--force"]);
    assert_eq!(folder.run_with(&[&dedup[..], &["--force"]].concat(), lines().as_bytes()).code, 0);
    let onto_itself = ["dedup", "in.jsonl", "-o", "-", "--removed", "in.jsonl", "--force"];
    assert_refused(&folder, &onto_itself, &["in.jsonl would be overwritten"]);
    let ran = folder.run(&["dedup", "in.jsonl", "--id", "id", "--dry-run", "--removed", "dry.jsonl", "-q"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
    assert_eq!(folder.read("dry.jsonl"), folder.read("out/removed.jsonl"));
}

#[test]
fn a_filter_that_is_stopped_writes_nothing() {
    let folder = Folder::new();
    let fail = ["dedup", "-", "--source", "file", "--fail-if-source-loses", "0.5", "--removed", "removed.jsonl"];
    let ran = folder.run_with(&fail, lines().as_bytes());
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(folder.names().is_empty(), "{:?}", folder.names());
}

#[test]
fn an_output_that_cannot_be_meant_is_refused_with_the_remedy() {
    let folder = Folder::new();
    folder.write("in.jsonl", lines()).write("more/a.jsonl", lines()).write("more/b.jsonl", lines());
    let refused = |arguments: &[&str], said: &[&str]| assert_refused(&folder, arguments, said);
    for inputs in [&["in.jsonl"][..], &["-", "in.jsonl"], &["more"]] {
        refused(&[&["dedup"], inputs].concat(), &["no output is given", "-o DIR", "give - alone"]);
    }
    refused(&["dedup", "more", "-o", "-"], &["standard output takes the documents of one file", "2 files", "-o DIR"]);
    refused(&["dedup", "-", "in.jsonl", "-o", "-"], &["one file", "2 files"]);
    refused(&["dedup", "in.jsonl", "-o", "-", "--dry-run"], &["--dry-run cannot be combined with -o"]);
    refused(&["dedup", "in.jsonl", "-o", "out", "--removed", "x"], &["--removed cannot be combined with -o"]);
    refused(&["dedup", "in.jsonl", "-o", "-", "--removed", "-"], &["--removed must be the name of a file, not -"]);
    refused(&["link", "in.jsonl", "-o", "-"], &["-o must be the name of a folder, not -"]);
    refused(&["evaluate", "in.jsonl", "-o", "-"], &["--summary json"]);
    assert_eq!(folder.names(), ["in.jsonl", "more"]);
}

#[test]
fn a_dash_is_standard_output_for_commands_that_write_rows() {
    let folder = Folder::new();
    folder.write("in.jsonl", lines()).write("sets.txt", "a b c\na b c d\n").write("prints.csv", prints());
    for command in [
        &["pairs", "in.jsonl"][..],
        &["sets", "sets.txt", "--threshold", "0.5"],
        &["prints", "prints.csv", "--all-pairs"],
    ] {
        let ran = folder.run(&[command, &["-o", "-"]].concat());
        assert_eq!((ran.code, ran.stdout.as_str()), (0, folder.run(command).stdout.as_str()), "{command:?}");
        assert!(!ran.stdout.is_empty(), "{command:?}");
    }
    assert_eq!(folder.names(), ["in.jsonl", "prints.csv", "sets.txt"]);
}

#[test]
fn a_summary_for_programs_is_on_standard_output_unless_documents_are() {
    let folder = Folder::new();
    folder.write("in.jsonl", lines());
    let removed = |json: &str| serde_json::from_str::<Value>(json).unwrap()["found"]["removed_count"].clone();
    for target in [&["-o", "out"][..], &["--dry-run"]] {
        let ran = folder.run(&[&["dedup", "in.jsonl", "--summary", "json"], target].concat());
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
        assert_eq!(removed(&ran.stdout), 2);
    }
    let all = folder.run(&["dedup", "in.jsonl", "--summary", "json", "-o", "out", "--force"]).stdout;
    assert_eq!(all, folder.read("out/summary.json"));

    let ran = folder.run_with(&["dedup", "-", "--summary", "json", "-q"], (lines() + "{oops\n").as_bytes());
    assert_eq!(ran.stdout.lines().count(), 2);
    assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    assert_eq!(removed(&ran.stderr), 2);
    let ran = folder.run_with(&["dedup", "-", "--summary", "json"], (lines() + "{oops\n").as_bytes());
    let talk: Vec<&str> = ran.stderr.lines().collect();
    assert!(talk.len() == 2 && talk[0].starts_with("skipped"), "{}", ran.stderr);
    assert_eq!(removed(talk[1]), 2);

    let ran = folder.run(&["dedup", "in.jsonl", "--dry-run", "--summary", "none"]);
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (0, "", ""));
    let ran = folder.run(&["dedup", "in.jsonl", "--dry-run"]);
    assert!(ran.stdout.is_empty() && ran.stderr.contains("removed   2"), "{}", ran.stderr);
}
