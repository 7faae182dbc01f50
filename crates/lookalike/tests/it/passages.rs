//! Repeated passages of files: what is listed, cut and marked, whatever the threads, the memory and the format.

use crate::made;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use lookalike::{PassageRows, PassagesRequest, PassagesSummary, RepeatedPassage, Silent};
use lookalike_judge::{RepeatedUnit, repeated, repeated_anywhere};
use serde_json::{Value, json};

fn write(folder: &Path, name: &str, texts: &[&str]) -> PathBuf {
    let line = |(at, text): (usize, &&str)| format!("{}\n", json!({"id": format!("d{at}"), "n": at, "text": text}));
    let path = folder.join(name);
    fs::write(&path, texts.iter().enumerate().map(line).collect::<String>()).unwrap();
    path
}

fn run(request: PassagesRequest) -> (Vec<RepeatedPassage>, PassagesSummary) {
    let mut rows = Vec::new();
    let options = request.check().unwrap();
    let summary = lookalike::passages_into(&options, PassageRows::default().passages(&mut rows), &Silent).unwrap();
    (rows, summary)
}

fn places(rows: &[RepeatedPassage]) -> Vec<(&str, u64, u64)> {
    rows.iter().map(|row| (&*row.document_id, row.start, row.end)).collect()
}

/// The texts of JSON lines, by their ids.
fn texts(path: &Path) -> BTreeMap<String, String> {
    let text = |line: &str| {
        let line: Value = serde_json::from_str(line).unwrap();
        (line["id"].as_str().unwrap().to_owned(), line["text"].as_str().unwrap().to_owned())
    };
    fs::read_to_string(path).unwrap().lines().map(text).collect()
}

const MENU: &str = "Home\nNews\n\n";

#[test]
fn lines_that_another_document_has_are_cut_but_for_the_first() {
    let folder = tempfile::tempdir().unwrap();
    let pages =
        [format!("{MENU}The river rose."), format!("{MENU}The market opens.\n News "), "The roof is new.".into()];
    let pages = write(folder.path(), "pages.jsonl", &pages.each_ref().map(String::as_str));
    let out = folder.path().join("out");
    let request = PassagesRequest::new([&pages]).id("id").unit("line").action(lookalike::Action::Cut).output(&out);
    let (rows, summary) = run(request);
    assert_eq!(places(&rows), [("d1", 0, 10), ("d1", 29, 35)]);
    assert_eq!((&*rows[0].first_document_id, rows[0].first_start, rows[0].copies), ("d0", 0, 2));
    assert_eq!((summary.found.document_count, summary.found.passage_count, summary.found.cut_bytes), (1, 2, 16));
    let written = texts(&out.join("cut/pages.jsonl"));
    assert_eq!(written["d1"], "\nThe market opens.\n");
    assert_eq!(written["d0"], format!("{MENU}The river rose."));
    let mut names: Vec<_> = fs::read_dir(&out).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["cut", "cuts.jsonl", "husks.jsonl", "report.html", "summary.json"]);
}

#[test]
fn boilerplate_is_cut_everywhere_if_no_copy_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let pages = write(folder.path(), "pages.jsonl", &["Home\na b", "Home\nc d", "Home\na b"]);
    let keep_none = PassagesRequest::new([&pages]).id("id").unit("line").keep(lookalike::KeepCopy::None).at_least(3);
    let (rows, _) = run(keep_none);
    assert_eq!(places(&rows), [("d0", 0, 5), ("d1", 0, 5), ("d2", 0, 5)]);
    assert!(rows.iter().all(|row| row.copies == 3 && row.first_document_id == "d0"));
}

#[test]
fn annotated_documents_have_a_list_of_their_passages_and_husks_may_be_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let pages = write(folder.path(), "pages.jsonl", &["a b c\nd", "a b c", "e\na b c"]);
    let out = folder.path().join("out");
    let request = PassagesRequest::new([&pages]).id("id").unit("line").husk(1).remove_husks(true);
    let (_, summary) = run(request.action(lookalike::Action::Annotate).output(&out));
    assert_eq!((summary.found.husk_count, summary.found.removed_count), (1, 1));
    let husk: Value = serde_json::from_str(&fs::read_to_string(out.join("husks.jsonl")).unwrap()).unwrap();
    assert_eq!(
        husk,
        json!({"document_id": "d1", "word_count": 0, "cut_bytes": 5, "file": "pages.jsonl", "position": 2})
    );
    let written = fs::read_to_string(out.join("annotated/pages.jsonl")).unwrap();
    let lines: Vec<Value> = written.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0], json!({"id": "d0", "n": 0, "text": "a b c\nd", "passages": []}));
    let passage = json!({"start": 2, "end": 7, "first_document_id": "d0", "first_start": 0, "copies": 3});
    assert_eq!(lines[1]["passages"], json!([passage]));
}

