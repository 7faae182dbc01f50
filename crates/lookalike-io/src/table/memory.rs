//! Tables in the memory of the caller, read in place.

use std::fmt;
use std::sync::Arc;

use lookalike_core::table::Table;

use super::{ROWS_BETWEEN, ReadTable, Reading};
use crate::error::{Error, Result};
use crate::input::held::HeldText;
use crate::read::MOST_COLUMNS;
use crate::skipped::{SkipReason, SkippedEntry};

/// Named columns of cells in the memory of the caller. A cell is always the same, however often it is read.
pub trait MemoryCells: fmt::Debug + Send + Sync {
    /// Number of rows.
    fn row_count(&self) -> u64;

    /// The names of the columns.
    fn names(&self) -> &[String];

    /// A cell as text.
    fn cell(&self, row: u64, column: usize) -> HeldText<'_>;
}

impl MemoryCells for Table {
    fn row_count(&self) -> u64 {
        Table::row_count(self) as u64
    }

    fn names(&self) -> &[String] {
        Table::names(self)
    }

    fn cell(&self, row: u64, column: usize) -> HeldText<'_> {
        HeldText::Text(self.column(column).get(row as usize))
    }
}

/// A table in memory, with the name that messages show.
#[derive(Clone)]
pub struct MemoryTable {
    /// Its name.
    pub name: String,
    cells: Arc<dyn MemoryCells>,
}

/// Shows the name and size alone: cells may be large or private.
impl fmt::Debug for MemoryTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} rows", self.name, self.cells.row_count())
    }
}

impl MemoryTable {
    /// A table with this name.
    pub fn new(name: impl Into<String>, cells: impl MemoryCells + 'static) -> Self {
        Self { name: name.into(), cells: Arc::new(cells) }
    }

    /// Reads all rows, and asks `go_on` now and then whether to continue.
    ///
    /// # Errors
    ///
    /// [`Error::UnusableTable`] when it has too many columns or two of one name; or when `go_on` says no.
    pub fn read<E: From<Error>>(
        &self,
        longest: u32,
        mut go_on: impl FnMut(Reading) -> std::result::Result<(), E>,
    ) -> std::result::Result<ReadTable, E> {
        self.rows(longest)?.next_part(u64::MAX, &mut go_on)
    }

    /// Reads the rows in parts of about `part_bytes` bytes, and gives each to `each`, which may end the reading.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read), and when `each` fails.
    pub fn read_in_parts<E: From<Error>>(
        &self,
        longest: u32,
        part_bytes: u64,
        mut each: impl FnMut(&ReadTable) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        let mut rows = self.rows(longest)?;
        loop {
            each(&rows.next_part(part_bytes, &mut |_| Ok(()))?)?;
            if rows.next == self.cells.row_count() {
                return Ok(());
            }
        }
    }

    fn rows(&self, longest: u32) -> Result<Rows<'_>> {
        let names = self.cells.names();
        let unusable = |reason: String, advice| Error::UnusableTable { name: self.name.clone(), reason, advice };
        if names.len() > MOST_COLUMNS {
            let reason = format!("it has {} columns, and at most {MOST_COLUMNS} are possible", names.len());
            return Err(unusable(reason, "pass only the columns that are needed"));
        }
        let is_twice = |(at, name): (usize, &String)| names[..at].contains(name).then(|| name.clone());
        match names.iter().enumerate().find_map(is_twice) {
            Some(name) => Err(unusable(format!("two of its columns are named '{name}'"), "rename or drop one of them")),
            None => Ok(Rows { table: self, longest, next: 0 }),
        }
    }
}

/// The rows of a table that are not read yet.
struct Rows<'a> {
    table: &'a MemoryTable,
    longest: u32,
    next: u64,
}

