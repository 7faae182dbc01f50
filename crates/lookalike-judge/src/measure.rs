//! Given two texts, measures how much they share; given many, compares every two.
//!
//! This is the definition itself, with nothing clever in it: [`crate::pairs`]
//! is held against it, as the pipeline is held against [`crate::pairs`].

use std::collections::HashSet;

use crate::shingle::{Shingle, shingles};

/// How many shingles two texts have, and how many of them are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measures {
    /// Shingles that are in both.
    pub shared: usize,
    /// Shingles of the left text.
    pub left: usize,
    /// Shingles of the right text.
    pub right: usize,
}

impl Measures {
    /// The shared part of all shingles; 0 when there are none.
    ///
    /// ```
    /// use lookalike_judge::{Shingle, measure};
    ///
    /// assert_eq!(measure("a b c", "b c d", Shingle::Word(1)).jaccard(), 0.5);
    /// ```
    pub fn jaccard(self) -> f64 {
        ratio(self.shared, self.left + self.right - self.shared)
    }

    /// The part of the left text's shingles that the right one has; 0 when it has none.
    pub fn containment_left(self) -> f64 {
        ratio(self.shared, self.left)
    }

    /// The part of the right text's shingles that the left one has; 0 when it has none.
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

/// Two texts, by their place, that are alike enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The place of the one that comes first.
    pub left: usize,
    /// The place of the other; always greater than `left`.
    pub right: usize,
    /// What they share.
    pub measures: Measures,
}

/// Measures two texts from scratch.
pub fn measure(left: &str, right: &str, shingle: Shingle) -> Measures {
    Measures::of(&shingles(left, shingle), &shingles(right, shingle))
}

/// All pairs at or above `threshold`, by comparing every two texts.
///
/// Meant for hundreds of texts; [`crate::pairs`] gives the same for tens of thousands.
///
/// # Panics
///
/// When `threshold` is not above 0 and at most 1.
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

/// At a threshold of 0 every two texts would be a pair, which no index can help with.
pub(crate) fn check_threshold(threshold: f64) {
    assert!(threshold > 0.0 && threshold <= 1.0, "threshold {threshold} is not above 0 and at most 1");
}
