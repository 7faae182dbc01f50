//! Warnings that a user should read before trusting the matches, as sentences with the options that help.

use std::collections::HashMap;

use lookalike_core::ids::Record;
use lookalike_core::link::choose::identifying_left_out;
use lookalike_core::link::config::{Config, Kind};
use lookalike_core::link::measure::{DIFFERENT, Scale, level_of};
use lookalike_core::link::records::Tells;
use lookalike_core::link::score::Scored;
use lookalike_core::link::validate::Validation;
use lookalike_core::link::weigh::Learned;
use lookalike_core::remedy::{BareNames, JobOption, Remedy, Spelling, in_words};
use serde::{Serialize, Serializer};

use super::Linking;
use super::tables::{Tables, has_dates};

/// Number of matches per record above which they are unlikely to be duplicates.
const MOST_A_RECORD: f64 = 5.0;

/// Minimum share of matched records with several matches at which one match per record may be wanted.
const MANY: f64 = 0.2;

/// Share of matches with other given names above which they may be relatives.
const MOST_OTHER_NAMES: f64 = 0.5;

/// Minimum score of names that are more similar than different.
const ALIKE: u8 = 50;

/// Warning that a user should read before trusting the matches. In JSON, a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkWarning {
    message: String,
    remedies: Vec<Remedy>,
}

impl LinkWarning {
    fn new(message: impl Into<String>, remedies: impl Into<Vec<Remedy>>) -> Self {
        Self { message: message.into(), remedies: remedies.into() }
    }

    /// The sentence, with the options that help as a front end spells them.
    pub fn message(&self, spelling: &impl Spelling) -> String {
        match in_words(&self.remedies, spelling) {
            Some(remedies) => format!("{}; {remedies}", self.message),
            None => self.message.clone(),
        }
    }
}

impl Serialize for LinkWarning {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.message(&BareNames))
    }
}

/// Warnings about the tables themselves.
pub(super) fn of_tables(tables: &Tables, config: &Config) -> Vec<LinkWarning> {
    let mut warnings = Vec::new();
    let mut compared = config.columns.iter().filter(|column| column.kind != Kind::Ignored);
    if let (Some(only), None) = (compared.next(), compared.next())
        && tables.are_several()
    {
        warnings.push(LinkWarning::new(
            format!(
                "the tables have only one column in common that is compared, {}: give other columns their other_name in link.toml",
                only.name
            ),
            [Remedy::give(JobOption::Config)],
        ));
    }
    if let [Some(first), Some(second)] = dates_without_partner(tables, config) {
        warnings.push(LinkWarning::new(
            format!(
                "both tables have a date without a partner, {first} and {second}: if they mean the same, give {first} the other_name {second} in link.toml"
            ),
            [Remedy::give(JobOption::Config)],
        ));
    }
    let sheets: Vec<String> =
        tables.all().flat_map(|table| &table.other_sheets).map(|(file, sheet)| format!("{sheet} of {file}")).collect();
    if !sheets.is_empty() {
        warnings.push(LinkWarning::new(
            format!("only the first sheet of a workbook is read, and not {}", sheets.join(", ")),
            [],
        ));
    }
    warnings
}

/// The first column of dates of each table that the other table has not.
fn dates_without_partner(tables: &Tables, config: &Config) -> [Option<String>; 2] {
    let (first, Some(second)) = tables.both() else { return [None, None] };
    let ids = config.ids();
    let is_alone = |name: &str, side: usize| {
        let of_column =
            config.columns.iter().find(|column| [column.name.as_str(), column.name_in_second()][side] == name);
        let (name_in_first, name_in_second) =
            of_column.map_or((name, name), |column| (&column.name, column.name_in_second()));
        ids[side] != Some(name) && (first.find(name_in_first).is_err() || second.find(name_in_second).is_err())
    };
    [(first, 0), (second, 1)].map(|(table, side)| {
        let mut columns = table.names().iter().enumerate();
        let found = columns.find(|(at, name)| is_alone(name, side) && has_dates(table.column(*at)));
        found.map(|(_, name)| name.clone())
    })
}

/// Warnings about the learned weights and the matches.
pub(super) fn of(
    linking: &Linking,
    config: &Config,
    matches: &[Scored],
    validation: Option<&Validation>,
) -> Vec<LinkWarning> {
    let mut warnings = Vec::new();
    if linking.model.learned == Learned::FromSurePairs {
        warnings.push(LinkWarning::new(
            "few records have a match, so the weights are mostly the usual ones",
            [JobOption::Model, JobOption::Expect, JobOption::Labels].map(Remedy::give),
        ));
    }
    let expected = linking.model.match_count;
    if expected > MOST_A_RECORD * linking.records.count() as f64 {
        warnings.push(LinkWarning::new(
            format!("{expected:.0} matches are expected, more than is credible: have some explained"),
            [Remedy::give(JobOption::Expect)],
        ));
    }
    if linking.records.are_of_two_tables() && !config.one_to_one && several(matches) >= MANY {
        warnings.push(LinkWarning::new(
            "many records have several matches in the other table, which may allow one only",
            [Remedy::give(JobOption::OneToOne)],
        ));
    }
    let left_out = identifying_left_out(config);
    if !left_out.is_empty() {
        warnings.push(LinkWarning::new(
            format!(
                "columns that may tell records apart are not compared, since others tell more: {}; \
                 to have them compared, set the kinds of others to ignored in link.toml",
                left_out.join(", ")
            ),
            [Remedy::give(JobOption::Config)],
        ));
    }
    if other_names(linking, matches) > MOST_OTHER_NAMES {
        warnings.push(LinkWarning::new(
            "most matches share everything but the given name: they may be relatives, so have some explained",
            [],
        ));
    }
    if validation.is_some_and(Validation::is_without_evidence) {
        warnings.push(LinkWarning::new(
            "no evidence that these are matches: in the column to validate by, sure matches differ as much as random pairs",
            [],
        ));
    }
    warnings
}

/// The share of matches whose given names, or whole names, are those of two people.
fn other_names(linking: &Linking, matches: &[Scored]) -> f64 {
    let fields = linking.records.fields();
    let names: Vec<usize> = (0..fields.len()).filter(|at| fields[*at].tells == Tells::Name).collect();
    let is_other = |found: &&Scored| {
        let levels = names.iter().map(|at| (level_of(found.pattern, *at), Scale::of(fields[*at].kind)));
        levels.into_iter().any(|(level, scale)| level >= DIFFERENT && scale.level(level).points < ALIKE)
    };
    matches.iter().filter(is_other).count() as f64 / matches.len().max(1) as f64
}

/// The share of records with a match that have more than one.
fn several(matches: &[Scored]) -> f64 {
    let mut counts: HashMap<Record, u32> = HashMap::new();
    for pair in matches {
        *counts.entry(pair.left).or_default() += 1;
        *counts.entry(pair.right).or_default() += 1;
    }
    let several = counts.values().filter(|count| **count > 1).count();
    several as f64 / counts.len().max(1) as f64
}
