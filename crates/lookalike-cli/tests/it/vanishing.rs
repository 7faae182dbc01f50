//! Messages about input that is not read, or is carried along unchanged.

use crate::folder::{Folder, assert_refused, lines, text};
use serde_json::Value;

#[test]
fn records_without_a_text_are_counted_and_are_no_reason_to_complain() {
    let folder = Folder::new();
    folder.write("in.jsonl", lines() + "{\"id\":\"e\",\"text\":null}\n{\"id\":\"f\"}\n");
    let ran = folder.run(&["dedup", "in.jsonl", "--id", "id", "-o", "out"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
    assert!(!ran.stderr.contains("skipped") && !ran.stderr.contains("note:"), "{}", ran.stderr);
    assert!(ran.stderr.contains("4 documents in 1 file") && ran.stderr.contains("(2 without text)"), "{}", ran.stderr);
    assert!(folder.read("out/kept/in.jsonl").ends_with("{\"id\":\"e\",\"text\":null}\n{\"id\":\"f\"}\n"));
}

#[test]
fn a_file_without_the_text_field_is_refused_with_its_fields() {
    let folder = Folder::new();
    folder.write("in/a.jsonl", lines()).write("in/b.jsonl", "{\"id\":1,\"body\":\"x\"}\n");
    folder.write("c.csv", "id,body\n1,x\n").write("d.json", "[{\"id\":1,\"body\":{\"text\":\"x\"}}]");
    let said = ["has text in the field 'text'", "--text"];
    let dedup = |input: &'static str| ["dedup", input, "-o", "out"];
    assert_refused(&folder, &dedup("in"), &[&said[..], &["in/b.jsonl", "its fields are id, body"]].concat());
    assert_refused(&folder, &dedup("c.csv"), &[&said[..], &["c.csv", "its fields are id, body"]].concat());
    assert_refused(&folder, &dedup("d.json"), &[&said[..], &["d.json", "its fields are id, body.text"]].concat());
    assert_refused(&folder, &["pairs", "in"], &["in/b.jsonl", "its fields are id, body"]);
    assert_refused(&folder, &["compare", "in/b.jsonl", "c.csv"], &["in/b.jsonl", "text in the field 'text'"]);
    assert_eq!(folder.run(&["dedup", "d.json", "-o", "out", "--text", "body.text"]).code, 0);
}

#[test]
fn input_of_which_nothing_can_be_read_is_an_error_in_every_command_and_nothing_is_written() {
    let folder = Folder::new();
    folder.write("in.jsonl", "{oops\n{\"text\":5}\n");
    folder.run(&["index", "create", "archive"]);
    let commands: [&[&str]; 9] = [
        &["dedup", "in.jsonl", "-o", "out"],
        &["dedup", "in.jsonl", "-o", "out", "--annotate"],
        &["dedup", "in.jsonl", "-o", "-"],
        &["pairs", "in.jsonl", "-o", "out"],
        &["tune", "in.jsonl"],
        &["evaluate", "in.jsonl", "-o", "out"],
        &["index", "add", "archive", "in.jsonl"],
        &["search", "archive", "--input", "in.jsonl", "-o", "out"],
        &["dedup", "in.jsonl", "-o", "out", "--against-index", "archive", "--add-kept"],
    ];
    for command in commands {
        let said = ["nothing could be read: all 2 entries were skipped, the first is in.jsonl", "not a document"];
        assert_refused(&folder, command, &said);
        assert_eq!(folder.names(), ["archive", "in.jsonl"], "{command:?}");
    }
}

#[cfg(unix)]
#[test]
fn links_and_hidden_files_are_told_and_what_leads_nowhere_is_skipped() {
    use std::os::unix::fs::symlink;
    let folder = Folder::new();
    let at = |name: &str| folder.0.path().join(name);
    folder.write("in/m.jsonl", lines()).write("in/.DS_Store", "x").write("in/.git/config", "x");
    let ran = folder.run(&["dedup", "in", "-o", "out"]);
    assert_eq!(ran.code, 0);
    let note = "note: 2 hidden files or folders were left out (in/.DS_Store, in/.git): name them to read them\n";
    assert!(ran.stderr.starts_with(note), "{}", ran.stderr);
    symlink("m.jsonl", at("in/a.jsonl")).unwrap();
    let ran = folder.run(&["pairs", "in"]);
    assert_eq!(ran.code, 0);
    let note = "note: 1 file is a link to files that are read under another name, and was left out (in/a.jsonl)\n";
    assert!(ran.stderr.contains(note), "{}", ran.stderr);
    for number in 0..4 {
        std::fs::hard_link(at("in/m.jsonl"), at(&format!("in/n{number}.jsonl"))).unwrap();
    }
    symlink("gone", at("in/z.txt")).unwrap();
    let ran = folder.run(&["dedup", "in", "-o", "out", "--force"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.starts_with("skipped in/z.txt: a link to gone, which does not exist\n"), "{}", ran.stderr);
    let note = "note: 5 files are links to files that are read under another name, and were left out (in/a.jsonl, ";
    assert!(ran.stderr.contains(note) && ran.stderr.contains(", 2 more)"), "{}", ran.stderr);
    let summary: Value = serde_json::from_str(&folder.read("out/summary.json")).unwrap();
    assert_eq!(summary["input"]["left_out"]["links"]["first"].as_array().unwrap().len(), 5);
    assert_refused(&folder, &["dedup", "in/z.txt", "-o", "other"], &["cannot read in/z.txt"]);
    // Naming a folder and a file in it is not an error.
    assert_eq!(folder.run(&["dedup", "in/m.jsonl", "in", "-o", "out", "--force"]).code, 1);
}

#[cfg(unix)]
#[test]
fn prints_are_read_around_what_leads_nowhere() {
    let folder = Folder::new();
    let table = "print,x,y,angle\n".to_owned() + &"a,1,2,3\n".repeat(3);
    folder.write("in/a.csv", table);
    std::os::unix::fs::symlink("gone", folder.0.path().join("in/b.csv")).unwrap();
    let ran = folder.run(&["prints", "in"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(ran.stderr.contains("skipped in/b.csv: cannot be read: No such file"), "{}", ran.stderr);
    assert_refused(&folder, &["prints", "in/b.csv"], &["cannot read in/b.csv"]);
}

#[test]
fn a_list_may_name_what_has_gone() {
    let folder = Folder::new();
    folder.write("in.jsonl", lines()).write("list", "in.jsonl\ngone.jsonl\n");
    let ran = folder.run(&["dedup", "--files-from", "list", "-o", "out"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.starts_with("skipped gone.jsonl: cannot be read: No such file"), "{}", ran.stderr);
    assert!(ran.stderr.contains("4 documents"), "{}", ran.stderr);
}

#[test]
fn lines_from_standard_input_come_out_with_their_blank_lines() {
    let folder = Folder::new();
    let input = format!("\n{}\n\n{}\r\n\n{}\n\n", text(1), text(2), text(1));
    let ran = folder.run_with(&["dedup", "-", "--split", "line", "-o", "out"], input.as_bytes());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(folder.read("out/kept/stdin"), format!("\n{}\n\n{}\r\n\n\n", text(1), text(2)));
}

#[test]
fn rows_of_pairs_say_where_both_are_in_columns_after_all_others() {
    let folder = Folder::new();
    folder.write("a.jsonl", "{\"id\":7,\"text\":\"one two three four five six\"}\n".repeat(2));
    let tsv = folder.run(&["pairs", "a.jsonl", "--id", "id", "--format", "tsv"]);
    assert_eq!(
        tsv.stdout,
        "left_id\tright_id\tsimilarity\tjaccard\tcontainment_of_left\tcontainment_of_right\tleft_file\tleft_position\tright_file\tright_position\n\
         7\t7\t1\t1\t1\t1\ta.jsonl\t1\ta.jsonl\t2\n"
    );
    assert!(
        tsv.stderr.contains("note: 1 document has the id of another document: tell them apart by file and position")
    );
    let row: Value = serde_json::from_str(&folder.run(&["pairs", "a.jsonl", "--id", "id"]).stdout).unwrap();
    assert_eq!((&row["left_position"], &row["right_position"]), (&1.into(), &2.into()));
    assert_eq!((&row["left_file"], &row["right_file"]), (&"a.jsonl".into(), &"a.jsonl".into()));
}
