//! The summary of `splits`: a table of all pairs of splits.

use std::borrow::Cow;
use std::collections::HashSet;

use serde::Serialize;

use super::leaks::{Leak, SharedPassage};
use crate::options::SplitsOptions;
use crate::pairs::PairsReport;
use crate::report::summary::{Input, SkippedEntry, Stage};

/// The result of [`splits`](crate::splits()).
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct SplitsReport {
    /// The version that ran.
    pub lookalike: Cow<'static, str>,
    /// The command line, word by word and without secrets, if the run was one of the command.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    /// Definition of near-duplicates.
    pub scheme: String,
    /// The kind of passage, if shared passages count.
    pub passages: Option<String>,
    /// The splits, in the order in which they were given.
    pub splits: Vec<SplitReport>,
    /// Every split with every earlier one.
    pub pairs: Vec<SplitPair>,
    /// The largest share of leaks that is allowed, if one was given.
    pub fail_if_leaks: Option<f64>,
    /// True if a pair of splits has a larger share.
    pub failed: bool,
    /// The number of clusters, if they were requested.
    pub cluster_count: Option<u64>,
    /// The input.
    pub input: Input,
    /// Seconds and memory by stage of the search for near-duplicates.
    pub stages: Vec<Stage>,
    /// The first skipped entries, with reasons.
    pub skipped: Vec<SkippedEntry>,
}

/// A split.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct SplitReport {
    /// Its name.
    pub split: String,
    /// Its documents.
    pub document_count: u64,
}

/// A split and an earlier one.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct SplitPair {
    /// The later split.
    pub split: String,
    /// The earlier split.
    pub other_split: String,
    /// Documents of the later split.
    pub document_count: u64,
    /// Documents with a near-duplicate in the earlier split, or with a passage of it if passages count.
    pub leak_count: u64,
    /// Leaks divided by documents.
    pub share: f64,
    /// Documents with a near-duplicate.
    pub near_duplicate_count: u64,
    /// Documents with the same words as one of the earlier split.
    pub same_words_count: u64,
    /// Documents with a passage, if passages count.
    pub with_passage_count: Option<u64>,
    /// The documents that leak, by their places.
    #[serde(skip)]
    leaking: HashSet<(String, u64)>,
}

impl SplitsReport {
    pub(super) fn new(options: &SplitsOptions, names: &[String], counts: &[u64], found: PairsReport) -> Self {
        let pair = |split: usize, other: usize| SplitPair {
            split: names[split].clone(),
            other_split: names[other].clone(),
            document_count: counts[split],
            leak_count: 0,
            share: 0.0,
            near_duplicate_count: 0,
            same_words_count: 0,
            with_passage_count: None,
            leaking: HashSet::new(),
        };
        let pairs = (1..names.len()).flat_map(|split| (0..split).map(move |other| (split, other)));
        let pairs = pairs.map(|(split, other)| pair(split, other)).collect();
        let split = |(name, count): (&String, &u64)| SplitReport { split: name.clone(), document_count: *count };
        Self {
            lookalike: env!("CARGO_PKG_VERSION").into(),
            command: options.command.clone(),
            scheme: options.pairs.scheme.to_string(),
            passages: options.passages.as_ref().map(|passages| passages.unit.to_string()),
            splits: names.iter().zip(counts).map(split).collect(),
            pairs,
            fail_if_leaks: options.fail_if_leaks,
            failed: false,
            cluster_count: None,
            input: found.input,
            stages: found.stages,
            skipped: found.skipped,
        }
    }

    pub(super) fn add_leaks(&mut self, leaks: &[Leak]) {
        for leak in leaks {
            let pair = self.pair(leak.splits);
            pair.near_duplicate_count += 1;
            pair.same_words_count += u64::from(leak.same_words);
            pair.leaking.insert((leak.file.clone(), leak.position));
        }
    }

    pub(super) fn add_passages(&mut self, passages: &[SharedPassage]) {
        self.pairs.iter_mut().for_each(|pair| pair.with_passage_count = Some(0));
        let mut last = None;
        for SharedPassage { passage, splits, .. } in passages {
            let pair = self.pair(*splits);
            pair.leaking.insert((passage.file.clone(), passage.position));
            // Passages of one document follow each other.
            if last.replace((*splits, passage.document)) != Some((*splits, passage.document)) {
                *pair.with_passage_count.get_or_insert(0) += 1;
            }
        }
    }

    /// Counts leaks, and checks if there are too many.
    pub(super) fn check(&mut self, most: Option<f64>) {
        for pair in &mut self.pairs {
            pair.leak_count = pair.leaking.len() as u64;
            pair.share = pair.leak_count as f64 / pair.document_count.max(1) as f64;
            self.failed |= most.is_some_and(|most| pair.share > most);
        }
    }

    fn pair(&mut self, (split, other): (usize, usize)) -> &mut SplitPair {
        // The pairs of earlier splits precede those of a split: 0, 1, 3, 6 …
        &mut self.pairs[split * (split - 1) / 2 + other]
    }
}
