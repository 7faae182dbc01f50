//! Nothing vanishes: documents that are not removed are written, byte by byte, and entries that are not read are
//! reported.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use crate::made::{Case, dedup, try_dedup};
use flate2::Compression;
use flate2::write::GzEncoder;
use lookalike::index::{self, CreateOptions, Index};
use lookalike::io::input::discover::discover;
use lookalike::io::input::shelf::Shelf;
use lookalike::io::read::{Chunk, Parser, Settings, Split, Stream, Unit};
use lookalike::{AddRequest, Error, PairsRequest, Silent, Summary, TuneRequest};
use proptest::prelude::*;

fn text(seed: usize) -> String {
    (0..20).map(|at| format!("w{}", seed * 1000 + at)).collect::<Vec<_>>().join(" ")
}

fn line(seed: usize) -> String {
    format!("{{\"id\": {seed}, \"text\": \"{}\"}}\n", text(seed))
}

fn kept(case: &Case, name: &str) -> String {
    String::from_utf8(fs::read(case.path("out/kept").join(name)).unwrap()).unwrap()
}

fn run(case: &Case) -> Summary {
    dedup(&case.request("in", 0.8))
}

fn annotated(case: &Case) -> Summary {
    dedup(&case.request("in", 0.8).annotate(true))
}

fn split(case: &Case, split: Split) -> Summary {
    dedup(&case.request("in", 0.8).split(split))
}

/// The error that ends a run on a folder.
fn refused(case: &Case) -> String {
    let error = try_dedup(&case.request("in", 0.8)).unwrap_err();
    assert!(!case.path("out").exists());
    error.to_string()
}

#[test]
fn records_whose_text_is_null_or_missing_are_kept_in_their_place_and_counted() {
    let others = ["{\"id\": 8, \"text\": null}\n", "{\"id\": 9}\n", "\n"];
    let all = [&*line(1), others[0], &*line(1), others[1], others[2], &*line(2)].concat();
    let less = [&*line(1), others[0], others[1], others[2], &*line(2)].concat();
    let case = Case::new();
    case.write("in/a.jsonl", &all);
    let summary = run(&case);
    assert_eq!((summary.input.document_count, summary.input.skipped_count, summary.found.removed_count), (3, 0, 1));
    assert_eq!(
        summary.input.carried.iter().map(|(kind, count)| (&**kind, *count)).collect::<Vec<_>>(),
        [("no text field", 1), ("null text", 1)]
    );
    assert_eq!(summary.input.without_text(), 2);
    assert_eq!(kept(&case, "a.jsonl"), less);
    // The removed line is the third, whatever is between.
    assert_eq!(case.rows("removed.jsonl")[0]["removed_position"], 3);

    let case = Case::new();
    case.write("in/a.json", format!("[{}]", all.replace("\n\n", "\n").trim_end().replace('\n', ",\n")));
    run(&case);
    let list: Vec<serde_json::Value> = serde_json::from_str(&kept(&case, "a.json")).unwrap();
    assert_eq!(list.iter().map(|object| object["id"].as_u64().unwrap()).collect::<Vec<_>>(), [1, 8, 9, 2]);
}

#[test]
fn records_without_a_text_are_annotated_as_kept_in_no_cluster() {
    let case = Case::new();
    case.write("in/a.jsonl", line(1) + "{\"id\": 8, \"text\": null}\n" + &line(1));
    annotated(&case);
    let rows = case.rows("annotated/a.jsonl");
    assert_eq!(rows.len(), 3);
    assert_eq!((&rows[1]["kept"], &rows[1]["cluster"]), (&true.into(), &serde_json::Value::Null));
    assert_eq!((&rows[2]["kept"], &rows[2]["cluster"]), (&false.into(), &1.into()));
}

#[test]
fn blank_lines_stay_blank_where_a_table_is_annotated() {
    let case = Case::new();
    case.write("in/a.csv", format!("\r\nid,text\r\n\r\n1,{}\r\n\n2,\r\n", text(1)));
    annotated(&case);
    let rows = fs::read_to_string(case.path("out/annotated/a.csv")).unwrap();
    let expected = format!(
        "\r\nid,text,cluster,kept,kept_id,similarity,cluster_size,copy_count\r\n\r\n1,{},1,true,,,1,1\r\n\n2,,2,true,,,1,1\r\n",
        text(1)
    );
    assert_eq!(rows, expected);
}

