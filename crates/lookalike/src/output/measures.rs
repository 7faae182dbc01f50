//! How alike two documents are, as rows of an output say it.

use std::fmt;

use lookalike_core::measure::criterion::Criterion;
use lookalike_core::measure::likeness::Likeness;
use serde::Serialize;

/// The measures of a pair, by what was compared.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Measures {
    Jaccard {
        jaccard: f64,
        containment_left: f64,
        containment_right: f64,
    },
    /// The same, with the similarity first.
    Containment {
        containment: f64,
        jaccard: f64,
        containment_left: f64,
        containment_right: f64,
    },
    Bits {
        simhash: f64,
        hamming: u32,
    },
}

impl Measures {
    pub(crate) fn new(likeness: Likeness, criterion: Criterion) -> Self {
        let similarity = likeness.similarity(criterion);
        match (likeness, criterion) {
            (Likeness::Features(overlap), Criterion::Containment(_)) => Self::Containment {
                containment: similarity,
                jaccard: overlap.jaccard(),
                containment_left: overlap.containment_left(),
                containment_right: overlap.containment_right(),
            },
            (Likeness::Features(overlap), _) => Self::Jaccard {
                jaccard: overlap.jaccard(),
                containment_left: overlap.containment_left(),
                containment_right: overlap.containment_right(),
            },
            (Likeness::Bits { differing, .. }, _) => Self::Bits { simhash: similarity, hamming: differing },
        }
    }

    /// The names of the columns, the similarity first.
    pub(crate) fn names(self) -> &'static str {
        match self {
            Self::Jaccard { .. } => "jaccard\tcontainment_left\tcontainment_right",
            Self::Containment { .. } => "containment\tjaccard\tcontainment_left\tcontainment_right",
            Self::Bits { .. } => "simhash\thamming",
        }
    }
}

/// The cells of the columns.
impl fmt::Display for Measures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Jaccard { jaccard, containment_left, containment_right } => {
                write!(f, "{jaccard}\t{containment_left}\t{containment_right}")
            }
            Self::Containment { containment, jaccard, containment_left, containment_right } => {
                write!(f, "{containment}\t{jaccard}\t{containment_left}\t{containment_right}")
            }
            Self::Bits { simhash, hamming } => write!(f, "{simhash}\t{hamming}"),
        }
    }
}
