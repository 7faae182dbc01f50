//! Reads an input to a collection: lines with one set each, or a table.

use std::borrow::Cow;
use std::path::PathBuf;
use std::slice;

use lookalike_core::hash::Key;
use lookalike_io::format::Format;
use lookalike_io::input::discover::{InputFile, discover_except};
use lookalike_io::read::{CellReader, ReadAs, RowContent, Settings};
use lookalike_io::skipped::SkipReason;
use lookalike_io::table::memory::MemoryTable;
use lookalike_io::table::{ReadTable, is_named, read_in_parts, shown};

use super::delimiter::Delimiter;
use super::gather::{Collection, Gather};
use super::need::Need;
use super::table;
use crate::error::{Error, Result};
use crate::options::{SetsForm, SetsOptions};
use crate::progress::Progress;

/// Amount of a table held before its sets are collected.
const PART_BYTES: u64 = 32 << 20;

/// Number of lines between checks of the memory.
const LINES_BETWEEN: u64 = 4096;

/// Number of lines examined to detect the separator.
const FIRST_LINES: usize = 200;

/// Reads a collection: files, folders, patterns, addresses, or `-` for standard input; then tables in memory. `before`
/// is the memory already held, and `key` the key of elements.
pub(super) fn read(
    inputs: &[PathBuf],
    tables: &[MemoryTable],
    before: Need,
    key: Key,
    options: &SetsOptions,
    progress: &dyn Progress,
) -> Result<Collection> {
    let form = &options.form;
    let files = discover_except(inputs, &[], options.output.as_deref(), &options.resources.exclude)?.files;
    let mut read = Read {
        settings: Settings {
            longest: options.resources.longest,
            limit: options.resources.limit.clone().with_window_log(options.resources.memory.window_log(1)),
            ..Settings::default()
        },
        options,
        progress,
        delimiter: None,
        before,
        gather: Gather::new(key, options.is_transposed, form.weight.is_some()),
        is_one_file: files.len() + tables.len() == 1,
        bytes: files.iter().map(|file| file.bytes).sum(),
        bytes_before: 0,
    };
    for file in &files {
        let is_named = is_named(file, inputs);
        match read.file(file, is_named) {
            Ok(()) => {}
            // Folders contain files of all kinds.
            Err(error) if !is_named => {
                let reason = other_kind(&error).ok_or(error)?;
                read.gather.skip(&file.shown().display().to_string(), "file", 1, reason.into());
            }
            Err(error) => return Err(error),
        }
        read.bytes_before += file.bytes;
    }
    tables.iter().try_for_each(|table| read.table(table))?;
    let delimiter = read.delimiter;
    let mut collection = read.gather.finish();
    collection.delimiter = delimiter;
    if collection.has_nothing() {
        let why = collection.skipped_rows.first().map(|row| row.reason.to_string());
        let all = inputs.iter().map(|input| shown(slice::from_ref(input))).chain(tables.iter().map(|t| t.name.clone()));
        return Err(Error::NoSets { path: all.collect::<Vec<_>>().join(", ").into(), why });
    }
    Ok(collection)
}

/// Reason why a file found in a folder has no sets, if its format is the problem.
fn other_kind(error: &Error) -> Option<String> {
    match error {
        Error::Io(lookalike_io::Error::NotATable { reason, .. }) => Some(reason.clone()),
        Error::Io(lookalike_io::Error::Unreadable { cause, .. }) => Some(format!("cannot be read: {cause}")),
        Error::NoSetColumns { .. } | Error::Core(lookalike_core::Error::NoSuchColumn { .. }) => Some(error.to_string()),
        _ => None,
    }
}

/// A collection being read.
struct Read<'a> {
    settings: Settings,
    options: &'a SetsOptions,
    progress: &'a dyn Progress,
    /// The detected separator.
    delimiter: Option<Delimiter>,
    before: Need,
    gather: Gather,
    /// True if sets without a name are identified by position alone.
    is_one_file: bool,
    /// The size of all files, if known, and of those before this one.
    bytes: u64,
    bytes_before: u64,
}

