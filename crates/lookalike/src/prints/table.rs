//! The rows of a table to prints: a minutia a row, prints in the order in which they first come.
//!
//! A row that has nothing but a name is how a table says that a print has no minutiae.

use std::collections::HashMap;

use lookalike_core::prints::{Kind, Minutia, Print};
use lookalike_core::table::Table;
use lookalike_io::table::ReadTable;

use super::options::ReadPrints;
use super::read::{Reading, off_image};
use super::report::Skips;
use super::roll::Roll;
use crate::error::{Error, Result};

pub(super) fn add(reading: &Reading<'_>, read: ReadTable, roll: &mut Roll, skips: &mut Skips) -> Result<()> {
    let cells = Cells::new(reading, &read.table)?;
    // Of very many rows that could not be read only the first are named.
    skips.count += read.skipped_count - read.skipped.len() as u64;
    let mut skipped: Vec<(u64, String)> = read.skipped.into_iter().map(|row| (row.row, row.reason)).collect();
    let mut unreadable = skipped.iter().map(|(row, _)| *row).collect::<Vec<_>>().into_iter().peekable();
    let mut prints: Vec<(&str, Vec<Minutia>)> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut number = 0;
    for row in 0..read.table.row_count() {
        // The number in the file: rows that could not be read are not in the table.
        number += 1;
        while unreadable.next_if(|unreadable| *unreadable == number).is_some() {
            number += 1;
        }
        let id = cells.id(row);
        if id.is_empty() {
            skipped.push((number, "it does not say which print it is of".to_owned()));
            continue;
        }
        let place = *places.entry(id).or_insert_with(|| {
            prints.push((id, Vec::new()));
            prints.len() - 1
        });
        match cells.minutia(row, reading.options) {
            Ok(minutia) => prints[place].1.extend(minutia),
            Err(reason) => skipped.push((number, reason)),
        }
    }

    skipped.sort_by_key(|(row, _)| *row);
    skipped.into_iter().for_each(|(row, reason)| skips.add(reading.shown(), "row", row, reason));
    for (number, (id, minutiae)) in (1..).zip(prints) {
        let print = Print { minutiae, size: reading.options.size, resolution: reading.options.resolution };
        reading.add_print(number, id.to_owned(), print, roll, skips);
    }
    Ok(())
}

/// The columns that matter.
struct Cells<'a> {
    table: &'a Table,
    id: usize,
    x: usize,
    y: usize,
    angle: usize,
    kind: Option<usize>,
}

impl<'a> Cells<'a> {
    fn new(reading: &Reading<'_>, table: &'a Table) -> Result<Self> {
        let find = |name: &str, flag: &'static str| {
            table.find(name).map_err(|_| Error::NoSuchPrintColumn {
                path: reading.shown(),
                name: name.to_owned(),
                flag,
                columns: table.names().join(", "),
            })
        };
        let columns = &reading.options.columns;
        let kind = match &columns.kind {
            Some(name) => Some(find(name, "--type")?),
            None => table.find(DEFAULT_KIND).ok(),
        };
        Ok(Self {
            table,
            id: find(&columns.id, "--id")?,
            x: find(&columns.x, "--x")?,
            y: find(&columns.y, "--y")?,
            angle: find(&columns.angle, "--angle")?,
            kind,
        })
    }

    fn cell(&self, column: usize, row: usize) -> &'a str {
        self.table.column(column).get(row).trim()
    }

    fn id(&self, row: usize) -> &'a str {
        self.cell(self.id, row)
    }

    /// The minutia of a row, or none when the row only names a print; or why it cannot be.
    fn minutia(&self, row: usize, options: &ReadPrints) -> std::result::Result<Option<Minutia>, String> {
        let numbers = [self.x, self.y, self.angle];
        if numbers.iter().all(|column| self.cell(*column, row).is_empty()) {
            return Ok(None);
        }
        let number = |column: usize| {
            let (cell, name) = (self.cell(column, row), &self.table.names()[column]);
            cell.parse::<f64>().map_err(|_| format!("{name} is '{cell}', and no number"))
        };
        let (x, y, angle) = (number(self.x)?, number(self.y)?, number(self.angle)?);
        if !angle.is_finite() {
            return Err(format!("{angle} is no angle"));
        }
        let angle = if options.is_clockwise { -angle } else { angle };
        let kind = self.kind.map_or(Kind::Other, |column| kind(self.cell(column, row)));
        let minutia = Minutia { x, y, angle, kind };
        if minutia.is_on_image(options.size) { Ok(Some(minutia)) } else { Err(off_image(x, y, options.size)) }
    }
}

/// The column that says what the ridge does, if it is there.
const DEFAULT_KIND: &str = "type";

/// `end`, `E`, `ridge ending`; `bif`, `Bifurcation`. Whatever else is said agrees with both.
fn kind(written: &str) -> Kind {
    let written = written.to_lowercase();
    let last = written.rsplit([' ', '_', '-']).next().unwrap_or_default();
    match last {
        "e" | "end" | "ending" | "termination" => Kind::Ending,
        "b" | "bif" | "bifurcation" => Kind::Bifurcation,
        _ => Kind::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_have_many_names() {
        for written in ["end", "E", "Ridge ending", "ridge_ending", "termination"] {
            assert_eq!(kind(written), Kind::Ending, "{written}");
        }
        for written in ["bif", "B", "Ridge-Bifurcation"] {
            assert_eq!(kind(written), Kind::Bifurcation, "{written}");
        }
        for written in ["", "other", "3", "spur"] {
            assert_eq!(kind(written), Kind::Other, "{written}");
        }
    }
}
