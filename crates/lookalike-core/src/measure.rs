//! When two items are alike: a measure of what they share, and the threshold it must reach.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};
use crate::feature_set::Overlap;
use crate::similarity::{Similarity, Threshold};

/// How what two sets share becomes one number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Measure {
    /// Shared features over all features: both are nearly the same.
    #[default]
    Jaccard,
    /// Shared features over those of the smaller set: one lies inside the other.
    Containment,
}

impl Measure {
    /// The similarity by this measure.
    pub fn of(self, overlap: Overlap) -> f64 {
        match self {
            Self::Jaccard => overlap.jaccard(),
            Self::Containment => overlap.containment_left().max(overlap.containment_right()),
        }
    }

    /// The same, as a similarity.
    pub fn similarity(self, overlap: Overlap) -> Similarity {
        Similarity::of_share(self.of(overlap))
    }
}

impl FromStr for Measure {
    type Err = Error;

    fn from_str(value: &str) -> Result<Self> {
        match value {
            "jaccard" => Ok(Self::Jaccard),
            "containment" => Ok(Self::Containment),
            _ => Err(Error::NotAMeasure { value: value.to_owned() }),
        }
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Jaccard => "jaccard",
            Self::Containment => "containment",
        })
    }
}

/// What makes two items near-duplicates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Criterion {
    /// What is measured.
    pub measure: Measure,
    /// How much of it is enough.
    pub threshold: Threshold,
}

impl Criterion {
    /// Whether two sets that share this much are alike enough.
    pub fn holds(self, overlap: Overlap) -> bool {
        self.measure.of(overlap) >= self.threshold.value()
    }

    /// The length filter: whether two sets of these sizes can be alike at all.
    ///
    /// The Jaccard similarity is at most the smaller size over the larger one. It is computed here by the same
    /// division as the similarity itself, and division rounds monotonically, so no match is ever refused. A small set
    /// may lie wholly inside any larger one.
    #[inline]
    pub fn allows_sizes(self, left: u32, right: u32) -> bool {
        match self.measure {
            Measure::Jaccard => f64::from(left.min(right)) / f64::from(left.max(right)) >= self.threshold.value(),
            Measure::Containment => left.min(right) > 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn criterion(measure: Measure) -> Criterion {
        Criterion { measure, threshold: Threshold::new(0.8).unwrap() }
    }

    #[test]
    fn sizes_alone_can_rule_a_pair_out() {
        let jaccard = criterion(Measure::Jaccard);
        assert!(jaccard.allows_sizes(4, 5));
        assert!(jaccard.allows_sizes(5, 4));
        assert!(!jaccard.allows_sizes(7, 9));
        assert!(criterion(Measure::Containment).allows_sizes(1, 9));
    }

    #[test]
    fn a_part_is_contained_in_the_whole_however_small_it_is() {
        let part = Overlap { shared: 4, left: 5, right: 100 };
        assert!(criterion(Measure::Containment).holds(part));
        assert!(criterion(Measure::Containment).holds(part.swapped()));
        assert!(!criterion(Measure::Jaccard).holds(part));
    }

    #[test]
    fn a_measure_is_written_as_it_is_read() {
        for written in ["jaccard", "containment"] {
            assert_eq!(written.parse::<Measure>().unwrap().to_string(), written);
        }
        assert!("cosine".parse::<Measure>().is_err());
    }
}