#[test]
fn gaps_of_a_few_words_are_bridged() {
    let folder = tempfile::tempdir().unwrap();
    let run_of = |first: usize| (first..first + 10).map(|word| format!("w{word}")).collect::<Vec<_>>().join(" ");
    let whole = format!("{} {}", run_of(0), run_of(10));
    let gapped = format!("{} so it is, {}", run_of(0), run_of(10));
    let pages = write(folder.path(), "pages.jsonl", &[&whole, &gapped]);
    let request = || PassagesRequest::new([&pages]).id("id").unit("run:8");
    let (rows, _) = run(request());
    assert_eq!(places(&rows), [("d1", 0, gapped.len() as u64)]);
    let (rows, _) = run(request().gap(2));
    assert_eq!(rows.len(), 2);
}

#[test]
fn rows_of_a_table_become_objects_and_texts_too() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.csv"), "id,text,n\n1,\"Home\nnew, and \"\"good\"\"\",7\n").unwrap();
    fs::write(folder.path().join("b.txt"), "Home\nold").unwrap();
    let out = folder.path().join("out");
    let inputs = ["b.txt", "a.csv"].map(|name| folder.path().join(name));
    let (rows, _) = run(PassagesRequest::new(inputs).id("id").unit("line").action(lookalike::Action::Cut).output(&out));
    assert_eq!(places(&rows), [("1", 0, 5)]);
    let read = |name: &str| -> Value { serde_json::from_str(&fs::read_to_string(out.join(name)).unwrap()).unwrap() };
    assert_eq!(read("cut/a.csv.jsonl"), json!({"id": "1", "text": "new, and \"good\"", "n": "7"}));
    assert_eq!(read("cut/b.txt.jsonl"), json!({"id": "b.txt", "text": "Home\nold"}));
}

/// Texts that share lines, paragraphs and runs of words.
fn made_texts(count: usize) -> Vec<String> {
    let mut state = 7_u64;
    let mut next = move |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let sentences: Vec<String> =
        (0..30).map(|_| (0..5 + next(20)).map(|_| format!("wort{}", next(50))).collect::<Vec<_>>().join(" ")).collect();
    let ends = [". ", ".\n", "!\n\n", "\n\n"];
    (0..count)
        .map(|_| {
            (0..2 + next(8)).map(|_| format!("{}{}", sentences[next(30) as usize], ends[next(4) as usize])).collect()
        })
        .collect()
}

fn covered(stretches: impl IntoIterator<Item = (usize, usize, usize)>) -> BTreeSet<(usize, usize)> {
    stretches.into_iter().flat_map(|(text, start, end)| (start..end).map(move |byte| (text, byte))).collect()
}

#[test]
fn passages_of_files_are_those_of_brute_force() {
    let folder = tempfile::tempdir().unwrap();
    let texts = made_texts(80);
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let pages = write(folder.path(), "pages.jsonl", &texts);
    for (unit, judge) in
        [("line", RepeatedUnit::Line), ("paragraph", RepeatedUnit::Paragraph), ("run:12", RepeatedUnit::Run(12))]
    {
        for at_least in [2, 4] {
            let (rows, _) = run(PassagesRequest::new([&pages]).unit(unit).at_least(at_least).gap(0));
            let found = rows.iter().map(|row| (row.position as usize - 1, row.start as usize, row.end as usize));
            let expected = repeated(&texts, judge, at_least as usize);
            let bytes = |all: BTreeSet<(usize, usize)>| {
                let is_of_word = |(text, byte): &(usize, usize)| texts[*text].as_bytes()[*byte].is_ascii_alphanumeric();
                all.into_iter().filter(is_of_word).collect::<BTreeSet<_>>()
            };
            assert!(at_least > 2 || !expected.is_empty());
            // The characters between two passages belong to one of them.
            assert!(bytes(covered(found)) == bytes(covered(expected)), "{unit}, at least {at_least}");
        }
    }
}

