//! The documents of one chunk in one piece of memory, or of a file: the same words in both.
//!
//! ```text
//! head | rows | keys, a column a band | bytes of sketches | checksums | names | whatever else
//! ```
//!
//! A property of all documents is read as one run, and what is asked of a single document lies together.

use std::borrow::Cow;

use lookalike_core::kernel::TextSummary;
use lookalike_core::resolve::keep::FieldValue;
use lookalike_core::sketch::{Layout, Sketches};
use lookalike_io::input::shelf::{Place, Store};
use lookalike_io::skipped::SkipReason;
use serde::{Deserialize, Serialize};

use crate::resources::memory::DOCUMENT_BYTES;
use crate::resources::words::{both, pair};
use lookalike_core::text::checksum::Sum;

/// The words of the head.
pub(super) const HEAD: usize = 16;

/// The words of a row: offset, length and store, position and ignored features, hash of the words (two), of the
/// content, tokens and features.
pub(super) const ROW: usize = 8;

/// The words of a checksum.
const SUM: usize = 3;

/// The names of a document: its id, address and source.
pub(super) const NAMES: usize = 3;

/// Limits are computed with the size that documents have here.
const _: () = assert!(DOCUMENT_BYTES == ROW * size_of::<u64>() + NAMES * size_of::<u32>());

/// Maximum number of skipped entries that are named, for damaged files and for all others.
pub(super) const NAMED: usize = 1000;

/// Marks a block as one with documents, or as the end of a unit.
const DOCUMENTS: u64 = 1;
const END: u64 = 2;

/// Location of the spooled bytes of a chunk, which cannot be read again from its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Spooled {
    pub(super) offset: u64,
    pub(super) length: u64,
    pub(super) hash: u64,
}

/// Header of a block: enough to locate everything in it without reading the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) file: u32,
    pub(super) unit: u32,
    /// Number of the chunk in its unit.
    pub(super) number: u32,
    pub(super) documents: u32,
    /// Number of positions of the file that the chunk covers.
    pub(super) position_count: u64,
    /// Uncompressed size in bytes.
    pub(super) byte_count: u64,
    pub(super) name_bytes: u32,
    pub(super) other_bytes: u32,
    pub(super) without_id: u32,
    pub(super) without_source: u32,
    pub(super) spooled: Option<Spooled>,
}

/// Entry of a log of blocks.
pub(super) enum Logged {
    Documents(Head),
    /// A unit was read to its end, and has this number of chunks.
    End {
        file: u32,
        unit: u32,
        chunks: u32,
    },
}

/// The last block of a unit.
pub(super) fn end_of_unit(file: u32, unit: u32, chunks: u32) -> Vec<u64> {
    vec![END, pair(file, unit), u64::from(chunks)]
}

impl Logged {
    /// Interprets words of a log, if they are valid.
    pub(super) fn of(words: &[u64]) -> Option<Self> {
        match words {
            [END, unit, chunks] => {
                let [file, unit] = both(*unit);
                Some(Self::End { file, unit, chunks: u32::try_from(*chunks).ok()? })
            }
            [DOCUMENTS, ..] if words.len() >= HEAD => Some(Self::Documents(Head::of(words))),
            _ => None,
        }
    }
}

impl Head {
    /// The head of a block, if the words are one and are complete as far as the head tells.
    #[cfg(feature = "parquet")]
    pub(super) fn read(words: &[u64]) -> Option<Self> {
        match Logged::of(words) {
            Some(Logged::Documents(head)) => Some(head),
            _ => None,
        }
    }

    fn of(words: &[u64]) -> Self {
        let [file, unit] = both(words[1]);
        let [number, documents] = both(words[2]);
        let [name_bytes, other_bytes] = both(words[5]);
        let [without_id, without_source] = both(words[6]);
        let spooled = Spooled { offset: words[7], length: words[8], hash: words[9] };
        Self {
            file,
            unit,
            number,
            documents,
            position_count: words[3],
            byte_count: words[4],
            name_bytes,
            other_bytes,
            without_id,
            without_source,
            spooled: (spooled.length > 0).then_some(spooled),
        }
    }

