//! Whether angles turn the way that they were taken to.
//!
//! Prints that are turned against each other by much match only if angles are taken the right way: so some of them are
//! compared with angles taken the other way, too. Prints that are turned by little match either way, and tell by themselves:
//! the places of what agrees say by how much, and so do the directions, which turn against the places if taken the wrong way.

use lookalike_core::prints::score::ENOUGH_PAIRED;
use lookalike_core::prints::{Comparison, Gallery, Minutia, PreparedPrint, Print};
use rayon::prelude::*;
use serde::Serialize;

use crate::error::Result;
use crate::progress::Progress;

/// So many prints, the first ones, are the sample: impressions of a finger mostly stand side by side.
const SAMPLED: usize = 400;

/// So many of these are looked for among all of them, and so many candidates of each are aligned.
const QUERIES: usize = 50;
const ALIGNED: usize = 10;

/// Less of a turn, in radians, is told by neither: three degrees.
const LEAST_TURN: f64 = 0.05;

/// As many pairs must be turned before anything is said.
const FEWEST_PAIRS: u64 = 5;

/// How many matching pairs are turned by places and by directions, the same or the opposite way; and how many of a sample match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Turning {
    /// Pairs in which both turn the same way.
    pub same_count: u64,
    /// Pairs in which they turn against each other.
    pub opposite_count: u64,
    /// Matches in a sample with angles as they were taken.
    pub match_count: u64,
    /// Matches in the sample with angles that turn the other way.
    pub other_way_match_count: u64,
}

impl Turning {
    /// Looks at a match.
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

    /// Compares a sample both ways.
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

    /// Whether angles seem to turn the other way.
    pub fn is_wrong(self) -> bool {
        let is_more = |wrong: u64, right: u64| wrong >= FEWEST_PAIRS && wrong > 2 * right;
        is_more(self.other_way_match_count, self.match_count) || is_more(self.opposite_count, self.same_count)
    }
}

/// How many candidates of some prints match them.
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
