use std::fs;
use std::io::Write as _;
use std::sync::Arc;

use ::parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int32Type, Int64Type};
use ::parquet::file::writer::SerializedFileWriter;
use ::parquet::schema::parser::parse_message_type;
use proptest::prelude::*;

use super::*;

/// A folder with these files.
fn folder(files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    folder
}

fn read(inputs: &[PathBuf], settings: &Settings) -> Result<ReadTable> {
    read_table(inputs, None, settings, |_| Ok::<_, Error>(()))
}

/// One file as a table.
fn one(name: &str, bytes: impl AsRef<[u8]>) -> Result<ReadTable> {
    let folder = folder(&[(name, bytes.as_ref())]);
    read(&[folder.path().join(name)], &Settings::default())
}

fn rows(read: &ReadTable) -> Vec<Vec<&str>> {
    (0..read.table.row_count()).map(|row| read.table.row(row).collect()).collect()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Two rows; the second has an id and a code alone.
fn parquet() -> Vec<u8> {
    let schema = "message table { required int64 id; optional binary name (STRING); optional int32 born (DATE); \
                  optional double price; required binary code; \
                  optional group tags (LIST) { repeated group list { optional binary element (STRING); } } \
                  optional group home { optional binary city (STRING); } }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::default()).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let one = Some(&[1_i16, 0][..]);
    let text = |texts: &[&str]| texts.iter().map(|text| ByteArray::from(*text)).collect::<Vec<_>>();
    let mut at = 0;
    while let Some(mut column) = group.next_column().unwrap() {
        match at {
            0 => column.typed::<Int64Type>().write_batch(&[1, 2], None, None),
            1 => column.typed::<ByteArrayType>().write_batch(&text(&[" Ann "]), one, None),
            2 => column.typed::<Int32Type>().write_batch(&[-9903], one, None),
            3 => column.typed::<DoubleType>().write_batch(&[9.5], one, None),
            4 => column.typed::<ByteArrayType>().write_batch(&text(&["x7", "y"]), None, None),
            5 => column.typed::<ByteArrayType>().write_batch(&text(&["a b", "c"]), Some(&[3, 3, 0]), Some(&[0, 1, 0])),
            _ => column.typed::<ByteArrayType>().write_batch(&text(&["Ulm"]), Some(&[2, 0]), None),
        }
        .unwrap();
        column.close().unwrap();
        at += 1;
    }
    group.close().unwrap();
    writer.into_inner().unwrap()
}

#[test]
fn cells_of_parquet_are_as_a_person_writes_them() {
    let found = one("a.parquet", parquet()).unwrap();
    assert_eq!(found.table.names(), ["id", "name", "born", "price", "code", "tags", "home.city"]);
    assert_eq!(
        rows(&found),
        [vec!["1", "Ann", "1942-11-21", "9.5", "x7", "[\"a b\", \"c\"]", "Ulm"], vec!["2", "", "", "", "y", "", ""]]
    );
    let bytes = parquet();
    let error = one("a.parquet", &bytes[..bytes.len() / 2]).unwrap_err();
    assert!(error.to_string().contains("cut short: its footer is missing"), "{error}");
}

#[test]
fn a_footer_that_claims_what_is_not_there_is_refused_as_it_is_of_documents() {
    // Two billion row groups in eight bytes, for which the crate would make room: the check of documents sees it.
    let footer = [0x49, 0xFC, 0xFF, 0xFF, 0xFF, 0xFF, 0x07, 0];
    let mut bytes = b"PAR1".to_vec();
    bytes.extend(footer);
    bytes.extend((footer.len() as u32).to_le_bytes());
    bytes.extend(b"PAR1");
    let error = one("a.parquet", bytes).unwrap_err();
    assert!(error.to_string().contains("the footer is damaged;"), "{error}");
}

#[test]
fn the_same_rows_come_from_every_format() {
    let expected = [["1", "Ann, \"x\"", "Ulm"], ["2", "Bob", ""]];
    let objects = r#"{"id":1,"name":" Ann, \"x\"","home":{"city":"Ulm"}}"#;
    for (name, text) in [
        ("a.csv", "id,name,home.city\n1,\"Ann, \"\"x\"\"\",Ulm\n2,Bob,\n".to_owned()),
        ("a.txt", "id;name;home.city\r\n1;\"Ann, \"\"x\"\"\";Ulm\r\n2;Bob;\r\n".to_owned()),
        ("a.tsv", "id\tname\thome.city\n1\tAnn, \"x\"\tUlm\n2\tBob\t\n".to_owned()),
        (
            "a.jsonl",
            format!("{objects}\n\n{{\"id\":\"2\",\"name\":\"Bob\",\"home\":null}}\n").replace(",\"home\":null", ""),
        ),
        ("a.json", format!("[{objects},\n{{\"name\":\"Bob\",\n\"id\":2}}]")),
        ("part-0", format!("\u{feff}{objects}\n{{\"name\":\"Bob\",\"id\":2}}")),
    ] {
        let wide: Vec<u8> = [0xFF, 0xFE].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect();
        let packed = zstd::encode_all(text.as_bytes(), 1).unwrap();
        for bytes in [text.as_bytes(), &gzip(text.as_bytes()), &packed, &wide] {
            let found = one(name, bytes).unwrap();
            assert_eq!(found.table.names(), ["id", "name", "home.city"], "{name}");
            assert_eq!((rows(&found), found.skipped_count), (expected.map(Vec::from).to_vec(), 0), "{name}");
        }
    }
}

#[cfg(feature = "excel")]
#[test]
fn a_workbook_is_a_table() {
    use crate::excel::tests::{row, workbook};

    let bytes = workbook(
        &[
            row(1, &[("A", "id"), ("B", " name ")]),
            row(2, &[("A", "#1"), ("B", "Ann")]),
            row(4, &[("A", "#2"), ("B", "Bob"), ("C", "more")]),
            row(5, &[("A", "#3"), ("B", "Cem")]),
        ]
        .concat(),
    );
    for name in ["a.xlsx", "part-0"] {
        let found = one(name, &bytes).unwrap();
        assert_eq!((found.table.names(), found.empty_count), (&["id".to_owned(), "name".to_owned()][..], 1));
        assert_eq!(rows(&found), [["1", "Ann"], ["3", "Cem"]]);
        assert_eq!((found.skipped[0].position, found.skipped[0].entry, found.position(1)), (4, "row", 5));
    }
    let refused = one("a.xlsx.gz", gzip(&bytes)).unwrap_err().to_string();
    assert!(refused.contains("unpack it first"), "{refused}");
}

#[cfg(feature = "excel")]
#[test]
fn sheets_that_are_not_read_are_told() {
    use crate::excel::tests::{row, workbook_of_two};

    let people = [row(1, &[("A", "id"), ("B", "name")]), row(2, &[("A", "#1"), ("B", "Ann")])].concat();
    let found = one("a.xlsx", workbook_of_two(&people, &row(1, &[("A", "order")]))).unwrap();
    assert_eq!(rows(&found), [["1", "Ann"]]);
    let sheets: Vec<&str> = found.other_sheets.iter().map(|(_, sheet)| &**sheet).collect();
    assert_eq!(sheets, ["Orders"]);
    assert!(found.other_sheets[0].0.ends_with("a.xlsx"));
    // An empty sheet holds nothing back.
    assert!(one("b.xlsx", workbook_of_two(&people, "")).unwrap().other_sheets.is_empty());
}

#[test]
fn what_spreadsheets_write_around_a_table_is_read() {
    for (name, text) in [
        ("a.csv", "sep=;\r\nid; name ;\r\n1;Ann, A;\r\n;;\r\n2;Bob;\r\n"),
        ("b.csv", "\u{FEFF}SEP=|\nid|name|\n1|Ann, A|\n\n||\n2|Bob|\n"),
        ("c.csv", "\n\n\"sep=,\"\nid,name,\n1,\"Ann, A\",\n,,\n2,Bob,\n"),
        ("d.csv", "\n\nid;name;\n1;Ann, A;\n;;\n2;Bob;\n"),
    ] {
        let found = one(name, text).unwrap();
        assert_eq!(found.table.names(), ["id", "name", "3"], "{name}");
        assert_eq!(rows(&found), [["1", "Ann, A", ""], ["2", "Bob", ""]], "{name}");
        assert_eq!((found.empty_count, found.skipped_count), (1, 0), "{name}");
    }
    assert!(
        one("e.csv", "id,name\n,\n")
            .unwrap()
            .require_rows()
            .unwrap_err()
            .to_string()
            .contains("all its rows are empty")
    );
    // A list of objects is one by any name.
    let found = one("a.jsonl", "[{\"id\": 1},\n {\"id\": 2}]").unwrap();
    assert_eq!(rows(&found), [["1"], ["2"]]);
}

#[test]
fn bad_rows_are_skipped_and_told_with_their_place() {
    let found = one("a.csv", "\u{FEFF}id;name\n1;Ann\n2;Bob;Ulm\n3;\"Smith; John\"\n4\n").unwrap();
    assert_eq!(rows(&found), [["1", "Ann"], ["3", "Smith; John"]]);
    let places: Vec<(&str, u64)> = found.skipped.iter().map(|row| (row.entry, row.position)).collect();
    // The names are row 1, as in a spreadsheet and with documents.
    assert_eq!((places, found.skipped_count), (vec![("row", 3), ("row", 5)], 2));
    assert_eq!([0, 1].map(|row| found.position(row)), [2, 4]);
    let found = one("a.jsonl", "\n{\"a\":1}\nnothing\n{\"a\":2,\"b\":{}}\n[3]\n").unwrap();
    let places: Vec<(&str, u64)> = found.skipped.iter().map(|row| (row.entry, row.position)).collect();
    assert_eq!((rows(&found), places), (vec![vec!["1"], vec!["2"]], vec![("line", 3), ("line", 5)]));
    assert_eq!([0, 1].map(|row| found.position(row)), [2, 4]);
}

#[test]
fn a_row_that_is_too_long_is_skipped_and_what_unpacks_without_end_is_cut_off() {
    let long = format!("id,name\n1,Ann\n2,{}\n3,Bob\n", "x".repeat(3 << 20));
    let settings = Settings { longest: 1 << 20, ..Settings::default() };
    let folder = folder(&[("a.csv", long.as_bytes()), ("bomb.csv.gz", &gzip(&vec![b'x'; 300 << 20]))]);
    let found = read(&[folder.path().join("a.csv")], &settings).unwrap();
    assert_eq!(rows(&found), [["1", "Ann"], ["3", "Bob"]]);
    assert!(found.skipped[0].reason.text().contains("longer than 1048576 bytes"), "{:?}", found.skipped);
    // 300 MB in 300 kB, of which a megabyte or two are ever held.
    let error = read(&[folder.path().join("bomb.csv.gz")], &settings).unwrap_err();
    assert!(error.to_string().contains("no row of cells at the start"), "{error}");
    let mut lines = b"id,name\n1,Ann\n2,".to_vec();
    lines.resize(300 << 20, b'x');
    fs::write(folder.path().join("b.csv.gz"), gzip(&lines)).unwrap();
    let found = read(&[folder.path().join("b.csv.gz")], &settings).unwrap();
    assert_eq!((rows(&found), found.skipped_count), (vec![vec!["1", "Ann"]], 2));
    assert!(found.skipped[1].reason.text().contains("unpacks to more than 100 times its size"), "{:?}", found.skipped);
}

#[test]
fn files_of_a_folder_are_one_table_and_what_is_none_is_told() {
    let files: [(&str, &[u8]); 5] = [
        ("a.csv", b"id,name\n1,Ann\n"),
        ("b.jsonl", b"{\"name\":\"Bob\",\"city\":\"Ulm\"}\n"),
        ("c.tsv", b""),
        ("notes.txt", b"remember, the milk\n"),
        ("picture.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
    ];
    let folder = folder(&files);
    let found = read(&[folder.path().to_owned()], &Settings::default()).unwrap();
    assert_eq!(found.table.names(), ["id", "name", "city"]);
    assert_eq!(rows(&found), [["1", "Ann", ""], ["", "Bob", "Ulm"]]);
    let skipped: Vec<(&str, bool)> =
        found.skipped.iter().map(|row| (row.entry, row.file.ends_with("notes.txt"))).collect();
    assert_eq!(skipped, [("file", true), ("file", false)]);
    // By a pattern, or named, it is read.
    let found = read(&[folder.path().join("*.txt")], &Settings::default()).unwrap();
    assert_eq!(found.table.names(), ["remember", "the milk"]);
    // A file without a shared column is another table.
    fs::write(folder.path().join("d.csv"), "product,price\nx,1\n").unwrap();
    let error = read(&[folder.path().to_owned()], &Settings::default()).unwrap_err();
    assert!(error.to_string().contains("its columns (product, price) are none of those"), "{error}");
}

#[test]
fn one_charset_is_found_for_a_whole_file() {
    let text = "name;city\nM\u{fc}ller;K\u{f6}ln\nJos\u{e9};M\u{e1}laga\n";
    let found = one("a.csv", text.chars().map(|c| c as u8).collect::<Vec<u8>>()).unwrap();
    assert_eq!(rows(&found), [["M\u{fc}ller", "K\u{f6}ln"], ["Jos\u{e9}", "M\u{e1}laga"]]);
}

#[test]
fn what_is_no_table_is_refused_with_the_reason() {
    for (name, bytes, reason) in [
        ("a.csv", &b"id,name,name\n1,a,b\n"[..], "two of its columns are named 'name'"),
        ("a.csv", b"", "it is empty"),
        ("a.csv", b"id,name\n", "it has no rows"),
        ("a.csv", b"id,name\n1\n", "none of its 1 rows can be read"),
        ("a.warc", b"WARC/1.0\r\n", "it is a crawl"),
        ("a", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "not a text"),
        ("a.parquet", b"x", "not Parquet"),
    ] {
        let refused = one(name, bytes).and_then(|read| read.require_rows()).unwrap_err().to_string();
        assert!(refused.contains(reason), "{refused}");
    }
    let wide = format!("{}\n", vec!["x"; MOST].join(","));
    assert!(one("a.csv", wide).is_err());
    let keys: String = (0..MOST + 2).map(|at| format!("{{\"k{at}\":1}}\n")).collect();
    let found = one("a.jsonl", keys).unwrap();
    assert_eq!((found.table.names().len(), found.skipped_count), (MOST, 2));
}

const MOST: usize = crate::read::MOST_COLUMNS;

#[test]
fn who_is_asked_can_end_the_reading() {
    let rows = "1,a\n".repeat(10_000);
    let folder = folder(&[("a.csv", format!("id,name\n{rows}").as_bytes())]);
    let mut asked = Vec::new();
    let read = read_table(&[folder.path().join("a.csv")], None, &Settings::default(), |reading| {
        asked.push(reading.rows);
        if reading.bytes > 100_000 { Err(Error::StdinTwice) } else { Ok(()) }
    });
    assert!(matches!(read, Err(Error::StdinTwice)));
    // Nothing of 18 bytes a row beyond the block in which it was too much.
    assert_eq!(asked, [4096, 8192]);
}

proptest! {
    #[test]
    fn hostile_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..300), at in 0_usize..6) {
        // Of each kind a beginning that shows what it is.
        let start: &[u8] =
            [&b""[..], b"a,b\n1,", b"a\tb\n1\t\"", b"{\"a\":1}\n{", b"PAR1", b"\x1f\x8b\x08"][at];
        if let Ok(read) = one("hostile", [start, &bytes].concat()) {
            prop_assert!(rows(&read).iter().all(|row| row.len() == read.table.names().len()));
        }
    }

    #[test]
    fn a_damaged_parquet_file_is_read_or_refused(at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut bytes = parquet();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        let _ = one("damaged.parquet", bytes);
    }
}

#[test]
fn half_of_a_character_in_json_becomes_a_mark_and_the_row_is_read() {
    let read = one(
        "a.jsonl",
        r#"{"id":"1","name":"A\ud800n","home":{"city":"\ude00Ulm"}}
{"id":"2","name":"\ud83d\ude00","home":{"city":"a\nb"}}
{"id":"3","na\ud800":"x"}
{"id":"4","name":"\ud8"}
"#,
    )
    .unwrap();
    assert_eq!(
        rows(&read),
        [["1", "A\u{fffd}n", "\u{fffd}Ulm", ""], ["2", "\u{1f600}", "a\nb", ""], ["3", "", "", "x"]]
    );
    assert_eq!(read.table.names().last().map(String::as_str), Some("na\u{fffd}"));
    assert_eq!(read.skipped.len(), 1);
}
