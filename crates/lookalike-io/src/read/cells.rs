//! Reads every cell of a row in any format: CSV and TSV, JSON objects, Parquet. Also reads lines.
//!
//! Files are read like documents: the same formats, the same detection, and the same limits. Nested fields are separate
//! columns, named with dots as for documents; columns of JSON are found row by row, so a later row may have more cells
//! than the first.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

use encoding_rs::Encoding;
use lookalike_core::error::Error as CoreError;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::chunk::Chunk;
use super::csv::Cells;
use super::cut::without_mark;
use super::jsonl::{Key, without_line, without_lone_surrogates};
use super::stream::{Opened, Stream};
use super::{Fields, Settings, Split};
use crate::bounds::{InputLimit, MOST_COLUMNS};
use crate::charset;
use crate::error::{Error, Result};
use crate::format::{Format, starts_list};
use crate::input::discover::InputFile;
use crate::parquet::{NextRow, TableRows};
use crate::skipped::SkipReason;

/// Maximum nesting depth: deeper objects are returned as written.
const DEEPEST: usize = 16;

/// Interpretation of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadAs {
    /// A table: CSV unless another format is detected.
    Table,
    /// A table, if its name or content shows one: for files that nobody named.
    ShownTable,
    /// A table, if its name or content shows one, and otherwise lines.
    TableOrLines,
    /// Lines, whatever the content.
    Lines,
}

impl ReadAs {
    pub(super) fn format(self, name: &str, start: &[u8]) -> Format {
        // There is no text column that identifies a table.
        let fields = Fields { text: "\0".to_owned(), ..Fields::default() };
        let found = Format::of(name, start, &Settings { fields, split: Split::Line, ..Settings::default() });
        match (self, found) {
            (Self::Lines, Format::Other) => Format::Other,
            (Self::Lines, _) => Format::Lines,
            (_, Format::Lines) => {
                // The content is more reliable than a name such as .txt.
                let bare = without_mark(start).trim_ascii_start();
                match self {
                    _ if bare.starts_with(b"{") => Format::Jsonl,
                    _ if starts_list(bare) => Format::JsonList,
                    Self::Table => Format::Csv,
                    Self::ShownTable => Format::Text,
                    Self::TableOrLines | Self::Lines => Format::Lines,
                }
            }
            (_, found) => found,
        }
    }
}

/// A row or line.
#[derive(Debug)]
pub struct Row<'a> {
    /// Number of the entry in the file, counted from 1, as for documents: the header of a CSV file is row 1.
    pub position: u64,
    /// Its content.
    pub content: RowContent<'a>,
    /// Number of rows, if several are lost at once; otherwise 1.
    pub count: u64,
}