    fn words(&self) -> [u64; HEAD] {
        let spooled = self.spooled.unwrap_or(Spooled { offset: 0, length: 0, hash: 0 });
        let mut words = [0; HEAD];
        words[..10].copy_from_slice(&[
            DOCUMENTS,
            pair(self.file, self.unit),
            pair(self.number, self.documents),
            self.position_count,
            self.byte_count,
            pair(self.name_bytes, self.other_bytes),
            pair(self.without_id, self.without_source),
            spooled.offset,
            spooled.length,
            spooled.hash,
        ]);
        words
    }
}

/// Offsets of all parts, in words; they depend on the head of a block only.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub(super) layout: Layout,
    pub(super) has_sums: bool,
}

impl Shape {
    pub(super) fn keys(head: &Head, column: usize) -> usize {
        HEAD + head.documents as usize * (ROW + column)
    }

    pub(super) fn bytes(self, head: &Head) -> usize {
        Self::keys(head, self.layout.keys)
    }

    fn sums(self, head: &Head) -> usize {
        self.bytes(head) + (head.documents as usize * self.layout.bytes).div_ceil(8)
    }

    /// The ends of all names, 32 bits each.
    pub(super) fn name_ends(self, head: &Head) -> usize {
        self.sums(head) + if self.has_sums { head.documents as usize * SUM } else { 0 }
    }

    pub(super) fn names(self, head: &Head) -> usize {
        self.name_ends(head) + (head.documents as usize * NAMES).div_ceil(2)
    }

    pub(super) fn others(self, head: &Head) -> usize {
        self.names(head) + (head.name_bytes as usize).div_ceil(8)
    }

    pub(super) fn end(self, head: &Head) -> usize {
        self.others(head) + (head.other_bytes as usize).div_ceil(8)
    }

    /// The range of a document's checksum.
    pub(super) fn sum(self, head: &Head, row: u32) -> std::ops::Range<usize> {
        let start = self.sums(head) + row as usize * SUM;
        start..start + SUM
    }
}

/// Per-document values that are read together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) place: Place,
    /// Position in its chunk, counted from 0; in its file, counted from 1, once the corpus is complete.
    pub(crate) position: u64,
    /// Equal for documents that are joined: those with the same words, or exact copies where only those are searched
    /// for.
    pub(crate) text_hash: u128,
    /// Equal for exact copies.
    pub(crate) content_hash: u128,
    pub(crate) token_count: u32,
    pub(crate) size: u32,
    /// Shingles that are not features, because they are boilerplate of the source.
    pub(crate) ignored: u32,
}

impl Row {
    pub(super) fn new(place: Place, position: u64, summary: TextSummary) -> Self {
        let TextSummary { text_hash, content_hash, token_count, size, ignored } = summary;
        Self { place, position, text_hash, content_hash, token_count, size, ignored }
    }

    pub(super) fn of(words: &[u64], file: u32) -> Self {
        let [length, store] = both(words[1]);
        let [position, ignored] = both(words[2]);
        let [token_count, size] = both(words[7]);
        let place = Place { file, store: store_of(store), offset: words[0], length };
        let hash = |low: usize| u128::from(words[low + 1]) << 64 | u128::from(words[low]);
        let (position, text_hash, content_hash) = (u64::from(position), hash(3), hash(5));
        Self { place, position, text_hash, content_hash, token_count, size, ignored }
    }

    fn words(&self) -> [u64; ROW] {
        let Place { store, offset, length, .. } = self.place;
        let Self { position, text_hash, content_hash, token_count, size, ignored, .. } = *self;
        let halves = |hash: u128| [hash as u64, (hash >> 64) as u64];
        let ([low, high], [content_low, content_high]) = (halves(text_hash), halves(content_hash));
        let (length, counts) = (pair(length, number_of(store)), pair(token_count, size));
        // A chunk is a megabyte, or one document.
        let position = pair(position as u32, ignored);
        [offset, length, position, low, high, content_low, content_high, counts]
    }
}

