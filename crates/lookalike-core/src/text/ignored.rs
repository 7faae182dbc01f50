//! Features that are left out of documents: for each of several sources, the shingles of its boilerplate.
//!
//! The features left out depend on the source of a document, which its text does not contain: the caller passes it.

use std::collections::HashSet;
use std::ops::Range;

use super::shingle::{Shingle, Shingler};
use crate::measure::feature_set::FeatureSet;

/// Place of a source in a table of boilerplate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourcePlace(pub(crate) u32);

/// The features to leave out, by source, made with one key.
#[derive(Debug)]
pub struct Ignored {
    sources: Vec<OfSource>,
    limits: Limits,
}

/// Limits by which a document has text of its own.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Fewer features of its own than this are no text to compare.
    least: usize,
    /// Maximum number of features that remain of one edit.
    edit: usize,
    /// Maximum number of features of boilerplate that an edit replaces.
    replaced: usize,
}

impl Limits {
    pub(super) fn of(shingle: &Shingle) -> Self {
        let [least, edit, replaced] =
            [LEAST_WIDTHS, EDIT_WIDTHS, REPLACED_WIDTHS].map(|widths| widths * shingle.width());
        Self { least, edit, replaced }
    }
}

/// Minimum number of shingles of its own that a document must have, in widths of a shingle: one changed word leaves as
/// many shingles as the shingle is wide.
const LEAST_WIDTHS: usize = 2;

/// Maximum number of shingles that one edit of boilerplate leaves, in widths of a shingle: as many as three changed words
/// that are close to each other.
const EDIT_WIDTHS: usize = 3;

/// Maximum number of shingles of boilerplate that one edit replaces, in widths of a shingle: a sentence or two.
const REPLACED_WIDTHS: usize = 8;

/// Maximum number of features that are looked at to find what an edit replaces: boilerplate nearly always continues in
/// one way.
const MOST_LOOKED_AT: usize = 256;

/// The boilerplate of one source.
#[derive(Debug, Default)]
pub(super) struct OfSource {
    features: FeatureSet,
    /// Pairs of features that follow each other, sorted by the first; those with the same first in the order of the
    /// passages, which is the same with any key.
    next: Vec<(u64, u64)>,
}

impl OfSource {
    /// Boilerplate with these passages, each by its features in order.
    pub(super) fn of_passages(passages: impl Iterator<Item = Vec<u64>>) -> Self {
        let (mut features, mut next, mut seen) = (Vec::new(), Vec::new(), HashSet::new());
        for passage in passages {
            next.extend(passage.windows(2).map(|pair| (pair[0], pair[1])).filter(|pair| seen.insert(*pair)));
            features.extend(passage);
        }
        next.sort_by_key(|(first, _)| *first);
        Self { features: FeatureSet::new(&features), next }
    }

    /// True if nearly nothing of a page is its own: it has boilerplate, edits of it, and no other text to speak of.
    pub(super) fn is_all_of(&self, features: &[u64], limits: Limits) -> bool {
        let (mut own, mut run, mut before) = (0, 0, None);
        for feature in features {
            if self.features.contains(*feature) {
                let is_edit = || before.is_some_and(|before| self.leads_to(before, *feature, limits));
                own += if run == 0 || run <= limits.edit && is_edit() { 0 } else { run };
                (run, before) = (0, Some(*feature));
            } else {
                run += 1;
            }
            // Most pages have text of their own, and nothing after it matters. What is longer than an edit is enough.
            if own >= limits.least || run > limits.edit {
                return false;
            }
        }
        before.is_some() && own + run < limits.least
    }

    /// True if boilerplate leads from one feature to another within as much text as an edit replaces. Where pages of a
    /// template have their own text, it does not: what is before it and what follows it are different passages.
    fn leads_to(&self, from: u64, to: u64, limits: Limits) -> bool {
        let (mut visited, mut start, mut looked_at) = (vec![from], 0, 0);
        for _ in 0..limits.replaced {
            let end = visited.len();
            for at in start..end {
                for next in self.after(visited[at]) {
                    looked_at += 1;
                    if next == to || looked_at == MOST_LOOKED_AT {
                        return next == to;
                    }
                    if !visited.contains(&next) {
                        visited.push(next);
                    }
                }
            }
            start = end;
        }
        false
    }

    /// The features that follow this one.
    fn after(&self, feature: u64) -> impl Iterator<Item = u64> + '_ {
        let start = self.next.partition_point(|(first, _)| *first < feature);
        self.next[start..].iter().take_while(move |(first, _)| *first == feature).map(|(_, next)| *next)
    }
}

impl Ignored {
    /// The features of every source, in the order of their places.
    pub(super) fn new(sources: Vec<OfSource>, limits: Limits) -> Self {
        Self { sources, limits }
    }

    /// Leaves out of `features` those of the source, and all of them if nearly nothing is the document's own. Returns
    /// the number of distinct features that are left out.
    pub(super) fn leave_out(&self, source: SourcePlace, features: &mut Vec<u64>) -> u32 {
        let ignored = &self.sources[source.0 as usize];
        let shared = ignored.features.shared_count(features);
        if shared == 0 {
            return 0;
        }
        if ignored.is_all_of(features, self.limits) {
            let all = FeatureSet::new(features).size();
            features.clear();
            return all;
        }
        features.retain(|feature| !ignored.features.contains(*feature));
        shared
    }
}

impl Shingler {
    /// The parts of a text that are compared, in bytes: every token of a shingle that is not ignored in this source. None if
    /// nearly nothing would remain.
    pub fn remaining(&mut self, source: SourcePlace, text: &str) -> Vec<Range<usize>> {
        let places = self.places(text);
        let compared = FeatureSet::new(self.of_source(Some(source)).features(text).all);
        // A text that is shorter than a shingle is one.
        let width = places.width.min(places.tokens.len());
        let mut parts: Vec<Range<usize>> = Vec::new();
        for (_, first) in places.features.iter().zip(&places.firsts).filter(|(feature, _)| compared.contains(**feature))
        {
            match parts.last_mut() {
                Some(part) if *first <= part.end => part.end = first + width,
                _ => parts.push(*first..first + width),
            }
        }
        parts.into_iter().map(|part| places.tokens[part.start].start..places.tokens[part.end - 1].end).collect()
    }
}
