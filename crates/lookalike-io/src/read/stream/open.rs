//! Opens a file of the input as a stream: determines its format, its table and its first bytes, or the reason why it is
//! not read.

use std::collections::VecDeque;
use std::fs::File;
use std::io::Write;
use std::sync::Arc;

use super::{CHUNK, End, Stream};
use crate::bounds::Room;
use crate::compression::Compression;
use crate::error::{Error, Result};
use crate::excel;
use crate::format::Format;
use crate::input::discover::{InputFile, Origin};
use crate::parquet::Rows;
use crate::read::FileKind;
use crate::read::ahead::Ahead;
use crate::read::csv::{self, Table};
use crate::read::cut::{self, Cut};
use crate::read::foreign::foreign;
use crate::read::source::{START, Source};
use crate::read::units::{Part, Unit};
use crate::read::{ReadAs, Refused, Settings, utf16};
use crate::skipped::SkipReason;

/// Maximum length of the first row of a CSV file: the names of its columns.
const LONGEST_FIRST_ROW: usize = 1 << 20;

/// Reason why a file is not a text, with advice if there is any.
fn not_text(name: &str, start: &[u8]) -> String {
    foreign(name, start).unwrap_or("not a text, by its first bytes").to_owned()
}

/// A file opened for reading all its cells or lines.
pub(in crate::read) enum Opened {
    /// A text in chunks, with the names of its columns, if it starts with them.
    Stream(Box<Stream>, Vec<String>),
    /// A Parquet file.
    Parquet(File),
}

impl Stream {
    /// Opens a unit of a file of the input. A file that cannot be opened and was found, not named, is skipped, as if
    /// it were damaged from its start.
    ///
    /// # Errors
    ///
    /// If it was named and cannot be opened or read, or its records lack the text field.
    pub fn open(unit: &Unit, input: &InputFile, settings: &Settings) -> Result<Self> {
        match Self::open_readable(unit, input, settings) {
            Err(Error::Unreadable { cause, .. }) if !input.is_named => {
                let mut stream = Self::new(unit, input, settings, Source::nothing(), 0);
                let kind = FileKind { format: Format::Other, is_refused: true, ..(*stream.kind).clone() };
                stream.kind = Arc::new(kind);
                stream.give_up(input.why_skipped(&cause).into());
                Ok(stream)
            }
            opened => opened,
        }
    }

    /// A stream that starts at `start`, whose kind is not known yet.
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
            held: None,
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
            other_sheets: Vec::new(),
        }
    }

    fn open_readable(unit: &Unit, input: &InputFile, settings: &Settings) -> Result<Self> {
        if let Origin::Held(table) = &input.origin {
            let mut stream = Self::new(unit, input, settings, Source::nothing(), 0);
            stream.kind = Arc::new(FileKind { format: Format::Held, ..(*stream.kind).clone() });
            stream.held = Some((table.clone(), 0));
            return Ok(stream);
        }
        let (mut stream, known) = Self::start(unit, input, settings)?;
        let format = known.unwrap_or_else(|| Format::of(&input.name, stream.ahead.as_slice(), settings));
        let table = match format {
            Format::Other => Err(Refused::Other(not_text(&input.name, stream.ahead.as_slice()))),
            // A part of a file does not start with a byte order mark.
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
            // It may be unintended: the caller decides when it has read the other files.
            Err(Refused::NoTextField { fields }) if input.is_met => {
                stream.set_kind(format, Err(SkipReason::NoTextField(fields)));
            }
            Err(Refused::NoTextField { fields }) => {
                let (path, field) = (input.shown(), settings.fields.text.clone());
                return Err(Error::NoTextField { path, field, fields, is_met: input.is_met });
            }
            Err(Refused::Other(reason)) => stream.set_kind(format, Err(reason.into())),
            Ok(table) => stream.set_kind(format, Ok(table)),
        }
        Ok(stream)
    }

    /// Opens a file for reading all its cells or lines: with the names of the columns, if it starts with them. A
    /// Parquet file is returned as such, to be read by columns.
    ///
    /// # Errors
    ///
    /// As [`Stream::open`]; and [`Error::NotATable`] if it cannot be read in this way.
    pub(in crate::read) fn open_cells(input: &InputFile, settings: &Settings, read_as: ReadAs) -> Result<Opened> {
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
            let sheet = excel::to_csv(&file).map_err(not_a_table)?;
            stream.start_again(Source::of_reader(Box::new(sheet.csv), Compression::None))?;
            stream.other_sheets = sheet.others;
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
                // Spreadsheets declare the delimiter like this, and do not display it.
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
            Format::Held | Format::Other => {
                return Err(not_a_table(not_text(&input.name, stream.ahead.as_slice())));
            }
            Format::Text | Format::Paragraphs => {
                let reason = "neither its name nor its content shows a table; name the file itself to read it as CSV";
                return Err(not_a_table(reason.to_owned()));
            }
        };
        stream.set_kind(format, Ok(table));
        Ok(Opened::Stream(Box::new(stream), names))
    }

    /// Switches to another source, as if nothing had been read.
    fn start_again(&mut self, source: Source) -> Result<()> {
        self.source = source;
        self.ahead.clear();
        self.end = End::Ahead;
        self.read_to(START)
    }

    /// The first bytes of a unit of a file, and its format if the unit specifies it.
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

    /// Sets the kind of the file, with its table if it has one; or the reason why it cannot be read.
    fn set_kind(&mut self, format: Format, table: std::result::Result<Option<Table>, SkipReason>) {
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

    /// The end of the first row of a CSV file, which is then buffered.
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

    /// Opens a Parquet file by its footer.
    fn open_rows(&mut self, input: &InputFile, part: &Part) -> Result<std::result::Result<(), Refused>> {
        let groups = if let Part::Groups(groups) = part { Some(groups.clone()) } else { None };
        let file = self.whole_file(input)?;
        let rows = file.map_err(Refused::Other).and_then(|file| Rows::open(file, &self.settings.fields, groups));
        Ok(rows.map(|rows| self.rows = Some(Box::new(rows))))
    }

    /// A file with random access; other inputs are copied first.
    fn whole_file(&mut self, input: &InputFile) -> Result<std::result::Result<File, String>> {
        if self.source.compression != Compression::None {
            let reason = "a file that is packed inside, in another compression: unpack it first";
            return Ok(Err(reason.to_owned()));
        }
        if !matches!(input.origin, Origin::Path(_)) {
            let mut copy = tempfile::tempfile().map_err(Error::unwritable(std::env::temp_dir()))?;
            let room = Room::new(std::env::temp_dir());
            while !self.ahead.is_empty() {
                // A remote file is copied by its reader.
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
}