/// Content of a row.
#[derive(Debug)]
pub enum RowContent<'a> {
    /// A cell for each column known so far, trimmed; an empty one is missing.
    Cells(&'a [String]),
    /// A line without its end.
    Line(Cow<'a, str>),
    /// It or the rest cannot be read, for this reason.
    Skipped(SkipReason),
}

/// The rows of a file.
pub struct CellReader {
    format: Format,
    source: Rows,
    longest: u32,
    limit: InputLimit,
    columns: Columns,
    csv: Cells,
    encoding: Option<&'static Encoding>,
    packed_bytes: u64,
}

enum Rows {
    Stream {
        stream: Box<Stream>,
        chunk: Box<Chunk>,
        /// The next span of the chunk.
        next: usize,
        /// Number of positions of earlier chunks.
        before: u64,
        /// True if all of the chunk was returned, including its damage.
        is_done: bool,
    },
    Parquet {
        rows: Box<TableRows>,
        position: u64,
        file_bytes: u64,
    },
}

/// The columns so far, and the cells of a row, whose buffers are reused.
#[derive(Debug, Default)]
struct Columns {
    names: Vec<String>,
    places: HashMap<String, usize>,
    cells: Vec<String>,
}

impl CellReader {
    /// Opens a file.
    ///
    /// # Errors
    ///
    /// If it cannot be opened, or [`Error::NotATable`] if it cannot be read in this way.
    pub fn open(input: &InputFile, settings: &Settings, read_as: ReadAs) -> Result<Self> {
        let not_a_table = |reason: String| Error::NotATable { path: input.shown(), reason };
        let (source, format, names) = match Stream::open_cells(input, settings, read_as)? {
            Opened::Stream(stream, names) => {
                let format = stream.kind().format;
                let chunk = Box::default();
                (Rows::Stream { stream, chunk, next: 0, before: 0, is_done: true }, format, names)
            }
            Opened::Parquet(file) => {
                let rows = TableRows::open(file).map_err(not_a_table)?;
                let names = rows.names().to_vec();
                (Rows::Parquet { rows: Box::new(rows), position: 0, file_bytes: input.bytes }, Format::Parquet, names)
            }
        };
        let columns = Columns::new(names).map_err(not_a_table)?;
        let (longest, limit) = (settings.longest, settings.limit.clone());
        Ok(Self { format, source, longest, limit, columns, csv: Cells::default(), encoding: None, packed_bytes: 0 })
    }

    /// The format of the file.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The names of the sheets of a workbook that have cells, beside the one that is read.
    pub fn other_sheets(&self) -> &[String] {
        match &self.source {
            Rows::Stream { stream, .. } => &stream.other_sheets,
            Rows::Parquet { .. } => &[],
        }
    }

    /// The names of the columns so far; lines have none.
    pub fn names(&self) -> &[String] {
        &self.columns.names
    }

    /// Number of bytes of the file read so far, before decompression.
    pub fn packed_bytes(&self) -> u64 {
        self.packed_bytes
    }

    /// Number of entries of the file, including blank lines, once all rows have been read.
    pub fn position_count(&self) -> u64 {
        match &self.source {
            Rows::Stream { before, .. } => *before,
            Rows::Parquet { rows, .. } => rows.row_count(),
        }
    }

    /// Reads the next row. None at the end.
    ///
    /// # Errors
    ///
    /// If the file cannot be read. (Damaged content is a skipped row.)
    pub fn next_row(&mut self) -> Result<Option<Row<'_>>> {
        let Self { format, source, longest, limit, columns, csv, encoding, packed_bytes } = self;
        let (stream, chunk, next, before, is_done) = match source {
            Rows::Stream { stream, chunk, next, before, is_done } => (stream, chunk, next, before, is_done),
            Rows::Parquet { rows, position, file_bytes } => {
                *position += 1;
                let here = *position;
                *packed_bytes = (*file_bytes as f64 * here as f64 / rows.row_count().max(1) as f64) as u64;
                let mut count = 1;
                let content = match rows.next(*longest as usize, &mut columns.cells) {
                    NextRow::Cells => {
                        limit.count(columns.cells.iter().map(|cell| cell.len() as u64).sum())?;
                        RowContent::Cells(&columns.cells)
                    }
                    NextRow::Skipped(reason) => RowContent::Skipped(reason.into()),
                    NextRow::Lost(lost) => {
                        count = lost.rows.max(1);
                        *position += count - 1;
                        RowContent::Skipped(format!("{}: {} rows are lost", lost.reason, lost.rows).into())
                    }
                    NextRow::End => return Ok(None),
                };
                return Ok(Some(Row { position: here, content, count }));
            }
        };
        let at = loop {
            if *is_done {
                if !stream.next(chunk)? {
                    return Ok(None);
                }
                *packed_bytes += chunk.packed_bytes;
                (*next, *is_done) = (0, false);
            }
            if let Some(span) = chunk.cut.spans.get(*next) {
                let at = *next;
                *next += 1;
                let has_header = || chunk.kind.table.as_ref().is_some_and(|table| table.has_header);
                // A row of empty cells between tabs looks blank, but is a row.
                let is_blank = *format != Format::Csv
                    && span.problem.is_none()
                    && without_mark(&chunk.bytes[span.all.clone()]).trim_ascii().is_empty();
                let is_header = || {
                    let first = chunk.cut.spans.iter().position(|span| !span.is_blank);
                    chunk.number == 0 && first == Some(at) && has_header()
                };
                if !(is_blank || span.is_blank || is_header()) {
                    break at;
                }
                continue;
            }
            let position = *before + chunk.cut.positions as u64 + 1;
            *before = position - 1;
            *is_done = true;
            if let Some(damage) = chunk.damage.take() {
                *before += damage.positions;
                let count = damage.positions.max(1);
                return Ok(Some(Row { position, content: RowContent::Skipped(damage.reason), count }));
            }
        };
        let span = &chunk.cut.spans[at];
        let bytes = without_mark(&chunk.bytes[span.all.clone()]);
        let mut decoder = Decoder { encoding, around: &chunk.bytes };
        let content = match &span.problem {
            Some(problem) => RowContent::Skipped(problem.clone()),
            None if bytes.len() > *longest as usize => RowContent::Skipped(SkipReason::too_long(*longest)),
            None => match format {
                Format::Csv => {
                    let delimiter = chunk.kind.table.as_ref().map_or(b',', |table| table.delimiter);
                    columns.read_csv(bytes, delimiter, csv, &mut decoder)
                }
                Format::Lines => RowContent::Line(decoder.text(without_line_end(bytes))),
                _ => columns.read_object(bytes),
            },
        };
        Ok(Some(Row { position: *before + span.position as u64 + 1, content, count: 1 }))
    }
}

fn without_line_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Decodes text in the charset of its file, which is hard to detect from a single cell.
struct Decoder<'d> {
    encoding: &'d mut Option<&'static Encoding>,
    /// More bytes of the file.
    around: &'d [u8],
}

