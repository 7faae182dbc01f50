//! Hits and items as rows.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io;

use lookalike_core::contamination::{CommonHit, ItemState};
use serde::{Deserialize, Serialize};

use super::Tests;
use super::decide::Decided;
use super::search::Searched;
use crate::options::DecontaminateOptions;
use crate::output::sink::{Cell, Row, Sink};

/// A passage that a document shares with a test item: a line of `hits.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct HitRow {
    /// The id of the item.
    pub item_id: String,
    /// The id of the document.
    pub document_id: String,
    /// The test set of the item.
    pub set: String,
    /// The fields of the item that the document has at this place.
    pub fields: Vec<String>,
    /// The share of the question that the document has, weighted by the rarity of its n-grams; the share of all fields
    /// if the question alone is too short.
    pub coverage: f64,
    /// True if the answer is within 50 words of the question; `None` if the item has none.
    pub answer_near: Option<bool>,
    /// True if this is common text, which does not count as contamination.
    pub common: bool,
    /// The reason why it is common: `passage` (the passage that the item asks about, without the question), `quoted`
    /// (several documents have this part of the item, and lack the same rest) or `widespread` (more than a given share
    /// of the documents of a file have it).
    pub common_because: Option<Cow<'static, str>>,
    /// Start of the passage, in bytes of the document's text.
    pub start: u64,
    /// End of the passage.
    pub end: u64,
    /// The text of the document there, up to 2,000 bytes.
    pub quote: String,
    /// The file of the document.
    pub document_file: String,
    /// The position of the document in the file, counted from 1.
    pub document_position: u64,
    /// The position of the item in its test set, counted from 1.
    pub item_position: u64,
}

/// A test item: a line of `items.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ItemRow {
    /// The id of the item.
    pub item_id: String,
    /// Its test set.
    pub set: String,
    /// Its position there, counted from 1.
    pub position: u64,
    /// True if a document contains it.
    pub contaminated: bool,
    /// The ids of the first ten documents that contain it.
    pub documents: Vec<String>,
    /// The number of documents that contain it.
    pub document_count: u64,
    /// The number of documents that share only common text with it.
    pub common_document_count: u64,
    /// The number of documents that have its answer near its question.
    pub answered_document_count: u64,
    /// The largest share of it that a document has, common text included.
    pub coverage: f64,
    /// Its number of words.
    pub word_count: u64,
    /// Indicates if it could be searched for, or why not.
    pub search: ItemSearch,
}

lookalike_core::word_enum! {
    /// Indicates if a test item could be searched for, or why not.
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub enum ItemSearch {
        /// It was searched for.
        Searched,
        /// It has fewer than 8 words, which any text may contain by chance.
        Short,
        /// It has fewer than 8 words that are not common to many items.
        Common,
    }
}

impl ItemSearch {
    pub(super) fn of(state: ItemState) -> Self {
        match state {
            ItemState::Searched => Self::Searched,
            ItemState::TooShort => Self::Short,
            ItemState::Common => Self::Common,
        }
    }
}

impl HitRow {
    /// The names of its cells.
    pub const COLUMNS: [&'static str; 14] = [
        "item_id",
        "document_id",
        "set",
        "fields",
        "coverage",
        "answer_near",
        "common",
        "common_because",
        "start",
        "end",
        "quote",
        "document_file",
        "document_position",
        "item_position",
    ];
}

impl ItemRow {
    /// The names of its cells.
    pub const COLUMNS: [&'static str; 11] = [
        "item_id",
        "set",
        "position",
        "contaminated",
        "documents",
        "document_count",
        "common_document_count",
        "answered_document_count",
        "coverage",
        "word_count",
        "search",
    ];
}

