//! Converts workbooks to tables: the first sheet of an `.xlsx` file that has cells becomes CSV in a temporary file,
//! which is then read like any other.
//!
//! Rows, limits and messages are therefore those of CSV. Workbooks are untrusted: their parts are decompressed once to
//! determine their size before anything is built from them, and cells are read one by one, since a sheet may claim to
//! have billions.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::panic::{self, AssertUnwindSafe};

use calamine::{DataRef, Reader, Xlsx};
use quick_xml::events::Event;
use zip::ZipArchive;

use crate::bounds::{MOST_COLUMNS, Room};
use crate::format::unpacked_extension;

/// Maximum decompressed size of all parts of a workbook, however small it is.
const SMALL: u64 = 64 << 20;

/// Maximum ratio of decompressed size to file size: XML compresses to a twentieth.
const MOST_TIMES: u64 = 100;

/// The shortest shared string: `<si/>`.
const LEAST_TEXT: u64 = 5;

/// Maximum number of rows of a sheet in the format.
const MOST_ROWS: u32 = 1 << 20;

/// True if a file is a workbook, by its name and first bytes.
pub(crate) fn is_workbook(name: &str, start: &[u8]) -> bool {
    let is_named = matches!(unpacked_extension(name).as_deref(), Some("xlsx" | "xlsm"));
    start.starts_with(b"PK\x03\x04") && (is_named || memchr::memmem::find(start, b"[Content_Types].xml").is_some())
}

/// A sheet of a workbook as a file.
pub(crate) struct Sheet {
    /// Its cells as CSV.
    pub(crate) csv: File,
    /// The names of further sheets with cells, which are not read.
    pub(crate) others: Vec<String>,
}

/// Converts the first sheet with cells to CSV; the error is the reason why there is none.
pub(crate) fn to_csv(file: &File) -> Result<Sheet, String> {
    check_size(file)?;
    let convert = || {
        let mut csv = tempfile::tempfile().map_err(|error| format!("no temporary file: {error}"))?;
        let others = write_sheet(file, &csv)?;
        csv.rewind().map_err(|error| error.to_string())?;
        Ok(Sheet { csv, others })
    };
    // The library panics on some damaged files.
    panic::catch_unwind(AssertUnwindSafe(convert)).unwrap_or_else(|_| Err("the workbook is damaged".to_owned()))
}

/// Rejects files that decompress to far more than their size.
fn check_size(file: &File) -> Result<(), String> {
    let damaged = |error: &dyn std::fmt::Display| format!("not a workbook, or a damaged one: {error}");
    let bytes = file.metadata().map_err(|error| error.to_string())?.len();
    let most = SMALL.max(bytes.saturating_mul(MOST_TIMES));
    let mut archive = ZipArchive::new(BufReader::new(file)).map_err(|error| damaged(&error))?;
    let mut total = 0;
    for at in 0..archive.len() {
        let part = archive.by_index(at).map_err(|error| damaged(&error))?;
        let has_texts =
            part.name().map_err(|error| damaged(&error))?.to_ascii_lowercase().ends_with("sharedstrings.xml");
        let bytes = io::copy(&mut part.take(most + 1 - total), &mut io::sink()).map_err(|error| damaged(&error))?;
        total += bytes;
        if total > most {
            return Err(format!("the workbook unpacks to more than {MOST_TIMES} times its size"));
        }
        if has_texts {
            check_claim(archive.by_index(at).map_err(|error| damaged(&error))?, bytes)?;
        }
    }
    Ok(())
}

/// Rejects a count of shared strings that exceeds what their part of `bytes` can hold: the library reserves memory for
/// all of them at once.
fn check_claim(part: impl Read, bytes: u64) -> Result<(), String> {
    let mut xml = quick_xml::Reader::from_reader(BufReader::new(part));
    let config = xml.config_mut();
    (config.check_end_names, config.check_comments, config.expand_empty_elements) = (false, false, true);
    let mut buffer = Vec::new();
    loop {
        buffer.clear();
        match xml.read_event_into(&mut buffer) {
            Ok(Event::Start(start)) if start.local_name().as_ref() == "sst" => {
                let claimed = claimed(start.attributes_raw());
                return if claimed > bytes / LEAST_TEXT {
                    Err(format!("the workbook is damaged: it claims {claimed} texts in {bytes} bytes"))
                } else {
                    Ok(())
                };
            }
            // The library reports any other problem.
            Ok(Event::Eof) | Err(_) => return Ok(()),
            Ok(_) => {}
        }
    }
}

/// The number of strings in the attributes of their list; 0 if it is not given.
fn claimed(attributes: &str) -> u64 {
    let number = |after: &str| {
        let digits = after.trim_start_matches(|letter: char| letter.is_whitespace() || "=\"'+".contains(letter));
        let end = digits.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(digits.len());
        // A number that does not fit is too large in any case.
        if end == 0 { 0 } else { digits[..end].parse().unwrap_or(u64::MAX) }
    };
    attributes.split("uniqueCount").skip(1).map(number).max().unwrap_or(0)
}

