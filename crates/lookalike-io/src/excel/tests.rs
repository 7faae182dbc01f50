//! Workbooks for tests: the few parts that a reader needs, zipped.

use std::io::{Cursor, Seek, Write};

use zip::write::{SimpleFileOptions, ZipWriter};

use super::*;

const TYPES: &str = r#"<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/></Types>"#;
const RELATIONS: &str = r#"<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>"#;
const WORKBOOK: &str = r#"<?xml version="1.0"?><workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="People" sheetId="1" r:id="r1"/></sheets></workbook>"#;
const SHEETS: &str = r#"<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="r2" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/></Relationships>"#;
const STYLES: &str = r#"<?xml version="1.0"?><styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>"#;

/// A workbook with one sheet of these XML rows.
pub(crate) fn workbook(rows: &str) -> Vec<u8> {
    workbook_with(rows, &[])
}

/// Two sheets, the second of which is called Orders.
pub(crate) fn workbook_of_two(rows: &str, others: &str) -> Vec<u8> {
    let book = WORKBOOK.replace("</sheets>", r#"<sheet name="Orders" sheetId="2" r:id="r3"/></sheets>"#);
    let target = r#"<Relationship Id="r3" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet2.xml"/></Relationships>"#;
    let sheets = SHEETS.replace("</Relationships>", target);
    let sheet = |rows: &str| {
        format!(
            r#"<?xml version="1.0"?><worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>{rows}</sheetData></worksheet>"#
        )
    };
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in [
        ("[Content_Types].xml", TYPES),
        ("_rels/.rels", RELATIONS),
        ("xl/workbook.xml", &book),
        ("xl/_rels/workbook.xml.rels", &sheets),
        ("xl/styles.xml", STYLES),
        ("xl/worksheets/sheet1.xml", &sheet(rows)),
        ("xl/worksheets/sheet2.xml", &sheet(others)),
    ] {
        zip.start_file(name, SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// The same with additional parts.
fn workbook_with(rows: &str, more: &[(&str, &str)]) -> Vec<u8> {
    let sheet = format!(
        r#"<?xml version="1.0"?><worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>{rows}</sheetData></worksheet>"#
    );
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in [
        ("[Content_Types].xml", TYPES),
        ("_rels/.rels", RELATIONS),
        ("xl/workbook.xml", WORKBOOK),
        ("xl/_rels/workbook.xml.rels", SHEETS),
        ("xl/styles.xml", STYLES),
        ("xl/worksheets/sheet1.xml", &sheet),
    ]
    .iter()
    .chain(more)
    {
        zip.start_file(name, SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// A row of a sheet: strings, numbers if they start with `#`, dates if they start with `@`.
pub(crate) fn row(number: u32, cells: &[(&str, &str)]) -> String {
    let cell = |(column, text): &(&str, &str)| match (text.strip_prefix('#'), text.strip_prefix('@')) {
        (Some(value), _) => format!(r#"<c r="{column}{number}"><v>{value}</v></c>"#),
        (_, Some(value)) => format!(r#"<c r="{column}{number}" s="1"><v>{value}</v></c>"#),
        _ => format!(r#"<c r="{column}{number}" t="inlineStr"><is><t>{text}</t></is></c>"#),
    };
    format!(r#"<row r="{number}">{}</row>"#, cells.iter().map(cell).collect::<String>())
}

fn csv(bytes: &[u8]) -> Result<String, String> {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    file.rewind().unwrap();
    let mut text = String::new();
    to_csv(&file)?.csv.read_to_string(&mut text).unwrap();
    Ok(text)
}

#[test]
fn cells_become_rows_with_their_numbers() {
    let rows = [
        row(2, &[("B", " id "), ("C", "name"), ("D", "born")]),
        row(3, &[("B", "#1"), ("C", "Ann \"A\" Smith, Dr."), ("D", "@29221")]),
        row(5, &[("B", "#2.5"), ("D", "@29221.5")]),
        row(6, &[("B", "#3"), ("C", "x"), ("D", "y"), ("F", "too many")]),
    ];
    let bytes = workbook(&rows.concat());
    assert!(is_workbook("people.xlsx", &bytes) && is_workbook("people", &bytes) && !is_workbook("a.xlsx", b"a,b\n"));
    let expected = "\"id\",\"name\",\"born\"\n\"1\",\"Ann \"\"A\"\" Smith, Dr.\",\"1980-01-01\"\n\"\",,\n\
                    \"2.5\",\"\",\"1980-01-01 12:00:00\"\n\"3\",\"x\",\"y\",\"too many\"\n";
    assert_eq!(csv(&bytes).unwrap(), expected);
}

#[test]
fn what_is_hostile_is_refused() {
    // Two cells far apart are two cells, without all those between them.
    let far = row(1, &[("A", "id"), ("B", "name")]) + &row(1_048_576, &[("A", "1"), ("B", "x")]);
    assert_eq!(csv(&workbook(&far)).unwrap().lines().count(), 1_048_576);
    let wide = row(1, &[("A", "id"), ("XFD", "name")]);
    assert!(csv(&workbook(&wide)).unwrap_err().contains("columns, and 4096 are possible"));
    let back = row(2, &[("A", "id")]) + &row(1, &[("A", "1")]);
    assert!(csv(&workbook(&back)).unwrap_err().contains("damaged"));
    let bomb = row(1, &[("A", &"x".repeat(70 << 20))]);
    assert!(csv(&workbook(&bomb)).unwrap_err().contains("unpacks to more than 100 times its size"));
    let whole = workbook(&row(1, &[("A", "id")]));
    assert!(csv(&whole[..whole.len() / 2]).unwrap_err().contains("damaged"));
    assert!(csv(b"PK\x03\x04").is_err());
}

#[test]
fn a_claim_of_more_texts_than_there_are_bytes_is_refused_before_it_is_believed() {
    let sheet = row(1, &[("A", "id"), ("B", "name")]) + &row(2, &[("A", "#1"), ("B", "Ann")]);
    let with = |part: &str, attributes: &str| {
        let texts = format!("<?xml version=\"1.0\"?><!-- texts --><sst {attributes}><si><t>x</t></si></sst>");
        csv(&workbook_with(&sheet, &[(part, &texts)]))
    };
    for honest in ["", "count=\"1\" uniqueCount=\"1\"", "uniqueCount='12'", "uniqueCount=\"many\""] {
        assert_eq!(with("xl/sharedStrings.xml", honest).as_deref(), Ok("\"id\",\"name\"\n\"1\",\"Ann\"\n"), "{honest}");
    }
    for lie in [
        "uniqueCount=\"4294967295\"",
        "uniqueCount = '99999999999999999999999'",
        "uniqueCount=\"1000\"",
        "a=\"uniqueCount\" uniqueCount=\"1000\"",
    ] {
        let refused = with("xl/SharedStrings.xml", lie).unwrap_err();
        assert!(refused.starts_with("the workbook is damaged: it claims"), "{lie}: {refused}");
    }
}
