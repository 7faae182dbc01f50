//! Input and output types of an index.

use std::num::NonZeroUsize;

use lookalike_core::measure::feature_set::Overlap;
use lookalike_core::measure::likeness::Likeness;
use lookalike_core::scheme::Scheme;
use serde::Serialize;

/// Parameters of a new index.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct CreateOptions {
    /// Definition of near-duplicates, and the method of finding them; fixed for the life of the index.
    ///
    /// A random key is drawn once and stored in `index.json` like a given one: every search needs it.
    pub scheme: Scheme,
    /// Content stored for each document.
    pub store: Store,
}

impl CreateOptions {
    /// Stores texts, under this definition of near-duplicates.
    pub fn new(scheme: Scheme) -> Self {
        Self { scheme, ..Self::default() }
    }

    /// Stores this for each document.
    #[must_use]
    pub fn with_store(self, store: Store) -> Self {
        Self { store, ..self }
    }
}

lookalike_core::word_enum! {
    /// Content stored for each document, in addition to id, fields and sketch.
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
#[non_exhaustive]
pub struct NewDocument<'a> {
    /// Its id; not empty.
    pub id: &'a str,
    /// Other data of the document: the text of a JSON object, or empty.
    pub fields: &'a str,
    /// The text to search.
    pub text: &'a str,
}

impl<'a> NewDocument<'a> {
    /// Creates a document without fields.
    pub fn new(id: &'a str, text: &'a str) -> Self {
        Self { id, fields: "", text }
    }

    /// Adds fields: the text of a JSON object.
    #[must_use]
    pub fn with_fields(self, fields: &'a str) -> Self {
        Self { fields, ..self }
    }
}

/// A stored document.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Document {
    /// Its id.
    pub id: String,
    /// The text of a JSON object, as given; may be empty.
    pub fields: String,
    /// Its text; none if the index does not store texts.
    pub text: Option<String>,
}

/// Result of putting a document.
#[derive(Clone, Debug, PartialEq)]
pub enum Put {
    /// The document is new.
    Added,
    /// The document replaced one with the same id.
    Replaced,
    /// The same document was already stored; nothing was written.
    Unchanged,
    /// The document was not stored: the index has a near-duplicate of it.
    Duplicate {
        /// The most similar document of the index; of several, an exact copy, or else the one that was added first.
        id: String,
        /// Similarity of the two documents, by the measure of the scheme.
        similarity: f64,
        /// Measurements of the two documents; the document that was not stored is on the left.
        likeness: Likeness,
        /// True if they are equal in every character, up to Unicode's NFC and white space at line ends.
        exact_copy: bool,
    },
}

/// A query.
#[derive(Clone, Copy, Debug)]
pub enum Query<'a> {
    /// Finds documents similar to this text.
    Text(&'a str),
    /// Finds documents similar to the one with this id, excluding itself.
    Id(&'a str),
    /// Finds documents similar to this text, which may be stored under this id: that document is then the first result.
    Document {
        /// Id of the text.
        id: &'a str,
        /// The text.
        text: &'a str,
    },
}

/// Options of a search.
///
/// ```
/// use std::num::NonZeroUsize;
///
/// use lookalike_index::SearchOptions;
///
/// let one = SearchOptions::default().with_threshold(0.9).with_top(NonZeroUsize::MIN);
/// assert_eq!((one.top(), one.max_candidates()), (1, 100_000));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchOptions {
    threshold: Option<f64>,
    top: NonZeroUsize,
    max_candidates: NonZeroUsize,
}

impl Default for SearchOptions {
    fn default() -> Self {
        const TOP: NonZeroUsize = NonZeroUsize::new(10).unwrap();
        const MAX_CANDIDATES: NonZeroUsize = NonZeroUsize::new(100_000).unwrap();
        Self { threshold: None, top: TOP, max_candidates: MAX_CANDIDATES }
    }
}

impl SearchOptions {
    /// Sets the minimum similarity. Default: that of the index. A search fails if it is below that, or is not a
    /// similarity by the measure of the index.
    #[must_use]
    pub fn with_threshold(self, threshold: f64) -> Self {
        Self { threshold: Some(threshold), ..self }
    }

