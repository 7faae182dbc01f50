//! How much of what is there was found, and how much of what was found is there.

use serde::Serialize;

/// Recall, precision and what is between them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Score {
    /// Pairs that were found.
    pub found: u64,
    /// Of these, true ones.
    pub right: u64,
    /// True pairs that were not found.
    pub missed: u64,
    /// The share of true pairs that were found; 1 where there are none.
    pub recall: f64,
    /// The share of found pairs that are true; 1 where there are none.
    pub precision: f64,
    /// Their harmonic mean.
    pub f1: f64,
}

impl Score {
    /// Scores pairs against true ones; both sorted, none twice.
    pub(crate) fn new(found: &[(u32, u32)], truth: &[(u32, u32)]) -> Self {
        let right = found.iter().filter(|pair| truth.binary_search(pair).is_ok()).count();
        let share = |part: usize, whole: usize| if whole == 0 { 1.0 } else { part as f64 / whole as f64 };
        let (recall, precision) = (share(right, truth.len()), share(right, found.len()));
        let both = recall + precision;
        Self {
            found: found.len() as u64,
            right: right as u64,
            missed: (truth.len() - right) as u64,
            recall,
            precision,
            f1: if both > 0.0 { 2.0 * recall * precision / both } else { 0.0 },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recall_is_of_the_truth_and_precision_of_what_was_found() {
        let score = Score::new(&[(0, 1), (0, 2), (3, 4)], &[(0, 1), (1, 2), (3, 4), (5, 6)]);
        assert_eq!((score.found, score.right, score.missed), (3, 2, 2));
        assert!((score.recall - 0.5).abs() < 1e-12 && (score.precision - 2.0 / 3.0).abs() < 1e-12);
        assert!((score.f1 - 4.0 / 7.0).abs() < 1e-12);
        assert!((Score::new(&[], &[]).f1 - 1.0).abs() < 1e-12);
        assert!(Score::new(&[(0, 1)], &[(1, 2)]).f1.abs() < 1e-12);
    }
}
