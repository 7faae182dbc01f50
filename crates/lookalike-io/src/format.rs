//! Formats of files.

use std::path::Path;

/// Format of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// One JSON object per line.
    Jsonl,
    /// One JSON list of objects.
    JsonList,
    /// Consecutive JSON objects, each on several lines.
    JsonValues,
    /// Records of a crawl, or of the text extracted from it (WET).
    Warc,
    /// Records of a crawl in the format before WARC.
    Arc,
    /// A table of cells between delimiters.
    Csv,
    /// A table of columns.
    Parquet,
    /// One page per file.
    Html,
    /// One document per file.
    Text,
    /// One document per line.
    Lines,
    /// One document per paragraph; paragraphs are separated by blank lines.
    Paragraphs,
    /// A table in the caller's memory.
    Held,
    /// Something that is not text.
    Other,
}

impl Format {
    /// The name of one entry of such a file.
    pub fn entry_name(self) -> &'static str {
        match self {
            Self::Jsonl | Self::Lines => "line",
            Self::JsonList | Self::JsonValues => "object",
            Self::Warc | Self::Arc => "record",
            Self::Csv | Self::Parquet | Self::Held => "row",
            Self::Paragraphs => "paragraph",
            Self::Html | Self::Text | Self::Other => "file",
        }
    }

    /// True if a file is one document, identified by the file's name, and kept or removed as a whole.
    pub fn is_one_document(self) -> bool {
        matches!(self, Self::Html | Self::Text | Self::Other)
    }

    /// The id of a document without one of its own: its file and position.
    pub fn id(self, file_name: &str, position: u64) -> String {
        if self.is_one_document() { file_name.to_owned() } else { format!("{file_name}:{position}") }
    }

    /// True if each entry is compressed separately, as in crawls, so that a reader can start at any of them.
    pub fn is_packed_by_entry(self) -> bool {
        matches!(self, Self::Warc | Self::Arc)
    }

    /// True if entries can hold notes. Files of other formats become JSONL when they are annotated.
    pub fn has_room_for_notes(self) -> bool {
        match self {
            Self::Jsonl | Self::JsonList | Self::JsonValues | Self::Warc | Self::Csv | Self::Parquet => true,
            Self::Arc | Self::Html | Self::Text | Self::Lines | Self::Paragraphs | Self::Held | Self::Other => false,
        }
    }
}

/// The extension of a name in lower case, without that of a compression.
pub fn unpacked_extension(name: &str) -> Option<String> {
    let name = name.to_ascii_lowercase();
    let name = [".gz", ".gzip", ".zst", ".zstd"].iter().find_map(|packed| name.strip_suffix(packed)).unwrap_or(&name);
    Path::new(name).extension().map(|extension| extension.to_string_lossy().into_owned())
}

/// True if this is the start of a list of objects.
pub(crate) fn starts_list(bare: &[u8]) -> bool {
    bare.strip_prefix(b"[").is_some_and(|list| list.trim_ascii_start().starts_with(b"{"))
}
