//! Finds and parses WARC records, and selects those that are documents: pages, and text extracted from pages.
//!
//! Note that a Content-Length cannot be trusted. A record is accepted only if it is followed by another one or by the
//! end of the file; otherwise the next `WARC/` at the start of a line is searched for.

use std::borrow::Cow;

use lookalike_core::hash::Key;
use lookalike_core::resolve::keep::FieldValue;
use memchr::memmem;

use super::cut::{Cut, is_blank};
use super::{Document, Entry, Settings, json_string};
use crate::error::Error;
use crate::input::shelf::{Place, Shelf};
use crate::skipped::SkipReason;
use crate::web::{Content, NOT_BUILT, http, text_of};

const MAGIC: &[u8] = b"WARC/";

/// The pattern that is searched for to find the start of a record.
pub(super) const NEXT: &[u8] = b"\nWARC/";

/// Maximum length of a header: a longer one indicates damage.
const LONGEST_HEADER: usize = 64 << 10;

/// Cuts off the complete records of `bytes`; with `at_end`, nothing follows.
pub(super) fn cut(bytes: &[u8], at_end: bool, cut: &mut Cut) {
    // A byte order mark and blank lines before the first record belong to no entry.
    let mark = if bytes.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
    let mut start = mark + line_ends(&bytes[mark..]);
    while !cut.is_full() {
        match record(bytes, start, at_end) {
            Found::Whole(end) => cut.push(start..end, None),
            Found::Damaged(end, reason) => cut.push(start..end, Some(reason.into())),
            Found::Nothing => return,
        }
        start = cut.end;
    }
}

enum Found {
    /// Complete up to here, including the blank lines after the block.
    Whole(usize),
    /// Damaged up to here, with the reason.
    Damaged(usize, &'static str),
    /// Not a record, or more bytes are needed.
    Nothing,
}

/// Finds the record at `start`.
fn record(bytes: &[u8], start: usize, at_end: bool) -> Found {
    let rest = &bytes[start..];
    // Blank lines at the end of the file belong to the previous record; on their own, they are not a record.
    if is_blank(rest) || !at_end && rest.len() < MAGIC.len() {
        return Found::Nothing;
    }
    if !rest.starts_with(MAGIC) {
        return damaged(bytes, start, at_end, "not a WARC record");
    }
    let Some(header) = header_length(rest) else {
        if at_end || rest.len() > LONGEST_HEADER {
            return damaged(bytes, start, at_end, "a record header without an end");
        }
        return Found::Nothing;
    };
    let block_start = start + header;
    let Some(length) = content_length(&rest[..header]) else {
        return damaged(bytes, block_start, at_end, "a record without a valid Content-Length");
    };
    let Some(block_end) = block_start.checked_add(length).filter(|end| *end <= bytes.len()) else {
        // More of the block may follow; if it is too long, the reader skips it.
        if at_end {
            return damaged(bytes, block_start, at_end, "a record shorter than its Content-Length");
        }
        return Found::Nothing;
    };
    let end = block_end + line_ends(&bytes[block_end..]);
    let follows = &bytes[end..];
    if follows.len() < MAGIC.len() && !at_end {
        return Found::Nothing;
    }
    if (follows.starts_with(MAGIC) || at_end && is_blank(follows)) && are_line_ends(&bytes[block_end..end]) {
        return Found::Whole(end);
    }
    damaged(bytes, block_start, at_end, "a record with a wrong Content-Length")
}

fn line_ends(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count()
}

/// True if these are line ends of one kind: half of one means that a block ended within it.
fn are_line_ends(bytes: &[u8]) -> bool {
    bytes.chunks(2).all(|end| end == b"\r\n") || bytes.iter().all(|byte| *byte == b'\n')
}

/// A damaged record that extends to the next version line at or after `from`.
fn damaged(bytes: &[u8], from: usize, at_end: bool, reason: &'static str) -> Found {
    let next = memmem::find(&bytes[from..], NEXT).map(|at| from + at + 1);
    next.or(at_end.then_some(bytes.len())).map_or(Found::Nothing, |end| Found::Damaged(end, reason))
}

/// The length of a header, including the blank line after it.
pub(crate) fn header_length(bytes: &[u8]) -> Option<usize> {
    let near = &bytes[..bytes.len().min(LONGEST_HEADER)];
    let crlf = memmem::find(near, b"\r\n\r\n").map(|at| at + 4);
    // The first blank line counts, whatever its line ends.
    let before = &near[..crlf.unwrap_or(near.len())];
    memmem::find(before, b"\n\n").map(|at| at + 2).or(crlf)
}

fn content_length(header: &[u8]) -> Option<usize> {
    field(header, "Content-Length")?.parse().ok()
}

/// The value of a header field, which may continue on further lines that start with a space.
pub(super) fn field<'a>(header: &'a [u8], name: &str) -> Option<Cow<'a, str>> {
    fields(header, name).next()
}

