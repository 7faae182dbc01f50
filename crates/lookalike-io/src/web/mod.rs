//! Extracts the text of a web page or of another body with a given Content-Type.
//!
//! ```text
//! HTTP message → body → characters → visible text, or the article
//!     http, coding        charset      html
//! ```
//!
//! A Content-Type is not trusted. Bytes of a binary format are not text whatever it says, and bytes without a
//! Content-Type are sniffed.

mod coding;
#[cfg(feature = "web")]
mod html;
#[cfg(feature = "web")]
#[doc(hidden)]
pub use html::learning;
pub(crate) mod http;

use memchr::{memchr, memmem};

/// Result of extracting text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// A text, which may be empty.
    Text,
    /// An image, a program or data, which is not text.
    NotText,
    /// A web page, which this build does not support.
    #[cfg_attr(feature = "web", expect(dead_code, reason = "this build reads web pages"))]
    NotBuilt,
}

/// Reason why a build without support for web pages skips one.
pub(crate) const NOT_BUILT: &str = "this build of lookalike reads no web pages: build it with the feature `web`";

lookalike_core::word_enum! {
    /// The text of a web page to compare.
    #[derive(Default)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub enum Extract {
        /// All visible text.
        #[default]
        Text,
        /// The main content, without navigation, advertisements and other surroundings.
        Article,
    }
}

/// The parts of a web page to extract.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PageText {
    pub(crate) extract: Extract,
    /// True if the descriptions of images are text.
    pub(crate) alt: bool,
    /// True if the targets of links are text.
    pub(crate) links: bool,
}

/// The kind of body that a Content-Type declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Html,
    Plain,
    NotText,
    /// Missing or useless.
    Unknown,
}

/// Number of bytes examined for binary data. (WHATWG MIME Sniffing, 5)
const SNIFFED: usize = 1445;

/// Replaces the contents of `text` by the text of `body`.
pub(crate) fn text_of(body: &[u8], content_type: Option<&str>, wanted: PageText, text: &mut String) -> Content {
    text.clear();
    let kind = match content_type.map_or(Kind::Unknown, kind_of) {
        Kind::Unknown => sniff(body),
        Kind::Html if shows_binary(body) => Kind::NotText,
        Kind::Plain if shows_binary(body) || has_binary_bytes(body) => Kind::NotText,
        kind => kind,
    };
    let declared = content_type.and_then(crate::charset::of_content_type);
    match kind {
        #[cfg(feature = "web")]
        Kind::Html => html::text(&crate::charset::decode(body, declared, true), wanted, text),
        #[cfg(not(feature = "web"))]
        Kind::Html => {
            let _ = wanted;
            return Content::NotBuilt;
        }
        Kind::Plain => text.push_str(&crate::charset::decode(body, declared, false)),
        Kind::NotText | Kind::Unknown => return Content::NotText,
    }
    Content::Text
}

/// True if a file that starts with `start` is a web page: a doctype or an outer element of HTML, after a byte order
/// mark, white space, an XML declaration and comments.
pub(crate) fn looks_like_html(start: &[u8]) -> bool {
    let mut rest = start.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(start).trim_ascii_start();
    loop {
        let end: &[u8] = match rest {
            [b'<', b'?', ..] => b"?>",
            [b'<', b'!', b'-', b'-', ..] => b"-->",
            _ => break,
        };
        let Some(found) = memmem::find(rest, end) else { return false };
        rest = rest[found + end.len()..].trim_ascii_start();
    }
    let opens = |tag: &[u8]| {
        let is_tag = rest.get(..tag.len()).is_some_and(|start| start.eq_ignore_ascii_case(tag));
        is_tag && rest.get(tag.len()).is_none_or(|next| matches!(next, b'>' | b'/') || next.is_ascii_whitespace())
    };
    // Other doctypes are XML.
    [&b"<!doctype html"[..], b"<html", b"<head", b"<body"].into_iter().any(opens)
}

/// The kind declared by a Content-Type.
fn kind_of(content_type: &str) -> Kind {
    let name = content_type.split([';', ',']).next().unwrap_or_default().trim().to_ascii_lowercase();
    match name.split_once('/') {
        Some(("text", "html") | ("application", "xhtml+xml" | "vnd.wap.xhtml+xml")) => Kind::Html,
        // Data and programs, under their older names.
        Some(("text", "xml" | "json" | "css" | "javascript" | "ecmascript" | "x-javascript")) => Kind::NotText,
        Some(("text", _)) => Kind::Plain,
        Some(("application" | "binary", "octet-stream") | (_, "unknown" | "x-unknown" | "*")) => Kind::Unknown,
        Some((kind, subtype)) if !kind.is_empty() && !subtype.is_empty() => Kind::NotText,
        _ => Kind::Unknown,
    }
}

