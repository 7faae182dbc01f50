//! Notes on a document: its cluster, whether it is kept, and the document kept in its place.
//!
//! A note replaces a field of the same name, which an earlier run may have left: most readers reject two fields with
//! the same name, and the old one would be wrong.

use serde::Serialize;

use crate::format::Format;
use crate::notes::{Annotation, NOTES};
use crate::read::{Document, FileKind, Table, goes_on, header_length, is_field, object_fields, raw_cells};

/// The same as header lines.
const NOTE_HEADERS: [&str; 6] = [
    "Lookalike-Cluster",
    "Lookalike-Kept",
    "Lookalike-Kept-ID",
    "Lookalike-Similarity",
    "Lookalike-Cluster-Size",
    "Lookalike-Copy-Count",
];

/// The JSON object for a document whose file format has no room for notes.
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
    /// The notes on a record without text, which is kept.
    pub const WITHOUT_TEXT: Self =
        Self { cluster: None, kept: true, kept_id: None, similarity: None, cluster_size: None, copy_count: None };

    /// Appends an entry to `bytes` with this note in it: fields of a JSON object, header lines of a WARC record,
    /// additional cells of a row. Returns true if it replaced something.
    pub(super) fn write(&self, kind: &FileKind, entry: &[u8], bytes: &mut Vec<u8>) -> bool {
        match &kind.table {
            Some(table) => {
                let cells = self.values().map(Option::unwrap_or_default);
                write_row(entry, table, cells.each_ref().map(String::as_str), bytes)
            }
            None if kind.format == Format::Warc => self.write_record(entry, bytes),
            None => self.write_object(entry, bytes),
        }
    }

    /// Appends the header row with the names of the columns and of the notes.
    pub(super) fn write_header(table: &Table, row: &[u8], bytes: &mut Vec<u8>) {
        write_row(row, table, NOTES, bytes);
    }

    /// Appends a document as a separate JSON object, with this note. `id` is used if the document has none.
    pub(super) fn write_document(&self, id: &str, document: &Document<'_>, bytes: &mut Vec<u8>) {
        let id = document.id.as_deref().unwrap_or(id);
        let noted = Noted { id, uri: document.uri.as_deref(), text: document.text, annotation: self };
        bytes.extend_from_slice(&json(&noted));
        bytes.push(b'\n');
    }

    fn write_object(&self, entry: &[u8], bytes: &mut Vec<u8>) -> bool {
        let (mut is_replaced, mut copied, mut is_empty) = (false, 0, true);
        let mut end = memchr::memchr(b'{', entry).map_or(0, |brace| brace + 1);
        for field in object_fields(entry) {
            end = field.all.end;
            if is_note(field.name) {
                // Copy everything before it, except for the comma in between.
                bytes.extend_from_slice(&entry[copied..field.all.start - usize::from(!is_empty)]);
                copied = if is_empty && entry.get(end) == Some(&b',') { end + 1 } else { end };
                is_replaced = true;
            } else {
                is_empty = false;
            }
        }
        bytes.extend_from_slice(&entry[copied.min(end)..end]);
        bytes.extend(if is_empty { None } else { Some(b',') });
        let fields = json(self);
        bytes.extend_from_slice(&fields[1..fields.len() - 1]);
        bytes.extend_from_slice(&entry[end..]);
        is_replaced
    }

    fn write_record(&self, entry: &[u8], bytes: &mut Vec<u8>) -> bool {
        // The version line comes first, after any garbage.
        let first = memchr::memchr(b'\n', entry).map_or(0, |end| end + 1);
        let line_end = if entry[..first].ends_with(b"\r\n") { "\r\n" } else { "\n" };
        bytes.extend_from_slice(&entry[..first]);
        bytes.extend_from_slice(self.header(line_end).as_bytes());
        let end = header_length(entry).unwrap_or(first);
        let (mut is_replaced, mut is_note) = (false, false);
        for line in entry[first..end].split_inclusive(|byte| *byte == b'\n') {
            is_note = NOTE_HEADERS.iter().any(|name| is_field(line, name)) || is_note && goes_on(line);
            is_replaced |= is_note;
            if !is_note {
                bytes.extend_from_slice(line);
            }
        }
        bytes.extend_from_slice(&entry[end..]);
        is_replaced
    }

    fn header(&self, line_end: &str) -> String {
        // An id may contain line ends, which would end the header.
        let line = |(name, value): (&str, Option<String>)| {
            value.map(|value| format!("{name}: {}{line_end}", value.replace(char::is_control, " ")))
        };
        NOTE_HEADERS.into_iter().zip(self.values()).filter_map(line).collect()
    }

    /// The values of a note, in the order of [`NOTES`].
    fn values(&self) -> [Option<String>; NOTES.len()] {
        let number = |number: Option<u64>| number.map(|number| number.to_string());
        [
            number(self.cluster),
            Some(self.kept.to_string()),
            self.kept_id.clone(),
            self.similarity.map(|similarity| similarity.to_string()),
            number(self.cluster_size),
            number(self.copy_count),
        ]
    }
}

