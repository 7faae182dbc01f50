//! A part of a file, cut between entries, and the entries in it.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use lookalike_core::resolve::keep::FieldValue;

use super::csv::Cells;
use super::cut::{Cut, is_utf16, without_mark};
use super::{BLANK, Document, Entry, HEADER, NULL_TEXT, Placed, Settings, arc, csv, json_string, jsonl, warc};
use crate::charset;
use crate::compression::Compression;
use crate::error::Result;
use crate::format::Format;
use crate::input::held::{HeldRows, HeldText};
use crate::input::shelf::{Place, Shelf, Store};
use crate::parquet::{NoText, Row};
use crate::read::FileKind;
use crate::skipped::SkipReason;
use crate::web::{Content, NOT_BUILT, text_of};

/// Whole entries of one file, decompressed. A stream fills it again and again, reusing its buffers.
#[derive(Debug)]
pub struct Chunk {
    pub(super) file: u32,
    pub(super) unit: u32,
    pub(super) number: u32,
    pub(super) kind: Arc<FileKind>,
    pub(super) bytes: Vec<u8>,
    pub(super) store: ChunkStore,
    /// The spans of the entries.
    pub(super) cut: Cut,
    /// The rows of a Parquet file, instead of entries.
    pub(super) rows: Vec<Row>,
    /// The rows of a table in memory, instead of entries.
    pub(super) held: Option<HeldChunk>,
    pub(super) damage: Option<Damage>,
    pub(super) packed_bytes: u64,
}

/// Rows of a table in memory.
#[derive(Clone, Debug)]
pub(super) struct HeldChunk {
    pub(super) rows: Arc<dyn HeldRows>,
    pub(super) range: Range<u64>,
    /// Total bytes of their texts.
    pub(super) bytes: u64,
}

/// Damage of a file, at the end of a chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Damage {
    pub(super) reason: SkipReason,
    /// Number of lost entries, if known and others follow.
    pub(super) positions: u64,
}

/// The storage from which a chunk's bytes can be read again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ChunkStore {
    /// In a store, from this offset on.
    At(Store, u64),
    /// Each entry in a separate gzip member: offset and length.
    Members(Vec<(u64, u32)>),
    /// Not stored yet.
    Unspooled,
}

impl Default for Chunk {
    fn default() -> Self {
        let kind = FileKind { format: Format::Text, compression: Compression::None, table: None, is_refused: false };
        Self {
            file: 0,
            unit: 0,
            number: 0,
            kind: Arc::new(kind),
            bytes: Vec::new(),
            store: ChunkStore::Unspooled,
            cut: Cut::default(),
            rows: Vec::new(),
            held: None,
            damage: None,
            packed_bytes: 0,
        }
    }
}

impl Chunk {
    /// Number of its input file.
    pub fn file(&self) -> u32 {
        self.file
    }

    /// Number of its unit in the file.
    pub fn unit(&self) -> u32 {
        self.unit
    }

    /// True if its entries can be read again from their file.
    pub fn is_readable_again(&self) -> bool {
        self.store != ChunkStore::Unspooled
    }

    /// The offset of its bytes in the spool, and these bytes, if they are there.
    pub fn spooled(&self) -> Option<(u64, &[u8])> {
        match self.store {
            ChunkStore::At(Store::Spool, offset) => Some((offset, &self.bytes)),
            _ => None,
        }
    }

    /// Number of the chunk in its unit, counted from 0.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// The kind of its file.
    pub fn kind(&self) -> &Arc<FileKind> {
        &self.kind
    }

    /// Number of bytes, decompressed.
    pub fn byte_count(&self) -> u64 {
        self.held.as_ref().map_or(self.bytes.len() as u64, |held| held.bytes)
    }

    /// Number of bytes of the file it was made from, before decompression.
    pub fn packed_bytes(&self) -> u64 {
        self.packed_bytes
    }

    /// The reason why the file could not be read further, or not completely, and the number of entries known to be
    /// lost. It applies to the data after the chunk's entries.
    pub fn damage(&self) -> Option<(&SkipReason, u64)> {
        self.damage.as_ref().map(|damage| (&damage.reason, damage.positions))
    }

    /// Ensures that the entries can be read again. Call this before parsing them.
    ///
    /// # Errors
    ///
    /// If there is no room in the spool.
    pub fn settle(&mut self, shelf: &Shelf) -> Result<()> {
        if self.store == ChunkStore::Unspooled {
            self.store = ChunkStore::At(Store::Spool, shelf.spool_bytes(&self.bytes)?);
        }
        Ok(())
    }

