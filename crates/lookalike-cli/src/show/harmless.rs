//! Makes texts from the input safe for a terminal: characters that would move the cursor, change colors or the writing
//! direction are shown as a mark, such as `␛`.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Returns a text on one line.
pub(crate) fn one_line(text: &str) -> String {
    marked(text, |_, _| false).into_owned()
}

/// Returns a text with its line ends and tabs kept.
pub(crate) fn lines(text: &str) -> Cow<'_, str> {
    marked(text, |c, next| matches!(c, '\n' | '\t') || c == '\r' && next == Some('\n'))
}

/// Appends a character, or the mark that replaces it.
pub(crate) fn push(c: char, shown: &mut String) {
    match c {
        // Unicode has a symbol for each of them.
        '\0'..='\u{1F}' => shown.push(char::from_u32(0x2400 + u32::from(c)).unwrap_or(char::REPLACEMENT_CHARACTER)),
        '\u{7F}' => shown.push('␡'),
        c if does_something(c) => write!(shown, "\\u{{{:x}}}", u32::from(c)).expect("a string takes everything"),
        c => shown.push(c),
    }
}

fn marked(text: &str, stays: impl Fn(char, Option<char>) -> bool) -> Cow<'_, str> {
    if !text.chars().any(does_something) {
        return text.into();
    }
    let mut shown = String::with_capacity(text.len() + 16);
    let mut left = text.chars().peekable();
    while let Some(c) = left.next() {
        if stays(c, left.peek().copied()) { shown.push(c) } else { push(c, &mut shown) }
    }
    shown.into()
}

/// True if a character affects a terminal: it is a control character, or changes the direction of the characters after
/// it. (Unicode Standard Annex 9, 2)
fn does_something(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// Writer for people: replaces characters that affect a terminal by marks. Line ends and tabs are kept.
pub(crate) struct ToTerminal<W: Write> {
    writer: W,
    /// Bytes of a character that is not complete yet.
    cut: Vec<u8>,
}

impl<W: Write> ToTerminal<W> {
    pub(crate) fn new(writer: W) -> Self {
        Self { writer, cut: Vec::new() }
    }
}

impl<W: Write> Write for ToTerminal<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.cut.extend_from_slice(bytes);
        // A line end may be split in two as well.
        let is_cut =
            |end: &[u8]| end == b"\r" || std::str::from_utf8(end).is_err_and(|error| error.error_len().is_none());
        let end = self.cut.len();
        let whole = (1..=3.min(end)).map(|count| end - count).find(|at| is_cut(&self.cut[*at..])).unwrap_or(end);
        let rest = self.cut.split_off(whole);
        let text = std::mem::replace(&mut self.cut, rest);
        self.writer.write_all(lines(&String::from_utf8_lossy(&text)).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

impl<W: Write> Drop for ToTerminal<W> {
    fn drop(&mut self) {
        // Callers who want to know about errors call flush.
        let _ = self.writer.write_all(lines(&String::from_utf8_lossy(&self.cut)).as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTILE: &str = "a\u{1b}[2Jb\u{7}\u{9b}d\u{202e}\r\nf\tg\u{0}\rh\u{7f}é漢";

    #[test]
    fn what_does_something_to_a_terminal_is_a_mark() {
        assert_eq!(lines(HOSTILE), "a␛[2Jb␇\\u{9b}d\\u{202e}\r\nf\tg␀␍h␡é漢");
        assert_eq!(one_line(HOSTILE), "a␛[2Jb␇\\u{9b}d\\u{202e}␍␊f␉g␀␍h␡é漢");
        assert!(matches!(lines("plain"), Cow::Borrowed("plain")));
    }

    #[test]
    fn a_writer_marks_the_same_wherever_its_bytes_are_cut() {
        for first in 0..HOSTILE.len() {
            for second in first..HOSTILE.len() {
                let mut written = Vec::new();
                let mut writer = ToTerminal::new(&mut written);
                for part in
                    [&HOSTILE.as_bytes()[..first], &HOSTILE.as_bytes()[first..second], &HOSTILE.as_bytes()[second..]]
                {
                    writer.write_all(part).unwrap();
                }
                drop(writer);
                assert_eq!(String::from_utf8(written).unwrap(), lines(HOSTILE), "cut at {first} and {second}");
            }
        }
    }
}
