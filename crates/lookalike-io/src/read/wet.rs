//! WARC records: where they start and end, and those of the type `conversion` as documents.
//!
//! What a reader would get wrong: a Content-Length cannot be trusted. A record counts only if another one, or the end
//! of the file, follows where it says; otherwise the next `WARC/` at the start of a line is searched for.

use std::borrow::Cow;
use std::ops::Range;

use lookalike_core::keep::FieldValue;
use memchr::memmem;

use super::{Document, Entry, Fields};

const MAGIC: &[u8] = b"WARC/";

/// The longest header that is looked for: beyond it, something else is wrong.
const LONGEST_HEADER: usize = 64 << 10;

/// One record in a run of bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RecordRange {
    /// From the version line to the blank lines after the block, these included.
    pub(super) all: Range<usize>,
    /// The block alone; none where the record is damaged.
    pub(super) block: Result<Range<usize>, &'static str>,
}

/// The records of `bytes`, as far as they are whole; `at_end` says that nothing will follow.
pub(super) fn records(bytes: &[u8], at_end: bool) -> Vec<RecordRange> {
    let mut records = Vec::new();
    // A byte order mark and blank lines before the first record are nobody's.
    let mark = if bytes.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
    let mut start = mark + bytes[mark..].iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
    while let Some(record) = record(bytes, start, at_end) {
        start = record.all.end;
        records.push(record);
    }
    records
}

/// The record that starts at `start`, unless there is none or more bytes must be seen first.
fn record(bytes: &[u8], start: usize, at_end: bool) -> Option<RecordRange> {
    let rest = &bytes[start..];
    if rest.is_empty() || !at_end && rest.len() < MAGIC.len() {
        return None;
    }
    if rest.trim_ascii().is_empty() {
        // Blank lines at the end of the file belong to the record before; alone, they are none.
        return None;
    }
    if !rest.starts_with(MAGIC) {
        return damaged(bytes, start, start, at_end, "not a WARC record");
    }
    let Some(header) = header_length(rest) else {
        let is_endless = at_end || rest.len() > LONGEST_HEADER;
        let damaged = || damaged(bytes, start, start, at_end, "a record header without an end");
        return if is_endless { damaged() } else { None };
    };
    let block_start = start + header;
    let Some(length) = field(&rest[..header], "Content-Length").and_then(|length| length.parse::<usize>().ok()) else {
        return damaged(bytes, start, block_start, at_end, "a record without a valid Content-Length");
    };
    let Some(block_end) = block_start.checked_add(length).filter(|end| *end <= bytes.len()) else {
        // More of the block may come, if it is not absurdly long.
        let is_short = at_end || length > u32::MAX as usize;
        let damaged = || damaged(bytes, start, block_start, at_end, "a record shorter than its Content-Length");
        return if is_short { damaged() } else { None };
    };
    let blank = bytes[block_end..].iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
    let end = block_end + blank;
    let follows = &bytes[end..];
    if follows.len() < MAGIC.len() && !at_end {
        return None;
    }
    if (follows.starts_with(MAGIC) || at_end && follows.is_empty()) && are_line_ends(&bytes[block_end..end]) {
        return Some(RecordRange { all: start..end, block: Ok(block_start..block_end) });
    }
    damaged(bytes, start, block_start, at_end, "a record with a wrong Content-Length")
}

/// Whether these are line ends of one kind: half of one says that a block ended in the middle of it.
fn are_line_ends(bytes: &[u8]) -> bool {
    bytes.chunks(2).all(|end| end == b"\r\n") || bytes.iter().all(|byte| *byte == b'\n')
}

/// A record that goes on to the next version line at or after `from`.
fn damaged(bytes: &[u8], start: usize, from: usize, at_end: bool, reason: &'static str) -> Option<RecordRange> {
    let next = memmem::find(&bytes[from..], b"\nWARC/").map(|at| from + at + 1);
    let end = next.or(at_end.then_some(bytes.len()))?;
    Some(RecordRange { all: start..end, block: Err(reason) })
}

/// The length of a header with the blank line after it.
fn header_length(bytes: &[u8]) -> Option<usize> {
    let near = &bytes[..bytes.len().min(LONGEST_HEADER)];
    let crlf = memmem::find(near, b"\r\n\r\n").map(|at| at + 4);
    let lf = memmem::find(near, b"\n\n").map(|at| at + 2);
    crlf.into_iter().chain(lf).min()
}