fn number_of(store: Store) -> u32 {
    match store {
        Store::File => 0,
        Store::Member => 1,
        Store::Spool => 2,
        Store::Held => 3,
    }
}

fn store_of(number: u32) -> Store {
    match number {
        0 => Store::File,
        1 => Store::Member,
        2 => Store::Spool,
        _ => Store::Held,
    }
}

/// Contents that only few chunks have.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Others {
    pub(super) carried: Vec<CarriedEntry>,
    /// The first that were skipped.
    pub(super) skipped: Vec<SkippedInChunk>,
    /// Number of further skipped entries.
    #[serde(default)]
    pub(super) more_skipped: u64,
    pub(super) values: Vec<Value>,
    /// The group of each document, and whether it has the field that tells it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) groups: Vec<(u64, bool)>,
}

/// An entry that is not a document: offset, length and store, position in the chunk, kind.
pub(super) type CarriedEntry = (u64, u32, u32, u64, Cow<'static, str>);

/// An entry that was skipped: position in the chunk, reason, whether the file is damaged, how many entries are lost.
pub(super) type SkippedInChunk = (u64, SkipReason, bool, u64);

/// Field value that keep order compares.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Value {
    Missing,
    Text(String),
    /// The bits of the number, so that none is lost.
    Number(u64, i64),
}

impl From<FieldValue> for Value {
    fn from(value: FieldValue) -> Self {
        match value {
            FieldValue::Missing => Self::Missing,
            FieldValue::Text(text) => Self::Text(text.into()),
            FieldValue::Number { near, rest } => Self::Number(near.to_bits(), rest),
        }
    }
}

impl From<Value> for FieldValue {
    fn from(value: Value) -> Self {
        match value {
            Value::Missing => Self::Missing,
            Value::Text(text) => Self::Text(text.into()),
            Value::Number(near, rest) => Self::Number { near: f64::from_bits(near), rest },
        }
    }
}

/// An entry that is carried along: its place and position.
pub(super) fn carried_place(entry: &CarriedEntry, file: u32) -> (Place, u64) {
    let (offset, length, store, position, _) = entry;
    (Place { file, store: store_of(*store), offset: *offset, length: *length }, *position)
}

/// Collects the documents of a chunk; used again for the next.
#[derive(Debug)]
pub(super) struct Builder {
    pub(super) rows: Vec<Row>,
    pub(super) sketches: Sketches,
    pub(super) sums: Vec<Sum>,
    pub(super) others: Others,
    layout: Layout,
    names: String,
    name_ends: Vec<u32>,
    without: [u32; NAMES],
}

impl Builder {
    pub(super) fn new(layout: Layout) -> Self {
        Self {
            rows: Vec::new(),
            sketches: Sketches::new(layout),
            sums: Vec::new(),
            others: Others::default(),
            layout,
            names: String::new(),
            name_ends: Vec::new(),
            without: [0; NAMES],
        }
    }

    /// The names of the next document, empty where it has none.
    pub(super) fn push_names(&mut self, names: [&str; NAMES]) {
        for (name, without) in names.into_iter().zip(&mut self.without) {
            *without += u32::from(name.is_empty());
            self.names.push_str(name);
            // A chunk is a megabyte, or one document of less than four gigabytes.
            self.name_ends.push(self.names.len() as u32);
        }
    }

    /// An entry that is carried along.
    pub(super) fn push_carried(&mut self, place: Place, position: u64, kind: &'static str) {
        self.others.carried.push((place.offset, place.length, number_of(place.store), position, kind.into()));
    }

    /// An entry that was skipped. No more are named of a block than of the whole input: a file of nothing else must not
    /// take more memory than one of documents.
    pub(super) fn push_skipped(&mut self, position: u64, reason: SkipReason) {
        if self.others.skipped.len() < NAMED {
            self.others.skipped.push((position, reason, false, 1));
        } else {
            self.others.more_skipped += 1;
        }
    }

