//! The results in numbers: `summary.json` of `decontaminate`.

use std::borrow::Cow;
use std::collections::BTreeSet;

use lookalike_core::contamination::{CommonHit, Reader, Template, Words};
use lookalike_core::hash::Key;
use lookalike_io::input::discover::LeftOut;
use serde::{Deserialize, Serialize};

use super::Tests;
use super::decide::Decided;
use super::rows::ItemSearch;
use super::search::Searched;
use crate::options::{ContaminationAction, DecontaminateOptions};
use crate::report::summary::{SkippedEntry, Stage};

/// The result of a run of `decontaminate`: `summary.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct DecontaminateSummary {
    /// The version that ran.
    pub lookalike: Cow<'static, str>,
    /// The command line, word by word and without secrets, if the run was one of the command.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    /// The corpus.
    pub corpus: SearchedCorpus,
    /// The test sets.
    pub sets: Vec<ContaminatedSet>,
    /// Entries of the test sets that could not be read as items.
    pub item_skipped_count: u64,
    /// Passages that documents share with items, common text left out.
    pub hit_count: u64,
    /// Passages that are common text.
    pub common_hit_count: u64,
    /// Of these, passages that are common only because more documents have them than `common_share` allows.
    pub widespread_hit_count: u64,
    /// Documents that contain an item.
    pub contaminated_document_count: u64,
    /// Passages that many items share, such as instructions, the most common first. They do not count as contamination.
    pub common_passages: Vec<CommonPassage>,
    /// The fields of an item, the question first.
    pub fields: Vec<String>,
    /// Of these fields, those that no item has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub absent_fields: Vec<String>,
    /// Minimum number of consecutive words that a document shares with an item.
    pub ngram: u64,
    /// Minimum share of a question that a hit covers.
    pub coverage: f64,
    /// Share of the documents of a file from which a passage is common.
    pub common_share: f64,
    /// Treatment of contaminated documents.
    pub action: ContaminationAction,
    /// Documents that were written.
    pub written_document_count: u64,
    /// Documents that were left out.
    pub removed_document_count: u64,
    /// Passages that were cut out.
    pub cut_count: u64,
    /// The share of contaminated items in a test set that makes the run fail, if one was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fail_if_contaminated: Option<f64>,
    /// True if a test set has at least that share of contaminated items.
    pub over_limit: bool,
    /// Seconds and memory by stage.
    pub stages: Vec<Stage>,
    /// Seconds of all stages.
    pub seconds: f64,
    /// Peak memory of the process, where the system reports it.
    pub peak_memory_bytes: Option<u64>,
    /// The first skipped entries of corpus and test sets, with reasons.
    pub skipped: Vec<SkippedEntry>,
}

/// The corpus that was searched.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct SearchedCorpus {
    /// Files that were read.
    pub file_count: u64,
    /// Documents in them.
    pub document_count: u64,
    /// Their bytes, decompressed.
    pub bytes: u64,
    /// Entries that could not be read as documents.
    pub skipped_count: u64,
    /// Records without text.
    pub without_text_count: u64,
    /// Documents without the id field, which are identified by their place.
    pub without_id_count: u64,
    /// Files and folders that were left out.
    pub left_out: LeftOut,
    /// Options that have no effect on files of these formats.
    pub without_effect: Vec<String>,
}

/// A test set, and the part of it that the corpus contains.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ContaminatedSet {
    /// Its name: that of its file.
    pub set: String,
    /// Its items.
    pub item_count: u64,
    /// Items that are too short, and were not searched for.
    pub short_count: u64,
    /// Items that contain only text that many items share, and were not searched for.
    pub only_common_count: u64,
    /// Items that a document contains.
    pub contaminated_count: u64,
    /// Of these, items whose answer is near the question.
    pub answered_count: u64,
    /// Items of which documents contain only common text.
    pub common_count: u64,
    /// Of these, items that are widespread: too many documents have them for any one to be accused.
    pub widespread_count: u64,
    /// Documents that contain one of its items.
    pub document_count: u64,
    /// The share of its items that a document contains.
    pub share: f64,
}

/// A passage that many items contain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct CommonPassage {
    /// Its text in one of them, up to 500 bytes.
    pub text: String,
    /// The number of different items that contain it.
    pub item_count: u64,
    /// The number of documents that contain its beginning.
    pub document_count: u64,
}

/// Maximum number of common passages to list.
const LISTED: usize = 20;

/// Maximum bytes of a common passage to show.
const SHOWN: usize = 500;

/// Numbers of documents written and removed, and of passages cut out.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WrittenDocuments {
    pub(super) written: u64,
    pub(super) removed: u64,
    pub(super) cuts: u64,
}