    /// Declares that the entries will not be read again, so that nothing has to be spooled: their locations are
    /// invalid. Call this instead of [`Self::settle`], before parsing them.
    pub fn settle_nowhere(&mut self) {
        if self.store == ChunkStore::Unspooled {
            self.store = ChunkStore::At(Store::Spool, 0);
        }
    }

    fn place(&self, entry: usize, start: usize, end: usize) -> Place {
        let (store, offset, length) = match &self.store {
            // An entry that is too long is not parsed, and has no location.
            ChunkStore::At(store, first) => (*store, first + start as u64, (end - start) as u32),
            ChunkStore::Members(members) => (Store::Member, members[entry].0, members[entry].1),
            ChunkStore::Unspooled => unreachable!("a chunk is settled before its entries are asked for"),
        };
        Place { file: self.file, store, offset, length }
    }
}

/// Parses entries. Use one per thread, since it reuses its buffers.
#[derive(Debug)]
pub struct Parser {
    settings: Settings,
    text: String,
    /// The text of a page in a field.
    page: String,
    cells: Cells,
}

impl Parser {
    /// A parser with these settings.
    pub fn new(settings: &Settings) -> Self {
        Self { settings: settings.clone(), text: String::new(), page: String::new(), cells: Cells::default() }
    }

    /// Passes all entries of a chunk to `each`, in order, and returns the number of positions they take.
    pub fn entries(&mut self, chunk: &Chunk, mut each: impl FnMut(Placed<'_>)) -> u64 {
        if let Some(held) = &chunk.held {
            for (position, row) in (0..).zip(held.range.clone()) {
                let text = held.rows.text(row);
                let place = Place { file: chunk.file, store: Store::Held, offset: row, length: text.len() as u32 };
                let entry = held_entry(held, row, text, self.settings.longest);
                let entry = extracted(entry, &self.settings, &mut self.page);
                each(Placed { position, place, entry, bytes: &[] });
            }
            return held.range.end - held.range.start;
        }
        if chunk.kind.format == Format::Parquet {
            for (position, row) in chunk.rows.iter().enumerate() {
                let range = row.text.clone().unwrap_or_default();
                let place = chunk.place(position, range.start, range.end);
                let entry = extracted(row_entry(row, &chunk.bytes), &self.settings, &mut self.page);
                each(Placed { position: position as u64, place, entry, bytes: &[] });
            }
            return chunk.rows.len() as u64;
        }
        let has_header =
            chunk.unit == 0 && chunk.number == 0 && chunk.kind.table.as_ref().is_some_and(|table| table.has_header);
        let header = has_header.then(|| chunk.cut.spans.iter().position(|span| !span.is_blank)).flatten();
        for (at, span) in chunk.cut.spans.iter().enumerate() {
            let place = chunk.place(at, span.all.start, span.all.end);
            let bytes = &chunk.bytes[span.all.clone()];
            let is_header = header == Some(at);
            let entry = match &span.problem {
                Some(problem) => Entry::Skipped(problem.clone()),
                None if span.is_blank => Entry::Carried(BLANK),
                None if bytes.len() > self.settings.longest as usize => {
                    Entry::Skipped(SkipReason::too_long(self.settings.longest))
                }
                None if is_header => Entry::Carried(HEADER),
                None => self.entry(&chunk.kind, bytes),
            };
            each(Placed { position: span.position as u64, place, entry, bytes });
        }
        chunk.cut.positions as u64
    }

    /// Parses an entry that was read again.
    pub fn document<'a>(&'a mut self, kind: &FileKind, bytes: &'a [u8]) -> Option<Document<'a>> {
        match self.entry(kind, bytes) {
            Entry::Document(document) => Some(document),
            Entry::Carried(_) | Entry::Skipped(_) => None,
        }
    }

    fn entry<'a>(&'a mut self, kind: &FileKind, bytes: &'a [u8]) -> Entry<'a> {
        let Self { settings, text, page, cells } = self;
        match kind.format {
            Format::Jsonl | Format::JsonList | Format::JsonValues => {
                extracted(jsonl::parse(without_mark(bytes), &settings.fields, text), settings, page)
            }
            Format::Csv => {
                let table = kind.table.as_ref().expect("a CSV file without a table has no entries");
                let parsed = csv::parse(bytes, table, cells, text);
                let entry = parsed.map_or_else(|reason| Entry::Skipped(reason.into()), Entry::Document);
                extracted(entry, settings, page)
            }
            Format::Warc => warc::parse(bytes, settings, text),
            Format::Arc => arc::parse(bytes, settings, text),
            Format::Html => match text_of(bytes, Some("text/html"), settings.page_text(), text) {
                Content::Text => Entry::Document(of_text(text)),
                Content::NotText => Entry::Skipped("not a page".into()),
                Content::NotBuilt => Entry::Skipped(NOT_BUILT.into()),
            },
            // A byte order mark is for a whole file; a part that starts like one has another charset, or is garbage.
            Format::Lines | Format::Paragraphs if is_utf16(bytes) => {
                Entry::Skipped("not UTF-8: it starts with the byte order mark of UTF-16".into())
            }
            Format::Held => match std::str::from_utf8(bytes) {
                Ok(text) => extracted(Entry::Document(of_text(text)), settings, page),
                Err(_) => Entry::Skipped(NOT_UTF8.into()),
            },
            // For a Parquet file, only the text is read again.
            Format::Parquet if settings.is_html => match std::str::from_utf8(bytes) {
                Ok(text) => extracted(Entry::Document(of_text(text)), settings, page),
                Err(_) => Entry::Skipped(NOT_UTF8.into()),
            },
            Format::Parquet | Format::Text | Format::Lines | Format::Paragraphs | Format::Other => {
                match charset::decode(bytes, None, false) {
                    Cow::Borrowed(text) => Entry::Document(of_text(text)),
                    Cow::Owned(decoded) => {
                        *text = decoded;
                        Entry::Document(of_text(text))
                    }
                }
            }
        }
    }
}

/// Extracts the text of a page, if the text field contains pages.
fn extracted<'a>(entry: Entry<'a>, settings: &Settings, page: &'a mut String) -> Entry<'a> {
    match entry {
        Entry::Document(document) if settings.is_html => {
            match text_of(document.text.as_bytes(), Some("text/html; charset=utf-8"), settings.page_text(), page) {
                Content::Text => Entry::Document(Document { text: page, ..document }),
                Content::NotText => Entry::Skipped("not a page".into()),
                Content::NotBuilt => Entry::Skipped(NOT_BUILT.into()),
            }
        }
        entry => entry,
    }
}

/// A document with only a text.
fn of_text(text: &str) -> Document<'_> {
    Document { id: None, text, uri: None, source: None, value: FieldValue::Missing, others: Box::default() }
}

