//! Pairs the columns of two tables: first those with the same name, then those with names that mean the same, then
//! those with the same values.
//!
//! Columns with few distinct values (yes and no, small numbers) look similar whatever they mean, and are paired only by
//! name.

use std::collections::HashMap;

use super::config::Kind;
use super::guess::kind_of_column;
use super::header::header_words;
use super::normalize::{Date, DateOrder, words};
use crate::packed::Strings;
use crate::table::Table;

/// Names that mean the same, without blanks and signs.
const SYNONYMS: &[&[&str]] = &[
    &["phone", "phoneno", "phonenumber", "phonenr", "telephone", "tel", "telno", "telephonenumber", "telefon"],
    &["mobile", "mobilephone", "cell", "cellphone", "handy"],
    &[
        "address",
        "addr",
        "address1",
        "addressline1",
        "streetaddress",
        "street",
        "strasse",
        "anschrift",
        "adresse",
        "direccion",
        "indirizzo",
    ],
    &["city", "town", "locality", "ort"],
    &["zip", "zipcode", "postcode", "postalcode", "postal", "plz"],
    &["firstname", "first", "givenname", "given", "forename", "fname", "vorname"],
    &["lastname", "last", "surname", "familyname", "family", "lname", "nachname"],
    &["name", "fullname", "personname", "customername"],
    &[
        "dob",
        "dateofbirth",
        "birthdate",
        "birthday",
        "born",
        "geburtsdatum",
        "geboren",
        "geburtstag",
        "datumgeburt",
        "naissance",
    ],
    &["email", "emailaddress", "mail", "eaddress"],
    &["company", "companyname", "organisation", "organization", "business", "firm", "employer"],
    &["manufacturer", "brand", "maker", "vendor"],
    &["title", "productname", "product", "name"],
    &["price", "cost", "amount"],
    &["country", "land", "nation"],
    &["gender", "sex"],
];

/// Minimum number of distinct values: fewer say nothing about what a column means.
const LEAST_VALUES: usize = 20;

/// Minimum share of values that two columns have in common.
const LEAST_OVERLAP: f64 = 0.25;

/// The same for the years of dates: birthdays are in other years than orders.
const LEAST_YEARS: f64 = 0.5;

/// Maximum number of rows of a column to examine, evenly spread over the table.
const ROWS: usize = 20_000;

/// Returns the column of the second table that belongs to each column of the first. Columns of ids have none.
pub fn partners(first: &Table, second: &Table, ids: [Option<&str>; 2]) -> Vec<Option<usize>> {
    let words = |table: &Table| table.names().iter().map(|name| header_words(name)).collect::<Vec<_>>();
    let (of_first, of_second) = (words(first), words(second));
    let is_id = |side: usize, name: &str| ids[side] == Some(name);
    let mut found: Vec<Option<usize>> = vec![None; of_first.len()];
    let mut is_taken: Vec<bool> = second.names().iter().map(|name| is_id(1, name)).collect();
    for (at, name) in first.names().iter().enumerate().filter(|(_, name)| !is_id(0, name)) {
        let is_same =
            |other: &usize| !is_taken[*other] && (second.names()[*other] == *name || of_second[*other] == of_first[at]);
        found[at] = (0..of_second.len()).find(is_same);
        if let Some(other) = found[at] {
            is_taken[other] = true;
        }
    }
    let left: Vec<usize> =
        (0..found.len()).filter(|at| found[*at].is_none() && !is_id(0, &first.names()[*at])).collect();
    let right: Vec<usize> = (0..is_taken.len()).filter(|at| !is_taken[*at]).collect();
    if left.is_empty() || right.is_empty() {
        return found;
    }
    let look = |table: &Table, places: &[usize]| -> Vec<Column> {
        places.iter().map(|at| Column::new(*at, &table.names()[*at], table.column(*at))).collect()
    };
    let (left, right) = (look(first, &left), look(second, &right));
    let anchors: Vec<(usize, usize)> =
        found.iter().enumerate().filter_map(|(at, other)| Some((at, (*other)?))).collect();
    let same = rows_of_same(first, second, &anchors);
    let mut likenesses: Vec<(f64, usize, usize)> = Vec::new();
    for (a, one) in left.iter().enumerate() {
        for (b, other) in right.iter().enumerate() {
            let alone = [&left, &right].map(|columns| columns.iter().filter(|column| column.kind == one.kind).count());
            let likeness = one.likeness(other, alone == [1, 1]);
            // Writers and directors have similar names, but are not the same column.
            let is_one = |likeness: &f64| {
                *likeness >= 1.0 || agree(&same, first.column(one.at), second.column(other.at)).unwrap_or(true)
            };
            likenesses.extend(likeness.filter(is_one).map(|likeness| (likeness, a, b)));
        }
    }
    // The most similar first; ties in the order of the columns.
    likenesses.sort_by(|x, y| y.0.total_cmp(&x.0).then_with(|| (x.1, x.2).cmp(&(y.1, y.2))));
    for (_, a, b) in likenesses {
        let (at, other) = (left[a].at, right[b].at);
        if found[at].is_none() && !is_taken[other] {
            found[at] = Some(other);
            is_taken[other] = true;
        }
    }
    found
}