impl Row for HitRow {
    fn each_cell(&self, each: &mut dyn FnMut(Cell<'_>) -> io::Result<()>) -> io::Result<()> {
        each(Cell::Text(&self.item_id))?;
        each(Cell::Text(&self.document_id))?;
        each(Cell::Text(&self.set))?;
        each(Cell::Text(&self.fields.join(",")))?;
        each(Cell::Real(self.coverage))?;
        each(self.answer_near.map_or(Cell::Empty, Cell::Flag))?;
        each(Cell::Flag(self.common))?;
        each(self.common_because.as_deref().into())?;
        each(Cell::Whole(self.start))?;
        each(Cell::Whole(self.end))?;
        each(Cell::Text(&self.quote))?;
        each(Cell::Text(&self.document_file))?;
        each(Cell::Whole(self.document_position))?;
        each(Cell::Whole(self.item_position))
    }
}

impl Row for ItemRow {
    fn each_cell(&self, each: &mut dyn FnMut(Cell<'_>) -> io::Result<()>) -> io::Result<()> {
        each(Cell::Text(&self.item_id))?;
        each(Cell::Text(&self.set))?;
        each(Cell::Whole(self.position))?;
        each(Cell::Flag(self.contaminated))?;
        each(Cell::Text(&self.documents.join(",")))?;
        each(Cell::Whole(self.document_count))?;
        each(Cell::Whole(self.common_document_count))?;
        each(Cell::Whole(self.answered_document_count))?;
        each(Cell::Real(self.coverage))?;
        each(Cell::Whole(self.word_count))?;
        each(Cell::Text(self.search.into()))
    }
}

/// The reason for which a hit is common, in one word.
pub(super) fn because(reason: CommonHit) -> &'static str {
    match reason {
        CommonHit::Passage => "passage",
        CommonHit::Quoted => "quoted",
        CommonHit::Widespread => "widespread",
    }
}

/// A share, rounded to its significant digits.
fn rounded(share: f64) -> f64 {
    (share * 1e4).round() / 1e4
}

/// Maximum number of documents named for each item.
const NAMED: usize = 10;

/// Number of rows passed on together.
const AT_ONCE: usize = 512;

pub(super) fn hit_row(
    number: usize,
    tests: &Tests,
    searched: &Searched,
    decided: &Decided,
    options: &DecontaminateOptions,
) -> HitRow {
    let (hit, reason) = (&searched.hits[number], decided.common[number]);
    let (document, item) = (&searched.documents[hit.document as usize], &tests.items[hit.found.item as usize]);
    let fields = options.fields.iter().zip(&hit.found.fields).filter(|(_, is_found)| **is_found);
    HitRow {
        item_id: item.id.clone(),
        document_id: document.id.clone(),
        set: tests.sets[item.set as usize].clone(),
        fields: fields.map(|(name, _)| name.clone()).collect(),
        coverage: rounded(hit.found.coverage),
        answer_near: hit.found.answer_near,
        common: reason.is_some(),
        common_because: reason.map(|reason| because(reason).into()),
        start: hit.found.bytes.start as u64,
        end: hit.found.bytes.end as u64,
        quote: hit.quote.text.to_string(),
        document_file: searched.files[document.file as usize].clone(),
        document_position: document.position,
        item_position: item.position,
    }
}

/// Passes all hits on, in the order of the corpus.
pub(super) fn write_hits(
    tests: &Tests,
    searched: &Searched,
    decided: &Decided,
    options: &DecontaminateOptions,
    sink: &mut dyn Sink<HitRow>,
) -> io::Result<()> {
    sink.start(&HitRow::COLUMNS)?;
    let numbers: Vec<usize> = (0..searched.hits.len()).collect();
    for some in numbers.chunks(AT_ONCE) {
        sink.take(some.iter().map(|number| hit_row(*number, tests, searched, decided, options)).collect())?;
    }
    sink.finish()
}

/// Passes all items on, in the order of the test sets.
pub(super) fn write_items(
    tests: &Tests,
    searched: &Searched,
    decided: &Decided,
    sink: &mut dyn Sink<ItemRow>,
) -> io::Result<()> {
    sink.start(&ItemRow::COLUMNS)?;
    let numbers: Vec<u32> = (0..tests.items.len() as u32).collect();
    for some in numbers.chunks(AT_ONCE) {
        sink.take(some.iter().map(|number| item_row(*number, tests, searched, decided)).collect())?;
    }
    sink.finish()
}

pub(super) fn item_row(number: u32, tests: &Tests, searched: &Searched, decided: &Decided) -> ItemRow {
    let item = &tests.items[number as usize];
    let (mut documents, mut common, mut answered) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let mut coverage: f64 = 0.0;
    for (hit, is_common) in decided.hits_of(number) {
        let hit = &searched.hits[hit];
        coverage = coverage.max(hit.found.coverage);
        if is_common {
            common.insert(hit.document);
        } else {
            documents.insert(hit.document);
            if hit.found.answer_near == Some(true) {
                answered.insert(hit.document);
            }
        }
    }
    let id = |document: &u32| searched.documents[*document as usize].id.clone();
    ItemRow {
        item_id: item.id.clone(),
        set: tests.sets[item.set as usize].clone(),
        position: item.position,
        contaminated: !documents.is_empty(),
        documents: documents.iter().take(NAMED).map(id).collect(),
        document_count: documents.len() as u64,
        common_document_count: common.difference(&documents).count() as u64,
        answered_document_count: answered.len() as u64,
        coverage: rounded(coverage),
        word_count: tests.index.word_count(number) as u64,
        search: ItemSearch::of(tests.index.state(number)),
    }
}
