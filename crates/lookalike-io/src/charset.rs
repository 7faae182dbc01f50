//! Decodes the bytes of a page to text, given the declared charset.
//!
//! Note that the declaration is considered *after* the bytes. UTF-8 is so strict that text in another charset is hardly
//! ever valid UTF-8 by chance, while servers often declare one charset for all pages.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, ISO_2022_JP, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};
use memchr::{memchr, memmem};

/// Number of bytes of a page that may declare its charset, by the HTML standard.
const DECLARATION: usize = 1024;

/// Number of bytes for the detector, from the first one that is not ASCII: it is slow, and quickly certain.
const DETECTION: usize = 32 << 10;

/// Number of non-ASCII characters that cannot be valid UTF-8 by chance in a two-byte charset. A GBK character is valid
/// UTF-8 about one time in ten, so eight of them are once in 10^8 texts.
const BEYOND_CHANCE: usize = 8;

/// A charset is rejected if more than one in this many non-ASCII characters cannot be decoded. A few may fail in the
/// right one: pages are truncated, or combined from several sources.
const TOLERANCE: usize = 10;

/// Decodes `bytes`. `declared` is the charset of the Content-Type header; with `is_html`, the page may declare its own.
pub(crate) fn decode<'a>(bytes: &'a [u8], declared: Option<&str>, is_html: bool) -> Cow<'a, str> {
    if let Some((encoding, length)) = Encoding::for_bom(bytes) {
        return encoding.decode_without_bom_handling(&bytes[length..]).0;
    }
    let declared = || {
        let in_header = declared.and_then(|label| Encoding::for_label(label.as_bytes()));
        in_header.or_else(|| declaration(bytes).filter(|_| is_html)).filter(|encoding| *encoding != REPLACEMENT)
    };
    if let Ok(text) = simdutf8::basic::from_utf8(bytes) {
        let declared = if needs_declaration(text) { declared() } else { None };
        return match declared {
            Some(encoding) if !is_utf8_all_the_same(text, encoding) => encoding.decode_without_bom_handling(bytes).0,
            _ => Cow::Borrowed(text),
        };
    }
    if is_utf8_with_damage(bytes) {
        return String::from_utf8_lossy(bytes);
    }
    if let Some(encoding) = declared().filter(|encoding| *encoding != UTF_8) {
        let (text, has_errors) = encoding.decode_without_bom_handling(bytes);
        if !has_errors || is_mostly_decoded(&text) {
            return text;
        }
    }
    detected(bytes).decode_without_bom_handling(bytes).0
}

/// The charset of bytes that are not valid UTF-8; detection needs more than a single cell.
pub(crate) fn of_bytes(bytes: &[u8]) -> &'static Encoding {
    if is_utf8_with_damage(bytes) { UTF_8 } else { detected(bytes) }
}

/// The charset in a Content-Type header such as `text/html; charset="utf-8"`.
pub(super) fn of_content_type(content_type: &str) -> Option<&str> {
    content_type.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let value = value.trim().trim_matches(['"', '\'']).trim();
        (name.trim().eq_ignore_ascii_case("charset") && !value.is_empty()).then_some(value)
    })
}

/// True if a declaration could change the meaning of valid UTF-8 bytes: ASCII is the same in all charsets except those
/// that use the escape character or zero bytes.
fn needs_declaration(text: &str) -> bool {
    !text.is_ascii() || memchr(0x1B, text.as_bytes()).is_some() || memchr(0, text.as_bytes()).is_some()
}

/// True if valid UTF-8 text is UTF-8 although `declared` says otherwise.
fn is_utf8_all_the_same(text: &str, declared: &'static Encoding) -> bool {
    if declared == UTF_8 {
        return true;
    }
    if declared == ISO_2022_JP {
        return !text.contains("\x1B$");
    }
    if declared == UTF_16LE || declared == UTF_16BE {
        return !text.contains('\0');
    }
    if declared.is_single_byte() {
        // In a single-byte charset, a valid UTF-8 sequence would be a letter such as Ã or Р before a sign such as © or
        // ‹, and *every* non-ASCII byte would have to be in such a sequence. No language is written like that; but
        // servers that declare ISO-8859-1 for every page are common.
        return true;
    }
    // Two-byte charsets can be valid UTF-8 by chance, though only in short texts.
    text.chars().filter(|character| !character.is_ascii()).nth(BEYOND_CHANCE - 1).is_some()
}

