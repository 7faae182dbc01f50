//! What must hold for any bytes, whatever format they are read as. The fuzzer looks for bytes for which it does not;
//! `crates/lookalike-io/tests/it/hostile.rs` tries those that were found, and random ones.

use std::borrow::Cow;
use std::fs;
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};

use lookalike_io::compression::Compression;
use lookalike_io::format::Format;
use lookalike_io::input::discover::discover;
use lookalike_io::input::shelf::{Place, Shelf};
use lookalike_io::read::FileKind;
use lookalike_io::read::{CellReader, Chunk, Entry, Fields, Parser, ReadAs, Settings, Split, Stream, Unit};
use lookalike_io::table::{ReadTable, read_in_parts, read_table};
use lookalike_io::web::Extract;
use lookalike_io::write::{FileWriter, Written};
use zip::write::{SimpleFileOptions, ZipWriter};

/// What was read of a file.
#[derive(Debug, Default)]
pub struct Content {
    /// The documents: id and text.
    pub documents: Vec<(Option<String>, String)>,
    /// What was skipped, and why.
    pub skipped: Vec<String>,
}

/// Settings under which hostile files are read: the longest entry is short, so that its end is met.
pub fn settings() -> Settings {
    let fields = Fields { id: Some("id".to_owned()), ..Fields::default() };
    Settings { fields, longest: 1 << 20, ..Settings::default() }
}

/// What a target of the fuzzer is: the name that its files have, and how they are read.
///
/// # Panics
///
/// When there is no such target.
pub fn target(name: &str) -> (&'static str, Settings) {
    let settings = settings();
    match name {
        "jsonl" => ("a.jsonl", settings),
        "json" => ("a.json", settings),
        "csv" => ("a.csv", settings),
        "warc" => ("a.warc", settings),
        "arc" => ("a.arc", settings),
        "html" => ("a.html", settings),
        "article" => ("a.html", Settings { extract: Extract::Article, ..settings }),
        "parquet" => ("a.parquet", settings),
        "lines" => ("a.txt", Settings { split: Split::Line, ..settings }),
        "paragraphs" => ("a.txt", Settings { split: Split::Paragraph, ..settings }),
        "any" | "table" => ("a", settings),
        "workbook" => ("a.xlsx", settings),
        other => panic!("no target {other}"),
    }
}

/// A good file of each kind, with the target that it is for.
///
/// # Panics
///
/// When there is no memory to pack one.
pub fn seeds() -> Vec<(&'static str, Vec<u8>)> {
    let http = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=latin1\r\nTransfer-Encoding: chunked\r\n\r\n\
                11\r\n<html><p>one two \r\n9\r\n<b>three<\r\n0\r\n\r\n";
    let warc = format!(
        "WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: 1\r\n\r\nx\r\n\r\nWARC/1.0\r\nWARC-Type: response\r\n\
         WARC-Target-URI: <http://a.example/>\r\nContent-Type: application/http\r\nContent-Length: {}\r\n\r\n{http}\r\n\r\n\
         WARC/1.0\r\nWARC-Type: conversion\r\nid: 7\r\nContent-Length: 5\r\n\r\none\r\n\r\n\r\n",
        http.len()
    );
    let arc = format!(
        "filedesc://x.arc 0.0.0.0 20140216050221 text/plain 5\n1 0 X\n\nhttp://a.example/ 1.2.3.4 20140216050221 text/html {}\n{http}\n",
        http.len()
    );
    vec![
        ("jsonl", b"{\"id\":1,\"text\":\"one \\u00e9\"}\r\n\n{\"text\":\"two\",\"id\":\"x\"}".to_vec()),
        ("json", b"[{\"id\":1,\"text\":\"one\"} ,\n{\"text\":\"two\",\"x\":[{}]}]\n".to_vec()),
        ("csv", b"id,text\r\n1,\"one, \"\"two\"\"\r\nthree\"\r\n\r\n2,four\r\n".to_vec()),
        ("warc", warc.clone().into_bytes()),
        ("arc", arc.into_bytes()),
        ("html", b"<!doctype html><title>t</title><p>one <b>two</b> &amp; three</p><script>x</script>".to_vec()),
        ("article", b"<html><nav><a>x</a></nav><article><p>one two three, four five.</p></article>".to_vec()),
        ("lines", "one\n\ntwo\r\n\u{feff}three".as_bytes().to_vec()),
        ("paragraphs", b"one\ntwo\n\n\nthree\r\n\r\nfour".to_vec()),
        ("table", b"id,name,city\r\n1,\"Ann, \"\"x\"\"\",Ulm\r\n2,Bob,\r\n".to_vec()),
        ("table", b"id\ttitle\n1\t\"How?\": a question\n2\t\"a\nb\"\n3\t\"c\td\"\n".to_vec()),
        ("table", b"{\"id\":1,\"home\":{\"city\":\"Ulm\"}}\n\n{\"id\":\"2\",\"tags\":[1,\"x\"]}".to_vec()),
        ("table", gzip(b"[{\"id\":1,\"name\":\"Ann\"},\n{\"name\":null}]")),
        ("workbook", workbook_parts()),
        ("any", gzip(warc.as_bytes())),
        ("any", zstd::encode_all(&b"id,text\n1,one\n2,two"[..], 3).unwrap()),
    ]
}

