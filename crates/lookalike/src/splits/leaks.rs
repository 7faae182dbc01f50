//! Converts matches to leaks: for each document of a later split, the most similar document of each earlier one.

use std::io;
use std::ops::Range;

use lookalike_core::ids::{Document, Number};
use lookalike_core::measure::likeness::Likeness;
use serde::{Deserialize, Serialize};

use super::clusters::Clusters;
use super::{Splits, split_of};
use crate::candidates::copies::Texts;
use crate::candidates::matches::{Near, SortedNear};
use crate::corpus::Corpus;
use crate::error::Result;
use crate::options::{PassagesOptions, ReadOptions, Scheme};
use crate::output::sink::{Cell, Row};
use crate::passages::{PassageRows, RepeatedPassage, passages_into};
use crate::progress::Progress;

/// A document with a near-duplicate in an earlier split: a line of `leaks.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Leak {
    /// The document.
    pub document_id: String,
    /// Its most similar document of the earlier split.
    pub other_id: String,
    /// Their similarity by the measure of the run.
    pub similarity: f64,
    /// True if both have the same words.
    pub same_words: bool,
    /// The split of the document.
    pub split: String,
    /// The earlier split.
    pub other_split: String,
    /// The file of the document.
    pub file: String,
    /// Its position in the file, counted from 1.
    pub position: u64,
    /// The file of the other document.
    pub other_file: String,
    /// Its position in the file, counted from 1.
    pub other_position: u64,
    /// The numbers of both splits.
    #[serde(skip)]
    pub(super) splits: (usize, usize),
}

impl Leak {
    /// The names of its cells.
    pub(crate) const COLUMNS: [&'static str; 10] = [
        "document_id",
        "other_id",
        "similarity",
        "same_words",
        "split",
        "other_split",
        "file",
        "position",
        "other_file",
        "other_position",
    ];
}

impl Row for Leak {
    fn each_cell(&self, each: &mut dyn FnMut(Cell<'_>) -> io::Result<()>) -> io::Result<()> {
        each(Cell::Text(&self.document_id))?;
        each(Cell::Text(&self.other_id))?;
        each(Cell::Real(self.similarity))?;
        each(Cell::Flag(self.same_words))?;
        each(Cell::Text(&self.split))?;
        each(Cell::Text(&self.other_split))?;
        each(Cell::Text(&self.file))?;
        each(Cell::Whole(self.position))?;
        each(Cell::Text(&self.other_file))?;
        each(Cell::Whole(self.other_position))
    }
}

/// A passage of a document that a document of an earlier split has: a line of `passages.jsonl`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct SharedPassage {
    /// The split of the document.
    pub split: String,
    /// The earlier split.
    pub other_split: String,
    /// The passage, as `passages` has it.
    #[serde(flatten)]
    pub passage: RepeatedPassage,
    /// The numbers of both splits.
    #[serde(skip)]
    pub(super) splits: (usize, usize),
}

impl Row for SharedPassage {
    fn each_cell(&self, each: &mut dyn FnMut(Cell<'_>) -> io::Result<()>) -> io::Result<()> {
        each(Cell::Text(&self.split))?;
        each(Cell::Text(&self.other_split))?;
        self.passage.each_cell(each)
    }
}

/// A leak by numbers.
#[derive(Clone, Copy)]
struct Found {
    document: Document,
    other: Document,
    other_split: usize,
    similarity: f64,
    same_words: bool,
}

/// The leaks of a corpus.
pub(super) struct Leaks<'a> {
    corpus: &'a Corpus,
    texts: &'a Texts,
    ranges: &'a [Range<u32>],
    scheme: &'a Scheme,
    found: Vec<Found>,
}

impl<'a> Leaks<'a> {
    pub(super) fn new(corpus: &'a Corpus, texts: &'a Texts, ranges: &'a [Range<u32>], scheme: &'a Scheme) -> Self {
        Self { corpus, texts, ranges, scheme, found: Vec::new() }
    }

