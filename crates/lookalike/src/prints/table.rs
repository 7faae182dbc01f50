//! Reads prints from the rows of a table: one minutia per row, prints in order of first occurrence.
//!
//! A row with only a name declares a print without minutiae.

use std::collections::HashMap;
use std::f64::consts::TAU;

use lookalike_core::packed::Strings;
use lookalike_core::prints::{Kind, Minutia, Print};
use lookalike_core::remedy::JobOption;
use lookalike_core::table::Table;
use lookalike_io::table::ReadTable;

use super::read::{Reading, off_image};
use super::report::PrintsReport;
use super::roll::Roll;
use crate::error::{Error, Result};
use crate::options::{AngleUnit, ReadPrints};
use crate::report::summary::{SkipReason, SkippedEntry};

pub(super) fn add(reading: &Reading<'_>, read: &ReadTable, roll: &mut Roll, report: &mut PrintsReport) -> Result<()> {
    if read.table.names().is_empty() {
        read.require_rows()?;
    }
    let cells = Cells::new(reading, &read.table)?;
    if cells.is_radians_by_value {
        report.in_radians.push(reading.shown());
    }
    let skips = &mut report.skips;
    // If very many rows are unreadable, only the first are listed.
    skips.skipped_count += read.skipped_count - read.skipped.iter().map(|row| row.count).sum::<u64>();
    let mut skipped: Vec<(u64, SkipReason, u64)> =
        read.skipped.iter().map(|row| (row.position, row.reason.clone(), row.count)).collect();
    let mut prints: Vec<(&str, Vec<Minutia>)> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for row in 0..read.table.row_count() {
        let id = cells.id(row);
        if id.is_empty() {
            skipped.push((read.position(row), "it does not say which print it is of".into(), 1));
            continue;
        }
        let place = *places.entry(id).or_insert_with(|| {
            prints.push((id, Vec::new()));
            prints.len() - 1
        });
        match cells.minutia(row, reading.options) {
            Ok(minutia) => prints[place].1.extend(minutia),
            Err(reason) => skipped.push((read.position(row), reason.into(), 1)),
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

/// The columns that are used.
struct Cells<'a> {
    table: &'a Table,
    id: usize,
    x: usize,
    y: usize,
    angle: usize,
    unit: AngleUnit,
    /// True if only the values of the angles indicated radians.
    is_radians_by_value: bool,
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
        let told = reading.options.angle_unit.or_else(|| named_unit(&table.names()[angle]));
        let is_radians_by_value = told.is_none() && look_like_radians(table.column(angle));
        let unit = told.unwrap_or(if is_radians_by_value { AngleUnit::Radians } else { AngleUnit::Degrees });
        Ok(Self { table, id, x, y, angle, unit, is_radians_by_value, kind })
    }

    fn cell(&self, column: usize, row: usize) -> &'a str {
        self.table.column(column).get(row).trim()
    }

    fn id(&self, row: usize) -> &'a str {
        self.cell(self.id, row)
    }

    /// The minutia of a row, or none if the row only names a print; or the reason why it is invalid.
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
        let angle = angle * self.unit.degrees() * if options.is_clockwise { -1.0 } else { 1.0 };
        let kind = self.kind.map_or(Kind::Other, |column| kind(self.cell(column, row)));
        let minutia = Minutia { x, y, angle, kind };
        if minutia.is_on_image(options.size) { Ok(Some(minutia)) } else { Err(off_image(x, y, options.size)) }
    }
}

/// Usual names of angle columns, most likely first.
const ANGLES: [&str; 12] = [
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
    "theta",
    "orientation",
];

/// The column of angles, by its name.
fn usual_angle(names: &[String]) -> Option<usize> {
    ANGLES.iter().find_map(|angle| names.iter().position(|name| name.eq_ignore_ascii_case(angle)))
}

/// The unit of a column, if its name ends with one.
fn named_unit(name: &str) -> Option<AngleUnit> {
    let name = name.to_ascii_lowercase();
    let ends_in = |ends: [&str; 2]| ends.iter().any(|end| name.ends_with(end));
    let degrees = || ends_in(["_deg", "_degrees"]).then_some(AngleUnit::Degrees);
    ends_in(["_rad", "_radians"]).then_some(AngleUnit::Radians).or_else(degrees)
}

/// Minimum number of angles for a decision by their values: in degrees, one in thirty is as small.
const FEWEST_ANGLES: usize = 8;

/// True if all angles are within a full turn of radians, and most are not integers, unlike small degrees.
fn look_like_radians(cells: &Strings) -> bool {
    let angles = || cells.iter().filter_map(|cell| cell.trim().parse::<f64>().ok()).filter(|angle| angle.is_finite());
    let count = angles().count();
    // Rounded to two digits, a full turn is slightly more.
    let most = TAU + 0.005;
    count >= FEWEST_ANGLES
        && angles().all(|angle| angle.abs() <= most)
        && angles().filter(|angle| angle.fract() != 0.0).count() * 2 > count
}

/// The default column of types, if it exists.
const DEFAULT_KIND: &str = "type";

/// Parses `end`, `E`, `ridge ending`; `bif`, `Bifurcation`. Anything else is compatible with both.
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
            usual_angle(&names).map(|at| (names[at].clone(), named_unit(&names[at])))
        };
        for name in ["angle", "direction", "theta"] {
            assert_eq!(found(&["print", "x", "y", name]), Some((name.to_owned(), None)));
        }
        for name in ["angle_deg", "Angle_Degrees", "theta_deg"] {
            assert_eq!(found(&["print", "x", "y", name]), Some((name.to_owned(), Some(AngleUnit::Degrees))));
        }
        assert_eq!(found(&["angle_rad", "x"]), Some(("angle_rad".to_owned(), Some(AngleUnit::Radians))));
        assert_eq!(found(&["angle_rad", "angle_deg"]), Some(("angle_deg".to_owned(), Some(AngleUnit::Degrees))));
        assert_eq!(found(&["angles"]), None);
    }

    #[test]
    fn radians_are_told_by_their_values() {
        let look = |angles: &[f64]| look_like_radians(&angles.iter().map(f64::to_string).collect::<Strings>());
        let radians: Vec<f64> = (0..20).map(|at| f64::from(at) * 0.31).collect();
        assert!(look(&radians) && look(&radians.iter().map(|angle| angle - 3.0).collect::<Vec<_>>()));
        assert!(!look(&radians[..7]));
        assert!(!look(&(0..20).map(f64::from).collect::<Vec<_>>()), "degrees");
        assert!(!look(&[0.0; 20]) && !look(&[3.0; 20]), "no direction, or whole degrees");
        assert!(!look(&[&radians[..], &[7.1]].concat()));
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
