//! Tables of cells: rows as RFC 4180 has them, with any delimiter, and the cells of the wanted columns.
//!
//! What a reader would get wrong: a line end inside of quotes does not end a row; and a quote in the middle of a cell
//! that does not start with one is nothing but a quote. Between tabs most writers know no quotes at all, and a title may
//! start with one: there, quotes are quotes only where they cannot be anything else ([`quoted_between_tabs`]).

use std::borrow::Cow;

use csv_core::ReadRecordResult;
use lookalike_core::resolve::keep::FieldValue;
use memchr::{memchr, memchr2, memchr3};

use super::cut::{Cut, without_mark};
use super::{Document, Refused, Role, Settings, listed};
use crate::charset;

/// Where the cells of a file's fields are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    pub(crate) delimiter: u8,
    pub(crate) has_header: bool,
    /// Which column serves as what.
    columns: Vec<(Role, usize)>,
    /// The names of all columns.
    pub(crate) names: Vec<String>,
}

/// What may stand between cells, the likeliest first.
const DELIMITERS: [u8; 4] = [b',', b'\t', b';', b'|'];

/// How many rows with an open quote are given up, one line each, before the rest of the file is.
const MOST_UNCLOSED: usize = 16;

impl Table {
    /// Told by the first row. `Err` says why no document can be found.
    pub(crate) fn of(name: &str, first_row: &[u8], settings: &Settings) -> Result<Self, Refused> {
        let delimiter = settings.delimiter.unwrap_or_else(|| guess(name, first_row, Some(&settings.fields.text)));
        let names = column_names(first_row, delimiter, settings);
        let mut columns = Vec::new();
        for wanted in settings.fields.wanted() {
            match names.iter().position(|name| name == wanted.path) {
                Some(at) => columns.push((wanted.role, at)),
                None if wanted.role == Role::Text => return Err(Refused::NoTextField { fields: listed(&names) }),
                // Other columns may be in some files and not in others.
                None => {}
            }
        }
        Ok(Self { delimiter, has_header: settings.has_header, columns, names })
    }

    /// Told by the first row, where all columns are wanted: with their names.
    pub(super) fn of_all(name: &str, first_row: &[u8], settings: &Settings) -> (Self, Vec<String>) {
        let delimiter = settings.delimiter.unwrap_or_else(|| guess(name, first_row, None));
        let names = column_names(first_row, delimiter, settings);
        let table = Self { delimiter, has_header: settings.has_header, columns: Vec::new(), names: names.clone() };
        (table, names)
    }

    /// Whether this is the start of a table: its first row has the name of the text column.
    pub(crate) fn has_text_column(start: &[u8], settings: &Settings) -> bool {
        let line = start.split(|byte| matches!(byte, b'\n' | b'\r')).next().unwrap_or_default();
        let is_name = |cell: &[u8]| unquoted(cell.trim_ascii()) == settings.fields.text.as_bytes();
        let delimiters = settings.delimiter.map_or(DELIMITERS.to_vec(), |delimiter| vec![delimiter]);
        delimiters.iter().any(|delimiter| {
            let mut cells = line.split(|byte| byte == delimiter);
            cells.clone().nth(1).is_some() && cells.any(is_name)
        })
    }
}

fn unquoted(cell: &[u8]) -> &[u8] {
    cell.strip_prefix(b"\"").and_then(|cell| cell.strip_suffix(b"\"")).unwrap_or(cell)
}

/// The names in the first row; numbers, where it has none.
fn column_names(first_row: &[u8], delimiter: u8, settings: &Settings) -> Vec<String> {
    let mut cells = Cells::default();
    cells.read(without_mark(first_row), delimiter);
    let name = |at: usize| match cells.cell(at).map(|name| charset::decode(name, None, false).trim().to_owned()) {
        // Spreadsheets write columns without a name.
        Some(name) if settings.has_header && !name.is_empty() => name,
        _ => (at + 1).to_string(),
    };
    (0..cells.count()).map(name).collect()
}

