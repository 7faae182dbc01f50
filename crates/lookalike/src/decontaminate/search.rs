//! The corpus, streamed once, to what each document shares with test items.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use lookalike_core::contamination::{FoundItem, Scanner};
use lookalike_io::input::discover::LeftOut;
use lookalike_io::input::shelf::Shelf;
use rayon::prelude::*;

use super::Tests;
use crate::corpus::walk::{ROUND_BYTES, Walked, walk_shelf};
use crate::error::{Error, Result};
use crate::options::DecontaminateOptions;
use crate::report::summary::SkippedEntry;
use crate::run::stages::{Stages, Timed};

/// A document that shares something with test items.
#[derive(Clone, Debug)]
pub(super) struct FoundDocument {
    /// Number of the document in the corpus.
    pub(super) number: u64,
    pub(super) id: String,
    /// Number of its input file, and its position there, counted from 1.
    pub(super) file: u32,
    pub(super) position: u64,
    /// The source that it belongs to.
    pub(super) source: u32,
}

/// A passage that a document shares with an item.
#[derive(Clone, Debug)]
pub(super) struct Hit {
    /// The number of the document among those found.
    pub(super) document: u32,
    pub(super) found: FoundItem,
    /// The text of the document at that place, with some context.
    pub(super) quote: Quote,
}

/// A part of a document's text, with the text before and after it.
#[derive(Clone, Debug)]
pub(super) struct Quote {
    pub(super) before: Box<str>,
    pub(super) text: Box<str>,
    pub(super) after: Box<str>,
}

/// Result of the search through the corpus, in its order.
#[derive(Debug, Default)]
pub(super) struct Searched {
    pub(super) documents: Vec<FoundDocument>,
    pub(super) hits: Vec<Hit>,
    /// The number of documents of each source.
    pub(super) source_counts: Vec<u64>,
    /// The names of the files.
    pub(super) files: Vec<String>,
    /// The number of documents with each common passage of the items.
    pub(super) template_counts: Vec<u64>,
    pub(super) document_count: u64,
    pub(super) bytes: u64,
    pub(super) without_text_count: u64,
    pub(super) without_id_count: u64,
    pub(super) skipped_count: u64,
    pub(super) skipped: Vec<SkippedEntry>,
    pub(super) left_out: LeftOut,
    pub(super) without_effect: Vec<String>,
    /// Approximate memory of the hits.
    hit_bytes: u64,
}

/// Maximum number of quoted bytes of a hit, and of the text around it.
const QUOTED: usize = 2_000;
const AROUND: usize = 160;

/// Number of documents that a thread takes at once.
const AT_ONCE: usize = 64;

/// Looks for items in all documents.
pub(super) fn search(
    shelf: &mut Shelf,
    tests: &Tests,
    options: &DecontaminateOptions,
    stages: &mut Stages<'_>,
) -> Result<Searched> {
    let bytes = shelf.files().iter().map(|file| file.bytes).sum();
    let timed = Timed::start("search", Some(bytes), stages.progress());
    let memory = options.resources.memory.bytes();
    let round_bytes = ROUND_BYTES.min(memory / 32);
    let files = shelf.files().iter().map(|file| file.name.clone()).collect();
    let template_counts = vec![0; tests.index.templates().len()];
    let mut searched = Searched { files, template_counts, ..Searched::default() };
    let mut sources = Sources::default();
    let skips = walk_shelf(shelf, &options.read.settings, (round_bytes, false), stages.progress(), |round| {
        let held = Held { bytes: AtomicU64::new(searched.hit_bytes), hits: AtomicU64::new(0), most: memory / 2 };
        let scans: Vec<(Vec<Hit>, Vec<u32>)> = round
            .par_chunks(AT_ONCE)
            .map_init(
                || Scanner::new(&tests.index, options.coverage),
                |scanner, some| some.iter().map(|document| scan(scanner, document, &held)).collect::<Vec<_>>(),
            )
            .flatten_iter()
            .collect();
        held.check(searched.hits.len() as u64)?;
        for (document, (hits, templates)) in round.into_iter().zip(scans) {
            let source = sources.number(&document);
            searched.take(document, source, hits, &templates);
        }
        searched.hit_bytes = held.bytes.into_inner();
        Ok(())
    })?;
    searched.source_counts = sources.counts;
    searched.bytes = skips.bytes;
    searched.without_text_count = skips.without_text;
    searched.without_id_count = skips.without_id;
    searched.skipped_count = skips.count;
    searched.skipped = skips.named;
    searched.left_out = skips.left_out;
    searched.without_effect = skips.without_effect;
    stages.push(timed.end());
    Ok(searched)
}

