//! Checks whether a learned model can be a model of matches.
//!
//! Expectation maximization always finds two classes of pairs. If duplicates are few, the class that it calls matches
//! consists of namesakes, or of everyone in one street: pairs that agree in one field, and differ in all others as
//! often as random pairs do. In two records of the same thing, hardly any field does.

use super::super::measure::{DIFFERENT, Scale};
use super::super::records::Tells;
use super::{FieldModel, Model};

/// Maximum share of random pairs that agree in an identifying field: above it, the field describes something rather
/// than identifying it.
const MOST_EQUAL: f64 = 0.05;

/// Matches differ in a field at most this much as often as random pairs do, unless the field says nothing.
const MOST_DIFFERENT: f64 = 0.5;

/// Number of fields without information at which a model is not credible.
const TOO_MANY: usize = 2;

impl Model {
    /// True if the pairs that it considers matches differ less often than random pairs in all identifying fields but
    /// one. For people, all fields of a household count as one, since people move.
    pub(super) fn is_credible(&self) -> bool {
        let are_people = self.fields.iter().any(|field| field.tells == Tells::Name);
        let silent: Vec<&FieldModel> = self.fields.iter().filter(|field| field.names() && field.is_silent()).collect();
        let of_household = |field: &&&FieldModel| are_people && field.tells == Tells::Household;
        let household = silent.iter().filter(of_household).count();
        silent.len() - household + household.min(1) < TOO_MANY
    }
}

impl FieldModel {
    /// True if its values identify things: few random pairs have them in common.
    fn names(&self) -> bool {
        self.tells != Tells::Likeness && self.among_others[usize::from(Scale::of(self.kind).equal())] <= MOST_EQUAL
    }

    /// True if matches differ in it nearly as often as random pairs.
    fn is_silent(&self) -> bool {
        let scale = Scale::of(self.kind);
        // Everything less than half similar: 20 % of a title in common is no more than chance.
        let different = |shares: &[f64]| -> f64 {
            (usize::from(DIFFERENT)..shares.len())
                .filter(|level| scale.level(*level as u8).points < 50)
                .map(|level| shares[level])
                .sum()
        };
        different(&self.among_matches) > MOST_DIFFERENT * different(&self.among_others)
    }
}
