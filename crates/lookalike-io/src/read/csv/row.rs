//! Splits one row into cells, raw or unquoted. In a cell that does not start with a quote, quotes are ordinary
//! characters.

use csv_core::ReadRecordResult;
use memchr::{memchr, memchr3};

use super::quotes::{Quoted, quoted_between_tabs};

/// The raw cells of one row, with their quotes; the last one without the line ends.
pub(crate) fn raw_cells(row: &[u8], delimiter: u8) -> impl Iterator<Item = &[u8]> {
    let mut start = Some(0);
    std::iter::from_fn(move || {
        let cell = &row[start?..];
        let end = cell_end(cell, delimiter);
        start = (cell.get(end) == Some(&delimiter)).then_some(start? + end + 1);
        Some(&cell[..end])
    })
}

/// The end of the cell at the start of `bytes`.
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

/// The unquoted cells of one row, with reusable buffers.
#[derive(Debug)]
pub(in crate::read) struct Cells {
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
    pub(in crate::read) fn read(&mut self, row: &[u8], delimiter: u8) {
        if delimiter == b'\t' {
            return self.read_between_tabs(row);
        }
        if self.delimiter != delimiter {
            self.reader = csv_core::ReaderBuilder::new().delimiter(delimiter).build();
            self.delimiter = delimiter;
        }
        self.reader.reset();
        // An unquoted row is never longer.
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
                // An empty input marks the end, so another call ends the row.
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputEndsFull => self.ends.resize(2 * self.ends.len(), 0),
                ReadRecordResult::OutputFull => self.bytes.resize(2 * self.bytes.len() + 1, 0),
                ReadRecordResult::Record | ReadRecordResult::End => return,
            }
        }
    }

    /// Splits a row by the rules for tabs.
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

    pub(in crate::read) fn count(&self) -> usize {
        self.count
    }

    pub(in crate::read) fn cell(&self, at: usize) -> Option<&[u8]> {
        let end = *self.ends[..self.count].get(at)?;
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        Some(&self.bytes[start..end])
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::cut;
    use super::super::tests::rows as spans;
    use super::*;
    use crate::read::cut::Cut;

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
            let found = spans(&bytes, b'\t');
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
            for span in spans(bytes.as_bytes(), b'\t') {
                let row = &bytes.as_bytes()[span.all];
                cells.read(row, b'\t');
                // Only delimiters, line ends and quotes of a row are dropped.
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
