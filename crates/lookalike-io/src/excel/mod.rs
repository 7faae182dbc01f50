//! Workbooks to tables: the first sheet of an `.xlsx` file that has cells, as CSV in a temporary file, which is then read like any
//! other.
//!
//! So rows, bounds and messages are those of CSV. A workbook is hostile until proven otherwise: its parts are unpacked once to
//! see how large they are before anything is made of them, and cells are taken one by one, since a sheet may claim to have
//! billions.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::panic::{self, AssertUnwindSafe};

use calamine::{DataRef, Reader, Xlsx};
use quick_xml::events::Event;
use zip::ZipArchive;

use crate::bounds::{MOST_COLUMNS, Room};
use crate::format::unpacked_extension;

/// What all parts of a workbook may unpack to, however small it is.
const SMALL: u64 = 64 << 20;

/// How many times its size a workbook may unpack to: XML is packed to a twentieth.
const MOST_TIMES: u64 = 100;

/// The shortest text among the shared ones: `<si/>`.
const LEAST_TEXT: u64 = 5;

/// Rows of a sheet, by the format.
const MOST_ROWS: u32 = 1 << 20;

/// Whether a file is a workbook, by its name and its first bytes.
pub(crate) fn is_workbook(name: &str, start: &[u8]) -> bool {
    let is_named = matches!(unpacked_extension(name).as_deref(), Some("xlsx" | "xlsm"));
    start.starts_with(b"PK\x03\x04") && (is_named || memchr::memmem::find(start, b"[Content_Types].xml").is_some())
}

/// The first sheet with cells as CSV. The reason says why there is none.
pub(crate) fn to_csv(file: &File) -> Result<File, String> {
    check_size(file)?;
    let convert = || {
        let mut csv = tempfile::tempfile().map_err(|error| format!("no temporary file: {error}"))?;
        write_sheet(file, &csv)?;
        csv.rewind().map_err(|error| error.to_string())?;
        Ok(csv)
    };
    // The library indexes where damaged files lead it.
    panic::catch_unwind(AssertUnwindSafe(convert)).unwrap_or_else(|_| Err("the workbook is damaged".to_owned()))
}

/// Refuses what unpacks to far more than its size.
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

/// Refuses shared texts that claim to be more than their part of so many bytes can hold: the library reserves memory for all of
/// them at once.
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
            // What else is wrong with it, the library says.
            Ok(Event::Eof) | Err(_) => return Ok(()),
            Ok(_) => {}
        }
    }
}

/// The number of texts by the attributes of their list; 0 if it is not given.
fn claimed(attributes: &str) -> u64 {
    let number = |after: &str| {
        let digits = after.trim_start_matches(|letter: char| letter.is_whitespace() || "=\"'+".contains(letter));
        let end = digits.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(digits.len());
        // A number that is too long for us is too large for anybody.
        if end == 0 { 0 } else { digits[..end].parse().unwrap_or(u64::MAX) }
    };
    attributes.split("uniqueCount").skip(1).map(number).max().unwrap_or(0)
}

fn write_sheet(file: &File, csv: &File) -> Result<(), String> {
    let damaged = |error: calamine::XlsxError| format!("the workbook cannot be read: {error}");
    let mut workbook: Xlsx<_> = Xlsx::new(BufReader::new(file)).map_err(damaged)?;
    let mut writer = Rows::new(csv);
    for name in workbook.sheet_names() {
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
    writer.out.flush().map_err(|error| error.to_string())
}

/// A cell as text: dates as ISO writes them, whole numbers without a point, errors as nothing.
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

/// Cells on their way to rows of CSV.
struct Rows<'f> {
    out: BufWriter<&'f File>,
    room: Room,
    /// Where the header starts, and how many columns it has.
    columns: Option<(u32, u32)>,
    /// The row that is being filled, and its cells.
    row: u32,
    cells: Vec<(u32, String)>,
    /// The row that comes next.
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

    /// Writes the row, and those without cells before it, so that rows have their numbers.
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
        // A cell before or after those of the header makes the row too long, and that is told.
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
