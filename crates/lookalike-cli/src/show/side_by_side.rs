//! Shows two documents side by side: text that only one of them has is marked, and long texts are shortened around it.
//! If one is mostly not in the other, like a book with a quotation, their shared text is shown instead, and the rest is
//! plain.
//!
//! Texts come from the input and may contain anything: no character reaches the terminal that moves the cursor, changes
//! colors or the writing direction.

use std::io::{self, IsTerminal, Write};
use std::ops::Range;

use lookalike::{FoundText, Passage, Scheme, TextPair, pieces_of};
use lookalike_page::{Opening, Piece};
use unicode_width::UnicodeWidthChar;

use crate::show::harmless::{self, one_line};
use crate::show::numbers;

/// Width of the output without a terminal, and its maximum and minimum with one.
const WIDTH: usize = 100;
const WIDEST: usize = 200;
const NARROWEST: usize = 40;

/// Separator of the columns.
const GAP: &str = " │ ";

/// Number of characters to show before and after each difference.
const AROUND: usize = 80;

/// Number of characters to show from the start of a text, to tell what it is about.
const START: usize = 160;

/// Number of characters to show at the start and at the end of a passage that the other text lacks.
const PASSAGE_END: usize = 200;

/// Maximum number of lines for a pair.
const MOST_LINES: usize = 40;

/// Number of characters before a difference that are searched for in the other text to find its place.
const ANCHOR: usize = 24;

/// Layout of pairs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    width: usize,
    is_colored: bool,
}

impl Layout {
    /// Layout as wide as the terminal, if pairs are shown there.
    pub(crate) fn of_terminal(goes_to_stdout: bool) -> Self {
        let is_terminal = goes_to_stdout && io::stdout().is_terminal();
        let width = terminal_size::terminal_size().filter(|_| is_terminal).map(|(width, _)| usize::from(width.0));
        Self { width: width.unwrap_or(WIDTH).clamp(NARROWEST, WIDEST), is_colored: is_terminal }
    }

    /// Writes a pair.
    pub(crate) fn write(self, out: &mut dyn Write, pair: &TextPair, options: &Scheme) -> io::Result<()> {
        let TextPair { left, right, similarity, .. } = pair;
        let pieces = pieces_of([&left.text, &right.text], options).pieces;
        let [left_pieces, right_pieces] = &pieces;
        let marked = if let Some(opening) = Opening::of([left_pieces, right_pieces]) {
            [quoted(left_pieces, opening, 0, ["[-", "-]"]), quoted(right_pieces, opening, 1, ["[+", "+]"])]
        } else {
            let [own, other] = pieces.map(|pieces| passages(&pieces));
            [marked(&own, &other, ["[-", "-]"]), marked(&other, &own, ["[+", "+]"])]
        };
        let column = (self.width - GAP.chars().count()) / 2;
        let [lefts, rights] = marked.map(|text| wrapped(&text, column));
        writeln!(out, "{similarity:.4} {}", "─".repeat(self.width - 7))?;
        self.rows(out, &wrapped(&title(left), column), &wrapped(&title(right), column), column)?;
        writeln!(out, "{}", "╌".repeat(self.width))?;
        let shown = |lines: &[Line]| lines[..lines.len().min(MOST_LINES)].to_vec();
        self.rows(out, &shown(&lefts), &shown(&rights), column)?;
        let more = lefts.len().max(rights.len()).saturating_sub(MOST_LINES) as u64;
        if more > 0 {
            writeln!(out, "… {}: lookalike compare shows all", numbers::of(more, "more line"))?;
        }
        writeln!(out)
    }

    fn rows(self, out: &mut dyn Write, lefts: &[Line], rights: &[Line], column: usize) -> io::Result<()> {
        let none = Line::default();
        for at in 0..lefts.len().max(rights.len()) {
            let [left, right] = [lefts, rights].map(|lines| lines.get(at).unwrap_or(&none));
            let space = " ".repeat(column.saturating_sub(left.width));
            let row = format!("{}{space}{GAP}{}", self.painted(left), self.painted(right));
            writeln!(out, "{}", row.trim_end())?;
        }
        Ok(())
    }

    /// Colors the marked parts of a line.
    fn painted(self, line: &Line) -> String {
        let paint = |(text, is_marked): &(String, bool)| {
            if *is_marked && self.is_colored { format!("\x1b[33m{text}\x1b[0m") } else { text.clone() }
        };
        line.parts.iter().map(paint).collect()
    }
}

