//! Formats: which there are, and how a file shows its own.

use std::path::Path;

/// What a file is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A JSON object a line.
    Jsonl,
    /// Common Crawl's extracted text: WARC records of the type `conversion`.
    Wet,
    /// One document a file.
    Text,
}

impl Format {
    /// Told by the first bytes of the unpacked content; by the name where these leave it open.
    pub fn of(name: &str, start: &[u8]) -> Self {
        let start = start.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(start);
        if start.trim_ascii_start().starts_with(b"WARC/") {
            return Self::Wet;
        }
        match unpacked_extension(name).as_deref() {
            Some("jsonl" | "ndjson" | "json") => Self::Jsonl,
            Some("txt" | "text" | "md") => Self::Text,
            _ if start.trim_ascii_start().starts_with(b"{") => Self::Jsonl,
            _ => Self::Text,
        }
    }

    /// The word for one entry of such a file.
    pub fn entry_name(self) -> &'static str {
        match self {
            Self::Jsonl => "line",
            Self::Wet => "record",
            Self::Text => "file",
        }
    }
}

/// The extension of a name in lower case, without that of a compression.
fn unpacked_extension(name: &str) -> Option<String> {
    let name = name.to_ascii_lowercase();
    let name = [".gz", ".gzip", ".zst", ".zstd"].iter().find_map(|packed| name.strip_suffix(packed)).unwrap_or(&name);
    Path::new(name).extension().map(|extension| extension.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_says_more_than_the_name() {
        for (name, start, format) in [
            ("crawl.warc.wet.gz", &b"WARC/1.0\r\n"[..], Format::Wet),
            ("crawl.txt", b"WARC/1.0\r\n", Format::Wet),
            ("a.jsonl", b"not json", Format::Jsonl),
            ("a.JSON.GZ", b"{}", Format::Jsonl),
            ("part-0001", b"  {\"text\"", Format::Jsonl),
            ("part-0001", b"Once upon", Format::Text),
            ("a.txt", b"{ a text }", Format::Text),
            ("stdin", b"\xEF\xBB\xBF{", Format::Jsonl),
        ] {
            assert_eq!(Format::of(name, start), format, "{name}");
        }
    }
}