/// The delimiter that a line before the first row declares: `sep=;`.
pub(super) fn declared_delimiter(line: &[u8]) -> Option<u8> {
    // Blank lines may come first.
    let line = unquoted(without_mark(line).trim_ascii());
    match line {
        [s, e, p, b'=', delimiter] if [*s, *e, *p].eq_ignore_ascii_case(b"sep") => Some(*delimiter),
        // A tab was trimmed.
        [s, e, p, b'='] if [*s, *e, *p].eq_ignore_ascii_case(b"sep") => Some(b'\t'),
        _ => None,
    }
}

/// The delimiter that a file's name says, if it says one.
pub(super) fn delimiter_by_name(name: &str) -> Option<u8> {
    let name = name.to_ascii_lowercase();
    [".tsv", ".tab"].iter().any(|extension| name.contains(extension)).then_some(b'\t')
}

/// The delimiter that a name says; or else the one by which the first row has the wanted column; or else the most cells.
fn guess(name: &str, first_row: &[u8], wanted: Option<&str>) -> u8 {
    if let Some(delimiter) = delimiter_by_name(name) {
        return delimiter;
    }
    let mut cells = Cells::default();
    let mut score = |delimiter: u8| {
        cells.read(without_mark(first_row), delimiter);
        let is_wanted = |at: usize| wanted.is_some() && cells.cell(at) == wanted.map(str::as_bytes);
        ((0..cells.count()).any(is_wanted), cells.count())
    };
    let mut best = (DELIMITERS[0], score(DELIMITERS[0]));
    for delimiter in DELIMITERS {
        let score = score(delimiter);
        if score > best.1 {
            best = (delimiter, score);
        }
    }
    best.0
}

/// Cuts off the rows of `bytes` that are whole. `at_end` says that nothing will follow; `is_too_long` that the first row
/// is longer than any should be, so that a quote in it must have been left open.
pub(super) fn cut(bytes: &[u8], delimiter: u8, at_end: bool, is_too_long: bool, cut: &mut Cut) {
    let mut unclosed = 0;
    let mut start = 0;
    while start < bytes.len() {
        let is_last = at_end || is_too_long && start == 0;
        let end = match row_end(bytes, start, delimiter, is_last) {
            RowEnd::At(end) => end,
            RowEnd::Open if at_end => bytes.len(),
            RowEnd::InQuotes if at_end && unclosed == MOST_UNCLOSED => {
                return cut.push(start..bytes.len(), Some("quotes that are never closed: the rest is lost".into()));
            }
            RowEnd::InQuotes if at_end || is_too_long && start == 0 => {
                unclosed += 1;
                let row = start;
                start += memchr(b'\n', &bytes[start..]).map_or(bytes.len() - start, |at| at + 1);
                cut.push(row..start, Some("a quote that is never closed".into()));
                continue;
            }
            RowEnd::Open | RowEnd::InQuotes => return,
        };
        if bytes[start..end].iter().all(|byte| matches!(byte, b'\n' | b'\r')) {
            // A blank line is no row.
            cut.push_blank(start..end, 0);
        } else {
            cut.push(start..end, None);
        }
        // At the end, what was found out of open quotes must not be found out again for each part.
        if cut.is_full() && !at_end {
            return;
        }
        start = end;
    }
}

enum RowEnd {
    /// After the line end.
    At(usize),
    /// Not yet seen.
    Open,
    /// Not yet seen, and a quote is open.
    InQuotes,
}

/// Where the row that starts at `start` ends. `is_last` says that an open quote will not be closed by what follows.
fn row_end(bytes: &[u8], start: usize, delimiter: u8, is_last: bool) -> RowEnd {
    let mut at = start;
    // Once a cell.
    loop {
        if bytes.get(at) == Some(&b'"') && delimiter == b'\t' {
            match quoted_between_tabs(bytes, at, is_last) {
                Quoted::Until(end) => at = end,
                Quoted::Not => {}
                Quoted::Open => return RowEnd::Open,
            }
        } else if bytes.get(at) == Some(&b'"') {
            at += 1;
            loop {
                let Some(quote) = memchr(b'"', &bytes[at..]) else { return RowEnd::InQuotes };
                at += quote + 1;
                match bytes.get(at) {
                    Some(b'"') => at += 1,
                    Some(_) => break,
                    // Two quotes may be one; at the very end, it is the last.
                    None => return RowEnd::Open,
                }
            }
        }
        let Some(end) = memchr3(delimiter, b'\n', b'\r', &bytes[at..]) else { return RowEnd::Open };
        at += end + 1;
        match bytes[at - 1] {
            b'\n' => return RowEnd::At(at),
            b'\r' => match bytes.get(at) {
                Some(b'\n') => return RowEnd::At(at + 1),
                Some(_) => return RowEnd::At(at),
                None => return RowEnd::Open,
            },
            _ => {}
        }
    }
}