/// All values of a header field.
fn fields<'a>(header: &'a [u8], name: &str) -> impl Iterator<Item = Cow<'a, str>> {
    let mut lines = header.split(|byte| *byte == b'\n').peekable();
    std::iter::from_fn(move || {
        let line = lines.by_ref().find(|line| is_field(line, name))?;
        let colon = memchr::memchr(b':', line)?;
        let mut value = String::from_utf8_lossy(line[colon + 1..].trim_ascii());
        while let Some(more) = lines.next_if(|line| goes_on(line)) {
            let value = value.to_mut();
            value.push_str(if value.is_empty() { "" } else { " " });
            value.push_str(&String::from_utf8_lossy(more.trim_ascii()));
        }
        Some(value)
    })
}

/// True if a line of a header starts the field of this name.
pub(crate) fn is_field(line: &[u8], name: &str) -> bool {
    memchr::memchr(b':', line).is_some_and(|colon| line[..colon].trim_ascii().eq_ignore_ascii_case(name.as_bytes()))
}

/// True if a line of a header continues the previous field.
pub(crate) fn goes_on(line: &[u8]) -> bool {
    line.starts_with(b" ") || line.starts_with(b"\t")
}

/// The other records to which a record belongs. Ids are represented by their hashes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Links {
    /// Its own id.
    pub id: Option<u128>,
    /// The ids of records that it was captured with or describes.
    pub to: Vec<u128>,
    /// Identifies the page of a revisit, which has its payload; for other records, how revisits refer to them. The most
    /// reliable comes first: the id, address and date, then the digest of the payload.
    pub page: Vec<u128>,
    /// True for a `revisit`: a capture of a page whose payload is in another record.
    pub is_revisit: bool,
}

/// Lengths read to find a header: one that is enough for nearly all, and the maximum.
const STARTS: [usize; 2] = [4 << 10, LONGEST_HEADER];

/// The links of the WARC record at `place`; none if it has no header.
///
/// # Errors
///
/// If its file cannot be read any more.
pub fn links(shelf: &Shelf, place: Place, key: Key) -> Result<Option<Links>, Error> {
    let mut bytes = Vec::new();
    for most in STARTS {
        shelf.read_start(place, most, &mut bytes)?;
        if let Some(length) = header_length(&bytes) {
            return Ok(Some(links_of(&bytes[..length], key)));
        }
    }
    Ok(None)
}

fn links_of(header: &[u8], key: Key) -> Links {
    let hash = |id: Cow<'_, str>| key.bytes_hash(id.trim_start_matches('<').trim_end_matches('>').as_bytes());
    let kind = field(header, "WARC-Type").unwrap_or_default().to_ascii_lowercase();
    // A conversion also refers to a record, but is a separate document; and a revisit is a separate capture.
    let other = match &*kind {
        "metadata" => Some("WARC-Refers-To"),
        "continuation" => Some("WARC-Segment-Origin-ID"),
        _ => None,
    };
    let names = ["WARC-Concurrent-To"].into_iter().chain(other);
    let to = names.flat_map(|name| fields(header, name)).map(hash).collect();
    let is_revisit = kind == "revisit";
    Links { id: field(header, "WARC-Record-ID").map(hash), to, page: page_of(header, is_revisit, key), is_revisit }
}

