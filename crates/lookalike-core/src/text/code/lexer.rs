//! The text of a program to its tokens, one after the other.
//!
//! The start of a comment is recognized only where a comment can start: neither in a string nor in a regular
//! expression, and not after the colon of a URL. Comments are not compared, so anything in doubt is a token.

use memchr::memmem;

use super::Language;
use super::guess::guess;
use super::syntax::{BEFORE_A_VALUE, Long, OPERATORS, Syntax, is_word};

/// A token and its place. Tokens of layout are not part of the text.
pub(crate) struct CodeToken<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// The end of a line that counts, and more and less indentation. No other token starts with a line feed.
const LINE_END: &[u8] = b"\n";
const MORE: &[u8] = b"\n>";
const LESS: &[u8] = b"\n<";

/// The width of a tab at the start of a line of Python.
const TAB: usize = 8;

/// Reads the tokens of one text.
pub(crate) struct Lexer<'a> {
    text: &'a [u8],
    syntax: &'static Syntax,
    at: usize,
    /// Brackets that are open.
    depth: usize,
    /// The indentation of the blocks around this line.
    indents: Vec<usize>,
    /// Number of blocks that end here and whose tokens have not been returned yet.
    ended_blocks: usize,
    is_line_start: bool,
    /// True if the end of the current line is a token.
    line_end_counts: bool,
    last: &'a [u8],
    /// For each kind of string, the place up to which no string that starts is closed.
    unclosed: [usize; KINDS],
    /// The same for regular expressions.
    slashes: Slashes,
}

/// Kinds of strings: by each quote, and by three of them.
const KINDS: usize = 5;

/// Places in a stretch of text from which a regular expression is closed, recorded once one was found that is not:
/// without this, a line of slashes after backslashes would be read to its end for each of them.
#[derive(Default)]
struct Slashes {
    start: usize,
    /// For each byte from the start, true if an expression that continues there is closed.
    is_closed: Vec<bool>,
}

impl Slashes {
    /// Reads the text from `start`, where an expression continues that is not closed before `end`.
    fn new(text: &[u8], start: usize, end: usize) -> Self {
        let end = end.clamp(start, text.len().max(start));
        // Two more than there are bytes, since a backslash passes over the next one; outside of brackets, and in them.
        let mut closed = vec![(false, false); end - start + 2];
        for at in (start..end).rev() {
            let [next, after_next] = [closed[at - start + 1], closed[at - start + 2]];
            closed[at - start] = match text[at] {
                b'/' => (true, next.1),
                b'[' => (next.1, next.1),
                b']' => (next.0, next.0),
                b'\n' => (false, false),
                b'\\' => after_next,
                _ => next,
            };
        }
        Self { start, is_closed: closed.into_iter().map(|(outside, _)| outside).collect() }
    }

    /// False if an expression that continues at `from` is known to be unclosed.
    fn may_close(&self, from: usize) -> bool {
        from.checked_sub(self.start).and_then(|at| self.is_closed.get(at)).is_none_or(|is_closed| *is_closed)
    }
}

