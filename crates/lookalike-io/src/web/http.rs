//! Parses the block of a WARC `response` record to the status, the Content-Type, and the decoded body.
//!
//! Headers in a crawl cannot be trusted. Crawlers decode chunks and compression but keep the headers that declare them,
//! so each is decoded only if the bytes are consistent with it; otherwise the body is taken as it is. For the same
//! reason no HTTP library is used: `httparse` stops at `HTTP/2 200` and at invalid header lines, but the body is needed
//! anyway.

use std::borrow::Cow;

use memchr::memchr;

use super::coding::{self, Bound, Coding};
use crate::skipped::SkipReason;

/// A decoded HTTP response.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Response<'a> {
    /// The status code, such as 200; none if the status line is missing or damaged.
    pub(crate) status: Option<u16>,
    /// The header's value with its parameters; if there are several, the last one that adds information, as in
    /// browsers.
    pub(crate) content_type: Option<&'a str>,
    /// The decoded body.
    pub(crate) body: Cow<'a, [u8]>,
}

/// Maximum number of nested codings of a body. Two occur in practice; malicious lists cost a decoding each.
const MOST_CODINGS: usize = 3;

/// Parses an HTTP message, and decodes at most `most` bytes of body: fewer if the body is small, since data compressed
/// a thousandfold is not a page.
///
/// # Errors
///
/// A reason for the user: the body is damaged from its start, or too large.
pub(crate) fn response(block: &[u8], most: usize) -> Result<Response<'_>, SkipReason> {
    let (status_line, rest) = line(block);
    if !is_status_line(status_line) {
        // Some crawlers store only the body.
        return Ok(Response { status: None, content_type: None, body: Cow::Borrowed(block) });
    }
    let mut content_type: Option<&str> = None;
    let mut codings = Vec::new();
    let mut is_chunked = false;
    let body = headers(rest, |name, value| {
        if name.eq_ignore_ascii_case(b"content-type") {
            content_type = Some(later(content_type, leading_text(value)));
        } else if name.eq_ignore_ascii_case(b"content-encoding") {
            // One more than allowed shows that there are too many.
            let room = MOST_CODINGS + 1 - codings.len();
            codings.extend(value.split(|byte| *byte == b',').filter_map(Coding::of).take(room));
        } else if name.eq_ignore_ascii_case(b"transfer-encoding") {
            let mut names = value.split(|byte| *byte == b',').map(<[u8]>::trim_ascii);
            is_chunked |= names.any(|name| name.eq_ignore_ascii_case(b"chunked"));
        }
    });
    if codings.len() > MOST_CODINGS {
        return Err(format!("the body is packed more than {MOST_CODINGS} times, one coding in another").into());
    }
    let pieces = if is_chunked { chunks(body) } else { None };
    let mut body = match pieces.as_deref() {
        None => Cow::Borrowed(body),
        Some([piece]) => Cow::Borrowed(*piece),
        Some(pieces) => Cow::Owned(pieces.concat()),
    };
    // The limit for all layers together is based on the transferred size: separate limits for each layer would
    // multiply.
    let bound = Bound::new(body.len(), most);
    // The last coding listed was applied last.
    for coding in codings.into_iter().rev() {
        if let Some(unpacked) = coding::unpack(coding, &body, bound)? {
            body = Cow::Owned(unpacked);
        }
    }
    Ok(Response { status: status(status_line), content_type, body })
}

/// The first line without its end, and the rest.
fn line(bytes: &[u8]) -> (&[u8], &[u8]) {
    match memchr(b'\n', bytes) {
        Some(end) => (bytes[..end].strip_suffix(b"\r").unwrap_or(&bytes[..end]), &bytes[end + 1..]),
        None => (bytes, &[]),
    }
}

/// True if a message starts here: with a word like `HTTP/1.1`, though crawls have others.
fn is_status_line(line: &[u8]) -> bool {
    let word = line.split(u8::is_ascii_whitespace).next().unwrap_or_default();
    word.get(..4).is_some_and(|start| start.eq_ignore_ascii_case(b"HTTP")) && memchr(b'/', word).is_some()
}

/// The code of `HTTP/1.1 200 OK`, of `HTTP/2 200`, and of `HTTP/1.1 200`.
fn status(line: &[u8]) -> Option<u16> {
    let code = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).nth(1)?;
    std::str::from_utf8(code).ok()?.parse().ok().filter(|code| (100..1000).contains(code))
}