impl Read<'_> {
    fn file(&mut self, file: &InputFile, is_named: bool) -> Result<()> {
        let form = &self.options.form;
        let speaks_of_lines = form.has_names || form.delimiter.is_some();
        let read_as = match (form.names_columns(), speaks_of_lines, is_named) {
            (true, _, true) => ReadAs::Table,
            (true, _, false) => ReadAs::ShownTable,
            (false, true, _) => ReadAs::Lines,
            (false, false, _) => ReadAs::TableOrLines,
        };
        let mut reader = CellReader::open(file, &self.settings, read_as)?;
        if reader.format() == Format::Lines {
            return self.lines(file, &mut reader);
        }
        let (prefix, mut rows) = (self.prefix(&file.name), 0);
        read_in_parts(file, &mut reader, PART_BYTES, |part| self.part(part, &prefix, &mut rows))
    }

    fn table(&mut self, table: &MemoryTable) -> Result<()> {
        let (prefix, mut rows) = (self.prefix(&table.name), 0);
        let longest = self.options.resources.longest;
        table.read_in_parts(longest, PART_BYTES, |part| self.part(part, &prefix, &mut rows))
    }

    /// Adds the sets of a part of a table, which `rows` rows precede.
    fn part(&mut self, part: &ReadTable, prefix: &str, rows: &mut u64) -> Result<()> {
        self.progress.go_on()?;
        table::gather(part, prefix, *rows, &self.options.form, &mut self.gather)?;
        *rows += part.table.row_count() as u64;
        // The memory of the whole table is not known before it is read.
        self.before.and(self.gather.need()).check_held(1.0, self.options.resources.memory)
    }

    /// The prefix of the number of an unnamed set in this file or table.
    fn prefix(&self, name: &str) -> String {
        if self.is_one_file { String::new() } else { format!("{name}:") }
    }

    /// Reads a set per line, named by the number of the line or by its first element.
    fn lines(&mut self, file: &InputFile, reader: &mut CellReader) -> Result<()> {
        use std::fmt::Write;
        let prefix = self.prefix(&file.name);
        let shown = file.shown().display().to_string();
        let mut first_lines = first_lines(reader)?.into_iter();
        let mut form = self.options.form.clone();
        if form.delimiter.is_none() && form.grams.is_none() {
            let told = Delimiter::of(first_lines.as_slice().iter().filter_map(|(_, line)| line.as_deref().ok()));
            if let Some(Delimiter::Certain(delimiter)) = told {
                form.delimiter = Some(delimiter);
            }
            self.delimiter = self.delimiter.or(told);
        }
        let (form, gather) = (&form, &mut self.gather);
        let mut name = String::new();
        let mut number = 0;
        // A blank line is a set without elements, unless lines begin with names.
        let mut fill_up_to = |end: u64, number: &mut u64, gather: &mut Gather| {
            while *number + 1 < end {
                *number += 1;
                name.clear();
                write!(name, "{prefix}{number}").expect("a string takes everything");
                if !form.has_names {
                    gather.begin(&name);
                }
            }
        };
        let mut line_name = String::new();
        loop {
            let next = match first_lines.next() {
                Some((position, line)) => Some((position, line.map(Cow::Owned))),
                None => next_line(reader)?,
            };
            let Some((position, line)) = next else { break };
            fill_up_to(position, &mut number, gather);
            number = position;
            let line = match line {
                Ok(line) => line,
                Err(reason) => {
                    gather.skip(&shown, "line", position, reason);
                    continue;
                }
            };
            let (first, rest) = if form.has_names { form.split_name(&line) } else { (None, &*line) };
            if form.has_names && first.is_none() {
                continue;
            }
            let name = first.unwrap_or_else(|| {
                line_name.clear();
                write!(line_name, "{prefix}{number}").expect("a string takes everything");
                &line_name
            });
            gather.begin(name);
            form.each_element(rest, |element| gather.add(element, 1.0));
            drop(line);
            if number.is_multiple_of(LINES_BETWEEN) {
                self.progress.go_on()?;
                let read = (self.bytes_before + reader.packed_bytes()) as f64 / self.bytes.max(1) as f64;
                let share = if self.bytes == 0 || read <= 0.0 { 1.0 } else { read.min(1.0) };
                self.before.and(gather.need()).check_held(share, self.options.resources.memory)?;
            }
        }
        fill_up_to(reader.position_count() + 1, &mut number, gather);
        Ok(())
    }
}

