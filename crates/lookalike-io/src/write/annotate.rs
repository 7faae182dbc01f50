//! A note on a document: where it belongs, whether it stays, and because of whom not.

use serde::Serialize;

use crate::format::{FileKind, Format};
use crate::read::Document;

/// What `--annotate` says of a document.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Annotation {
    /// The number of its cluster; none of a record without a text, which is in no cluster.
    pub cluster: Option<u64>,
    /// Whether it stays.
    pub kept: bool,
    /// The document that is kept in its place.
    pub kept_id: Option<String>,
    /// How alike the two are.
    pub similarity: Option<f64>,
}

/// What a document becomes whose file has no room for a note.
#[derive(Serialize)]
struct Noted<'a> {
    id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    uri: Option<&'a str>,
    text: &'a str,
    #[serde(flatten)]
    annotation: &'a Annotation,
}

impl Annotation {
    /// What is said of a record without a text: it stays.
    pub const WITHOUT_TEXT: Self = Self { cluster: None, kept: true, kept_id: None, similarity: None };

    /// Appends an entry to `bytes` with this note in it: fields of a JSON object, header lines of a WARC record, further
    /// cells of a row.
    pub(super) fn write(&self, kind: &FileKind, entry: &[u8], bytes: &mut Vec<u8>) {
        match &kind.table {
            Some(table) => {
                let delimiter = table.delimiter;
                let [kept_id, similarity] =
                    [self.kept_id.clone(), self.similarity.map(|similarity| similarity.to_string())];
                let [kept_id, similarity] = [kept_id, similarity].map(Option::unwrap_or_default);
                let cluster = self.cluster.map_or(String::new(), |cluster| cluster.to_string());
                let cells = [&*cluster, &self.kept.to_string(), &kept_id, &similarity];
                write_cells(entry, delimiter, cells, bytes);
            }
            None if kind.format == Format::Warc => {
                // The version line is the first, after what is nobody's.
                let first = memchr::memchr(b'\n', entry).map_or(0, |end| end + 1);
                let line_end = if entry[..first].ends_with(b"\r\n") { "\r\n" } else { "\n" };
                bytes.extend_from_slice(&entry[..first]);
                bytes.extend_from_slice(self.header(line_end).as_bytes());
                bytes.extend_from_slice(&entry[first..]);
            }
            None => {
                let fields = json(self);
                let brace = memchr::memrchr(b'}', entry).unwrap_or(entry.len());
                bytes.extend_from_slice(&entry[..brace]);
                bytes.push(b',');
                bytes.extend_from_slice(&fields[1..fields.len() - 1]);
                bytes.extend_from_slice(&entry[brace..]);
            }
        }
    }

    /// Appends the row with the names of the columns, and those of the notes.
    pub(super) fn write_header(kind: &FileKind, row: &[u8], bytes: &mut Vec<u8>) {
        let delimiter = kind.table.as_ref().map_or(b',', |table| table.delimiter);
        write_cells(row, delimiter, ["cluster", "kept", "kept_id", "similarity"], bytes);
    }

    /// Appends a document as an object of its own, with this note. `id` is for those that have none.
    pub(super) fn write_document(&self, id: &str, document: &Document<'_>, bytes: &mut Vec<u8>) {
        let id = document.id.as_deref().unwrap_or(id);
        let noted = Noted { id, uri: document.uri.as_deref(), text: document.text, annotation: self };
        bytes.extend_from_slice(&json(&noted));
        bytes.push(b'\n');
    }

    fn header(&self, line_end: &str) -> String {
        let mut fields: Vec<String> =
            self.cluster.map(|cluster| format!("Lookalike-Cluster: {cluster}")).into_iter().collect();
        fields.push(format!("Lookalike-Kept: {}", self.kept));
        // An id may have line ends in it, which would end the header.
        let one_line = |id: &String| id.replace(char::is_control, " ");
        fields.extend(self.kept_id.as_ref().map(|kept_id| format!("Lookalike-Kept-ID: {}", one_line(kept_id))));
        fields.extend(self.similarity.map(|similarity| format!("Lookalike-Similarity: {similarity}")));
        fields.into_iter().map(|field| field + line_end).collect()
    }
}