impl Rows<'_> {
    fn next_part<E: From<Error>>(
        &mut self,
        part_bytes: u64,
        go_on: &mut impl FnMut(Reading) -> std::result::Result<(), E>,
    ) -> std::result::Result<ReadTable, E> {
        let cells = &self.table.cells;
        let mut read = ReadTable::of(&self.table.name, Table::new(cells.names().iter().cloned()));
        read.is_in_memory = true;
        let mut last = self.next;
        while self.next < cells.row_count() && read.table.byte_count() < part_bytes {
            for row in self.next..cells.row_count().min(self.next + ROWS_BETWEEN as u64) {
                self.next = row + 1;
                self.add(row, &mut last, &mut read);
            }
            let (rows, bytes) = (read.table.row_count() as u64, read.table.byte_count());
            let share = self.next as f64 / cells.row_count() as f64;
            go_on(Reading { rows, bytes, columns: cells.names().len(), share })?;
        }
        Ok(read)
    }

    /// Adds a row; `last` is the position of the one before.
    fn add(&self, row: u64, last: &mut u64, read: &mut ReadTable) {
        let position = row + 1;
        let cells = match self.cells(row) {
            Ok(cells) => cells,
            Err(reason) => {
                let (file, entry) = (self.table.name.clone(), read.entry);
                return read.add_skipped(SkippedEntry { file, entry, position, reason, count: 1 });
            }
        };
        if cells.iter().all(|cell| cell.is_empty()) {
            read.empty_count += 1;
            return;
        }
        read.table.push_cells(cells.into_iter().enumerate());
        read.note_position(position, if read.table.row_count() == 1 { 0 } else { *last });
        *last = position;
    }

    /// The cells of a row, trimmed, or why it is skipped.
    fn cells(&self, row: u64) -> std::result::Result<Vec<&str>, SkipReason> {
        let cells = &self.table.cells;
        let cell = |column: usize| match cells.cell(row, column) {
            HeldText::Text(text) => Ok(text.trim()),
            HeldText::Null => Ok(""),
            HeldText::Unusable(reason) => Err(SkipReason::from(format!("{}: {reason}", cells.names()[column]))),
        };
        let row = (0..cells.names().len()).map(cell).collect::<std::result::Result<Vec<_>, _>>()?;
        let bytes: usize = row.iter().map(|cell| cell.len()).sum();
        if bytes > self.longest as usize { Err(SkipReason::too_long(self.longest)) } else { Ok(row) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Cells(Vec<String>, Vec<[HeldText<'static>; 2]>);

    impl MemoryCells for Cells {
        fn row_count(&self) -> u64 {
            self.1.len() as u64
        }

        fn names(&self) -> &[String] {
            &self.0
        }

        fn cell(&self, row: u64, column: usize) -> HeldText<'_> {
            self.1[row as usize][column]
        }
    }

    fn table(names: [&str; 2]) -> MemoryTable {
        use HeldText::{Null, Text, Unusable};
        let rows = vec![
            [Text(" Ann "), Null],
            [Text("  "), Null],
            [Text("Bob"), Unusable("not UTF-8")],
            [Text("Cleo"), Text("Ulm")],
            [Text("longer than ten"), Null],
            [Null, Text("Bonn")],
        ];
        MemoryTable::new("people", Cells(names.map(str::to_owned).to_vec(), rows))
    }

    fn rows(read: &ReadTable) -> Vec<(u64, Vec<&str>)> {
        (0..read.table.row_count()).map(|row| (read.position(row), read.table.row(row).collect())).collect()
    }

    #[test]
    fn rows_are_trimmed_and_keep_their_positions() {
        let read = table(["name", "city"]).read(10, |_| Ok::<_, Error>(())).unwrap();
        assert_eq!(rows(&read), [(1, vec!["Ann", ""]), (4, vec!["Cleo", "Ulm"]), (6, vec!["", "Bonn"])]);
        let skipped: Vec<(u64, &str)> = read.skipped.iter().map(|row| (row.position, row.reason.text())).collect();
        assert_eq!(skipped[0], (3, "city: not UTF-8"));
        assert!(skipped[1].0 == 5 && skipped[1].1.starts_with("longer than 10 bytes"), "{skipped:?}");
        assert_eq!((read.skipped_count, read.empty_count, &*read.name), (2, 1, "people"));
    }

    #[test]
    fn parts_have_all_rows_in_order() {
        let mut names = Table::new(["name"]);
        (0..10_000).for_each(|number| names.push(&[number.to_string()]).unwrap());
        let (mut positions, mut parts) = (Vec::new(), 0);
        let names = MemoryTable::new("numbers", names);
        let each = |part: &ReadTable| {
            parts += 1;
            positions.extend((0..part.table.row_count()).map(|row| part.position(row)));
            Ok::<_, Error>(())
        };
        names.read_in_parts(100, 1, each).unwrap();
        assert_eq!((positions, parts), ((1..=10_000).collect(), 3));
    }

    #[test]
    fn two_columns_of_one_name_are_refused() {
        let error = table(["name", "name"]).read(10, |_| Ok::<_, Error>(())).unwrap_err();
        assert_eq!(
            error.to_string(),
            "people cannot be used: two of its columns are named 'name'; rename or drop one of them"
        );
    }

    #[test]
    fn a_table_without_rows_or_with_too_many_columns_says_what_to_pass() {
        let empty = MemoryTable::new("people", Table::new(["name"]));
        let error = empty.read(10, |_| Ok::<_, Error>(())).unwrap().require_rows().unwrap_err();
        assert_eq!(error.to_string(), "people cannot be used: it has no rows; pass a table with at least one row");
        let names: Vec<String> = (0..=MOST_COLUMNS).map(|column| column.to_string()).collect();
        let wide = MemoryTable::new("people", Cells(names, Vec::new()));
        let error = wide.read(10, |_| Ok::<_, Error>(())).unwrap_err().to_string();
        assert!(
            error.ends_with("columns, and at most 4096 are possible; pass only the columns that are needed"),
            "{error}"
        );
    }
}
