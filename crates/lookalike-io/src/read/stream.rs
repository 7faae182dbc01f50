//! A file, unpacked and cut into chunks, one after the other.

use std::collections::VecDeque;
use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use super::ahead::Ahead;
use super::chunk::{Chunk, ChunkStore, Damage, too_long};
use super::csv::Table;
use super::cut::{self, Cut};
use super::members::{Member, is_far};
use super::source::{START, Source};
use super::units::{Part, Unit};
use super::{RECORD_LIMIT, ReadAs, Refused, Settings, WINDOW_LIMIT, arc, csv, json, utf16, warc};
use crate::bounds::Room;
use crate::compression::{Compression, is_window_too_large};
use crate::error::{Error, Result};
use crate::excel;
use crate::format::{FileKind, Format};
use crate::input::discover::{InputFile, Origin};
use crate::input::shelf::Store;
use crate::parquet::Rows;

/// How many bytes a chunk has about, unpacked: enough to make handing it over cheap, few enough to stay in the cache.
const CHUNK: usize = 1 << 20;

/// The longest first row of a CSV file: the names of its columns.
const LONGEST_FIRST_ROW: usize = 1 << 20;

/// What unpacks to this many times its size inside of one entry that is too long already was packed for no good.
const BOMB: u64 = 100;

/// A file that is being read.
pub struct Stream {
    file: u32,
    unit: u32,
    shown: PathBuf,
    kind: Arc<FileKind>,
    settings: Settings,
    source: Source,
    /// The rows of a Parquet file, which are not cut from bytes.
    rows: Option<Box<Rows>>,
    file_bytes: u64,
    /// Bytes that were read, and belong to the next chunk.
    ahead: Ahead,
    /// Where they lie in the unpacked file.
    offset: u64,
    members: VecDeque<Member>,
    number: u32,
    /// How many packed bytes went into chunks so far.
    packed_bytes: u64,
    end: End,
    /// A part of what was read so far could not be unpacked.
    has_gap: bool,
    /// What is ahead is the rest of an entry that is too long.
    is_skipping: bool,
    damage: Option<Damage>,
}

/// A file that is read for all its cells or lines.
pub(super) enum Opened {
    /// A text in chunks, with the names of its columns, where it starts with them.
    Stream(Box<Stream>, Vec<String>),
    /// A Parquet file.
    Parquet(File),
}

/// What comes next of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// A chunk was filled.
    Chunk,
    /// An entry that is longer than was asked for.
    Large,
    /// Nothing.
    End,
}

/// Whether there is more to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// There is.
    Ahead,
    /// The file came to its end.
    Reached,
    /// The rest of it cannot be read.
    Lost,
}

impl Stream {
    /// Opens a unit of a file of the input. A file that was found and not named, and cannot be opened, is skipped: it is
    /// as one that is damaged from its start.
    ///
    /// # Errors
    ///
    /// When it was named and cannot be opened or read, or its records have other fields than that of the text.
    pub fn open(unit: &Unit, input: &InputFile, settings: &Settings) -> Result<Self> {
        match Self::open_readable(unit, input, settings) {
            Err(Error::Unreadable { cause, .. }) if !input.is_named => {
                let mut stream = Self::new(unit, input, settings, Source::nothing(), 0);
                let kind = FileKind { format: Format::Other, is_refused: true, ..(*stream.kind).clone() };
                stream.kind = Arc::new(kind);
                stream.give_up(input.why_skipped(&cause));
                Ok(stream)
            }
            opened => opened,
        }
    }

    /// A stream that starts at `start`, of what nobody knows yet.
    fn new(unit: &Unit, input: &InputFile, settings: &Settings, source: Source, start: u64) -> Self {
        let kind = FileKind { format: Format::Text, compression: source.compression, table: None, is_refused: false };
        let offset = if source.is_plain() { start } else { 0 };
        Self {
            file: unit.file,
            unit: unit.number,
            shown: input.shown(),
            kind: Arc::new(kind),
            settings: settings.clone(),
            source,
            rows: None,
            file_bytes: input.bytes,
            ahead: Ahead::default(),
            offset,
            members: VecDeque::new(),
            number: 0,
            packed_bytes: start,
            end: End::Ahead,
            has_gap: false,
            is_skipping: false,
            damage: None,
        }
    }