/// Appends a row with further cells. They come before the line ends, of which the last row may have none.
fn write_cells(row: &[u8], delimiter: u8, cells: [&str; 4], bytes: &mut Vec<u8>) {
    let end = row.iter().rposition(|byte| !matches!(byte, b'\r' | b'\n')).map_or(0, |last| last + 1);
    bytes.extend_from_slice(&row[..end]);
    for cell in cells {
        bytes.push(delimiter);
        if cell.bytes().any(|byte| byte == delimiter || matches!(byte, b'"' | b'\r' | b'\n')) {
            bytes.extend_from_slice(format!("\"{}\"", cell.replace('"', "\"\"")).as_bytes());
        } else {
            bytes.extend_from_slice(cell.as_bytes());
        }
    }
    bytes.extend_from_slice(if end < row.len() { &row[end..] } else { b"\n" });
}

fn json(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).expect("strings and numbers have a JSON form")
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::sync::Arc;

    use lookalike_core::keep::FieldValue;

    use crate::compression::Compression;
    use crate::read::{Settings, Table};

    fn note() -> Annotation {
        Annotation { cluster: Some(7), kept: false, kept_id: Some("a\"b".to_owned()), similarity: Some(0.875) }
    }

    fn annotated(format: Format, entry: &str) -> String {
        let table = Table::of("a.csv", b"id,text\n", &Settings::default()).unwrap();
        let table = (format == Format::Csv).then(|| Arc::new(table));
        let mut bytes = Vec::new();
        note().write(
            &FileKind { format, compression: Compression::None, table, is_refused: false },
            entry.as_bytes(),
            &mut bytes,
        );
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn a_json_object_gets_four_more_fields() {
        assert_eq!(
            annotated(Format::Jsonl, "{\"text\": \"}\" } \r\n"),
            "{\"text\": \"}\" ,\"cluster\":7,\"kept\":false,\"kept_id\":\"a\\\"b\",\"similarity\":0.875} \r\n"
        );
    }

    #[test]
    fn an_object_without_a_text_is_kept_and_in_no_cluster() {
        let kind = FileKind { format: Format::Jsonl, compression: Compression::None, table: None, is_refused: false };
        let mut bytes = Vec::new();
        Annotation::WITHOUT_TEXT.write(&kind, b"{\"text\":null}\n", &mut bytes);
        assert_eq!(
            String::from_utf8(bytes).unwrap(),
            "{\"text\":null,\"cluster\":null,\"kept\":true,\"kept_id\":null,\"similarity\":null}\n"
        );
    }

    #[test]
    fn a_warc_record_gets_header_lines() {
        assert_eq!(
            annotated(Format::Warc, "WARC/1.0\r\nContent-Length: 1\r\n\r\nx\r\n\r\n"),
            "WARC/1.0\r\nLookalike-Cluster: 7\r\nLookalike-Kept: false\r\nLookalike-Kept-ID: a\"b\r\n\
             Lookalike-Similarity: 0.875\r\nContent-Length: 1\r\n\r\nx\r\n\r\n"
        );
    }

    #[test]
    fn a_row_gets_four_more_cells() {
        assert_eq!(annotated(Format::Csv, "1,\"a\nb\"\r\n\r\n"), "1,\"a\nb\",7,false,\"a\"\"b\",0.875\r\n\r\n");
        assert_eq!(annotated(Format::Csv, "1,a"), "1,a,7,false,\"a\"\"b\",0.875\n");
    }

    #[test]
    fn a_text_becomes_a_json_object() {
        let document = Document { id: None, text: "one\ntwo", uri: None, source: None, value: FieldValue::Missing };
        let mut bytes = Vec::new();
        note().write_document("notes/x.txt", &document, &mut bytes);
        assert_eq!(
            String::from_utf8(bytes).unwrap(),
            "{\"id\":\"notes/x.txt\",\"text\":\"one\\ntwo\",\"cluster\":7,\"kept\":false,\"kept_id\":\"a\\\"b\",\"similarity\":0.875}\n"
        );
    }
}
