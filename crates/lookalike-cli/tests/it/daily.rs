//! Everyday situations: folders with more than data in them, files of other formats, flags without effect, typing
//! errors.

use crate::folder;
use crate::folder::{Folder, assert_refused, lines, text};
use serde_json::Value;

/// A table of people, some of them twice.
const PEOPLE: &str = "id,name,city,born\n1,Ann Lee,Boston,1980-01-02\n2,Anne Lee,Boston,1980-01-02\n3,Bob Stone,Paris,1971-03-04\n\
                      4,Carla Moss,Rome,1990-05-06\n5,Bob Stone,Paris,1971-03-04\n6,Dora Fink,Oslo,1965-07-08\n";

fn summary(folder: &Folder) -> Value {
    serde_json::from_str(&folder.read("out/summary.json")).unwrap()
}

#[test]
fn what_is_excluded_is_read_by_no_command() {
    let folder = Folder::new();
    folder.write("in/a.jsonl", lines()).write("in/old/b.jsonl", lines()).write("in/notes.txt", "x");
    let ran = folder.run(&["dedup", "in", "-o", "out", "--exclude", "old", "--exclude", "*.txt", "--exclude", "*.pdf"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("read      4 documents in 1 file"), "{}", ran.stderr);
    assert!(ran.stderr.contains("note: --exclude '*.pdf' matches no file\n"), "{}", ran.stderr);
    let excluded = &summary(&folder)["input"]["left_out"]["excluded"];
    assert_eq!((&excluded["count"], &excluded["first"][0]), (&2.into(), &"in/notes.txt".into()));
    // As the shell expands it, with a path, and of the reference.
    let ran =
        folder.run(&["pairs", "in/a.jsonl", "in/notes.txt", "in/old", "--exclude", "notes.txt", "--exclude", "in/old"]);
    assert!(ran.stderr.contains("2 pairs among 4 documents"), "{}", ran.stderr);
    let against = ["dedup", "in/a.jsonl", "--against", "in/old", "in/notes.txt", "-o", "two", "--exclude", "*.txt"];
    assert!(folder.run(&against).stderr.contains("reference 4 documents in 1 file"));
    folder.run(&["index", "create", "archive", "-q"]);
    let ran = folder.run(&["index", "add", "archive", "in", "--exclude", "old", "--exclude", "*.txt"]);
    assert!(ran.stderr.contains("4 documents read"), "{}", ran.stderr);
    let ran = folder.run(&["tune", "in", "--exclude", "old", "--exclude", "*.txt"]);
    assert!(ran.stdout.contains("all 4 documents were read"), "{}", ran.stdout);
    folder.write("sets/a.txt", "1 2 3\n1 2 4\n").write("sets/b.txt", "1 2 3\n");
    let ran = folder.run(&["sets", "sets", "--threshold", "0.1", "--exclude", "b.*"]);
    assert!(ran.stderr.contains("among 2 sets"), "{}", ran.stderr);
    folder.write("prints/a.csv", folder::prints()).write("prints/b.csv", "print,x\n1,2\n");
    assert_eq!(folder.run(&["prints", "prints", "--exclude", "b.csv"]).code, 0);
    folder.write("people/a.csv", PEOPLE).write("people/b.csv", "other\nx\n");
    let ran = folder.run(&["link", "people", "-o", "linked", "--exclude", "b.csv"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_refused(&folder, &["dedup", "in", "-o", "other", "--exclude", "*"], &["is excluded", "--exclude"]);
    assert_refused(&folder, &["dedup", "in", "-o", "other", "--exclude", "a***"], &["--exclude", "pattern"]);
}

#[test]
fn what_is_no_document_in_a_folder_of_data_is_passed_over_with_a_note() {
    let folder = Folder::new();
    folder.write("in/data/a.jsonl", lines()).write("in/README.md", "# About\n").write("in/LICENSE", "free");
    folder.write("in/dataset_info.json", "{\n  \"splits\": 1\n}\n").write("in/manifest.tsv", "file\tbytes\na\t1\n");
    let ran = folder.run(&["dedup", "in", "-o", "out"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let note =
        "note: 4 files are not documents and were skipped (in/LICENSE, in/README.md, in/dataset_info.json, 1 more): ";
    assert!(ran.stderr.contains(note), "{}", ran.stderr);
    assert!(ran.stderr.contains("read      4 documents in 1 file"), "{}", ran.stderr);
    folder.write("quiz.jsonl", "{\"question\":\"which of the seven rivers never reached the sea in a dry year?\"}\n");
    folder.write("later.jsonl", lines());
    folder.run(&["index", "create", "archive", "-q"]);
    for command in [
        &["pairs", "in"][..],
        &["passages", "in", "-o", "passages"],
        &["decontaminate", "in", "--against", "quiz.jsonl"],
        &["splits", "in", "later.jsonl"],
        &["extract", "in"],
        &["boilerplate", "in"],
        &["evaluate", "in"],
        &["tune", "in"],
        &["index", "add", "archive", "in"],
        &["search", "archive", "--input", "in"],
    ] {
        let ran = folder.run(command);
        assert!(ran.code == 0 && ran.stderr.contains(note), "{command:?}: {}", ran.stderr);
    }
    // Named, they are read, or refused as before.
    assert!(folder.run(&["dedup", "in/README.md", "in/data", "-o", "two"]).stderr.contains("5 documents in 2 files"));
    assert_refused(&folder, &["dedup", "in/manifest.tsv", "in/data", "-o", "three"], &["manifest.tsv", "file, bytes"]);
}

#[test]
fn a_table_beside_texts_is_passed_over_and_data_without_the_text_is_refused() {
    let folder = Folder::new();
    folder.write("in/a.txt", text(1)).write("in/b.txt", text(2)).write("in/README.md", text(3));
    folder.write("in/labels.csv", "file,label\na,1\n").write("in/stats.json", "{\"mean\": 1}\n");
    for run in [["dedup", "in", "-o", "out"], ["index", "add", "archive", "in"]] {
        folder.run(&["index", "create", "archive", "-q"]);
        let ran = folder.run(&run);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let note = "note: 2 files are not documents and were skipped (in/labels.csv, in/stats.json): ";
        assert!(ran.stderr.contains(note) && ran.stderr.contains("3 documents"), "{}", ran.stderr);
    }
    let names = |name: &str| folder.0.path().join(name).exists();
    assert!(names("out/kept/a.txt") && !names("out/kept/labels.csv") && !names("out/kept/stats.json"));
    assert!(summary(&folder)["input"]["carried"].as_object().unwrap().is_empty());
    // Of files of one format, one without a text is a mistake; the remedy is named.
    folder.write("in/c.csv", "file,text\nx,one two three\n");
    let said = ["in/labels.csv", "its fields are file, label", "give --text FIELD or --exclude PATTERN"];
    assert_refused(&folder, &["dedup", "in", "-o", "other"], &said);
    assert_refused(&folder, &["pairs", "in"], &said);
}

#[test]
fn a_file_of_another_format_is_named_with_the_remedy_and_never_compared() {
    let folder = Folder::new();
    let pdf = "%PDF-1.4\n1 0 obj << /Length 5 >> stream one two three four five six endstream\n";
    folder.write("in/a.txt", text(1)).write("in/b.pdf", pdf).write("in/c.txt", pdf);
    folder.write("in/d.rtf", "{\\rtf1\\ansi one two three four five six}").write("in/e.docx", "PK\x03\x04\x14\0\0\0");
    folder.write("in/f", "{\\rtf1 one}").write("in/g.zip", b"PK\x03\x04\x14\0\0\0a.txt");
    let ran = folder.run(&["dedup", "in", "-o", "out"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    for said in [
        "skipped in/b.pdf: a PDF: convert it to text first, for example with pdftotext\n",
        "skipped in/c.txt: a PDF: ",
        "skipped in/d.rtf: an RTF document: ",
        "skipped in/e.docx: a Word document: ",
        "skipped in/f: an RTF document: ",
        "skipped in/g.zip: a ZIP archive: unpack it first\n",
        "read      1 document in 7 files",
    ] {
        assert!(ran.stderr.contains(said), "{said}: {}", ran.stderr);
    }
    assert_refused(&folder, &["compare", "in/b.pdf", "in/c.txt"], &["a PDF: convert it to text first"]);
    let table = folder.run(&["link", "in/b.pdf", "-o", "linked"]);
    assert!(table.code == 2 && table.stderr.contains("a PDF: convert it"), "{}", table.stderr);
    assert_eq!(folder.run(&["index", "create", "archive", "-q"]).code, 0);
    let added = folder.run(&["index", "add", "archive", "in"]);
    assert!(added.code == 1 && added.stderr.contains("in/b.pdf: a PDF"), "{}", added.stderr);
    assert!(folder.run(&["index", "stat", "archive"]).stdout.contains("documents      1"));
}

#[test]
fn a_flag_without_effect_is_noted() {
    let folder = Folder::new();
    folder.write("in.jsonl", lines()).write("a.txt", text(1));
    let flags = ["--split", "paragraph", "--extract", "article", "--delimiter", ";", "--no-header"];
    let notes = [
        "note: --split has no effect: the input has no plain text file\n",
        "note: --extract has no effect: the input has no web page; for pages in a field of records, give --html-field FIELD\n",
        "note: --delimiter has no effect: the input has no CSV file\n",
        "note: --no-header has no effect: the input has no CSV file\n",
    ];
    folder.run(&["index", "create", "archive", "-q"]);
    folder.write("quiz.jsonl", "{\"question\":\"which of the seven rivers never reached the sea in a dry year?\"}\n");
    folder.write("later.jsonl", lines());
    for command in [
        &["dedup", "in.jsonl", "--dry-run"][..],
        &["pairs", "in.jsonl"],
        &["passages", "in.jsonl", "-o", "passages"],
        &["decontaminate", "in.jsonl", "--against", "quiz.jsonl"],
        &["splits", "in.jsonl", "later.jsonl"],
        &["extract", "in.jsonl"],
        &["boilerplate", "in.jsonl"],
        &["evaluate", "in.jsonl"],
        &["tune", "in.jsonl"],
        &["index", "add", "archive", "in.jsonl"],
        &["search", "archive", "--input", "in.jsonl"],
    ] {
        let ran = folder.run(&[command, &flags].concat());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert!(notes.iter().all(|note| ran.stderr.contains(note)), "{}", ran.stderr);
    }
    let ran = folder.run(&["dedup", "a.txt", "--dry-run", "--text", "body"]);
    assert!(ran.stderr.contains("note: --text has no effect: the input has no file with fields\n"), "{}", ran.stderr);
    // What has an effect on one file of several is not noted.
    let ran = folder.run(&["dedup", "in.jsonl", "a.txt", "--dry-run", "--split", "paragraph"]);
    assert!(!ran.stderr.contains("no effect"), "{}", ran.stderr);
}

#[test]
fn pages_in_a_field_are_compared_by_their_text() {
    let folder = Folder::new();
    let page =
        |class: &str, text: &str| format!("<html><body class='{class}'><script>x</script><p>{text}</p></body></html>");
    let record = |id: &str, page: &str| serde_json::json!({ "id": id, "html": page }).to_string() + "\n";
    // Alike as texts, and not as bytes; and the other way round.
    let many = (0..200).map(|at| format!("c{at} ")).collect::<String>();
    let records = record("a", &page("one", &text(1)))
        + &record("b", &page("two two two two two two", &text(1).replace(' ', " <b></b> ")))
        + &record("c", &page(&many, "one two three four five six"))
        + &record("d", &page(&many, "ten eleven twelve thirteen fourteen fifteen"));
    folder.write("in.jsonl", &records);
    let csv = |record: &str| {
        let record: Value = serde_json::from_str(record).unwrap();
        format!("{},\"{}\"\n", record["id"].as_str().unwrap(), record["html"].as_str().unwrap().replace('"', "\"\""))
    };
    folder.write("in.csv", "id,html\n".to_owned() + &records.lines().map(csv).collect::<String>());
    for input in ["in.jsonl", "in.csv"] {
        let ran = folder.run(&["dedup", input, "--html-field", "html", "--id", "id", "-o", "out", "--force"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let removed: Vec<Value> =
            folder.read("out/removed.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(removed.len(), 1, "{removed:?}");
        assert_eq!((&removed[0]["removed_id"], &removed[0]["kept_id"]), (&"b".into(), &"a".into()));
    }
    assert!(folder.run(&["pairs", "in.jsonl", "--text", "html", "--id", "id"]).stdout.contains("\"c\""));
    let article = folder.run(&["pairs", "in.jsonl", "--html-field", "html", "--extract", "article"]);
    assert!(article.code == 0 && !article.stderr.contains("no effect"), "{}", article.stderr);
    let both = ["dedup", "in.jsonl", "--html-field", "html", "--text", "text", "-o", "other"];
    assert_refused(&folder, &both, &["--html-field", "--text"]);
}

#[test]
fn a_field_of_ids_that_no_document_has_is_an_error() {
    let folder = Folder::new();
    folder.write("in.jsonl", lines()).write("in.csv", "id,text\n1,one two three\n").write("a.txt", text(1));
    folder.run(&["index", "create", "archive", "-q"]);
    let said = ["no document has an id in the field 'typo'", "leave out --id"];
    for command in [
        &["dedup", "in.jsonl", "-o", "out"][..],
        &["pairs", "in.csv"],
        &["dedup", "a.txt", "-o", "out"],
        &["passages", "in.jsonl", "-o", "out"],
        &["decontaminate", "in.jsonl", "--against", "in.csv", "--fields", "text"],
        &["splits", "in.jsonl", "in.csv"],
        &["extract", "in.jsonl"],
        &["boilerplate", "in.jsonl"],
        &["evaluate", "in.jsonl"],
        &["tune", "in.jsonl"],
        &["search", "archive", "--input", "in.jsonl"],
    ] {
        assert_refused(&folder, &[command, &["--id", "typo"]].concat(), &said);
    }
    assert_refused(
        &folder,
        &["dedup", "in.jsonl", "-o", "out", "--id", "typo"],
        &["the fields of the first document are id, text"],
    );
    assert_refused(&folder, &["index", "add", "archive", "in.jsonl", "--id", "typo"], &said);
    assert!(folder.run(&["index", "stat", "archive"]).stdout.contains("documents      0"));
    // The same of texts.
    let no_text = ["no record of in.jsonl has text in the field 'typo'", "its fields are id, text"];
    for command in [&["tune", "in.jsonl"][..], &["evaluate", "in.jsonl"], &["pairs", "in.jsonl"]] {
        assert_refused(&folder, &[command, &["--text", "typo"]].concat(), &no_text);
    }
    // One that some have is a note, as before.
    folder.write("in.jsonl", lines() + "{\"text\":\"x\"}\n");
    let ran = folder.run(&["dedup", "in.jsonl", "--id", "id", "--dry-run"]);
    assert!(ran.code == 0 && ran.stderr.contains("note: 1 document has no field 'id'"), "{}", ran.stderr);
}

#[test]
fn quiet_says_nothing_but_errors_whatever_the_command() {
    let folder = Folder::new();
    folder.write("in/a.jsonl", lines() + "{oops\n{\"text\":\"x\"}\n").write("in/.hidden", "x");
    folder.write("prints.csv", folder::prints() + "1,x,y,z\n").write("sets.csv", "set,element\n1,2\n1,3,4\n2,2\n");
    folder.write("people.csv", PEOPLE);
    for (arguments, code) in [
        (&["dedup", "in", "-o", "out", "--id", "id", "--split", "line"][..], 1),
        (&["pairs", "in", "-o", "pairs.jsonl"], 1),
        (&["sets", "sets.csv", "--threshold", "0.1", "-o", "sets.jsonl"], 1),
        (&["prints", "prints.csv", "-o", "prints.jsonl"], 1),
        (&["link", "people.csv", "-o", "linked"], 0),
        (&["evaluate", "in", "--summary", "none"], 1),
        (&["tune", "in", "--summary", "none"], 1),
        (&["report", "out", "-o", "report.html"], 0),
        (&["passages", "in", "-o", "passages"], 1),
        (&["decontaminate", "in", "--against", "in/a.jsonl", "--fields", "text", "-o", "items"], 1),
        (&["extract", "in", "-o", "texts.jsonl"], 1),
        (&["boilerplate", "in", "--summary", "none"], 1),
        (&["index", "create", "archive"], 0),
        (&["index", "add", "archive", "in"], 1),
        (&["index", "compact", "archive"], 0),
        (&["index", "verify", "archive"], 0),
        (&["index", "snapshot", "archive", "copy"], 0),
        (&["index", "merge", "archive", "copy"], 0),
        (&["index", "upgrade", "archive"], 0),
        (&["index", "delete", "archive", "nobody"], 0),
    ] {
        let ran = folder.run(&[arguments, &["-q"]].concat());
        assert_eq!((ran.code, ran.stderr.as_str()), (code, ""), "{arguments:?}");
    }
    let ran = folder.run(&["dedup", "gone", "-o", "other", "-q"]);
    assert!(ran.code == 2 && ran.stderr.contains("cannot read gone"), "{}", ran.stderr);
}

#[test]
fn a_summary_of_a_crawl_shows_addresses() {
    let folder = Folder::new();
    let record = |number: usize, text: &str| {
        format!(
            "WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Record-ID: <urn:uuid:{number}>\r\nWARC-Target-URI: https://example.org/{number}\r\n\
             Content-Type: text/plain\r\nContent-Length: {}\r\n\r\n{text}\r\n\r\n",
            text.len()
        )
    };
    let near = format!("{} closing", text(1));
    folder.write("in.warc", record(1, &text(1)) + &record(2, &text(2)) + &record(3, &near));
    let ran = folder.run(&["dedup", "in.warc", "-o", "out"]);
    assert!(ran.stderr.contains("https://example.org/1  →  https://example.org/3\n"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("urn:uuid"), "{}", ran.stderr);
    let summary = summary(&folder);
    assert_eq!(summary["least_similar"][0]["removed_uri"], "https://example.org/1");
    assert_eq!(summary["largest_clusters"][0]["kept_uri"], "https://example.org/3");
}

#[test]
fn the_document_that_is_named_is_better_in_keep_order() {
    let folder = Folder::new();
    // "b" is like "a" and, even more, like "c"; "a" and "c" are not alike. Only "a" is better than "b".
    let words = |range: std::ops::Range<usize>| range.map(|at| format!("w{at}")).collect::<Vec<_>>().join(" ");
    let line = |id: &str, score: usize, text: String| {
        serde_json::json!({ "id": id, "score": score, "text": text }).to_string() + "\n"
    };
    let lines = line("a", 9, words(0..100)) + &line("b", 5, words(15..115)) + &line("c", 1, words(25..125));
    folder.write("in.jsonl", lines);
    for more in [&[][..], &["--exact"]] {
        let command = ["dedup", "in.jsonl", "--id", "id", "-t", "0.7", "--keep", "max:score", "-o", "out", "--force"];
        let ran = folder.run(&[&command, more].concat());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let removed: Value = serde_json::from_str(folder.read("out/removed.jsonl").trim()).unwrap();
        assert_eq!((&removed["removed_id"], &removed["kept_id"]), (&"b".into(), &"a".into()), "{more:?}");
    }
}

#[test]
fn tune_has_bounds_that_are_possible_and_counts_one_way() {
    let folder = Folder::new();
    // Copies, near-duplicates and texts that have half in common.
    let line = |text: &str| serde_json::json!({ "text": text }).to_string() + "\n";
    let half = |at: usize| format!("{} {}", text(1), text(100 + at));
    let near = |at: usize| format!("{} closing {at}", text(10 + at));
    let input: String =
        (0..12).map(|at| line(&half(at)) + &line(&text(10 + at)) + &line(&near(at)) + &line(&text(10 + at))).collect();
    folder.write("in.jsonl", input);
    let ran = folder.run(&["tune", "in.jsonl", "--summary", "json"]);
    let tuning: Value = serde_json::from_str(&ran.stdout).unwrap();
    let steps = tuning["sample"]["pairs"].as_array().unwrap();
    let number = |step: &Value, of: &str, which: &str| step[of][which].as_f64().unwrap();
    let copies = 12.0;
    for (step, next) in steps.iter().zip(&steps[1..]) {
        for (of, most) in [("pair_count", 48.0 * 47.0 / 2.0), ("removed_count", 47.0)] {
            let [low, value, high] = ["low", "value", "high"].map(|which| number(step, of, which));
            assert!(copies <= low && low <= value && value <= high && high <= most, "{step}");
            assert!(number(next, of, "low") <= low && number(next, of, "high") <= high, "{step} {next}");
        }
        assert!(number(step, "removed_count", "high") <= number(step, "pair_count", "high"), "{step}");
    }
    // All 24 pairs of near-duplicates were measured: there are no fewer.
    assert!(number(&steps[9], "pair_count", "low") >= 36.0, "{}", steps[9]);
    // The sentence counts what the table counts, copies among them.
    let text = folder.run(&["tune", "in.jsonl"]).stdout;
    let reason = tuning["sample"]["suggestion"]["reason"].as_str().unwrap();
    assert!(text.contains(reason), "{text}");
    let shown = steps.iter().find(|step| step["similarity"] == 0.8).unwrap();
    assert_eq!(number(shown, "pair_count", "value").round() as u64, 36);
    assert!(reason.ends_with("(about 0 from 0.5 to 0.8, and 36 of 0.8 or more)"), "{reason}");
}

#[test]
fn every_command_says_whether_a_small_input_is_compared_exactly() {
    let folder = Folder::new();
    folder.write("in.jsonl", lines());
    let small = "compared exactly because the input is small";
    let ran = folder.run(&["dedup", "in.jsonl", "-o", "out"]);
    let found_by = format!("found by  word:5 shingles at a similarity of 0.8 or more, {small}: recall 1\n");
    assert!(ran.stderr.contains(&found_by), "{}", ran.stderr);
    let by_default = summary(&folder)["parameters"].clone();
    assert_eq!((&by_default["method"]["name"], &by_default["exact_because_small"]), (&"exact".into(), &true.into()));
    assert_eq!((&by_default["recall_at_threshold"], &by_default["sketch_bytes"]), (&1.0.into(), &0.into()));
    let report = folder.read("out/report.html");
    assert!(report.contains("because the input is small"), "the report says why");
    // A recall that is asked for is that of sketches, of the same scheme.
    let ran = folder.run(&["dedup", "in.jsonl", "-o", "out", "--force", "--recall", "0.99"]);
    assert!(ran.stderr.contains("20 bands of 7 rows: recall 0.9910 at the threshold\n"), "{}", ran.stderr);
    let sketched = summary(&folder)["parameters"].clone();
    assert_eq!((&sketched["method"]["name"], &sketched["exact_because_small"]), (&"minhash".into(), &false.into()));
    assert_eq!(sketched["fingerprint"], by_default["fingerprint"]);
    let ran = folder.run(&["dedup", "in.jsonl", "-o", "out", "--force", "--exact"]);
    assert!(ran.stderr.contains("by an exact join: recall 1\n"), "{}", ran.stderr);

    assert!(folder.run(&["pairs", "in.jsonl"]).stderr.contains(small));
    assert!(!folder.run(&["pairs", "in.jsonl", "--method", "minhash"]).stderr.contains(small));
    let said = "compare this input exactly because it is small: recall 1; what follows is for larger input\n";
    assert!(folder.run(&["tune", "in.jsonl"]).stdout.contains(said));
    assert!(!folder.run(&["tune", "in.jsonl", "--bands", "20", "--rows", "5"]).stdout.contains(said));
    assert!(!folder.run(&["tune"]).stdout.contains(said));
    let ran = folder.run(&["evaluate", "in.jsonl", "--methods", "minhash"]);
    assert!(ran.stderr.contains("small input: dedup and pairs compare it exactly (recall 1)"), "{}", ran.stderr);
    // An index finds by its own sketches.
    folder.run(&["index", "create", "archive", "-q"]);
    let ran = folder.run(&["dedup", "in.jsonl", "-o", "out", "--force", "--against-index", "archive"]);
    assert!(ran.code == 0 && ran.stderr.contains("20 bands of 7 rows"), "{}", ran.stderr);
}

#[test]
fn resuming_by_another_way_of_finding_is_refused() {
    let folder = Folder::new();
    folder.write("in.jsonl", lines());
    assert_eq!(folder.run(&["dedup", "in.jsonl", "-o", "out", "--work", "work"]).code, 0);
    let again = ["dedup", "in.jsonl", "-o", "out", "--work", "work", "--resume"];
    assert!(folder.run(&again).stderr.contains("the run is finished"), "it is the same run");
    let other = folder.run(&[&again[..], &["--recall", "0.99"]].concat());
    assert!(other.code == 2 && !other.stderr.contains("is finished"), "{}", other.stderr);
}

#[test]
fn test_items_in_a_corpus_make_a_table_and_can_fail_a_check() {
    let folder = Folder::new();
    let example =
        |name: &str| std::fs::read_to_string(format!("{}/../../examples/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    folder.write("crawl.jsonl", example("crawl.jsonl")).write("quiz.jsonl", example("quiz.jsonl"));
    let words = ["decontaminate", "crawl.jsonl", "--against", "quiz.jsonl", "--id", "id"];
    let ran = folder.run(&words);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("6 test items looked for in 7 documents"), "{}", ran.stderr);
    assert!(ran.stdout.contains("50.0 %"), "{}", ran.stdout);
    let failed = folder.run(&[&words[..], &["--fail-if-contaminated", "0.5", "-o", "out"]].concat());
    assert_eq!(failed.code, 1, "{}", failed.stderr);
    assert_eq!(folder.read("out/hits.jsonl").lines().count(), 4);
    assert_refused(&folder, &["decontaminate", "crawl.jsonl"], &["--against must be one test set or more"]);
    let unknown = [&words[..], &["--fields", "prompt,answer"]].concat();
    assert_refused(&folder, &unknown, &["prompt", "question"]);
    assert_refused(
        &folder,
        &["decontaminate", "-", "--against", "quiz.jsonl", "--action", "cut", "-o", "x"],
        &["--action"],
    );
}
