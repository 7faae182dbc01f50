//! Destinations of rows: writes the typed rows of a job as lines, or passes them on unchanged.

use std::io::{self, Write};

use rayon::prelude::*;
use serde::Serialize;

use crate::options::RowFormat;

/// Receives the rows of a job, in order: a [`RowWriter`] writes them, a `Vec` stores them.
///
/// ```
/// use lookalike::{PairRow, PairsRequest, Silent};
///
/// # let folder = tempfile::tempdir()?;
/// # let news = folder.path().join("news.jsonl");
/// # std::fs::write(&news, "{\"text\":\"the storm hit the coast\"}\n{\"text\":\"The storm hit the coast!\"}\n")?;
/// let mut pairs: Vec<PairRow> = Vec::new();
/// lookalike::pairs_into(&PairsRequest::new([news]).check()?, &mut pairs, &Silent)?;
/// assert_eq!((pairs[0].left_position, pairs[0].right_position, pairs[0].similarity), (1, 2, 1.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Sink<R> {
    /// Called before all rows, with the names of their columns.
    ///
    /// # Errors
    ///
    /// If they cannot be written.
    fn start(&mut self, _columns: &[&str]) -> io::Result<()> {
        Ok(())
    }

    /// Receives the next rows.
    ///
    /// # Errors
    ///
    /// If they cannot be written.
    fn take(&mut self, rows: Vec<R>) -> io::Result<()>;

    /// Called after all rows.
    ///
    /// # Errors
    ///
    /// If pending output cannot be written.
    fn finish(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<R> Sink<R> for Vec<R> {
    fn take(&mut self, mut rows: Vec<R>) -> io::Result<()> {
        self.append(&mut rows);
        Ok(())
    }
}

/// Shows each row to `seen`, and passes it on to a sink.
pub(crate) struct Seen<'a, R, S> {
    pub(crate) seen: &'a mut dyn FnMut(&R),
    pub(crate) sink: S,
}

impl<R, S: Sink<R>> Sink<R> for Seen<'_, R, S> {
    fn start(&mut self, columns: &[&str]) -> io::Result<()> {
        self.sink.start(columns)
    }

    fn take(&mut self, rows: Vec<R>) -> io::Result<()> {
        rows.iter().for_each(&mut *self.seen);
        self.sink.take(rows)
    }

    fn finish(&mut self) -> io::Result<()> {
        self.sink.finish()
    }
}

/// A row of a result: an object, or cells in the order of its columns.
pub trait Row: Serialize + Send + Sync {
    /// Passes the cells to `each`, one for each column.
    ///
    /// # Errors
    ///
    /// If `each` fails.
    fn each_cell(&self, each: &mut dyn FnMut(Cell<'_>) -> io::Result<()>) -> io::Result<()>;
}

/// A cell of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell<'a> {
    /// Any text.
    Text(&'a str),
    /// An integer.
    Whole(u64),
    /// A number.
    Real(f64),
    /// A number written with this many digits after the decimal point.
    Fixed(f64, usize),
    /// A boolean.
    Flag(bool),
    /// An empty cell.
    Empty,
}

impl<'a> From<Option<&'a str>> for Cell<'a> {
    fn from(text: Option<&'a str>) -> Self {
        text.map_or(Self::Empty, Self::Text)
    }
}

/// Writes rows as lines.
#[derive(Debug)]
pub struct RowWriter<W> {
    writer: W,
    format: RowFormat,
}

/// Number of rows a thread formats at a time.
const AT_ONCE: usize = 64;

impl<W: Write> RowWriter<W> {
    /// Writes rows in a format.
    pub fn new(writer: W, format: RowFormat) -> Self {
        Self { writer, format }
    }
}

impl<R: Row, W: Write> Sink<R> for RowWriter<W> {
    fn start(&mut self, columns: &[&str]) -> io::Result<()> {
        match self.format {
            RowFormat::Jsonl => Ok(()),
            RowFormat::Tsv | RowFormat::Csv => {
                let names: Vec<_> = columns.iter().map(|name| self.format.cell(name)).collect();
                writeln!(self.writer, "{}", names.join(&self.format.separator().to_string()))
            }
        }
    }