    /// Finds the leaks of all texts, and joins what is similar in clusters, if they are asked for.
    pub(super) fn find(
        &mut self,
        near: Near<'_>,
        mut clusters: Option<&mut Clusters>,
        progress: &dyn Progress,
    ) -> Result<()> {
        let mut near = near.finish()?;
        if let Some(clusters) = &mut clusters {
            clusters.grow(self.corpus.len());
        }
        let mut texts = self.texts.items.clone();
        texts.sort_unstable();
        for text in texts {
            progress.go_on()?;
            let others = near.of(text)?;
            if let Some(clusters) = &mut clusters {
                near.copies(text).iter().for_each(|(_, copy)| clusters.join(text.0, copy.0));
                others.iter().for_each(|(other, _)| clusters.join(text.0, other.0));
            }
            self.of_text(text, &others, &near);
        }
        self.found.sort_unstable_by_key(|leak| (leak.document, leak.other_split));
        Ok(())
    }

    /// The leaks of all copies of a text.
    fn of_text(&mut self, text: Document, others: &[(Document, Likeness)], near: &SortedNear) {
        let criterion = self.scheme.criterion();
        let equals = self.scheme.method().likeness_of_copies(self.corpus.sizes[text.index()]);
        let own = (text, equals.similarity(criterion), true);
        let others = others.iter().map(|(other, likeness)| (*other, likeness.similarity(criterion), false));
        // For each split the most similar document, the first of several.
        let mut best: Vec<Option<(f64, Document, bool)>> = vec![None; self.ranges.len()];
        for (other, similarity, same_words) in [own].into_iter().chain(others) {
            let copies = near.copies(other);
            for (range, best) in self.ranges.iter().zip(&mut best) {
                let first = copies.partition_point(|(_, copy)| copy.0 < range.start);
                let Some((_, copy)) = copies.get(first).filter(|(_, copy)| copy.0 < range.end) else { continue };
                let is_better = |(than, document, same): &(f64, Document, bool)| {
                    (similarity, same_words, *document) > (*than, *same, *copy)
                };
                if best.as_ref().is_none_or(is_better) {
                    *best = Some((similarity, *copy, same_words));
                }
            }
        }
        for (_, document) in near.copies(text) {
            let split = split_of(self.ranges, *document);
            let earlier = best.iter().enumerate().take(split);
            self.found.extend(earlier.filter_map(|(other_split, best)| {
                let (similarity, other, same_words) = (*best)?;
                Some(Found { document: *document, other, other_split, similarity, same_words })
            }));
        }
    }

    /// The leaks as rows.
    pub(super) fn describe(&self, names: &[String]) -> Result<Vec<Leak>> {
        let row = |found: &Found| {
            let split = split_of(self.ranges, found.document);
            let (document, other) = (self.corpus.describe(found.document)?, self.corpus.describe(found.other)?);
            Ok(Leak {
                document_id: document.id().into_owned(),
                other_id: other.id().into_owned(),
                similarity: found.similarity,
                same_words: found.same_words,
                split: names[split].clone(),
                other_split: names[found.other_split].clone(),
                file: document.file().to_owned(),
                position: document.position(),
                other_file: other.file().to_owned(),
                other_position: other.position(),
                splits: (split, found.other_split),
            })
        };
        self.found.iter().map(row).collect()
    }
}

/// The passages of each split that an earlier one has.
pub(super) fn shared_passages(
    splits: &Splits,
    document_counts: &[u64],
    options: &PassagesOptions,
    progress: &dyn Progress,
) -> Result<Vec<SharedPassage>> {
    let mut shared = Vec::new();
    for split in 1..splits.names.len() {
        for (other, first_count) in document_counts.iter().copied().enumerate().take(split) {
            let (own, earlier) = (&splits.reads[split], &splits.reads[other]);
            let read = ReadOptions {
                inputs: earlier.inputs.iter().chain(&own.inputs).cloned().collect(),
                tables: earlier.tables.iter().chain(&own.tables).cloned().collect(),
                ..own.clone()
            };
            let options = PassagesOptions { read, ..options.clone() };
            let mut rows: Vec<RepeatedPassage> = Vec::new();
            passages_into(&options, PassageRows::default().passages(&mut rows), progress)?;
            let between = rows
                .into_iter()
                .filter(|row| u64::from(row.first_document) < first_count && u64::from(row.document) >= first_count);
            shared.extend(between.map(|passage| SharedPassage {
                split: splits.names[split].clone(),
                other_split: splits.names[other].clone(),
                passage,
                splits: (split, other),
            }));
        }
    }
    Ok(shared)
}
