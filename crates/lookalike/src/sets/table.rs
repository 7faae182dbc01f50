//! Reads sets from a table: one element per row, or a column with all elements of a set.

use lookalike_core::packed::Strings;
use lookalike_core::remedy::JobOption;
use lookalike_core::table::Table;
use lookalike_io::table::ReadTable;
use serde_json::Value;

use super::gather::Gather;
use crate::error::{Error, Result};
use crate::options::SetsForm;
use crate::report::summary::SkippedEntry;

/// Roles of the columns.
enum Columns<'a> {
    /// A set and an element in each row.
    Pairs { set: &'a Strings, element: &'a Strings, weights: Option<&'a Strings> },
    /// All elements of a set in each row.
    Lists { set: Option<&'a Strings>, list: &'a Strings, weights: Option<&'a Strings> },
}

/// Adds the sets of a part of a table. Unnamed sets get the number of their row, which `rows_before` rows precede,
/// after a prefix.
pub(super) fn gather(
    read: &ReadTable,
    prefix: &str,
    rows_before: u64,
    form: &SetsForm,
    gather: &mut Gather,
) -> Result<()> {
    gather.count_skipped(read.skipped_count - read.skipped.iter().map(|row| row.count).sum::<u64>());
    let mut skipped: Vec<SkippedEntry> = read.skipped.clone();
    // A part may consist of skipped rows only.
    if read.table.row_count() > 0 {
        let columns = Columns::find(&read.table, form)?;
        for row in 0..read.table.row_count() {
            if let Err(reason) = columns.add(row, prefix, rows_before, form, gather) {
                let (file, entry, position, reason) =
                    (read.name.clone(), read.entry, read.position(row), reason.into());
                skipped.push(SkippedEntry { file, entry, position, reason, count: 1 });
            }
        }
    }
    skipped.sort_by_key(|entry| entry.position);
    skipped.into_iter().for_each(|entry| gather.skip_all(entry));
    Ok(())
}

impl<'a> Columns<'a> {
    fn find(table: &'a Table, form: &SetsForm) -> Result<Self> {
        let column = |name: &String| table.find(name).map(|at| table.column(at));
        let weights = form.weight.as_ref().map(column).transpose()?;
        if let Some(list) = &form.column {
            return Ok(Self::Lists { set: form.set.as_ref().map(column).transpose()?, list: column(list)?, weights });
        }
        if form.grams.is_some() {
            return Err(Error::NoSetColumns { option: JobOption::Column, columns: table.names().join(", ") });
        }
        // Two columns that are not weights are a set and an element, whatever their names.
        let named = |name: &Option<String>| name.as_ref().map(column).transpose();
        let (set, element) = (named(&form.set)?, named(&form.element)?);
        let is_free = |name: &&String| ![&form.weight, &form.set, &form.element].contains(&&Some((*name).clone()));
        let free: Vec<&String> = table.names().iter().filter(is_free).collect();
        let usual = |name: &str| free.iter().find(|free| free.as_str() == name).copied();
        let guessed = match (set.is_some(), element.is_some(), &free[..]) {
            (false, false, [first, second]) => Some((*first, *second)),
            (false, true, [first]) | (true, false, [first]) => Some((*first, *first)),
            _ => usual("set").zip(usual("element")),
        };
        let set = set.map_or_else(|| guessed.map(|(set, _)| column(set)).transpose(), |set| Ok(Some(set)))?;
        let element = element
            .map_or_else(|| guessed.map(|(_, element)| column(element)).transpose(), |element| Ok(Some(element)))?;
        match (set, element) {
            (Some(set), Some(element)) => Ok(Self::Pairs { set, element, weights }),
            (None, _) => Err(Error::NoSetColumns { option: JobOption::Set, columns: table.names().join(", ") }),
            (_, None) => Err(Error::NoSetColumns { option: JobOption::Element, columns: table.names().join(", ") }),
        }
    }

    /// Adds a row, or returns the reason why it is invalid.
    fn add(
        &self,
        row: usize,
        prefix: &str,
        rows_before: u64,
        form: &SetsForm,
        gather: &mut Gather,
    ) -> std::result::Result<(), String> {
        match self {
            Self::Pairs { set, element, weights } => {
                let (set, element) = (present(set.get(row), "set")?, present(element.get(row), "element")?);
                let weight = weights.map_or(Ok(1.0), |weights| weight(weights.get(row)))?;
                gather.begin(set);
                // An element with weight 0 is absent.
                if weight > 0.0 {
                    gather.add(element, weight);
                }
            }
            Self::Lists { set, list, weights } => {
                let number =
                    if set.is_some() { String::new() } else { format!("{prefix}{}", rows_before + row as u64 + 1) };
                let set = set.map_or(Ok(number.as_str()), |set| present(set.get(row), "set"))?;
                let mut elements = Vec::new();
                each_in_list(list.get(row), form, |element| elements.push(element.to_owned()))?;
                let mut weighed = vec![1.0; elements.len()];
                if let Some(weights) = weights {
                    weighed.clear();
                    let mut bad = None;
                    each_in_list(weights.get(row), form, |cell| match weight(cell) {
                        Ok(weight) => weighed.push(weight),
                        Err(reason) => bad = Some(reason),
                    })?;
                    bad.map_or(Ok(()), Err)?;
                    if weighed.len() != elements.len() {
                        return Err(format!("{} weights for {} elements", weighed.len(), elements.len()));
                    }
                }
                gather.begin(set);
                for (element, weight) in elements.iter().zip(weighed).filter(|(_, weight)| *weight > 0.0) {
                    gather.add(element, weight);
                }
            }
        }
        Ok(())
    }
}

/// The elements of a cell: of a JSON list, or otherwise as on a line.
fn each_in_list(cell: &str, form: &SetsForm, mut each: impl FnMut(&str)) -> std::result::Result<(), String> {
    if form.grams.is_some() || form.delimiter.is_some() || !cell.starts_with('[') {
        form.each_element(cell, each);
        return Ok(());
    }
    let list: Vec<Value> = serde_json::from_str(cell).map_err(|error| format!("not a list: {error}"))?;
    for value in list {
        match value {
            Value::Null => {}
            Value::String(text) if text.trim().is_empty() => {}
            Value::String(text) => each(text.trim()),
            other => each(&other.to_string()),
        }
    }
    Ok(())
}

fn present<'a>(cell: &'a str, what: &str) -> std::result::Result<&'a str, String> {
    if cell.is_empty() { Err(format!("it has no {what}")) } else { Ok(cell) }
}

