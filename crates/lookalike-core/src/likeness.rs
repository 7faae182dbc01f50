//! What was measured of a pair: the evidence that the output shows.

use crate::feature_set::Overlap;
use crate::measure::Measure;

/// How alike two items are, by what was compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Likeness {
    /// Their features.
    Features(Overlap),
    /// The bits of their `SimHash` sketches.
    Bits {
        /// In how many they differ: the Hamming distance.
        differing: u32,
        /// How many there are.
        of: u32,
    },
}

impl Likeness {
    /// The similarity: by the measure of features, or the share of equal bits.
    ///
    /// ```
    /// use lookalike_core::{likeness::Likeness, measure::Measure};
    ///
    /// let likeness = Likeness::Bits { differing: 3, of: 64 };
    /// assert_eq!(likeness.similarity(Measure::Jaccard), 61.0 / 64.0);
    /// ```
    pub fn similarity(self, measure: Measure) -> f64 {
        match self {
            Self::Features(overlap) => measure.of(overlap),
            Self::Bits { differing, of } => f64::from(of - differing) / f64::from(of),
        }
    }

    /// The same seen from the other side.
    #[must_use]
    pub fn swapped(self) -> Self {
        match self {
            Self::Features(overlap) => Self::Features(overlap.swapped()),
            bits @ Self::Bits { .. } => bits,
        }
    }
}