/// The memory of hits: those of a single round may be too many, if a test set has thousands of equal items.
struct Held {
    bytes: AtomicU64,
    hits: AtomicU64,
    most: u64,
}

impl Held {
    fn is_too_much(&self) -> bool {
        self.bytes.load(Relaxed) > self.most
    }

    /// Refuses to go on if there is no room for the hits of this round, with `before` those of earlier ones.
    fn check(&self, before: u64) -> Result<()> {
        let (hits, bytes) = (before + self.hits.load(Relaxed), 2 * self.bytes.load(Relaxed));
        if self.is_too_much() { Err(Error::TooManyHits { hits, bytes }) } else { Ok(()) }
    }
}

fn scan(scanner: &mut Scanner<'_>, document: &Walked, held: &Held) -> (Vec<Hit>, Vec<u32>) {
    if held.is_too_much() {
        return Default::default();
    }
    let scan = scanner.scan(&document.text);
    let hit = |found: FoundItem| {
        let quote = Quote::of(&document.text, found.bytes.clone());
        Hit { document: 0, found, quote }
    };
    let hits: Vec<Hit> = scan.found.into_iter().map(hit).collect();
    held.bytes.fetch_add(hits.iter().map(Hit::held_bytes).sum(), Relaxed);
    held.hits.fetch_add(hits.len() as u64, Relaxed);
    (hits, scan.templates)
}

impl Hit {
    /// The memory that it takes, about.
    fn held_bytes(&self) -> u64 {
        let found = &self.found;
        let lists = found.words.len() * 8 + found.passages.len() * 16 + found.fields.len();
        (size_of::<Self>() + lists + self.quote.len() + 64) as u64
    }
}

impl Searched {
    fn take(&mut self, document: Walked, source: u32, hits: Vec<Hit>, templates: &[u32]) {
        let number = self.document_count;
        self.document_count += 1;
        templates.iter().for_each(|template| self.template_counts[*template as usize] += 1);
        if hits.is_empty() {
            return;
        }
        let (file, position) = (document.file_number, document.position);
        self.documents.push(FoundDocument { number, id: document.id, file, position, source });
        let at = self.documents.len() as u32 - 1;
        self.hits.extend(hits.into_iter().map(|hit| Hit { document: at, ..hit }));
    }
}

impl Quote {
    fn of(text: &str, bytes: std::ops::Range<usize>) -> Self {
        let end = bytes.end.min(text.floor_char_boundary(bytes.start + QUOTED));
        let before = text.ceil_char_boundary(bytes.start.saturating_sub(AROUND));
        let after = text.floor_char_boundary((bytes.end + AROUND).min(text.len()));
        Self {
            before: text[before..bytes.start].into(),
            text: text[bytes.start..end].into(),
            after: text[bytes.end..after].into(),
        }
    }

    fn len(&self) -> usize {
        self.before.len() + self.text.len() + self.after.len()
    }
}

/// Numbers of sources: a file, or the folder of files that are one document each.
#[derive(Default)]
struct Sources {
    numbers: BTreeMap<String, u32>,
    /// The latest file, and its number.
    latest: Option<(u32, u32)>,
    counts: Vec<u64>,
}

impl Sources {
    fn number(&mut self, document: &Walked) -> u32 {
        let number = match self.latest {
            Some((file, number)) if file == document.file_number => number,
            _ => self.of_name(document),
        };
        self.latest = Some((document.file_number, number));
        self.counts[number as usize] += 1;
        number
    }

    fn of_name(&mut self, document: &Walked) -> u32 {
        let folder = || document.file.rsplit_once('/').map_or("", |(folder, _)| folder);
        let name = if document.is_one_document { format!("{}/", folder()) } else { document.file.to_string() };
        let next = self.counts.len() as u32;
        let number = *self.numbers.entry(name).or_insert(next);
        if number == next {
            self.counts.push(0);
        }
        number
    }
}
