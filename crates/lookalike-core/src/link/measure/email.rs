//! E-mails that are made of the names of their owners: all who are called so have one like it.

use super::plain::{Spelled, parts_of_email, slips};
use super::{DIFFERENT, Level, Pattern, level_of};
use crate::ids::Record;
use crate::link::config::Kind;
use crate::link::records::{Field, Records};

/// The level of e-mails of one domain.
pub(in crate::link) const SAME_DOMAIN: Level = 3;

/// The level of e-mails that are alike because the names are, and of those of one domain.
const NAMED: Level = 4;
pub(in crate::link) const NAMED_WITHIN_DOMAIN: Level = 5;

/// Names of this level or above may be one person's.
const SAME_NAME: Level = 4;

/// More slips make another domain.
const MOST_SLIPS: usize = 2;

/// The levels of e-mails that are alike or equal.
const ALIKE: std::ops::RangeInclusive<Level> = 6..=9;

/// The pattern, with e-mails that are alike only in the names of the two.
pub(super) fn with_named(records: &Records, left: Record, right: Record, field: usize, pattern: Pattern) -> Pattern {
    if !ALIKE.contains(&level_of(pattern, field)) {
        return pattern;
    }
    let parts = |record: Record| records.fields()[field].text(record).map_or(("", ""), parts_of_email);
    let [one, other] = [left, right].map(parts);
    // The number behind a name tells people of one name apart, and is the same for one.
    let numbers = |name: &str| name.chars().filter(char::is_ascii_digit).collect::<String>();
    let has_same_number = numbers(one.0) == numbers(other.0) && !numbers(one.0).is_empty();
    if has_same_number || !are_made_of_names(records, [(left, one.0), (right, other.0)], pattern) {
        return pattern;
    }
    // A slip does not make another domain.
    let is_one_domain = slips([one.1, other.1].map(Spelled::new), MOST_SLIPS).is_some();
    let level = if is_one_domain { NAMED_WITHIN_DOMAIN } else { NAMED };
    pattern & !(15 << (4 * field)) | Pattern::from(level) << (4 * field)
}

/// Whether the e-mails of two people are made of their names: both, or one of them where a slip may be the reason that the other is
/// not. So equal ones never say less than nearly equal ones.
fn are_made_of_names(records: &Records, emails: [(Record, &str); 2], pattern: Pattern) -> bool {
    let [one, other] = emails.map(|(record, name)| is_made_of_names(records, record, name));
    let may_be_same = |(at, field): (usize, &Field)| {
        field.kind != Kind::PersonName || level_of(pattern, at) < DIFFERENT || level_of(pattern, at) >= SAME_NAME
    };
    one && other || (one || other) && records.fields().iter().enumerate().all(may_be_same)
}

/// Whether all letters of the name before the @ are of the names of the person: "ann.lee", "alee", "lee".
fn is_made_of_names(records: &Records, record: Record, name: &str) -> bool {
    let names = records.fields().iter().filter(|field| field.kind == Kind::PersonName);
    let mut words: Vec<&str> =
        names.filter_map(|field: &Field| field.text(record)).flat_map(|text| text.split(' ')).collect();
    words.sort_unstable_by_key(|word| std::cmp::Reverse(word.len()));
    let mut left: String = name.chars().filter(|c| c.is_alphabetic()).collect();
    let whole = left.chars().count();
    for word in words.iter().filter(|word| word.len() > 1) {
        left = left.replacen(word, "", 1);
    }
    // An initial may stay.
    left.chars().count() <= 1 && left.chars().count() < whole
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::config::{ColumnConfig, Config};
    use crate::link::measure::compare;
    use crate::table::Table;

    fn level(rows: [[&str; 3]; 2]) -> Level {
        let names = ["given", "family", "mail"];
        let mut table = Table::new(names);
        rows.iter().for_each(|row| table.push(row).unwrap());
        let kinds = [Kind::PersonName, Kind::PersonName, Kind::Email];
        let column = |(name, kind): (&str, Kind)| ColumnConfig {
            name: name.to_owned(),
            kind,
            why: String::new(),
            ..ColumnConfig::default()
        };
        let columns = names.into_iter().zip(kinds).map(column).collect();
        let records = Records::prepare(&table, None, &Config { columns, ..Config::default() }).unwrap();
        level_of(compare(&records, Record(0), Record(1)), 2)
    }

    #[test]
    fn a_name_at_another_provider_says_no_more_than_the_name() {
        assert_eq!(level([["Ann", "Lee", "ann.lee@old.org"], ["Ann", "Lee", "ann.lee@post.com"]]), NAMED);
        assert_eq!(level([["Ann", "Miller", "amiller84@old.org"], ["Ann", "Miller", "amiller84@post.com"]]), 7);
        assert_eq!(level([["Ann", "Lee", "sunnygirl@old.org"], ["Ann", "Lee", "sunnygirl@post.com"]]), 7);
    }

    #[test]
    fn an_email_made_of_the_name_says_what_its_domain_does() {
        let within = NAMED_WITHIN_DOMAIN;
        assert_eq!(level([["Ann", "Lee", "ann.lee@post.com"], ["Ann", "Lee", "ann.lee@post.com"]]), within);
        assert_eq!(level([["Ann", "Lee", "ann.lee@post.com"], ["Ann", "Leee", "ann.lee@post.com"]]), within);
        assert_eq!(level([["Ann", "Lee", "ann.lee@post.com"], ["Ann", "Lee", "axn.lxee@post.com"]]), within);
        assert_eq!(level([["Ann", "Miller", "amiller57@post.com"], ["Ann", "Miller", "amiller84@post.com"]]), within);
        // Who has the e-mail of another name had that name once.
        assert_eq!(level([["Ann", "Lee", "ann.lee@post.com"], ["Ann", "Brown", "ann.lee@post.com"]]), 9);
        assert_eq!(level([["Ann", "Lee", "ann.lee57@post.com"], ["Ann", "Lee", "ann.lee57@post.com"]]), 9);
        assert_eq!(level([["Ann", "Lee", "sunnygirl@post.com"], ["Ann", "Lee", "sunnygirl@post.com"]]), 9);
    }
}
