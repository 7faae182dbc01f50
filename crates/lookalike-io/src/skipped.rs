//! What was skipped, and why: the same for documents, rows and whole files.

use serde::{Deserialize, Deserializer, Serialize};

use crate::format::Format;
use crate::input::discover::InputFile;

/// An entry that was skipped, or a part of a file that was lost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkippedEntry {
    /// The file, as it was given.
    pub file: String,
    /// What `position` counts: lines, records or files.
    #[serde(deserialize_with = "entry_name")]
    pub entry: EntryName,
    /// Which entry of the file, counted from 1; the names of the columns of CSV are row 1.
    pub position: u64,
    /// Why it was skipped.
    pub reason: String,
    /// How many entries are lost, this one and those after it.
    pub count: u64,
}

impl SkippedEntry {
    /// An entry of a file in this format.
    pub fn new(file: &InputFile, format: Format, position: u64, reason: String, count: u64) -> Self {
        Self { file: file.shown().display().to_string(), entry: format.entry_name(), position, reason, count }
    }
}

/// The name of what a file has many of.
type EntryName = &'static str;

/// The names of entries that a file may have.
const ENTRY_NAMES: [EntryName; 6] = ["line", "object", "record", "row", "paragraph", "file"];

/// A name as it is known here; one of a later version is just an entry.
fn entry_name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<EntryName, D::Error> {
    let name = String::deserialize(deserializer)?;
    Ok(ENTRY_NAMES.into_iter().find(|known| *known == name).unwrap_or("entry"))
}