#[test]
fn a_file_without_the_text_field_ends_the_run_and_its_fields_are_named() {
    let case = Case::new();
    case.write("in/a.jsonl", line(1));
    case.write("in/b.jsonl", "{\"id\":1,\"body\":{\"content\":\"x\"}}\n{\"id\":2,\"title\":\"y\"}\n");
    let error = refused(&case);
    assert!(error.starts_with("no record of ") && error.contains("b.jsonl has text in the field 'text'"), "{error}");
    assert!(
        error.contains("name the field of the text") && error.ends_with("its fields are id, body.content, title"),
        "{error}"
    );
    // In every format the same.
    for (name, bytes) in [
        ("b.json", &b"[{\"id\":1},\n{\"title\":\"x\"}]"[..]),
        ("c.json", b"{\n\"id\":1,\n\"title\":\"x\"}"),
        ("b.csv", b"id,title\n1,x\n"),
        ("b.tsv", b"id\ttitle\n1\tx\n"),
    ] {
        let case = Case::new();
        case.write(&format!("in/{name}"), bytes);
        let error = refused(&case);
        assert!(error.ends_with("its fields are id, title"), "{name}: {error}");
    }
    // A field that is null everywhere is there.
    let case = Case::new();
    case.write("in/a.jsonl", "{\"text\":null}\n{\"id\":1}\n");
    assert_eq!(run(&case).input.without_text(), 2);
    assert_eq!(kept(&case, "a.jsonl"), "{\"text\":null}\n{\"id\":1}\n");
}

#[test]
fn half_of_a_surrogate_pair_costs_nothing() {
    let odd = |seed| format!("{{\"id\":\"\\ud83d{seed}\", \"text\" : \"{} \\ud83d\"}}\n", text(seed));
    let case = Case::new();
    case.write("in/a.jsonl", odd(1) + &odd(2) + &odd(1));
    let mut request = case.request("in", 0.8);
    request.read.id = Some("id".to_owned());
    let summary = dedup(&request);
    assert_eq!((summary.input.document_count, summary.input.skipped_count, summary.found.removed_count), (3, 0, 1));
    assert_eq!(kept(&case, "a.jsonl"), odd(1) + &odd(2));
    assert_eq!(case.rows("removed.jsonl")[0]["removed_id"], "\u{fffd}1");
    annotated(&case);
    let lines = fs::read_to_string(case.path("out/annotated/a.jsonl")).unwrap();
    let first = lines.lines().next().unwrap();
    assert!(first.starts_with(odd(1).trim_end().trim_end_matches('}')), "{first}");
    // In a list too.
    let case = Case::new();
    case.write("in/a.json", format!("[{},{}]", odd(1).trim(), odd(2).trim()));
    assert_eq!(run(&case).input.document_count, 2);
}

#[test]
fn blank_lines_between_lines_and_paragraphs_stay() {
    let case = Case::new();
    case.write("in/a.txt", format!("\n\n{}\n\n{}\r\n \n{}\n\n\n{}", text(1), text(2), text(1), text(3)));
    let summary = split(&case, Split::Line);
    assert_eq!((summary.input.document_count, summary.found.removed_count), (4, 1));
    assert_eq!(kept(&case, "a.txt"), format!("\n\n{}\n\n{}\r\n \n\n\n{}", text(1), text(2), text(3)));
    // A paragraph has the blank lines after it; those before the first belong to none.
    split(&case, Split::Paragraph);
    assert_eq!(kept(&case, "a.txt"), format!("\n\n{}\n\n{}\r\n \n{}", text(1), text(2), text(3)));
}

#[test]
fn blank_lines_in_a_row_are_one_thing_to_remember() {
    let case = Case::new();
    let path = case.write("in/a.txt", "\n".repeat(3_000_000) + &text(1));
    let settings = Settings { split: Split::Line, ..Settings::default() };
    let shelf = Shelf::new(discover(&[path], None).unwrap());
    let mut stream = Stream::open(&Unit::whole(0), &shelf.files()[0], &settings).unwrap();
    let (mut parser, mut chunk) = (Parser::new(&settings), Chunk::default());
    let (mut entries, mut positions) = (0, 0);
    while stream.next(&mut chunk).unwrap() {
        chunk.settle(&shelf).unwrap();
        positions += parser.entries(&chunk, |_| entries += 1);
    }
    // One in each chunk of a megabyte, and the document.
    assert_eq!(positions, 3_000_001);
    assert!(entries <= 4, "{entries}");
}

