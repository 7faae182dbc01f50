//! What goes into an index and what comes out of it.

use lookalike_core::measure::feature_set::Overlap;
use lookalike_core::measure::likeness::Likeness;
use lookalike_core::scheme::Scheme;
use serde::{Deserialize, Serialize};

/// How an index is made.
#[derive(Clone, Debug, Default)]
pub struct CreateOptions {
    /// When documents are alike, and how they are found; fixed for the life of the index.
    ///
    /// A random key is drawn once and kept in `index.json`, as a given one is: the index needs it for every search.
    pub scheme: Scheme,
    /// What is kept of documents.
    pub store: Store,
}

/// What is kept of documents, besides id, fields and sketch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Store {
    /// Their texts.
    #[default]
    Text,
    /// Hashes of their shingles, for texts that must not be kept. Similarities are as exact; texts cannot be shown, and the
    /// index cannot be upgraded.
    Features,
}

/// A document to be stored.
#[derive(Clone, Copy, Debug, Default)]
pub struct NewDocument<'a> {
    /// What it is known by; not empty.
    pub id: &'a str,
    /// A JSON object with whatever belongs to the document, as text; or nothing.
    pub fields: &'a str,
    /// What is searched.
    pub text: &'a str,
}

impl<'a> NewDocument<'a> {
    /// A document without fields.
    pub fn new(id: &'a str, text: &'a str) -> Self {
        Self { id, fields: "", text }
    }

    /// The same with fields: the text of a JSON object.
    #[must_use]
    pub fn with_fields(self, fields: &'a str) -> Self {
        Self { fields, ..self }
    }
}

/// A stored document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// What it is known by.
    pub id: String,
    /// The text of a JSON object, as it was given; may be empty.
    pub fields: String,
    /// Its text; none where the index keeps none.
    pub text: Option<String>,
}

/// What became of a document that was put into an index.
#[derive(Clone, Debug, PartialEq)]
pub enum Put {
    /// It is new.
    Added,
    /// It has the place of one with the same id.
    Replaced,
    /// The same document was there already; nothing was written.
    Unchanged,
    /// A near-duplicate is there, so that it was left out.
    Alike {
        /// The most similar document of the index; of several, the one that was added first.
        id: String,
        /// How similar it is.
        similarity: f64,
        /// How alike they are: the document that was left out is on the left.
        likeness: Likeness,
        /// Whether they are equal in every character, up to Unicode's NFC and white space at line ends.
        is_exact_copy: bool,
    },
}

/// What is searched for.
#[derive(Clone, Copy, Debug)]
pub enum Query<'a> {
    /// Documents like this text.
    Text(&'a str),
    /// Documents like the one with this id, other than itself.
    Id(&'a str),
}

/// How to search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchOptions {
    /// The minimum similarity; that of the index when none is given, and not below it.
    pub threshold: Option<f64>,
    /// How many hits to return at most.
    pub limit: usize,
    /// How many candidates to look at, those with the best sketches first.
    pub max_candidates: usize,
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self { threshold: None, limit: 10, max_candidates: 100_000 }
    }
}

/// A document that is similar enough.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// Its id.
    pub id: String,
    /// How similar it is, by the measure of the scheme.
    pub similarity: f64,
    /// How alike they are: what was searched for is on the left. Containments follow from its overlap.
    pub likeness: Likeness,
    /// Whether they are equal in every character, up to Unicode's NFC and white space at line ends.
    pub is_exact_copy: bool,
    /// Its fields: the text of a JSON object, or nothing.
    pub fields: String,
}

impl Hit {
    /// The part of what was searched for that lies in the hit, if features were compared.
    pub fn containment_left(&self) -> Option<f64> {
        self.likeness.overlap().map(Overlap::containment_left)
    }

    /// The part of the hit that lies in what was searched for, if features were compared.
    pub fn containment_right(&self) -> Option<f64> {
        self.likeness.overlap().map(Overlap::containment_right)
    }
}

/// What a search found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// The most similar first; those of one similarity in the order in which they were added.
    pub hits: Vec<Hit>,
    /// Whether all candidates were looked at.
    pub complete: bool,
    /// How many documents may be alike, by their sketches or as copies.
    pub candidates: u64,
    /// How many of these were looked at.
    pub looked_at: u64,
}

/// What an index has, in numbers.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Stat {
    /// Documents that can be found.
    pub documents: u64,
    /// Deleted or replaced documents whose bytes are still on the disk.
    pub deleted: u64,
    /// Documents that are in the log and not yet in a segment.
    pub in_memory: u64,
    /// Segments on the disk.
    pub segments: u64,
    /// Bytes of all segments and bitmaps.
    pub segment_bytes: u64,
    /// Bytes of all logs: texts, ids and fields.
    pub log_bytes: u64,
    /// Log files.
    pub logs: u64,
    /// The number of the newest manifest.
    pub manifest: u64,
    /// What is kept of documents.
    pub store: Store,
    /// The scheme in one line.
    pub scheme: String,
    /// The chance to find a pair exactly at the threshold, where it can be told.
    pub recall: Option<f64>,
}

/// What merging another index did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Merged {
    /// Documents that are new.
    pub added: u64,
    /// Documents that have the place of others with the same id.
    pub replaced: u64,
    /// Documents that were there already.
    pub unchanged: u64,
}

/// What a check of all files found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Verification {
    /// Documents that can be found.
    pub documents: u64,
    /// Bytes that were read and checked.
    pub checked_bytes: u64,
    /// What is wrong; nothing if the index is whole.
    pub problems: Vec<Problem>,
    /// Whether everything that was wrong has been put right.
    pub is_repaired: bool,
}

/// Something that is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// The file, within the folder of the index.
    pub file: String,
    /// What is wrong, with the section and the offset.
    pub message: String,
}

/// What an upgrade did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Upgrade {
    /// Nothing: the index has the newest version.
    Current,
    /// It was made anew by the procedures of this version.
    Done,
}
