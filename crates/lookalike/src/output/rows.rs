//! The rows of `dedup` and `pairs` as types, with the same content as the lines of their output.

use std::borrow::Cow;
use std::io;

use serde::{Deserialize, Serialize};

use crate::output::measures::Measures;
use crate::output::sink::{Cell, Row};

/// A removed document, and the one kept in its place: a line of `removed.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Removal {
    /// The id of the removed document.
    pub removed_id: String,
    /// The id of the kept document.
    pub kept_id: String,
    /// Their similarity by the measure of the run: the number that was compared with the threshold.
    pub similarity: f64,
    /// Shared features divided by all features; `None` if bits of sketches were compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jaccard: Option<f64>,
    /// The share of the removed document's features that the kept one has; `None` if bits of sketches were compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub containment_of_removed: Option<f64>,
    /// The share of the kept document's features that the removed one has; `None` if bits of sketches were compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub containment_of_kept: Option<f64>,
    /// Number of bits in which their sketches differ, if these were compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hamming: Option<u32>,
    /// True if they are equal in every character, up to Unicode's NFC and white space at line ends.
    pub exact_copy: bool,
    /// True if they have the same words without being exact copies.
    pub same_words: bool,
    /// The checksum of the removed document, if one was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checksum: Option<String>,
    /// The share of the removed document's shingles that were ignored as boilerplate; `None` if nothing is ignored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ignored_of_removed: Option<f64>,
    /// The same share of the kept document; `None` also if it is one of a saved index.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ignored_of_kept: Option<f64>,
    /// The number of their cluster.
    pub cluster: u32,
    /// Number of documents in the cluster, including the kept one.
    pub cluster_size: u32,
    /// Number of occurrences of the kept document: itself and its exact copies.
    pub copy_count: u32,
    /// Number of sources that contain documents of the cluster.
    #[serde(default)]
    pub cluster_sources: u32,
    /// True if the two differ only in numbers.
    #[serde(default)]
    pub different_numbers: bool,
    /// The file of the removed document.
    pub removed_file: String,
    /// Its position in the file, counted from 1.
    pub removed_position: u64,
    /// `reference` if the kept document belongs to the reference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept_in: Option<Cow<'static, str>>,
    /// The file of the kept document.
    pub kept_file: String,
    /// Its position in the file, counted from 1.
    pub kept_position: u64,
    /// The source of the removed document.
    pub removed_source: String,
    /// The source of the kept document.
    pub kept_source: String,
    /// The address of the removed document, if it is a page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub removed_uri: Option<String>,
    /// The address of the kept document, if it is a page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept_uri: Option<String>,
}

impl Removal {
    /// The names of its cells; `measures` are those of any row.
    pub(crate) fn columns(measures: Measures, has_checksums: bool, ignores: bool) -> Vec<&'static str> {
        let mut columns = vec!["removed_id", "kept_id", "similarity"];
        columns.extend(measures.names(["containment_of_removed", "containment_of_kept"]));
        columns.extend(["exact_copy", "same_words"]);
        columns.extend(has_checksums.then_some("checksum"));
        columns.extend(["ignored_of_removed", "ignored_of_kept"].into_iter().filter(|_| ignores));
        columns.extend(["cluster", "cluster_size", "copy_count", "cluster_sources", "different_numbers"]);
        columns.extend(["removed_file", "removed_position", "kept_in", "kept_file", "kept_position"]);
        columns.extend(["removed_source", "kept_source", "removed_uri", "kept_uri"]);
        columns
    }

    /// The names of the cells of a row and of all others of its run; without one, those of most runs.
    pub fn columns_of(row: Option<&Self>) -> Vec<&'static str> {
        let measures = row.map(Self::measures).unwrap_or_default();
        let has = |of_row: fn(&Self) -> bool| row.is_some_and(of_row);
        Self::columns(measures, has(|row| row.checksum.is_some()), has(|row| row.ignored_of_removed.is_some()))
    }

    fn measures(&self) -> Measures {
        Measures {
            jaccard: self.jaccard,
            containment_of_left: self.containment_of_removed,
            containment_of_right: self.containment_of_kept,
            hamming: self.hamming,
        }
    }
}

impl Row for Removal {
    fn each_cell(&self, each: &mut dyn FnMut(Cell<'_>) -> io::Result<()>) -> io::Result<()> {
        each(Cell::Text(&self.removed_id))?;
        each(Cell::Text(&self.kept_id))?;
        each(Cell::Real(self.similarity))?;
        self.measures().each_cell(each)?;
        each(Cell::Flag(self.exact_copy))?;
        each(Cell::Flag(self.same_words))?;
        self.checksum.as_deref().map_or(Ok(()), |checksum| each(Cell::Text(checksum)))?;
        if let Some(ignored) = self.ignored_of_removed {
            each(Cell::Real(ignored))?;
            each(self.ignored_of_kept.map_or(Cell::Empty, Cell::Real))?;
        }
        each(Cell::Whole(self.cluster.into()))?;
        each(Cell::Whole(self.cluster_size.into()))?;
        each(Cell::Whole(self.copy_count.into()))?;
        each(Cell::Whole(self.cluster_sources.into()))?;
        each(Cell::Flag(self.different_numbers))?;
        each(Cell::Text(&self.removed_file))?;
        each(Cell::Whole(self.removed_position))?;
        each(self.kept_in.as_deref().into())?;
        each(Cell::Text(&self.kept_file))?;
        each(Cell::Whole(self.kept_position))?;
        each(Cell::Text(&self.removed_source))?;
        each(Cell::Text(&self.kept_source))?;
        each(self.removed_uri.as_deref().into())?;
        each(self.kept_uri.as_deref().into())
    }
}

/// A document of the input, and whether it is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct DocumentRow {
    /// Its id.
    pub id: String,
    /// Its file.
    pub file: String,
    /// Its position in the file, counted from 1.
    pub position: u64,
    /// The number of its cluster. Its other members are near-duplicates of the one that is kept.
    pub cluster: u32,
    /// True if it is kept.
    pub kept: bool,
    /// If it is removed, the document that is kept in its place.
    pub kept_id: Option<String>,
    /// The similarity of the two by the measure of the run.
    pub similarity: Option<f64>,
    /// Number of documents in its cluster, including the kept one.
    pub cluster_size: u32,
    /// Number of occurrences of the kept document of its cluster: itself and its exact copies.
    pub copy_count: u32,
    /// Number of sources that contain documents of its cluster.
    #[serde(default)]
    pub cluster_sources: u32,
}