/// The value of a header field.
fn field<'a>(header: &'a [u8], name: &str) -> Option<&'a str> {
    header.split(|byte| *byte == b'\n').find_map(|line| {
        let colon = memchr::memchr(b':', line)?;
        let value = line[colon + 1..].trim_ascii();
        line[..colon].trim_ascii().eq_ignore_ascii_case(name.as_bytes()).then(|| std::str::from_utf8(value).ok())?
    })
}

/// What a record is: a document, if it is a `conversion`.
pub(super) fn parse<'a>(bytes: &'a [u8], record: &RecordRange, fields: &Fields) -> Entry<'a> {
    let block = match &record.block {
        Ok(block) => block.clone(),
        Err(reason) => return Entry::Skipped((*reason).to_owned()),
    };
    let header = &bytes[record.all.start..block.start];
    if field(header, "WARC-Type").is_none_or(|kind| !kind.eq_ignore_ascii_case("conversion")) {
        return Entry::Carried;
    }
    let text = match simdutf8::compat::from_utf8(&bytes[block]) {
        Ok(text) => text,
        Err(error) => {
            let byte = error.valid_up_to() + 1;
            return Entry::Skipped(format!("not UTF-8: byte {byte} of the text is not part of a character"));
        }
    };
    let id = fields.id.as_deref().and_then(|name| field(header, name)).or_else(|| field(header, "WARC-Record-ID"));
    Entry::Document(Document {
        id: id.map(Cow::Borrowed),
        text,
        uri: field(header, "WARC-Target-URI"),
        source: fields.source.as_deref().and_then(|name| field(header, name)).map(Cow::Borrowed),
        value: fields.value.as_deref().and_then(|name| field(header, name)).map_or(FieldValue::Missing, value),
    })
}

/// A header's value is a number if it looks like one.
fn value(text: &str) -> FieldValue {
    match FieldValue::number(text) {
        FieldValue::Missing => FieldValue::Text(text.into()),
        number => number,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wet(kind: &str, text: &str, length: usize) -> String {
        format!(
            "WARC/1.0\r\nWARC-Type: {kind}\r\nwarc-record-id: <urn:x>\r\nWARC-Target-URI: http://a.example/\r\nContent-Length: {length}\r\n\r\n{text}\r\n\r\n"
        )
    }

    fn texts(bytes: &str) -> Vec<Result<String, String>> {
        let parse = |record: &RecordRange| match parse(bytes.as_bytes(), record, &Fields::default()) {
            Entry::Document(document) => Some(Ok(document.text.to_owned())),
            Entry::Carried => None,
            Entry::Skipped(reason) => Some(Err(reason)),
        };
        records(bytes.as_bytes(), true).iter().filter_map(parse).collect()
    }

    #[test]
    fn conversion_records_are_documents_and_others_are_carried() {
        let file = wet("warcinfo", "x", 1) + &wet("conversion", "one\r\n\r\ntwo", 10);
        assert_eq!(texts(&file), [Ok("one\r\n\r\ntwo".to_owned())]);
        let records = records(file.as_bytes(), true);
        let Entry::Document(document) = parse(file.as_bytes(), &records[1], &Fields::default()) else { panic!() };
        assert_eq!((document.id.as_deref(), document.uri), (Some("<urn:x>"), Some("http://a.example/")));
    }

    #[test]
    fn a_wrong_length_costs_that_record_and_no_other() {
        for length in [0, 2, 4, 9, 500, usize::MAX] {
            let file = wet("conversion", "one", 3) + &wet("conversion", "two", length) + &wet("conversion", "three", 5);
            let texts = texts(&file);
            assert_eq!(texts.len(), 3, "{length}: {texts:?}");
            assert_eq!((&texts[0], &texts[2]), (&Ok("one".to_owned()), &Ok("three".to_owned())));
            assert!(texts[1].is_err(), "{length}");
        }
    }

    #[test]
    fn rubbish_between_records_is_skipped_with_a_word() {
        let file = format!("rubbish\n{}rubbish", wet("conversion", "one", 3));
        let texts = texts(&file);
        assert_eq!(texts[0], Err("not a WARC record".to_owned()));
        // What follows the record makes its length look wrong, and it is: nobody can tell whose rubbish it is.
        assert_eq!(texts.len(), 2);
    }

    #[test]
    fn a_record_is_whole_only_when_what_follows_was_seen() {
        let file = wet("conversion", "one", 3) + &wet("conversion", "two", 3);
        let whole = records(file.as_bytes(), true);
        for seen in 0..file.len() {
            let records = records(&file.as_bytes()[..seen], false);
            assert_eq!(records, whole[..records.len()], "{seen}");
        }
    }
}