/// Title of a document: its id, and its place if that is different.
fn title(document: &FoundText) -> Vec<(String, bool)> {
    let [id, place] = [&document.id, &document.place].map(|name| visible(&one_line(name)));
    vec![(if id == place { id } else { format!("{id} ({place})") }, false)]
}

/// Joins pieces to passages.
fn passages(pieces: &[Piece]) -> Vec<Passage> {
    let mut passages: Vec<Passage> = Vec::new();
    for piece in pieces {
        match passages.last_mut().filter(|last| last.shared != piece.is_only) {
            Some(last) => last.text.push_str(&piece.text),
            None => passages.push(Passage::new(!piece.is_only, piece.text.clone())),
        }
    }
    passages
}

/// Returns a text from its longest passage on, in pieces, each with a flag that says whether it is marked. In a text
/// that is mostly not in the other, long text that the other lacks is plain: it is the rest of the text, not a
/// difference.
fn quoted(pieces: &[Piece], opening: Opening, side: usize, [open, close]: [&str; 2]) -> Vec<(String, bool)> {
    let at = pieces.iter().position(|piece| piece.passage == Some(opening.passage)).unwrap_or(0);
    let mut shown = Vec::new();
    let before: String = pieces[..at].iter().map(|piece| piece.text.as_str()).collect();
    shown.push((visible(&ends(&before, 0, AROUND)), false));
    for (number, piece) in pieces[at..].iter().enumerate() {
        let is_last = at + number + 1 == pieces.len();
        let is_long = piece.text.chars().nth(2 * AROUND).is_some();
        if !piece.is_only {
            shown.push((visible(&ends(&piece.text, 2 * PASSAGE_END, PASSAGE_END)), false));
        } else if is_long && opening.are_parts[side] {
            shown.push((visible(&ends(&piece.text, AROUND, if is_last { 0 } else { AROUND })), false));
        } else {
            shown.push((format!("{open}{}{close}", middle_left_out(&visible(piece.text.trim_end()))), true));
            shown.push((" ".to_owned(), false));
        }
    }
    shown
}

/// Returns the start and the end of a text, cut between words, with a note on the text left out between them.
fn ends(text: &str, start: usize, end: usize) -> String {
    let count = text.chars().count();
    if count <= start + end + AROUND / 2 {
        return text.to_owned();
    }
    let cut = |count: usize| text.char_indices().nth(count).map_or(text.len(), |(at, _)| at);
    let (from, to) = (cut(start), cut(count - end));
    let from = if start == 0 { 0 } else { from + word_end(&text[from..to]) };
    let to = if end == 0 { text.len() } else { from + word_start(&text[from..to]) };
    let left_out = text[from..to].chars().count() as u64;
    format!("{} … ({}) … {}", &text[..from], numbers::of(left_out, "character"), &text[to..])
}

/// Splits a text into pieces, each with a flag that says whether it is marked: text that the other lacks is between
/// marks, and shared text is shortened.
fn marked(own: &[Passage], other: &[Passage], [open, close]: [&str; 2]) -> Vec<(String, bool)> {
    let text: String = own.iter().map(|passage| passage.text.as_str()).collect();
    let kept = kept(&text, own, other);
    let mut pieces = Vec::new();
    let mut start = 0;
    for passage in own {
        let range = start..start + passage.text.len();
        start = range.end;
        if passage.shared {
            pieces.extend(shortened(&text, range, &kept).into_iter().map(|piece| (visible(&piece), false)));
        } else {
            let inner = visible(passage.text.trim_end());
            pieces.push((format!("{open}{}{close}", middle_left_out(&inner)), true));
            pieces.push((" ".to_owned(), false));
        }
    }
    pieces
}