/// True if a quoted and escaped name of a JSON field is that of a note.
fn is_note(quoted: &[u8]) -> bool {
    let is_note = |name: &[u8]| NOTES.iter().any(|note| note.as_bytes() == name);
    if memchr::memchr(b'\\', quoted).is_some() {
        return serde_json::from_slice::<String>(quoted).is_ok_and(|name| is_note(name.as_bytes()));
    }
    is_note(&quoted[1..quoted.len() - 1])
}

/// Appends a row with the cells of a note, in the columns after the last named one, so that they are aligned even if
/// rows have fewer cells or more. Returns true if columns of the same names were left out.
fn write_row(row: &[u8], table: &Table, note: [&str; NOTES.len()], bytes: &mut Vec<u8>) -> bool {
    let is_replaced = |column: &usize| table.has_header && NOTES.contains(&&*table.names[*column]);
    let mark = if row.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
    bytes.extend_from_slice(&row[..mark]);
    // The cells come before the line ends, which the last row may lack.
    let end = row.iter().rposition(|byte| !matches!(byte, b'\r' | b'\n')).map_or(mark, |last| last + 1);
    let mut cells = raw_cells(&row[mark..end], table.delimiter);
    for column in 0..table.names.len() {
        let cell = cells.next().unwrap_or_default();
        if !is_replaced(&column) {
            bytes.extend_from_slice(cell);
            bytes.push(table.delimiter);
        }
    }
    for cell in note {
        if cell.bytes().any(|byte| byte == table.delimiter || matches!(byte, b'"' | b'\r' | b'\n')) {
            bytes.extend_from_slice(format!("\"{}\"", cell.replace('"', "\"\"")).as_bytes());
        } else {
            bytes.extend_from_slice(cell.as_bytes());
        }
        bytes.push(table.delimiter);
    }
    for cell in cells {
        bytes.extend_from_slice(cell);
        bytes.push(table.delimiter);
    }
    // No separator follows the last cell.
    bytes.pop();
    bytes.extend_from_slice(if end < row.len() { &row[end..] } else { b"\n" });
    (0..table.names.len()).any(|column| is_replaced(&column))
}

