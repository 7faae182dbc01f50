//! Finds the complete rows of a table. A line end between quotes does not end a row.

use memchr::{memchr, memchr3};

use super::quotes::{Quoted, quoted_between_tabs};
use crate::read::cut::Cut;

/// Number of rows with an open quote that are each skipped as one line before the rest of the file is given up.
const MOST_UNCLOSED: usize = 16;

/// Cuts off the complete rows of `bytes`. With `at_end`, nothing follows; with `is_too_long`, the first row is too
/// long, so a quote in it must have been left open.
pub(in crate::read) fn cut(bytes: &[u8], delimiter: u8, at_end: bool, is_too_long: bool, cut: &mut Cut) {
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
            // A blank line is not a row.
            cut.push_blank(start..end, 0);
        } else {
            cut.push(start..end, None);
        }
        // At the end, the results about open quotes must not be recomputed for each part.
        if cut.is_full() && !at_end {
            return;
        }
        start = end;
    }
}

enum RowEnd {
    /// After the line end.
    At(usize),
    /// Not found yet.
    Open,
    /// Not found yet, and a quote is open.
    InQuotes,
}

/// Finds the end of the row at `start`. With `is_last`, an open quote will not be closed later.
fn row_end(bytes: &[u8], start: usize, delimiter: u8, is_last: bool) -> RowEnd {
    let mut at = start;
    // Once per cell.
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
                    // Two quotes may be an escaped one; at the very end, the first is the closing one.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_open_quote_costs_one_line() {
        let table = "id,text\n1,a\n2,\"b\n3,c\n4,d\n";
        let mut found = Cut::default();
        cut(table.as_bytes(), b',', true, false, &mut found);
        let lines: Vec<&str> = found.spans.iter().map(|span| &table[span.all.clone()]).collect();
        assert_eq!(lines, ["id,text\n", "1,a\n", "2,\"b\n", "3,c\n", "4,d\n"]);
        assert_eq!(found.spans.iter().filter(|span| span.problem.is_some()).count(), 1);
        // The same in the middle of a file, where the row is too long.
        let mut found = Cut::default();
        cut(&table.as_bytes()[12..], b',', false, true, &mut found);
        assert_eq!((found.spans.len(), found.spans[0].problem.is_some()), (3, true));
        // Quotes opened on every line end the file, without quadratic time.
        let many = "1,\"a\n".repeat(101);
        let mut found = Cut::default();
        cut(many.as_bytes(), b',', true, false, &mut found);
        assert_eq!(found.end, many.len());
    }
}