/// Writes the first sheet with cells; returns the names of the others that have some.
fn write_sheet(file: &File, csv: &File) -> Result<Vec<String>, String> {
    let damaged = |error: calamine::XlsxError| format!("the workbook cannot be read: {error}");
    let mut workbook: Xlsx<_> = Xlsx::new(BufReader::new(file)).map_err(damaged)?;
    let mut writer = Rows::new(csv);
    let mut names = workbook.sheet_names().into_iter();
    for name in names.by_ref() {
        // A sheet may be a chart, which has no cells.
        let Ok(mut cells) = workbook.worksheet_cells_reader(&name) else { continue };
        while let Some(cell) = cells.next_cell().map_err(damaged)? {
            let (row, column) = cell.get_position();
            let text = text(cell.get_value());
            if !text.is_empty() {
                writer.add(row, column, text)?;
            }
        }
        writer.end_row()?;
        if writer.columns.is_some() {
            break;
        }
    }
    writer.out.flush().map_err(|error| error.to_string())?;
    // What cannot be read of them harms nothing.
    let mut has_cells = |name: &String| {
        let Ok(mut cells) = workbook.worksheet_cells_reader(name) else { return false };
        std::iter::from_fn(|| cells.next_cell().ok().flatten()).any(|cell| !text(cell.get_value()).is_empty())
    };
    Ok(names.filter(|name| has_cells(name)).collect())
}

/// A cell as text: dates in ISO format, integers without a decimal point, errors as empty.
fn text(value: &DataRef<'_>) -> String {
    match value {
        DataRef::Int(number) => number.to_string(),
        DataRef::Float(number) => number.to_string(),
        DataRef::String(text) | DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => text.trim().to_owned(),
        DataRef::SharedString(text) => text.trim().to_owned(),
        DataRef::Bool(is_true) => is_true.to_string(),
        DataRef::DateTime(time) if time.is_datetime() => {
            let (year, month, day, hour, minute, second, _) = time.to_ymd_hms_milli();
            let date = format!("{year:04}-{month:02}-{day:02}");
            let has_time = (hour, minute, second) != (0, 0, 0);
            if has_time { format!("{date} {hour:02}:{minute:02}:{second:02}") } else { date }
        }
        DataRef::DateTime(duration) => duration.as_f64().to_string(),
        DataRef::Error(_) | DataRef::Empty => String::new(),
    }
}

/// Converts cells to rows of CSV.
struct Rows<'f> {
    out: BufWriter<&'f File>,
    room: Room,
    /// The start of the header, and its number of columns.
    columns: Option<(u32, u32)>,
    /// The current row and its cells.
    row: u32,
    cells: Vec<(u32, String)>,
    /// The next row to write.
    next: u32,
}

impl<'f> Rows<'f> {
    fn new(csv: &'f File) -> Self {
        let room = Room::new(std::env::temp_dir());
        Self { out: BufWriter::new(csv), room, columns: None, row: 0, cells: Vec::new(), next: 0 }
    }

    fn add(&mut self, row: u32, column: u32, text: String) -> Result<(), String> {
        if row != self.row {
            self.end_row()?;
            if row < self.next || row >= MOST_ROWS {
                let (row, before) = (u64::from(row) + 1, u64::from(self.row) + 1);
                return Err(format!("the workbook is damaged: row {row} comes after row {before}"));
            }
            self.row = row;
        }
        if self.cells.last().is_some_and(|(before, _)| *before >= column) {
            return Err("the workbook is damaged: the cells of a row are in another order".to_owned());
        }
        self.cells.push((column, text));
        Ok(())
    }

    /// Writes the row, preceded by empty rows for missing numbers, so that rows keep their numbers.
    fn end_row(&mut self) -> Result<(), String> {
        let (Some((first, _)), Some((last, _))) = (self.cells.first(), self.cells.last()) else { return Ok(()) };
        let last = *last;
        let is_header = self.columns.is_none();
        let (start, width) = *self.columns.get_or_insert((*first, last - *first + 1));
        if width as usize > MOST_COLUMNS {
            return Err(format!("it has {width} columns, and {MOST_COLUMNS} are possible"));
        }
        if !is_header {
            for _ in self.next..self.row {
                self.write(&format!("\"\"{}\n", ",".repeat(width as usize - 1)))?;
            }
        }
        let mut line = String::new();
        let mut cells = std::mem::take(&mut self.cells).into_iter().peekable();
        // A cell left or right of the header makes the row too long, which is reported.
        let left = cells.peek().map_or(start, |(column, _)| (*column).min(start));
        for column in left..(start + width).max(last + 1).min(start + width + 1) {
            if column > left {
                line.push(',');
            }
            let cell = cells.next_if(|(at, _)| *at == column || column == start + width);
            line += &quoted(cell.as_ref().map_or("", |(_, text)| text));
        }
        line.push('\n');
        self.next = self.row + 1;
        self.write(&line)
    }

    fn write(&mut self, line: &str) -> Result<(), String> {
        self.room.take(line.len() as u64).map_err(|error| error.to_string())?;
        self.out.write_all(line.as_bytes()).map_err(|error| format!("no temporary file: {error}"))
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

#[cfg(test)]
pub(crate) mod tests;
