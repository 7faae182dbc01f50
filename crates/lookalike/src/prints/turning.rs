//! Checks if angles were read in the wrong direction.
//!
//! Prints that are rotated strongly relative to each other match only if angles are read correctly, so a sample is also
//! compared with opposite angles. Prints that are rotated slightly match either way, and are checked directly: the
//! rotation by positions and the rotation by directions have opposite signs if angles are wrong.

use lookalike_core::prints::score::ENOUGH_PAIRED;
use lookalike_core::prints::{Comparison, Gallery, Minutia, PreparedPrint, Print};
use rayon::prelude::*;
use serde::Serialize;

use crate::error::Result;
use crate::progress::Progress;

/// Size of the sample, the first prints: impressions of a finger are usually adjacent.
const SAMPLED: usize = 400;

/// Number of these that are used as queries, and of candidates aligned for each.
const QUERIES: usize = 50;
const ALIGNED: usize = 10;

/// Minimum rotation to be considered, in radians: three degrees.
const LEAST_TURN: f64 = 0.05;

/// Minimum number of rotated pairs for a conclusion.
const FEWEST_PAIRS: u64 = 5;

/// Numbers of matching pairs whose rotations by positions and by directions have the same or the opposite sign, and of
/// matches in a sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Turning {
    /// Pairs with the same direction of both rotations.
    pub same_count: u64,
    /// Pairs with opposite directions.
    pub opposite_count: u64,
    /// Matches in a sample, with angles as they were read.
    pub match_count: u64,
    /// Matches in the sample with opposite angles.
    pub other_way_match_count: u64,
}

impl Turning {
    /// Adds a match.
    pub(super) fn add(&mut self, comparison: &Comparison) {
        let Comparison { turn_by_place, turn_by_direction, paired_count, .. } = *comparison;
        if paired_count < ENOUGH_PAIRED || turn_by_place.abs().min(turn_by_direction.abs()) < LEAST_TURN {
            return;
        }
        if turn_by_place.signum() * turn_by_direction.signum() > 0.0 {
            self.same_count += 1;
        } else {
            self.opposite_count += 1;
        }
    }

    /// Compares a sample with both directions.
    pub(super) fn sample(&mut self, prints: &[Print], threshold: f64, progress: &dyn Progress) -> Result<()> {
        let sample = &prints[..prints.len().min(SAMPLED)];
        self.match_count = match_count(sample, threshold, progress)?;
        let other_way = |minutia: &Minutia| Minutia { angle: -minutia.angle, ..*minutia };
        let turned =
            |print: &Print| Print { minutiae: print.minutiae.iter().map(other_way).collect(), ..print.clone() };
        let turned: Vec<Print> = sample.iter().map(turned).collect();
        self.other_way_match_count = match_count(&turned, threshold, progress)?;
        Ok(())
    }

    /// True if angles seem to have the opposite direction.
    pub fn is_wrong(self) -> bool {
        let is_more = |wrong: u64, right: u64| wrong >= FEWEST_PAIRS && wrong > 2 * right;
        is_more(self.other_way_match_count, self.match_count) || is_more(self.opposite_count, self.same_count)
    }
}

/// Number of candidates of some prints that match them.
fn match_count(prints: &[Print], threshold: f64, progress: &dyn Progress) -> Result<u64> {
    let gallery = Gallery::new(prints);
    let prepare = |print: &Print| progress.go_on().map(|()| PreparedPrint::new(print));
    let prepared = prints.par_iter().map(prepare).collect::<Result<Vec<PreparedPrint>>>()?;
    let queries: Vec<usize> = (0..prints.len()).step_by(prints.len().div_ceil(QUERIES).max(1)).collect();
    let of_query = |query: &usize| {
        progress.go_on()?;
        let candidates = gallery.candidates(&prints[*query], ALIGNED + 1);
        let others = candidates.iter().map(|other| other.print as usize).filter(|other| other != query);
        Ok(others.filter(|other| prepared[*query].compare(&prepared[*other]).score >= threshold).count() as u64)
    };
    queries.par_iter().map(of_query).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(turns: &[(f64, f64)]) -> Turning {
        let mut turning = Turning::default();
        for (turn_by_place, turn_by_direction) in turns.iter().copied() {
            turning.add(&Comparison { score: 0.5, paired_count: 20, turn_by_place, turn_by_direction });
        }
        turning
    }

    #[test]
    fn turns_against_each_other_are_wrong_where_there_are_enough() {
        assert!(of(&[(0.2, -0.21); 5]).is_wrong());
        assert!(!of(&[(0.2, -0.21); 4]).is_wrong());
        assert!(!of(&[(0.2, 0.21), (0.1, -0.1), (0.1, -0.1)].repeat(9)).is_wrong());
        assert!(!of(&[(0.02, -0.02); 50]).is_wrong());
        assert!(Turning { match_count: 3, other_way_match_count: 7, ..of(&[]) }.is_wrong());
        assert!(!Turning { match_count: 40, other_way_match_count: 60, ..of(&[]) }.is_wrong());
    }
}
