//! Tables of cells: rows as defined by RFC 4180, with any delimiter. Determines the delimiter and the requested columns
//! from the first row, and parses every other row to a document. The end of rows is found in `cut`, and the end of
//! cells in `row`.

mod cut;
mod quotes;
mod row;

use std::borrow::Cow;

use lookalike_core::resolve::keep::FieldValue;

use super::cut::without_mark;
use super::{Document, Refused, Role, Settings, json_string, listed};
use crate::charset;
use crate::composed::{Composer, paths};

pub(super) use cut::cut;
pub(super) use row::Cells;
pub(crate) use row::raw_cells;

/// The columns of a file's fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    pub(crate) delimiter: u8,
    pub(crate) has_header: bool,
    /// True if the columns of a text are marked in it.
    tells_fields_apart: bool,
    /// The role of each used column.
    columns: Vec<(Role, usize)>,
    /// The names of all columns.
    pub(crate) names: Vec<String>,
}

/// Possible delimiters, most likely first.
const DELIMITERS: [u8; 4] = [b',', b'\t', b';', b'|'];

impl Table {
    /// Determines the columns from the first row. The error is the reason why no document can be found.
    pub(crate) fn of(name: &str, first_row: &[u8], settings: &Settings) -> Result<Self, Refused> {
        let delimiter =
            settings.delimiter.unwrap_or_else(|| guess(name, first_row, paths(&settings.fields.text).next()));
        let names = column_names(first_row, delimiter, settings);
        let mut columns = Vec::new();
        for wanted in settings.fields.wanted() {
            if wanted.role == Role::Text && !names.iter().any(|name| name == wanted.path) {
                // If a text has several columns, all must exist; otherwise a name was mistyped.
                let find = |path: &str| names.iter().position(|name| name == path).map(|at| (Role::Text, at));
                let found: Option<Vec<(Role, usize)>> = paths(wanted.path).map(find).collect();
                columns.extend(found.ok_or_else(|| Refused::NoTextField { fields: listed(&names) })?);
                continue;
            }
            // Other columns may be missing in some files.
            columns.extend(names.iter().position(|name| name == wanted.path).map(|at| (wanted.role, at)));
        }
        let tells_fields_apart = settings.fields.tells_fields_apart;
        Ok(Self { delimiter, has_header: settings.has_header, tells_fields_apart, columns, names })
    }

    /// Determines all columns from the first row, with their names.
    pub(super) fn of_all(name: &str, first_row: &[u8], settings: &Settings) -> (Self, Vec<String>) {
        let delimiter = settings.delimiter.unwrap_or_else(|| guess(name, first_row, None));
        let names = column_names(first_row, delimiter, settings);
        let (has_header, columns) = (settings.has_header, Vec::new());
        let table = Self { delimiter, has_header, tells_fields_apart: false, columns, names: names.clone() };
        (table, names)
    }

    /// True if this is the start of a table: its first row has the name of the text column.
    pub(crate) fn has_text_column(start: &[u8], settings: &Settings) -> bool {
        let line = start.split(|byte| matches!(byte, b'\n' | b'\r')).next().unwrap_or_default();
        let is_name =
            |cell: &[u8]| paths(&settings.fields.text).any(|name| unquoted(cell.trim_ascii()) == name.as_bytes());
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

/// The names in the first row; numbers, if it has none.
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

/// The delimiter declared by a line before the first row: `sep=;`.
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

/// The delimiter implied by a file's name, if any.
pub(super) fn delimiter_by_name(name: &str) -> Option<u8> {
    let name = name.to_ascii_lowercase();
    [".tsv", ".tab"].iter().any(|extension| name.contains(extension)).then_some(b'\t')
}

/// The delimiter implied by a name; or else the one with which the first row has the requested column; or else the one
/// with the most cells.
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

/// Parses one row. `text` is a buffer for text that is not UTF-8.
pub(super) fn parse<'a>(
    row: &[u8],
    table: &Table,
    cells: &'a mut Cells,
    text: &'a mut String,
) -> Result<Document<'a>, String> {
    cells.read(without_mark(row), table.delimiter);
    let mut buffer = Some(text);
    let mut document =
        Document { id: None, text: "", uri: None, source: None, value: FieldValue::Missing, others: Box::default() };
    let mut others = Vec::new();
    let is_text = |role: Role| role == Role::Text;
    let is_composed = table.columns.iter().filter(|(role, _)| is_text(*role)).nth(1).is_some();
    if let Some(buffer) = buffer.take_if(|_| is_composed) {
        let mut composer = Composer::new(buffer, table.tells_fields_apart);
        for (_, column) in table.columns.iter().filter(|(role, _)| is_text(*role)) {
            composer.begin_field();
            cells
                .cell(*column)
                .filter(|cell| !cell.is_empty())
                .into_iter()
                .for_each(|cell| composer.push(&charset::decode(cell, None, false)));
        }
        document.text = buffer;
    }
    for (role, column) in table.columns.iter().filter(|(role, _)| !is_composed || !is_text(*role)) {
        let Some(cell) = cells.cell(*column) else {
            if *role == Role::Text {
                let (count, column) = (cells.count(), column + 1);
                return Err(format!("a row of {count} cells, and the text is in cell {column}"));
            }
            continue;
        };
        // Tables often come from spreadsheets, which use the charset of the system.
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
            Role::Other(at) => others.push((*at, json_string(&value))),
        }
    }
    document.others = others.into();
    Ok(document)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::cut::tests::all_entries;
    use crate::read::{Fields, cut::Span};

    fn settings(text: &str) -> Settings {
        let fields = Fields { text: text.to_owned(), id: Some("id".to_owned()), ..Fields::default() };
        Settings { fields, ..Settings::default() }
    }

    pub(super) fn rows(bytes: &[u8], delimiter: u8) -> Vec<Span> {
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
        // An open quote does not swallow the next row, although that row ends like a quoted cell.
        assert_eq!(
            documents("a.tsv", "id\ttext\n1\t\"open\n2\ta screen of 5\"\n", &text),
            [ok("1", "\"open"), ok("2", "a screen of 5\"")]
        );
        // Spreadsheets quote tabs and line ends.
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
    fn cells_that_are_not_utf_8_are_decoded() {
        let table = Table::of("a.csv", b"text", &settings("text")).unwrap();
        let (mut cells, mut text) = (Cells::default(), String::new());
        let document = parse(b"un caf\xE9 tr\xE8s fort\n", &table, &mut cells, &mut text).unwrap();
        assert_eq!(document.text, "un café très fort");
    }
}
