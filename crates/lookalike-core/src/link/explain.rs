//! Two records to the reasons, field by field.

use super::config::Kind;
use super::measure::{Scale, level_of};
use super::records::MOST_FIELDS;
use super::score::Scorer;
use crate::ids::Record;

/// Why evidence is bounded, for people.
pub const BOUNDED: &str =
    "one field alone proves little, and so do the fields of a household, a price, a category or a long text";

/// Why two records are a match, or are none.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The fields in their order.
    pub fields: Vec<FieldExplanation>,
    /// Points of all fields.
    pub points: u32,
    /// The logarithm of the odds of a random pair: what the evidence has to make up for.
    pub prior: f64,
    /// What was taken off, or given back, since fields do not speak independently of each other, and some say little.
    pub bounded: f64,
    /// Prior, evidence and bounds together.
    pub weight: f64,
    /// The probability that the two are a match.
    pub probability: f64,
}

/// What one field says.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldExplanation {
    /// Its column.
    pub name: String,
    /// What its values are.
    pub kind: Kind,
    /// The left value as it is compared.
    pub left: Option<String>,
    /// The right value.
    pub right: Option<String>,
    /// How alike they are, in words.
    pub level: &'static str,
    /// Points, up to 100.
    pub points: u8,
    /// What it adds to the logarithm of the odds.
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
            bounded: self.model.together(&said) - said[..fields.len().min(MOST_FIELDS)].iter().sum::<f64>(),
            weight: scored.weight,
            probability: scored.probability(),
            fields,
        }
    }
}