    fn open_readable(unit: &Unit, input: &InputFile, settings: &Settings) -> Result<Self> {
        let (mut stream, known) = Self::start(unit, input, settings)?;
        let format = known.unwrap_or_else(|| Format::of(&input.name, stream.ahead.as_slice(), settings));
        let table = match format {
            Format::Other => Err(Refused::Other("not a text, by its first bytes".to_owned())),
            // What a part of a file starts with is no mark.
            _ if known.is_none() && cut::is_utf16(stream.ahead.as_slice()) && !format.is_one_document() => {
                Err(Refused::Other("in UTF-16: convert it to UTF-8 first, for example with iconv".to_owned()))
            }
            Format::Csv if stream.ahead.is_empty() => Ok(None),
            Format::Csv => {
                let end = stream.first_row(&input.name).map_err(Refused::Other);
                end.and_then(|end| Table::of(&input.name, &stream.ahead.as_slice()[..end], settings)).map(Some)
            }
            Format::Parquet => stream.open_rows(input, &unit.part)?.map(|()| None),
            _ => Ok(None),
        };
        match table {
            Err(Refused::NoTextField { fields }) => {
                let (path, field) = (input.shown(), settings.fields.text.clone());
                return Err(Error::NoTextField { path, field, fields });
            }
            Err(Refused::Other(reason)) => stream.set_kind(format, Err(reason)),
            Ok(table) => stream.set_kind(format, Ok(table)),
        }
        Ok(stream)
    }

    /// Opens a file for all its cells or lines: with the names of the columns, where it starts with them. A Parquet file comes
    /// as such, to be read by its columns.
    ///
    /// # Errors
    ///
    /// As [`Stream::open`]; and [`Error::NotATable`] when it cannot be read so.
    pub(super) fn open_cells(input: &InputFile, settings: &Settings, read_as: ReadAs) -> Result<Opened> {
        let (mut stream, _) = Self::start(&Unit::whole(0), input, settings)?;
        if cut::is_utf16(stream.ahead.as_slice()) {
            let source = std::mem::replace(&mut stream.source, Source::nothing());
            let decoded = utf16::decoded(source, stream.ahead.as_slice().to_vec());
            stream.start_again(decoded)?;
        }
        let not_a_table = |reason: String| Error::NotATable { path: input.shown(), reason };
        let mut settings = settings.clone();
        let format = if excel::is_workbook(&input.name, stream.ahead.as_slice()) {
            let file = stream.whole_file(input)?.map_err(not_a_table)?;
            let csv = excel::to_csv(&file).map_err(not_a_table)?;
            stream.start_again(Source::of_reader(Box::new(csv), Compression::None))?;
            settings.delimiter = Some(b',');
            Format::Csv
        } else {
            read_as.format(&input.name, stream.ahead.as_slice())
        };
        let mut names = Vec::new();
        let table = match format {
            Format::Jsonl | Format::JsonList | Format::JsonValues | Format::Lines => None,
            Format::Csv if stream.ahead.is_empty() => None,
            Format::Csv => {
                let mut end = stream.first_row(&input.name).map_err(not_a_table)?;
                // Spreadsheets say so what stands between cells, and do not show it.
                if let Some(delimiter) = csv::declared_delimiter(&stream.ahead.as_slice()[..end]) {
                    settings.delimiter.get_or_insert(delimiter);
                    stream.ahead.consume(end);
                    end = stream.first_row(&input.name).map_err(not_a_table)?;
                }
                let (table, found) = Table::of_all(&input.name, &stream.ahead.as_slice()[..end], &settings);
                names = found;
                Some(table)
            }
            Format::Parquet => {
                let file = stream.whole_file(input)?.map_err(not_a_table)?;
                return Ok(Opened::Parquet(file));
            }
            Format::Warc | Format::Arc => return Err(not_a_table("it is a crawl, for dedup and pairs".to_owned())),
            Format::Html => return Err(not_a_table("it is a page, for dedup and pairs".to_owned())),
            Format::Other => return Err(not_a_table("not a text, by its first bytes".to_owned())),
            Format::Text | Format::Paragraphs => {
                let reason = "neither its name nor its content shows a table; name the file itself to read it as CSV";
                return Err(not_a_table(reason.to_owned()));
            }
        };
        stream.set_kind(format, Ok(table));
        Ok(Opened::Stream(Box::new(stream), names))
    }

    /// Reads from another source, as if nothing had been read.
    fn start_again(&mut self, source: Source) -> Result<()> {
        self.source = source;
        self.ahead.clear();
        self.end = End::Ahead;
        self.read_to(START)
    }

    /// The first bytes of a unit of a file, and its format where the unit says it.
    fn start(unit: &Unit, input: &InputFile, settings: &Settings) -> Result<(Self, Option<Format>)> {
        let (source, start, known) = match &unit.part {
            Part::Whole => (Source::open(input, settings.limit.window_log())?, 0, None),
            Part::Groups(_) => (Source::open(input, settings.limit.window_log())?, 0, Some(Format::Parquet)),
            Part::Bytes(bytes, format) => (Source::open_part(input, bytes)?, bytes.start, Some(*format)),
        };
        let mut stream = Self::new(unit, input, settings, source, start);
        stream.read_to(START)?;
        Ok((stream, known))
    }

