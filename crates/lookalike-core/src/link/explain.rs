//! Explains the score of two records, field by field.

use super::config::Kind;
use super::measure::{Scale, level_of};
use super::score::Scorer;
use crate::ids::Record;

/// Reason why evidence is bounded, for people.
pub const BOUNDED: &str =
    "one field alone proves little, and so do the fields of a household, a price, a category or a long text";

/// Evidence for and against a match of two records.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The fields in their order.
    pub fields: Vec<FieldExplanation>,
    /// Points of all fields.
    pub points: u32,
    /// Logarithm of the odds of a random pair, which the evidence has to outweigh.
    pub prior: f64,
    /// Correction of the sum, since fields are not independent of each other and some say little; negative or positive.
    pub bounded: f64,
    /// Prior, evidence and bounds together.
    pub weight: f64,
    /// The probability that the two are a match.
    pub probability: f64,
}

/// Evidence from one field.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldExplanation {
    /// Its column.
    pub name: String,
    /// Kind of its values.
    pub kind: Kind,
    /// The left value as it is compared.
    pub left: Option<String>,
    /// The right value.
    pub right: Option<String>,
    /// Degree of similarity, in words.
    pub level: &'static str,
    /// Points, up to 100.
    pub points: u8,
    /// Contribution to the logarithm of the odds.
    pub weight: f64,
}

impl Scorer<'_> {
    /// Explains two records.
    pub fn explain(&self, left: Record, right: Record) -> Explanation {
        let scored = self.score(left, right);
        let said = self.said(scored.left, scored.right, scored.pattern);
        let fields: Vec<FieldExplanation> = self
            .records
            .fields()
            .iter()
            .enumerate()
            .map(|(at, field)| {
                let level = Scale::of(field.kind).level(level_of(scored.pattern, at));
                FieldExplanation {
                    name: field.name.clone(),
                    kind: field.kind,
                    left: field.text(left).map(str::to_owned),
                    right: field.text(right).map(str::to_owned),
                    level: level.name,
                    points: level.points,
                    weight: said[at],
                }
            })
            .collect();
        Explanation {
            points: fields.iter().map(|field| u32::from(field.points)).sum(),
            prior: self.model.prior,
            bounded: scored.weight - self.model.prior - said.iter().sum::<f64>(),
            weight: scored.weight,
            probability: scored.probability(),
            fields,
        }
    }
}