impl DocumentRow {
    /// The names of its cells.
    pub(crate) const COLUMNS: [&'static str; 10] = [
        "id",
        "file",
        "position",
        "cluster",
        "kept",
        "kept_id",
        "similarity",
        "cluster_size",
        "copy_count",
        "cluster_sources",
    ];
}

impl Row for DocumentRow {
    fn each_cell(&self, each: &mut dyn FnMut(Cell<'_>) -> io::Result<()>) -> io::Result<()> {
        each(Cell::Text(&self.id))?;
        each(Cell::Text(&self.file))?;
        each(Cell::Whole(self.position))?;
        each(Cell::Whole(self.cluster.into()))?;
        each(Cell::Flag(self.kept))?;
        each(self.kept_id.as_deref().into())?;
        each(self.similarity.map_or(Cell::Empty, Cell::Real))?;
        each(Cell::Whole(self.cluster_size.into()))?;
        each(Cell::Whole(self.copy_count.into()))?;
        each(Cell::Whole(self.cluster_sources.into()))
    }
}

/// The fate of an input document as numbers, for tables whose rows have no other names.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct RowFate {
    /// Its file or table, in input order.
    pub file: u32,
    /// Its position there, counted from 1.
    pub position: u64,
    /// If it is removed, the file or table of the document that is kept instead; those of a reference are numbered
    /// after those of the input.
    pub kept_file: Option<u32>,
    /// The position of that document; 0 if it is in a saved index.
    pub kept_position: Option<u64>,
    /// The similarity of the two by the measure of the run.
    pub similarity: Option<f64>,
    /// The number of its cluster.
    pub cluster: u32,
    /// Number of documents in its cluster, including the kept one.
    pub cluster_size: u32,
    /// Number of occurrences of the kept document of its cluster: itself and its exact copies.
    pub copy_count: u32,
}

/// Two near-duplicates: a row of `pairs`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct PairRow {
    /// The id of the one that comes first; with a reference, of the one from the input.
    pub left_id: String,
    /// The id of the other.
    pub right_id: String,
    /// Their similarity by the measure of the run: the number that was compared with the threshold.
    pub similarity: f64,
    /// Shared features divided by all features; `None` if bits of sketches were compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jaccard: Option<f64>,
    /// The share of the left document's features that the right one has; `None` if bits of sketches were compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub containment_of_left: Option<f64>,
    /// The share of the right document's features that the left one has; `None` if bits of sketches were compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub containment_of_right: Option<f64>,
    /// Number of bits in which their sketches differ, if these were compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hamming: Option<u32>,
    /// The checksum of the left document, if one was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checksum: Option<String>,
    /// The share of the left document's shingles that were ignored as boilerplate; `None` if nothing is ignored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ignored_of_left: Option<f64>,
    /// The same share of the right document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ignored_of_right: Option<f64>,
    /// The file of the left document.
    pub left_file: String,
    /// Its position in the file, counted from 1.
    pub left_position: u64,
    /// The file of the right document.
    pub right_file: String,
    /// Its position in the file, counted from 1.
    pub right_position: u64,
}

impl PairRow {
    /// The names of its cells; `measures` are those of any row.
    pub(crate) fn columns(measures: Measures, has_checksums: bool, ignores: bool) -> Vec<&'static str> {
        let mut columns = vec!["left_id", "right_id", "similarity"];
        columns.extend(measures.names(["containment_of_left", "containment_of_right"]));
        columns.extend(has_checksums.then_some("checksum"));
        columns.extend(["ignored_of_left", "ignored_of_right"].into_iter().filter(|_| ignores));
        columns.extend(["left_file", "left_position", "right_file", "right_position"]);
        columns
    }

    fn measures(&self) -> Measures {
        Measures {
            jaccard: self.jaccard,
            containment_of_left: self.containment_of_left,
            containment_of_right: self.containment_of_right,
            hamming: self.hamming,
        }
    }
}

impl Row for PairRow {
    fn each_cell(&self, each: &mut dyn FnMut(Cell<'_>) -> io::Result<()>) -> io::Result<()> {
        each(Cell::Text(&self.left_id))?;
        each(Cell::Text(&self.right_id))?;
        each(Cell::Real(self.similarity))?;
        self.measures().each_cell(each)?;
        self.checksum.as_deref().map_or(Ok(()), |checksum| each(Cell::Text(checksum)))?;
        [self.ignored_of_left, self.ignored_of_right]
            .into_iter()
            .flatten()
            .try_for_each(|ignored| each(Cell::Real(ignored)))?;
        each(Cell::Text(&self.left_file))?;
        each(Cell::Whole(self.left_position))?;
        each(Cell::Text(&self.right_file))?;
        each(Cell::Whole(self.right_position))
    }
}
