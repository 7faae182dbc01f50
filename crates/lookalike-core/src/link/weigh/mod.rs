//! Patterns to weights: how much each level of each field speaks for a match, estimated without labels.
//!
//! Fellegi and Sunter (1969): a level that has the share m among matches and u among other pairs adds log2(m / u), and a
//! missing value adds nothing. Note that the sum is bounded in two places, where fields do not
//! speak independently of each other; see [`Model::together`].

mod credible;
mod estimate;
mod frequency;
mod relatives;
mod sample;
mod sure;

use std::convert::Infallible;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

pub use frequency::Frequencies;
pub(super) use sample::random_pairs;

use super::config::{Config, Kind};
use super::key::Candidates;
use super::measure::{AT_ONCE, Pattern, Scale, TWO_PEOPLE, compare, level_of, look_ahead};
use super::records::{MOST_FIELDS, Records, Tells};
use crate::error::{Error, Result};
use crate::ids::Record;

/// Weights of the fields of a pair.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Model {
    /// The logarithm of the odds that a random pair is a match.
    pub prior: f64,
    /// Estimated number of matches.
    pub match_count: f64,
    /// Source of the weights.
    #[serde(default)]
    pub learned: Learned,
    /// Logarithms of the odds that records that share a household are one person, by how much of it they share.
    #[serde(default)]
    pub relatives: Vec<f64>,
    /// The fields in their order.
    pub fields: Vec<FieldModel>,
}

/// Knowledge about the matches before any pair is seen.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Known {
    /// The share of records that have a match; of the smaller table, where there are two.
    pub share: Option<f64>,
}

impl Known {
    /// Number of matches, if it is known: in one table, a match consists of two records.
    fn match_count(self, records: &Records) -> Option<f64> {
        let (first, second) = (records.first_count(), records.count() - records.first_count());
        let most = if records.are_of_two_tables() { first.min(second) as f64 } else { first as f64 / 2.0 };
        self.share.map(|share| share * most)
    }
}

/// Source that weights were learned from.
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

/// Weights of one field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FieldModel {
    /// Its column.
    pub name: String,
    /// Kind of its values.
    pub kind: Kind,
    /// Kind of person or thing that its values distinguish.
    pub tells: Tells,
    /// The share of each level among matches, of the pairs where no value is missing.
    pub among_matches: Vec<f64>,
    /// The share among other pairs.
    pub among_others: Vec<f64>,
    /// Weight that each level adds.
    pub weights: Vec<f64>,
    /// Factor that was learned from labels: the weights are multiplied by it.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub factor: f64,
}

