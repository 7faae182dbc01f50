//! ARC records, the predecessor of WARC: a line that describes the record and its length, then an HTTP message.
//!
//! An address may contain spaces, so the line is parsed from its end.

use std::borrow::Cow;

use lookalike_core::resolve::keep::FieldValue;
use memchr::{memchr, memchr_iter};

use super::cut::{Cut, is_blank};
use super::{Document, Entry, Settings, json_string, warc};

/// Maximum length of a record's first line.
const LONGEST_LINE: usize = 16 << 10;

/// The first line of a record.
struct Line<'a> {
    uri: &'a str,
    date: &'a str,
    content_type: &'a str,
    length: usize,
}

impl<'a> Line<'a> {
    /// Parses address, IP address, date, type; in later versions five more fields; and the length.
    fn read(line: &'a [u8]) -> Option<Self> {
        let line = std::str::from_utf8(line).ok()?.trim_end();
        let fields: Vec<(usize, &str)> = line.split(' ').map(|field| (offset(line, field), field)).collect();
        let is_date = |field: &str| field.len() == 14 && field.bytes().all(|byte| byte.is_ascii_digit());
        let date = fields.iter().rposition(|(_, field)| is_date(field)).filter(|at| *at >= 2)?;
        let (ip_start, ip) = fields[date - 1];
        if !ip.contains(['.', ':']) || !line[..ip_start].contains(':') {
            return None;
        }
        let (_, content_type) = *fields.get(date + 1)?;
        let length = fields[date + 2..].last()?.1.parse().ok()?;
        Some(Self { uri: line[..ip_start].trim_end(), date: fields[date].1, content_type, length })
    }
}

/// True if a record starts here.
pub(crate) fn is_record(bytes: &[u8]) -> bool {
    line(bytes, 0).is_some()
}

/// The offset of a part of a text.
fn offset(text: &str, part: &str) -> usize {
    part.as_ptr() as usize - text.as_ptr() as usize
}

/// The next position at or after `from` that looks like the start of a record.
fn next(bytes: &[u8], from: usize) -> Option<usize> {
    memchr_iter(b'\n', &bytes[from..]).map(|at| from + at + 1).find(|start| line(bytes, *start).is_some())
}

/// The line at `start`, if it starts a record, and its end.
fn line(bytes: &[u8], start: usize) -> Option<(Line<'_>, usize)> {
    let rest = &bytes[start..];
    let end = memchr(b'\n', &rest[..rest.len().min(LONGEST_LINE)])?;
    Some((Line::read(&rest[..end])?, start + end + 1))
}

/// Cuts off the complete records of `bytes`; with `at_end`, nothing follows.
pub(super) fn cut(bytes: &[u8], at_end: bool, cut: &mut Cut) {
    let mut start = bytes.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
    while !cut.is_full() && !is_blank(&bytes[start..]) {
        let rest = &bytes[start..];
        let reason = match line(bytes, start) {
            Some((line, block)) => match block.checked_add(line.length).filter(|end| *end <= bytes.len()) {
                Some(end) => {
                    let end = end + bytes[end..].iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
                    // The next line shows if a record follows.
                    let is_seen = memchr(b'\n', &bytes[end..]).is_some() || bytes.len() - end > LONGEST_LINE;
                    if !is_seen && !at_end {
                        return;
                    }
                    if at_end && is_blank(&bytes[end..]) || self::line(bytes, end).is_some() {
                        cut.push(start..end, None);
                        start = end;
                        continue;
                    }
                    "a record with a wrong length"
                }
                None if at_end => "a record shorter than its length",
                None => return,
            },
            None if at_end || memchr(b'\n', rest).is_some() || rest.len() > LONGEST_LINE => "not an ARC record",
            None => return,
        };
        match next(bytes, start).or(at_end.then_some(bytes.len())) {
            Some(end) => cut.push(start..end, Some(reason.into())),
            None => return,
        }
        start = cut.end;
    }
}

/// Parses a record.
pub(super) fn parse<'a>(record: &'a [u8], settings: &Settings, text: &'a mut String) -> Entry<'a> {
    let start = record.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
    let Some((line, block)) = line(record, start) else { return Entry::Carried("other") };
    if line.uri.starts_with("filedesc:") {
        return Entry::Carried("filedesc");
    }
    let block = &record[block..(block + line.length).min(record.len())];
    let is_http = line.uri.get(..4).is_some_and(|scheme| scheme.eq_ignore_ascii_case("http"));
    let text = if is_http {
        warc::response(block, settings, text)
    } else {
        warc::resource(block, Some(line.content_type), settings, text)
    };
    let text = match text {
        Ok(text) => text,
        Err(no_page) => return no_page.into(),
    };
    let named = |name: &str| match name {
        "uri" => Some(line.uri),
        "date" => Some(line.date),
        _ => None,
    };
    let fields = &settings.fields;
    let other = |(at, name): (usize, &String)| Some((at, json_string(named(name)?)));
    Entry::Document(Document {
        id: fields.id.as_deref().and_then(named).map(Cow::Borrowed),
        text,
        uri: Some(Cow::Borrowed(line.uri)),
        source: fields.source.as_deref().and_then(named).map(Cow::Borrowed),
        value: fields.value.as_deref().and_then(named).map_or(FieldValue::Missing, FieldValue::of_text),
        others: fields.others.iter().enumerate().filter_map(other).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::Fields;
    use crate::read::cut::tests::all_entries;

    const HEAD: &str = "filedesc://x.arc 0.0.0.0 20140216050221 text/plain 5\n1 0 X\n\n";

    fn page(uri: &str, text: &str, length: usize) -> String {
        let http = format!("HTTP/1.1 200 OK\nContent-Type: text/plain\n\n{text}");
        let length = if length == 0 { http.len() } else { length };
        format!("{uri} 93.184.216.119 20140216050221 text/plain {length}\n{http}\n")
    }

    /// The address and text of every document, or the reason why there is none.
    fn documents(file: &str) -> Vec<Result<(String, String), String>> {
        let fields = Fields { id: Some("uri".to_owned()), ..Fields::default() };
        let settings = Settings { fields, ..Settings::default() };
        let entry = |span: super::super::cut::Span| {
            if let Some(problem) = span.problem {
                return Some(Err(problem.to_string()));
            }
            let mut text = String::new();
            match parse(&file.as_bytes()[span.all], &settings, &mut text) {
                Entry::Document(document) => Some(Ok((document.id?.into_owned(), document.text.to_owned()))),
                Entry::Carried(_) => None,
                Entry::Skipped(reason) => Some(Err(reason.to_string())),
            }
        };
        all_entries(file.as_bytes(), cut).into_iter().filter_map(entry).collect()
    }

    #[test]
    fn pages_are_found_by_their_lines_also_with_blanks_in_the_address() {
        let file = HEAD.to_owned() + &page("http://a.example/", "one", 0) + &page("http://b.example/?a b", "two", 0);
        let ok = |uri: &str, text: &str| Ok((uri.to_owned(), text.to_owned()));
        assert_eq!(documents(&file), [ok("http://a.example/", "one"), ok("http://b.example/?a b", "two")]);
    }

    #[test]
    fn a_wrong_length_costs_that_record_and_no_other() {
        for length in [1, 40, 5000] {
            let pages = [page("http://a.example/", "one", length), page("http://b.example/", "two", 0)].concat();
            let found = documents(&(HEAD.to_owned() + &pages));
            assert_eq!(found.len(), 2, "{length}: {found:?}");
            assert!(found[0].is_err() && found[1].is_ok(), "{length}: {found:?}");
        }
    }
}