/// True if bytes are UTF-8 with some damage: a page truncated within a character, or combined from sources in two
/// charsets.
fn is_utf8_with_damage(bytes: &[u8]) -> bool {
    let (mut characters, mut damages) = (0_usize, 0_usize);
    let mut chunks = bytes.utf8_chunks().peekable();
    while let Some(chunk) = chunks.next() {
        characters += chunk.valid().chars().filter(|character| !character.is_ascii()).count();
        // An incomplete character at the very end is a truncation, which is consistent with UTF-8.
        let is_cut = || std::str::from_utf8(chunk.invalid()).is_err_and(|error| error.error_len().is_none());
        let is_whole = chunk.invalid().is_empty() || chunks.peek().is_none() && is_cut();
        damages += usize::from(!is_whole);
    }
    characters > damages * TOLERANCE
}

/// True if few of the non-ASCII characters are replacements for undecodable bytes.
fn is_mostly_decoded(text: &str) -> bool {
    let (mut characters, mut damages) = (0_usize, 0_usize);
    for character in text.chars().filter(|character| !character.is_ascii()) {
        characters += 1;
        damages += usize::from(character == char::REPLACEMENT_CHARACTER);
    }
    characters > damages * TOLERANCE
}

/// The charset detected from the bytes.
fn detected(bytes: &[u8]) -> &'static Encoding {
    let start = bytes.iter().position(|byte| !byte.is_ascii()).unwrap_or(0);
    // Include the word around the first character.
    let start = start.saturating_sub(16);
    let sample = &bytes[start..bytes.len().min(start + DETECTION)];
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    // The sample may end within a character, which would look invalid if it were declared to be the end.
    detector.feed(sample, start + sample.len() == bytes.len());
    detector.guess(None, Utf8Detection::Deny)
}

/// The charset that a page declares at its start: in a `<meta>`, or in an XML declaration.
fn declaration(bytes: &[u8]) -> Option<&'static Encoding> {
    let start = bytes[..bytes.len().min(DECLARATION)].to_ascii_lowercase();
    let encoding = metas(&start).find_map(|meta| label_after(meta, b"charset")).or_else(|| {
        let declaration = start.trim_ascii_start().strip_prefix(b"<?xml")?;
        label_after(&declaration[..memchr(b'>', declaration)?], b"encoding")
    })?;
    // A page whose declaration is readable is not UTF-16, and the HTML standard defines the replacement for the other.
    match encoding {
        encoding if encoding == UTF_16LE || encoding == UTF_16BE => Some(UTF_8),
        encoding if encoding == X_USER_DEFINED => Some(WINDOWS_1252),
        encoding => Some(encoding),
    }
}

/// The contents of the `<meta>` tags, outside comments.
fn metas(start: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = start;
    std::iter::from_fn(move || {
        loop {
            rest = &rest[memchr(b'<', rest)?..];
            if rest.starts_with(b"<!--") {
                rest = &rest[memmem::find(rest, b"-->")?..];
            } else if let Some(meta) = rest.strip_prefix(b"<meta") {
                let end = memchr(b'>', meta).unwrap_or(meta.len());
                rest = &meta[end..];
                return Some(&meta[..end]);
            } else {
                rest = &rest[1..];
            }
        }
    })
}

/// The charset in `name="label"`, with or without quotes.
fn label_after(tag: &[u8], name: &[u8]) -> Option<&'static Encoding> {
    let mut after = tag;
    loop {
        after = &after[memmem::find(after, name)? + name.len()..];
        if let Some(value) = after.trim_ascii_start().strip_prefix(b"=") {
            let value = value.trim_ascii_start();
            let value =
                value.strip_prefix(b"\"").or_else(|| value.strip_prefix(b"'")).unwrap_or(value).trim_ascii_start();
            let end = value
                .iter()
                .position(|byte| matches!(byte, b'"' | b'\'' | b';' | b'/' | b'>') || byte.is_ascii_whitespace());
            return Encoding::for_label(&value[..end.unwrap_or(value.len())]);
        }
    }
}

#[cfg(test)]
mod tests {
    use encoding_rs::{BIG5, GBK, SHIFT_JIS, WINDOWS_1251};

    use super::*;

    const RUSSIAN: &str = "Съешь же ещё этих мягких французских булок, да выпей чаю";
    const CHINESE: &str = "天地玄黄，宇宙洪荒。日月盈昃，辰宿列张。寒来暑往，秋收冬藏。";
    const JAPANESE: &str = "いろはにほへと ちりぬるを わかよたれそ つねならむ うゐのおくやま けふこえて";

    fn encoded(text: &str, encoding: &'static Encoding) -> Vec<u8> {
        encoding.encode(text).0.into_owned()
    }

    #[test]
    fn valid_utf8_is_not_copied_whatever_was_declared() {
        for declared in [None, Some("utf-8"), Some("iso-8859-1"), Some("windows-1251"), Some("gbk"), Some("nonsense")] {
            for text in ["ascii", RUSSIAN, CHINESE, "café"] {
                if (declared, text) == (Some("gbk"), "café") {
                    continue; // One character is chance.
                }
                assert!(
                    matches!(decode(text.as_bytes(), declared, true), Cow::Borrowed(same) if same == text),
                    "{text}"
                );
            }
        }
    }