/// Selects the bytes of a text to show: its start, and the surroundings of each difference, whichever side has it.
fn kept(text: &str, own: &[Passage], other: &[Passage]) -> Vec<Range<usize>> {
    let mut kept = Vec::new();
    kept.push(0..START);
    let mut start = 0_usize;
    for passage in own {
        if !passage.shared {
            kept.push(start.saturating_sub(AROUND)..start + passage.text.len() + AROUND);
        }
        start += passage.text.len();
    }
    // Places where the other text has additional words, found by the words before them.
    let mut from = 0;
    for two in other.windows(2).filter(|two| two[0].shared && !two[1].shared) {
        let before = &two[0].text;
        let anchor = before[boundary(before, before.len().saturating_sub(ANCHOR))..].trim();
        if let Some(at) = text.get(from..).and_then(|rest| rest.find(anchor)).filter(|_| !anchor.is_empty()) {
            let end = from + at + anchor.len();
            kept.push(end.saturating_sub(AROUND)..end + AROUND);
            from = end;
        }
    }
    kept.sort_unstable_by_key(|range| range.start);
    kept
}

/// Returns the parts of a range that are kept, with notes on the text left out between them.
fn shortened(text: &str, range: Range<usize>, kept: &[Range<usize>]) -> Vec<String> {
    let mut pieces = Vec::new();
    let mut at = range.start;
    let leave_out = |pieces: &mut Vec<String>, from: usize, to: usize| {
        let count = text[from..to].chars().count() as u64;
        // Text is left out only if it is longer than the note about it.
        if count > AROUND as u64 / 2 {
            pieces.push(format!(" … ({}) … ", numbers::of(count, "character")));
        } else {
            pieces.push(text[from..to].to_owned());
        }
    };
    for part in kept {
        let start = boundary(text, part.start.clamp(at, range.end));
        let start = at + word_start(&text[at..start]);
        let end = boundary(text, part.end.clamp(start, range.end));
        let end = end + word_end(&text[end..range.end]);
        if start >= end {
            continue;
        }
        if start > at {
            leave_out(&mut pieces, at, start);
        }
        pieces.push(text[start..end].to_owned());
        at = end;
    }
    if at < range.end {
        leave_out(&mut pieces, at, range.end);
    }
    pieces
}

/// Maximum distance of a word from an edge at which it is shown whole.
const WORD: usize = 24;

/// Returns the start of the last word of a text, if that is near its end; else its end.
fn word_start(text: &str) -> usize {
    let start = text.rfind(char::is_whitespace).map_or(0, |at| at + 1);
    if text.len() - start <= WORD { boundary(text, start) } else { text.len() }
}

/// Returns the end of the first word of a text, if that is near its start; else its start.
fn word_end(text: &str) -> usize {
    text.find(char::is_whitespace).filter(|end| *end <= WORD).unwrap_or(0)
}

/// Returns the first position from this one on at which a text can be cut.
fn boundary(text: &str, from: usize) -> usize {
    (from..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())
}

fn middle_left_out(text: &str) -> String {
    let count = text.chars().count();
    if count <= 3 * PASSAGE_END {
        return text.to_owned();
    }
    let start: String = text.chars().take(PASSAGE_END).collect();
    let end: String = text.chars().skip(count - PASSAGE_END).collect();
    format!("{start} … ({}) … {end}", numbers::of((count - 2 * PASSAGE_END) as u64, "character"))
}

/// Makes a text safe for a terminal: runs of white space become one space, and control characters become marks.
fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut is_space = false;
    for c in text.chars() {
        if c.is_whitespace() {
            if !is_space {
                shown.push(' ');
            }
        } else {
            harmless::push(c, &mut shown);
        }
        is_space = c.is_whitespace();
    }
    shown
}

/// A line of a column: its pieces, each with a flag that says whether it is marked, and its width in cells.
#[derive(Clone, Debug, Default)]
struct Line {
    parts: Vec<(String, bool)>,
    width: usize,
}

/// Breaks pieces into lines of a given width, at spaces if there are any.
fn wrapped(pieces: &[(String, bool)], column: usize) -> Vec<Line> {
    let mut lines = vec![Line::default()];
    for (text, is_marked) in pieces {
        for word in text.split_inclusive(' ') {
            let width = cells(word.trim_end());
            if lines.last().is_some_and(|line| line.width > 0 && line.width + width > column) {
                lines.push(Line::default());
            }
            for c in word.chars() {
                let wide = c.width().unwrap_or(0);
                let is_full = lines.last().is_some_and(|line| line.width + wide > column);
                // A space at the edge is not visible anyway.
                if c == ' ' && (is_full || lines.last().is_none_or(|line| line.width == 0)) {
                    continue;
                }
                if is_full {
                    lines.push(Line::default());
                }
                let line = lines.last_mut().expect("there is always a line");
                line.width += wide;
                match line.parts.last_mut().filter(|part| part.1 == *is_marked) {
                    Some(part) => part.0.push(c),
                    None => line.parts.push((c.to_string(), *is_marked)),
                }
            }
        }
    }
    lines
}

