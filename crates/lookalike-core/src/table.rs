//! An input table: named columns of strings.

use crate::error::{Error, Result};
use crate::packed::Strings;

/// Named columns of equal length. An empty string is a missing value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    names: Vec<String>,
    columns: Vec<Strings>,
    row_count: usize,
}

impl Table {
    /// A table without rows.
    pub fn new(names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        Self { columns: vec![Strings::default(); names.len()], names, row_count: 0 }
    }

    /// Adds a row.
    ///
    /// # Errors
    ///
    /// [`Error::RowOfWrongLength`], in which case nothing is added.
    pub fn push<S: AsRef<str>>(&mut self, row: &[S]) -> Result<()> {
        if row.len() != self.names.len() {
            return Err(Error::RowOfWrongLength { fields: row.len(), columns: self.names.len() });
        }
        for (column, value) in self.columns.iter_mut().zip(row) {
            column.push(value.as_ref());
        }
        self.row_count += 1;
        Ok(())
    }

    /// Adds a row of some cells, each with the position of its column. All other cells are missing.
    pub fn push_cells<S: AsRef<str>>(&mut self, cells: impl IntoIterator<Item = (usize, S)>) {
        for (column, value) in cells {
            // The first of two for one column counts.
            if self.columns[column].len() == self.row_count {
                self.columns[column].push(value.as_ref());
            }
        }
        self.row_count += 1;
        for column in self.columns.iter_mut().filter(|column| column.len() < self.row_count) {
            column.push("");
        }
    }

    /// Adds a column, missing in all rows so far, and returns its position.
    pub fn add_column(&mut self, name: &str) -> usize {
        self.names.push(name.to_owned());
        self.columns.push(std::iter::repeat_n("", self.row_count).collect());
        self.names.len() - 1
    }

    /// Bytes of memory that the cells take.
    pub fn byte_count(&self) -> u64 {
        self.columns.iter().map(|column| column.byte_count() as u64).sum()
    }

    /// The names of the columns.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The position of the column with this name.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchColumn`], which lists the columns that exist.
    pub fn find(&self, name: &str) -> Result<usize> {
        self.names
            .iter()
            .position(|other| other == name)
            .ok_or_else(|| Error::NoSuchColumn { name: name.to_owned(), columns: self.names.join(", ") })
    }

    /// Column `at`.
    pub fn column(&self, at: usize) -> &Strings {
        &self.columns[at]
    }

    /// The cells of row `at`.
    pub fn row(&self, at: usize) -> impl Iterator<Item = &str> {
        self.columns.iter().map(move |column| column.get(at))
    }

    /// Number of rows.
    pub fn row_count(&self) -> usize {
        self.row_count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_of_the_wrong_length_adds_nothing() {
        let mut table = Table::new(["name", "city"]);
        table.push(&["Ann", "Ulm"]).unwrap();
        assert_eq!(table.push(&["Bob"]), Err(Error::RowOfWrongLength { fields: 1, columns: 2 }));
        assert_eq!((table.row_count(), table.column(0).len()), (1, 1));
    }

    #[test]
    fn columns_may_come_later_and_cells_may_be_missing() {
        let mut table = Table::new(["name"]);
        table.push(&["Ann"]).unwrap();
        let city = table.add_column("city");
        table.push_cells([(city, "Ulm")]);
        table.push_cells([(0, "Bob")]);
        let rows: Vec<Vec<&str>> = (0..3).map(|row| table.row(row).collect()).collect();
        assert_eq!(rows, [["Ann", ""], ["", "Ulm"], ["Bob", ""]]);
        assert_eq!(table.byte_count(), 9 + 2 * 3 * 8);
    }

    #[test]
    fn a_missing_column_is_named_beside_those_that_there_are() {
        let error = Table::new(["name", "city"]).find("town").unwrap_err();
        assert_eq!(error.to_string(), "there is no column 'town': the columns are name, city");
    }
}
