//! Patterns to weights: how much each level of each field speaks for a match, estimated without labels.
//!
//! Fellegi and Sunter (1969): a level that has the share m among matches and u among other pairs adds log2(m / u), and a
//! missing value adds nothing. Note that the sum is bounded in two places, where fields do not
//! speak independently of each other; see [`Model::together`].

mod credible;
mod estimate;
mod frequency;
mod sample;
mod sure;

use std::convert::Infallible;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

pub use frequency::Frequencies;
pub(super) use sample::random_pairs;

use super::config::{Config, Kind};
use super::key::Candidates;
use super::measure::{AT_ONCE, Pattern, Scale, compare, level_of, look_ahead};
use super::records::{MOST_FIELDS, Records, Tells};
use crate::error::{Error, Result};
use crate::ids::Record;

/// What the fields of a pair say.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Model {
    /// The logarithm of the odds that a random pair is a match.
    pub prior: f64,
    /// How many matches there are, as far as can be told.
    pub match_count: f64,
    /// What the weights were learned from.
    #[serde(default)]
    pub learned: Learned,
    /// The fields in their order.
    pub fields: Vec<FieldModel>,
}

/// What is known of the matches before any pair was seen.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Known {
    /// The share of records that have a match; of the smaller table, where there are two.
    pub share: Option<f64>,
}

impl Known {
    /// How many matches there are, if that is known: in one table, a match makes one record of two superfluous.
    fn match_count(self, records: &Records) -> Option<f64> {
        let (first, second) = (records.first_count(), records.count() - records.first_count());
        let whole = if records.are_of_two_tables() { first.min(second) } else { first };
        self.share.map(|share| share * whole as f64)
    }
}

/// What weights were learned from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Learned {
    /// All pairs that may be matches.
    #[default]
    FromAllPairs,
    /// Pairs that are sure, and what is usual in most data: there are too few matches for more.
    FromSurePairs,
    /// Another table.
    FromAnother,
}

/// What one field says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FieldModel {
    /// Its column.
    pub name: String,
    /// What its values are.
    pub kind: Kind,
    /// Whom or what its values tell apart.
    pub tells: Tells,
    /// The share of each level among matches, of the pairs where no value is missing.
    pub among_matches: Vec<f64>,
    /// The share among other pairs.
    pub among_others: Vec<f64>,
    /// What each level adds.
    pub weights: Vec<f64>,
}

/// What each field of a pair says, the first field first.
pub type Said = [f64; MOST_FIELDS];

/// How far over even odds one field can bring a pair alone: to a probability of two thirds. Whoever has the same
/// birthday, phone or e-mail, and nothing else that agrees, is somebody near.
const ALONE: f64 = 1.0;

/// How far the fields of a household can bring it together. They belong to each other: who has the one in common, has
/// the others.
const HOUSEHOLD: f64 = 1.0;

const HALF: f64 = 0.5;

/// What a long text, a category or a price can add or take. It tells what something is like, and related things are alike.
const LIKENESS: f64 = 3.0;

impl Model {
    /// What the fields say together. A sum, but
    ///
    /// - no field alone makes a match, unless it is the name or title by which a thing is called;
    /// - address, phone and family name together make none either: they tell the household, the building, the head office;
    /// - what only says what something is like says little.
    pub fn together(&self, said: &Said) -> f64 {
        let (mut household, mut best, mut rest) = (0.0, 0.0_f64, 0.0);
        for (field, weight) in self.fields.iter().zip(said) {
            match field.tells {
                Tells::Thing => rest += weight,
                Tells::Likeness => rest += weight.clamp(-LIKENESS, LIKENESS),
                Tells::Household if *weight > 0.0 => {
                    household += weight;
                    best = best.max(*weight);
                }
                Tells::Household | Tells::Person => rest += weight.min(ALONE - self.prior),
            }
        }
        // Who has the one in common, has the others: after the best, each adds half.
        f64::min(best + HALF * (household - best), HOUSEHOLD - self.prior) + rest
    }

    /// Checks that it is of such records: a model that was kept may be of other columns, of another version, or edited.
    ///
    /// # Errors
    ///
    /// [`Error::OtherFields`] when the columns that are compared are not the same, [`Error::OtherLevels`] when a field does not
    /// have a number for each of its levels.
    pub fn check(&self, records: &Records) -> Result<()> {
        let here: Vec<String> =
            records.fields().iter().map(|field| format!("{} ({})", field.name, field.kind)).collect();
        let there: Vec<String> = self.fields.iter().map(|field| format!("{} ({})", field.name, field.kind)).collect();
        if here != there {
            return Err(Error::OtherFields { here: here.join(", "), there: there.join(", ") });
        }
        let is_whole = |field: &&FieldModel| {
            let lists = [&field.among_matches, &field.among_others, &field.weights];
            lists.iter().all(|list| list.len() == Scale::of(field.kind).len())
        };
        match self.fields.iter().find(|field| !is_whole(field)) {
            None => Ok(()),
            Some(field) => Err(Error::OtherLevels { column: field.name.clone() }),
        }
    }