/// A line with its position, or the reason why it cannot be read.
type ReadLine<'a> = (u64, std::result::Result<Cow<'a, str>, SkipReason>);

fn next_line(reader: &mut CellReader) -> Result<Option<ReadLine<'_>>> {
    let Some(row) = reader.next_row()? else { return Ok(None) };
    Ok(Some(match row.content {
        RowContent::Line(line) => (row.position, Ok(line)),
        RowContent::Skipped(reason) => (row.position, Err(reason)),
        RowContent::Cells(_) => unreachable!("lines have no cells"),
    }))
}

/// Reads the first lines to examine them.
fn first_lines(reader: &mut CellReader) -> Result<Vec<(u64, std::result::Result<String, SkipReason>)>> {
    let mut first = Vec::new();
    while first.len() < FIRST_LINES {
        let Some((position, line)) = next_line(reader)? else { break };
        first.push((position, line.map(Cow::into_owned)));
    }
    Ok(first)
}

impl SetsForm {
    /// True if options name columns, which only tables have.
    fn names_columns(&self) -> bool {
        self.set.is_some() || self.element.is_some() || self.column.is_some() || self.weight.is_some()
    }

    /// The first element of a line, and the rest.
    fn split_name<'a>(&self, line: &'a str) -> (Option<&'a str>, &'a str) {
        let line = line.trim();
        let (name, rest) = match self.delimiter {
            Some(delimiter) => line.split_once(delimiter).unwrap_or((line, "")),
            None => line.split_once(char::is_whitespace).unwrap_or((line, "")),
        };
        let name = name.trim();
        ((!name.is_empty()).then_some(name), rest)
    }

    /// Splits a line or cell into elements: strings between spaces or separators, or the grams of a text.
    pub(super) fn each_element(&self, text: &str, mut each: impl FnMut(&str)) {
        if let Some(grams) = self.grams {
            return each_gram(text, grams.get(), each);
        }
        match self.delimiter {
            // Most lines are ASCII, which can be split faster.
            None if text.is_ascii() => text.split_ascii_whitespace().for_each(each),
            None => text.split_whitespace().for_each(each),
            Some(delimiter) => {
                text.split(delimiter).map(str::trim).filter(|element| !element.is_empty()).for_each(&mut each);
            }
        }
    }
}

/// The grams of a text in lower case, with a space at each end. A shorter text is one gram.
fn each_gram(text: &str, count: usize, mut each: impl FnMut(&str)) {
    if text.trim().is_empty() {
        return;
    }
    let text = format!(" {} ", text.trim().to_lowercase());
    let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    if starts.len() <= count {
        return each(&text);
    }
    starts.iter().zip(&starts[count..]).for_each(|(start, end)| each(&text[*start..*end]));
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use super::*;

    fn elements(form: &SetsForm, text: &str) -> Vec<String> {
        let mut all = Vec::new();
        form.each_element(text, |element| all.push(element.to_owned()));
        all
    }

    #[test]
    fn elements_stand_between_blanks_or_delimiters() {
        let mut form = SetsForm::default();
        assert_eq!(elements(&form, " milk  bread\tbeer "), ["milk", "bread", "beer"]);
        assert_eq!(elements(&form, "thé\u{3000}café"), ["thé", "café"]);
        form.delimiter = Some('|');
        assert_eq!(elements(&form, "The Matrix| Alien ||"), ["The Matrix", "Alien"]);
        assert_eq!(form.split_name("Ann Lee|The Matrix|Alien"), (Some("Ann Lee"), "The Matrix|Alien"));
    }

    #[test]
    fn grams_are_runs_of_characters_with_a_blank_at_each_end() {
        let form = SetsForm { grams: NonZeroUsize::new(3), ..SetsForm::default() };
        assert_eq!(elements(&form, "Über"), [" üb", "übe", "ber", "er "]);
        assert_eq!((elements(&form, "a"), elements(&form, "")), (vec![" a ".to_owned()], vec![]));
    }
}