    /// Sets what the file is, with its table if it has one; or why it cannot be read.
    fn set_kind(&mut self, format: Format, table: std::result::Result<Option<Table>, String>) {
        let compression = self.kind.compression;
        let is_refused = table.is_err();
        match table {
            Ok(table) => {
                self.kind = Arc::new(FileKind { format, compression, table: table.map(Arc::new), is_refused });
            }
            Err(reason) => {
                self.kind = Arc::new(FileKind { format, compression, table: None, is_refused });
                self.give_up(reason);
            }
        }
    }

    /// What the file is.
    pub fn kind(&self) -> &Arc<FileKind> {
        &self.kind
    }

    /// Fills `chunk` with the next part of the file. False when there is none.
    ///
    /// # Errors
    ///
    /// When the file cannot be read. (Damaged content is no error: it comes with the chunk before it.)
    pub fn next(&mut self, chunk: &mut Chunk) -> Result<bool> {
        Ok(self.next_within(chunk, usize::MAX)? == Next::Chunk)
    }

    /// The same, unless the next entry is longer than `most`, about: then nothing is taken, and it can be asked for again.
    ///
    /// # Errors
    ///
    /// As [`Stream::next`].
    pub fn next_within(&mut self, chunk: &mut Chunk, most: usize) -> Result<Next> {
        chunk.rows.clear();
        chunk.cut.clear();
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
        // What follows the last whole entry of a damaged file is a part of one, and lost; unless more entries are ahead.
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

    /// How many chunks there were so far.
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

    /// Reads until `size` bytes are ahead, or the end is reached.
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
                    // What follows the data does not concern what was read.
                    self.has_gap |= more;
                    self.damage(damage);
                }
            }
            // The system has a number for its own errors; a decoder's have none.
            Err(cause) if compression == Compression::None || cause.raw_os_error().is_some() || is_far(&cause) => {
                return Err(Error::unreadable(&self.shown)(cause));
            }
            Err(error) if is_window_too_large(&error) => {
                self.end = End::Lost;
                let most = 1_u64 << self.settings.limit.window_log();
                self.damage(format!(
                    "a zstd window of more than {most} bytes, as long mode makes them, {WINDOW_LIMIT}: the rest is lost"
                ));
            }
            Err(error) => {
                self.end = End::Lost;
                let name = compression.name();
                self.damage(format!("the {name} data is damaged or cut short here ({error}): the rest is lost"));
            }
        }
        Ok(())
    }

    fn at_end(&self) -> bool {
        self.end != End::Ahead
    }

    /// Notes what is wrong with the file here. What was noted before and not yet told is more important.
    fn damage(&mut self, reason: String) {
        self.damage.get_or_insert(Damage { reason, positions: 0 });
    }

    /// Cuts off the whole entries of what is ahead. `is_too_long` says that the first one is longer than any should be.
    fn cut(&self, is_too_long: bool, cut: &mut Cut) {
        let is_whole = self.end == End::Reached;
        let ahead = self.ahead.as_slice();
        match self.kind.format {
            Format::Jsonl | Format::Lines => cut::lines(ahead, is_whole, cut),
            Format::Paragraphs => cut::paragraphs(ahead, is_whole, cut),
            Format::JsonList | Format::JsonValues => json::cut(ahead, is_whole, cut),
            // The last one is whole if it says so; if not, that is told already.
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
            // A damaged file is a part of a text, which is not that text.
            Format::Text | Format::Html if is_whole && !self.has_gap => cut.push(0..ahead.len(), None),
            Format::Text | Format::Html | Format::Parquet | Format::Other => {}
        }
    }

    /// Gives up an entry that is too long.
    fn cut_off(&mut self, cut: &mut Cut) {
        cut.clear();
        self.cut(true, cut);
        if cut.end > 0 {
            return;
        }
        // Its bytes are nobody's.
        let reason = too_long(self.settings.longest);
        match self.kind.format {
            // Nobody can tell where the next one would start.
            Format::JsonList | Format::JsonValues => {
                cut.push(0..0, Some(format!("{reason}; the rest of the file is lost with it").into()));
                self.end = End::Reached;
            }
            Format::Text | Format::Html => {
                cut.push(0..0, Some(reason.into()));
                self.end = End::Reached;
            }
            _ => {
                cut.push(0..0, Some(reason.into()));
                self.is_skipping = true;
            }
        }
    }

    /// Reads on to where the next entry starts, and forgets what lies before.
    fn skip(&mut self) -> Result<()> {
        // What is ahead was unpacked before.
        let unpacked_start = self.offset + self.ahead.len() as u64;
        let packed_start = self.source.packed_bytes();
        self.is_skipping = false;
        // An end that two runs of bytes share is seen in the second.
        let pattern: &[u8] = match self.kind.format {
            Format::Warc => warc::NEXT,
            Format::Paragraphs => b"\n\n",
            _ => b"\n",
        };
        loop {
            let found = memchr::memmem::find(self.ahead.as_slice(), pattern);
            let known = match found {
                // A record starts after the line end, a paragraph after two.
                Some(at) => at + if self.kind.format == Format::Warc { 1 } else { pattern.len() },
                None if self.at_end() => self.ahead.len(),
                None => self.ahead.len().saturating_sub(pattern.len() - 1),
            };
            self.ahead.consume(known);
            self.offset += known as u64;
            if found.is_some() || self.at_end() {
                return Ok(());
            }
            if let (Some(start), Some(now)) = (packed_start, self.source.packed_bytes())
                && (self.offset + self.ahead.len() as u64).saturating_sub(unpacked_start)
                    > BOMB * (now - start).max(START as u64)
            {
                let longest = self.settings.longest;
                self.give_up(format!(
                    "unpacks to more than {BOMB} times its size in one entry of more than {longest} bytes, {RECORD_LIMIT}: \
                     cut off, the rest is lost"
                ));
                return Ok(());
            }
            self.read_to(CHUNK)?;
        }
    }

    /// Reads no further, and says why.
    fn give_up(&mut self, reason: String) {
        self.ahead.clear();
        self.end = End::Lost;
        self.damage(reason);
    }

    /// Where the first row of a CSV file ends, which is ahead then.
    fn first_row(&mut self, name: &str) -> std::result::Result<usize, String> {
        let delimiter = self.settings.delimiter.or_else(|| csv::delimiter_by_name(name)).unwrap_or(b'\0');
        loop {
            let mut first = Cut::default();
            csv::cut(self.ahead.as_slice(), delimiter, self.at_end(), false, &mut first);
            // Blank lines may come first.
            if let Some(span) = first.spans.iter().find(|span| !span.is_blank) {
                return Ok(span.all.end);
            }
            if self.ahead.len() >= LONGEST_FIRST_ROW || self.at_end() {
                return Err("no row of cells at the start".to_owned());
            }
            self.read_to(2 * self.ahead.len()).map_err(|error| error.to_string())?;
        }
    }

    /// Where the first `end` bytes ahead, now in a chunk, can be read again.
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

    /// The packed bytes since the last chunk, for progress.
    fn count_packed(&mut self, unpacked: usize) -> u64 {
        let position = self.source.packed_bytes().unwrap_or(self.packed_bytes + unpacked as u64);
        position - std::mem::replace(&mut self.packed_bytes, position)
    }

    /// Opens a Parquet file by its end.
    fn open_rows(&mut self, input: &InputFile, part: &Part) -> Result<std::result::Result<(), Refused>> {
        let groups = if let Part::Groups(groups) = part { Some(groups.clone()) } else { None };
        let file = self.whole_file(input)?;
        let rows = file.map_err(Refused::Other).and_then(|file| Rows::open(file, &self.settings.fields, groups));
        Ok(rows.map(|rows| self.rows = Some(Box::new(rows))))
    }

    /// A file to be read from any place. What cannot be is copied first.
    fn whole_file(&mut self, input: &InputFile) -> Result<std::result::Result<File, String>> {
        if self.source.compression != Compression::None {
            let reason = "a file that is packed inside, in another compression: unpack it first";
            return Ok(Err(reason.to_owned()));
        }
        if !matches!(input.origin, Origin::Path(_)) {
            let mut copy = tempfile::tempfile().map_err(Error::unwritable(std::env::temp_dir()))?;
            let room = Room::new(std::env::temp_dir());
            while !self.ahead.is_empty() {
                // What is far away is copied by whoever reads it.
                if !matches!(input.origin, Origin::Remote(_)) {
                    room.take(self.ahead.len() as u64)?;
                    copy.write_all(self.ahead.as_slice()).map_err(Error::unwritable(std::env::temp_dir()))?;
                }
                self.ahead.clear();
                self.read_to(CHUNK)?;
            }
            input.set_copy(copy);
        }
        self.ahead.clear();
        self.end = End::Reached;
        input.open_again().map(Ok)
    }

    fn next_rows(&mut self, chunk: &mut Chunk) -> Result<bool> {
        let Some(rows) = &mut self.rows else { return Ok(false) };
        chunk.bytes.clear();
        chunk.damage = None;
        match rows.next(CHUNK, self.settings.longest as usize, &mut chunk.bytes, &mut chunk.rows) {
            Ok(false) => return Ok(false),
            Ok(true) => self.settings.limit.count(chunk.bytes.len() as u64)?,
            Err(lost) => {
                let reason = format!("{}: {} rows are lost", lost.reason, lost.rows);
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