    /// Takes what a person wrote for what was learned.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchLevel`] for a weight of a level that the column's kind does not have.
    pub fn set_by_hand(&mut self, config: &Config) -> Result<()> {
        self.prior = config.prior.unwrap_or(self.prior);
        for field in &mut self.fields {
            let column = config.columns.iter().find(|column| column.name == field.name);
            for (name, weight) in column.into_iter().flat_map(|column| &column.weights) {
                let scale = Scale::of(field.kind);
                let names = (0..scale.len()).map(|level| scale.level(level as u8).name);
                let Some(level) = names.clone().position(|level| level == name) else {
                    let levels = names.collect::<Vec<_>>().join(", ");
                    return Err(Error::NoSuchLevel { column: field.name.clone(), level: name.clone(), levels });
                };
                field.weights[level] = *weight;
            }
        }
        Ok(())
    }

    /// The logarithm of the odds that a pair of this pattern is a match, where values are of average rarity.
    pub fn weight(&self, pattern: Pattern) -> f64 {
        let mut said = [0.0; MOST_FIELDS];
        for (at, (field, said)) in self.fields.iter().zip(&mut said).enumerate() {
            *said = field.weights[usize::from(level_of(pattern, at))];
        }
        self.prior + self.together(&said)
    }
}

/// The probability that belongs to a logarithm of odds.
pub fn probability(weight: f64) -> f64 {
    1.0 / (1.0 + (-weight).exp2())
}

/// A weight with 20 binary places: sums of such are exact, so that neither the order of fields nor that of rows is seen in
/// them.
pub(super) fn exact_weight(weight: f64) -> f64 {
    const PLACES: f64 = (1_u64 << 20) as f64;
    (weight * PLACES).round() / PLACES
}

/// A probability with 24 binary places, of which as many as there are pairs can be added exactly.
fn exact_probability(weight: f64) -> f64 {
    const PLACES: f64 = (1_u64 << 24) as f64;
    (probability(weight) * PLACES).round() / PLACES
}

/// The logarithm of the odds that belongs to a probability.
pub fn log_odds(probability: f64) -> f64 {
    (probability / (1.0 - probability)).log2()
}

/// Compares all candidates, in their order.
pub fn compare_all(records: &Records, candidates: &Candidates) -> Vec<Pattern> {
    let Ok(patterns) = try_compare_all(records, candidates, || Ok::<(), Infallible>(()));
    patterns
}

/// The same; `go_on` is asked every few pairs.
///
/// # Errors
///
/// An error of `go_on`, which ends the comparison.
pub fn try_compare_all<E: Send>(
    records: &Records,
    candidates: &Candidates,
    go_on: impl Fn() -> std::result::Result<(), E> + Sync,
) -> std::result::Result<Vec<Pattern>, E> {
    let mut patterns = vec![0; candidates.len()];
    patterns.par_chunks_mut(AT_ONCE).enumerate().try_for_each(|(chunk, patterns)| {
        go_on()?;
        let pairs: Vec<(Record, Record)> =
            (chunk * AT_ONCE..).take(patterns.len()).map(|at| candidates.pair(at)).collect();
        look_ahead(records, &pairs);
        for (pattern, (left, right)) in patterns.iter_mut().zip(pairs) {
            *pattern = compare(records, left, right);
        }
        Ok(())
    })?;
    Ok(patterns)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(kinds: &[Kind]) -> Model {
        let field = |kind: &Kind| FieldModel {
            name: kind.to_string(),
            kind: *kind,
            tells: Tells::of(*kind),
            among_matches: Vec::new(),
            among_others: Vec::new(),
            weights: Vec::new(),
        };
        Model { prior: -10.0, match_count: 1.0, learned: Learned::default(), fields: kinds.iter().map(field).collect() }
    }

    /// Whether the kinds say so much together, with a prior of -10.
    fn say(kinds: &[Kind], weights: &[f64], expected: f64) -> bool {
        let mut said = [0.0; MOST_FIELDS];
        said[..weights.len()].copy_from_slice(weights);
        (model(kinds).together(&said) - expected).abs() < 1e-12
    }

    #[test]
    fn no_field_alone_makes_a_match_but_two_do() {
        let kinds = [Kind::Email, Kind::Date];
        assert!(say(&kinds, &[20.0, 0.0], 11.0));
        assert!(say(&kinds, &[20.0, -5.0], 6.0));
        assert!(say(&kinds, &[20.0, 9.0], 20.0));
    }

    #[test]
    fn a_place_and_its_phone_do_not_make_two_names_one() {
        let kinds = [Kind::Organization, Kind::Address, Kind::Phone];
        assert!(say(&kinds, &[-4.0, 15.0, 18.0], 7.0));
        assert!(say(&kinds, &[9.0, 15.0, 18.0], 20.0));
        assert!(say(&kinds, &[9.0, -3.0, 18.0], 17.0));
    }

    #[test]
    fn odds_and_probability_belong_together() {
        for probable in [0.01, 0.3, 0.5, 0.999] {
            assert!((probability(log_odds(probable)) - probable).abs() < 1e-12);
        }
    }
}
