//! The rows of a table to prints: a minutia a row, prints in the order in which they first come.
//!
//! A row that has nothing but a name is how a table says that a print has no minutiae.

use std::collections::HashMap;

use lookalike_core::prints::{Kind, Minutia, Print};
use lookalike_core::remedy::JobOption;
use lookalike_core::table::Table;
use lookalike_io::table::ReadTable;

use super::options::ReadPrints;
use super::read::{Reading, off_image};
use super::report::Skips;
use super::roll::Roll;
use crate::error::{Error, Result};
use crate::report::summary::SkippedEntry;

pub(super) fn add(reading: &Reading<'_>, read: &ReadTable, roll: &mut Roll, skips: &mut Skips) -> Result<()> {
    if read.table.names().is_empty() {
        read.require_rows()?;
    }
    let cells = Cells::new(reading, &read.table)?;
    // Of very many rows that could not be read only the first are named.
    skips.count += read.skipped_count - read.skipped.iter().map(|row| row.count).sum::<u64>();
    let mut skipped: Vec<(u64, String, u64)> =
        read.skipped.iter().map(|row| (row.position, row.reason.clone(), row.count)).collect();
    let mut prints: Vec<(&str, Vec<Minutia>)> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for row in 0..read.table.row_count() {
        let id = cells.id(row);
        if id.is_empty() {
            skipped.push((read.position(row), "it does not say which print it is of".to_owned(), 1));
            continue;
        }
        let place = *places.entry(id).or_insert_with(|| {
            prints.push((id, Vec::new()));
            prints.len() - 1
        });
        match cells.minutia(row, reading.options) {
            Ok(minutia) => prints[place].1.extend(minutia),
            Err(reason) => skipped.push((read.position(row), reason, 1)),
        }
    }

    skipped.sort_by_key(|(row, ..)| *row);
    for (position, reason, count) in skipped {
        skips.add_all(SkippedEntry { file: reading.shown(), entry: read.entry, position, reason, count });
    }
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
    /// Degrees of one unit of the angle.
    unit: f64,
    kind: Option<usize>,
}

impl<'a> Cells<'a> {
    fn new(reading: &Reading<'_>, table: &'a Table) -> Result<Self> {
        let find = |name: &str, option: JobOption| {
            table.find(name).map_err(|_| Error::NoSuchPrintColumn {
                path: reading.shown(),
                name: name.to_owned(),
                option,
                columns: table.names().join(", "),
            })
        };
        let columns = &reading.options.columns;
        let kind = match &columns.kind {
            Some(name) => Some(find(name, JobOption::Type)?),
            None => table.find(DEFAULT_KIND).ok(),
        };
        let (id, x, y) =
            (find(&columns.id, JobOption::Id)?, find(&columns.x, JobOption::X)?, find(&columns.y, JobOption::Y)?);
        let angle = match &columns.angle {
            Some(name) => find(name, JobOption::Angle)?,
            None => usual_angle(table.names()).map_or_else(|| find(ANGLES[0], JobOption::Angle), Ok)?,
        };
        Ok(Self { table, id, x, y, angle, unit: unit(&table.names()[angle]), kind })
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
            return Err(format!("{angle} is not an angle"));
        }
        let angle = angle * if options.is_clockwise { -self.unit } else { self.unit };
        let kind = self.kind.map_or(Kind::Other, |column| kind(self.cell(column, row)));
        let minutia = Minutia { x, y, angle, kind };
        if minutia.is_on_image(options.size) { Ok(Some(minutia)) } else { Err(off_image(x, y, options.size)) }
    }
}

/// What columns of angles are called, the likeliest first. (`theta` alone is left out: half of its users mean radians.)
const ANGLES: [&str; 10] = [
    "angle",
    "angle_deg",
    "angle_degrees",
    "theta_deg",
    "theta_degrees",
    "direction",
    "direction_deg",
    "orientation_deg",
    "angle_rad",
    "theta_rad",
];

/// The column of angles, by its name.
fn usual_angle(names: &[String]) -> Option<usize> {
    ANGLES.iter().find_map(|angle| names.iter().position(|name| name.eq_ignore_ascii_case(angle)))
}

/// Degrees of one unit of a column of this name.
fn unit(name: &str) -> f64 {
    let name = name.to_ascii_lowercase();
    if ["_rad", "_radians"].iter().any(|end| name.ends_with(end)) { 1_f64.to_degrees() } else { 1.0 }
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
    fn angles_have_many_names_and_two_units() {
        let found = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            usual_angle(&names).map(|at| (names[at].clone(), unit(&names[at]).round()))
        };
        for name in ["angle", "angle_deg", "Angle_Degrees", "theta_deg", "direction"] {
            assert_eq!(found(&["print", "x", "y", name]), Some((name.to_owned(), 1.0)));
        }
        assert_eq!(found(&["angle_rad", "x"]), Some(("angle_rad".to_owned(), 57.0)));
        assert_eq!(found(&["angle_rad", "angle_deg"]), Some(("angle_deg".to_owned(), 1.0)));
        assert_eq!(found(&["theta", "angles"]), None);
    }

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
