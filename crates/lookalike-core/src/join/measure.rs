//! Measures of two sets, without a threshold, by counts or by weights.
//!
//! Containment is defined as everywhere in lookalike: the larger of the two containments, which equals the overlap
//! coefficient; both directions are reported as well.

use crate::measure::criterion::Criterion;
use crate::measure::similarity::Threshold;

crate::word_enum! {
    /// A measure of two sets, by numbers of elements or by weights.
    #[derive(Default)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub enum Measure {
        /// Shared over all: of weights, the lesser ones over the greater ones.
        #[default]
        Jaccard,
        /// Shared over what the smaller set has: the larger of the two containments.
        Containment,
        /// Shared over the geometric mean of both.
        Cosine,
        /// The same number under the name of the overlap coefficient.
        Overlap,
    }
}

impl Measure {
    /// The similarity of two sets, between 0 and 1; 0 if nothing is shared.
    ///
    /// Even with rounding, it never falls when more is shared, and never rises when a set grows, so a bound computed
    /// with it is never too low.
    ///
    /// ```
    /// use lookalike_core::join::Measure;
    ///
    /// assert_eq!(Measure::Jaccard.similarity(2, 4, 2), 0.5);
    /// assert_eq!(Measure::Containment.similarity(2, 4, 2), 1.0);
    /// assert_eq!(Measure::Containment.similarity(2, 2, 4), 1.0);
    /// assert_eq!(Measure::Overlap.similarity(2, 4, 2), 1.0);
    /// ```
    #[inline]
    pub fn similarity(self, shared: u64, left: u64, right: u64) -> f64 {
        if shared == 0 {
            return 0.0;
        }
        let whole = match self {
            Self::Jaccard => (left + right - shared) as f64,
            Self::Cosine => (left as f64 * right as f64).sqrt(),
            Self::Containment | Self::Overlap => left.min(right) as f64,
        };
        shared as f64 / whole
    }

    /// The criterion of a join with this measure.
    pub fn criterion(self, threshold: Threshold) -> Criterion {
        match self {
            Self::Jaccard => Criterion::Jaccard(threshold),
            Self::Containment | Self::Overlap => Criterion::Containment(threshold),
            Self::Cosine => Criterion::Cosine(threshold),
        }
    }

    /// Its name in flags and outputs.
    pub fn word(self) -> &'static str {
        self.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::feature_set::Overlap;

    #[test]
    fn a_join_decides_by_the_same_number() {
        let threshold = Threshold::new(0.5).unwrap();
        for measure in [Measure::Jaccard, Measure::Containment, Measure::Cosine, Measure::Overlap] {
            for (shared, left, right) in [(0, 0, 3), (1, 3, 2), (7, 11, 13), (5, 5, 5), (1, 1, 4_000_000_000)] {
                let by_join = measure.criterion(threshold).similarity(Overlap { shared, left, right });
                let own = measure.similarity(shared.into(), left.into(), right.into());
                assert_eq!(own.to_bits(), by_join.to_bits(), "{measure:?} {shared} {left} {right}");
            }
        }
    }
}
