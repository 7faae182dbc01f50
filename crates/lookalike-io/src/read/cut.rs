//! Entries in a run of bytes: lines, paragraphs, and what all formats share.

use std::ops::Range;

use memchr::memchr_iter;

use crate::skipped::SkipReason;

/// One entry in a run of bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Span {
    /// Its bytes, with what ends it.
    pub(super) all: Range<usize>,
    /// Which entry of the run, counted from 0; blank lines count where an entry is a line.
    pub(super) position: usize,
    /// Why it cannot be parsed, if that is known already.
    pub(super) problem: Option<SkipReason>,
    /// Whether it is blank lines, and no entry.
    pub(super) is_blank: bool,
}

/// The whole entries of a run of bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Cut {
    pub(super) spans: Vec<Span>,
    /// Where the last whole entry ends, and the next run starts.
    pub(super) end: usize,
    /// How many positions the run takes.
    pub(super) positions: usize,
}

/// How many entries are cut off at once: a chunk of very short ones would take a hundred times its size in memory.
const MOST_ENTRIES: usize = 16 << 10;

impl Cut {
    /// Whether no more entries should be cut off for now.
    pub(super) fn is_full(&self) -> bool {
        self.spans.len() >= MOST_ENTRIES
    }

    /// Nothing that is not whole.
    pub(super) fn clear(&mut self) {
        self.spans.clear();
        self.end = 0;
        self.positions = 0;
    }

    /// The next entry, up to `all.end`.
    pub(super) fn push(&mut self, all: Range<usize>, problem: Option<SkipReason>) {
        self.end = all.end;
        self.spans.push(Span { all, position: self.positions, problem, is_blank: false });
        self.positions += 1;
    }

    /// Forgets the last entry, if the file is cut there and the entry with it.
    pub(super) fn forget_damaged_end(&mut self, is_cut: bool) {
        if is_cut && self.spans.pop_if(|span| span.problem.is_some()).is_some() {
            self.positions -= 1;
        }
    }

    /// Blank lines, which take so many positions. They belong to no entry, and are written as they are. Those in a row are one
    /// span, so that a file of nothing else takes no memory.
    pub(super) fn push_blank(&mut self, all: Range<usize>, positions: usize) {
        self.end = all.end;
        match self.spans.last_mut().filter(|last| last.is_blank && last.all.end == all.start) {
            Some(last) => last.all.end = all.end,
            None => self.spans.push(Span { all, position: self.positions, problem: None, is_blank: true }),
        }
        self.positions += positions;
    }
}

/// Bytes without the byte order mark that some editors put first.
pub(super) fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes)
}

/// Whether there is nothing but white space. (To trim would also look at all that is at the end.)
pub(super) fn is_blank(bytes: &[u8]) -> bool {
    bytes.iter().all(u8::is_ascii_whitespace)
}

/// Whether bytes start with a byte order mark of UTF-16.
pub(super) fn is_utf16(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\xFF\xFE") || bytes.starts_with(b"\xFE\xFF")
}

/// Cuts off the lines of `bytes` that are whole. `at_end` says that nothing will follow.
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

/// Cuts off the paragraphs of `bytes` that are whole, each with the blank lines after it.
pub(super) fn paragraphs(bytes: &[u8], at_end: bool, cut: &mut Cut) {
    let (mut start, mut line, mut is_after_blank) = (0, 0, false);
    for end in memchr_iter(b'\n', bytes).map(|end| end + 1) {
        let is_blank = is_blank(&bytes[line..end]);
        // A paragraph ends where the next one starts, so that blank lines are in none twice.
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

/// Blank lines before the first paragraph are no paragraph.
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

    /// The entries of `bytes`; seen at once and as they would come in parts, which must be the same. Blank lines, which may be cut
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
            // What was cut off can be forgotten.
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