#[test]
fn json_of_which_nothing_is_left_is_json_still() {
    let case = Case::new();
    case.write("in/a.jsonl", line(1));
    case.write("in/list.json", "[{\"text\": 5}, {\"text\": [1]}]");
    case.write("in/one.json", "{\"text\": 5}");
    case.write("in/values.json", "{\n\"text\": 5\n}\n{\n\"text\": 6\n}\n");
    case.write("in/twice.json", format!("{{\n\"text\": \"{}\"\n}}", text(1)));
    let summary = run(&case);
    assert_eq!((summary.input.skipped_count, summary.found.removed_count), (5, 1));
    for name in ["list.json", "one.json", "values.json", "twice.json"] {
        let value: serde_json::Value = serde_json::from_str(&kept(&case, name)).unwrap();
        assert_eq!(value, serde_json::json!([]), "{name}");
    }
}

#[test]
fn where_all_is_skipped_nothing_is_written() {
    let case = Case::new();
    case.write("in/a.jsonl", "{oops\n");
    case.write("in/b.csv", "id,text\n1\n");
    let refused = try_dedup(&case.request("in", 0.8)).unwrap_err();
    assert!(matches!(refused, Error::NothingRead { count: 2, .. }), "{refused}");
    assert!(refused.to_string().contains("a.jsonl"), "{refused}");
    assert!(!case.path("out").exists());
    let archive = Index::create(&case.path("index"), &CreateOptions::default()).unwrap();
    let options = AddRequest::new([case.path("in")]).check().unwrap();
    let refused = index::add(&archive.writer().unwrap(), &options, &Silent).unwrap_err();
    assert!(matches!(refused, Error::NothingRead { count: 2, .. }), "{refused}");
    let pairs = PairsRequest::new([case.path("in")]).check().unwrap();
    assert!(matches!(lookalike::pairs(&pairs, &mut Vec::new(), &Silent), Err(Error::NothingRead { count: 2, .. })));
    let tune = TuneRequest::default().inputs([case.path("in")]).check().unwrap();
    assert!(matches!(lookalike::tune(&tune, &Silent), Err(Error::NothingRead { count: 2, .. })));
    // An empty file is not skipped.
    let case = Case::new();
    case.write("in/a.jsonl", "");
    assert_eq!(run(&case).input.skipped_count, 0);
    assert_eq!(kept(&case, "a.jsonl"), "");
}

#[cfg(unix)]
#[test]
fn what_leads_nowhere_is_skipped_and_shown() {
    let case = Case::new();
    case.write("in/a.jsonl", line(1));
    std::os::unix::fs::symlink("gone.jsonl", case.path("in/b.jsonl")).unwrap();
    std::os::unix::fs::symlink("self.jsonl", case.path("in/self.jsonl")).unwrap();
    let summary = run(&case);
    assert_eq!((summary.input.document_count, summary.input.skipped_count), (1, 2));
    let first = &summary.skipped[0];
    assert!(first.file.ends_with("in/b.jsonl"), "{}", first.file);
    assert_eq!((first.entry, first.reason.text()), ("file", "a link to gone.jsonl, which does not exist"));
    assert!(summary.skipped[1].reason.text().starts_with("cannot be read: "), "{}", summary.skipped[1].reason);
    assert!(case.path("out/kept/a.jsonl").exists() && !case.path("out/kept/b.jsonl").exists());
    // Named, it ends the run; in a list it does not.
    let mut request = case.request("in", 0.8);
    request.read.inputs = vec![case.path("in/a.jsonl"), case.path("in/b.jsonl")];
    assert!(try_dedup(&request).is_err());
    request.read.listed = request.read.inputs.split_off(1);
    assert_eq!(dedup(&request).input.skipped_count, 1);
}

#[cfg(unix)]
#[test]
fn of_a_file_and_its_links_the_file_is_kept_and_the_links_are_named() {
    let case = Case::new();
    let file = case.write("in/m.jsonl", line(1));
    fs::hard_link(&file, case.path("in/z.jsonl")).unwrap();
    std::os::unix::fs::symlink("m.jsonl", case.path("in/a.jsonl")).unwrap();
    case.write("in/.hidden", "x");
    let summary = run(&case);
    assert_eq!((summary.input.file_count, summary.input.document_count, summary.found.removed_count), (1, 1, 0));
    assert_eq!(fs::read_dir(case.path("out/kept")).unwrap().count(), 1);
    assert_eq!(kept(&case, "m.jsonl"), line(1));
    let summary: serde_json::Value = serde_json::from_slice(&fs::read(case.path("out/summary.json")).unwrap()).unwrap();
    let left_out = &summary["input"]["left_out"];
    assert_eq!((&left_out["links"]["count"], &left_out["hidden"]["count"]), (&2.into(), &1.into()));
    assert!(left_out["hidden"]["first"][0].as_str().unwrap().ends_with("in/.hidden"));
}