impl DecontaminateSummary {
    pub(super) fn new(tests: &Tests, searched: &Searched, decided: &Decided, options: &DecontaminateOptions) -> Self {
        let sets = sets(tests, searched, decided);
        let limit = options.fail_if_contaminated;
        let common_hit_count = decided.common.iter().flatten().count() as u64;
        Self {
            lookalike: env!("CARGO_PKG_VERSION").into(),
            command: options.command.clone(),
            corpus: SearchedCorpus {
                file_count: searched.files.len() as u64,
                document_count: searched.document_count,
                bytes: searched.bytes,
                skipped_count: searched.skipped_count,
                without_text_count: searched.without_text_count,
                without_id_count: searched.without_id_count,
                left_out: searched.left_out.clone(),
                without_effect: searched.without_effect.clone(),
            },
            over_limit: limit.is_some_and(|limit| sets.iter().any(|set| set.share >= limit)),
            sets,
            item_skipped_count: tests.skipped_count,
            hit_count: searched.hits.len() as u64 - common_hit_count,
            common_hit_count,
            widespread_hit_count: decided
                .common
                .iter()
                .flatten()
                .filter(|reason| **reason == CommonHit::Widespread)
                .count() as u64,
            contaminated_document_count: decided.contaminated.len() as u64,
            common_passages: common_passages(tests, searched),
            fields: options.fields.clone(),
            absent_fields: tests.absent_fields.clone(),
            ngram: options.ngram as u64,
            coverage: options.coverage,
            common_share: options.common_share,
            action: options.action,
            written_document_count: 0,
            removed_document_count: 0,
            cut_count: 0,
            fail_if_contaminated: limit,
            stages: Vec::new(),
            seconds: 0.0,
            peak_memory_bytes: None,
            skipped: searched.skipped.iter().chain(&tests.skipped).cloned().collect(),
        }
    }

    pub(super) fn count_documents(&mut self, documents: WrittenDocuments) {
        self.written_document_count = documents.written;
        self.removed_document_count = documents.removed;
        self.cut_count = documents.cuts;
    }

    pub(super) fn set_stages(&mut self, stages: Vec<Stage>) {
        self.seconds = stages.iter().map(|stage| stage.seconds).sum();
        self.peak_memory_bytes = stages.iter().filter_map(|stage| stage.peak_memory_bytes).max();
        self.stages = stages;
    }

    /// Entries that could not be read, of corpus and test sets.
    pub fn skipped_count(&self) -> u64 {
        self.corpus.skipped_count + self.item_skipped_count
    }
}

fn sets(tests: &Tests, searched: &Searched, decided: &Decided) -> Vec<ContaminatedSet> {
    let empty = |set: &String| ContaminatedSet { set: set.clone(), ..ContaminatedSet::default() };
    let mut sets: Vec<ContaminatedSet> = tests.sets.iter().map(empty).collect();
    let mut documents: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); sets.len()];
    for (number, item) in (0..).zip(&tests.items) {
        let set = &mut sets[item.set as usize];
        set.item_count += 1;
        match ItemSearch::of(tests.index.state(number)) {
            ItemSearch::Short => set.short_count += 1,
            ItemSearch::Common => set.only_common_count += 1,
            ItemSearch::Searched => {}
        }
        let (mut is_contaminated, mut is_answered, mut is_common) = (false, false, false);
        let is_spread = decided.by_item.get(&number).into_iter().flatten();
        let is_spread =
            is_spread.filter_map(|hit| decided.common[*hit].as_ref()).any(|reason| *reason == CommonHit::Widespread);
        for (hit, is_common_hit) in decided.hits_of(number) {
            let hit = &searched.hits[hit];
            is_common |= is_common_hit;
            if !is_common_hit {
                is_contaminated = true;
                is_answered |= hit.found.answer_near == Some(true);
                documents[item.set as usize].insert(hit.document);
            }
        }
        set.contaminated_count += u64::from(is_contaminated);
        set.answered_count += u64::from(is_answered);
        set.common_count += u64::from(is_common && !is_contaminated);
        set.widespread_count += u64::from(is_spread && !is_contaminated);
    }
    for (set, documents) in sets.iter_mut().zip(documents) {
        set.document_count = documents.len() as u64;
        set.share = set.contaminated_count as f64 / set.item_count.max(1) as f64;
    }
    sets
}

fn common_passages(tests: &Tests, searched: &Searched) -> Vec<CommonPassage> {
    let mut reader = Reader::new(Key::FIXED);
    let passage = |(template, document_count): (&Template, &u64)| CommonPassage {
        text: text_of(template, &tests.items[template.item as usize].question, &mut reader),
        item_count: template.item_count.into(),
        document_count: *document_count,
    };
    let templates = tests.index.templates().iter().zip(&searched.template_counts);
    templates.take(LISTED).map(passage).collect()
}

/// The text of a common passage in the question of an item; text in other fields is not shown.
fn text_of(template: &Template, question: &str, reader: &mut Reader) -> String {
    let mut words = Words::default();
    reader.read(question, &mut words);
    let last = (template.words.end as usize).min(words.places.len());
    let Some(first) = words.places[..last].get(template.words.start as usize) else { return String::new() };
    let (start, end) = (first.0 as usize, words.places[last - 1].1 as usize);
    question[start..end.min(question.floor_char_boundary(start + SHOWN))].to_owned()
}
