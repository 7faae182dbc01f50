//! Where rows go: given the typed rows of a job, writes them as lines, or hands them on as they are.

use std::borrow::Cow;
use std::io::{self, Write};

use rayon::prelude::*;
use serde::Serialize;

use crate::options::RowFormat;

/// Takes the rows of a job, in their order: a [`RowWriter`] writes them, a `Vec` keeps them.
///
/// ```
/// use lookalike::{PairRow, PairsOptions, Silent};
///
/// # let folder = tempfile::tempdir()?;
/// # let news = folder.path().join("news.jsonl");
/// # std::fs::write(&news, "{\"text\":\"the storm hit the coast\"}\n{\"text\":\"The storm hit the coast!\"}\n")?;
/// let mut pairs: Vec<PairRow> = Vec::new();
/// lookalike::pairs_into(&PairsOptions::new([news]), &mut pairs, &Silent)?;
/// assert_eq!((pairs[0].left_position, pairs[0].right_position, pairs[0].similarity), (1, 2, 1.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Sink<R> {
    /// Comes before all rows: the names of their columns.
    ///
    /// # Errors
    ///
    /// When they cannot be written.
    fn start(&mut self, _columns: &[&'static str]) -> io::Result<()> {
        Ok(())
    }

    /// Takes the next rows.
    ///
    /// # Errors
    ///
    /// When they cannot be written.
    fn take(&mut self, rows: Vec<R>) -> io::Result<()>;

    /// Comes after all rows.
    ///
    /// # Errors
    ///
    /// When something is left that cannot be written.
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

/// A row of a result: an object, or cells in the order of its columns.
pub trait Row: Serialize + Send + Sync {
    /// Gives the cells to `each`, one for each column.
    ///
    /// # Errors
    ///
    /// When `each` fails.
    fn each_cell(&self, each: &mut dyn FnMut(Cell<'_>) -> io::Result<()>) -> io::Result<()>;
}

/// A cell of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell<'a> {
    /// Any text.
    Text(&'a str),
    /// A whole number.
    Whole(u64),
    /// A number.
    Real(f64),
    /// Yes or no.
    Flag(bool),
    /// Nothing.
    Empty,
}

impl<'a> From<Option<&'a str>> for Cell<'a> {
    fn from(text: Option<&'a str>) -> Self {
        text.map_or(Self::Empty, Self::Text)
    }
}

/// How rows are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    Objects,
    Tabs,
    Commas,
}

/// Writes rows as lines.
#[derive(Debug)]
pub struct RowWriter<W> {
    writer: W,
    layout: Layout,
}

/// How many rows a thread turns into lines in one go.
const AT_ONCE: usize = 64;

impl<W: Write> RowWriter<W> {
    /// Writes rows in a format.
    pub fn new(writer: W, format: RowFormat) -> Self {
        let layout = match format {
            RowFormat::Jsonl => Layout::Objects,
            RowFormat::Tsv => Layout::Tabs,
        };
        Self { writer, layout }
    }

    /// Writes comma-separated rows (RFC 4180) with a header line.
    pub fn csv(writer: W) -> Self {
        Self { writer, layout: Layout::Commas }
    }
}

impl<R: Row, W: Write> Sink<R> for RowWriter<W> {
    fn start(&mut self, columns: &[&'static str]) -> io::Result<()> {
        match self.layout {
            Layout::Objects => Ok(()),
            Layout::Tabs => writeln!(self.writer, "{}", columns.join("\t")),
            Layout::Commas => writeln!(self.writer, "{}", columns.join(",")),
        }
    }

    fn take(&mut self, rows: Vec<R>) -> io::Result<()> {
        let layout = self.layout;
        if rows.len() < 2 * AT_ONCE {
            return rows.iter().try_for_each(|row| layout.write(row, &mut self.writer));
        }
        let lines = |rows: &[R]| {
            let mut lines = Vec::new();
            rows.iter().try_for_each(|row| layout.write(row, &mut lines)).map(|()| lines)
        };
        let lines = rows.par_chunks(AT_ONCE).map(lines).collect::<io::Result<Vec<_>>>()?;
        lines.iter().try_for_each(|lines| self.writer.write_all(lines))
    }

    fn finish(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

impl Layout {
    /// Writes a row and the end of its line.
    fn write(self, row: &impl Row, writer: &mut impl Write) -> io::Result<()> {
        let (separator, text): (&[u8], fn(&str) -> Cow<'_, str>) = match self {
            Self::Objects => {
                serde_json::to_writer(&mut *writer, row)?;
                return writer.write_all(b"\n");
            }
            Self::Tabs => (b"\t", one_cell),
            Self::Commas => (b",", quoted),
        };
        let mut is_first = true;
        row.each_cell(&mut |cell| {
            if !std::mem::take(&mut is_first) {
                writer.write_all(separator)?;
            }
            match cell {
                Cell::Text(value) => writer.write_all(text(value).as_bytes()),
                Cell::Whole(value) => write!(writer, "{value}"),
                Cell::Real(value) => write!(writer, "{value}"),
                Cell::Flag(value) => write!(writer, "{value}"),
                Cell::Empty => Ok(()),
            }
        })?;
        writer.write_all(b"\n")
    }
}

/// An id in one cell of one line, whatever is in it.
pub(crate) fn one_cell(id: &str) -> Cow<'_, str> {
    if id.contains(['\t', '\n', '\r', '\\']) {
        id.replace('\\', "\\\\").replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r").into()
    } else {
        id.into()
    }
}

/// A text in one cell between commas.
fn quoted(text: &str) -> Cow<'_, str> {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\"")).into()
    } else {
        text.into()
    }
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

    fn written(rows: Vec<Plain>, layout: Layout) -> String {
        let mut bytes = Vec::new();
        let sink: &mut dyn Sink<Plain> = &mut RowWriter { writer: &mut bytes, layout };
        sink.start(&["id", "count", "share", "note"]).unwrap();
        sink.take(rows).unwrap();
        sink.finish().unwrap();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn a_row_is_one_line_in_every_format() {
        let jsonl = written(rows(1), Layout::Objects);
        assert_eq!(jsonl, "{\"id\":\"a\\t\\\"b\\\", 0\",\"count\":0,\"share\":0.5,\"note\":null}\n");
        let tsv = written(rows(1), Layout::Tabs);
        assert_eq!(tsv, "id\tcount\tshare\tnote\na\\t\"b\", 0\t0\t0.5\t\n");
        let csv = written(rows(1), Layout::Commas);
        assert_eq!(csv, "id,count,share,note\n\"a\t\"\"b\"\", 0\",0,0.5,\n");
    }

    #[test]
    fn many_rows_come_out_in_their_order() {
        let all = written(rows(1000), Layout::Commas);
        let mut one_by_one = "id,count,share,note\n".to_owned();
        for row in rows(1000) {
            one_by_one.push_str(written(vec![row], Layout::Commas).lines().nth(1).unwrap());
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