impl Decoder<'_> {
    fn text<'a>(&mut self, bytes: &'a [u8]) -> Cow<'a, str> {
        if let Ok(text) = simdutf8::basic::from_utf8(bytes) {
            return Cow::Borrowed(text);
        }
        let encoding = self.encoding.get_or_insert_with(|| charset::of_bytes(self.around));
        encoding.decode_without_bom_handling(bytes).0
    }
}

impl Columns {
    /// Starts with known columns.
    fn new(names: Vec<String>) -> std::result::Result<Self, String> {
        if names.len() > MOST_COLUMNS {
            return Err(format!("it has {} columns, and {MOST_COLUMNS} are possible", names.len()));
        }
        let mut places = HashMap::new();
        for (at, name) in names.iter().enumerate() {
            if places.insert(name.clone(), at).is_some() {
                return Err(format!("two of its columns are named '{name}'"));
            }
        }
        Ok(Self { cells: vec![String::new(); names.len()], names, places })
    }

    fn read_csv(&mut self, row: &[u8], delimiter: u8, csv: &mut Cells, decoder: &mut Decoder<'_>) -> RowContent<'_> {
        csv.read(row, delimiter);
        if csv.count() != self.names.len() {
            let error = CoreError::RowOfWrongLength { fields: csv.count(), columns: self.names.len() };
            return RowContent::Skipped(SkipReason::RaggedRow(error.to_string()));
        }
        for (at, cell) in self.cells.iter_mut().enumerate() {
            cell.clear();
            cell.push_str(decoder.text(csv.cell(at).unwrap_or_default()).trim());
        }
        RowContent::Cells(&self.cells)
    }

    fn read_object(&mut self, object: &[u8]) -> RowContent<'_> {
        self.cells.iter_mut().for_each(String::clear);
        let object = without_line_end(object);
        let read = simdutf8::compat::from_utf8(object)
            .map_err(|error| format!("not UTF-8: byte {} is not part of a character", error.valid_up_to() + 1))
            .and_then(|object| {
                self.add_fields(object, &mut String::new(), 0).or_else(|reason| {
                    let repaired = without_lone_surrogates(object).ok_or(reason)?;
                    self.cells.iter_mut().for_each(String::clear);
                    self.add_fields(&repaired, &mut String::new(), 0)
                })
            });
        match read {
            Ok(()) => RowContent::Cells(&self.cells),
            Err(reason) => RowContent::Skipped(reason.into()),
        }
    }

    /// Sets the cells of the fields of an object at `path`.
    fn add_fields(&mut self, object: &str, path: &mut String, depth: usize) -> std::result::Result<(), String> {
        let mut deserializer = serde_json::Deserializer::from_str(object);
        let fields = deserializer.deserialize_map(Object).and_then(|fields| deserializer.end().map(|()| fields));
        let fields = fields.map_err(|error| not_an_object(&error))?;
        let start = path.len();
        for (key, value) in fields {
            if depth > 0 {
                path.push('.');
            }
            path.push_str(&key);
            let written = value.get();
            match written.as_bytes().first() {
                Some(b'{') if depth < DEEPEST => self.add_fields(written, path, depth + 1)?,
                Some(b'"') if !written.contains('\\') => self.set(path, written[1..written.len() - 1].trim())?,
                Some(b'"') => {
                    let text: String = serde_json::from_str(written).map_err(|error| not_an_object(&error))?;
                    self.set(path, text.trim())?;
                }
                Some(b'n') => self.set(path, "")?,
                // Numbers keep their digits, and lists keep their JSON form to separate elements.
                _ => self.set(path, written)?,
            }
            path.truncate(start);
        }
        Ok(())
    }

    fn set(&mut self, name: &str, value: &str) -> std::result::Result<(), String> {
        let place = match self.places.get(name) {
            Some(place) => *place,
            None if self.names.len() == MOST_COLUMNS => {
                return Err(format!("column '{name}' would be one more than {MOST_COLUMNS}, which are possible"));
            }
            None => {
                self.places.insert(name.to_owned(), self.names.len());
                self.names.push(name.to_owned());
                self.cells.push(String::new());
                self.names.len() - 1
            }
        };
        let cell = &mut self.cells[place];
        cell.clear();
        cell.push_str(value);
        Ok(())
    }
}

fn not_an_object(error: &serde_json::Error) -> String {
    format!("not an object in JSON: {}", without_line(error))
}

/// The fields of an object in order, as written.
struct Object;

impl<'de> Visitor<'de> for Object {
    type Value = Vec<(Cow<'de, str>, &'de RawValue)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object in braces")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Self::Value, A::Error> {
        let mut fields = Vec::new();
        while let Some(key) = map.next_key_seed(Key)? {
            fields.push((key, map.next_value()?));
        }
        Ok(fields)
    }
}
