//! Tables and other files of many documents: read by their fields, and written as they were, less the duplicates.

use crate::made;
use std::fs;

use crate::made::{Case, dedup, try_dedup};
use lookalike::io::read::Split;
use lookalike::{DedupRequest, Summary};

fn text(seed: usize) -> String {
    (0..60).map(|at| format!("w{}", seed * 1000 + at)).collect::<Vec<_>>().join(" ")
}

fn request(case: &Case) -> DedupRequest {
    case.request("in", 0.8)
}

fn out(case: &Case, name: &str) -> String {
    fs::read_to_string(case.path("out").join(name)).unwrap()
}

fn counts(summary: &Summary) -> (u64, u64, u64) {
    (summary.input.document_count, summary.input.skipped_count, summary.found.removed_count)
}

#[test]
fn rows_of_csv_are_copied_as_they_are_with_their_header() {
    let case = Case::new();
    let header = "\u{feff}id,\"text\",more\r\n";
    let rows = [
        format!("1,\"{} \"\"said\"\",\r\nhe\",x\r\n", text(1)),
        format!("2,{},\"y\"\r\n", text(2)),
        "\r\n".to_owned(),
        format!("3,\"{} 'said', he\",z\r\n", text(1)),
        "4\r\n".to_owned(),
        format!("5,{},w", text(3)),
    ];
    case.write("in/a.csv", format!("{header}{}", rows.concat()));
    let summary = dedup(&request(&case).id("id"));
    assert_eq!(counts(&summary), (4, 1, 1));
    assert_eq!(out(&case, "kept/a.csv"), [header, &rows[0], &rows[1], &rows[2], &rows[5]].concat());
    // The header is row 1, as in a spreadsheet.
    assert_eq!(summary.skipped[0].position, 5);
    let removed = case.rows("removed.jsonl");
    assert_eq!((&removed[0]["removed_id"], &removed[0]["kept_id"]), (&"3".into(), &"1".into()));
}

#[test]
fn csv_comes_with_any_delimiter_with_a_header_or_not() {
    let case = Case::new();
    case.write("in/a.tsv", format!("x\ttext\n1\t{}\n2\t{}\n", text(1), text(1)));
    case.write("in/b.csv", format!("x;text\n1;{}, and\n2;{}\n", text(2), text(2)));
    assert_eq!(counts(&dedup(&request(&case))), (4, 0, 2));
    assert_eq!(out(&case, "kept/b.csv"), format!("x;text\n1;{}, and\n", text(2)));

    let case = Case::new();
    case.write("in/a.csv", format!("1^{}\n2^{}\n", text(1), text(1)));
    let plain = request(&case).text("2").delimiter("^").no_header(true);
    assert_eq!(counts(&dedup(&plain)), (2, 0, 1));
    assert_eq!(out(&case, "kept/a.csv"), format!("1^{}\n", text(1)));
}

#[test]
fn a_table_without_the_text_ends_the_run() {
    let case = Case::new();
    case.write("in/a.csv", "id,body\n1,x\n2,y\n");
    case.write("in/b.csv", format!("text\n{}\n", text(1)));
    let error = try_dedup(&request(&case)).unwrap_err().to_string();
    assert!(error.contains("a.csv") && error.ends_with("its fields are id, body"), "{error}");
}

#[test]
fn annotated_rows_have_six_more_cells() {
    let case = Case::new();
    case.write("in/a.csv", format!("id,text\n1,{}\n2,{}\n", text(1), text(1)));
    dedup(&request(&case).id("id").annotate(true));
    let expected = format!(
        "id,text,cluster,kept,kept_id,similarity,cluster_size,copy_count\n1,{},1,true,,,2,2\n2,{},1,false,1,1,2,2\n",
        text(1),
        text(1)
    );
    assert_eq!(out(&case, "annotated/a.csv"), expected);
}

