//! Compares two values on the scale of their kind, and two records in the [`Pattern`] of all their fields.
//!
//! A level is a number: 0 if both values are missing, 1 if one is, then from different to equal. The name and the
//! points of each level are in `scale.rs`; its weight is estimated from the data.

mod ahead;
mod date;
mod email;
mod name;
mod plain;
mod scale;
mod words;

pub(super) use ahead::{AT_ONCE, look_ahead};
pub(super) use email::{NAMED, NAMED_WITHIN_DOMAIN, SAME_DOMAIN};
pub(super) use name::{ALIKE, TWO_PEOPLE, nickname_groups};
pub(super) use plain::LOCAL_DIGITS;
pub use scale::{LevelInfo, Scale};

use self::plain::Spelled;

use super::config::Kind;
use super::records::{Cell, Detail, Field, MISSING, Records};
use crate::ids::Record;

/// Degree of similarity of two values: a position on the [`Scale`] of their kind.
pub type Level = u8;

/// Both values are missing.
pub const BOTH_MISSING: Level = 0;

/// One value is missing.
pub const ONE_MISSING: Level = 1;

/// The values have nothing in common.
pub const DIFFERENT: Level = 2;

/// The levels of all fields of a pair, four bits each, the first field lowest.
pub type Pattern = u64;

/// The level of one field in a pattern.
#[inline]
pub fn level_of(pattern: Pattern, field: usize) -> Level {
    (pattern >> (4 * field) & 15) as Level
}

/// Compares two records in all fields. The order of the two does not matter.
pub fn compare(records: &Records, left: Record, right: Record) -> Pattern {
    let mut pattern = 0;
    let rows = records.row(left).iter().zip(records.row(right));
    for (at, (field, (left, right))) in records.fields().iter().zip(rows).enumerate() {
        pattern |= Pattern::from(compare_cells(field, *left, *right)) << (4 * at);
    }
    if let Some(fields) = records.swappable() {
        pattern = name::with_swapped(records, left, right, fields, pattern);
    }
    if records.are_of_two_generations(left, right) {
        pattern = name::with_generations(records, pattern);
    }
    for field in records.emails() {
        pattern = email::with_named(records, left, right, *field, pattern);
    }
    pattern
}

fn compare_cells(field: &Field, left: Cell, right: Cell) -> Level {
    if left.value == MISSING || right.value == MISSING {
        return if left.value == right.value { BOTH_MISSING } else { ONE_MISSING };
    }
    if left.value == right.value {
        return Scale::of(field.kind).equal();
    }
    let values = [left.value, right.value];
    let texts = [left, right].map(|cell| Spelled::among(&field.values, cell.value as usize, cell.letters()));
    match &field.detail {
        Detail::Names(groups) => {
            let groups = values.map(|value| groups.list(value as usize));
            name::level(texts, groups[0].iter().any(|group| groups[1].contains(group)))
        }
        Detail::Dates(dates) => date::level(texts, values.map(|value| dates[value as usize])),
        Detail::Numbers(numbers) => plain::number_level(texts, values.map(|value| numbers[value as usize])),
        Detail::Words(words) if left.are_words || right.are_words => {
            // Texts of many words without a word in common are different.
            if left.are_words && right.are_words && left.letters().are_disjoint(right.letters()) {
                return words::different(left.has_digit && right.has_digit);
            }
            words::level(words, None, values)
        }
        Detail::Words(words) => words::level(words, Some(texts), values),
        Detail::Text => match field.kind {
            Kind::Phone => plain::phone_level(texts),
            Kind::Email => plain::email_level(texts),
            Kind::Category => DIFFERENT,
            _ => plain::code_level(texts),
        },
    }
}

/// Weight of two different values: the weight of their level, or one between two levels if similarity is continuous.
pub(super) fn weight_of(field: &Field, left: u32, right: u32, level: Level, weights: &[f64]) -> f64 {
    match &field.detail {
        Detail::Words(words) if level != words::PART_NUMBER => {
            let texts = [left, right].map(|value| Spelled::new(field.values.get(value as usize)));
            let (similarity, is_conflict) = words::similarity(words, Some(texts), [left, right]);
            words::weight_between(weights, similarity, is_conflict)
        }
        _ => weights[usize::from(level)],
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::link::config::{ColumnConfig, Config};
    use crate::table::Table;

    const KINDS: [Kind; 9] = [
        Kind::PersonName,
        Kind::PersonName,
        Kind::Organization,
        Kind::Address,
        Kind::Phone,
        Kind::Date,
        Kind::Number,
        Kind::Code,
        Kind::Email,
    ];

    fn compared(rows: [&[String]; 2]) -> Pattern {
        let names: Vec<String> = (0..KINDS.len()).map(|at| format!("column {at}")).collect();
        let mut table = Table::new(names.clone());
        rows.iter().for_each(|row| table.push(row).unwrap());
        let column =
            |(name, kind): (&String, Kind)| ColumnConfig { name: name.clone(), kind, ..ColumnConfig::default() };
        let columns = names.iter().zip(KINDS).map(column).collect();
        let records = Records::prepare(&table, None, &Config { columns, ..Config::default() }).unwrap();
        compare(&records, Record(0), Record(1))
    }

    proptest! {
        #[test]
        fn the_order_of_two_records_does_not_matter(
            left in prop::collection::vec("[a-c]{0,4} ?[a-c1-3@.-]{0,5}", 9),
            right in prop::collection::vec("[a-c]{0,4} ?[a-c1-3@.-]{0,5}", 9),
        ) {
            let pattern = compared([&left, &right]);
            prop_assert_eq!(pattern, compared([&right, &left]));
            for (at, kind) in KINDS.into_iter().enumerate() {
                prop_assert!(usize::from(level_of(pattern, at)) < Scale::of(kind).len());
            }
        }
    }
}
