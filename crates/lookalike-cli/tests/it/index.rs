//! `lookalike index` and `lookalike search` as users see them.

use crate::folder::{Folder, assert_refused, interrupt, lines, text};
use serde_json::Value;

/// A folder with the index `archive` of the documents a, b, c and d.
fn with_archive() -> Folder {
    let folder = Folder::new();
    folder.write("in.jsonl", lines());
    assert_eq!(folder.run(&["index", "create", "archive"]).code, 0);
    let ran = folder.run(&["index", "add", "archive", "in.jsonl", "--id", "id"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("4 documents read") && ran.stderr.contains("4 added"), "{}", ran.stderr);
    folder
}

fn rows(jsonl: &str) -> Vec<Value> {
    jsonl.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[cfg(unix)]
#[test]
fn who_interrupts_an_addition_is_told_that_what_was_added_stays() {
    let folder = with_archive();
    let mut child = folder.start(&["index", "add", "archive", "-"]);
    // Its input does not end; it holds the index once its process id is in the lock file.
    while folder.read("archive/LOCK").trim() != child.id().to_string() {
        assert!(child.try_wait().unwrap().is_none(), "it waits for its input");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let ran = interrupt(child);
    assert_eq!(ran.code, 2);
    let said = "interrupted: what was added stays; run it again to add the rest";
    assert!(ran.stderr.contains(said), "{}", ran.stderr);
    let stat = folder.run(&["index", "stat", "archive"]).stdout;
    assert!(stat.lines().any(|line| line.split_whitespace().eq(["documents", "4"])), "{stat}");
}

#[test]
fn a_cause_is_told_once() {
    let folder = with_archive();
    std::fs::remove_dir_all(folder.0.path().join("archive/manifest")).unwrap();
    let said = folder.run(&["search", "archive", "x"]).stderr;
    assert!(said.contains("archive/manifest: "), "{said}");
    assert_eq!(said.matches("os error").count(), 1, "{said}");
}

#[test]
fn what_is_created_says_what_it_will_find() {
    let folder = Folder::new();
    let ran = folder.run(&["index", "create", "archive", "--threshold", "0.9"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
    for said in ["created archive", "jaccard of word:5 at least 0.9", "of pairs at 0.90"] {
        assert!(ran.stderr.contains(said), "{said}: {}", ran.stderr);
    }
}

#[test]
fn a_stored_document_a_text_and_a_file_are_searched_for() {
    let folder = with_archive();
    let by_id = folder.run(&["search", "archive", "--like", "a", "--format", "jsonl"]);
    assert_eq!(by_id.code, 0, "{}", by_id.stderr);
    let found: Vec<String> = rows(&by_id.stdout).iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect();
    assert_eq!(found, ["c"], "not itself");
    let by_file = folder.run(&["search", "archive", "--input", "in.jsonl", "--id", "id", "--format", "tsv"]);
    let header = "query_id\tid\tsimilarity\tcontainment_of_query\tcontainment_of_match\texact_copy\tmatch_count";
    assert_eq!(by_file.stdout.lines().next(), Some(header));
    assert!(by_file.stdout.contains("\nd\td\t1\t1\t1\ttrue\t2\n"), "{}", by_file.stdout);
    let text: Value = serde_json::from_str(lines().lines().next().unwrap()).unwrap();
    let by_text = folder.run(&["search", "archive", text["text"].as_str().unwrap()]);
    assert!(by_text.stdout.contains("query → a (exact copy)"), "{}", by_text.stdout);
    assert!(by_text.stderr.contains("among 4 documents"), "{}", by_text.stderr);
    let shown = folder.run(&["search", "archive", "--like", "a", "--show", "--top", "1"]);
    assert!(shown.stdout.contains(" │ c"), "{}", shown.stdout);
    let by_stdin = folder.run_with(&["search", "archive", "-", "--format", "jsonl"], lines().as_bytes());
    assert_eq!(rows(&by_stdin.stdout).len(), 8, "each document with itself and its near-duplicate");
}

#[test]
fn adding_again_changes_nothing_and_fields_come_back_with_matches() {
    let folder = Folder::new();
    folder.write("in.csv", "id,text,author\n1,one two three four five six,Ann\n2,seven eight nine,Bob\n");
    folder.run(&["index", "create", "archive"]);
    let add = ["index", "add", "archive", "in.csv", "--id", "id", "--fields", "author", "--fields", "none"];
    assert!(folder.run(&add).stderr.contains("2 added"));
    assert!(folder.run(&add).stderr.contains("2 unchanged"));
    let found = folder.run(&["search", "archive", "One two three four five six.", "--format", "jsonl"]);
    assert_eq!(rows(&found.stdout)[0]["fields"]["author"], "Ann");
    let exported = folder.run(&["index", "export", "archive"]);
    assert_eq!(rows(&exported.stdout)[1]["text"], "seven eight nine");
    folder.write("in.csv", "id,text,author\n1,one two three four five six,Ann\n2,ten eleven twelve,Bob\n");
    assert!(folder.run(&add).stderr.contains("1 replaced, 1 unchanged"));
    assert!(folder.run(&["search", "archive", "seven eight nine", "--format", "jsonl"]).stdout.is_empty());
}

#[test]
fn a_missing_field_is_refused_or_noted_as_dedup_does() {
    let folder = with_archive();
    folder.write("other.jsonl", "{\"body\":\"one two three\",\"title\":\"x\"}\n");
    let refused = folder.run(&["index", "add", "archive", "other.jsonl"]);
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("body, title"), "{}", refused.stderr);
    assert_eq!(folder.run(&["search", "archive", "--input", "other.jsonl"]).code, 2);
    assert!(folder.run(&["index", "stat", "archive"]).stdout.contains("documents      4"));
    folder.write("in.jsonl", lines() + "{\"text\":\"one two three\"}\n");
    let noted = folder.run(&["index", "add", "archive", "in.jsonl", "--id", "id"]);
    assert_eq!(noted.code, 0);
    assert!(noted.stderr.contains("note: 1 document without a field 'id'"), "{}", noted.stderr);
}

#[test]
fn a_duplicate_is_printed_with_the_stored_document() {
    let folder = Folder::new();
    folder.write("in.jsonl", lines());
    folder.run(&["index", "create", "archive"]);
    let ran = folder.run(&["index", "add", "archive", "in.jsonl", "--id", "id", "--unless-duplicate"]);
    let duplicates = rows(&ran.stdout);
    assert_eq!(duplicates.len(), 2, "{}", ran.stdout);
    let pairs: Vec<(&str, &str)> =
        duplicates.iter().map(|row| (row["id"].as_str().unwrap(), row["kept_id"].as_str().unwrap())).collect();
    assert_eq!(pairs, [("c", "a"), ("d", "b")]);
    assert!(duplicates[0]["similarity"].as_f64().unwrap() < 1.0 && duplicates[1]["exact_copy"] == true);
}

#[test]
fn what_is_deleted_is_not_found_and_after_a_purge_its_bytes_are_gone() {
    let folder = Folder::new();
    folder.write("in.jsonl", "{\"id\":\"x\",\"text\":\"xyzzy plugh plover frotz nitfol gnusto\"}\n");
    folder.run(&["index", "create", "archive", "--store", "text"]);
    folder.run(&["index", "add", "archive", "in.jsonl", "--id", "id"]);
    let ran = folder.run(&["index", "delete", "archive", "x", "y"]);
    assert!(ran.stderr.contains("deleted 1 document; 1 of these ids had none"), "{}", ran.stderr);
    assert!(folder.run(&["search", "archive", "xyzzy plugh plover frotz nitfol gnusto"]).stdout.is_empty());
    assert!(folder.run(&["index", "stat", "archive"]).stdout.contains("deleted        1"));
    assert_eq!(folder.run(&["index", "compact", "archive", "--purge"]).code, 0);
    let stat: Value =
        serde_json::from_str(&folder.run(&["index", "stat", "archive", "--summary", "json"]).stdout).unwrap();
    assert_eq!((&stat["document_count"], &stat["deleted_count"]), (&0.into(), &0.into()));
    assert_eq!(folder.run(&["index", "verify", "archive"]).code, 0);
}

#[test]
fn dedup_compares_with_an_index_and_adds_what_it_keeps() {
    let folder = with_archive();
    let again = folder.run(&["dedup", "in.jsonl", "--id", "id", "-o", "out", "--against-index", "archive"]);
    assert_eq!(again.code, 0, "{}", again.stderr);
    assert!(again.stderr.contains("removed   4 (100.0 %)"), "{}", again.stderr);
    assert!(again.stderr.contains("reference 4 documents in an index"), "{}", again.stderr);
    let evidence = rows(&folder.read("out/removed.jsonl"));
    assert!(evidence.iter().all(|row| row["kept_in"] == "reference" && row["kept_file"] == "archive"));
    folder.run(&["index", "create", "seen"]);
    let dedup = ["dedup", "in.jsonl", "--id", "id", "-o", "first", "--against-index", "seen", "--add-kept"];
    assert!(folder.run(&dedup).stderr.contains("2 documents added to the index"));
    assert!(folder.run(&["index", "stat", "seen"]).stdout.contains("documents      2"));
}

#[test]
fn an_index_is_copied_merged_and_refused_where_it_must_be() {
    let folder = with_archive();
    assert_eq!(folder.run(&["index", "snapshot", "archive", "copy"]).code, 0);
    assert!(folder.run(&["index", "stat", "copy"]).stdout.contains("documents      4"));
    folder.run(&["index", "create", "other"]);
    let merged = folder.run(&["index", "merge", "other", "copy"]);
    assert!(merged.stderr.contains("4 added"), "{}", merged.stderr);
    assert!(folder.run(&["index", "upgrade", "other"]).stderr.contains("up to date"));
    folder.run(&["index", "create", "strict", "--threshold", "0.95"]);
    folder.write("plain/x.txt", "x");
    let refused = |arguments: &[&str], said: &[&str]| assert_refused(&folder, arguments, said);
    refused(&["search", "plain", "x"], &["plain is not an index"]);
    refused(&["search", "missing", "x"], &["missing"]);
    let input = "--input=in.jsonl";
    refused(&["search", "archive"], &["a text, --input or --like must be given"]);
    refused(&["search", "archive", "x", input], &["--input cannot be combined with a text"]);
    refused(&["search", "archive", "-", input], &["--input cannot be combined with a text"]);
    refused(&["search", "archive", "x", "--like", "a"], &["--like cannot be combined with a text"]);
    refused(&["search", "archive", "--like", "a", input], &["--like cannot be combined with --input"]);
    refused(&["search", "archive", "x", "--text", "body"], &["--text needs an input"]);
    refused(&["index", "create", "archive"], &["archive already has an index"]);
    refused(&["index", "create", "plain"], &["plain already has"]);
    refused(
        &["index", "create", "new", "--method", "copies"],
        &["--method must be one that looks at each text by itself", "not copies"],
    );
    let too_low = ["0.5 is below that of the index, 0.8", "index create NEW --threshold 0.5 --shingle word:5, then"];
    refused(&["search", "archive", "x", "--threshold", "0.5"], &too_low);
    refused(&["index", "merge", "strict", "copy"], &["differ"]);
    refused(
        &["index", "add", "archive", "in.jsonl", "--fields", "text"],
        &["--fields must be a field other than that of the text"],
    );
    refused(
        &["dedup", "in.jsonl", "-o", "o", "--against-index", "strict", "--group", "components"],
        &["--against-index cannot be combined with --group components"],
    );
    refused(
        &["dedup", "in.jsonl", "-o", "o", "--against-index", "strict", "--threshold", "0.7"],
        &["--against-index must be an index with the scheme of this run", "0.95", "0.7"],
    );
    assert!(!folder.names().iter().any(|name| name == "o" || name == "new"));
}

#[test]
fn what_is_cut_is_counted_and_a_document_with_51_copies_finds_itself() {
    let folder = Folder::new();
    let line = |at: usize| format!("{{\"id\":\"d{at}\",\"text\":\"{}\"}}\n", text(1));
    folder.write("in.jsonl", (0..51).map(line).collect::<String>()).write("last.jsonl", line(50));
    folder.run(&["index", "create", "archive"]);
    folder.run(&["index", "add", "archive", "in.jsonl", "--id", "id"]);
    let search = ["search", "archive", "--input", "last.jsonl", "--id", "id", "--format", "jsonl"];
    let found = folder.run(&search);
    let first = &rows(&found.stdout)[0];
    assert_eq!((&first["id"], &first["match_count"]), (&"d50".into(), &51.into()), "{}", found.stdout);
    assert!(found.stderr.contains("note: 10 of 51 matches; --top 51 lists all"), "{}", found.stderr);
    assert!(found.stderr.contains("10 of 51 matches among 51 documents"), "{}", found.stderr);
    let all = folder.run(&[&search[..], &["--top", "51"]].concat());
    assert_eq!(rows(&all.stdout).len(), 51);
    assert!(!all.stderr.contains("note:") && all.stderr.contains("51 matches among"), "{}", all.stderr);
    let many =
        folder.run(&["search", "archive", "--input", "in.jsonl", "--id", "id", "--top", "1", "--format", "jsonl"]);
    assert!(rows(&many.stdout).iter().all(|row| row["id"] == row["query_id"]), "{}", many.stdout);
    assert!(many.stderr.contains("51 queries have more matches than are listed: 51 of 2,601"), "{}", many.stderr);
}

#[test]
fn a_delivery_that_is_run_again_is_not_compared_with_itself() {
    let folder = Folder::new();
    let line = |id: usize, text: String| format!("{}\n", serde_json::json!({"id": id, "text": text}));
    let part: String = (0..40).map(|at| line(at, text(at - at % 4 / 3))).collect();
    folder.write("part.jsonl", part);
    folder.run(&["index", "create", "seen"]);
    let deliver = ["dedup", "part.jsonl", "--id", "id", "-o", "d1", "--against-index", "seen", "--add-kept", "--force"];
    let first = folder.run(&deliver);
    assert!(first.stderr.contains("30 documents added to the index"), "{}", first.stderr);
    let written = || ["d1/kept/part.jsonl", "d1/removed.jsonl"].map(|name| folder.read(name));
    let before = written();
    assert_eq!(before[0].lines().count(), 30);
    let again = folder.run(&deliver);
    assert_eq!(again.code, 0, "{}", again.stderr);
    assert_eq!(written(), before);
    let summary: Value = serde_json::from_str(&folder.read("d1/summary.json")).unwrap();
    assert_eq!(summary["wrote"]["added_to_index_count"], 30);
    // Without an option for ids, the field is found and named; and replacements are reported.
    folder.write("part.jsonl", (0..3).map(|at| line(at, text(100 + at))).collect::<String>());
    let unnamed = folder.run(&["dedup", "part.jsonl", "-o", "d2", "--against-index", "seen", "--add-kept"]);
    assert!(unnamed.stderr.contains("note: ids are taken from the field 'id'"), "{}", unnamed.stderr);
    assert!(unnamed.stderr.contains("3 documents replaced"), "{}", unnamed.stderr);
}

#[test]
fn a_repair_names_what_is_lost_and_keeps_the_damaged_file() {
    let folder = with_archive();
    let before = folder.run(&["index", "export", "archive"]).stdout.lines().count();
    let log = std::fs::read_dir(folder.0.path().join("archive/log")).unwrap().next().unwrap().unwrap().path();
    let mut bytes = std::fs::read(&log).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    std::fs::write(&log, &bytes).unwrap();
    let damaged = folder.run(&["index", "verify", "archive"]);
    assert!(damaged.code == 2 && damaged.stderr.contains("give --repair"), "{}", damaged.stderr);
    let repaired = folder.run(&["index", "verify", "archive", "--repair"]);
    assert_eq!(repaired.code, 1, "{}", repaired.stderr);
    assert!(repaired.stderr.contains("\nlost: "), "{}", repaired.stderr);
    assert!(repaired.stderr.contains("the damaged file is kept as damaged/"), "{}", repaired.stderr);
    let aside = folder.0.path().join("archive/damaged").join(log.file_name().unwrap());
    assert_eq!(std::fs::read(aside).unwrap(), bytes);
    assert!(folder.run(&["index", "export", "archive"]).stdout.lines().count() < before);
    assert_eq!(folder.run(&["index", "verify", "archive"]).code, 0);
}

#[test]
fn the_commands_for_a_lower_threshold_work_as_they_are_printed() {
    let folder = with_archive();
    folder.run(&["index", "create", "NEW", "--threshold", "0.5", "--shingle", "word:5"]);
    let exported = folder.run(&["index", "export", "archive"]).stdout;
    let added = folder.run_with(&["index", "add", "NEW", "-", "--id", "id"], exported.as_bytes());
    assert!(added.stderr.contains("4 added"), "{}", added.stderr);
    assert_eq!(folder.run(&["search", "NEW", "--like", "a", "--threshold", "0.5"]).code, 0);
}

#[test]
fn a_quotation_is_shown_at_its_place_in_the_book() {
    let folder = Folder::new();
    let page = |seed: usize| (0..40).map(|at| text(seed + at)).collect::<Vec<_>>().join(" ");
    let quotation = (0..40).map(|at| format!("q{at}")).collect::<Vec<_>>().join(" ");
    folder.write("book.txt", format!("TITLE PAGE {} {quotation} {}", page(100), page(200)));
    folder.run(&["index", "create", "books", "--measure", "containment"]);
    folder.run(&["index", "add", "books", "book.txt"]);
    let shown = folder.run(&["search", "books", &quotation, "--show"]).stdout;
    let right: Vec<&str> = shown.lines().filter_map(|line| Some(line.split_once('│')?.1.trim())).collect();
    let right = right.join(" ");
    assert!(right.contains("q0 q1 q2") && right.find("q0").is_some_and(|at| at < 250), "{shown}");
    assert!(!shown.contains("TITLE") && !shown.contains("[+"), "{shown}");
}
