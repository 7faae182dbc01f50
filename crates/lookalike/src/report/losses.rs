//! Losses by source: the number of documents each source loses, and to which other sources.
//!
//! Note that a source's loss counts all its removed documents, including those removed for others of the same source.
//! The reference has sources too, but only those of the input are counted. If losses are checked, the whole input
//! counts as a source as well: many small sources may each lose too little to be reported.

use std::cmp::Reverse;
use std::collections::HashMap;

use lookalike_core::ids::Document;
use serde::{Deserialize, Serialize};

use crate::corpus::{Corpus, Described};
use crate::error::{Error, Result, SourceLoss};
use crate::options::{Share, SourceBy};
use crate::output::evidence::{Fate, Fates};

/// A source of documents, and its losses.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Source {
    /// A host, a file, a folder of files that are one document each, or the value of a field.
    pub source: String,
    /// Documents.
    pub document_count: u64,
    /// Of these, the removed ones.
    pub removed_count: u64,
    /// Removed documents divided by all.
    pub share: f64,
}

/// A source that loses nearly all of its documents.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct NearlyLost {
    /// The source.
    #[serde(flatten)]
    pub source: Source,
    /// The source in whose favor most of its documents were removed.
    pub mostly_for: String,
    /// True if that source belongs to the reference.
    pub mostly_for_reference: bool,
    /// Number of documents removed in its favor.
    pub mostly_for_removed_count: u64,
}

/// Number of sources listed among those that lose most.
const LOSING_MOST: usize = 5;

/// Minimum number of documents of a source for its loss to be reported: a few may well all be copies.
const NOT_FEW: u64 = 20;

/// Share of removed documents from which a source is nearly lost.
const NEARLY_ALL: f64 = 0.95;

/// Minimum number of documents of a source for its loss to end a run: a source of a single document is not meaningful.
const LEAST_TO_LOSE: u64 = 2;

/// Name of all sources together in an error.
const WHOLE_INPUT: &str = "the whole input";

/// All sources of the input.
pub(crate) struct BySource<'a> {
    corpus: &'a Corpus,
    by: SourceBy,
    /// With the numbers of documents and removed documents, largest sources first.
    counts: Vec<(Box<str>, u64, u64)>,
}

impl<'a> BySource<'a> {
    pub(crate) fn new(corpus: &'a Corpus, by: SourceBy, fates: &Fates<'_>) -> Result<Self> {
        let mut counts: HashMap<Box<str>, (u64, u64)> = HashMap::new();
        let of_run = |run: &mut dyn Iterator<Item = (Document, Described<'_>)>| {
            let mut counts: HashMap<Box<str>, (u64, u64)> = HashMap::new();
            run.for_each(|(document, described)| {
                add(&mut counts, described.source(by), (1, u64::from(fates.of(document) != Fate::Kept)));
            });
            Ok(counts)
        };
        corpus.each_described(of_run, |of_run| {
            of_run.iter().for_each(|(source, count)| add(&mut counts, source, *count));
            Ok(())
        })?;
        let mut counts: Vec<(Box<str>, u64, u64)> =
            counts.into_iter().map(|(source, (documents, removed))| (source, documents, removed)).collect();
        counts.sort_unstable_by(|left, right| (Reverse(left.1), &left.0).cmp(&(Reverse(right.1), &right.0)));
        Ok(Self { corpus, by, counts })
    }

    /// The largest sources, and the number of others.
    pub(crate) fn largest(&self, most: usize) -> (Vec<Source>, u64) {
        let more = self.counts.len().saturating_sub(most) as u64;
        (self.counts.iter().take(most).map(source).collect(), more)
    }

    /// The sources that lose most documents, among those with more than one.
    pub(crate) fn losing_most(&self) -> Vec<Source> {
        let mut losing = self.losing(LEAST_TO_LOSE, 0.0);
        losing.truncate(LOSING_MOST);
        losing
    }

    /// Returns an error if a source, or the whole input, loses at least this share of its documents.
    pub(crate) fn check(&self, share: Share) -> Result<()> {
        let mut sources = self.losing(LEAST_TO_LOSE, share.value());
        let add = |(documents, removed), count: &(Box<str>, u64, u64)| (documents + count.1, removed + count.2);
        let (documents, removed) = self.counts.iter().fold((0, 0), add);
        let whole = source(&(WHOLE_INPUT.into(), documents, removed));
        // With a single source, the two checks are the same.
        if self.counts.len() > 1 && documents >= LEAST_TO_LOSE && whole.share >= share.value() {
            sources.insert(0, whole);
        }
        if sources.is_empty() {
            return Ok(());
        }
        let loss =
            |Source { source, document_count, share, .. }| SourceLoss { source, documents: document_count, share };
        Err(Error::SourcesLose { share: share.value(), sources: sources.into_iter().map(loss).collect() })
    }

