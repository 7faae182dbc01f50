//! Measures the recall of candidates on the input itself: a few prints are compared with all others, and the result is
//! the share of the matches found that were also candidates.
//!
//! It does not cover impressions that do not match even when they are aligned.

use lookalike_core::hash::mix;
use rayon::prelude::*;
use serde::Serialize;

use crate::error::Result;
use crate::progress::Progress;

/// Maximum comparisons added by the sample: a run's comparisons divided by this number.
const SHARE: usize = 4;

/// Minimum number of comparisons, which take less than a second.
const FEWEST_COMPARISONS: usize = 2_000;

/// The recall of candidates in a sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct CandidateRecall {
    /// Number of prints compared with all others.
    pub print_count: u64,
    /// Number of matches they have.
    pub match_count: u64,
    /// Number of these matches that are candidates.
    pub candidate_count: u64,
}

impl CandidateRecall {
    /// The share of matches that are candidates; none without matches.
    pub fn share(&self) -> Option<f64> {
        (self.match_count > 0).then(|| self.candidate_count as f64 / self.match_count as f64)
    }
}

/// The prints to compare, and the number of others.
#[derive(Debug)]
pub(super) struct Sample {
    prints: Vec<u32>,
    other_count: u32,
}

impl Sample {
    /// As many of `print_count` prints as can be compared with all others within a share of the comparisons of the run.
    /// None if a collection is too large even for one.
    pub(super) fn new(print_count: usize, other_count: usize, compared_count: usize) -> Self {
        let most = (compared_count / SHARE).max(FEWEST_COMPARISONS) / other_count.max(1);
        let mut prints: Vec<u32> = (0..print_count as u32).collect();
        // Random, with a fixed seed: impressions of a finger are adjacent, and every eighth may be the first one.
        prints.sort_by_key(|print| mix(u64::from(*print) + 1));
        prints.truncate(most);
        Self { prints, other_count: other_count as u32 }
    }

    pub(super) fn prints(&self) -> &[u32] {
        &self.prints
    }

    pub(super) fn measure(
        &self,
        is_match: impl Fn(u32, u32) -> bool + Sync,
        is_candidate: impl Fn(u32, u32) -> bool + Sync,
        progress: &dyn Progress,
    ) -> Result<CandidateRecall> {
        let pairs = self
            .prints
            .par_iter()
            .flat_map(|own| (0..self.other_count).into_par_iter().map(move |other| (*own, other)));
        let measured = pairs.map(|(own, other)| {
            progress.go_on()?;
            Ok(is_match(own, other).then_some((own, other)))
        });
        let matches: Vec<(u32, u32)> = measured.filter_map(Result::transpose).collect::<Result<_>>()?;
        Ok(CandidateRecall {
            print_count: self.prints.len() as u64,
            match_count: matches.len() as u64,
            candidate_count: matches.iter().filter(|(own, other)| is_candidate(*own, *other)).count() as u64,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Silent;

    #[test]
    fn a_small_input_is_measured_as_a_whole_and_a_large_one_by_a_part() {
        assert_eq!(Sample::new(40, 40, 100).prints().len(), 40);
        assert_eq!(Sample::new(1_000, 1_000, 40_000).prints().len(), 10);
        assert_eq!(Sample::new(3, 1_000_000, 150).prints().len(), 0);
    }

    #[test]
    fn matches_that_are_no_candidates_are_missed() {
        // Each matches the next one; every second of these is a candidate.
        let recall =
            Sample::new(10, 11, 0).measure(|own, other| own + 1 == other, |own, _| own % 2 == 0, &Silent).unwrap();
        assert_eq!(recall, CandidateRecall { print_count: 10, match_count: 10, candidate_count: 5 });
        assert_eq!(recall.share(), Some(0.5));
        assert_eq!(CandidateRecall::default().share(), None);
    }
}
