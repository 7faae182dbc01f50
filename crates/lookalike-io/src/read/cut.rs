//! Splits bytes into entries: lines, paragraphs, and common code of all formats.

use std::ops::Range;

use memchr::memchr_iter;

use crate::skipped::SkipReason;

/// The span of one entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Span {
    /// Its bytes, including its terminator.
    pub(super) all: Range<usize>,
    /// Number of the entry, counted from 0; blank lines count if entries are lines.
    pub(super) position: usize,
    /// Reason why it cannot be parsed, if already known.
    pub(super) problem: Option<SkipReason>,
    /// True if it consists of blank lines, and is not an entry.
    pub(super) is_blank: bool,
}

/// The complete entries of a buffer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Cut {
    pub(super) spans: Vec<Span>,
    /// The end of the last complete entry, where the next buffer starts.
    pub(super) end: usize,
    /// Number of positions in the buffer.
    pub(super) positions: usize,
}

/// Maximum number of entries to cut off at a time: spans of very short entries would take a hundred times their size.
const MOST_ENTRIES: usize = 16 << 10;

impl Cut {
    /// True if no more entries should be cut off for now.
    pub(super) fn is_full(&self) -> bool {
        self.spans.len() >= MOST_ENTRIES
    }

    /// Removes all entries.
    pub(super) fn clear(&mut self) {
        self.spans.clear();
        self.end = 0;
        self.positions = 0;
    }

    /// Adds the next entry, up to `all.end`.
    pub(super) fn push(&mut self, all: Range<usize>, problem: Option<SkipReason>) {
        self.end = all.end;
        self.spans.push(Span { all, position: self.positions, problem, is_blank: false });
        self.positions += 1;
    }

    /// Removes the last entry, if the file is truncated there.
    pub(super) fn forget_damaged_end(&mut self, is_cut: bool) {
        if is_cut && self.spans.pop_if(|span| span.problem.is_some()).is_some() {
            self.positions -= 1;
        }
    }

    /// Adds blank lines, with their number of positions. They belong to no entry, and are copied to the output.
    /// Adjacent ones are one span, so that a file of blank lines takes no memory.
    pub(super) fn push_blank(&mut self, all: Range<usize>, positions: usize) {
        self.end = all.end;
        match self.spans.last_mut().filter(|last| last.is_blank && last.all.end == all.start) {
            Some(last) => last.all.end = all.end,
            None => self.spans.push(Span { all, position: self.positions, problem: None, is_blank: true }),
        }
        self.positions += positions;
    }
}

/// Removes the byte order mark that some editors write.
pub(super) fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes)
}

/// True if there is only white space. (Trimming would also scan the end.)
pub(super) fn is_blank(bytes: &[u8]) -> bool {
    bytes.iter().all(u8::is_ascii_whitespace)
}

/// True if bytes start with a byte order mark of UTF-16.
pub(super) fn is_utf16(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\xFF\xFE") || bytes.starts_with(b"\xFE\xFF")
}

/// Cuts off the complete lines of `bytes`. With `at_end`, nothing follows.
pub(super) fn lines(bytes: &[u8], at_end: bool, cut: &mut Cut) {
    let mut start = 0;
    for end in memchr_iter(b'\n', bytes).map(|end| end + 1).chain(at_end.then_some(bytes.len())) {
        if !is_blank(without_mark(&bytes[start..end])) {
            cut.push(start..end, None);
        } else if end > start {
            cut.push_blank(start..end, 1);
        }
        if cut.is_full() {
            return;
        }
        start = end;
    }
}