#[test]
fn a_list_of_json_stays_a_list() {
    let case = Case::new();
    let object = |seed: usize| format!("{{\"body\": {{\"content\": \"{}\", \"n\": [1, {{}}]}} }}", text(seed));
    let list = format!("[\n {} ,\n{},{}, 7,\n{}]\n", object(1), object(2), object(1), object(3));
    case.write("in/a.json", list);
    case.write("in/gone.json", format!("[{}]", object(1)));
    let summary = dedup(&request(&case).text("body.content"));
    assert_eq!(counts(&summary), (5, 1, 2));
    assert_eq!(out(&case, "kept/a.json"), format!("[\n{},\n{},\n{}\n]\n", object(1), object(2), object(3)));
    assert_eq!(out(&case, "kept/gone.json"), "[]\n");
    assert_eq!((summary.skipped[0].entry, summary.skipped[0].position), ("object", 4));
    let values: serde_json::Value = serde_json::from_str(&out(&case, "kept/a.json")).unwrap();
    assert_eq!(values.as_array().unwrap().len(), 3);
}

#[test]
fn objects_over_several_lines_are_read_too() {
    let case = Case::new();
    let object = |seed: usize| format!("{{\n  \"text\": \"{}\"\n}}", text(seed));
    case.write("in/a.json", format!("{}\n{}\n{}\n", object(1), object(1), object(2)));
    assert_eq!(counts(&dedup(&request(&case))), (3, 0, 1));
    assert_eq!(out(&case, "kept/a.json"), format!("{}\n{}\n", object(1), object(2)));
}

#[test]
fn a_text_is_split_as_asked() {
    let paragraphs =
        [format!("{}\nmore\n\n", text(1)), format!("{}\r\n \r\n\r\n", text(2)), format!("{}\nmore", text(1))];
    for (split, documents, kept) in [
        (Split::File, 1, paragraphs.concat()),
        (Split::Paragraph, 3, paragraphs[..2].concat()),
        (Split::Line, 5, format!("{}\nmore\n\n{}\r\n \r\n\r\n", text(1), text(2))),
    ] {
        let case = Case::new();
        case.write("in/a.txt", paragraphs.concat());
        let summary = dedup(&request(&case).split(split));
        assert_eq!(summary.input.document_count, documents, "{split:?}");
        assert_eq!(out(&case, "kept/a.txt"), kept, "{split:?}");
    }
    let case = Case::new();
    case.write("in/a.txt", paragraphs.concat());
    dedup(&request(&case).split(Split::Paragraph).annotate(true));
    let rows = made::rows(&case.path("out/annotated/a.txt.jsonl"));
    assert_eq!((&rows[2]["id"], &rows[2]["kept_id"]), (&"a.txt:3".into(), &"a.txt:1".into()));
}

#[test]
fn a_folder_may_hold_everything_at_once() {
    let case = Case::new();
    let page = format!("<html><body><p>{}</p></body></html>", text(1));
    case.write("in/page.html", &page);
    case.write("in/rows.csv", format!("text\n{}\n", text(1)));
    case.write("in/lines.jsonl", format!("{{\"text\": \"{}\"}}\n", text(1)));
    case.write("in/list", format!("[{{\"text\": \"{}\"}}]", text(1)));
    case.write("in/plain", text(1));
    case.write("in/old.txt", format!("caf\u{e9} {}", text(2)).chars().map(|c| c as u8).collect::<Vec<u8>>());
    case.write("in/wide.txt", [vec![0xFF, 0xFE], text(2).encode_utf16().flat_map(u16::to_le_bytes).collect()].concat());
    case.write("in/picture.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    let summary = dedup(&request(&case));
    assert_eq!(counts(&summary), (7, 1, 5));
    assert!(summary.skipped[0].reason.text().contains("not a text"), "{}", summary.skipped[0].reason);
    assert!(summary.skipped[0].file.ends_with("picture.png"));
}

#[test]
fn a_source_that_no_document_has_is_no_error() {
    let case = Case::new();
    case.write("in/a.csv", format!("text\n{}\n", text(1)));
    let summary = dedup(&request(&case).source("field:site"));
    assert_eq!((counts(&summary), summary.input.without_source_count), ((1, 0, 0), 1));
}