    /// Sets the maximum number of hits to return. Default: 10.
    #[must_use]
    pub fn with_top(self, top: NonZeroUsize) -> Self {
        Self { top, ..self }
    }

    /// Sets the maximum number of candidates to compare, those with the best sketches first. Default: 100,000.
    #[must_use]
    pub fn with_max_candidates(self, max_candidates: NonZeroUsize) -> Self {
        Self { max_candidates, ..self }
    }

    /// Minimum similarity, if it is not that of the index.
    pub fn threshold(&self) -> Option<f64> {
        self.threshold
    }

    /// Maximum number of hits to return.
    pub fn top(&self) -> usize {
        self.top.get()
    }

    /// Maximum number of candidates to compare.
    pub fn max_candidates(&self) -> usize {
        self.max_candidates.get()
    }
}

/// A document that is similar enough.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Hit {
    /// Its id.
    pub id: String,
    /// Similarity to the query, by the measure of the scheme.
    pub similarity: f64,
    /// Measurements of the two documents; the query is on the left. Containments follow from the overlap.
    pub likeness: Likeness,
    /// True if they are equal in every character, up to Unicode's NFC and white space at line ends.
    pub exact_copy: bool,
    /// Its fields: the text of a JSON object, or empty. Documents of an index in memory have none.
    pub fields: String,
}

impl Hit {
    /// Creates a hit without fields.
    pub fn new(id: String, similarity: f64, likeness: Likeness, exact_copy: bool) -> Self {
        Self { id, similarity, likeness, exact_copy, fields: String::new() }
    }

    /// Share of the query's features that are in the hit, if features were compared.
    pub fn containment_of_query(&self) -> Option<f64> {
        self.likeness.overlap().map(Overlap::containment_left)
    }

    /// Share of the hit's features that are in the query, if features were compared.
    pub fn containment_of_match(&self) -> Option<f64> {
        self.likeness.overlap().map(Overlap::containment_right)
    }
}

/// The result of a search.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Answer {
    /// Most similar first. Of hits with equal similarity, the query's own document comes first, then exact copies, then
    /// the others, each in the order in which they were added.
    pub hits: Vec<Hit>,
    /// Number of documents that are similar enough; `hits` has at most `top` of them.
    pub match_count: u64,
    /// True if `hits` has every match and all candidates were compared.
    pub complete: bool,
    /// Number of documents that may be similar, by their sketches or as copies.
    pub candidate_count: u64,
    /// Number of candidates that were compared.
    pub compared_count: u64,
}

/// Statistics of an index.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
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
    /// Content stored for each document.
    pub store: Store,
    /// The scheme in one line.
    pub scheme: String,
    /// Probability of finding a pair exactly at the threshold, if the method has one.
    pub recall: Option<f64>,
}

/// The result of merging another index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Merged {
    /// Number of new documents.
    pub added_count: u64,
    /// Number of documents that replaced others with the same id.
    pub replaced_count: u64,
    /// Number of documents that were already stored.
    pub unchanged_count: u64,
}

/// The result of checking all files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Verification {
    /// Documents that can be found.
    pub document_count: u64,
    /// Bytes that were read and checked.
    pub checked_bytes: u64,
    /// Problems that were found; empty if the index is intact.
    pub problems: Vec<Problem>,
    /// True if the index is intact again: nothing is damaged any more, and data that could not be saved is listed in
    /// `lost`.
    pub repaired: bool,
    /// Data that the repair could not save.
    pub lost: Vec<Lost>,
}

/// Part of a log that could not be read when an index was repaired.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Lost {
    /// The damaged file, within the folder of the index.
    pub file: String,
    /// Path of the stored copy, within the folder of the index; `None` if there was no file.
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
#[non_exhaustive]
pub struct Problem {
    /// The file, within the folder of the index.
    pub file: String,
    /// Description of the problem, with the section and the offset.
    pub message: String,
}

/// Result of an upgrade.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Upgrade {
    /// Nothing to do: the index has the newest version.
    Current,
    /// The index was rebuilt by this version.
    Done,
}
