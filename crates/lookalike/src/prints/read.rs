//! Reads prints from files and tables in memory: tables by rows, templates by views.
//!
//! Invalid rows, minutiae, prints and templates are skipped and reported with their location. A named table that lacks
//! a column ends the job; one found in a folder is skipped, since folders contain files of all kinds.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use lookalike_core::prints::Print;
use lookalike_core::prints::template::{parse_template, starts_as_template};
use lookalike_io::input::discover::{InputFile, Origin, discover_except};
use lookalike_io::read::{CellReader, ReadAs, Settings};
use lookalike_io::remote::shown_path;
use lookalike_io::table::memory::MemoryTable;
use lookalike_io::table::{ReadTable, is_named, read_in_parts};

use super::need::{self, TableNeed};
use super::report::{PrintsReport, Skips};
use super::roll::Roll;
use super::table;
use crate::error::{Error, Result};
use crate::options::ReadPrints;
use crate::progress::Progress;

/// Number of bytes that identify a template.
const START: u64 = 4;

/// Larger than the longest possible template: 255 views of 65,535 bytes of extended data.
const LONGEST_TEMPLATE: u64 = 32 << 20;

/// Reads all prints of files and folders, and then of tables in memory.
pub(super) fn read(
    inputs: &[PathBuf],
    tables: &[MemoryTable],
    options: &ReadPrints,
    output: Option<&Path>,
    report: &mut PrintsReport,
    progress: &dyn Progress,
) -> Result<Roll> {
    let mut roll = Roll::default();
    let skipped_before = report.skips.skipped.len();
    for file in discover_except(inputs, &[], output, &options.resources.exclude)?.files {
        progress.go_on()?;
        let is_named = is_named(&file, inputs);
        let reading = Reading { origin: Source::File(&file, is_named), options };
        if let Err(error) = reading.read(&mut roll, report) {
            let reason = if is_named { None } else { other_kind(&error) };
            report.skips.add(reading.shown(), "file", 1, reason.ok_or(error)?);
        }
        need::check(&roll, options.resources.memory)?;
    }
    for table in tables {
        progress.go_on()?;
        Reading { origin: Source::Memory(table), options }.read(&mut roll, report)?;
        need::check(&roll, options.resources.memory)?;
    }
    if roll.len() == 0 {
        let inputs = inputs.iter().map(|input| shown_path(input)).chain(tables.iter().map(|table| table.name.clone()));
        let inputs: Vec<String> = inputs.collect();
        let why =
            report.skips.skipped.get(skipped_before).map(|skipped| format!("{}: {}", skipped.file, skipped.reason));
        return Err(Error::NoPrints { inputs: inputs.join(", "), why });
    }
    Ok(roll)
}

/// Reason why a file found in a folder has no prints, if it is of another kind or unreadable.
fn other_kind(error: &Error) -> Option<String> {
    match error {
        Error::NoSuchPrintColumn { name, .. } => Some(format!("it has no column '{name}'")),
        Error::Io(lookalike_io::Error::NotATable { reason, .. }) => Some(reason.clone()),
        Error::Io(lookalike_io::Error::Unreadable { cause, .. }) => Some(format!("cannot be read: {cause}")),
        _ => None,
    }
}

/// A file or table being read.
pub(super) struct Reading<'a> {
    origin: Source<'a>,
    pub(super) options: &'a ReadPrints,
}

