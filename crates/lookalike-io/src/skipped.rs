//! Entries that were skipped, with their reasons: the same for documents, rows and whole files.

use std::fmt;

use lookalike_core::remedy::{JobOption, Remedy};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// An entry that was skipped, or a part of a file that was lost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SkippedEntry {
    /// The file, as it was given.
    pub file: String,
    /// The kind of entry that `position` counts: lines, records or files.
    #[serde(deserialize_with = "entry_name")]
    pub entry: EntryName,
    /// The number of the entry in the file, counted from 1; the names of the columns of CSV are row 1.
    pub position: u64,
    /// The reason for which it was skipped.
    #[serde(serialize_with = "as_text", deserialize_with = "of_text")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub reason: SkipReason,
    /// The number of entries that are lost, this one and those after it.
    pub count: u64,
}

/// The name of the entries of a file.
type EntryName = &'static str;

/// The names of entries that a file may have.
const ENTRY_NAMES: [EntryName; 6] = ["line", "object", "record", "row", "paragraph", "file"];

/// A known name; an unknown one from a later version becomes "entry".
fn entry_name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<EntryName, D::Error> {
    let name = String::deserialize(deserializer)?;
    Ok(ENTRY_NAMES.into_iter().find(|known| *known == name).unwrap_or("entry"))
}

fn as_text<S: Serializer>(reason: &SkipReason, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(reason.text())
}

/// The kind of a reason is not part of its text.
fn of_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SkipReason, D::Error> {
    String::deserialize(deserializer).map(SkipReason::Other)
}

/// Reason why an entry was skipped, with the text that is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SkipReason {
    /// It is longer than the limit on records.
    RecordLimit(String),
    /// Its Zstandard window is larger than the memory allows.
    WindowLimit(String),
    /// A row has more or fewer fields than the table has columns.
    RaggedRow(String),
    /// A table found in a folder lacks the text column; with the columns that it has.
    NoTextField(String),
    /// Any other reason.
    Other(String),
}

/// The name of the limit on records in a reason.
pub(crate) const RECORD_LIMIT: &str = "the longest record that is read";

impl SkipReason {
    /// An entry of more than `longest` bytes.
    pub(crate) fn too_long(longest: u32) -> Self {
        Self::RecordLimit(format!("longer than {longest} bytes, {RECORD_LIMIT}"))
    }

    /// The text that is shown.
    pub fn text(&self) -> &str {
        let (Self::RecordLimit(text)
        | Self::WindowLimit(text)
        | Self::RaggedRow(text)
        | Self::NoTextField(text)
        | Self::Other(text)) = self;
        text
    }

    /// Changes of options with which the entry would be read; any one of them is sufficient.
    pub fn remedies(&self) -> Vec<Remedy> {
        match self {
            Self::RecordLimit(_) => vec![Remedy::Raise(JobOption::MaxRecord)],
            Self::WindowLimit(_) => vec![Remedy::Raise(JobOption::Memory), Remedy::Lower(JobOption::Threads)],
            Self::NoTextField(_) => vec![Remedy::give(JobOption::Text), Remedy::give(JobOption::Exclude)],
            Self::RaggedRow(_) | Self::Other(_) => Vec::new(),
        }
    }
}

impl fmt::Display for SkipReason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.text())
    }
}

impl From<String> for SkipReason {
    fn from(text: String) -> Self {
        Self::Other(text)
    }
}

impl From<&str> for SkipReason {
    fn from(text: &str) -> Self {
        Self::Other(text.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remedies_follow_from_the_kind_and_not_from_the_text() {
        assert_eq!(SkipReason::too_long(9).remedies(), [Remedy::Raise(JobOption::MaxRecord)]);
        let window = SkipReason::WindowLimit(String::new());
        assert_eq!(window.remedies(), [Remedy::Raise(JobOption::Memory), Remedy::Lower(JobOption::Threads)]);
        // A field of the input may have any name.
        let quoted = SkipReason::Other(format!("field '{RECORD_LIMIT}' is not a text"));
        assert_eq!(quoted.remedies(), []);
        assert_eq!(SkipReason::RaggedRow(String::new()).remedies(), []);
    }

    #[test]
    fn json_has_the_text_of_the_reason() {
        let reason = SkipReason::too_long(9);
        let entry = SkippedEntry { file: "a.csv".to_owned(), entry: "row", position: 2, reason, count: 1 };
        let json = serde_json::to_string(&entry).unwrap();
        let expected = r#"{"file":"a.csv","entry":"row","position":2,"reason":"longer than 9 bytes, the longest record that is read","count":1}"#;
        assert_eq!(json, expected);
        let read: SkippedEntry = serde_json::from_str(&json).unwrap();
        assert_eq!(read.reason, SkipReason::Other(entry.reason.to_string()));
    }
}