    #[test]
    fn a_byte_order_mark_says_more_than_any_declaration() {
        assert_eq!(decode(b"\xEF\xBB\xBFcaf\xC3\xA9", Some("gbk"), true), "café");
        assert_eq!(decode(b"\xFF\xFEh\0i\0", Some("utf-8"), true), "hi");
        assert_eq!(decode(b"\xFE\xFF\0h\0i", None, false), "hi");
    }

    #[test]
    fn the_header_is_believed_before_the_page() {
        let page = [b"<meta charset=big5>".to_vec(), encoded(RUSSIAN, WINDOWS_1251)].concat();
        assert!(decode(&page, Some("windows-1251"), true).ends_with(RUSSIAN));
    }

    #[test]
    fn a_page_can_declare_its_charset() {
        for declaration in [
            "<meta charset=windows-1251>",
            "<META CharSet = 'Windows-1251' />",
            "<!-- <meta charset=gbk> --><meta http-equiv=\"Content-Type\" content=\"text/html; charset=windows-1251\">",
            "<meta name=charset><meta charset=\"cp1251\">",
            "<?xml version=\"1.0\" encoding=\"windows-1251\"?>",
        ] {
            // A single letter, which no detector could recognize.
            let page = [declaration.as_bytes(), b"\xFF"].concat();
            assert!(decode(&page, None, true).ends_with('я'), "{declaration}");
            assert!(!decode(&page, None, false).ends_with('я'), "{declaration}");
        }
    }

    #[test]
    fn what_is_declared_too_late_does_not_count() {
        let page = [" ".repeat(DECLARATION).as_bytes(), b"<meta charset=windows-1251>\xFF"].concat();
        assert!(!decode(&page, None, true).ends_with('я'));
    }

    #[test]
    fn charsets_are_detected_where_nothing_or_something_wrong_was_declared() {
        for (text, encoding) in [(RUSSIAN, WINDOWS_1251), (CHINESE, GBK), (JAPANESE, SHIFT_JIS)] {
            let bytes = encoded(text, encoding);
            for declared in [None, Some("utf-8"), Some("nonsense"), Some("iso-2022-kr")] {
                assert_eq!(decode(&bytes, declared, true), text, "{} as {declared:?}", encoding.name());
            }
        }
        assert_eq!(decode(&encoded(RUSSIAN, WINDOWS_1251), Some("big5"), true), RUSSIAN, "Big5 cannot be");
        assert_eq!(decode(b"caf\xE9 na\xEFve", Some("utf-8"), true), "café naïve");
    }

    #[test]
    fn detection_finds_the_first_character_however_late() {
        let page = ["ascii ".repeat(20_000).into_bytes(), encoded(RUSSIAN, WINDOWS_1251)].concat();
        assert!(decode(&page, None, true).ends_with(RUSSIAN));
    }

    #[test]
    fn damaged_utf8_stays_utf8() {
        let cut = &CHINESE.as_bytes()[..CHINESE.len() - 1];
        assert!(decode(cut, None, true).starts_with("天地玄黄"));
        assert!(decode(cut, Some("iso-8859-1"), true).starts_with("天地玄黄"));
        assert!(decode(b"caf\xC3\xA9 and caf\xC3", None, true).starts_with("café and caf"));
    }

    #[test]
    fn damage_in_a_declared_charset_is_forgiven() {
        let mut bytes = encoded(CHINESE, BIG5);
        bytes.truncate(bytes.len() - 1);
        assert!(decode(&bytes, Some("big5"), true).starts_with("天地玄"));
    }

    #[test]
    fn charsets_that_hide_in_ascii_need_a_declaration() {
        assert_eq!(decode(b"\x1B$B$\"\x1B(B", Some("iso-2022-jp"), true), "あ");
        assert_eq!(decode(b"\x1B$B$\"\x1B(B", None, true), "\u{1B}$B$\"\u{1B}(B");
        assert_eq!(decode(b"h\0i\0", Some("utf-16le"), true), "hi");
        assert_eq!(decode(b"hi", Some("utf-16le"), true), "hi");
    }

    #[test]
    fn the_charset_of_a_content_type_is_found() {
        for (content_type, charset) in [
            ("text/html; charset=utf-8", Some("utf-8")),
            ("text/html;x=y; Charset = \"GBK\" ", Some("GBK")),
            ("text/html;\r\n\tcharset='x'", Some("x")),
            ("text/html; charset=", None),
            ("charset=utf-8", None),
            ("text/html", None),
        ] {
            assert_eq!(of_content_type(content_type), charset, "{content_type}");
        }
    }
}
