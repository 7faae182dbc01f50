//! Collects the contents of the summary and the report while passages are written: counts, sources, the most repeated
//! passages, and sample documents.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use super::rows::RepeatedPassage;
use super::summary::{MostRepeated, PassageSource, PassagesFound, PassagesSummary};
use super::write::Found;
use crate::corpus::described::Origin;
use crate::corpus::walk::Walked;
use crate::options::{PassagesOptions, SourceBy};

/// Maximum number of sources and passages in a summary.
const MOST_SOURCES: usize = 1000;
const MOST_PASSAGES: usize = 100;

/// Maximum number of distinct passages to count; the smallest are dropped.
const COUNTED: usize = 10_000;

/// Maximum length of a quote in bytes.
const QUOTED: usize = 400;

/// Maximum number and length of the documents in the report.
const SHOWN: usize = 20;
const LONGEST_SHOWN: usize = 200_000;

/// Counts and samples for the summary and the report.
pub(super) struct Gathered {
    source: SourceBy,
    removes_husks: bool,
    found: PassagesFound,
    sources: HashMap<Box<str>, PassageSource>,
    /// Passages by their first document and where it has them.
    repeated: HashMap<(Box<str>, u64), MostRepeated>,
    /// Those that lose most, by how much and their order.
    pub(super) shown: BTreeMap<(u64, Reverse<u64>), ShownDocument>,
}

/// A document that the report shows.
pub(super) struct ShownDocument {
    pub(super) id: String,
    pub(super) text: String,
    pub(super) passages: Vec<RepeatedPassage>,
}

impl Gathered {
    pub(super) fn new(options: &PassagesOptions) -> Self {
        Self {
            source: options.source,
            removes_husks: options.remove_husks,
            found: PassagesFound {
                new_passage_count: options.baseline.as_ref().map(|_| 0),
                new_cut_bytes: options.baseline.as_ref().map(|_| 0),
                ..PassagesFound::default()
            },
            sources: HashMap::new(),
            repeated: HashMap::new(),
            shown: BTreeMap::new(),
        }
    }

    /// Adds a document, in the order of the input.
    pub(super) fn add(&mut self, document: &Walked, found: &Found, passages: &[RepeatedPassage], is_husk: bool) {
        let cut_bytes: u64 = passages.iter().map(|passage| passage.end - passage.start).sum();
        let text_bytes = document.text.len() as u64;
        let Walked { file, is_one_document, uri, source, .. } = document;
        let origin = Origin { file, is_one_document: *is_one_document, uri: uri.as_deref(), field: source.as_deref() };
        let source = origin.source(self.source);
        if !self.sources.contains_key(source) {
            let of_source = PassageSource { source: source.to_owned(), ..PassageSource::default() };
            self.sources.insert(source.into(), of_source);
        }
        let of_source = self.sources.get_mut(source).expect("it was just added");
        of_source.document_count += 1;
        of_source.text_bytes += text_bytes;
        of_source.passage_count += passages.len() as u64;
        of_source.cut_bytes += cut_bytes;
        self.found.text_bytes += text_bytes;
        self.found.passage_count += passages.len() as u64;
        self.found.cut_bytes += cut_bytes;
        let new = || passages.iter().filter(|passage| passage.new == Some(true));
        self.found.new_passage_count = self.found.new_passage_count.map(|count| count + new().count() as u64);
        let new_bytes: u64 = new().map(|passage| passage.end - passage.start).sum();
        self.found.new_cut_bytes = self.found.new_cut_bytes.map(|bytes| bytes + new_bytes);
        self.found.husk_count += u64::from(is_husk);
        self.found.removed_count += u64::from(is_husk && self.removes_husks);
        if found.words_left.is_none() {
            return;
        }
        self.found.document_count += 1;
        passages.iter().for_each(|passage| self.add_passage(passage, &document.text));
        self.show(document, passages, cut_bytes);
    }

    fn add_passage(&mut self, passage: &RepeatedPassage, text: &str) {
        let key = (passage.first_document_id.as_str().into(), passage.first_start);
        let repeated = self.repeated.entry(key).or_insert_with(|| MostRepeated {
            first_document_id: passage.first_document_id.clone(),
            first_start: passage.first_start,
            copies: 0,
            cut_bytes: 0,
            quote: quote(&text[passage.start as usize..passage.end as usize]),
        });
        repeated.copies = repeated.copies.max(passage.copies);
        repeated.cut_bytes += passage.end - passage.start;
        if self.repeated.len() > COUNTED {
            let mut all: Vec<_> = self.repeated.drain().collect();
            all.sort_unstable_by_key(|(_, repeated)| order(repeated));
            all.truncate(COUNTED / 2);
            self.repeated.extend(all);
        }
    }

    fn show(&mut self, document: &Walked, passages: &[RepeatedPassage], cut_bytes: u64) {
        let key = (cut_bytes, Reverse(self.found.document_count));
        let is_more = self.shown.len() < SHOWN || self.shown.first_key_value().is_some_and(|(least, _)| *least < key);
        if !is_more || document.text.len() > LONGEST_SHOWN {
            return;
        }
        let (id, text, passages) = (document.id.clone(), document.text.clone(), passages.to_vec());
        self.shown.insert(key, ShownDocument { id, text, passages });
        if self.shown.len() > SHOWN {
            self.shown.pop_first();
        }
    }

    pub(super) fn found(&self) -> PassagesFound {
        let share = self.found.cut_bytes as f64 / self.found.text_bytes.max(1) as f64;
        PassagesFound { share, ..self.found.clone() }
    }

    /// Adds sources and passages to a summary.
    pub(super) fn describe(&mut self, summary: &mut PassagesSummary) {
        let mut sources: Vec<PassageSource> = self.sources.drain().map(|(_, source)| source).collect();
        sources.iter_mut().for_each(|source| source.share = source.cut_bytes as f64 / source.text_bytes.max(1) as f64);
        sources.sort_unstable_by(|left, right| {
            (Reverse(left.document_count), &left.source).cmp(&(Reverse(right.document_count), &right.source))
        });
        summary.more_source_count = sources.len().saturating_sub(MOST_SOURCES) as u64;
        sources.truncate(MOST_SOURCES);
        summary.sources = sources;
        let mut repeated: Vec<MostRepeated> = self.repeated.drain().map(|(_, repeated)| repeated).collect();
        repeated.sort_unstable_by_key(order);
        repeated.truncate(MOST_PASSAGES);
        summary.most_repeated = repeated;
    }
}

/// Sorts by bytes, largest first.
fn order(repeated: &MostRepeated) -> (Reverse<u64>, String, u64) {
    (Reverse(repeated.cut_bytes), repeated.first_document_id.clone(), repeated.first_start)
}

/// The start of a passage.
fn quote(text: &str) -> String {
    let end = (0..=QUOTED.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    if end < text.len() { format!("{}…", &text[..end]) } else { text.to_owned() }
}