/// Identifies a page, from its own header or from that of its revisit.
fn page_of(header: &[u8], is_revisit: bool, key: Key) -> Vec<u128> {
    let [id, uri, date] = if is_revisit {
        ["WARC-Refers-To", "WARC-Refers-To-Target-URI", "WARC-Refers-To-Date"]
    } else {
        ["WARC-Record-ID", "WARC-Target-URI", "WARC-Date"]
    };
    let bare = |name: &str| {
        let value = field(header, name)?;
        Some(value.trim_start_matches('<').trim_end_matches('>').to_owned())
    };
    let capture = bare(uri).zip(bare(date)).map(|(uri, date)| format!("{uri}\n{date}"));
    let names = [("id", bare(id)), ("capture", capture), ("payload", bare("WARC-Payload-Digest"))];
    let hash = |(kind, name): (&str, Option<String>)| Some(key.bytes_hash(format!("{kind}\n{}", name?).as_bytes()));
    names.into_iter().filter_map(hash).collect()
}

/// Parses a record.
pub(super) fn parse<'a>(record: &'a [u8], settings: &Settings, text: &'a mut String) -> Entry<'a> {
    let record = &record[record.iter().position(|byte| *byte == b'W').unwrap_or(0)..];
    let Some(header) = header_length(record) else { return Entry::Carried("other") };
    let (header, block) = record.split_at(header);
    let block = &block[..content_length(header).unwrap_or(0).min(block.len())];
    let content_type = || field(header, "Content-Type");
    let kind = field(header, "WARC-Type").unwrap_or_default().to_ascii_lowercase();
    let text = match &*kind {
        "conversion" => match simdutf8::basic::from_utf8(block) {
            // The usual case, in which nothing is copied.
            Ok(text) if content_type().is_none_or(|content| content.starts_with("text/plain")) => Ok(text),
            _ => resource(block, content_type().as_deref(), settings, text),
        },
        "resource" => resource(block, content_type().as_deref(), settings, text),
        "response" if !content_type().is_some_and(|content| is_http(&content)) => {
            // A page of another protocol, whose block has no headers.
            resource(block, content_type().as_deref(), settings, text)
        }
        "response" => response(block, settings, text),
        other => Err(NoPage::Carried(carried(other))),
    };
    let text = match text {
        Ok(text) => text,
        Err(no_page) => return no_page.into(),
    };
    let fields = &settings.fields;
    // Some crawlers put the address into angle brackets.
    let uri =
        field(header, "WARC-Target-URI").map(|uri| match uri.strip_prefix('<').and_then(|uri| uri.strip_suffix('>')) {
            Some(bare) => Cow::Owned(bare.to_owned()),
            None => uri,
        });
    let named = |name: &str| if name == "uri" { uri.clone() } else { field(header, name) };
    let id = fields.id.as_deref().and_then(named).or_else(|| field(header, "WARC-Record-ID"));
    let source = fields.source.as_deref().and_then(named);
    let value =
        fields.value.as_deref().and_then(named).map_or(FieldValue::Missing, |value| FieldValue::of_text(&value));
    let other = |(at, name): (usize, &String)| Some((at, json_string(&named(name)?)));
    let others = fields.others.iter().enumerate().filter_map(other).collect();
    Entry::Document(Document { id, text, uri, source, value, others })
}

fn is_http(content_type: &str) -> bool {
    content_type.trim_start().to_ascii_lowercase().starts_with("application/http")
}