/// The parts of a workbook, as the target takes them: one after the other, each after a line with its name.
fn workbook_parts() -> Vec<u8> {
    const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    const PACKAGE: &str = "http://schemas.openxmlformats.org/package/2006/relationships";
    let relation = |id: &str, kind: &str, target: &str| {
        format!("<Relationship Id=\"{id}\" Type=\"{OFFICE}/{kind}\" Target=\"{target}\"/>")
    };
    let parts = [
        ("_rels/.rels", relation("r1", "officeDocument", "xl/workbook.xml")),
        (
            "xl/workbook.xml",
            format!(
                "<workbook xmlns=\"{MAIN}\" xmlns:r=\"{OFFICE}\"><sheets><sheet name=\"a\" sheetId=\"1\" r:id=\"r1\"/></sheets></workbook>"
            ),
        ),
        (
            "xl/_rels/workbook.xml.rels",
            relation("r1", "worksheet", "worksheets/sheet1.xml")
                + &relation("r2", "sharedStrings", "sharedStrings.xml"),
        ),
        (
            "xl/sharedStrings.xml",
            format!("<sst xmlns=\"{MAIN}\" count=\"2\" uniqueCount=\"2\"><si><t>id</t></si><si><t>Ann</t></si></sst>"),
        ),
        (
            "xl/worksheets/sheet1.xml",
            format!(
                "<worksheet xmlns=\"{MAIN}\"><dimension ref=\"A1:B2\"/><sheetData><row r=\"1\"><c r=\"A1\" t=\"s\"><v>0</v></c><c r=\"B1\" t=\"inlineStr\"><is><t>name</t></is></c></row><row r=\"2\"><c r=\"A2\"><v>7</v></c><c r=\"B2\" t=\"s\"><v>1</v></c></row></sheetData></worksheet>"
            ),
        ),
    ];
    let part = |(name, text): &(&str, String)| {
        let is_relations = name.contains("_rels/");
        let text = if is_relations {
            format!("<Relationships xmlns=\"{PACKAGE}\">{text}</Relationships>")
        } else {
            text.clone()
        };
        format!("{PART}{name}\n{text}\n")
    };
    parts.iter().map(part).collect::<String>().into_bytes()
}

/// Begins a part of a workbook.
const PART: &str = "## ";

