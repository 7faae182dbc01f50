//! The measurement of a pair: the evidence shown in the output.

use crate::measure::criterion::Criterion;
use crate::measure::feature_set::Overlap;

/// The similarity of two items, by what was compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Likeness {
    /// Their features.
    Features(Overlap),
    /// The bits of their `SimHash` sketches.
    Bits {
        /// Number of bits in which they differ: the Hamming distance.
        differing: u32,
        /// Number of bits.
        of: u32,
    },
}

impl Likeness {
    /// The similarity: by the measure of the criterion, or the share of equal bits.
    ///
    /// ```
    /// use lookalike_core::measure::{criterion::Criterion, likeness::Likeness, similarity::Threshold};
    ///
    /// let likeness = Likeness::Bits { differing: 3, of: 64 };
    /// assert_eq!(likeness.similarity(Criterion::Jaccard(Threshold::new(0.8)?)), 61.0 / 64.0);
    /// # Ok::<(), lookalike_core::Error>(())
    /// ```
    pub fn similarity(self, criterion: Criterion) -> f64 {
        match self {
            Self::Features(overlap) => criterion.similarity(overlap),
            Self::Bits { differing, of } => f64::from(of - differing) / f64::from(of),
        }
    }

    /// The overlap of their features, if these were compared.
    pub fn overlap(self) -> Option<Overlap> {
        match self {
            Self::Features(overlap) => Some(overlap),
            Self::Bits { .. } => None,
        }
    }

    /// Swaps left and right.
    #[must_use]
    pub fn swapped(self) -> Self {
        match self {
            Self::Features(overlap) => Self::Features(overlap.swapped()),
            bits @ Self::Bits { .. } => bits,
        }
    }
}
