//! CSV and TSV: the first row has the names of the columns.

use std::borrow::Cow;

use lookalike_core::table::Table;

use super::ReadTable;

/// What may stand between cells.
const DELIMITERS: [u8; 4] = [b',', b'\t', b';', b'|'];

pub(super) fn read(text: &str) -> Result<ReadTable, String> {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let delimiter = delimiter(text);
    // Between tabs a quote is a character like any other (IANA text/tab-separated-values): a title may begin with one.
    let has_quotes = delimiter != b'\t';
    let mut reader =
        csv::ReaderBuilder::new().delimiter(delimiter).quoting(has_quotes).flexible(true).from_reader(text.as_bytes());
    let cell: fn(&str) -> Cow<'_, str> = if has_quotes { |cell| Cow::Borrowed(cell) } else { unquoted };
    let names: Vec<String> =
        reader.headers().map_err(|error| error.to_string())?.iter().map(|name| cell(name).into_owned()).collect();
    if let Some(twice) = (1..names.len()).find(|at| names[..*at].contains(&names[*at])) {
        return Err(format!("two of its columns are named '{}'", names[twice]));
    }
    let mut read = ReadTable::new(Table::new(names));
    let mut record = csv::StringRecord::new();
    let mut row = 0;
    loop {
        row += 1;
        match reader.read_record(&mut record) {
            Ok(false) => return Ok(read),
            Ok(true) => {
                let cells: Vec<Cow<'_, str>> = record.iter().map(str::trim).map(cell).collect();
                if let Err(error) = read.table.push(&cells) {
                    read.skip(row, error.to_string());
                }
            }
            Err(error) => read.skip(row, error.to_string()),
        }
    }
}

/// A cell that somebody has quoted as a whole, as spreadsheets do, without its quotes.
fn unquoted(cell: &str) -> Cow<'_, str> {
    match cell.strip_prefix('"').and_then(|cell| cell.strip_suffix('"')) {
        // Quotes inside are doubled; where they are not, those at the ends belong to the text.
        Some(inside) if !inside.replace("\"\"", "").contains('"') => inside.replace("\"\"", "\"").into(),
        _ => cell.into(),
    }
}

/// What stands between the names of the columns most often.
fn delimiter(text: &str) -> u8 {
    let first = text.lines().next().unwrap_or_default();
    let count = |delimiter: &u8| first.bytes().filter(|byte| byte == delimiter).count();
    // Of equals the first counts.
    DELIMITERS.into_iter().rev().max_by_key(count).unwrap_or(b',')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_another_length_are_skipped_and_told() {
        let read = read("\u{FEFF}id;name\n1;Ann\n2;Bob;Ulm\n3; \"Smith; John\" \n4;\"Smith; John\"\n").unwrap();
        assert_eq!(read.table.names(), ["id", "name"]);
        assert_eq!(read.table.column(1).iter().collect::<Vec<_>>(), ["Ann", "Smith; John"]);
        assert_eq!(read.skipped_count, 2);
        assert_eq!((read.skipped[0].row, read.skipped[1].row), (2, 3));
    }

    #[test]
    fn between_tabs_only_whole_cells_are_quoted() {
        let read = read("id\ttitle\n1\t\"How?\": a question\n2\t\"a \"\"b\"\"\"\n3\t\"x\" and \"y\"\n").unwrap();
        let titles: Vec<&str> = read.table.column(1).iter().collect();
        assert_eq!(titles, ["\"How?\": a question", "a \"b\"", "\"x\" and \"y\""]);
    }

    #[test]
    fn a_name_that_two_columns_have_is_refused() {
        assert!(read("id,name,name\n1,a,b\n").unwrap_err().contains("'name'"));
    }
}
