//! E-mail addresses that are built from the names of their owners: everyone with the same name has a similar one.

use super::name::ALIKE as ALIKE_NAMES;
use super::plain::{Spelled, parts_of_email, slips};
use super::{DIFFERENT, Level, Pattern, level_of};
use crate::ids::Record;
use crate::link::config::Kind;
use crate::link::records::{Field, Records};

/// The level of e-mails of one domain.
pub(in crate::link) const SAME_DOMAIN: Level = 3;

/// Levels of e-mail addresses that are similar because the names are, and of those within one domain.
pub(in crate::link) const NAMED: Level = 4;
pub(in crate::link) const NAMED_WITHIN_DOMAIN: Level = 5;

/// Maximum number of edits: more make a different domain.
const MOST_SLIPS: usize = 2;

/// Levels of e-mail addresses that are similar or equal.
const ALIKE: std::ops::RangeInclusive<Level> = 6..=9;

/// Corrects the pattern if the e-mail addresses are similar only because the names of the two people are.
pub(super) fn with_named(records: &Records, left: Record, right: Record, field: usize, pattern: Pattern) -> Pattern {
    if !ALIKE.contains(&level_of(pattern, field)) {
        return pattern;
    }
    let parts = |record: Record| records.fields()[field].text(record).map_or(("", ""), parts_of_email);
    let [one, other] = [left, right].map(parts);
    // A number after the name distinguishes people with the same name, and is equal for the same person.
    let numbers = |name: &str| name.chars().filter(char::is_ascii_digit).collect::<String>();
    let has_same_number = numbers(one.0) == numbers(other.0) && !numbers(one.0).is_empty();
    if has_same_number || !are_made_of_names(records, [(left, one.0), (right, other.0)], pattern) {
        return pattern;
    }
    // A typing error does not make a different domain.
    let is_one_domain = slips([one.1, other.1].map(Spelled::new), MOST_SLIPS).is_some();
    let level = if is_one_domain { NAMED_WITHIN_DOMAIN } else { NAMED };
    pattern & !(15 << (4 * field)) | Pattern::from(level) << (4 * field)
}

/// True if the e-mail addresses of two people are built from their names: both, or only one if the other may fail
/// because of a typing error. Equal names therefore never say less than nearly equal ones.
fn are_made_of_names(records: &Records, emails: [(Record, &str); 2], pattern: Pattern) -> bool {
    let [one, other] = emails.map(|(record, name)| is_made_of_names(records, record, name));
    let may_be_same = |(at, field): (usize, &Field)| {
        field.kind != Kind::PersonName || level_of(pattern, at) < DIFFERENT || level_of(pattern, at) >= ALIKE_NAMES
    };
    one && other || (one || other) && records.fields().iter().enumerate().all(may_be_same)
}

/// True if all letters of the name before the @ come from the names of the person: "ann.lee", "alee", "lee".
fn is_made_of_names(records: &Records, record: Record, name: &str) -> bool {
    let names = records.fields().iter().filter(|field| field.kind == Kind::PersonName);
    let mut words: Vec<&str> =
        names.filter_map(|field: &Field| field.text(record)).flat_map(|text| text.split(' ')).collect();
    words.sort_unstable_by_key(|word| std::cmp::Reverse(word.len()));
    let letters: String = name.chars().filter(|c| c.is_alphabetic()).collect();
    if is_made_of(&letters, words.iter().copied()) {
        return true;
    }
    // An address has no umlauts, and hardly any non-Latin letters.
    let spelled: Vec<String> = words.iter().map(|word| latin(word)).collect();
    is_made_of(&latin(&letters), spelled.iter().map(String::as_str))
}

/// True if removing the words from the letters leaves at most an initial.
fn is_made_of<'a>(letters: &str, words: impl Iterator<Item = &'a str>) -> bool {
    let whole = letters.chars().count();
    let mut left = letters.to_owned();
    for word in words.filter(|word| word.chars().count() > 1) {
        left = left.replacen(word, "", 1);
    }
    left.chars().count() <= 1 && left.chars().count() < whole
}

/// Greek and Cyrillic letters with their Latin transcriptions.
const LETTERS: [(char, &str); 57] = [
    ('а', "a"),
    ('б', "b"),
    ('в', "v"),
    ('г', "g"),
    ('д', "d"),
    ('е', "e"),
    ('ё', "e"),
    ('ж', "zh"),
    ('з', "z"),
    ('и', "i"),
    ('й', "y"),
    ('к', "k"),
    ('л', "l"),
    ('м', "m"),
    ('н', "n"),
    ('о', "o"),
    ('п', "p"),
    ('р', "r"),
    ('с', "s"),
    ('т', "t"),
    ('у', "u"),
    ('ф', "f"),
    ('х', "kh"),
    ('ц', "ts"),
    ('ч', "ch"),
    ('ш', "sh"),
    ('щ', "shch"),
    ('ъ', ""),
    ('ы', "y"),
    ('ь', ""),
    ('э', "e"),
    ('ю', "yu"),
    ('я', "ya"),
    ('α', "a"),
    ('β', "v"),
    ('γ', "g"),
    ('δ', "d"),
    ('ε', "e"),
    ('ζ', "z"),
    ('η', "i"),
    ('θ', "th"),
    ('ι', "i"),
    ('κ', "k"),
    ('λ', "l"),
    ('μ', "m"),
    ('ν', "n"),
    ('ξ', "x"),
    ('ο', "o"),
    ('π', "p"),
    ('ρ', "r"),
    ('σ', "s"),
    ('ς', "s"),
    ('τ', "t"),
    ('υ', "y"),
    ('φ', "f"),
    ('χ', "ch"),
    ('ω', "o"),
];

/// Transcribes a name to Latin letters, with one form for umlauts: "müller" has lost its dots in the normalized value,
/// and "mueller" loses its "e" here.
fn latin(text: &str) -> String {
    let spelled: String = text
        .chars()
        .map(|c| match LETTERS.iter().find(|(letter, _)| *letter == c) {
            Some((_, spelled)) => (*spelled).to_owned(),
            None => c.to_string(),
        })
        .collect();
    ["ae", "oe", "ue"].iter().fold(spelled, |text, two| text.replace(two, &two[..1]))
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
        assert_eq!(
            level([["Jörg", "Müller", "joerg.mueller@post.com"], ["Jörg", "Müller", "j.mueller@post.com"]]),
            within
        );
        assert_eq!(
            level([["Иван", "Петров", "ivan.petrov@post.com"], ["Иван", "Петров", "ivan.petrov@post.com"]]),
            within
        );
        // A person with the e-mail address of another name had that name once.
        assert_eq!(level([["Ann", "Lee", "ann.lee@post.com"], ["Ann", "Brown", "ann.lee@post.com"]]), 9);
        assert_eq!(level([["Ann", "Lee", "ann.lee57@post.com"], ["Ann", "Lee", "ann.lee57@post.com"]]), 9);
        assert_eq!(level([["Ann", "Lee", "sunnygirl@post.com"], ["Ann", "Lee", "sunnygirl@post.com"]]), 9);
    }
}