/// The kind determined from the bytes, if nothing else is known.
fn sniff(body: &[u8]) -> Kind {
    if shows_binary(body) {
        Kind::NotText
    } else if looks_like_html(body) {
        Kind::Html
    } else if body.trim_ascii_start().starts_with(b"<?xml") || has_binary_bytes(body) {
        Kind::NotText
    } else {
        Kind::Plain
    }
}

/// True if the first bytes are those of a binary format that is often mislabeled: images, PDF, archives, programs.
fn shows_binary(body: &[u8]) -> bool {
    const STARTS: [&[u8]; 12] = [
        b"\x89PNG",
        b"GIF87a",
        b"GIF89a",
        b"\xFF\xD8\xFF",
        b"%PDF-",
        b"PK\x03\x04",
        b"\x1F\x8B\x08",
        b"Rar!\x1A",
        b"\x7FELF",
        b"wOFF",
        b"wOF2",
        b"RIFF",
    ];
    STARTS.iter().any(|start| body.starts_with(start))
}

/// True if there are bytes that text does not contain: a zero byte anywhere, or another control character near the
/// start.
fn has_binary_bytes(body: &[u8]) -> bool {
    if matches!(body, [0xFE, 0xFF, ..] | [0xFF, 0xFE, ..]) {
        // UTF-16, which contains many zero bytes.
        return false;
    }
    let is_binary = |byte: &u8| matches!(byte, 0..=8 | 0x0B | 0x0E..=0x1A | 0x1C..=0x1F);
    body[..body.len().min(SNIFFED)].iter().any(is_binary) || memchr(0, body).is_some()
}

#[cfg(all(test, feature = "web"))]
mod tests {
    use super::*;

    fn text(body: &[u8], content_type: Option<&str>) -> Option<String> {
        let mut text = "left over".to_owned();
        let content = text_of(body, content_type, PageText::default(), &mut text);
        (content == Content::Text).then(|| text.trim().to_owned())
    }

    #[test]
    fn the_content_type_tells_markup_from_text_and_data() {
        for (content_type, expected) in [
            ("text/html", Some("a & b")),
            ("Text/HTML; charset=utf-8", Some("a & b")),
            ("application/xhtml+xml", Some("a & b")),
            ("text/html, text/html", Some("a & b")),
            ("text/plain", Some("<p>a &amp; b")),
            ("text/markdown;charset=x", Some("<p>a &amp; b")),
            ("text/csv", Some("<p>a &amp; b")),
            ("application/json", None),
            ("application/xml", None),
            ("text/xml", None),
            ("text/css", None),
            ("image/png", None),
            ("application/pdf", None),
        ] {
            assert_eq!(text(b"<p>a &amp; b", Some(content_type)).as_deref(), expected, "{content_type}");
        }
    }

    #[test]
    fn a_body_that_nobody_named_is_looked_at() {
        for content_type in
            [None, Some("application/octet-stream"), Some("unknown/unknown"), Some(""), Some("html"), Some("/")]
        {
            for (body, expected) in [
                (&b"<!doctype html><p>a &amp; b"[..], Some("a & b")),
                (b"a &amp; b", Some("a &amp; b")),
                (b"caf\xE9", Some("caf\u{e9}")),
                (b"", Some("")),
                (b"a\0b", None),
                (b"a\x01b", None),
                (b"%PDF-1.7 text", None),
                (b"<?xml version='1.0'?><rss/>", None),
            ] {
                assert_eq!(text(body, content_type).as_deref(), expected, "{body:?} as {content_type:?}");
            }
        }
    }

    #[test]
    fn binary_data_under_a_false_name_is_no_text() {
        assert_eq!(text(b"\x89PNG\r\n", Some("text/html")), None);
        assert_eq!(text(b"MZ\x90\0\x03", Some("text/plain")), None);
        assert_eq!(text(b"\xFF\xFEh\0i\0", Some("text/plain")).as_deref(), Some("hi"));
    }

    #[test]
    fn the_charset_of_the_header_is_used() {
        assert_eq!(text(b"\xFF", Some("text/plain; charset=windows-1251")).as_deref(), Some("\u{44f}"));
    }

    #[test]
    fn pages_are_known_by_their_start() {
        for page in [
            "<!DOCTYPE html>",
            "<html",
            "<HTML lang=en>",
            "\u{FEFF}\r\n <!-- a --><!-- <b> -->\n<head>",
            "<?xml version=\"1.0\"?>\n<!DOCTYPE html PUBLIC",
            "<body\tclass=x>",
        ] {
            assert!(looks_like_html(page.as_bytes()), "{page}");
        }
        for other in
            ["", "<", "<header>", "<!doctype svg>", "<?xml version='1.0'?><rss>", "<!-- <html>", "html", "a <html>"]
        {
            assert!(!looks_like_html(other.as_bytes()), "{other}");
        }
    }
}