fn weight(cell: &str) -> std::result::Result<f64, String> {
    let weight: Option<f64> = cell.parse().ok().filter(|weight: &f64| weight.is_finite() && *weight >= 0.0);
    weight.ok_or_else(|| format!("'{cell}' is not a weight: it must be a number of 0 or more"))
}

#[cfg(test)]
mod tests {
    use lookalike_core::hash::Key;

    use super::*;

    fn collect(names: &[&str], rows: &[&[&str]], form: &SetsForm) -> (Vec<String>, Vec<usize>, Vec<String>) {
        let mut table = Table::new(names.iter().copied());
        rows.iter().for_each(|row| table.push(row).unwrap());
        let mut gathered = Gather::new(Key::FIXED, false, form.weight.is_some());
        gather(&ReadTable::of("t.csv", table), "", 0, form, &mut gathered).unwrap();
        let sets = gathered.finish();
        let sizes = (0..sets.len()).map(|set| sets.features(set).len()).collect();
        (
            sets.ids.iter().map(str::to_owned).collect(),
            sizes,
            sets.skipped_rows.into_iter().map(|row| row.reason.to_string()).collect(),
        )
    }

    #[test]
    fn two_columns_are_a_set_and_an_element() {
        let rows: &[&[&str]] =
            &[&["ann", "5", "alien"], &["ann", "x", "brazil"], &["bob", "0", "alien"], &["", "1", "a"]];
        let form = SetsForm { weight: Some("stars".to_owned()), ..SetsForm::default() };
        let (ids, sizes, reasons) = collect(&["user", "stars", "film"], rows, &form);
        assert_eq!((ids, sizes), (vec!["ann".to_owned(), "bob".to_owned()], vec![1, 0]));
        assert_eq!(reasons, ["'x' is not a weight: it must be a number of 0 or more", "it has no set"]);
    }

    #[test]
    fn a_column_has_lists_as_json_or_as_lines_have_them() {
        let rows: &[&[&str]] = &[&["[\"a b\", 2, null]", "[1, 2]"], &["x y z", "1 1 1"], &["x", "1 2"], &["[x", ""]];
        let form =
            SetsForm { column: Some("list".to_owned()), weight: Some("weights".to_owned()), ..SetsForm::default() };
        let (ids, sizes, reasons) = collect(&["list", "weights"], rows, &form);
        assert_eq!((ids, sizes), (vec!["1".to_owned(), "2".to_owned()], vec![2, 3]));
        assert!(reasons[0] == "2 weights for 1 elements" && reasons[1].starts_with("not a list"), "{reasons:?}");
    }
}