#[test]
fn rows_say_where_both_documents_are_whatever_their_ids() {
    let case = Case::new();
    let same = |seed: usize| format!("{{\"id\": \"same\", \"text\": \"{}\"}}\n", text(seed));
    case.write("in/a.jsonl", format!("\n{}{}", same(1), same(2)));
    case.write("in/b/c.jsonl", same(3) + &same(1));
    case.write("in/d.txt", text(2));
    let mut request = case.request("in", 0.8);
    request.read.id = Some("id".to_owned());
    dedup(&request);
    let rows = case.rows("removed.jsonl");
    let place = |row: usize, side: &str| {
        let row = &rows[row];
        (row[format!("{side}_file")].as_str().unwrap(), row[format!("{side}_position")].as_u64().unwrap())
    };
    assert_eq!((place(0, "removed"), place(0, "kept")), (("b/c.jsonl", 2), ("a.jsonl", 2)));
    // A file that is one document has one position.
    assert_eq!((place(1, "removed"), place(1, "kept")), (("d.txt", 1), ("a.jsonl", 3)));
    assert_eq!(rows.len(), 2);
}

/// Names of files and their contents, all different: whatever is odd about lines, and no near-duplicates.
fn any_file() -> impl Strategy<Value = (&'static str, Vec<u8>)> {
    let json = prop_oneof![
        4 => (0_usize..1_000_000).prop_map(|seed| line(seed).trim_end().to_owned()),
        1 => Just("{\"id\":0,\"text\":null}".to_owned()),
        1 => Just("{\"id\":0}".to_owned()),
        1 => Just("{\"text\" : \"\\ud800\"}".to_owned()),
        1 => Just(String::new()),
        1 => Just("  ".to_owned()),
    ];
    let plain =
        prop_oneof![3 => (0_usize..1_000_000).prop_map(text), 1 => Just(String::new()), 1 => Just(" ".to_owned())];
    let row = prop_oneof![
        3 => (0_usize..1_000_000).prop_map(|seed| format!("1,\"{}\n\"", text(seed))),
        1 => Just("2,".to_owned()),
        1 => Just(String::new()),
    ];
    let end = prop_oneof![Just("\n"), Just("\r\n")];
    let lines = |line: BoxedStrategy<String>| (proptest::collection::vec(line, 0..8), end.clone(), any::<[bool; 3]>());
    let joined = |before: &'static str,
                  first: &str,
                  (lines, end, [has_mark, has_end, is_packed]): (Vec<String>, &str, [bool; 3])| {
        let mark = if has_mark { "\u{feff}" } else { "" };
        let all = format!("{mark}{before}{first}{}{}", lines.join(end), if has_end { end } else { "" });
        if is_packed { gzip(all.as_bytes()) } else { all.into_bytes() }
    };
    prop_oneof![
        // The first line has the field, so that the file is not refused.
        lines(json.boxed()).prop_map(move |file| ("a.jsonl", joined("", "{\"text\":\"\"}\n", file))),
        lines(plain.boxed()).prop_map(move |file| ("a.txt", joined("", "", file))),
        lines(row.boxed()).prop_map(move |file| ("a.csv", joined("", "id,text\n", file))),
        (0_usize..1000, 0_usize..1000).prop_map(|(one, two)| {
            let list = format!(" [ {},\r\n\n{}\t] \n", line(one), line(one + two + 1));
            ("a.json", list.into_bytes())
        }),
    ]
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(2));
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn where_nothing_is_removed_files_come_out_byte_by_byte((name, bytes) in any_file(), by in 0..3) {
        let case = Case::new();
        let input: PathBuf = case.write(&format!("in/{name}"), &bytes);
        let split = [Split::File, Split::Line, Split::Paragraph][by as usize];
        let summary = dedup(&case.request("in", 1.0).split(split));
        prop_assume!(summary.found.removed_count == 0);
        prop_assert_eq!(summary.input.skipped_count, 0, "{:?}", summary.skipped);
        prop_assert_eq!(fs::read(case.path("out/kept").join(name)).unwrap(), fs::read(input).unwrap());
    }
}