/// Cuts off the complete paragraphs of `bytes`, each with the blank lines after it.
pub(super) fn paragraphs(bytes: &[u8], at_end: bool, cut: &mut Cut) {
    let (mut start, mut line, mut is_after_blank) = (0, 0, false);
    for end in memchr_iter(b'\n', bytes).map(|end| end + 1) {
        let is_blank = is_blank(&bytes[line..end]);
        // A paragraph ends where the next one starts, so blank lines belong to only one.
        if is_after_blank && !is_blank {
            push_paragraph(bytes, start..line, cut);
            if cut.is_full() {
                return;
            }
            start = line;
        }
        (line, is_after_blank) = (end, is_blank);
    }
    if at_end && start < bytes.len() {
        if is_after_blank && line < bytes.len() && !is_blank(&bytes[line..]) {
            push_paragraph(bytes, start..line, cut);
            start = line;
        }
        push_paragraph(bytes, start..bytes.len(), cut);
    }
}

/// Blank lines before the first paragraph are not a paragraph.
fn push_paragraph(bytes: &[u8], all: Range<usize>, cut: &mut Cut) {
    if is_blank(without_mark(&bytes[all.clone()])) {
        cut.push_blank(all, 0);
    } else {
        cut.push(all, None);
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// The entries of `bytes`, both in one call and in parts, which must be equal. Blank lines, which may be split
    /// anywhere, are left out.
    pub(in super::super) fn all_entries(bytes: &[u8], cut_by: impl Fn(&[u8], bool, &mut Cut)) -> Vec<Span> {
        let cut_by = |bytes: &[u8], at_end: bool, cut: &mut Cut| {
            cut_by(bytes, at_end, cut);
            cut.spans.retain(|span| !span.is_blank);
        };
        let mut whole = Cut::default();
        cut_by(bytes, true, &mut whole);
        for seen in 0..bytes.len() {
            let mut part = Cut::default();
            cut_by(&bytes[..seen], false, &mut part);
            assert!(part.end <= seen);
            assert_eq!(part.spans, whole.spans[..part.spans.len()], "{seen} of {}", bytes.len());
            // Bytes that were cut off can be dropped.
            let mut rest = Cut::default();
            cut_by(&bytes[part.end..], true, &mut rest);
            assert_eq!(part.spans.len() + rest.spans.len(), whole.spans.len(), "{seen} of {}", bytes.len());
            assert_eq!(part.positions + rest.positions, whole.positions, "{seen} of {}", bytes.len());
        }
        whole.spans
    }

    fn texts(bytes: &str, cut_by: impl Fn(&[u8], bool, &mut Cut)) -> Vec<(usize, &str)> {
        let entries = all_entries(bytes.as_bytes(), cut_by);
        entries.into_iter().map(|span| (span.position, &bytes[span.all])).collect()
    }

    #[test]
    fn blank_lines_are_nothing_and_count() {
        assert_eq!(texts("a\n\n \r\nb\r\nc", lines), [(0, "a\n"), (3, "b\r\n"), (4, "c")]);
        assert_eq!(texts("\n", lines), []);
    }

    #[test]
    fn with_its_blank_lines_a_run_is_whole() {
        for bytes in ["\u{feff}\n\n a\nb\n\n \nc\r\n\r\nd", "\n\n", "a\n\n\n"] {
            for cut_by in [lines as fn(&[u8], bool, &mut Cut), paragraphs] {
                let mut cut = Cut::default();
                cut_by(bytes.as_bytes(), true, &mut cut);
                let all: String = cut.spans.iter().map(|span| &bytes[span.all.clone()]).collect();
                assert_eq!(all, bytes);
                assert!(cut.spans.windows(2).all(|spans| !(spans[0].is_blank && spans[1].is_blank)));
            }
        }
    }

    #[test]
    fn paragraphs_end_where_the_next_one_starts() {
        assert_eq!(texts("\n a\nb\n\n \nc\r\n\r\nd", paragraphs), [(0, " a\nb\n\n \n"), (1, "c\r\n\r\n"), (2, "d")]);
        assert_eq!(texts("a\n\n", paragraphs), [(0, "a\n\n")]);
        assert_eq!(texts("\n\n", paragraphs), []);
    }
}
