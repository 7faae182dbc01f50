//! A part of a file that cuts no entry, and what lies in it.

use lookalike_core::keep::FieldValue;
use memchr::memchr_iter;

use super::wet::{self, RecordRange};
use super::{Document, Entry, Fields, Placed, jsonl};
use crate::error::Result;
use crate::format::Format;
use crate::place::{Place, Shelf, Store};

/// Whole entries of one file, unpacked. Filled by a stream, again and again, for its buffers.
#[derive(Debug)]
pub struct Chunk {
    pub(super) file: u32,
    pub(super) number: u32,
    pub(super) format: Format,
    pub(super) bytes: Vec<u8>,
    pub(super) store: ChunkStore,
    /// The records of a WET file.
    pub(super) records: Vec<RecordRange>,
    pub(super) damage: Option<Damage>,
    pub(super) packed_bytes: u64,
}

/// What is wrong with the end of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Damage {
    pub(super) reason: String,
    /// Whether something of the content was lost.
    pub(super) is_loss: bool,
}

/// Where a chunk's bytes can be read again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ChunkStore {
    /// In a store, from this offset on.
    At(Store, u64),
    /// Each record in a gzip member of its own: offset and length.
    Members(Vec<(u64, u32)>),
    /// Nowhere yet.
    Unspooled,
}

impl Default for Chunk {
    fn default() -> Self {
        Self {
            file: 0,
            number: 0,
            format: Format::Text,
            bytes: Vec::new(),
            store: ChunkStore::Unspooled,
            records: Vec::new(),
            damage: None,
            packed_bytes: 0,
        }
    }
}

impl Chunk {
    /// Which of the input files it is of.
    pub fn file(&self) -> u32 {
        self.file
    }

    /// Which chunk of its file it is, counted from 0.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// The format of its file.
    pub fn format(&self) -> Format {
        self.format
    }

    /// How many bytes it has, unpacked.
    pub fn byte_count(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// How many bytes of the file it was made from, packed as they are.
    pub fn packed_bytes(&self) -> u64 {
        self.packed_bytes
    }

    /// Why the file could not be read further, if it could not. Damage comes with the last chunk.
    pub fn damage(&self) -> Option<&str> {
        self.damage.as_ref().map(|damage| &*damage.reason)
    }

    /// Makes sure that the entries can be read again. To be called before they are asked for.
    ///
    /// # Errors
    ///
    /// When there is no room in the spool.
    pub fn settle(&mut self, shelf: &Shelf) -> Result<()> {
        if self.store == ChunkStore::Unspooled {
            self.store = ChunkStore::At(Store::Spool, shelf.spool_bytes(&self.bytes)?);
        }
        Ok(())
    }

    fn place(&self, entry: usize, start: usize, end: usize) -> Option<Place> {
        let (store, offset, length) = match &self.store {
            ChunkStore::At(store, first) => (*store, first + start as u64, u32::try_from(end - start).ok()?),
            ChunkStore::Members(members) => (Store::Member, members[entry].0, members[entry].1),
            ChunkStore::Unspooled => unreachable!("a chunk is settled before its entries are asked for"),
        };
        Some(Place { file: self.file, store, offset, length })
    }
}

/// Parses entries; made once a thread, for its buffer.
#[derive(Debug)]
pub struct Parser {
    fields: Fields,
    text: String,
}

impl Parser {
    /// A parser for these fields.
    pub fn new(fields: Fields) -> Self {
        Self { fields, text: String::new() }
    }

    /// Gives all entries of a chunk to `each`, in order; says how many positions they take.
    pub fn entries(&mut self, chunk: &Chunk, mut each: impl FnMut(Placed<'_>)) -> u64 {
        let mut placed = |position: usize, start: usize, end: usize, entry: Entry<'_>| {
            let Some(place) = chunk.place(position, start, end) else {
                let place = Place { file: chunk.file, store: Store::File, offset: 0, length: 0 };
                let entry = Entry::Skipped("longer than 4 GiB".to_owned());
                return each(Placed { position: position as u64, place, entry });
            };
            each(Placed { position: position as u64, place, entry });
        };
        match chunk.format {
            Format::Jsonl => {
                let mut start = 0;
                let mut position = 0;
                for end in memchr_iter(b'\n', &chunk.bytes).map(|end| end + 1).chain([chunk.bytes.len()]) {
                    let line = &chunk.bytes[start..end];
                    // Blank lines are nothing, but they count as lines.
                    if !line.trim_ascii().is_empty() {
                        placed(position, start, end, self.entry(Format::Jsonl, line));
                    }
                    position += usize::from(end > start);
                    start = end;
                }
                position as u64
            }
            Format::Wet => {
                for (position, record) in chunk.records.iter().enumerate() {
                    let entry = wet::parse(&chunk.bytes, record, &self.fields);
                    placed(position, record.all.start, record.all.end, entry);
                }
                chunk.records.len() as u64
            }
            // A damaged file is a part of a text, which is not that text.
            Format::Text if chunk.damage.as_ref().is_some_and(|damage| damage.is_loss) => 1,
            Format::Text => {
                placed(0, 0, chunk.bytes.len(), self.entry(Format::Text, &chunk.bytes));
                1
            }
        }
    }

    /// Parses an entry that was read again.
    pub fn document<'a>(&'a mut self, format: Format, bytes: &'a [u8]) -> Option<Document<'a>> {
        match self.entry(format, bytes) {
            Entry::Document(document) => Some(document),
            Entry::Carried | Entry::Skipped(_) => None,
        }
    }

    fn entry<'a>(&'a mut self, format: Format, bytes: &'a [u8]) -> Entry<'a> {
        match format {
            Format::Jsonl => jsonl::parse(without_mark(bytes), &self.fields, &mut self.text)
                .map_or_else(Entry::Skipped, Entry::Document),
            Format::Wet => wet::records(bytes, true)
                .first()
                .map_or(Entry::Carried, |record| wet::parse(bytes, record, &self.fields)),
            Format::Text => text_document(bytes),
        }
    }
}

fn text_document(bytes: &[u8]) -> Entry<'_> {
    match simdutf8::compat::from_utf8(without_mark(bytes)) {
        Ok(text) => Entry::Document(Document { id: None, text, uri: None, source: None, value: FieldValue::default() }),
        Err(error) => Entry::Skipped(format!(
            "not UTF-8: byte {} of the file is not part of a character",
            error.valid_up_to() + 1
        )),
    }
}

/// Without the byte order mark that some editors put first.
fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes)
}