    /// The sources that lose nearly all of many documents.
    pub(crate) fn nearly_lost(&self, fates: &Fates<'_>) -> Result<Vec<NearlyLost>> {
        let lost = self.losing(NOT_FEW, NEARLY_ALL);
        if lost.is_empty() {
            return Ok(Vec::new());
        }
        let places = Places::of(&lost);
        let mut removed_for: Vec<HashMap<(String, bool), u64>> = lost.iter().map(|_| HashMap::new()).collect();
        let of_run = |run: &mut dyn Iterator<Item = (Document, Described<'_>)>| {
            let mut lost_for = Vec::new();
            for (document, described) in run {
                if let Fate::Removed { kept, .. } = fates.of(document)
                    && let Some(place) = places.of_source(described.source(self.by))
                {
                    let source = self.corpus.describe_kept(kept)?.source(self.by).to_owned();
                    lost_for.push((place, (source, self.corpus.is_kept_elsewhere(kept))));
                }
            }
            Ok(lost_for)
        };
        self.corpus.each_described(of_run, |lost_for| {
            for (place, kept) in lost_for {
                *removed_for[place].entry(kept).or_default() += 1;
            }
            Ok(())
        })?;
        let mostly_for = |(source, counts): (&Source, HashMap<(String, bool), u64>)| {
            let ((mostly_for, is_reference), count) = counts
                .into_iter()
                .max_by(|(other, count), (next, next_count)| count.cmp(next_count).then_with(|| next.cmp(other)))
                .expect("what is removed is removed in favor of another");
            NearlyLost {
                source: source.clone(),
                mostly_for,
                mostly_for_reference: is_reference,
                mostly_for_removed_count: count,
            }
        };
        Ok(lost.iter().zip(removed_for).map(mostly_for).collect())
    }

    /// The sources with at least this many documents and this share of losses, largest losses first.
    fn losing(&self, least_documents: u64, share: f64) -> Vec<Source> {
        let mut losing: Vec<Source> = self
            .counts
            .iter()
            .filter(|(_, documents, removed)| *documents >= least_documents && *removed > 0)
            .map(source)
            .filter(|source| source.share >= share)
            .collect();
        // The sort is stable, so that the larger of two stays first.
        losing.sort_by_key(|source| Reverse(source.removed_count));
        losing
    }
}

/// Indexes of sources by name, since every document needs a lookup, and there may be as many sources as documents.
struct Places<'a>(HashMap<&'a str, usize>);

impl<'a> Places<'a> {
    fn of(sources: &'a [Source]) -> Self {
        Self(sources.iter().map(|source| source.source.as_str()).zip(0..).collect())
    }

    fn of_source(&self, source: &str) -> Option<usize> {
        self.0.get(source).copied()
    }
}

/// Adds documents and removed ones to a source. Most documents come from a source that is already known.
fn add(counts: &mut HashMap<Box<str>, (u64, u64)>, source: &str, (documents, removed): (u64, u64)) {
    if let Some(count) = counts.get_mut(source) {
        *count = (count.0 + documents, count.1 + removed);
    } else {
        counts.insert(source.into(), (documents, removed));
    }
}

fn source((source, documents, removed): &(Box<str>, u64, u64)) -> Source {
    Source {
        source: source.clone().into(),
        document_count: *documents,
        removed_count: *removed,
        share: *removed as f64 / *documents as f64,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn fifty_thousand_sources_are_found_at_once() {
        let sources: Vec<Source> = (0..50_000)
            .map(|at| Source {
                source: format!("https://{at:05}.org"),
                document_count: 20,
                removed_count: 20,
                share: 1.0,
            })
            .collect();
        let start = Instant::now();
        let places = Places::of(&sources);
        for (at, source) in sources.iter().enumerate() {
            assert_eq!(places.of_source(&source.source), Some(at));
        }
        assert_eq!(places.of_source("https://other.org"), None);
        // Quadratic lookup would take more than a billion comparisons.
        assert!(start.elapsed().as_millis() < 500, "{:?}", start.elapsed());
    }
}
