//! A document with another text, as one line of JSON: the object it was read from, or one of the cells of its row.
//!
//! The output is always JSONL: a shortened text cannot be written back to a page or a crawl record.

use serde_json::{Map, Value};

use crate::format::Format;
use crate::read::{FileKind, object_fields, raw_cells};

/// Replaces the text at `path` in the object of an entry, on one line without its end. None for an entry that is neither
/// an object nor a row of a table.
///
/// # Panics
///
/// Never: every string has a JSON form.
pub fn with_text(kind: &FileKind, entry: &[u8], path: &str, text: &str) -> Option<Vec<u8>> {
    match kind.format {
        Format::Jsonl | Format::JsonList | Format::JsonValues => {
            let range = value_at(entry, path)?;
            let start = entry.iter().position(|byte| *byte == b'{')?;
            let mut object = entry[start..range.start].to_vec();
            serde_json::to_writer(&mut object, text).expect("a string has a JSON form");
            object.extend_from_slice(&entry[range.end..]);
            object.truncate(object.trim_ascii_end().len());
            // No string has a line end in it, so that these stand between fields.
            object.iter_mut().filter(|byte| matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
            Some(object)
        }
        Format::Csv => {
            let table = kind.table.as_ref()?;
            let end = entry.iter().rposition(|byte| !matches!(byte, b'\r' | b'\n')).map_or(0, |last| last + 1);
            let row = &entry[..end];
            let cells = raw_cells(row.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(row), table.delimiter);
            let cell = |(name, cell): (&String, &[u8])| (name.clone(), Value::from(unquoted(cell)));
            let mut object: Map<String, Value> = table.names.iter().zip(cells).map(cell).collect();
            object.insert(path.to_owned(), text.into());
            serde_json::to_vec(&object).ok()
        }
        _ => None,
    }
}

/// Adds a field to an object on one line, in place of one of the same name.
///
/// # Panics
///
/// Never: every value has a JSON form.
pub fn add_field(object: &mut Vec<u8>, name: &str, value: &Value) {
    let named = |object: &[u8]| {
        let mut fields = object_fields(object);
        fields.find(|field| is_named(field.name, name)).map(|field| field.all)
    };
    while let Some(field) = named(object) {
        let range = match object.get(field.end) {
            Some(b',') => field.start..field.end + 1,
            _ if object[..field.start].ends_with(b",") => field.start - 1..field.end,
            _ => field,
        };
        object.drain(range);
    }
    let is_empty = object_fields(object).next().is_none();
    let Some(end) = object.iter().rposition(|byte| *byte == b'}') else { return };
    object.truncate(end);
    object.extend_from_slice(if is_empty { b"" } else { b"," });
    let field = Map::from_iter([(name.to_owned(), value.clone())]);
    let field = serde_json::to_vec(&field).expect("a value has a JSON form");
    object.extend_from_slice(&field[1..]);
}

/// Finds the value at a path.
fn value_at(entry: &[u8], path: &str) -> Option<std::ops::Range<usize>> {
    for field in object_fields(entry) {
        let (name, all) = (field.name, field.all);
        let name_end = name.as_ptr() as usize - entry.as_ptr() as usize + name.len();
        let colon = name_end + entry[name_end..].iter().position(|byte| *byte == b':')?;
        let blanks = entry[colon + 1..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let start = colon + 1 + blanks;
        let end = start + entry[start..all.end].trim_ascii_end().len();
        if is_named(name, path) {
            return Some(start..end);
        }
        let inside = path.match_indices('.').find(|(at, _)| is_named(name, &path[..*at]));
        let found = inside.and_then(|(at, _)| value_at(entry.get(start..end)?, &path[at + 1..]));
        if let Some(found) = found {
            return Some(start + found.start..start + found.end);
        }
    }
    None
}

/// Compares a quoted and escaped name with `name`.
fn is_named(quoted: &[u8], name: &str) -> bool {
    let bare = &quoted[1..quoted.len() - 1];
    if memchr::memchr(b'\\', bare).is_none() {
        return bare == name.as_bytes();
    }
    serde_json::from_slice::<String>(quoted).is_ok_and(|unescaped| unescaped == name)
}

/// Removes the quotes of a cell.
fn unquoted(cell: &[u8]) -> String {
    let text = String::from_utf8_lossy(cell);
    match text.trim().strip_prefix('"').and_then(|inner| inner.strip_suffix('"')) {
        Some(inner) => inner.replace("\"\"", "\""),
        None => text.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;
    use crate::compression::Compression;
    use crate::read::{Settings, Table};

    fn kind(format: Format) -> FileKind {
        FileKind { format, compression: Compression::None, table: None, is_refused: false }
    }

    fn shown(format: Format, entry: &str, path: &str) -> Option<String> {
        Some(String::from_utf8(with_text(&kind(format), entry.as_bytes(), path, "a \"b\"\n")?).unwrap())
    }

    #[test]
    fn an_object_gets_another_text_and_keeps_the_rest_as_it_is() {
        let expected = "{\"id\": 1.50, \"text\" : \"a \\\"b\\\"\\n\" , \"x\":[1, 2]}";
        let entry = "\u{feff}{\"id\": 1.50, \"text\" : \"}old\\\"\" , \"x\":[1, 2]}\r\n";
        assert_eq!(shown(Format::Jsonl, entry, "text").unwrap(), expected);
        let nested = "{\n \"a\": {\"text\": \"x\", \"b.c\": {\"text\": \"old\"}}\n}";
        let expected = "{  \"a\": {\"text\": \"x\", \"b.c\": {\"text\": \"a \\\"b\\\"\\n\"}} }";
        assert_eq!(shown(Format::JsonValues, nested, "a.b.c.text").unwrap(), expected);
        assert_eq!(shown(Format::Jsonl, "{\"text\":\"x\"}", "body"), None);
        assert_eq!(shown(Format::Html, "<p>", "text"), None);
    }

    #[test]
    fn a_row_becomes_an_object_of_its_cells() {
        let table = Table::of("a.csv", b"id,text,n\n", &Settings::default()).unwrap();
        let csv = FileKind { table: Some(Arc::new(table)), ..kind(Format::Csv) };
        let row = with_text(&csv, b"1,\"old, \"\"text\"\"\",\"3\n4\"\r\n", "text", "new").unwrap();
        let row: Value = serde_json::from_slice(&row).unwrap();
        assert_eq!(row, json!({"id": "1", "text": "new", "n": "3\n4"}));
    }

    #[test]
    fn a_field_is_added_in_place_of_one_of_its_name() {
        for (object, expected) in [
            ("{}", "{\"n\":[1]}"),
            ("{\"a\":1}", "{\"a\":1,\"n\":[1]}"),
            ("{\"n\":2,\"a\":{\"n\":1}}", "{\"a\":{\"n\":1},\"n\":[1]}"),
            ("{\"a\":1,\"n\":{}}", "{\"a\":1,\"n\":[1]}"),
            ("{\"n\":0}", "{\"n\":[1]}"),
        ] {
            let mut bytes = object.as_bytes().to_vec();
            add_field(&mut bytes, "n", &json!([1]));
            assert_eq!(String::from_utf8(bytes).unwrap(), expected);
        }
    }
}