/// The cells of one row as they stand there, with their quotes; the last one without the line ends.
pub(crate) fn raw_cells(row: &[u8], delimiter: u8) -> impl Iterator<Item = &[u8]> {
    let mut start = Some(0);
    std::iter::from_fn(move || {
        let cell = &row[start?..];
        let end = cell_end(cell, delimiter);
        start = (cell.get(end) == Some(&delimiter)).then_some(start? + end + 1);
        Some(&cell[..end])
    })
}

/// Where the cell ends that `bytes` start with.
fn cell_end(bytes: &[u8], delimiter: u8) -> usize {
    let mut at = 0;
    if bytes.first() == Some(&b'"') && delimiter == b'\t' {
        if let Quoted::Until(end) = quoted_between_tabs(bytes, 0, true) {
            at = end;
        }
    } else if bytes.first() == Some(&b'"') {
        at = 1;
        while let Some(quote) = memchr(b'"', &bytes[at..]) {
            at += quote + 1;
            if bytes.get(at) != Some(&b'"') {
                break;
            }
            at += 1;
        }
    }
    memchr3(delimiter, b'\n', b'\r', &bytes[at..]).map_or(bytes.len(), |end| at + end)
}

/// What a cell is that starts with a quote.
#[derive(Debug, PartialEq, Eq)]
enum Quoted {
    /// It is quoted, and ends here, after the closing quote.
    Until(usize),
    /// It is not: the quote is a character like any other.
    Not,
    /// It depends on what follows.
    Open,
}

/// Whether the cell at `start`, which starts with a quote, is quoted as a whole, as spreadsheets write it.
///
/// Files with tabs mostly have no quotes by IANA's definition (text/tab-separated-values), and a title that starts with one
/// must not swallow the rows up to the next. So the closing quote must be followed by a tab or a line end; and what is
/// quoted must not have both a line end and a tab in it, which is what a row swallowed by mistake would have.
fn quoted_between_tabs(bytes: &[u8], start: usize, is_last: bool) -> Quoted {
    let (mut at, mut has_tab, mut has_line_end) = (start + 1, false, false);
    loop {
        let quote = memchr(b'"', &bytes[at..]).map(|quote| at + quote);
        let inside = &bytes[at..quote.unwrap_or(bytes.len())];
        has_tab |= memchr(b'\t', inside).is_some();
        has_line_end |= memchr2(b'\n', b'\r', inside).is_some();
        if has_tab && has_line_end {
            return Quoted::Not;
        }
        let Some(quote) = quote else { return if is_last { Quoted::Not } else { Quoted::Open } };
        at = quote + 1;
        match bytes.get(at) {
            Some(b'"') => at += 1,
            Some(b'\t' | b'\n' | b'\r') => return Quoted::Until(at),
            Some(_) => return Quoted::Not,
            None => return if is_last { Quoted::Until(at) } else { Quoted::Open },
        }
    }
}

/// The cells of one row, unquoted; kept for its buffers.
#[derive(Debug)]
pub(super) struct Cells {
    reader: csv_core::Reader,
    delimiter: u8,
    bytes: Vec<u8>,
    ends: Vec<usize>,
    count: usize,
}

impl Default for Cells {
    fn default() -> Self {
        Self { reader: csv_core::Reader::new(), delimiter: b',', bytes: Vec::new(), ends: vec![0; 16], count: 0 }
    }
}

