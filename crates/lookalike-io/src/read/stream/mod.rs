//! A file, decompressed and cut into chunks.

mod held;
mod open;
mod too_long;

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;

use super::ahead::Ahead;
use super::chunk::{Chunk, ChunkStore, Damage};
use super::cut::{self, Cut};
use super::members::{Member, is_far};
use super::source::Source;
use super::{Settings, arc, csv, json, warc};
use crate::compression::{Compression, is_window_too_large};
use crate::error::{Error, Result};
use crate::format::Format;
use crate::input::held::HeldTable;
use crate::input::shelf::Store;
use crate::parquet::Rows;
use crate::read::FileKind;
use crate::skipped::SkipReason;

pub(super) use open::Opened;

/// Approximate decompressed size of a chunk: large enough for cheap scheduling, small enough to stay in the cache.
const CHUNK: usize = 1 << 20;

/// A file being read.
pub struct Stream {
    file: u32,
    unit: u32,
    shown: PathBuf,
    kind: Arc<FileKind>,
    settings: Settings,
    source: Source,
    /// The rows of a Parquet file, which are not cut from bytes.
    rows: Option<Box<Rows>>,
    /// A table in memory, and its next row.
    held: Option<(HeldTable, u64)>,
    file_bytes: u64,
    /// Bytes that were read, and belong to the next chunk.
    ahead: Ahead,
    /// Their offset in the decompressed file.
    offset: u64,
    members: VecDeque<Member>,
    number: u32,
    /// Number of compressed bytes in chunks so far.
    packed_bytes: u64,
    end: End,
    /// True if a part of the data read so far could not be decompressed.
    has_gap: bool,
    /// True if the buffered bytes are the rest of an entry that is too long.
    is_skipping: bool,
    damage: Option<Damage>,
    /// Sheets of a workbook with cells that are not read.
    pub(in crate::read) other_sheets: Vec<String>,
}

/// Result of reading the next chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// A chunk was filled.
    Chunk,
    /// The next entry is longer than the given maximum; nothing was taken.
    Large,
    /// The file has ended.
    End,
}

/// State of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// There is more to read.
    Ahead,
    /// The file has ended.
    Reached,
    /// The rest of it cannot be read.
    Lost,
}

impl Stream {
    /// The detected kind of the file.
    pub fn kind(&self) -> &Arc<FileKind> {
        &self.kind
    }

    /// Fills `chunk` with the next part of the file. Returns false at the end.
    ///
    /// # Errors
    ///
    /// If the file cannot be read. (Damaged content is not an error: it is reported with the chunk before it.)
    pub fn next(&mut self, chunk: &mut Chunk) -> Result<bool> {
        Ok(self.next_within(chunk, usize::MAX)? == Next::Chunk)
    }

    /// The same, unless the next entry is longer than about `most` bytes: then nothing is taken, and the call can be
    /// repeated.
    ///
    /// # Errors
    ///
    /// As [`Stream::next`].
    pub fn next_within(&mut self, chunk: &mut Chunk, most: usize) -> Result<Next> {
        chunk.rows.clear();
        chunk.cut.clear();
        chunk.held = None;
        if self.held.is_some() {
            return self.next_held(chunk, most);
        }
        if self.rows.is_some() {
            return Ok(if self.next_rows(chunk)? { Next::Chunk } else { Next::End });
        }
        if self.is_skipping {
            self.skip()?;
        }
        let is_empty_document = self.number == 0 && self.kind.format.is_one_document();
        if self.at_end() && self.ahead.is_empty() && self.damage.is_none() && !is_empty_document {
            return Ok(Next::End);
        }
        let longest = self.settings.longest as usize;
        let mut size = CHUNK.max(self.ahead.len());
        loop {
            self.read_to(size)?;
            self.cut(false, &mut chunk.cut);
            if chunk.cut.end > 0 || self.at_end() {
                break;
            }
            if size > longest {
                self.cut_off(&mut chunk.cut);
                break;
            }
            if size >= most.max(CHUNK) {
                return Ok(Next::Large);
            }
            size = (2 * size).min(longest + CHUNK);
        }
        let end = chunk.cut.end;
        // In a damaged file, bytes after the last complete entry are an incomplete entry, and lost; unless more entries
        // are buffered.
        let is_last = self.at_end() && !(chunk.cut.is_full() && end < self.ahead.len());
        let used = if is_last { self.ahead.len() } else { end };
        chunk.damage = if is_last || !self.at_end() { self.damage.take() } else { None };
        self.ahead.take(end, used, &mut chunk.bytes);
        chunk.store = self.store(end as u64, &chunk.cut);
        chunk.packed_bytes = self.count_packed(used);
        self.offset += used as u64;
        self.fill(chunk);
        Ok(Next::Chunk)
    }

    /// Number of chunks so far.
    pub fn chunk_count(&self) -> u32 {
        self.number
    }

    fn fill(&mut self, chunk: &mut Chunk) {
        chunk.file = self.file;
        chunk.unit = self.unit;
        chunk.number = self.number;
        chunk.kind = Arc::clone(&self.kind);
        self.number += 1;
    }

