//! The formats in which rows are written.

use std::borrow::Cow;

lookalike_core::word_enum! {
    /// Format of rows.
    #[derive(Default)]
    pub enum RowFormat {
        /// One JSON object per line.
        #[default]
        Jsonl,
        /// Tab-separated, with a header line.
        Tsv,
        /// Comma-separated, with a header line and quotes where they are needed (RFC 4180).
        Csv,
    }
}

impl RowFormat {
    /// Separator of cells.
    pub(crate) fn separator(self) -> char {
        if self == Self::Csv { ',' } else { '\t' }
    }

    /// A text as one cell of a row, whatever it contains.
    pub(crate) fn cell(self, text: &str) -> Cow<'_, str> {
        match self {
            Self::Csv if text.contains([',', '"', '\n', '\r']) || text != text.trim() => {
                format!("\"{}\"", text.replace('"', "\"\"")).into()
            }
            Self::Jsonl | Self::Tsv if text.contains(['\t', '\n', '\r', '\\']) => {
                let text = text.replace('\\', "\\\\").replace('\t', "\\t");
                text.replace('\n', "\\n").replace('\r', "\\r").into()
            }
            _ => text.into(),
        }
    }
}