/// Rows of the two tables that probably describe one thing: they are the only ones with a certain value in a column
/// that both tables have.
fn rows_of_same(first: &Table, second: &Table, anchors: &[(usize, usize)]) -> Vec<(usize, usize)> {
    /// Minimum number of letters and digits of a value that is not shared by chance.
    const LEAST_LETTERS: usize = 6;
    fn once(cells: &Strings) -> HashMap<String, Option<usize>> {
        let mut rows: HashMap<String, Option<usize>> = HashMap::new();
        for (row, cell) in cells.iter().enumerate().take(ROWS) {
            let value = words(cell).concat();
            if value.len() >= LEAST_LETTERS {
                rows.entry(value).and_modify(|row| *row = None).or_insert(Some(row));
            }
        }
        rows
    }
    let mut same = Vec::new();
    for (left, right) in anchors {
        let (left, right) = (once(first.column(*left)), once(second.column(*right)));
        let rows = left.iter().filter_map(|(value, row)| Some(((*row)?, (*right.get(value)?)?)));
        same.extend(rows);
    }
    same.sort_unstable();
    same.dedup();
    same
}

/// True if two columns agree more often than by chance in rows that probably describe one thing; `None` if there are
/// too few such rows.
fn agree(same: &[(usize, usize)], left: &Strings, right: &Strings) -> Option<bool> {
    const LEAST_ROWS: usize = 20;
    /// Minimum share of rows that must agree, and minimum ratio to the share by chance.
    const LEAST: f64 = 0.2;
    const MORE: f64 = 2.0;
    let filled: Vec<(Vec<String>, Vec<String>)> = same
        .iter()
        .map(|(one, other)| (words(left.get(*one)), words(right.get(*other))))
        .filter(|(one, other)| !one.is_empty() && !other.is_empty())
        .collect();
    if filled.len() < LEAST_ROWS {
        return None;
    }
    let share = |shift: usize| {
        let is_alike = |at: &usize| {
            let (one, other) = (&filled[*at].0, &filled[(at + shift) % filled.len()].1);
            2 * one.iter().filter(|word| other.contains(word)).count() >= one.len().min(other.len())
        };
        (0..filled.len()).filter(is_alike).count() as f64 / filled.len() as f64
    };
    Some(share(0) >= LEAST && share(0) >= MORE * share(filled.len() / 2))
}

/// A column without a partner of the same name.
struct Column {
    at: usize,
    name: String,
    kind: Kind,
    value_count: usize,
    /// Its words or values, each with its share.
    held: HashMap<String, f64>,
}

impl Column {
    fn new(at: usize, name: &str, cells: &Strings) -> Self {
        let kind = kind_of_column(name, cells);
        let step = cells.len().div_ceil(ROWS).max(1);
        let rows = (0..cells.len()).step_by(step).map(|row| cells.get(row).trim());
        let values: Vec<&str> = rows.filter(|value| !value.is_empty()).collect();
        let order = DateOrder::of(values.iter().copied());
        let mut counts: HashMap<String, f64> = HashMap::new();
        for value in &values {
            match kind {
                Kind::Date => {
                    let year = Date::parse(value, order).map(|date| date.year.to_string());
                    year.into_iter().for_each(|year| *counts.entry(year).or_default() += 1.0);
                }
                Kind::PersonName | Kind::Organization | Kind::Address | Kind::FreeText => {
                    words(value).into_iter().for_each(|word| *counts.entry(word).or_default() += 1.0);
                }
                _ => *counts.entry(words(value).concat()).or_default() += 1.0,
            }
        }
        let total: f64 = counts.values().sum();
        let value_count = values.iter().collect::<std::collections::HashSet<_>>().len();
        let held = counts.into_iter().map(|(what, count)| (what, count / total)).collect();
        Self { at, name: header_words(name).concat(), kind, value_count, held }
    }

