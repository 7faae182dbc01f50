//! Finds the common hits among all hits of one item: text that the item took from elsewhere, as the documents did.
//!
//! A document that was contaminated has the item; one that shares a public passage has what the item quotes. Three signs tell
//! them apart, and none of them counts where an answer that tells stands near the question.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

use super::scan::FoundItem;

/// Reason why a hit is not evidence of contamination.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CommonHit {
    /// The document has the passage that the item asks about, without the question.
    Passage,
    /// Several documents have the same part of the item, and all lack the same rest.
    Quoted,
    /// More than a share of the source's documents have it.
    Widespread,
}

/// Facts that decide whether a hit is common.
#[derive(Clone, Debug)]
pub struct HitFacts {
    /// The document.
    pub document: u64,
    /// The source of the document.
    pub source: u32,
    /// The words of the item that the document has.
    pub words: Vec<Range<u32>>,
    /// True if the document lacks a run of words of the item, and has no answer.
    is_part: bool,
    has_answer: bool,
    question: Question,
}

/// Indicates if the document has what the item asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Question {
    Found,
    Missing,
    /// The last sentence is missing, which may be a part of the item like any other.
    LastSentenceMissing,
}

impl HitFacts {
    /// The facts of an item that was found in a document.
    pub fn new(document: u64, source: u32, found: &FoundItem) -> Self {
        let has_answer = found.has_telling_answer;
        Self {
            document,
            source,
            words: found.words.clone(),
            is_part: found.longest_gap >= MISSING && !has_answer,
            has_answer,
            question: match (found.is_passage_alone, found.lacks_question) {
                (true, _) => Question::Missing,
                (false, true) => Question::LastSentenceMissing,
                (false, false) => Question::Found,
            },
        }
    }
}

/// Minimum number of consecutive words that a document with only a part of an item lacks: changed words are isolated.
const MISSING: u32 = 5;

/// The number of documents without the last question of an item that makes the rest a passage.
const PASSED_ON: f64 = 2.0;

/// The number of documents with the same part of an item that makes it a quotation.
const QUOTING: f64 = 3.0;

/// The least number of documents of a source for a passage to be widespread.
const SPREAD: f64 = 10.0;

/// For each hit of one item, why it is common, if it is. `document_counts` has the number of documents of each source, and `share` is
/// the share of them that makes a passage widespread.
pub fn common_hits(hits: &[HitFacts], document_counts: &[u64], share: f64) -> Vec<Option<CommonHit>> {
    let parts = Counts::of(hits.iter().filter(|hit| hit.is_part));
    let is_unasked = |hit: &&HitFacts| hit.question == Question::LastSentenceMissing;
    let unasked = Counts::of(hits.iter().filter(is_unasked));
    let mut by_source: BTreeMap<u32, Vec<&HitFacts>> = BTreeMap::new();
    for hit in hits {
        by_source.entry(hit.source).or_default().push(hit);
    }
    let by_source: BTreeMap<u32, Counts> =
        by_source.into_iter().map(|(source, hits)| (source, Counts::of(hits.into_iter()))).collect();
    let reason = |hit: &HitFacts| {
        let most = share * document_counts.get(hit.source as usize).copied().unwrap_or(0) as f64;
        if hit.has_answer {
            None
        } else if hit.question == Question::Missing || is_unasked(&hit) && unasked.mean(&hit.words) >= PASSED_ON {
            Some(CommonHit::Passage)
        } else if hit.is_part && parts.mean(&hit.words) >= QUOTING {
            Some(CommonHit::Quoted)
        } else {
            let spread = by_source[&hit.source].mean(&hit.words);
            (spread > most && spread >= SPREAD).then_some(CommonHit::Widespread)
        }
    };
    hits.iter().map(reason).collect()
}

/// Number of documents that have each word of an item.
struct Counts(Vec<u32>);

impl Counts {
    /// Counts the first hit of each document.
    fn of<'h>(hits: impl Iterator<Item = &'h HitFacts>) -> Self {
        let mut counted = HashSet::new();
        let mut changes: BTreeMap<u32, i64> = BTreeMap::new();
        for hit in hits.filter(|hit| counted.insert(hit.document)) {
            for words in &hit.words {
                *changes.entry(words.start).or_default() += 1;
                *changes.entry(words.end).or_default() -= 1;
            }
        }
        let length = changes.last_key_value().map_or(0, |(end, _)| *end);
        let mut count = 0;
        let counts = (0..length).map(|word| {
            count += changes.get(&word).copied().unwrap_or(0);
            count as u32
        });
        Self(counts.collect())
    }

    fn mean(&self, words: &[Range<u32>]) -> f64 {
        let all = || words.iter().flat_map(Clone::clone);
        let sum: u64 = all().map(|word| u64::from(self.0.get(word as usize).copied().unwrap_or(0))).sum();
        sum as f64 / all().count().max(1) as f64
    }
}
