//! Measures the overlap of two texts; compares every two of many.
//!
//! This is the plain definition: [`crate::pairs`] is tested against it, as the pipeline is tested against
//! [`crate::pairs`].

use std::collections::HashSet;

use crate::shingle::{Shingle, shingles};

/// Numbers of shingles of two texts, and of shared ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measures {
    /// Shingles in both texts.
    pub shared: usize,
    /// Shingles of the left text.
    pub left: usize,
    /// Shingles of the right text.
    pub right: usize,
}

impl Measures {
    /// The shared fraction of all shingles; 0 if there are none.
    ///
    /// ```
    /// use lookalike_judge::{Shingle, measure};
    ///
    /// assert_eq!(measure("a b c", "b c d", Shingle::Word(1)).jaccard(), 0.5);
    /// ```
    pub fn jaccard(self) -> f64 {
        ratio(self.shared, self.left + self.right - self.shared)
    }

    /// The fraction of the left text's shingles that are in the right one; 0 if it has none.
    pub fn containment_left(self) -> f64 {
        ratio(self.shared, self.left)
    }

    /// The fraction of the right text's shingles that are in the left one; 0 if it has none.
    pub fn containment_right(self) -> f64 {
        ratio(self.shared, self.right)
    }

    fn of(left: &HashSet<Vec<String>>, right: &HashSet<Vec<String>>) -> Self {
        Self { shared: left.intersection(right).count(), left: left.len(), right: right.len() }
    }
}

fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// Two similar texts, by their positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The position of the first one.
    pub left: usize,
    /// The position of the other; always greater than `left`.
    pub right: usize,
    /// Their measurements.
    pub measures: Measures,
}

/// Measures two texts from scratch.
pub fn measure(left: &str, right: &str, shingle: Shingle) -> Measures {
    Measures::of(&shingles(left, shingle), &shingles(right, shingle))
}

/// All pairs at or above `threshold`, by comparing every two texts.
///
/// Intended for hundreds of texts; [`crate::pairs`] gives the same result for tens of thousands.
///
/// # Panics
///
/// If `threshold` is not above 0 and at most 1.
pub fn pairs_by_brute_force(texts: &[impl AsRef<str> + Sync], shingle: Shingle, threshold: f64) -> Vec<Pair> {
    check_threshold(threshold);
    let sets: Vec<_> = texts.iter().map(|text| shingles(text.as_ref(), shingle)).collect();

    let mut pairs = Vec::new();
    for left in 0..sets.len() {
        for right in left + 1..sets.len() {
            let measures = Measures::of(&sets[left], &sets[right]);
            if measures.jaccard() >= threshold {
                pairs.push(Pair { left, right, measures });
            }
        }
    }
    pairs
}

/// At a threshold of 0 every two texts would be a pair, and no index can help.
pub(crate) fn check_threshold(threshold: f64) {
    assert!(threshold > 0.0 && threshold <= 1.0, "threshold {threshold} is not above 0 and at most 1");
}