    /// Likelihood that the two are the same column, above 0 if they may be: names count more than values.
    fn likeness(&self, other: &Self, are_alone_of_kind: bool) -> Option<f64> {
        let overlap = self.overlap(other);
        let [one, two] = [self.kind, other.kind];
        if is_called_alike(&self.name, &other.name) && one != Kind::Ignored && two != Kind::Ignored {
            return Some(1.0 + overlap);
        }
        let have_values = self.value_count.min(other.value_count) >= LEAST_VALUES;
        let is_one = one == two
            && match one {
                Kind::Phone | Kind::Email => are_alone_of_kind || overlap >= LEAST_OVERLAP,
                Kind::Date => are_alone_of_kind && have_values && overlap >= LEAST_YEARS,
                Kind::Number | Kind::Ignored => false,
                _ => have_values && overlap >= LEAST_OVERLAP,
            };
        is_one.then_some(overlap)
    }

    fn overlap(&self, other: &Self) -> f64 {
        let mut shared: Vec<f64> =
            self.held.iter().filter_map(|(what, share)| Some(share.min(*other.held.get(what)?))).collect();
        // In one fixed order, whatever the order of the map.
        shared.sort_unstable_by(f64::total_cmp);
        shared.iter().sum()
    }
}

/// True if two names mean the same: both are in the list of synonyms, or one is a prefix of the other (`addr`,
/// `address`).
fn is_called_alike(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() < other.len() { (one, other) } else { (other, one) };
    let is_listed = SYNONYMS.iter().any(|names| names.contains(&one) && names.contains(&other));
    is_listed || short.chars().count() >= 3 && long.starts_with(short)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paired(first: &[&str], second: &[&str], rows: impl Fn(usize, &str) -> String) -> Vec<Option<usize>> {
        let table = |names: &[&str], from: usize| {
            let mut table = Table::new(names.iter().copied());
            for row in from..from + 60 {
                table.push(&names.iter().map(|name| rows(row, name)).collect::<Vec<_>>()).unwrap();
            }
            table
        };
        partners(&table(first, 0), &table(second, 30), [Some("id"), Some("ref")])
    }

    fn cell(row: usize, name: &str) -> String {
        let surnames = "Smith Jones Garcia Miller Davis Wilson Moore Taylor Thomas Jackson White Harris Martin Thompson \
                        Robinson Clark Lewis Walker Hall Allen Young King Wright Scott";
        match name {
            "id" | "ref" => format!("{row}"),
            "telephone" | "phone" | "contact" => format!("0{}-555-{:04}", 200 + row % 700, row * 37 % 10_000),
            "addr" | "address" => format!("{} Oak Street", row + 1),
            "last" | "surname" | "who" => surnames.split_whitespace().nth(row % 24).unwrap().to_owned(),
            "born" => format!("{}-03-{:02}", 1940 + row % 50, 1 + row % 28),
            "ordered" => format!("2024-{:02}-{:02}", 1 + row % 12, 1 + row % 28),
            "active" | "member" => (if row.is_multiple_of(2) { "yes" } else { "no" }).to_owned(),
            _ => String::new(),
        }
    }

    #[test]
    fn columns_are_paired_by_name_by_meaning_and_by_what_they_hold() {
        let found = paired(&["id", "addr", "phone", "surname"], &["ref", "who", "address", "telephone"], cell);
        assert_eq!(found, [None, Some(2), Some(3), Some(1)]);
        // The only phone column of each table.
        assert_eq!(paired(&["id", "phone"], &["ref", "contact"], cell), [None, Some(1)]);
    }

    #[test]
    fn what_only_looks_alike_stays_apart() {
        assert_eq!(paired(&["id", "born"], &["ref", "ordered"], cell), [None, None]);
        assert_eq!(paired(&["id", "active"], &["ref", "member"], cell), [None, None]);
    }
}