/// Passes each header's name and value to `each`, and returns the body after the blank line.
fn headers<'a>(bytes: &'a [u8], mut each: impl FnMut(&'a [u8], &'a [u8])) -> &'a [u8] {
    let mut rest = bytes;
    while !rest.is_empty() {
        let (first, mut after) = line(rest);
        if first.is_empty() {
            return after;
        }
        if first[0] == b'<' {
            // No header name starts like this: the blank line is missing, and this is the page.
            return rest;
        }
        // A folded value continues on lines that start with white space. It keeps its line ends, which readers treat as
        // white space.
        while let [b' ' | b'\t', ..] = after {
            after = line(after).1;
        }
        let header = &rest[..rest.len() - after.len()];
        if let Some(colon) = memchr(b':', header) {
            each(header[..colon].trim_ascii(), header[colon + 1..].trim_ascii());
        }
        rest = after;
    }
    rest
}

/// Of two values of a header, the later one, unless it repeats the earlier one without the charset.
fn later<'a>(earlier: Option<&'a str>, value: &'a str) -> &'a str {
    let start = earlier.and_then(|earlier| earlier.get(..value.len()));
    if start.is_some_and(|start| start.eq_ignore_ascii_case(value)) { earlier.unwrap_or(value) } else { value }
}

/// A header's value up to the first byte that is not UTF-8.
fn leading_text(value: &[u8]) -> &str {
    value.utf8_chunks().next().map_or("", |chunk| chunk.valid()).trim()
}

/// The pieces of a chunked body; none if the body is not chunked, or their sizes are wrong.
///
/// For a truncated body, returns the pieces that are present.
fn chunks(body: &[u8]) -> Option<Vec<&[u8]>> {
    let mut pieces = Vec::new();
    let mut rest = body;
    while !rest.is_empty() {
        let (size_line, after) = line(rest);
        let size = chunk_size(size_line)?;
        if size == 0 {
            // Trailers follow, which are headers and not content.
            return Some(pieces);
        }
        let Some((piece, after)) = after.split_at_checked(size) else {
            pieces.push(after);
            return Some(pieces);
        };
        pieces.push(piece);
        rest = match after {
            [] | [b'\r'] => &[],
            [b'\r', b'\n', rest @ ..] | [b'\n', rest @ ..] => rest,
            _ => return None,
        };
    }
    Some(pieces)
}