fn json(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).expect("strings and numbers have a JSON form")
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::sync::Arc;

    use lookalike_core::resolve::keep::FieldValue;

    use crate::compression::Compression;
    use crate::read::Settings;

    fn note() -> Annotation {
        let kept_id = Some("a\"b".to_owned());
        let (cluster, similarity) = (Some(7), Some(0.875));
        Annotation { cluster, kept: false, kept_id, similarity, cluster_size: Some(4), copy_count: Some(2) }
    }

    fn kind(format: Format, header: &str) -> FileKind {
        let table = Table::of("a.csv", header.as_bytes(), &Settings::default());
        let table = (format == Format::Csv).then(|| Arc::new(table.unwrap()));
        FileKind { format, compression: Compression::None, table, is_refused: false }
    }

    /// An entry with a note, and whether something was replaced.
    fn noted(kind: &FileKind, entry: &str) -> (String, bool) {
        let mut bytes = Vec::new();
        let is_replaced = note().write(kind, entry.as_bytes(), &mut bytes);
        (String::from_utf8(bytes).unwrap(), is_replaced)
    }

    fn annotated(format: Format, entry: &str) -> String {
        let (annotated, is_replaced) = noted(&kind(format, "id,text\n"), entry);
        assert!(!is_replaced, "{entry}");
        annotated
    }

    #[test]
    fn a_note_has_the_names_that_it_replaces() {
        let fields = serde_json::to_value(note()).unwrap();
        let names: Vec<&String> = fields.as_object().unwrap().keys().collect();
        let mut notes = NOTES;
        notes.sort_unstable();
        assert_eq!(names, notes);
    }

    #[test]
    fn a_json_object_gets_six_more_fields() {
        assert_eq!(
            annotated(Format::Jsonl, "{\"text\": \"}\" } \r\n"),
            "{\"text\": \"}\" ,\"cluster\":7,\"kept\":false,\"kept_id\":\"a\\\"b\",\"similarity\":0.875,\"cluster_size\":4,\"copy_count\":2} \r\n"
        );
    }

    #[test]
    fn an_object_without_a_text_is_kept_and_in_no_cluster() {
        let kind = FileKind { format: Format::Jsonl, compression: Compression::None, table: None, is_refused: false };
        let mut bytes = Vec::new();
        Annotation::WITHOUT_TEXT.write(&kind, b"{\"text\":null}\n", &mut bytes);
        assert_eq!(
            String::from_utf8(bytes).unwrap(),
            "{\"text\":null,\"cluster\":null,\"kept\":true,\"kept_id\":null,\"similarity\":null,\"cluster_size\":null,\"copy_count\":null}\n"
        );
    }

    #[test]
    fn fields_named_like_a_note_are_replaced() {
        let jsonl = kind(Format::Jsonl, "");
        let fields = "\"cluster\":7,\"kept\":false,\"kept_id\":\"a\\\"b\",\"similarity\":0.875,\"cluster_size\":4,\"copy_count\":2";
        for (object, rest) in [
            ("{\"kept\": true, \"text\": \"x\"}\n", "{ \"text\": \"x\","),
            ("{\"text\": \"x\" ,\"similarity\":null, \"n\":1 }\n", "{\"text\": \"x\" , \"n\":1 ,"),
            ("{\"text\": \"x\", \"cluster\": [{\"kept\": 1}]}\n", "{\"text\": \"x\","),
            ("{\"kept_id\":\"}\",\"clu\\u0073ter\":{\"a\":1},\"text\":\"x\",\"cluster\":2}\n", "{\"text\":\"x\","),
            ("{\"cluster\":1,\"kept\":2}\n", "{"),
        ] {
            assert_eq!(noted(&jsonl, object), (format!("{rest}{fields}}}\n"), true), "{object}");
            let again = noted(&jsonl, &noted(&jsonl, object).0);
            assert_eq!(again, (format!("{rest}{fields}}}\n"), true), "a second time");
        }
        // A nested field, a value, and a name in different case do not match.
        for object in ["{\"in\":{\"kept\":1},\"text\":\"kept\"}", "{\"Kept\":1,\"text\":\"\\\"kept\\\":1\"}"] {
            assert_eq!(noted(&jsonl, object), (format!("{},{fields}}}", &object[..object.len() - 1]), false));
        }
        assert_eq!(noted(&jsonl, "{}").0, format!("{{{fields}}}"));
    }

    #[test]
    fn a_warc_record_gets_header_lines() {
        let lines = "Lookalike-Cluster: 7\r\nLookalike-Kept: false\r\nLookalike-Kept-ID: a\"b\r\nLookalike-Similarity: 0.875\r\nLookalike-Cluster-Size: 4\r\nLookalike-Copy-Count: 2\r\n";
        let rest = "Content-Length: 1\r\nX: y\r\n z\r\n\r\nLookalike-Kept: x\r\n\r\n";
        let expected = format!("WARC/1.0\r\n{lines}{rest}");
        assert_eq!(annotated(Format::Warc, &format!("WARC/1.0\r\n{rest}")), expected);
        // A second time, with a folded line.
        let old = "Lookalike-Kept-ID: x\r\n y\r\nlookalike-cluster : 3\r\n";
        let again = noted(&kind(Format::Warc, ""), &expected.replace("X: y", &format!("{old}X: y")));
        assert_eq!(again, (expected, true));
    }

    #[test]
    fn a_row_gets_six_more_cells() {
        assert_eq!(annotated(Format::Csv, "1,\"a\nb\"\r\n\r\n"), "1,\"a\nb\",7,false,\"a\"\"b\",0.875,4,2\r\n\r\n");
        assert_eq!(annotated(Format::Csv, "1,a"), "1,a,7,false,\"a\"\"b\",0.875,4,2\n");
    }

    #[test]
    fn notes_stand_below_each_other_whatever_rows_have() {
        let csv = kind(Format::Csv, "text,id,more\n");
        assert_eq!(noted(&csv, "a\n").0, "a,,,7,false,\"a\"\"b\",0.875,4,2\n");
        assert_eq!(noted(&csv, "a,1,2,\"3\n\",4\n").0, "a,1,2,7,false,\"a\"\"b\",0.875,4,2,\"3\n\",4\n");
    }

    #[test]
    fn columns_named_like_a_note_are_replaced() {
        let header = "\u{feff}kept,text,\"cluster\",n\n";
        let csv = kind(Format::Csv, header);
        let mut bytes = Vec::new();
        Annotation::write_header(csv.table.as_ref().unwrap(), header.as_bytes(), &mut bytes);
        assert_eq!(
            String::from_utf8(bytes).unwrap(),
            "\u{feff}text,n,cluster,kept,kept_id,similarity,cluster_size,copy_count\n"
        );
        let expected = "a,1,7,false,\"a\"\"b\",0.875,4,2\n".to_owned();
        assert_eq!(noted(&csv, "true,a,\"3, 4\",1\n"), (expected, true));
        // Without a header, columns have no names.
        let settings = Settings { has_header: false, ..Settings::default() };
        let fields = crate::read::Fields { text: "2".to_owned(), ..settings.fields };
        let table = Table::of("a.csv", b"kept,text\n", &Settings { fields, ..settings }).unwrap();
        let csv = FileKind { table: Some(Arc::new(table)), ..csv };
        assert_eq!(noted(&csv, "kept,text\n"), ("kept,text,7,false,\"a\"\"b\",0.875,4,2\n".to_owned(), false));
    }

    #[test]
    fn a_text_becomes_a_json_object() {
        let document = Document {
            id: None,
            text: "one\ntwo",
            uri: None,
            source: None,
            value: FieldValue::Missing,
            others: Box::default(),
        };
        let mut bytes = Vec::new();
        note().write_document("notes/x.txt", &document, &mut bytes);
        assert_eq!(
            String::from_utf8(bytes).unwrap(),
            "{\"id\":\"notes/x.txt\",\"text\":\"one\\ntwo\",\"cluster\":7,\"kept\":false,\"kept_id\":\"a\\\"b\",\"similarity\":0.875,\"cluster_size\":4,\"copy_count\":2}\n"
        );
    }
}
