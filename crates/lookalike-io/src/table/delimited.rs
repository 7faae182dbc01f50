//! CSV and TSV: the first row has the names of the columns.

use lookalike_core::table::Table;

use super::ReadTable;

/// What may stand between cells.
const DELIMITERS: [u8; 4] = [b',', b'\t', b';', b'|'];

pub(super) fn read(text: &str) -> Result<ReadTable, String> {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let delimiter = delimiter(text);
    let mut reader = csv::ReaderBuilder::new().delimiter(delimiter).flexible(true).from_reader(text.as_bytes());
    let names: Vec<String> = reader.headers().map_err(|error| error.to_string())?.iter().map(str::to_owned).collect();
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
                let cells: Vec<&str> = record.iter().map(str::trim).collect();
                if let Err(error) = read.table.push(&cells) {
                    read.skip(row, error.to_string());
                }
            }
            Err(error) => read.skip(row, error.to_string()),
        }
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
    fn a_name_that_two_columns_have_is_refused() {
        assert!(read("id,name,name\n1,a,b\n").unwrap_err().contains("'name'"));
    }
}