fn one() -> f64 {
    1.0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_one(factor: &f64) -> bool {
    (factor - 1.0).abs() < f64::EPSILON
}

/// Weight of each field of a pair, the first field first.
pub type Said = [f64; MOST_FIELDS];

/// Maximum logarithm of the odds of a pair by one field alone: a probability of two thirds. Somebody with the same
/// birthday, phone or e-mail, and nothing else that agrees, is a relative, a neighbor or the like.
const ALONE: f64 = 1.0;

/// Maximum logarithm of the odds of two things by the fields of a building. These fields depend on each other: things
/// that share one of them share the others.
const HOUSEHOLD: f64 = 1.0;

/// The same for people without a known name: relatives share all of these fields, which alone give less than even odds.
const NAMELESS: f64 = -1.0;

/// Factor of all but the strongest of several fields that depend on each other.
const HALF: f64 = 0.5;

/// The same for evidence against a match: somebody who moved has another street, another city and another postcode.
const MOVED: f64 = 0.25;

/// Maximum logarithm of the odds of names that belong to two people: a probability of 0.4 %.
const TWO_NAMES: f64 = -8.0;

/// Minimum weight of equal numbers of a person that overrule different names.
const OVERRULES: f64 = 10.0;

/// Maximum weight of a long text, a category or a price, for or against. It describes a thing, and related things are
/// similar.
const LIKENESS: f64 = 3.0;

impl Model {
    /// Weight of all fields together. It is their sum, but
    ///
    /// - no field alone makes a match, unless it is the name or title by which a thing is called;
    /// - address, phone and family name together make none either: they identify a household, a building or an office;
    /// - a field that only describes a thing weighs little;
    /// - a move is one event, though it changes street, city and postcode.
    pub fn together(&self, said: &Said) -> f64 {
        self.sum(said, self.most_of_household(self.household(said)))
    }

    /// The sum, in which the logarithm of the odds of two people of one name is at most `of_people` by their household.
    fn sum(&self, said: &Said, of_people: f64) -> f64 {
        let (mut rest, mut moved, mut worst) = (0.0, 0.0, 0.0_f64);
        let (mut are_people, mut are_named) = (false, false);
        for (field, weight) in self.fields.iter().zip(said) {
            match field.tells {
                Tells::Thing => rest += weight,
                Tells::Likeness => rest += weight.clamp(-LIKENESS, LIKENESS),
                Tells::Household if *weight > 0.0 => {}
                Tells::Household if field.is_of_place() => {
                    moved += weight;
                    worst = worst.min(*weight);
                }
                Tells::Household | Tells::Person | Tells::Model | Tells::Name => rest += weight.min(ALONE - self.prior),
            }
            are_people |= field.tells == Tells::Name;
            are_named |= field.tells == Tells::Name && *weight > 0.0;
        }
        let most = match (are_people, are_named) {
            (false, _) => HOUSEHOLD,
            (true, true) => of_people,
            (true, false) if of_people > HOUSEHOLD => HOUSEHOLD,
            (true, false) => of_people.min(NAMELESS),
        };
        let after_worst = if are_people { MOVED } else { 1.0 };
        self.household(said).min(most - self.prior) + worst + after_worst * (moved - worst) + rest
    }

    /// Weight of a shared household. Records that share one of its fields share the others: after the best, each adds
    /// half.
    fn household(&self, said: &Said) -> f64 {
        let (mut household, mut best) = (0.0, 0.0_f64);
        for (field, weight) in self.fields.iter().zip(said) {
            if field.tells == Tells::Household && *weight > 0.0 {
                household += weight;
                best = best.max(*weight);
            }
        }
        best + HALF * (household - best)
    }

    /// Logarithm of the odds of a pair, by its fields and the odds of a random pair. Different names are those of two
    /// people, whatever else they share: only equal numbers of a person overrule them. Twins have the same birthday.
    pub fn total(&self, pattern: Pattern, said: &Said) -> f64 {
        self.unless_two(pattern, said, self.prior + self.together(said))
    }

    /// Agreement of two records whose clusters may be joined because of other pairs. A shared household is no reason
    /// for doubt then; only different names are.
    pub(super) fn agreement(&self, pattern: Pattern, said: &Said) -> f64 {
        self.unless_two(pattern, said, self.prior + self.sum(said, HOUSEHOLD)) - self.prior
    }

    /// The weight, unless the names are those of two people.
    fn unless_two(&self, pattern: Pattern, said: &Said, weight: f64) -> f64 {
        let is_two = |(at, field): (usize, &FieldModel)| {
            field.tells == Tells::Name && TWO_PEOPLE.contains(&level_of(pattern, at))
        };
        let are_two = weight > TWO_NAMES && self.fields.iter().enumerate().any(is_two);
        // Where nobody has relatives, a name is misspelled beyond recognition.
        let have_relatives = || self.most_of_household(self.household(said)) <= HOUSEHOLD;
        if are_two && have_relatives() && self.numbers(pattern, said) < OVERRULES.min(-self.prior - 1.0) {
            TWO_NAMES
        } else {
            weight
        }
    }

    /// Weight of equal or nearly equal numbers of a person, and of an e-mail together with a birthday.
    fn numbers(&self, pattern: Pattern, said: &Said) -> f64 {
        /// Minimum points of values that are as good as equal.
        const NEARLY: u8 = 75;
        let equal = |kind: Kind| -> f64 {
            let is_equal = |(at, field): &(usize, &FieldModel)| {
                field.kind == kind
                    && field.tells == Tells::Person
                    && Scale::of(kind).level(level_of(pattern, *at)).points >= NEARLY
            };
            self.fields.iter().enumerate().filter(is_equal).map(|(at, _)| said[at].max(0.0)).sum()
        };
        let (email, date) = (equal(Kind::Email), equal(Kind::Date));
        equal(Kind::Code) + if email > 0.0 && date > 0.0 { email + date } else { 0.0 }
    }

    /// Checks that it fits these records: a saved model may be for other columns, of another version, or edited.
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

    /// Replaces learned weights by those that a person wrote.
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
            *said = field.weight(usize::from(level_of(pattern, at)));
        }
        self.total(pattern, &said)
    }
}

impl FieldModel {
    /// Weight of a level for values of average rarity, after learning from labels.
    pub fn weight(&self, level: usize) -> f64 {
        exact_weight(self.weights[level] * self.factor)
    }

    /// True if it says where somebody lives, or a part of it.
    fn is_of_place(&self) -> bool {
        self.tells == Tells::Household && matches!(self.kind, Kind::Address | Kind::Code | Kind::Number)
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
            factor: 1.0,
        };
        Model {
            prior: -10.0,
            match_count: 1.0,
            learned: Learned::default(),
            relatives: Vec::new(),
            fields: kinds.iter().map(field).collect(),
        }
    }

    /// True if fields of these kinds weigh `expected` together, with a prior of -10.
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