    fn take(&mut self, rows: Vec<R>) -> io::Result<()> {
        let format = self.format;
        if rows.len() < 2 * AT_ONCE {
            return rows.iter().try_for_each(|row| write_row(format, row, &mut self.writer));
        }
        let lines = |rows: &[R]| {
            let mut lines = Vec::new();
            rows.iter().try_for_each(|row| write_row(format, row, &mut lines)).map(|()| lines)
        };
        let lines = rows.par_chunks(AT_ONCE).map(lines).collect::<io::Result<Vec<_>>>()?;
        lines.iter().try_for_each(|lines| self.writer.write_all(lines))
    }

    fn finish(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

/// Writes a row and the end of its line.
pub(crate) fn write_row(format: RowFormat, row: &impl Row, writer: &mut impl Write) -> io::Result<()> {
    if format == RowFormat::Jsonl {
        serde_json::to_writer(&mut *writer, row)?;
        return writer.write_all(b"\n");
    }
    let separator = format.separator();
    let mut is_first = true;
    row.each_cell(&mut |cell| {
        if !std::mem::take(&mut is_first) {
            write!(writer, "{separator}")?;
        }
        match cell {
            Cell::Text(value) => writer.write_all(format.cell(value).as_bytes()),
            Cell::Whole(value) => write!(writer, "{value}"),
            Cell::Real(value) => write!(writer, "{value}"),
            Cell::Fixed(value, digits) => write!(writer, "{value:.digits$}"),
            Cell::Flag(value) => write!(writer, "{value}"),
            Cell::Empty => Ok(()),
        }
    })?;
    writer.write_all(b"\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Serialize)]
    struct Plain {
        id: String,
        count: u64,
        share: f64,
        note: Option<&'static str>,
    }

    impl Row for Plain {
        fn each_cell(&self, each: &mut dyn FnMut(Cell<'_>) -> io::Result<()>) -> io::Result<()> {
            each(Cell::Text(&self.id))?;
            each(Cell::Whole(self.count))?;
            each(Cell::Real(self.share))?;
            each(self.note.into())
        }
    }

    fn rows(count: u64) -> Vec<Plain> {
        let row = |count| Plain { id: format!("a\t\"b\", {count}"), count, share: 0.5, note: None };
        (0..count).map(row).collect()
    }

    fn written(rows: Vec<Plain>, format: RowFormat) -> String {
        let mut bytes = Vec::new();
        let sink: &mut dyn Sink<Plain> = &mut RowWriter { writer: &mut bytes, format };
        sink.start(&["id", "count", "share", "note"]).unwrap();
        sink.take(rows).unwrap();
        sink.finish().unwrap();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn a_row_is_one_line_in_every_format() {
        let jsonl = written(rows(1), RowFormat::Jsonl);
        assert_eq!(jsonl, "{\"id\":\"a\\t\\\"b\\\", 0\",\"count\":0,\"share\":0.5,\"note\":null}\n");
        let tsv = written(rows(1), RowFormat::Tsv);
        assert_eq!(tsv, "id\tcount\tshare\tnote\na\\t\"b\", 0\t0\t0.5\t\n");
        let csv = written(rows(1), RowFormat::Csv);
        assert_eq!(csv, "id,count,share,note\n\"a\t\"\"b\"\", 0\",0,0.5,\n");
    }

    #[test]
    fn many_rows_come_out_in_their_order() {
        let all = written(rows(1000), RowFormat::Csv);
        let mut one_by_one = "id,count,share,note\n".to_owned();
        for row in rows(1000) {
            one_by_one.push_str(written(vec![row], RowFormat::Csv).lines().nth(1).unwrap());
            one_by_one.push('\n');
        }
        assert_eq!(all, one_by_one);
    }

    #[test]
    fn a_vector_keeps_rows_as_they_are() {
        let mut kept = Vec::new();
        for part in [rows(3), rows(2)] {
            Sink::take(&mut kept, part).unwrap();
        }
        assert_eq!(kept.iter().map(|row| row.count).collect::<Vec<_>>(), [0, 1, 2, 0, 1]);
    }
}