impl<'a> Lexer<'a> {
    pub(crate) fn new(text: &'a str, language: Language) -> Self {
        let text = text.as_bytes();
        let language = if language == Language::Any { guess(text) } else { language };
        Self {
            text,
            syntax: Syntax::of(language),
            at: if text.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 },
            depth: 0,
            indents: Vec::new(),
            ended_blocks: 0,
            is_line_start: true,
            line_end_counts: false,
            last: b"",
            unclosed: [0; KINDS],
            slashes: Slashes::default(),
        }
    }

    /// The next token.
    pub(crate) fn next_token(&mut self) -> Option<CodeToken<'a>> {
        if self.ended_blocks > 0 {
            self.ended_blocks -= 1;
            return Some(self.layout(LESS, self.at));
        }
        loop {
            if self.is_line_start
                && self.syntax.is_by_layout
                && self.depth == 0
                && let Some(token) = self.indentation()
            {
                return Some(token);
            }
            let Some(byte) = self.byte(self.at) else {
                let is_last = std::mem::take(&mut self.line_end_counts);
                return is_last.then(|| self.layout(LINE_END, self.at));
            };
            match byte {
                b'\n' => {
                    let start = self.at;
                    self.at += 1;
                    let is_open = self.syntax.is_by_layout && self.depth > 0;
                    self.is_line_start = !is_open;
                    if !is_open && std::mem::take(&mut self.line_end_counts) {
                        return Some(self.layout(LINE_END, start));
                    }
                }
                byte if is_blank(byte) => self.at += 1,
                b'\\' if self.starts_with(b"\\\n") => self.at += 2,
                b'\\' if self.starts_with(b"\\\r\n") => self.at += 3,
                _ if self.pass_comment() => {}
                _ => return Some(self.token()),
            }
        }
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.text.get(at).copied()
    }

    fn starts_with(&self, start: &[u8]) -> bool {
        self.text[self.at..].starts_with(start)
    }

    /// A token that layout makes.
    fn layout(&mut self, bytes: &'static [u8], start: usize) -> CodeToken<'a> {
        self.last = bytes;
        CodeToken { bytes, start, end: self.at }
    }

    /// Reads the indentation of a line. One without tokens has none.
    fn indentation(&mut self) -> Option<CodeToken<'a>> {
        let (start, mut width) = (self.at, 0);
        while let Some(byte @ (b' ' | b'\t' | b'\x0c')) = self.byte(self.at) {
            width = match byte {
                b' ' => width + 1,
                b'\t' => (width / TAB + 1) * TAB,
                _ => 0,
            };
            self.at += 1;
        }
        self.is_line_start = false;
        if matches!(self.byte(self.at), None | Some(b'\r' | b'\n' | b'#')) {
            return None;
        }
        let outer = self.indents.last().copied();
        if outer.is_none_or(|outer| width > outer) {
            self.indents.push(width);
            // The first line sets what others are compared with: a part of a file may be indented as a whole.
            return outer.map(|_| self.layout(MORE, start));
        }
        while self.indents.last().is_some_and(|indent| width < *indent) {
            self.indents.pop();
            self.ended_blocks += 1;
        }
        if self.indents.last() != Some(&width) {
            self.indents.push(width);
        }
        let is_less = self.ended_blocks > 0;
        self.ended_blocks = self.ended_blocks.saturating_sub(1);
        is_less.then(|| self.layout(LESS, self.at))
    }

    /// Passes over a comment, if one starts here.
    fn pass_comment(&mut self) -> bool {
        for (start, end) in self.syntax.blocks {
            if self.starts_with(start) {
                let after = self.at + start.len();
                let length = memmem::find(&self.text[after..], end).map(|length| length + end.len());
                self.at = length.map_or(self.text.len(), |length| after + length);
                return true;
            }
        }
        let before = self.at.checked_sub(1).and_then(|before| self.byte(before));
        let is_comment = match self.syntax.line {
            line if !self.starts_with(line) => false,
            // Of an address.
            b"//" => before != Some(b':'),
            // In shell, a part of a word or of an expansion.
            b"#" if !self.syntax.is_by_layout => {
                before.is_none_or(|byte| is_blank(byte) || matches!(byte, b'\n' | b';'))
            }
            _ => true,
        };
        if is_comment {
            let length = memchr::memchr(b'\n', &self.text[self.at..]);
            self.at = length.map_or(self.text.len(), |length| self.at + length);
        }
        is_comment
    }

    fn token(&mut self) -> CodeToken<'a> {
        let start = self.at;
        let first = self.text[start];
        if self.syntax.has_slashes && self.is_line_start && first == b'#' {
            let word = self.text[start + 1..].iter().find(|byte| !matches!(byte, b' ' | b'\t'));
            self.line_end_counts |= word.is_some_and(u8::is_ascii_lowercase);
        }
        self.is_line_start = false;
        self.line_end_counts |= self.syntax.is_by_layout;
        self.at = self.string_end().or_else(|| self.word_end()).unwrap_or_else(|| self.operator_end());
        if self.at == start + 1 {
            match first {
                b'(' | b'[' | b'{' => self.depth += 1,
                b')' | b']' | b'}' => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
        }
        self.last = &self.text[start..self.at];
        CodeToken { bytes: self.last, start, end: self.at }
    }

    /// End of the string or regular expression that starts here.
    fn string_end(&mut self) -> Option<usize> {
        let first = self.text[self.at];
        if self.syntax.long == Long::Triple && (self.starts_with(b"\"\"\"") || self.starts_with(b"'''")) {
            let (kind, quotes) = (3 + usize::from(first == b'\''), [first; 3]);
            let end = self.string_closed(kind, self.at + 3, |rest| rest.starts_with(&quotes), true);
            return end.map(|end| end + 3);
        }
        let is_long = self.syntax.long == Long::Backquotes && first == b'`';
        if is_long || self.syntax.quotes.contains(&first) {
            let has_lines = is_long || self.syntax.strings_have_lines;
            let kind = [b'"', b'\''].iter().position(|quote| *quote == first).unwrap_or(2);
            return self.string_closed(kind, self.at + 1, |rest| rest[0] == first, has_lines).map(|end| end + 1);
        }
        if self.syntax.has_slashes && first == b'/' && !self.is_after_value() {
            let mut is_in_brackets = false;
            let ends = |rest: &[u8]| {
                match rest[0] {
                    b'[' => is_in_brackets = true,
                    b']' => is_in_brackets = false,
                    _ => {}
                }
                rest[0] == b'/' && !is_in_brackets
            };
            let from = self.at + 1;
            if !self.slashes.may_close(from) {
                return None;
            }
            let closed = self.closed(from, ends, false);
            return closed
                .inspect_err(|end| self.slashes = Slashes::new(self.text, from, *end))
                .ok()
                .map(|end| end + 1);
        }
        None
    }

    /// End of a string of this kind; none if it is not closed.
    fn string_closed(
        &mut self,
        kind: usize,
        from: usize,
        ends: impl FnMut(&[u8]) -> bool,
        has_lines: bool,
    ) -> Option<usize> {
        // Every further quote up to there has a backslash before it, so a string that starts with it ends nowhere either.
        if from <= self.unclosed[kind] {
            return None;
        }
        self.closed(from, ends, has_lines).inspect_err(|end| self.unclosed[kind] = *end).ok()
    }

    /// Place where `ends` is true, with bytes after a backslash skipped. If there is none, the error is the place up to
    /// which the text was read.
    fn closed(&self, from: usize, mut ends: impl FnMut(&[u8]) -> bool, has_lines: bool) -> Result<usize, usize> {
        let mut at = from;
        while let Some(byte) = self.byte(at) {
            if ends(&self.text[at..]) {
                return Ok(at);
            }
            match byte {
                b'\n' if !has_lines => return Err(at),
                b'\\' => at += 2,
                _ => at += 1,
            }
        }
        Err(at)
    }

    /// True if a value stands before this place, so that a slash is a division.
    fn is_after_value(&self) -> bool {
        let Some(first) = self.last.first() else { return false };
        let ends_a_value = is_word(*first) || matches!(first, b')' | b']' | b'}' | b'"' | b'\'' | b'`');
        (ends_a_value || matches!(self.last, b"++" | b"--")) && !BEFORE_A_VALUE.contains(&self.last)
    }

    /// End of the identifier or number that starts here.
    fn word_end(&self) -> Option<usize> {
        let first = self.text[self.at];
        if !is_word(first) {
            return None;
        }
        let is_word_at = |at: usize| self.byte(at).is_some_and(is_word);
        let mut end = self.at + 1;
        while is_word_at(end) || first.is_ascii_digit() && self.byte(end) == Some(b'.') && is_word_at(end + 1) {
            end += 1;
        }
        Some(end)
    }

    fn operator_end(&self) -> usize {
        let operator = OPERATORS.iter().find(|operator| self.starts_with(operator));
        self.at + operator.map_or(1, |operator| operator.len())
    }
}

/// White space within a line, and zero bytes, which mean nothing in source code.
fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\x0b' | b'\x0c' | b'\0')
}