#[test]
fn what_one_document_repeats_is_found_if_it_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let texts = made_texts(60);
    // Runs that overlap themselves, too.
    let texts: Vec<String> = texts.into_iter().chain(["wort1 ".repeat(40), "Wort1 ".repeat(15)]).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let pages = write(folder.path(), "pages.jsonl", &texts);
    for (unit, judge) in [("line", RepeatedUnit::Line), ("run:12", RepeatedUnit::Run(12))] {
        let (rows, _) = run(PassagesRequest::new([&pages]).unit(unit).within(true).gap(0));
        let found = rows.iter().map(|row| (row.position as usize - 1, row.start as usize, row.end as usize));
        let is_of_word = |(text, byte): &(usize, usize)| texts[*text].as_bytes()[*byte].is_ascii_alphanumeric();
        let bytes = |all: BTreeSet<(usize, usize)>| all.into_iter().filter(is_of_word).collect::<BTreeSet<_>>();
        assert!(bytes(covered(found)) == bytes(covered(repeated_anywhere(&texts, judge))), "{unit}");
        assert!(rows.iter().any(|row| row.position == row.first_position && row.copies > 1));
    }
    let (rows, _) = run(PassagesRequest::new([&pages]).unit("line").within(true).at_least(4));
    assert!(!rows.is_empty() && rows.iter().all(|row| row.copies >= 4));
}

#[test]
fn what_an_earlier_run_wrote_beside_the_input_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "pages.jsonl", &["Home\na b", "Home\nc d"]);
    let out = folder.path().join("out");
    let request = || PassagesRequest::new([folder.path()]).unit("line").action(lookalike::Action::Cut).output(&out);
    let (first, _) = run(request());
    let (second, summary) = run(request().force(true));
    assert_eq!((places(&first), summary.input.document_count), (places(&second), 2));
}

/// Two functions, each in two files, with other layout and comments.
const CODE: [&str; 2] = [
    "// The sum.\nint sum(int *a, int n) {\n  int s = 0;\n  for (int i = 0; i < n; i++) s += a[i];\n  return s;\n}\n",
    "int most(int *a, int n) {\n\tint m = a[0];\n\tfor (int i = 1; i < n; i++) if (a[i] > m) m = a[i]; // more\n\treturn m;\n}\n",
];

#[test]
fn copies_of_functions_are_found_by_their_tokens_and_logged_with_their_lines() {
    let folder = tempfile::tempdir().unwrap();
    let [sum, most] = CODE;
    fs::write(folder.path().join("a.c"), format!("{sum}\n{most}")).unwrap();
    fs::write(folder.path().join("b c.c"), format!("char x;\n\n  {}", sum.replace('\n', "\n  "))).unwrap();
    let out = folder.path().join("out");
    let request = || PassagesRequest::new([folder.path()]).unit("run:30").tokens("code");
    let (rows, summary) = run(request().format(lookalike::PassageFormat::Sarif).output(&out));
    assert_eq!((rows.len(), &*rows[0].document_id, &*rows[0].first_document_id), (1, "b c.c", "a.c"));
    assert_eq!((&*summary.tokens, summary.over_limit, rows[0].new), ("code", false, None));
    assert!(!out.join("cuts.jsonl").exists());
    let log: Value = serde_json::from_str(&fs::read_to_string(out.join("cuts.sarif")).unwrap()).unwrap();
    let result = &log["runs"][0]["results"][0];
    let location = &result["locations"][0]["physicalLocation"];
    assert!(location["artifactLocation"]["uri"].as_str().unwrap().ends_with("/b%20c.c"), "{location}");
    // The comment before the function is not a token, and white space around it is not part of the passage.
    assert_eq!(location["region"], json!({"startLine": 4, "startColumn": 3, "endLine": 8, "endColumn": 4}));
    let first = &result["relatedLocations"][0]["physicalLocation"];
    assert_eq!(first["region"], json!({"startLine": 2}));
    assert_eq!(result["partialFingerprints"]["passage/v1"], rows[0].fingerprint);
    assert_eq!(log["runs"][0]["results"].as_array().unwrap().len(), 1);
}