    /// Adds damage to the file, with the number of lost entries. There is at most one per block.
    pub(super) fn push_damage(&mut self, position: u64, reason: SkipReason, lost: u64) {
        self.others.skipped.push((position, reason, true, lost));
    }

    /// All of it in one piece, with `head` completed; and then there is nothing any more.
    pub(super) fn finish(&mut self, head: Head) -> (Head, Vec<u64>) {
        let Others { carried, skipped, values, groups, .. } = &self.others;
        let has_others = !(carried.is_empty() && skipped.is_empty() && values.is_empty() && groups.is_empty());
        let others = if has_others {
            serde_json::to_vec(&self.others).expect("numbers and texts can always be written")
        } else {
            Vec::new()
        };
        let head = Head {
            documents: self.rows.len() as u32,
            name_bytes: self.names.len() as u32,
            other_bytes: others.len() as u32,
            without_id: self.without[0],
            without_source: self.without[2],
            ..head
        };
        let shape = Shape { layout: self.layout, has_sums: !self.sums.is_empty() };
        let mut words = Vec::with_capacity(shape.end(&head));
        words.extend(head.words());
        words.extend(self.rows.iter().flat_map(Row::words));
        let keys = self.sketches.all_keys();
        for column in 0..self.layout.keys {
            words.extend(keys.iter().skip(column).step_by(self.layout.keys));
        }
        push_bytes(self.sketches.all_bytes(), &mut words);
        words.extend(self.sums.iter().flat_map(|sum| sum.words()));
        words.extend(self.name_ends.chunks(2).map(|ends| pair(ends[0], ends.get(1).copied().unwrap_or(0))));
        push_bytes(self.names.as_bytes(), &mut words);
        push_bytes(&others, &mut words);
        debug_assert_eq!(words.len(), shape.end(&head));
        self.rows.clear();
        self.sketches.clear();
        self.sums.clear();
        self.others = Others::default();
        self.names.clear();
        self.name_ends.clear();
        self.without = [0; NAMES];
        (head, words)
    }
}

/// Appends bytes, filled up with zeros to whole words.
fn push_bytes(bytes: &[u8], words: &mut Vec<u64>) {
    let (whole, rest) = bytes.as_chunks::<8>();
    words.extend(whole.iter().map(|bytes| u64::from_ne_bytes(*bytes)));
    if !rest.is_empty() {
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        words.push(u64::from_ne_bytes(last));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_very_many_skipped_entries_the_first_are_named_and_the_others_counted() {
        let mut builder = Builder::new(Layout { keys: 1, bytes: 0 });
        (0..100_000).for_each(|position| builder.push_skipped(position, "not JSON".into()));
        builder.push_damage(100_000, "cut short".into(), 20);
        let others = &builder.others;
        assert_eq!((others.skipped.len(), others.more_skipped), (NAMED + 1, 100_000 - NAMED as u64));
        assert_eq!(others.skipped[NAMED - 1].0, NAMED as u64 - 1);
        assert_eq!(others.skipped[NAMED], (100_000, "cut short".into(), true, 20));
    }

    #[test]
    fn a_block_takes_what_is_planned_for_its_documents() {
        let mut builder = Builder::new(Layout { keys: 3, bytes: 8 });
        let place = Place { file: 0, store: Store::File, offset: 0, length: 1 };
        for position in 0..1000 {
            builder.rows.push(Row {
                place,
                position,
                text_hash: 1,
                content_hash: 1,
                token_count: 1,
                size: 1,
                ignored: 0,
            });
            builder.sketches.push([1, 2, 3], [0; 8]);
            builder.push_names(["name", "", "more"]);
        }
        let head = Head {
            file: 0,
            unit: 0,
            number: 0,
            documents: 0,
            position_count: 1000,
            byte_count: 0,
            name_bytes: 0,
            other_bytes: 0,
            without_id: 0,
            without_source: 0,
            spooled: None,
        };
        let (_, words) = builder.finish(head);
        let names = "namemore".len();
        assert_eq!((words.len() - HEAD) * 8, 1000 * (DOCUMENT_BYTES + builder.layout.byte_count() + names));
    }
}