/// Reason why a record has no text.
pub(super) enum NoPage {
    /// It is not a document, but this kind of record.
    Carried(&'static str),
    /// It should have a text, but cannot be read.
    Skipped(SkipReason),
}

impl From<NoPage> for Entry<'_> {
    fn from(no_page: NoPage) -> Self {
        match no_page {
            NoPage::Carried(kind) => Self::Carried(kind),
            NoPage::Skipped(reason) => Self::Skipped(reason),
        }
    }
}

/// The text of an HTTP message.
pub(super) fn response<'a>(block: &[u8], settings: &Settings, text: &'a mut String) -> Result<&'a str, NoPage> {
    let response = http::response(block, settings.longest as usize).map_err(NoPage::Skipped)?;
    resource(&response.body, response.content_type, settings, text)
}

/// The text of a body.
pub(super) fn resource<'a>(
    body: &[u8],
    content_type: Option<&str>,
    settings: &Settings,
    text: &'a mut String,
) -> Result<&'a str, NoPage> {
    match text_of(body, content_type, settings.page_text(), text) {
        Content::Text => Ok(text),
        Content::NotText => Err(NoPage::Carried("not text")),
        Content::NotBuilt => Err(NoPage::Skipped(NOT_BUILT.into())),
    }
}

/// The name of a record kind that is copied along.
fn carried(kind: &str) -> &'static str {
    ["warcinfo", "request", "metadata", "revisit", "continuation"]
        .into_iter()
        .find(|known| *known == kind)
        .unwrap_or("other")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::Fields;
    use crate::read::cut::tests::all_entries;

    fn wet(kind: &str, text: &str, length: usize) -> String {
        format!(
            "WARC/1.0\r\nWARC-Type: {kind}\r\nwarc-record-id: <urn:x>\r\nWARC-Target-URI: http://a.example/\r\nContent-Length: {length}\r\n\r\n{text}\r\n\r\n"
        )
    }

    fn texts(file: &str) -> Vec<Result<String, String>> {
        let mut text = String::new();
        let mut parse = |record: &[u8]| match parse(record, &Settings::default(), &mut text) {
            Entry::Document(document) => Some(Ok(document.text.to_owned())),
            Entry::Carried(_) => None,
            Entry::Skipped(reason) => Some(Err(reason.to_string())),
        };
        let spans = all_entries(file.as_bytes(), cut);
        let entry = |span: super::super::cut::Span| match span.problem {
            Some(problem) => Some(Err(problem.to_string())),
            None => parse(&file.as_bytes()[span.all]),
        };
        spans.into_iter().filter_map(entry).collect()
    }

    #[expect(clippy::unnecessary_wraps, reason = "it is compared with what may be an error")]
    fn ok(text: &str) -> Result<String, String> {
        Ok(text.to_owned())
    }

    #[test]
    fn conversion_records_are_documents_and_others_are_carried() {
        let file = wet("warcinfo", "x", 1) + &wet("conversion", "one\r\n\r\ntwo", 10) + &wet("request", "GET /", 5);
        assert_eq!(texts(&file), [ok("one\r\n\r\ntwo")]);
        let mut text = String::new();
        for (id, expected) in [(None, "<urn:x>"), (Some("uri"), "http://a.example/"), (Some("content-length"), "3")] {
            let fields = Fields { id: id.map(str::to_owned), ..Fields::default() };
            let record = wet("conversion", "one", 3);
            let settings = Settings { fields, ..Settings::default() };
            let Entry::Document(document) = parse(record.as_bytes(), &settings, &mut text) else { panic!() };
            assert_eq!((document.id.as_deref(), document.uri.as_deref()), (Some(expected), Some("http://a.example/")));
        }
    }

    #[test]
    fn a_wrong_length_costs_that_record_and_no_other() {
        for length in [0, 2, 4, 9, 500, usize::MAX] {
            let file = wet("conversion", "one", 3) + &wet("conversion", "two", length) + &wet("conversion", "three", 5);
            let texts = texts(&file);
            assert_eq!(texts.len(), 3, "{length}: {texts:?}");
            assert_eq!((&texts[0], &texts[2]), (&ok("one"), &ok("three")));
            assert!(texts[1].is_err(), "{length}");
        }
        let without = wet("conversion", "two", 3).replace("Content-Length: 3\r\n", "");
        let texts = texts(&(without + &wet("conversion", "one", 3)));
        assert_eq!(texts, [Err("a record without a valid Content-Length".to_owned()), ok("one")]);
    }

    #[test]
    fn headers_may_be_folded_and_addresses_in_brackets() {
        let record = "WARC/1.1\nwarc-type : conversion\nWARC-Target-URI:\n  <http://a.example/\n\tb>\nContent-Length:\n 3\n\none\n\n";
        assert_eq!(texts(record), [ok("one")]);
        let mut text = String::new();
        let Entry::Document(document) = parse(record.as_bytes(), &Settings::default(), &mut text) else { panic!() };
        assert_eq!(document.uri.as_deref(), Some("http://a.example/ b"));
    }

    #[test]
    fn a_record_belongs_to_those_that_it_was_captured_with() {
        let links = |kind: &str, more: &str| {
            links_of(
                format!("WARC/1.0\r\nWARC-Type: {kind}\r\nwarc-record-id: <urn:x>\r\n{more}\r\n").as_bytes(),
                Key::new(7),
            )
        };
        let hash = |id: &str| Key::new(7).bytes_hash(id.as_bytes());
        let two =
            "WARC-Concurrent-To: <urn:a>\r\nX: y\r\nWARC-Concurrent-To:\r\n  urn:b\r\nWARC-Refers-To: <urn:c>\r\n";
        let request = links("request", two);
        assert_eq!((request.id, request.to), (Some(hash("urn:x")), vec![hash("urn:a"), hash("urn:b")]));
        assert_eq!(links("metadata", two).to, [hash("urn:a"), hash("urn:b"), hash("urn:c")]);
        // These refer to the origin of a text, which is no reason to remove them with it.
        assert!(links("conversion", "WARC-Refers-To: <urn:c>\r\n").to.is_empty());
        assert!(links("revisit", "WARC-Refers-To: <urn:c>\r\n").to.is_empty());
        assert_eq!(links("Continuation", "WARC-Segment-Origin-ID: <urn:d>\r\n").to, [hash("urn:d")]);
        // But a revisit has the payload of its page.
        let page =
            links("response", "WARC-Target-URI: http://a.example/\r\nWARC-Date: 2024\r\nWARC-Payload-Digest: x\r\n");
        let again =
            "WARC-Refers-To-Target-URI: <http://a.example/>\r\nWARC-Refers-To-Date: 2024\r\nWARC-Refers-To: urn:x\r\n";
        let revisit = links("revisit", &format!("{again}WARC-Payload-Digest: x\r\n"));
        assert!(revisit.is_revisit && !page.is_revisit && page.page.len() == 3);
        assert_eq!(revisit.page, page.page);
    }

    #[test]
    fn rubbish_between_records_is_skipped_with_a_word() {
        let mut found = Cut::default();
        let file = format!("rubbish\n{}rubbish", wet("conversion", "one", 3));
        cut(file.as_bytes(), true, &mut found);
        assert_eq!(found.spans[0].problem, Some("not a WARC record".into()));
        // The garbage after the record makes its length look wrong; it cannot be determined to which record it belongs.
        assert_eq!(found.spans.len(), 2);
    }

    #[test]
    fn a_response_is_the_text_of_its_body() {
        let http = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>one <b>two</b><script>x()</script>";
        let record = wet("response", http, http.len())
            .replace("Content-Length", "Content-Type: application/http\r\nContent-Length");
        assert_eq!(texts(&record)[0].as_ref().unwrap().trim(), "one two");
        let picture = http.replace("text/html", "image/png");
        assert_eq!(
            texts(
                &wet("response", &picture, picture.len())
                    .replace("Content-Length", "Content-Type: application/http\r\nContent-Length")
            ),
            []
        );
    }
}