/// Reason why a row of a table in memory was not read.
const NOT_UTF8: &str = "not UTF-8";

fn held_entry<'a>(held: &'a HeldChunk, row: u64, text: HeldText<'a>, longest: u32) -> Entry<'a> {
    match text {
        HeldText::Text(text) if text.len() > longest as usize => Entry::Skipped(SkipReason::too_long(longest)),
        HeldText::Text(text) => Entry::Document(Document {
            id: held.rows.id(row),
            text,
            uri: None,
            source: held.rows.source(row),
            value: held.rows.value(row),
            // The number of the single object, if no fields are named.
            others: held.rows.fields(row).map(|fields| (0, fields.to_owned())).into_iter().collect(),
        }),
        HeldText::Null => Entry::Carried(NULL_TEXT),
        HeldText::Unusable(reason) => Entry::Skipped(reason.into()),
    }
}

fn row_entry<'a>(row: &'a Row, bytes: &'a [u8]) -> Entry<'a> {
    let text = |range: &std::ops::Range<usize>| std::str::from_utf8(&bytes[range.clone()]).ok();
    match &row.text {
        Ok(range) => Entry::Document(Document {
            id: row.id.as_ref().and_then(text).map(Cow::Borrowed),
            text: text(range).unwrap_or_default(),
            uri: None,
            source: row.source.as_ref().and_then(text).map(Cow::Borrowed),
            value: row.value.clone(),
            others: row.others.iter().filter_map(|(at, range)| Some((*at, json_string(text(range)?)))).collect(),
        }),
        Err(NoText::Null) => Entry::Carried(NULL_TEXT),
        Err(NoText::Unusable(reason)) => Entry::Skipped(reason.clone().into()),
    }
}
