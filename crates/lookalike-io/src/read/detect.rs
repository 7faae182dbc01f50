//! Detects the format of a file.

use std::sync::Arc;

use super::arc::is_record as is_arc_record;
use super::csv::Table;
use super::foreign::foreign;
use crate::compression::Compression;
use crate::format::{Format, starts_list, unpacked_extension};
use crate::settings::{Settings, Split};
use crate::web;

/// The detected format of a file.
#[derive(Clone, Debug)]
pub struct FileKind {
    /// Its format.
    pub format: Format,
    /// Its compression.
    pub compression: Compression,
    /// The columns of a CSV file's fields.
    pub table: Option<Arc<Table>>,
    /// True if nothing in it could be read, so that there is nothing to write.
    pub is_refused: bool,
}

impl Format {
    /// Detects the format from the first decompressed bytes, and from the name if these are ambiguous.
    pub fn of(name: &str, start: &[u8], settings: &Settings) -> Self {
        let bare = start.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(start).trim_ascii_start();
        if bare.starts_with(b"WARC/") {
            return Self::Warc;
        }
        if bare.starts_with(b"filedesc:") || is_arc_record(bare) {
            return Self::Arc;
        }
        if start.starts_with(b"PAR1") {
            return Self::Parquet;
        }
        if foreign(name, start).is_some() {
            return Self::Other;
        }
        let text = match settings.split {
            Split::File => Self::Text,
            Split::Line => Self::Lines,
            Split::Paragraph => Self::Paragraphs,
        };
        let extension = unpacked_extension(name);
        match extension.as_deref() {
            // A file with a damaged start: later records are searched for, and garbage is counted.
            Some("warc" | "wet" | "wat") => Self::Warc,
            Some("arc") => Self::Arc,
            Some("parquet") => Self::Parquet,
            // Lines by name, a list by content.
            Some("jsonl" | "ndjson") if starts_list(bare) => Self::JsonList,
            Some("jsonl" | "ndjson") => Self::Jsonl,
            _ if is_binary(start) => Self::Other,
            Some("json") if bare.starts_with(b"[") => Self::JsonList,
            Some("json") if !first_line(bare).ends_with(b"}") => Self::JsonValues,
            Some("json") => Self::Jsonl,
            Some("csv" | "tsv" | "tab") => Self::Csv,
            Some("txt" | "text" | "md") => text,
            Some("html" | "htm" | "xhtml") => Self::Html,
            _ if web::looks_like_html(start) => Self::Html,
            _ if bare.starts_with(b"{") => Self::Jsonl,
            _ if starts_list(bare) => Self::JsonList,
            _ if Table::has_text_column(bare, settings) => Self::Csv,
            _ => text,
        }
    }
}

fn first_line(bytes: &[u8]) -> &[u8] {
    bytes.split(|byte| *byte == b'\n').next().unwrap_or_default().trim_ascii_end()
}

/// True if these cannot be the first bytes of a text: pictures and programs contain zero bytes. A text may contain one
/// by mistake, and UTF-16 many, but it starts with a mark.
fn is_binary(start: &[u8]) -> bool {
    let zeros = memchr::memchr_iter(0, start).count();
    let is_utf16 = start.starts_with(b"\xFF\xFE") || start.starts_with(b"\xFE\xFF");
    // The last character may be truncated.
    let is_text = || simdutf8::compat::from_utf8(start).map_or_else(|error| error.error_len().is_none(), |_| true);
    zeros > 0 && !is_utf16 && (zeros > start.len() / 10 || !is_text())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_says_more_than_the_name() {
        for (name, start, format) in [
            ("crawl.warc.wet.gz", &b"WARC/1.0\r\n"[..], Format::Warc),
            ("crawl.txt", b"WARC/1.0\r\n", Format::Warc),
            ("crawl.txt", b"filedesc://x.arc 0.0.0.0 2005", Format::Arc),
            ("a.jsonl", b"not json", Format::Jsonl),
            ("a.jsonl", b"[\n {\"text\"", Format::JsonList),
            ("a.JSON.GZ", b"{}", Format::Jsonl),
            ("a.json", b"{\"text\": \"a\"}\n{", Format::Jsonl),
            ("a.json", b"{\n \"text\": \"a\"}\n{", Format::JsonValues),
            ("a.json", b" [\n1", Format::JsonList),
            ("part-0001", b" [\n{", Format::JsonList),
            ("part-0001", b"[1] A text", Format::Text),
            ("part-0001", b"  {\"text\"", Format::Jsonl),
            ("part-0001", b"Once upon", Format::Text),
            ("part-0001", b"id;\"text\"\n1;x", Format::Csv),
            ("part-0001", b"id and text\n1;x", Format::Text),
            ("part-0001", b"<!DOCTYPE html><p>x", Format::Html),
            ("part-0001", b"PAR1\0\0", Format::Parquet),
            ("cut.parquet", b"\0\0\0", Format::Parquet),
            ("a.csv.gz", b"x", Format::Csv),
            ("a.warc.gz", b"", Format::Warc),
            ("a.warc", b"XARC/1.0\r\n", Format::Warc),
            ("a.WET.zst", b"\0\0 no record", Format::Warc),
            ("a.arc", b"<html>", Format::Arc),
            ("a.parquet", b"{\"text\": 1}", Format::Parquet),
            ("a.htm", b"x", Format::Html),
            ("a.txt", b"{ a text }", Format::Text),
            ("a.txt", b"a zero \0 in a text", Format::Text),
            ("a.txt", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", Format::Other),
            ("a.txt", b"\xFF\xFEa\0b\0", Format::Text),
            ("a.txt", b"%PDF-1.4\n1 0 obj", Format::Other),
            ("a.jsonl", b"{\\rtf1 x}", Format::Other),
            ("part-0001", b"PK\x03\x04\x14\0", Format::Other),
            ("stdin", b"\xEF\xBB\xBF{", Format::Jsonl),
        ] {
            assert_eq!(Format::of(name, start, &Settings::default()), format, "{name} {start:?}");
        }
        let settings = Settings { split: Split::Line, ..Settings::default() };
        assert_eq!(Format::of("a.txt", b"x", &settings), Format::Lines);
    }
}
