//! Formats rows of cells as aligned columns.

use std::fmt::{self, Write as _};

/// A table under construction.
pub(crate) struct Table {
    /// The headings, followed by the rows.
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these headings.
    pub(crate) fn new(headings: &[&str]) -> Self {
        Self { rows: vec![headings.iter().map(|heading| (*heading).to_owned()).collect()] }
    }

    /// Adds a row; missing cells at the end stay empty.
    pub(crate) fn row<const N: usize>(&mut self, cells: [String; N]) {
        self.rows.push(cells.into());
    }

    /// The table in Markdown.
    pub(crate) fn to_markdown(&self) -> String {
        let width = self.rows[0].len();
        let line = |row: &Vec<String>| -> String {
            let cells = (0..width).map(|column| row.get(column).map_or("", |cell| cell.trim()));
            format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
        };
        let rule = format!("|{}\n", " --- |".repeat(width));
        line(&self.rows[0]) + &rule + &self.rows[1..].iter().map(line).collect::<String>()
    }

    /// True for a column of numbers, which is right-aligned.
    fn is_of_numbers(&self, column: usize) -> bool {
        let mut cells = self.rows[1..].iter().filter_map(|row| row.get(column)).filter(|cell| !cell.is_empty());
        cells.all(|cell| cell.starts_with(|first: char| first.is_ascii_digit() || first == '–'))
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width_of = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let columns: Vec<(usize, bool)> =
            (0..self.rows[0].len()).map(|column| (width_of(column), self.is_of_numbers(column))).collect();
        for row in &self.rows {
            let mut line = String::new();
            for (cell, (width, is_of_numbers)) in row.iter().zip(&columns) {
                if *is_of_numbers {
                    write!(line, "{cell:>width$}  ")?;
                } else {
                    write!(line, "{cell:<width$}  ")?;
                }
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stand_left_and_numbers_right() {
        let mut table = Table::new(&["set", "pairs", "note"]);
        table.row(["licenses".into(), "7".into(), "met".into()]);
        table.row(["man".into(), "1,234".into(), String::new()]);
        assert_eq!(table.to_string(), "set       pairs  note\nlicenses      7  met\nman       1,234\n");
    }

    #[test]
    fn markdown_has_all_cells_of_a_row() {
        let mut table = Table::new(&["set", "pairs"]);
        table.row(["man".into()]);
        assert_eq!(table.to_markdown(), "| set | pairs |\n| --- | --- |\n| man |  |\n");
    }
}
