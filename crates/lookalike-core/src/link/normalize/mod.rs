//! Normalizes values for comparison: one form for everything that a person would consider the same.
//!
//! Each kind has its own rules. Note that an empty result means *missing*, also for "n/a" or a phone without digits.

mod address;
mod date;
mod name;
mod number;
mod phone;
mod words;

pub(super) use address::is_address_word;
pub use date::{Date, DateOrder};
pub(super) use name::{NameColumn, generation_of};
pub(super) use number::parse_number;
pub(super) use words::{fold, words};

use super::config::Kind;

/// Words that people write for an unknown value.
const NOTHING: [&str; 14] = [
    "n a",
    "na",
    "none",
    "null",
    "nan",
    "nil",
    "unknown",
    "not available",
    "not applicable",
    "not known",
    "missing",
    "tbd",
    "undefined",
    "no data",
];

/// True if a folded text is a word for an unknown value.
pub(super) fn is_nothing(folded: &str) -> bool {
    NOTHING.contains(&folded)
}

/// Normalizes the values of one column.
#[derive(Clone, Copy, Debug)]
pub struct Normalizer {
    kind: Kind,
    date_order: DateOrder,
}

impl Normalizer {
    /// Creates a normalizer for a column of this kind with these values: some dates can only be parsed in the context
    /// of their column.
    pub fn new<'a>(kind: Kind, values: impl Iterator<Item = &'a str>) -> Self {
        let date_order = if kind == Kind::Date { DateOrder::of(values) } else { DateOrder::default() };
        Self { kind, date_order }
    }

    /// Returns the form in which `value` is compared; empty if it contains no information.
    pub fn normalize(&self, value: &str) -> String {
        let value = value.trim();
        if value.is_empty() {
            return String::new();
        }
        let normal = match self.kind {
            Kind::PersonName => name::normalize(value),
            Kind::Organization | Kind::FreeText | Kind::Category => words(value).join(" "),
            Kind::Address => address::normalize(value),
            Kind::Phone => phone::normalize(value),
            Kind::Date => Date::parse(value, self.date_order).map_or_else(String::new, |date| date.to_string()),
            Kind::Number => parse_number(value).map_or_else(String::new, |number| number.to_string()),
            Kind::Code => fold(value).chars().filter(|c| c.is_alphanumeric()).collect(),
            Kind::Email => fold(value).split_whitespace().collect(),
            Kind::Ignored => String::new(),
        };
        if is_nothing(&normal) { String::new() } else { normal }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn normal(kind: Kind, value: &str) -> String {
        Normalizer::new(kind, std::iter::once(value)).normalize(value)
    }

    proptest! {
        #[test]
        fn any_text_has_a_form(text in "\\PC{0,40}") {
            for kind in
                [Kind::PersonName, Kind::Organization, Kind::Address, Kind::Phone, Kind::Date, Kind::Number, Kind::Code, Kind::Email]
            {
                let once = normal(kind, &text);
                prop_assert!(!once.contains("  ") && once.trim() == once, "{kind} {once}");
            }
        }
    }

    #[test]
    fn what_a_person_would_call_the_same_is_the_same() {
        for (kind, left, right) in [
            (Kind::PersonName, "Dr. José O'Neill", "jose oneill"),
            (Kind::PersonName, "Smith, John", "John Smith"),
            (Kind::Organization, "Müller & Söhne", "MULLER and sohne"),
            (Kind::Address, "7601 S. Phillips Avenue", "7601 South Phillips Ave"),
            (Kind::Address, "1433 Third St.", "1433 3rd street"),
            (Kind::Phone, "310/246-1501", "(310) 246 1501"),
            (Kind::Phone, "+1 310 246-1501 ext. 12", "310.246.1501"),
            (Kind::Date, "1971-06-24", "19710624"),
            (Kind::Date, "24 June 1971", "June 24, 1971"),
            (Kind::Number, "$1,099.00", "1099"),
            (Kind::Code, "SW1A 1AA", "sw1a1aa"),
            (Kind::Email, " Ann@Example.ORG", "ann@example.org"),
            (Kind::FreeText, "Office v7.0 (Win/Mac)", "office 7 win mac"),
        ] {
            assert_eq!(normal(kind, left), normal(kind, right), "{kind}");
            assert!(!normal(kind, left).is_empty(), "{left}");
        }
    }

    #[test]
    fn words_for_nothing_are_nothing() {
        for (kind, value) in [
            (Kind::PersonName, "N/A"),
            (Kind::Code, "NULL"),
            (Kind::Phone, "none"),
            (Kind::Phone, "000-0000"),
            (Kind::Date, "unknown"),
            (Kind::Number, "-"),
            (Kind::Address, " "),
        ] {
            assert_eq!(normal(kind, value), "", "{value}");
        }
    }

    #[test]
    fn normalizing_twice_changes_nothing() {
        for (kind, value) in [
            (Kind::PersonName, "Dr. Smith, John"),
            (Kind::Address, "12a Northern Street Apartment 5, St. James"),
            (Kind::Date, "3/4/1999"),
            (Kind::Number, "1.50"),
            (Kind::FreeText, "Windows 95 v. 4.0 & more"),
        ] {
            let once = normal(kind, value);
            assert_eq!(normal(kind, &once), once, "{value}");
        }
    }
}
