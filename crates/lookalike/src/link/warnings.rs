//! What a user should know before trusting the matches, in sentences.

use std::collections::HashMap;

use lookalike_core::ids::Record;
use lookalike_core::link::score::Scored;
use lookalike_core::link::validate::Validation;
use lookalike_core::link::weigh::Learned;

use super::Linking;

/// Matches per record from which on it is more than anybody has duplicates.
const MOST_A_RECORD: f64 = 5.0;

/// The share of matched records with several matches from which on one match per record may be wanted.
const MANY: f64 = 0.2;

pub(super) fn of(
    linking: &Linking,
    matches: &[Scored],
    one_to_one: bool,
    validation: Option<&Validation>,
) -> Vec<String> {
    let mut warnings = Vec::new();
    if linking.model.learned == Learned::FromSurePairs {
        warnings.push(
            "few records have a match, so the weights are mostly the usual ones; \
             the option model takes those of a similar table, and expect the share of records with a match"
                .to_owned(),
        );
    }
    let expected = linking.model.match_count;
    if expected > MOST_A_RECORD * linking.records.count() as f64 {
        warnings.push(format!(
            "{expected:.0} matches are expected, more than is credible: have some explained, \
             or give the share of records that have a match by the option expect"
        ));
    }
    if linking.records.are_of_two_tables() && !one_to_one && several(matches) >= MANY {
        warnings.push(
            "many records have several matches in the other table: if each can have one only, use the option one-to-one"
                .to_owned(),
        );
    }
    if validation.is_some_and(Validation::is_without_evidence) {
        warnings.push(
            "no evidence that these are matches: in the column to validate by, sure matches differ as much as random pairs"
                .to_owned(),
        );
    }
    warnings
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
