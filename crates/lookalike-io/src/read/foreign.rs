//! Recognizes unsupported formats by their first bytes, and describes how to extract their text.

use memchr::memmem;

use crate::format::unpacked_extension;

/// The first bytes of formats without comparable text, with a description and advice.
const STARTS: [(&[u8], &str); 14] = [
    (b"{\\rtf", "an RTF document: save it as plain text first, for example with 'soffice --convert-to txt'"),
    (
        b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1",
        "an old Office document (.doc, .xls, .ppt): save it as plain text or CSV first",
    ),
    (b"%!PS", "PostScript: convert it to text first, for example with ps2txt"),
    (b"7z\xBC\xAF\x27\x1C", "a 7z archive: unpack it first"),
    (b"Rar!\x1A\x07", "a RAR archive: unpack it first"),
    (b"BZh91AY&SY", "packed with bzip2: unpack it first, or pack it with gzip or zstd"),
    (b"\xFD7zXZ\0", "packed with xz: unpack it first, or pack it with gzip or zstd"),
    (b"\x04\x22\x4D\x18", "packed with lz4: unpack it first, or pack it with gzip or zstd"),
    (b"ARROW1", "an Arrow file: write it as Parquet first"),
    (b"Obj\x01", "an Avro file: write it as Parquet or JSONL first"),
    (b"ORC", "an ORC file: write it as Parquet first"),
    (b"SQLite format 3\0", "a SQLite database: export its table as CSV first"),
    (b"\x89HDF\r\n\x1A\n", "an HDF5 file: write it as Parquet first"),
    (b"{\\urtf", "an RTF document: save it as plain text first, for example with 'soffice --convert-to txt'"),
];

/// Maximum offset of the mark of a PDF. (ISO 32000-1, annex H.3.4.1)
const PDF_WITHIN: usize = 1024;

/// A description and advice, if the first bytes are those of an unsupported format.
pub(super) fn foreign(name: &str, start: &[u8]) -> Option<&'static str> {
    let bare = start.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(start).trim_ascii_start();
    if is_pdf(bare) {
        return Some("a PDF: convert it to text first, for example with pdftotext");
    }
    if [&b"PK\x03\x04"[..], b"PK\x05\x06", b"PK\x07\x08"].iter().any(|mark| start.starts_with(mark)) {
        return Some(zip(name, start));
    }
    if start.get(257..262) == Some(b"ustar") {
        return Some("a tar archive: unpack it first");
    }
    let is_short_word = |mark: &[u8]| mark.iter().all(u8::is_ascii_alphanumeric);
    // A text may start with the letters of a mark: such a file must also have bytes that no text has.
    let found = STARTS.iter().find(|(mark, _)| {
        bare.starts_with(mark) && (!is_short_word(mark) || memchr::memchr(0, &start[..start.len().min(64)]).is_some())
    });
    found.map(|(_, what)| *what)
}

/// True if a PDF starts like this: its mark is first, or follows bytes that no text has.
fn is_pdf(bare: &[u8]) -> bool {
    let within = &bare[..bare.len().min(PDF_WITHIN)];
    let has_binary = || within.iter().any(|byte| matches!(byte, 0..=8 | 14..=26 | 28..=31));
    bare.starts_with(b"%PDF-") || memmem::find(within, b"%PDF-").is_some() && has_binary()
}

/// The kind of document in a ZIP archive, by the names of its first parts or by its own.
fn zip(name: &str, start: &[u8]) -> &'static str {
    let has = |part: &[u8]| memmem::find(start, part).is_some();
    let extension = unpacked_extension(name);
    let is_named = |names: &[&str]| extension.as_deref().is_some_and(|extension| names.contains(&extension));
    if has(b"word/") || is_named(&["docx", "docm"]) {
        "a Word document: save it as plain text first, for example with 'pandoc -t plain' or docx2txt"
    } else if has(b"xl/") || is_named(&["xlsx", "xlsm"]) {
        "an Excel workbook: save it as CSV first"
    } else if has(b"ppt/") || is_named(&["pptx"]) {
        "a PowerPoint presentation: save it as plain text first"
    } else if has(b"mimetypeapplication/vnd.oasis.opendocument") || is_named(&["odt", "ods", "odp"]) {
        "an OpenDocument file: save it as plain text or CSV first, for example with 'soffice --convert-to txt'"
    } else if has(b"mimetypeapplication/epub+zip") || is_named(&["epub"]) {
        "an EPUB book: convert it to text first, for example with 'pandoc -t plain'"
    } else {
        "a ZIP archive: unpack it first"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_is_known_by_its_first_bytes_whatever_its_name() {
        let mut tar = vec![0; 512];
        tar[257..262].copy_from_slice(b"ustar");
        for (name, start, what) in [
            ("a.txt", &b"%PDF-1.7\n%\xE2\xE3"[..], "a PDF"),
            ("a.jsonl", b"\xEF\xBB\xBF\n%PDF-1.4", "a PDF"),
            ("a.txt", b"junk\x01\x02%PDF-1.4", "a PDF"),
            ("a", b"{\\rtf1\\ansi text}", "an RTF document"),
            ("a.md", b"PK\x03\x04\x14\0\0\0[Content_Types].xml PK word/document.xml", "a Word document"),
            ("a.docx", b"PK\x03\x04\x14\0", "a Word document"),
            ("a.txt", b"PK\x03\x04\x14\0 xl/workbook.xml", "an Excel workbook"),
            ("a", b"PK\x03\x04mimetypeapplication/epub+zip", "an EPUB book"),
            ("a.txt", b"PK\x03\x04\x14\0a.txt", "a ZIP archive"),
            ("a.doc", b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1\0", "an old Office document"),
            ("a.tar.gz", &tar, "a tar archive"),
            ("a", b"ORC\x11\0\0", "an ORC file"),
        ] {
            let found = foreign(name, start).unwrap_or_default();
            assert!(found.starts_with(what), "{name}: {found}");
        }
        for text in [
            &b"ORC is a format"[..],
            b"ARROW1 is a mark",
            b"PKs are keys",
            b"A PDF starts with %PDF-1.4",
            b"{\"rtf\": 1}",
        ] {
            assert_eq!(foreign("a.txt", text), None);
        }
    }
}
