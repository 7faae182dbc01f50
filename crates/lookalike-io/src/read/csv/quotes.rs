//! Quotes in tab-separated files. Most writers of these files do not quote at all, and a title may start with a quote,
//! so a cell counts as quoted only if there is no other interpretation.

use memchr::{memchr, memchr2};

/// Interpretation of a cell that starts with a quote.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Quoted {
    /// It is quoted, and ends here, after the closing quote.
    Until(usize),
    /// It is not quoted: the quote is an ordinary character.
    Not,
    /// It depends on the following bytes.
    Open,
}

/// Determines if the cell at `start`, which starts with a quote, is quoted as a whole, as spreadsheets write it.
///
/// Tab-separated files have no quotes by IANA's definition (text/tab-separated-values), and a title that starts with
/// one must not swallow the rows up to the next. Therefore the closing quote must be followed by a tab or a line end,
/// and the quoted part must not contain both a line end and a tab, as a row swallowed by mistake would.
pub(super) fn quoted_between_tabs(bytes: &[u8], start: usize, is_last: bool) -> Quoted {
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