/// The size in a chunk's first line, without extensions.
fn chunk_size(line: &[u8]) -> Option<usize> {
    let digits = line.split(|byte| *byte == b';').next()?.trim_ascii();
    // The parser would accept a sign, which chunk sizes do not have.
    let is_hex = !digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit);
    usize::from_str_radix(std::str::from_utf8(digits).ok().filter(|_| is_hex)?, 16).ok()
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    const MOST: usize = 1 << 20;
    const PAGE: &[u8] = b"<html><body>Once upon a time, in a page that is long enough to be packed.</body></html>";

    fn message(headers: &str, body: &[u8]) -> Vec<u8> {
        [b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n", headers.as_bytes(), b"\r\n", body].concat()
    }

    fn body(headers: &str, body: &[u8]) -> Vec<u8> {
        response(&message(headers, body), MOST).unwrap().body.into_owned()
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn status_lines_of_every_kind_are_understood() {
        for (line, status) in [
            ("HTTP/1.1 200 OK", Some(200)),
            ("HTTP/1.0 404", Some(404)),
            ("HTTP/2 200", Some(200)),
            ("HTTP/1.1  301  Moved", Some(301)),
            ("http/1.1 200 d\u{e9}j\u{e0} vu", Some(200)),
            ("HTTPX/1.1 200 OK", Some(200)),
            ("HTTP/1.1 OK", None),
            ("HTTP/1.1", None),
            ("HTTP/1.1 20000 OK", None),
        ] {
            let block = format!("{line}\r\n\r\npage");
            let response = response(block.as_bytes(), MOST).unwrap();
            assert_eq!((response.status, &*response.body), (status, &b"page"[..]), "{line}");
        }
    }

    #[test]
    fn headers_may_be_folded_damaged_or_end_in_line_feeds() {
        for block in [
            &b"HTTP/1.1 200 OK\r\ncontent-TYPE : text/html; charset=x\r\n\r\npage"[..],
            b"HTTP/1.1 200 OK\nContent-Type: text/html; charset=x\n\npage",
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html;\r\n\tcharset=x\r\nServer: y\r\n\r\npage",
            b"HTTP/1.1 200 OK\r\nno colon\r\nX: \xFF\xFE\r\n\xE9: y\r\nContent-Type: text/html; charset=x\r\n\r\npage",
            b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Type: text/html; charset=x\r\n\r\npage",
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=x\r\nContent-Type:\r\n\r\npage",
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=x\r\nContent-Type: Text/HTML\r\n\r\npage",
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=x\xFFy\r\n\r\npage",
        ] {
            let shown = String::from_utf8_lossy(block);
            let response = response(block, MOST).unwrap();
            let words: Vec<&str> = response.content_type.unwrap().split_whitespace().collect();
            assert_eq!(words, ["text/html;", "charset=x"], "{shown}");
            assert_eq!(&*response.body, b"page", "{shown}");
        }
    }

    #[test]
    fn a_page_after_no_blank_line_is_found() {
        let response = response(b"HTTP/1.1 200 OK\r\nServer: x\r\n<html>a: b</html>", MOST).unwrap();
        assert_eq!(&*response.body, b"<html>a: b</html>");
    }

    #[test]
    fn a_block_that_is_no_message_is_a_body() {
        let response = response(PAGE, MOST).unwrap();
        assert_eq!(response, Response { status: None, content_type: None, body: Cow::Borrowed(PAGE) });
    }

    #[test]
    fn chunks_are_joined_whatever_surrounds_them() {
        for chunked in [
            &b"3\r\npag\r\n1\r\ne\r\n0\r\n\r\n"[..],
            b"003;name=value\r\npag\r\n1 \r\ne\r\n0\r\nTrailer: x\r\n\r\n",
            b"3\npag\n1\ne\n0\n\n",
            b"4\r\npage\r\n0\r\n\r\n",
            // Truncated: after a chunk, before its size, within it.
            b"4\r\npage\r\n",
            b"3\r\npag\r\n1\r\ne",
            b"3\r\npag\r\nFFFFFF\r\ne",
        ] {
            let shown = String::from_utf8_lossy(chunked);
            assert_eq!(body("Transfer-Encoding: gzip, Chunked\r\n", chunked), b"page", "{shown}");
        }
    }

    #[test]
    fn a_body_that_is_not_in_chunks_is_left_alone() {
        for plain in
            [PAGE, b"", b"3\r\npage\r\n0\r\n\r\n", b"+4\r\npage\r\n", b"99999999999999999999\r\npage", b"\r\npage"]
        {
            assert_eq!(body("Transfer-Encoding: chunked\r\n", plain), plain);
        }
        assert_eq!(body("", b"4\r\npage\r\n0\r\n\r\n"), b"4\r\npage\r\n0\r\n\r\n");
    }

    #[test]
    fn codings_are_undone_from_the_last_to_the_first() {
        let packed = zstd::bulk::compress(&gzip(PAGE), 1).unwrap();
        assert_eq!(body("Content-Encoding: gzip, identity, zstd\r\n", &packed), PAGE);
        assert_eq!(body("Content-Encoding: x-gzip\r\nContent-Encoding: ZSTD\r\n", &packed), PAGE);
        let chunked = [format!("{:x}\r\n", packed.len()).as_bytes(), &packed, b"\r\n0\r\n\r\n"].concat();
        assert_eq!(body("Transfer-Encoding: chunked\r\nContent-Encoding: gzip, zstd\r\n", &chunked), PAGE);
    }

    #[test]
    fn a_list_of_codings_without_end_is_refused() {
        let headers = format!("Content-Encoding: {}\r\n", "gzip,".repeat(10_000));
        let reason = response(&message(&headers.repeat(3), PAGE), MOST).unwrap_err();
        assert_eq!(reason.text(), "the body is packed more than 3 times, one coding in another");
    }

    #[test]
    fn layers_of_packing_are_held_to_the_size_of_the_outermost() {
        let pack = |bytes: &[u8]| zstd::stream::encode_all(bytes, 3).unwrap();
        // A few hundred bytes that decompress to 300 kB that decompress to 300 MB.
        let inner = pack(&vec![b'a'; 300_000]).repeat(1000);
        let outer = pack(&inner);
        assert!(outer.len() < 1000, "{}", outer.len());
        let reason = response(&message("Content-Encoding: zstd, zstd\r\n", &outer), 1 << 30).unwrap_err();
        assert!(reason.text().contains("unpacks to more than 8388608, as only a decompression bomb does"), "{reason}");
    }

    #[test]
    fn hostile_headers_take_linear_time() {
        for line in ["a:\n", "\n ", " \n", "a\n ", ":", "Content-Type: x\r\n y\r\n"] {
            let block = format!("HTTP/1.1 200 OK\n{}", line.repeat(1_000_000));
            response(block.as_bytes(), MOST).unwrap();
        }
    }
}
