//! Patterns to weights: how much each level of each field speaks for a match, estimated without labels.
//!
//! Fellegi and Sunter (1969): a level that has the share m among matches and u among other pairs adds log2(m / u), and a
//! missing value adds nothing. What a reader would get wrong: the sum is bounded in two places, where fields do not
//! speak independently of each other; see [`Model::together`].

mod estimate;
mod frequency;
mod sample;

use std::convert::Infallible;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

pub use frequency::Frequencies;
pub(super) use sample::random_pairs;

use super::config::Kind;
use super::key::Candidates;
use super::measure::{Pattern, compare, level_of};
use super::records::{MOST_FIELDS, Records, Tells};

/// What the fields of a pair say.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Model {
    /// The logarithm of the odds that a random pair is a match.
    pub prior: f64,
    /// How many matches there are, as far as can be told.
    pub match_count: f64,
    /// The fields in their order.
    pub fields: Vec<FieldModel>,
}

/// What one field says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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

/// What a long text can add or take. It tells what something is like, and related things are described alike.
const LONG_TEXT: f64 = 3.0;

impl Model {
    /// What the fields say together. A sum, but
    ///
    /// - no field alone makes a match, unless it is the name or title by which a thing is called;
    /// - address, phone and family name together make none either: they tell the household, the building, the head office;
    /// - a long text says little.
    pub fn together(&self, said: &Said) -> f64 {
        let (mut household, mut rest) = (0.0, 0.0);
        for (field, weight) in self.fields.iter().zip(said) {
            match field.tells {
                Tells::Thing => rest += weight,
                Tells::Likeness => rest += weight.clamp(-LONG_TEXT, LONG_TEXT),
                Tells::Household if *weight > 0.0 => household += weight.min(ALONE - self.prior),
                Tells::Household | Tells::Person => rest += weight.min(ALONE - self.prior),
            }
        }
        f64::min(household, HOUSEHOLD - self.prior) + rest
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

/// The logarithm of the odds that belongs to a probability.
pub fn log_odds(probability: f64) -> f64 {
    (probability / (1.0 - probability)).log2()
}

/// Compares all candidates, in their order.
pub fn compare_all(records: &Records, candidates: &Candidates) -> Vec<Pattern> {
    let Ok(patterns) = try_compare_all(records, candidates, || Ok::<(), Infallible>(()));
    patterns
}

/// The same; `go_on` is asked for every pair.
///
/// # Errors
///
/// An error of `go_on`, which ends the comparison.
pub fn try_compare_all<E: Send>(
    records: &Records,
    candidates: &Candidates,
    go_on: impl Fn() -> Result<(), E> + Sync,
) -> Result<Vec<Pattern>, E> {
    (0..candidates.len())
        .into_par_iter()
        .map(|at| {
            go_on()?;
            let (left, right) = candidates.pair(at);
            Ok(compare(records, left, right))
        })
        .collect()
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
        Model { prior: -10.0, match_count: 1.0, fields: kinds.iter().map(field).collect() }
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
        let kinds = [Kind::Organisation, Kind::Address, Kind::Phone];
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