fn cells(text: &str) -> usize {
    text.chars().map(|c| c.width().unwrap_or(0)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passages(of: &[(&str, bool)]) -> Vec<Passage> {
        of.iter().map(|(text, shared)| Passage::new(*shared, *text)).collect()
    }

    fn joined(pieces: &[(String, bool)]) -> String {
        pieces.iter().map(|(text, _)| text.as_str()).collect()
    }

    fn lines(text: &str, column: usize) -> Vec<String> {
        let lines = wrapped(&[(text.to_owned(), false)], column);
        lines.iter().map(|line| line.parts.iter().map(|part| part.0.as_str()).collect()).collect()
    }

    #[test]
    fn nothing_of_a_text_reaches_the_terminal_that_does_something_there() {
        let hostile = "a\u{1b}[2Jb\u{7}c\u{9b}d\u{202e}e\r\nf\tg\u{0}h\u{7f}";
        let shown = visible(hostile);
        assert_eq!(shown, "a␛[2Jb␇c\\u{9b}d\\u{202e}e f g␀h␡");
    }

    #[test]
    fn lines_are_no_wider_than_their_column_in_any_script() {
        assert_eq!(lines("one two three", 7), ["one two", "three"]);
        assert_eq!(lines("abcdefghij", 4), ["abcd", "efgh", "ij"]);
        // Each of these takes two cells.
        assert_eq!(lines("漢字漢字漢", 5), ["漢字", "漢字", "漢"]);
        assert_eq!(lines("", 5), [""]);
    }

    #[test]
    fn a_long_text_is_shortened_around_what_differs_on_either_side() {
        let filler: String = (0..400).map(|at| format!("word{at} ")).collect();
        let (start, end) = filler.split_at(filler.find("word200 ").unwrap());
        let own = passages(&[(&filler, true)]);
        let other = passages(&[(start, true), ("NEW ", false), (end, true)]);
        let left = joined(&marked(&own, &other, ["[-", "-]"]));
        let right = joined(&marked(&other, &own, ["[+", "+]"]));
        assert!(right.contains("word199 [+NEW+] word200"), "{right}");
        // The left text has nothing of its own, and shows the same place.
        assert!(left.contains("word199 word200") && left.contains("characters) …"), "{left}");
        assert!(left.len() < 600 && right.len() < 600, "{} and {}", left.len(), right.len());
        // No word is cut in two.
        let is_whole = |word: &&str| !word.starts_with("word") || word[4..].parse::<u32>().is_ok_and(|at| at < 400);
        assert!(left.split_whitespace().all(|word| is_whole(&word)), "{left}");
    }

    #[test]
    fn a_book_is_opened_at_its_quotation_and_the_rest_is_plain() {
        let page = "words of the book ".repeat(300);
        let quotation = "to be or not to be that is the question";
        let texts = [format!("He said: {quotation}!"), format!("TITLE PAGE {page}{quotation} {page}")];
        let scheme = Scheme::containment(0.1).unwrap();
        let found = |text: &String| FoundText::new("a", text);
        let pair = TextPair::new(found(&texts[0]), found(&texts[1]), 1.0);
        let mut out = Vec::new();
        Layout { width: 100, is_colored: false }.write(&mut out, &pair, &scheme).unwrap();
        let shown = String::from_utf8(out).unwrap();
        assert!(!shown.contains("TITLE") && !shown.contains("[+"), "{shown}");
        let right: Vec<&str> = shown.lines().filter_map(|line| line.split_once('│')).map(|(_, right)| right).collect();
        let right = right.join(" ").split_whitespace().collect::<Vec<_>>().join(" ");
        let at = right.find(quotation).unwrap_or_else(|| panic!("{shown}"));
        assert!(at < 200, "{shown}");
        assert!(right.contains("characters) … "), "{shown}");
        assert!(shown.lines().count() < 20, "{shown}");
    }

    #[test]
    fn a_short_text_is_shown_whole() {
        let own = passages(&[("The cat ", true), ("sat ", false), ("there", true)]);
        assert_eq!(joined(&marked(&own, &[], ["[-", "-]"])), "The cat [-sat-] there");
    }
}