    /// Reads until `size` bytes are buffered, or the end is reached.
    fn read_to(&mut self, size: usize) -> Result<()> {
        let Some(most) = size.checked_sub(self.ahead.len()).filter(|most| *most > 0 && !self.at_end()) else {
            return Ok(());
        };
        let compression = self.source.compression;
        let before = self.ahead.len();
        let read = self.source.read(self.ahead.end(), most, &mut self.members);
        self.settings.limit.count((self.ahead.len() - before) as u64)?;
        match read {
            Ok(more) => {
                if !more {
                    self.end = End::Reached;
                }
                if let Some(damage) = self.source.take_damage() {
                    // Garbage after the data does not affect what was read.
                    self.has_gap |= more;
                    self.damage(damage.into());
                }
            }
            // System errors have a number; those of a decoder have none.
            Err(cause) if compression == Compression::None || cause.raw_os_error().is_some() || is_far(&cause) => {
                return Err(Error::unreadable(&self.shown)(cause));
            }
            Err(error) if is_window_too_large(&error) => {
                self.end = End::Lost;
                let most = 1_u64 << self.settings.limit.window_log();
                self.damage(SkipReason::WindowLimit(format!(
                    "a zstd window of more than {most} bytes, as long mode makes them, \
                     for which there is too little memory: the rest is lost"
                )));
            }
            Err(error) => {
                self.end = End::Lost;
                let name = compression.name();
                let reason = format!("the {name} data is damaged or cut short here ({error}): the rest is lost");
                self.damage(reason.into());
            }
        }
        Ok(())
    }

    fn at_end(&self) -> bool {
        self.end != End::Ahead
    }

    /// Records damage at this position. Earlier damage that has not been reported takes precedence.
    fn damage(&mut self, reason: SkipReason) {
        self.damage.get_or_insert(Damage { reason, positions: 0 });
    }

    /// Cuts off the complete entries of the buffer. With `is_too_long`, the first one exceeds the limit.
    fn cut(&self, is_too_long: bool, cut: &mut Cut) {
        let is_whole = self.end == End::Reached;
        let ahead = self.ahead.as_slice();
        match self.kind.format {
            Format::Jsonl | Format::Lines => cut::lines(ahead, is_whole, cut),
            Format::Paragraphs => cut::paragraphs(ahead, is_whole, cut),
            Format::JsonList | Format::JsonValues => json::cut(ahead, is_whole, cut),
            // The last one is complete if its length says so; otherwise damage has been reported already.
            Format::Warc => {
                warc::cut(ahead, self.at_end(), cut);
                cut.forget_damaged_end(self.end == End::Lost);
            }
            Format::Arc => {
                arc::cut(ahead, self.at_end(), cut);
                cut.forget_damaged_end(self.end == End::Lost);
            }
            Format::Csv => {
                let delimiter = self.kind.table.as_ref().map_or(b',', |table| table.delimiter);
                csv::cut(ahead, delimiter, is_whole, is_too_long, cut);
            }
            // A damaged file is a part of a text, which is a different text.
            Format::Text | Format::Html if is_whole && !self.has_gap => cut.push(0..ahead.len(), None),
            Format::Text | Format::Html | Format::Parquet | Format::Held | Format::Other => {}
        }
    }

    /// Stops reading, with a reason.
    fn give_up(&mut self, reason: SkipReason) {
        self.ahead.clear();
        self.end = End::Lost;
        self.damage(reason);
    }

    /// The location from which the first `end` buffered bytes, now in a chunk, can be read again.
    fn store(&mut self, end: u64, cut: &Cut) -> ChunkStore {
        if self.source.is_plain() {
            return ChunkStore::At(Store::File, self.offset);
        }
        let end = self.offset + end;
        let count = self.members.partition_point(|member| member.end <= end);
        let members: Vec<Member> = self.members.drain(..count).filter(|member| member.start < member.end).collect();
        let keeps_to_members = cut.spans.len() == members.len()
            && cut.spans.iter().zip(&members).all(|(span, member)| {
                [span.all.start, span.all.end].map(|at| self.offset + at as u64) == [member.start, member.end]
            });
        let place =
            |member: &Member| Some((member.packed_start, u32::try_from(member.packed_end - member.packed_start).ok()?));
        match members.iter().map(place).collect::<Option<Vec<_>>>() {
            Some(members) if keeps_to_members && !members.is_empty() => ChunkStore::Members(members),
            _ => ChunkStore::Unspooled,
        }
    }

    /// The compressed bytes since the last chunk, for progress.
    fn count_packed(&mut self, unpacked: usize) -> u64 {
        let position = self.source.packed_bytes().unwrap_or(self.packed_bytes + unpacked as u64);
        position - std::mem::replace(&mut self.packed_bytes, position)
    }

    fn next_rows(&mut self, chunk: &mut Chunk) -> Result<bool> {
        let Some(rows) = &mut self.rows else { return Ok(false) };
        chunk.bytes.clear();
        chunk.damage = None;
        match rows.next(CHUNK, self.settings.longest as usize, &mut chunk.bytes, &mut chunk.rows) {
            Ok(false) => return Ok(false),
            Ok(true) => self.settings.limit.count(chunk.bytes.len() as u64)?,
            Err(lost) => {
                let reason = format!("{}: {} rows are lost", lost.reason, lost.rows).into();
                chunk.damage = Some(Damage { reason, positions: lost.rows });
            }
        }
        let lost = chunk.damage.as_ref().map_or(0, |damage| damage.positions);
        chunk.packed_bytes = self.file_bytes * (chunk.rows.len() as u64 + lost) / rows.row_count().max(1);
        chunk.store = ChunkStore::Unspooled;
        self.fill(chunk);
        Ok(true)
    }
}
