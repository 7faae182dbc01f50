//! Workbooks with an arbitrary sheet and shared strings.

use std::io::{Cursor, Write};

use anyhow::Result;
use zip::write::{SimpleFileOptions, ZipWriter};

const TYPES: &str = r#"<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/></Types>"#;
const RELATIONS: &str = r#"<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>"#;
const WORKBOOK: &str = r#"<?xml version="1.0"?><workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="People" sheetId="1" r:id="r1"/></sheets></workbook>"#;
const PARTS: &str = r#"<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="r2" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/sharedStrings" Target="sharedStrings.xml"/></Relationships>"#;

/// Rows of people; every cell is one of [`texts`].
const ROWS: usize = 12;
const COLUMNS: [&str; 3] = ["id", "name", "city"];

/// The sheet as XML.
pub(super) fn sheet() -> String {
    let cell = |row: usize, column: usize| {
        let letter = char::from(b'A' + column as u8);
        format!(r#"<c r="{letter}{}" t="s"><v>{}</v></c>"#, row + 1, row * COLUMNS.len() + column)
    };
    let row = |row: usize| {
        let cells: String = (0..COLUMNS.len()).map(|column| cell(row, column)).collect();
        format!(r#"<row r="{}">{cells}</row>"#, row + 1)
    };
    let rows: String = (0..=ROWS).map(row).collect();
    format!(
        r#"<?xml version="1.0"?><worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><dimension ref="A1:C13"/><sheetData>{rows}</sheetData></worksheet>"#
    )
}

/// The texts of all cells as XML.
pub(super) fn texts() -> String {
    let person = |number: usize| [number.to_string(), format!("Ann {} Miller", number / 2), "Ulm".to_owned()];
    let texts: Vec<String> = COLUMNS.map(str::to_owned).into_iter().chain((0..ROWS).flat_map(person)).collect();
    let count = texts.len();
    let entries: String = texts.iter().map(|text| format!("<si><t>{text}</t></si>")).collect();
    format!(
        r#"<?xml version="1.0"?><sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" count="{count}" uniqueCount="{count}">{entries}</sst>"#
    )
}

/// A workbook with a sheet and texts.
pub(super) fn packed(sheet: &[u8], texts: &[u8]) -> Result<Vec<u8>> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in [
        ("[Content_Types].xml", TYPES.as_bytes()),
        ("_rels/.rels", RELATIONS.as_bytes()),
        ("xl/workbook.xml", WORKBOOK.as_bytes()),
        ("xl/_rels/workbook.xml.rels", PARTS.as_bytes()),
        ("xl/sharedStrings.xml", texts),
        ("xl/worksheets/sheet1.xml", sheet),
    ] {
        zip.start_file(name, SimpleFileOptions::default())?;
        zip.write_all(bytes)?;
    }
    Ok(zip.finish()?.into_inner())
}
