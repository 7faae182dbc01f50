//! Features that are left out of documents: for each of several sources, the shingles of its boilerplate.
//!
//! The features left out depend on the source of a document, which its text does not contain: the caller passes it.

use std::ops::Range;

use super::shingle::Shingler;
use crate::measure::feature_set::FeatureSet;

/// Place of a source in a table of boilerplate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourcePlace(pub(crate) u32);

/// The features to leave out, by source, made with one key.
#[derive(Debug)]
pub struct Ignored {
    sources: Vec<FeatureSet>,
    /// Fewer remaining features than this are no text to compare.
    least: usize,
}

impl Ignored {
    /// The features of every source, in the order of their places; `least` features must remain of a document.
    pub(super) fn new(sources: Vec<FeatureSet>, least: usize) -> Self {
        Self { sources, least }
    }

    /// Leaves out of `features` those of the source, and all of them if nearly nothing would remain. Returns the number
    /// of distinct features that are left out.
    pub(super) fn leave_out(&self, source: SourcePlace, features: &mut Vec<u64>) -> u32 {
        let ignored = &self.sources[source.0 as usize];
        let shared = ignored.shared_count(features);
        if shared == 0 {
            return 0;
        }
        let remaining = features.iter().filter(|feature| !ignored.contains(**feature)).count();
        if remaining < self.least {
            let all = FeatureSet::new(features).size();
            features.clear();
            return all;
        }
        features.retain(|feature| !ignored.contains(*feature));
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
