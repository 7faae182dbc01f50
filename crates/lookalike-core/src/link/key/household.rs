//! Large tables of people: records that have only the household in common are compared only if their initials are
//! equal.
//!
//! Address, phone and family name together do not make a match, and in a large table they produce many more pairs than
//! all other keys. The pairs still worth comparing are those with the same initial: "J." and "Jane" share no other key.

use super::Bounds;
use crate::ids::{Number, Record};
use crate::link::records::{Field, MOST_FIELDS, Records, Tells};

/// Fields that a household shares, and the initial of each person.
#[derive(Debug)]
pub(super) struct Household {
    is_of_it: [bool; MOST_FIELDS],
    /// Initial of each record; zero if it has no name.
    initials: Vec<u32>,
}

impl Household {
    /// Returns `None` if it is not needed, or there is no field with names.
    pub(super) fn of(records: &Records, bounds: &Bounds) -> Option<Self> {
        if !bounds.is_large {
            return None;
        }
        let names_person = |field: &&Field| field.tells == Tells::Name;
        let given = records.fields().iter().find(names_person)?;
        let initial = |record: Record| given.text(record).and_then(|name| name.chars().next()).map_or(0, u32::from);
        let initials = records.all().map(initial).collect();
        let mut is_of_it = [false; MOST_FIELDS];
        for (field, is_of_it) in records.fields().iter().zip(&mut is_of_it) {
            *is_of_it = field.tells == Tells::Household;
        }
        Some(Self { is_of_it, initials })
    }

    /// True if a household shares the field.
    pub(super) fn has(&self, field: usize) -> bool {
        self.is_of_it[field]
    }

    /// A bit for each field of a household.
    pub(super) fn field_bits(&self) -> u16 {
        (0..MOST_FIELDS).filter(|field| self.has(*field)).fold(0, |bits, field| bits | 1 << field)
    }

    /// True if two members of a household may be the same person.
    #[inline]
    pub(super) fn may_be_one(&self, left: Record, right: Record) -> bool {
        let [left, right] = [left, right].map(|record| self.initials[record.index()]);
        left != 0 && left == right
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::config::Kind;
    use crate::link::config::{ColumnConfig, Config};
    use crate::link::key::{find_candidates, share_two_fields};
    use crate::table::Table;

    #[test]
    fn in_a_large_table_neighbors_are_compared_where_their_initials_are_the_same() {
        let names = ["first_name", "street", "city"];
        let mut table = Table::new(names);
        for row in [
            ["Jane", "7 Hill Road", "Oxford"],
            ["J", "7 Hill Road", "Oxford"],
            ["Ann", "7 Hill Road", "Leeds"],
            ["Bob", "7 Hill Road", "Leeds"],
            // Other people in these cities; otherwise the cities would be sufficient keys.
            ["Clara", "1 Long Lane", "Oxford"],
            ["Dora", "2 Mill Street", "Oxford"],
            ["Emil", "3 Park Avenue", "Leeds"],
            ["Fred", "4 Oak Drive", "Leeds"],
        ] {
            table.push(&row).unwrap();
        }
        // And others elsewhere; otherwise all would live in one street.
        for other in 0..40_u32 {
            let letter = |number: u32| char::from_u32('a' as u32 + number % 26).unwrap();
            let word = |from: u32| (0..6).map(|at| letter(from * 7 + from / 26 + at * at * 5)).collect::<String>();
            table.push(&[word(other), format!("{other} {}", word(other + 50)), word(other + 100)]).unwrap();
        }
        let kinds = [Kind::PersonName, Kind::Address, Kind::Address];
        let column =
            |(name, kind): (&str, Kind)| ColumnConfig { name: name.to_owned(), kind, ..ColumnConfig::default() };
        let columns = names.into_iter().zip(kinds).map(column).collect();
        let records = Records::prepare(&table, None, &Config { columns, ..Config::default() }).unwrap();
        let compared = |is_large: bool| {
            let bounds = Bounds { bucket_pairs: 2, is_large, ..Bounds::for_count(records.count()) };
            let candidates = find_candidates(&records, &bounds);
            let pairs: Vec<(Record, Record)> = (0..candidates.len()).map(|at| candidates.pair(at)).collect();
            [(0, 1), (2, 3)].map(|(left, right)| pairs.contains(&(Record(left), Record(right))))
        };
        assert_eq!(compared(false), [true, true]);
        assert_eq!(compared(true), [true, false]);
        let bounds = Bounds { is_large: true, ..Bounds::for_count(records.count()) };
        let share_enough =
            |left, right, fields: &[usize]| share_two_fields(&records, &bounds, [Record(left), Record(right)], fields);
        assert!(share_enough(0, 1, &[1]) && !share_enough(2, 3, &[1, 2]) && share_enough(2, 3, &[0, 1]));
    }
}
