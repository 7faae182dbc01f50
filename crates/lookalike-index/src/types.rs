//! What goes into an index and what comes out of it.

use lookalike_core::measure::feature_set::Overlap;
use lookalike_core::measure::likeness::Likeness;
use lookalike_core::scheme::Scheme;
use serde::Serialize;

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

lookalike_core::word_enum! {
    /// What is kept of documents, besides id, fields and sketch.
    #[derive(Default)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub enum Store {
        /// Their texts.
        #[default]
        Text,
        /// Hashes of their shingles, for texts that must not be kept. Similarities are as exact; texts cannot be shown, and the
        /// index cannot be upgraded.
        Features,
    }
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
    /// It was not stored: the index has a near-duplicate of it.
    Duplicate {
        /// The most similar document of the index; of several, an exact copy, or else the one that was added first.
        id: String,
        /// Similarity of the two, by the measure of the scheme.
        similarity: f64,
        /// Measurements of the two; the document that was not stored is on the left.
        likeness: Likeness,
        /// True if they are equal in every character, up to Unicode's NFC and white space at line ends.
        exact_copy: bool,
    },
}

/// What is searched for.
#[derive(Clone, Copy, Debug)]
pub enum Query<'a> {
    /// Documents like this text.
    Text(&'a str),
    /// Documents like the one with this id, other than itself.
    Id(&'a str),
    /// Documents like this text, which may be stored under this id: then that document is the first answer.
    Document {
        /// What the text is known by.
        id: &'a str,
        /// The text.
        text: &'a str,
    },
}

/// How to search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchOptions {
    /// The minimum similarity; that of the index when none is given, and not below it.
    pub threshold: Option<f64>,
    /// Maximum number of hits to return.
    pub top: usize,
    /// Maximum number of candidates to compare, those with the best sketches first.
    pub max_candidates: usize,
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self { threshold: None, top: 10, max_candidates: 100_000 }
    }
}

/// A document that is similar enough.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// Its id.
    pub id: String,
    /// Similarity to the query, by the measure of the scheme.
    pub similarity: f64,
    /// Measurements of the two; the query is on the left. Containments follow from its overlap.
    pub likeness: Likeness,
    /// True if they are equal in every character, up to Unicode's NFC and white space at line ends.
    pub exact_copy: bool,
    /// Its fields: the text of a JSON object, or nothing. A document of an index in memory has none.
    pub fields: String,
}

impl Hit {
    /// Share of the query's features that the hit has, if features were compared.
    pub fn containment_of_query(&self) -> Option<f64> {
        self.likeness.overlap().map(Overlap::containment_left)
    }

    /// Share of the hit's features that the query has, if features were compared.
    pub fn containment_of_match(&self) -> Option<f64> {
        self.likeness.overlap().map(Overlap::containment_right)
    }
}

/// The result of a search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// The most similar first. Of those with one similarity, the query's own document comes first, then exact copies, then the
    /// others, each in the order in which they were added.
    pub hits: Vec<Hit>,
    /// Documents that are similar enough; `hits` has the first of them, at most `top`.
    pub match_count: u64,
    /// True if `hits` has every match and all candidates were compared.
    pub complete: bool,
    /// Documents that may be similar, by their sketches or as copies.
    pub candidate_count: u64,
    /// Candidates that were compared.
    pub compared_count: u64,
}

/// Statistics of an index.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Stat {
    /// Documents that can be found.
    pub document_count: u64,
    /// Deleted or replaced documents whose bytes are still on the disk.
    pub deleted_count: u64,
    /// Documents that are in the log and not yet in a segment.
    pub in_memory_count: u64,
    /// Segments on the disk.
    pub segment_count: u64,
    /// Bytes of all segments and bitmaps.
    pub segment_bytes: u64,
    /// Bytes of all logs: texts, ids and fields.
    pub log_bytes: u64,
    /// Log files.
    pub log_count: u64,
    /// The number of the newest manifest.
    pub manifest: u64,
    /// What is kept of documents.
    pub store: Store,
    /// The scheme in one line.
    pub scheme: String,
    /// Probability of finding a pair exactly at the threshold, if the method has one.
    pub recall: Option<f64>,
}

/// The result of merging another index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Merged {
    /// Documents that are new.
    pub added_count: u64,
    /// Documents that replaced others with the same id.
    pub replaced_count: u64,
    /// Documents that were there already.
    pub unchanged_count: u64,
}

/// The result of checking all files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Verification {
    /// Documents that can be found.
    pub document_count: u64,
    /// Bytes that were read and checked.
    pub checked_bytes: u64,
    /// What is wrong; nothing if the index is whole.
    pub problems: Vec<Problem>,
    /// True if the index is whole again: nothing is damaged any more, and what could not be saved is in `lost`.
    pub repaired: bool,
    /// What the repair could not save.
    pub lost: Vec<Lost>,
}

/// Part of a log that could not be read when an index was repaired.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Lost {
    /// The damaged file, within the folder of the index.
    pub file: String,
    /// Where a copy of it is kept, within the folder of the index; nothing if there was no file.
    pub kept_as: Option<String>,
    /// The first byte that could not be used.
    pub from: u64,
    /// The byte behind the last one.
    pub to: u64,
    /// Documents that are lost; nothing if not even their number can be read.
    pub document_count: Option<u64>,
    /// Deletions that are lost: unless they had reached a segment, their documents can be found again.
    pub deletion_count: u64,
    /// The ids of lost documents, as far as they can be read. Of documents that were only in the log yet, they may be damaged too.
    pub ids: Vec<String>,
}

/// Something that is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
