//! A note on a document: where it belongs, whether it stays, and because of whom not.

use serde::Serialize;

use crate::format::Format;

/// What `--annotate` says of a document.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Annotation {
    /// The number of its cluster.
    pub cluster: u64,
    /// Whether it stays.
    pub kept: bool,
    /// The document that is kept in its place.
    pub kept_id: Option<String>,
    /// How alike the two are.
    pub jaccard: Option<f64>,
}

/// What a document of plain text becomes, since a text file has no room for a note.
#[derive(Serialize)]
struct Noted<'a> {
    id: &'a str,
    text: &'a str,
    #[serde(flatten)]
    annotation: &'a Annotation,
}

impl Annotation {
    /// Appends an entry to `bytes` with this note in it: fields of a JSONL object, header lines of a WET record.
    /// `name` is that of the file, which is the id of a text document.
    pub(super) fn write(&self, format: Format, name: &str, entry: &[u8], bytes: &mut Vec<u8>) {
        match format {
            Format::Jsonl => {
                let fields = json(self);
                let brace = memchr::memrchr(b'}', entry).unwrap_or(entry.len());
                bytes.extend_from_slice(&entry[..brace]);
                bytes.push(b',');
                bytes.extend_from_slice(&fields[1..fields.len() - 1]);
                bytes.extend_from_slice(&entry[brace..]);
            }
            Format::Wet => {
                let first = memchr::memchr(b'\n', entry).map_or(0, |end| end + 1);
                let line_end = if entry[..first].ends_with(b"\r\n") { "\r\n" } else { "\n" };
                bytes.extend_from_slice(&entry[..first]);
                bytes.extend_from_slice(self.header(line_end).as_bytes());
                bytes.extend_from_slice(&entry[first..]);
            }
            Format::Text => {
                let text = String::from_utf8_lossy(entry);
                bytes.extend_from_slice(&json(&Noted { id: name, text: &text, annotation: self }));
                bytes.push(b'\n');
            }
        }
    }

    fn header(&self, line_end: &str) -> String {
        let mut fields = vec![format!("Lookalike-Cluster: {}", self.cluster), format!("Lookalike-Kept: {}", self.kept)];
        // An id may have line ends in it, which would end the header.
        let one_line = |id: &String| id.replace(char::is_control, " ");
        fields.extend(self.kept_id.as_ref().map(|kept_id| format!("Lookalike-Kept-ID: {}", one_line(kept_id))));
        fields.extend(self.jaccard.map(|jaccard| format!("Lookalike-Jaccard: {jaccard}")));
        fields.into_iter().map(|field| field + line_end).collect()
    }
}

fn json(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).expect("strings and numbers have a JSON form")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn annotated(format: Format, entry: &str) -> String {
        let annotation = Annotation { cluster: 7, kept: false, kept_id: Some("a\"b".to_owned()), jaccard: Some(0.875) };
        let mut bytes = Vec::new();
        annotation.write(format, "notes/x.txt", entry.as_bytes(), &mut bytes);
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn a_jsonl_object_gets_four_more_fields() {
        assert_eq!(
            annotated(Format::Jsonl, "{\"text\": \"}\" } \r\n"),
            "{\"text\": \"}\" ,\"cluster\":7,\"kept\":false,\"kept_id\":\"a\\\"b\",\"jaccard\":0.875} \r\n"
        );
    }

    #[test]
    fn a_wet_record_gets_header_lines() {
        assert_eq!(
            annotated(Format::Wet, "WARC/1.0\r\nContent-Length: 1\r\n\r\nx\r\n\r\n"),
            "WARC/1.0\r\nLookalike-Cluster: 7\r\nLookalike-Kept: false\r\nLookalike-Kept-ID: a\"b\r\n\
             Lookalike-Jaccard: 0.875\r\nContent-Length: 1\r\n\r\nx\r\n\r\n"
        );
    }

    #[test]
    fn a_text_becomes_a_jsonl_object() {
        assert_eq!(
            annotated(Format::Text, "one\ntwo"),
            "{\"id\":\"notes/x.txt\",\"text\":\"one\\ntwo\",\"cluster\":7,\"kept\":false,\"kept_id\":\"a\\\"b\",\"jaccard\":0.875}\n"
        );
    }
}
