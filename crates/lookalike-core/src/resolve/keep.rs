//! Keep order: decides which of two near-duplicates is kept.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use crate::error::Error;
use crate::ids::{Document, Number};

/// Criterion for the better item. Ties always go to the one that came first.
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
    /// The one from the source that is named first. `*` stands for all that are not named, which otherwise come last.
    Sources(Vec<String>),
    /// The best by the first of these orders; of those that are equal by it, the best by the second, and so on. At most one
    /// compares a field, and at most one sources.
    Several(Vec<Self>),
}

impl Keep {
    /// The field that is compared, if any.
    pub fn field(&self) -> Option<&str> {
        match self {
            Self::Max(field) | Self::Min(field) => Some(field),
            Self::Several(orders) => orders.iter().find_map(Self::field),
            Self::Longest | Self::First | Self::Last | Self::Sources(_) => None,
        }
    }

    /// The place of a source among those that are named; none if no sources are compared.
    pub fn source_rank(&self, source: &str) -> Option<u32> {
        match self {
            Self::Sources(sources) => {
                let place = |wanted: &str| sources.iter().position(|name| name == wanted);
                Some(place(source).or_else(|| place("*")).unwrap_or(sources.len()) as u32)
            }
            Self::Several(orders) => orders.iter().find_map(|order| order.source_rank(source)),
            Self::Longest | Self::First | Self::Last | Self::Max(_) | Self::Min(_) => None,
        }
    }

    /// True if this order and those before it leave no ties.
    fn is_last(&self) -> bool {
        matches!(self, Self::First | Self::Last)
    }

    fn one(written: &str) -> Option<Self> {
        Some(match written.split_once(':') {
            None if written == "longest" => Self::Longest,
            None if written == "first" => Self::First,
            None if written == "last" => Self::Last,
            Some(("max", field)) if !field.is_empty() => Self::Max(field.to_owned()),
            Some(("min", field)) if !field.is_empty() => Self::Min(field.to_owned()),
            Some(("source", sources)) if sources.split('>').all(|source| !source.is_empty()) => {
                Self::Sources(sources.split('>').map(str::to_owned).collect())
            }
            _ => return None,
        })
    }
}

impl FromStr for Keep {
    type Err = Error;

    fn from_str(value: &str) -> Result<Self, Error> {
        let refused = || Error::NotAKeepOrder { value: value.to_owned() };
        let mut orders = value.split(',').map(Self::one).collect::<Option<Vec<Self>>>().ok_or_else(refused)?;
        // What follows an order without ties would never be asked, and of a kind that has one value per item there is one.
        let fields = orders.iter().filter(|order| order.field().is_some()).count();
        let sources = orders.iter().filter(|order| matches!(order, Self::Sources(_))).count();
        let is_cut_off = orders.iter().rev().skip(1).any(Self::is_last);
        match orders.pop() {
            _ if fields > 1 || sources > 1 || is_cut_off => Err(refused()),
            Some(order) if orders.is_empty() => Ok(order),
            Some(order) => {
                orders.push(order);
                Ok(Self::Several(orders))
            }
            None => Err(refused()),
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
            Self::Sources(sources) => write!(f, "source:{}", sources.join(">")),
            Self::Several(orders) => {
                let orders: Vec<String> = orders.iter().map(ToString::to_string).collect();
                f.write_str(&orders.join(","))
            }
        }
    }
}

/// The value of the field for [`Keep::Max`] and [`Keep::Min`]. Any number is greater than any text, so that a column of
/// numbers with a few words in it is still ordered.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum FieldValue {
    /// The item has no such field.
    #[default]
    Missing,
    /// Compared as text, byte by byte: correct for dates such as 2026-11-15.
    Text(Box<str>),
    /// Compared as a number.
    Number {
        /// The nearest floating-point number.
        near: f64,
        /// The rest of an integer beyond it: times in nanoseconds have more digits than a floating-point number.
        rest: i64,
    },
}

impl FieldValue {
    /// Parses untyped text: a number, if it looks like one.
    pub fn of_text(written: &str) -> Self {
        match Self::number(written) {
            Self::Missing if written.is_empty() => Self::Missing,
            Self::Missing => Self::Text(written.into()),
            number => number,
        }
    }