#[test]
fn what_a_baseline_does_not_have_is_new() {
    let folder = tempfile::tempdir().unwrap();
    let [sum, most] = CODE;
    let tree = folder.path().join("tree");
    fs::create_dir(&tree).unwrap();
    fs::write(tree.join("a.c"), format!("{sum}\n{most}")).unwrap();
    fs::write(tree.join("b.c"), format!("char x;\n{sum}")).unwrap();
    let request = || PassagesRequest::new([&tree]).unit("run:30").tokens("code");
    for (format, name) in
        [(lookalike::PassageFormat::Jsonl, "cuts.jsonl"), (lookalike::PassageFormat::Sarif, "cuts.sarif")]
    {
        let out = folder.path().join(name);
        let (before, _) = run(request().format(format).output(&out));
        assert_eq!(before.len(), 1);
        let again = |request: PassagesRequest| run(request.baseline(out.join(name)));
        // It is still known in other lines, and in a file that was renamed.
        fs::write(tree.join("b.c"), format!("char x;\nchar y;\n\n{sum}")).unwrap();
        fs::rename(tree.join("b.c"), tree.join("c.c")).unwrap();
        let (rows, summary) = again(request());
        assert_eq!((rows.len(), rows[0].new, summary.over_limit), (1, Some(false), false));
        assert_eq!((summary.found.new_passage_count, summary.found.new_cut_bytes), (Some(0), Some(0)));
        // The first copy may be renamed as well, and another one may come first then.
        fs::rename(tree.join("a.c"), tree.join("z.c")).unwrap();
        let (rows, summary) = again(request());
        assert_eq!((rows.len(), &*rows[0].file, rows[0].new, summary.over_limit), (1, "z.c", Some(false), false));
        fs::rename(tree.join("z.c"), tree.join("a.c")).unwrap();
        fs::write(tree.join("d.c"), format!("char z;\n{most}")).unwrap();
        let (rows, summary) = again(request());
        let new: Vec<(&str, Option<bool>)> = rows.iter().map(|row| (&*row.file, row.new)).collect();
        assert_eq!((new, summary.over_limit), (vec![("c.c", Some(false)), ("d.c", Some(true))], true));
        let (_, summary) = again(request().fail_if_repeated(0.9));
        assert!(!summary.over_limit);
        fs::remove_file(tree.join("d.c")).unwrap();
        fs::rename(tree.join("c.c"), tree.join("b.c")).unwrap();
        fs::write(tree.join("b.c"), format!("char x;\n{sum}")).unwrap();
    }
    assert!(run(request().fail_if_repeated(0.1)).1.over_limit);
    assert!(!run(request().fail_if_repeated(0.9)).1.over_limit);
}

#[test]
fn output_has_the_same_bytes_for_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let texts = made_texts(300);
    let pages = write(folder.path(), "pages.jsonl", &texts.iter().map(String::as_str).collect::<Vec<_>>());
    let written = |threads: usize, name: &str| {
        let out = folder.path().join(name);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let request = PassagesRequest::new([&pages]).id("id").unit("run:10").action(lookalike::Action::Cut);
        pool.install(|| run(request.output(&out)));
        ["cuts.jsonl", "husks.jsonl", "cut/pages.jsonl"].map(|name| fs::read(out.join(name)).unwrap())
    };
    assert!(written(1, "one") == written(8, "eight"));
}

#[test]
fn what_does_not_fit_the_memory_is_counted_in_parts_with_the_same_result() {
    let folder = tempfile::tempdir().unwrap();
    let mut state = 1_u64;
    let mut word = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        format!("w{}", state >> 40)
    };
    // Each of 600,000 runs occurs twice, and there is room for 440,000.
    let originals: Vec<Vec<String>> = (0..20).map(|_| (0..30_000).map(|_| word()).collect()).collect();
    let copies = originals.iter().map(|words| format!("{} end of copy {}", words[..29_000].join(" "), words[7]));
    let texts: Vec<String> = originals.iter().map(|words| words.join(" ")).chain(copies).collect();
    let pages = write(folder.path(), "pages.jsonl", &texts.iter().map(String::as_str).collect::<Vec<_>>());
    let rows = |memory: &str| run(PassagesRequest::new([&pages]).id("id").unit("run:8").memory(memory)).0;
    let [small, large] = ["64M", "2G"].map(rows);
    assert_eq!(small.len(), 20);
    assert_eq!(small, large);
}

#[test]
#[ignore = "reads labeled data: cargo xtask test runs it where that is"]
fn the_shared_set_has_its_exact_answer() {
    let data = made::labeled("passages");
    let (rows, _) = run(PassagesRequest::new([data.join("docs.jsonl.gz")]).id("id").gap(0));
    let mut merged: BTreeSet<(String, u64, u64)> = BTreeSet::new();
    for row in &rows {
        // The judge of the set does not ask where a passage occurs first.
        let touching = merged.iter().find(|(id, _, end)| *id == row.document_id && row.start <= *end + 1).cloned();
        let start = touching.as_ref().map_or(row.start, |before| before.1);
        touching.map(|before| merged.remove(&before));
        merged.insert((row.document_id.clone(), start, row.end));
    }
    let exact: BTreeSet<(String, u64, u64)> = fs::read_to_string(data.join("exact50.jsonl"))
        .unwrap()
        .lines()
        .map(|line| {
            let line: Value = serde_json::from_str(line).unwrap();
            let place = |name: &str| line[name].as_u64().unwrap();
            (line["document_id"].as_str().unwrap().to_owned(), place("start"), place("end"))
        })
        .collect();
    let different: Vec<_> = merged.symmetric_difference(&exact).collect();
    assert!(
        different.is_empty(),
        "{} of {}: {:?}",
        different.len(),
        exact.len(),
        &different[..different.len().min(10)]
    );
}
