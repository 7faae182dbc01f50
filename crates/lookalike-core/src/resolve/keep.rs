//! Keep order: which of two near-duplicates is kept.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use crate::error::Error;
use crate::ids::{Document, Number};

/// What makes one item better than another. Ties always go to the one that came first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// The one with the most tokens.
    #[default]
    Longest,
    /// The one that came first.
    First,
    /// The one that came last.
    Last,
    /// The one with the largest value of a field; items without the field come last.
    Max(String),
    /// The one with the smallest value of a field; items without the field come last.
    Min(String),
}

impl Keep {
    /// The field that is compared, if any.
    pub fn field(&self) -> Option<&str> {
        match self {
            Self::Max(field) | Self::Min(field) => Some(field),
            Self::Longest | Self::First | Self::Last => None,
        }
    }
}

impl FromStr for Keep {
    type Err = Error;

    fn from_str(value: &str) -> Result<Self, Error> {
        match value.split_once(':') {
            None if value == "longest" => Ok(Self::Longest),
            None if value == "first" => Ok(Self::First),
            None if value == "last" => Ok(Self::Last),
            Some(("max", field)) if !field.is_empty() => Ok(Self::Max(field.to_owned())),
            Some(("min", field)) if !field.is_empty() => Ok(Self::Min(field.to_owned())),
            _ => Err(Error::NotAKeepOrder { value: value.to_owned() }),
        }
    }
}

impl fmt::Display for Keep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Longest => f.write_str("longest"),
            Self::First => f.write_str("first"),
            Self::Last => f.write_str("last"),
            Self::Max(field) => write!(f, "max:{field}"),
            Self::Min(field) => write!(f, "min:{field}"),
        }
    }
}

/// The value of the field that [`Keep::Max`] and [`Keep::Min`] compare. Any number is greater than any text, so that
/// a column of numbers with a few odd words in it is still in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum FieldValue {
    /// The item has no such field.
    #[default]
    Missing,
    /// Compared as text, byte by byte: right for dates such as 2026-11-15.
    Text(Box<str>),
    /// Compared as a number.
    Number {
        /// The nearest floating-point number.
        near: f64,
        /// What a whole number has beyond it: times in nanoseconds have more digits than a floating-point number.
        rest: i64,
    },
}

impl FieldValue {
    /// The value of untyped text: a number, if it looks like one.
    pub fn of_text(written: &str) -> Self {
        match Self::number(written) {
            Self::Missing if written.is_empty() => Self::Missing,
            Self::Missing => Self::Text(written.into()),
            number => number,
        }
    }

    /// A number as written; missing if it is not a number.
    pub fn number(written: &str) -> Self {
        let Ok(near) = written.parse::<f64>() else { return Self::Missing };
        let rest = written.parse::<i64>().map_or(0, |whole| (i128::from(whole) - near as i128) as i64);
        if near.is_finite() { Self::Number { near, rest } } else { Self::Missing }
    }

    fn compare(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Text(left), Self::Text(right)) => left.cmp(right),
            (Self::Number { near, rest }, Self::Number { near: other_near, rest: other_rest }) => {
                near.total_cmp(other_near).then(rest.cmp(other_rest))
            }
            _ => self.kind().cmp(&other.kind()),
        }
    }

    fn kind(&self) -> u8 {
        match self {
            Self::Missing => 0,
            Self::Text(_) => 1,
            Self::Number { .. } => 2,
        }
    }
}

/// What the order is computed from: one entry per item, in input order.
#[derive(Clone, Copy, Debug)]
pub struct Ranking<'a> {
    /// Tokens of each item.
    pub token_counts: &'a [u32],
    /// The compared field of each item; may be empty if the order does not need it.
    pub field_values: &'a [FieldValue],
}

/// The items, best first.
pub fn keep_order(keep: &Keep, ranking: Ranking<'_>) -> Vec<Document> {
    let mut order: Vec<Document> = (0..ranking.token_counts.len() as u32).map(Document).collect();
    let tokens = |item: &Document| ranking.token_counts[item.index()];
    let value = |item: &Document| &ranking.field_values[item.index()];
    let missing = |item: &Document| *value(item) == FieldValue::Missing;
    // Every sort here is stable, so that ties stay in the order of the input.
    match keep {
        Keep::Longest => order.sort_by_key(|item| std::cmp::Reverse(tokens(item))),
        Keep::First => {}
        Keep::Last => order.reverse(),
        Keep::Max(_) => order.sort_by(|a, b| value(b).compare(value(a))),
        Keep::Min(_) => {
            order.sort_by(|a, b| missing(a).cmp(&missing(b)).then_with(|| value(a).compare(value(b))));
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(keep: &str) -> Vec<u32> {
        let values =
            [FieldValue::number("2"), FieldValue::Missing, FieldValue::number("-1.0"), FieldValue::Text("x".into())];
        let ranking = Ranking { token_counts: &[5, 9, 9, 1], field_values: &values };
        keep_order(&keep.parse().unwrap(), ranking).into_iter().map(|item| item.0).collect()
    }

    #[test]
    fn each_order_puts_its_best_first_and_breaks_ties_by_position() {
        assert_eq!(order("longest"), [1, 2, 0, 3]);
        assert_eq!(order("first"), [0, 1, 2, 3]);
        assert_eq!(order("last"), [3, 2, 1, 0]);
    }

    #[test]
    fn one_without_the_field_is_worst_in_both_directions() {
        assert_eq!(order("max:score"), [0, 2, 3, 1]);
        assert_eq!(order("min:score"), [3, 2, 0, 1]);
    }

    #[test]
    fn whole_numbers_are_compared_to_the_last_digit() {
        let numbers = ["1700000000000000001", "1700000000000000002", "1.7e18", "-3"].map(FieldValue::number);
        let ranking = Ranking { token_counts: &[1; 4], field_values: &numbers };
        assert_eq!(keep_order(&Keep::Max("time".to_owned()), ranking), [1, 0, 2, 3].map(Document));
        assert_eq!(FieldValue::number("NaN"), FieldValue::Missing);
    }

    #[test]
    fn an_unknown_order_is_refused() {
        for wrong in ["", "biggest", "max", "max:", "longest:x"] {
            assert!(wrong.parse::<Keep>().is_err(), "{wrong}");
        }
    }
}