    /// Parses a number; missing if it is not a number.
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

/// The data from which the order is computed: one entry per item, in input order.
#[derive(Clone, Copy, Debug)]
pub struct Ranking<'a> {
    /// Tokens of each item.
    pub token_counts: &'a [u32],
    /// The compared field of each item; may be empty if the order does not need it.
    pub field_values: &'a [FieldValue],
    /// The place of each item's source in the order; may be empty if the order compares no sources.
    pub source_ranks: &'a [u32],
}

/// The items, best first.
pub fn keep_order(keep: &Keep, ranking: Ranking<'_>) -> Vec<Document> {
    let mut order: Vec<Document> = (0..ranking.token_counts.len() as u32).map(Document).collect();
    // The sort is stable, so that ties stay in the order of the input.
    match keep {
        Keep::First => {}
        Keep::Last => order.reverse(),
        Keep::Longest => order.sort_by_key(|item| std::cmp::Reverse(ranking.token_counts[item.index()])),
        keep => order.sort_by(|left, right| ranking.compare(keep, *left, *right)),
    }
    order
}

impl Ranking<'_> {
    /// Less if the left item is the better one.
    fn compare(&self, keep: &Keep, left: Document, right: Document) -> Ordering {
        let value = |item: Document| &self.field_values[item.index()];
        let is_missing = |item: Document| *value(item) == FieldValue::Missing;
        let source = |item: Document| self.source_ranks.get(item.index());
        match keep {
            Keep::Longest => self.token_counts[right.index()].cmp(&self.token_counts[left.index()]),
            Keep::First => left.cmp(&right),
            Keep::Last => right.cmp(&left),
            Keep::Max(_) => value(right).compare(value(left)),
            Keep::Min(_) => is_missing(left).cmp(&is_missing(right)).then_with(|| value(left).compare(value(right))),
            Keep::Sources(_) => source(left).cmp(&source(right)),
            Keep::Several(orders) => orders
                .iter()
                .map(|order| self.compare(order, left, right))
                .find(|order| order.is_ne())
                .unwrap_or(Ordering::Equal),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(keep: &str) -> Vec<u32> {
        let values =
            [FieldValue::number("2"), FieldValue::Missing, FieldValue::number("-1.0"), FieldValue::Text("x".into())];
        let ranking = Ranking { token_counts: &[5, 9, 9, 1], field_values: &values, source_ranks: &[1, 0, 1, 1] };
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
    fn the_next_order_decides_where_one_leaves_ties() {
        assert_eq!(order("longest,last"), [2, 1, 0, 3]);
        assert_eq!(order("source:b>*,max:score,longest"), [1, 0, 2, 3]);
        let keep: Keep = "source:b>*>a,longest".parse().unwrap();
        assert_eq!(["a", "b", "c"].map(|source| keep.source_rank(source)), [Some(2), Some(0), Some(1)]);
        assert_eq!(keep.to_string(), "source:b>*>a,longest");
        assert_eq!("source:b".parse::<Keep>().unwrap().source_rank("a"), Some(1));
        assert_eq!(Keep::Longest.source_rank("a"), None);
    }

    #[test]
    fn whole_numbers_are_compared_to_the_last_digit() {
        let numbers = ["1700000000000000001", "1700000000000000002", "1.7e18", "-3"].map(FieldValue::number);
        let ranking = Ranking { token_counts: &[1; 4], field_values: &numbers, source_ranks: &[] };
        assert_eq!(keep_order(&Keep::Max("time".to_owned()), ranking), [1, 0, 2, 3].map(Document));
        assert_eq!(FieldValue::number("NaN"), FieldValue::Missing);
    }

    #[test]
    fn an_unknown_order_is_refused() {
        for wrong in [
            "",
            "biggest",
            "max",
            "max:",
            "longest:x",
            "first,longest",
            "max:a,min:b",
            "source:",
            "source:a>",
            "longest,",
        ] {
            assert!(wrong.parse::<Keep>().is_err(), "{wrong}");
        }
    }
}