#[derive(Clone, Copy)]
enum Source<'a> {
    /// A file, and true if it was named and not found in a folder.
    File(&'a InputFile, bool),
    /// A table in memory.
    Memory(&'a MemoryTable),
}

impl Reading<'_> {
    pub(super) fn shown(&self) -> String {
        match self.origin {
            Source::File(file, _) => file.shown().display().to_string(),
            Source::Memory(table) => table.name.clone(),
        }
    }

    fn read(&self, roll: &mut Roll, report: &mut PrintsReport) -> Result<()> {
        let (file, is_named) = match self.origin {
            Source::File(file, is_named) => (file, is_named),
            Source::Memory(table) => {
                let add = |read: &ReadTable| self.add_table(read, roll, report);
                return table.read_in_parts(self.options.resources.longest, self.most_bytes(), add);
            }
        };
        // Input from a pipe or a remote address is a table.
        let Origin::Path(path) = &file.origin else { return self.read_table(file, is_named, roll, report) };
        let unreadable = |cause: io::Error| lookalike_io::Error::Unreadable { path: path.clone(), cause };
        let bytes = |most: u64| -> io::Result<Vec<u8>> {
            let mut bytes = Vec::new();
            File::open(path)?.take(most).read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        if starts_as_template(&bytes(START).map_err(unreadable)?) {
            let bytes = bytes(LONGEST_TEMPLATE).map_err(unreadable)?;
            self.add_template(&file.name, &bytes, roll, &mut report.skips);
            return Ok(());
        }
        self.read_table(file, is_named, roll, report)
    }

    fn read_table(&self, file: &InputFile, is_named: bool, roll: &mut Roll, report: &mut PrintsReport) -> Result<()> {
        let (longest, limit) = (self.options.resources.longest, self.options.resources.limit.clone());
        let limit = limit.with_window_log(self.options.resources.memory.window_log(1));
        let settings = Settings { longest, limit, ..Settings::default() };
        let read_as = if is_named { ReadAs::Table } else { ReadAs::ShownTable };
        let mut reader = CellReader::open(file, &settings, read_as)?;
        read_in_parts(file, &mut reader, self.most_bytes(), |read| self.add_table(read, roll, report))
    }

    /// Maximum bytes of a table: the minutiae of a print may be anywhere in it, so all of it is held in memory.
    fn most_bytes(&self) -> u64 {
        self.options.resources.memory.bytes() / 2
    }

    fn add_table(&self, read: &ReadTable, roll: &mut Roll, report: &mut PrintsReport) -> Result<()> {
        if read.table.byte_count() >= self.most_bytes() {
            let table = TableNeed { rows: read.table.row_count() as u64, bytes: read.table.byte_count() };
            return Err(table.too_much(self.options.resources.memory));
        }
        table::add(self, read, roll, report)
    }

    /// A template of one view is named after its file, like a text file; those of several also by position.
    fn add_template(&self, name: &str, bytes: &[u8], roll: &mut Roll, skips: &mut Skips) {
        let views = match parse_template(bytes) {
            Ok(views) => views,
            Err(error) => return skips.add(self.shown(), "file", 1, error.to_string()),
        };
        let view_count = views.len();
        if view_count == 0 {
            skips.add(self.shown(), "file", 1, "the template has no view of a finger".to_owned());
        }
        let mut minutia_number = 0;
        for (number, mut print) in (1..).zip(views) {
            print.size = print.size.or(self.options.size);
            let size = print.size;
            print.minutiae.retain(|minutia| {
                minutia_number += 1;
                let is_on_image = minutia.is_on_image(size);
                if !is_on_image {
                    skips.add(self.shown(), "minutia", minutia_number, off_image(minutia.x, minutia.y, size));
                }
                is_on_image
            });
            let id = if view_count == 1 { name.to_owned() } else { format!("{name}:{number}") };
            self.add_print(number, id, print, roll, skips);
        }
    }

    /// Adds the print with this number in its file, unless it is empty.
    pub(super) fn add_print(&self, number: u64, id: String, print: Print, roll: &mut Roll, skips: &mut Skips) {
        if print.minutiae.is_empty() {
            skips.add(self.shown(), "print", number, format!("'{id}' has no minutiae"));
        } else {
            roll.push(id, print);
        }
    }
}

/// Reason why a minutia is skipped.
pub(super) fn off_image(x: f64, y: f64, size: Option<(u32, u32)>) -> String {
    let image = size.map_or("the image".to_owned(), |(width, height)| format!("the image of {width}x{height} pixels"));
    format!("{x}, {y} is off {image}")
}
