//! Whether a model that was learned can be one of matches: it gives itself away.
//!
//! Expectation maximization finds two classes of pairs, whatever they are. Where duplicates are few, the one that it calls matches is
//! made of namesakes, or of all that lies in one street: pairs that agree in one thing, and differ in all else as often as pairs by
//! chance do. Of two records of one thing hardly any field does.

use super::super::config::Kind;
use super::super::measure::{DIFFERENT, Scale};
use super::super::records::Tells;
use super::{FieldModel, Model};

/// A field that more random pairs have in common says what something is like, and not which it is.
const MOST_EQUAL: f64 = 0.05;

/// Matches differ in a field at most this share as often as random pairs, unless the field tells nothing.
const MOST_DIFFERENT: f64 = 0.5;

/// As many fields that tell nothing are too many.
const TOO_MANY: usize = 2;

impl Model {
    /// Whether the pairs that it takes for matches differ less than random pairs in all fields by which things are told apart, but
    /// one. Where there are people, all fields of a household count as one, since people move.
    pub(super) fn is_credible(&self) -> bool {
        let are_people = self.fields.iter().any(|field| field.kind == Kind::PersonName);
        let silent: Vec<&FieldModel> = self.fields.iter().filter(|field| field.names() && field.is_silent()).collect();
        let of_household = |field: &&&FieldModel| are_people && field.tells == Tells::Household;
        let household = silent.iter().filter(of_household).count();
        silent.len() - household + household.min(1) < TOO_MANY
    }
}

impl FieldModel {
    /// Whether its values tell things apart: few random pairs have them in common.
    fn names(&self) -> bool {
        self.tells != Tells::Likeness && self.among_others[usize::from(Scale::of(self.kind).equal())] <= MOST_EQUAL
    }

    /// Whether matches differ in it nearly as often as random pairs.
    fn is_silent(&self) -> bool {
        let scale = Scale::of(self.kind);
        // All that is less than half alike: 20 % of a title in common is no more than chance.
        let different = |shares: &[f64]| -> f64 {
            (usize::from(DIFFERENT)..shares.len())
                .filter(|level| scale.level(*level as u8).points < 50)
                .map(|level| shares[level])
                .sum()
        };
        different(&self.among_matches) > MOST_DIFFERENT * different(&self.among_others)
    }
}
