//! Notes that annotated output has for each document.

use serde::Serialize;

/// The notes on a document in annotated output.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Annotation {
    /// The number of its cluster; `None` for a record without text.
    pub cluster: Option<u64>,
    /// Whether it is kept.
    pub kept: bool,
    /// The document that is kept in its place.
    pub kept_id: Option<String>,
    /// Their similarity.
    pub similarity: Option<f64>,
    /// How many documents its cluster has, the kept one among them.
    pub cluster_size: Option<u64>,
    /// How often the kept document of its cluster occurs: itself and its exact copies.
    pub copy_count: Option<u64>,
}

/// The names of the notes: fields of an object, or columns of a table.
pub const NOTES: [&str; 6] = ["cluster", "kept", "kept_id", "similarity", "cluster_size", "copy_count"];