/// Packs parts to a workbook. What is not packed is what a fuzzer can change.
fn workbook(parts: &[u8]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let text = String::from_utf8_lossy(parts);
    for part in text.split(PART).skip(1) {
        let (name, text) = part.split_once('\n').unwrap_or((part, ""));
        // A name that is there twice, or cannot be one, is left out.
        if zip.start_file(name, SimpleFileOptions::default()).is_ok() {
            zip.write_all(text.as_bytes()).unwrap();
        }
    }
    zip.finish().unwrap().into_inner()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Reads `bytes` as what this target reads.
///
/// # Panics
///
/// As [`check`] and [`check_table`].
pub fn check_target(target: &str, folder: &Path, bytes: &[u8]) -> Content {
    let (name, settings) = self::target(target);
    match target {
        "table" => check_table(folder, name, bytes, &settings),
        "workbook" => check_table(folder, name, &workbook(bytes), &settings),
        _ => check(folder, name, bytes, &settings),
    }
}

/// Reads `bytes` as a table. Its rows are the documents: without an id, and with their cells for a text.
///
/// # Panics
///
/// When a row has another number of cells than there are columns, when the table reads otherwise in parts or once it is
/// written as CSV, or when the reader panics.
pub fn check_table(folder: &Path, name: &str, bytes: &[u8], settings: &Settings) -> Content {
    let path = folder.join(name);
    fs::write(&path, bytes).unwrap();
    let whole = |path: &PathBuf, settings: &Settings| {
        read_table(std::slice::from_ref(path), None, settings, |_| Ok::<_, lookalike_io::Error>(()))
    };
    let mut content = Content::default();
    let read = match whole(&path, settings) {
        Ok(read) => read,
        Err(error) => {
            content.skipped.push(error.to_string());
            return content;
        }
    };
    content.skipped.extend(read.skipped.iter().map(|row| row.reason.to_string()));
    let rows = cells_of(&read);
    let is_whole = |row: &Vec<String>| row.len() == read.table.names().len();
    assert!(rows.iter().all(is_whole), "a row has other cells than the table has columns");

    // In parts, a column that comes up later is missing in the parts before.
    let (mut in_parts, mut positions) = (Vec::new(), Vec::new());
    let file = discover(std::slice::from_ref(&path), None).unwrap().files.remove(0);
    let mut reader = CellReader::open(&file, settings, ReadAs::Table).unwrap();
    read_in_parts(&file, &mut reader, 1, |part| {
        positions.extend((0..part.table.row_count()).map(|row| part.position(row)));
        in_parts.extend(cells_of(part));
        Ok::<_, lookalike_io::Error>(())
    })
    .unwrap();
    in_parts.iter_mut().for_each(|row| row.resize(read.table.names().len(), String::new()));
    assert_eq!(in_parts, rows, "in parts it is another table");
    assert_eq!(positions, (0..rows.len()).map(|row| read.position(row)).collect::<Vec<_>>());
    assert!(positions.is_sorted_by(|one, next| one < next), "rows do not stand one after the other");

    // Zeros would make a picture of the copy, and a table without rows shows nothing.
    let has_zero = rows.iter().flatten().chain(read.table.names()).any(|cell| cell.contains('\0'));
    if !has_zero && !rows.is_empty() && !read.table.names().is_empty() {
        let quoted = |row: &[String]| {
            let cells: Vec<String> = row.iter().map(|cell| format!("\"{}\"", cell.replace('"', "\"\""))).collect();
            cells.join(",") + "\n"
        };
        let copy = folder.join("copy.csv");
        fs::write(&copy, quoted(read.table.names()) + &rows.iter().map(|row| quoted(row)).collect::<String>()).unwrap();
        let as_written = Settings { delimiter: Some(b','), ..Settings::default() };
        let again = whole(&copy, &as_written).unwrap();
        assert_eq!(cells_of(&again), rows, "written as CSV it is another table");
    }
    content.documents = rows.into_iter().map(|row| (None, row.join("|"))).collect();
    content
}

fn cells_of(read: &ReadTable) -> Vec<Vec<String>> {
    (0..read.table.row_count()).map(|row| read.table.row(row).map(str::to_owned).collect()).collect()
}

/// Reads `bytes` as a file of this name.
///
/// # Panics
///
/// When a document that is read again is another one, when what is written reads as something else, or when the reader
/// panics. All three are what the fuzzer looks for.
pub fn check(folder: &Path, name: &str, bytes: &[u8], settings: &Settings) -> Content {
    let path = folder.join(name);
    fs::write(&path, bytes).unwrap();
    let (content, kind, written, shelf) = read(&path, settings);
    let writer = FileWriter { shelf: &shelf, settings, file: 0, kind: &kind, is_annotated: false };
    let copy = folder.join("written").join(name);
    fs::create_dir_all(copy.parent().unwrap()).unwrap();
    let mut file = fs::File::create(&copy).unwrap();
    // A file that is one document, and is none, is not written.
    let is_nothing = kind.format.is_one_document() && written.is_empty();
    if !is_nothing && !content.is_refused(&written) {
        match writer.write(std::iter::once(Ok::<_, lookalike_io::Error>(written.clone())), &copy, &mut file) {
            // A column that nobody asked for is read when it is written, and its damage is seen then: no output is better
            // than one without what was kept.
            Err(lookalike_io::Error::Unreadable { .. }) if kind.format == Format::Parquet => return content,
            result => drop(result.unwrap()),
        }
        let (again, again_kind, ..) = read(&copy, settings);
        // Without what was skipped at its start, a file may look like one of another format; and with blank lines left
        // out, the share of its zeros may be that of a picture.
        let is_told = !content.skipped.is_empty() || again_kind.format == Format::Other;
        if is_told && again_kind.format != kind.format {
            return content;
        }
        assert_eq!(again.documents, content.documents, "what was written reads as something else");
        assert!(again.skipped.is_empty(), "what was written is not clean: {:?}", again.skipped);
    }
    content
}

impl Content {
    /// Whether nothing at all could be read of a file of many documents: there is nothing to copy its form from.
    fn is_refused(&self, written: &[Written]) -> bool {
        written.is_empty() && !self.skipped.is_empty()
    }
}

fn read(path: &PathBuf, settings: &Settings) -> (Content, FileKind, Vec<Written>, Shelf) {
    let shelf = Shelf::new(discover(std::slice::from_ref(path), None).unwrap());
    let mut stream = match Stream::open(&Unit::whole(0), &shelf.files()[0], settings) {
        // A table without the column of the text ends a run before anything is written.
        Err(lookalike_io::Error::NoTextField { .. }) => {
            let kind =
                FileKind { format: Format::Other, compression: Compression::None, table: None, is_refused: true };
            let content = Content { skipped: vec!["no text".to_owned()], ..Content::default() };
            return (content, kind, Vec::new(), shelf);
        }
        stream => stream.unwrap(),
    };
    let kind = (**stream.kind()).clone();
    let mut parser = Parser::new(settings);
    let mut content = Content::default();
    let mut written = Vec::new();
    let mut places: Vec<(Place, String)> = Vec::new();
    let mut chunk = Chunk::default();
    let mut before = 0;
    while stream.next(&mut chunk).unwrap() {
        chunk.settle(&shelf).unwrap();
        before += parser.entries(&chunk, |placed| {
            let place = placed.place;
            let position = before + placed.position + 1;
            match placed.entry {
                Entry::Document(document) => {
                    content.documents.push((document.id.map(Cow::into_owned), document.text.to_owned()));
                    places.push((place, document.text.to_owned()));
                    written.push(Written { place, position, annotation: None });
                }
                Entry::Carried(_) => written.push(Written { place, position, annotation: None }),
                Entry::Skipped(reason) => content.skipped.push(reason.to_string()),
            }
        });
        if let Some((reason, lost)) = chunk.damage() {
            before += lost;
            content.skipped.push(reason.to_string());
        }
    }
    let mut bytes = Vec::new();
    for (place, text) in places {
        shelf.read(place, &mut bytes).unwrap();
        let again = parser.document(&kind, &bytes).expect("what was a document is one");
        assert_eq!(again.text, text, "read again, it is another document");
    }
    (content, kind, written, shelf)
}
