//! Similarity and threshold: checked once, so that no later stage has to.

use crate::error::{Error, Result};

/// The similarity of two items: 0 means nothing in common, 1 means the same set.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Similarity(f64);

impl Similarity {
    /// Checks the range.
    ///
    /// # Errors
    ///
    /// [`Error::SimilarityOutOfRange`] if `value` is not between 0 and 1, or is NaN.
    pub fn new(value: f64) -> Result<Self> {
        if (0.0..=1.0).contains(&value) { Ok(Self(value)) } else { Err(Error::SimilarityOutOfRange { value }) }
    }

    /// The number.
    pub fn value(self) -> f64 {
        self.0
    }
}

impl From<Threshold> for Similarity {
    fn from(threshold: Threshold) -> Self {
        Self(threshold.0)
    }
}

/// Minimum similarity of near-duplicates.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Threshold(f64);

impl Threshold {
    /// Checks the range. Zero is rejected, since everything would match.
    ///
    /// # Errors
    ///
    /// [`Error::ThresholdOutOfRange`] if `value` is not above 0 and at most 1, or is NaN.
    pub fn new(value: f64) -> Result<Self> {
        if value > 0.0 && value <= 1.0 { Ok(Self(value)) } else { Err(Error::ThresholdOutOfRange { value }) }
    }

    /// The number.
    pub fn value(self) -> f64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_threshold_lies_above_zero_and_up_to_one() {
        assert!(Threshold::new(1.0).is_ok());
        for value in [0.0, -0.1, 1.5, f64::NAN] {
            assert!(Threshold::new(value).is_err(), "{value}");
        }
    }
}