impl Cells {
    pub(super) fn read(&mut self, row: &[u8], delimiter: u8) {
        if delimiter == b'\t' {
            return self.read_between_tabs(row);
        }
        if self.delimiter != delimiter {
            self.reader = csv_core::ReaderBuilder::new().delimiter(delimiter).build();
            self.delimiter = delimiter;
        }
        self.reader.reset();
        // Unquoted, a row is never longer.
        if self.bytes.len() < row.len() {
            self.bytes.resize(row.len(), 0);
        }
        let (mut input, mut written) = (row, 0);
        self.count = 0;
        loop {
            let (result, read, wrote, ends) =
                self.reader.read_record(input, &mut self.bytes[written..], &mut self.ends[self.count..]);
            input = &input[read..];
            written += wrote;
            self.count += ends;
            match result {
                // An empty input says that nothing follows, so another call ends the row.
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputEndsFull => self.ends.resize(2 * self.ends.len(), 0),
                ReadRecordResult::OutputFull => self.bytes.resize(2 * self.bytes.len() + 1, 0),
                ReadRecordResult::Record | ReadRecordResult::End => return,
            }
        }
    }

    /// The same, by the rules of tabs.
    fn read_between_tabs(&mut self, row: &[u8]) {
        self.bytes.clear();
        self.count = 0;
        let mut at = 0;
        loop {
            let quoted = if row.get(at) == Some(&b'"') { quoted_between_tabs(row, at, true) } else { Quoted::Not };
            let end = if let Quoted::Until(end) = quoted {
                let mut rest = &row[at + 1..end - 1];
                // Quotes inside are doubled.
                while let Some(quote) = memchr(b'"', rest) {
                    self.bytes.extend_from_slice(&rest[..=quote]);
                    rest = &rest[quote + 2..];
                }
                self.bytes.extend_from_slice(rest);
                end
            } else {
                let end = memchr3(b'\t', b'\n', b'\r', &row[at..]).map_or(row.len(), |length| at + length);
                self.bytes.extend_from_slice(&row[at..end]);
                end
            };
            if self.count == self.ends.len() {
                self.ends.resize(2 * self.ends.len(), 0);
            }
            self.ends[self.count] = self.bytes.len();
            self.count += 1;
            if row.get(end) != Some(&b'\t') {
                return;
            }
            at = end + 1;
        }
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    pub(super) fn cell(&self, at: usize) -> Option<&[u8]> {
        let end = *self.ends[..self.count].get(at)?;
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        Some(&self.bytes[start..end])
    }
}

/// Parses one row. `text` is a buffer for text that is not UTF-8.
pub(super) fn parse<'a>(
    row: &[u8],
    table: &Table,
    cells: &'a mut Cells,
    text: &'a mut String,
) -> Result<Document<'a>, String> {
    cells.read(without_mark(row), table.delimiter);
    let mut buffer = Some(text);
    let mut document = Document { id: None, text: "", uri: None, source: None, value: FieldValue::Missing };
    for (role, column) in &table.columns {
        let Some(cell) = cells.cell(*column) else {
            if *role == Role::Text {
                let (count, column) = (cells.count(), column + 1);
                return Err(format!("a row of {count} cells, and the text is in cell {column}"));
            }
            continue;
        };
        // Tables come from spreadsheets, which write what the system likes.
        let value = charset::decode(cell, None, false);
        match role {
            Role::Text => {
                document.text = match (value, buffer.take()) {
                    (Cow::Owned(value), Some(buffer)) => {
                        *buffer = value;
                        buffer
                    }
                    (Cow::Borrowed(value), _) => value,
                    (Cow::Owned(_), None) => unreachable!("the text is one column"),
                }
            }
            Role::Id => document.id = Some(value).filter(|id| !id.is_empty()),
            Role::Source => document.source = Some(value).filter(|source| !source.is_empty()),
            Role::Value => document.value = FieldValue::of_text(&value),
        }
    }
    Ok(document)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::read::cut::tests::all_entries;
    use crate::read::{Fields, cut::Span};

    fn settings(text: &str) -> Settings {
        let fields = Fields { text: text.to_owned(), id: Some("id".to_owned()), ..Fields::default() };
        Settings { fields, ..Settings::default() }
    }

    fn rows(bytes: &[u8], delimiter: u8) -> Vec<Span> {
        all_entries(bytes, |bytes, at_end, entries| cut(bytes, delimiter, at_end, false, entries))
    }

    /// Id and text of every row after the header.
    fn documents(name: &str, bytes: &str, settings: &Settings) -> Vec<Result<(String, String), String>> {
        let table = Table::of(name, bytes.lines().next().unwrap().as_bytes(), settings).unwrap();
        let parse = |span: &Span| {
            if let Some(problem) = &span.problem {
                return Err(problem.to_string());
            }
            let (mut cells, mut text) = (Cells::default(), String::new());
            let document = parse(&bytes.as_bytes()[span.all.clone()], &table, &mut cells, &mut text)?;
            Ok((document.id.unwrap_or_default().into_owned(), document.text.to_owned()))
        };
        let rows = rows(bytes.as_bytes(), table.delimiter);
        rows.iter().skip(usize::from(table.has_header)).map(parse).collect()
    }

    #[expect(clippy::unnecessary_wraps, reason = "it is compared with what may be an error")]
    fn ok(id: &str, text: &str) -> Result<(String, String), String> {
        Ok((id.to_owned(), text.to_owned()))
    }

    #[test]
    fn cells_are_found_by_the_names_of_the_columns_with_any_delimiter() {
        let text = settings("text");
        let table = "text,x,id\r\n\"a, \"\"b\"\"\r\nc\",1,7\r\n\r\nd \"e\",2,8";
        assert_eq!(documents("a.csv", table, &text), [ok("7", "a, \"b\"\r\nc"), ok("8", "d \"e\"")]);
        assert_eq!(documents("a.csv", "id;text\n1;a,b\n", &text), [ok("1", "a,b")]);
        assert_eq!(documents("a.tsv.gz", "id,x\ttext\n1\t\"a\tb\"\n", &text), [ok("", "a\tb")]);
        let odd = Settings { delimiter: Some(b'^'), has_header: false, ..settings("2") };
        assert_eq!(documents("a.csv", "1^a\n2^b,c\n", &odd), [ok("", "a"), ok("", "b,c")]);
    }

    #[test]
    fn between_tabs_a_quote_that_is_not_closed_as_a_cell_is_a_character() {
        let text = settings("text");
        let titles =
            "id\ttext\n1\t\"How?\": a question\n2\t\"a \"\"b\"\"\"\n3\t\"x\" and \"y\"\n4\t\"never closed\n5\tb\n";
        assert_eq!(
            documents("a.tsv", titles, &text),
            [
                ok("1", "\"How?\": a question"),
                ok("2", "a \"b\""),
                ok("3", "\"x\" and \"y\""),
                ok("4", "\"never closed"),
                ok("5", "b"),
            ]
        );
        // An open quote does not swallow the next row, though that ends as a quoted cell would.
        assert_eq!(
            documents("a.tsv", "id\ttext\n1\t\"open\n2\ta screen of 5\"\n", &text),
            [ok("1", "\"open"), ok("2", "a screen of 5\"")]
        );
        // What spreadsheets quote is quoted: a tab, or lines.
        assert_eq!(
            documents("a.tsv", "id\ttext\n1\t\"a\tb\"\n2\t\"c\nd\"\r\n3\te", &text),
            [ok("1", "a\tb"), ok("2", "c\nd"), ok("3", "e")]
        );
    }

    #[test]
    fn a_row_without_the_text_and_a_table_without_it_are_told() {
        let error = Table::of("a.csv", b"id,body\n", &settings("text")).unwrap_err();
        assert_eq!(error, Refused::NoTextField { fields: "id, body".to_owned() });
        let found = documents("a.csv", "id,text\n1\n2,b\n", &settings("text"));
        assert_eq!(found, [Err("a row of 1 cells, and the text is in cell 2".to_owned()), ok("2", "b")]);
    }

    #[test]
    fn an_open_quote_costs_one_line() {
        let table = "id,text\n1,a\n2,\"b\n3,c\n4,d\n";
        let mut found = Cut::default();
        cut(table.as_bytes(), b',', true, false, &mut found);
        let lines: Vec<&str> = found.spans.iter().map(|span| &table[span.all.clone()]).collect();
        assert_eq!(lines, ["id,text\n", "1,a\n", "2,\"b\n", "3,c\n", "4,d\n"]);
        assert_eq!(found.spans.iter().filter(|span| span.problem.is_some()).count(), 1);
        // The same in the middle of a file, where the row is too long to be one.
        let mut found = Cut::default();
        cut(&table.as_bytes()[12..], b',', false, true, &mut found);
        assert_eq!((found.spans.len(), found.spans[0].problem.is_some()), (3, true));
        // Quotes opened on every line end the file, and not in a time that grows with its square.
        let many = "1,\"a\n".repeat(101);
        let mut found = Cut::default();
        cut(many.as_bytes(), b',', true, false, &mut found);
        assert_eq!(found.end, many.len());
    }

    #[test]
    fn cells_that_are_not_utf_8_are_decoded() {
        let table = Table::of("a.csv", b"text", &settings("text")).unwrap();
        let (mut cells, mut text) = (Cells::default(), String::new());
        let document = parse(b"un caf\xE9 tr\xE8s fort\n", &table, &mut cells, &mut text).unwrap();
        assert_eq!(document.text, "un café très fort");
    }

    proptest! {
        #[test]
        fn what_is_written_between_tabs_is_read_back(
            rows in proptest::collection::vec(proptest::collection::vec("[a\"\t\n\r]{0,5}", 2..4), 1..5), is_quoted in any::<bool>()
        ) {
            let has_both = |cell: &String| cell.contains('\t') && cell.contains(['\n', '\r']);
            prop_assume!(!rows.iter().flatten().any(has_both));
            let style = if is_quoted { csv::QuoteStyle::Always } else { csv::QuoteStyle::Necessary };
            let mut writer = csv::WriterBuilder::new().delimiter(b'\t').quote_style(style).flexible(true).from_writer(Vec::new());
            rows.iter().for_each(|row| writer.write_record(row).unwrap());
            let bytes = writer.into_inner().unwrap();
            let found = super::tests::rows(&bytes, b'\t');
            // A row of empty cells is not a blank line: it has tabs.
            prop_assert_eq!(found.len(), rows.len());
            let mut cells = Cells::default();
            for (span, row) in found.iter().zip(&rows) {
                cells.read(&bytes[span.all.clone()], b'\t');
                let ours: Vec<&[u8]> = (0..cells.count()).filter_map(|at| cells.cell(at)).collect();
                prop_assert_eq!(ours, row.iter().map(String::as_bytes).collect::<Vec<_>>());
            }
        }

        #[test]
        fn between_tabs_a_row_ends_where_its_cells_do(bytes in "[a\"\t\n\r]{0,30}") {
            let mut cells = Cells::default();
            for span in super::tests::rows(bytes.as_bytes(), b'\t') {
                let row = &bytes.as_bytes()[span.all];
                cells.read(row, b'\t');
                // Nothing of a row is left over but delimiters, line ends and quotes.
                let letters = |bytes: &[u8]| memchr::memchr_iter(b'a', bytes).count();
                let in_cells: usize = (0..cells.count()).filter_map(|at| cells.cell(at)).map(letters).sum();
                prop_assert_eq!(in_cells, letters(row));
            }
        }

        #[test]
        fn rows_are_those_of_the_csv_library(bytes in "[a,\"\n\r]{0,40}") {
            let mut found = Cut::default();
            cut(bytes.as_bytes(), b',', true, false, &mut found);
            prop_assert!(found.end == bytes.len());
            let all: String = found.spans.iter().map(|span| &bytes[span.all.clone()]).collect();
            prop_assert_eq!(&all, &bytes);
            found.spans.retain(|span| !span.is_blank);
            prop_assume!(found.spans.iter().all(|span| span.problem.is_none()));
            let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(bytes.as_bytes());
            let rows: Vec<csv::ByteRecord> = reader.byte_records().map(Result::unwrap).collect();
            prop_assert_eq!(found.spans.len(), rows.len());
            let mut cells = Cells::default();
            for (span, row) in found.spans.iter().zip(&rows) {
                cells.read(&bytes.as_bytes()[span.all.clone()], b',');
                let ours: Vec<&[u8]> = (0..cells.count()).filter_map(|at| cells.cell(at)).collect();
                prop_assert_eq!(ours, row.iter().collect::<Vec<_>>());
                let raw: Vec<&[u8]> = raw_cells(&bytes.as_bytes()[span.all.clone()], b',').collect();
                prop_assert_eq!(raw.len(), row.len());
                let line = bytes[span.all.clone()].trim_end_matches(['\r', '\n']);
                prop_assert_eq!(raw.join(&b','), line.as_bytes());
            }
        }
    }
}
