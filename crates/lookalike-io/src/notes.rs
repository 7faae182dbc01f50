//! Notes on documents in annotated output.

use serde::Serialize;

/// The notes on a document in annotated output.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Annotation {
    /// The number of its cluster; `None` for a record without text.
    pub cluster: Option<u64>,
    /// True if it is kept.
    pub kept: bool,
    /// The document that is kept instead.
    pub kept_id: Option<String>,
    /// Their similarity.
    pub similarity: Option<f64>,
    /// Number of documents in its cluster, including the kept one.
    pub cluster_size: Option<u64>,
    /// Number of occurrences of the kept document of its cluster: itself and its exact copies.
    pub copy_count: Option<u64>,
}

/// The names of the notes: fields of an object, or columns of a table.
pub const NOTES: [&str; 6] = ["cluster", "kept", "kept_id", "similarity", "cluster_size", "copy_count"];
