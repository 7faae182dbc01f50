//! Standard output and standard error: one is for data, the other for messages.
//!
//! A reader that exits early, as `head` does, is not an error: the run ends quietly, with its usual exit code.
//! `println!` and `eprintln!` would panic, so they are not used here.

use std::fmt::Arguments;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use anyhow::{Context, Result};

use crate::show::harmless::{self, ToTerminal};

/// Prints a line for people.
macro_rules! talk {
    ($($part:tt)*) => { $crate::show::streams::say(format_args!($($part)*)) };
}
pub(crate) use talk;

/// True if only errors are printed.
static IS_QUIET: AtomicBool = AtomicBool::new(false);

/// Prints only errors from here on.
pub(crate) fn be_quiet() {
    IS_QUIET.store(true, Relaxed);
}

/// Writes a line to standard error at once, without characters that affect a terminal. A closed standard error does not
/// end a run.
pub(crate) fn say(line: Arguments<'_>) {
    if !IS_QUIET.load(Relaxed) {
        say_error(line);
    }
}

/// Does the same for an error, which is printed even if the command should be quiet.
pub(crate) fn say_error(line: Arguments<'_>) {
    say_data(&harmless::lines(&line.to_string()));
}

/// Writes a line to standard error unchanged, for programs.
pub(crate) fn say_data(line: &str) {
    let _ = io::stderr().lock().write_all(format!("{line}\n").as_bytes());
}

/// Standard output for rows and documents: large, and unchanged unless it is a terminal.
pub(crate) fn stdout() -> Box<dyn Write + Send> {
    let buffered = painted_stdout();
    if io::stdout().is_terminal() { Box::new(ToTerminal::new(buffered)) } else { Box::new(buffered) }
}

/// Standard output for text that has colors if a person reads it, but no other characters that affect a terminal.
pub(crate) fn painted_stdout() -> BufWriter<io::Stdout> {
    BufWriter::with_capacity(1 << 20, io::stdout())
}

/// Writes the output of a command to standard output.
pub(crate) fn show(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    if !io::stdout().is_terminal() {
        return show_painted(write);
    }
    show_painted(|out| write(&mut ToTerminal::new(out)))
}

/// Does the same for text that has colors if a person reads it.
pub(crate) fn show_painted(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    match write(&mut out).and_then(|()| out.flush()) {
        Err(error) if is_closed(&error) => Ok(()),
        written => written.context("cannot write to standard output"),
    }
}

/// A writer that remembers whether its reader is gone.
pub(crate) struct Pipe<'a> {
    writer: &'a mut (dyn Write + Send),
    is_closed: bool,
}

impl<'a> Pipe<'a> {
    pub(crate) fn new(writer: &'a mut (dyn Write + Send)) -> Self {
        Self { writer, is_closed: false }
    }

    /// True if some of the output had no reader.
    pub(crate) fn is_closed(&self) -> bool {
        self.is_closed
    }

    fn note<T>(&mut self, written: io::Result<T>) -> io::Result<T> {
        self.is_closed |= written.as_ref().is_err_and(is_closed);
        written
    }
}

impl Write for Pipe<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.writer.write(bytes);
        self.note(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.writer.flush();
        self.note(flushed)
    }
}

fn is_closed(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::BrokenPipe
}
