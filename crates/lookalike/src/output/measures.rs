//! How alike two documents are, as rows of an output say it.

use std::io;

use lookalike_core::measure::criterion::Criterion;
use lookalike_core::measure::likeness::Likeness;
use serde::Serialize;

use crate::output::sink::Cell;

/// The measures of a pair, by what was compared.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum PairMeasures {
    /// By features, if the Jaccard similarity decides.
    Jaccard {
        /// Shared features divided by all features.
        jaccard: f64,
        /// The share of the left document that is contained in the right one.
        containment_left: f64,
        /// The share of the right document that is contained in the left one.
        containment_right: f64,
    },
    /// By features, if containment decides.
    Containment {
        /// The similarity of the run.
        containment: f64,
        /// Shared features divided by all features.
        jaccard: f64,
        /// The share of the left document that is contained in the right one.
        containment_left: f64,
        /// The share of the right document that is contained in the left one.
        containment_right: f64,
    },
    /// By the bits of sketches.
    Bits {
        /// The share of equal bits.
        simhash: f64,
        /// Number of bits that differ.
        hamming: u32,
    },
}

impl PairMeasures {
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
    pub(crate) fn names(self) -> &'static [&'static str] {
        match self {
            Self::Jaccard { .. } => &["jaccard", "containment_left", "containment_right"],
            Self::Containment { .. } => &["containment", "jaccard", "containment_left", "containment_right"],
            Self::Bits { .. } => &["simhash", "hamming"],
        }
    }

    pub(crate) fn each_cell(self, each: &mut dyn FnMut(Cell<'_>) -> io::Result<()>) -> io::Result<()> {
        match self {
            Self::Jaccard { jaccard, containment_left, containment_right } => {
                [jaccard, containment_left, containment_right].into_iter().try_for_each(|share| each(Cell::Real(share)))
            }
            Self::Containment { containment, jaccard, containment_left, containment_right } => {
                let shares = [containment, jaccard, containment_left, containment_right];
                shares.into_iter().try_for_each(|share| each(Cell::Real(share)))
            }
            Self::Bits { simhash, hamming } => bits(simhash, hamming, each),
        }
    }
}

/// The measures of a removed document and the kept one, by what was compared.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum RemovalMeasures {
    /// By features.
    Features {
        /// Shared features divided by all features.
        jaccard: f64,
        /// The share of the removed document that is contained in the kept one.
        containment_in_kept: f64,
        /// The share of the kept document that is contained in the removed one.
        containment_of_kept: f64,
    },
    /// By the bits of sketches.
    Bits {
        /// The share of equal bits.
        simhash: f64,
        /// Number of bits that differ.
        hamming: u32,
    },
}

impl RemovalMeasures {
    /// The removed document is on the left.
    pub(crate) fn new(likeness: Likeness) -> Self {
        match likeness {
            Likeness::Features(overlap) => Self::Features {
                jaccard: overlap.jaccard(),
                containment_in_kept: overlap.containment_left(),
                containment_of_kept: overlap.containment_right(),
            },
            Likeness::Bits { differing, of } => {
                Self::Bits { simhash: f64::from(of - differing) / f64::from(of), hamming: differing }
            }
        }
    }

    /// The names of the columns.
    pub(crate) fn names(self) -> &'static [&'static str] {
        match self {
            Self::Features { .. } => &["jaccard", "containment_in_kept", "containment_of_kept"],
            Self::Bits { .. } => &["simhash", "hamming"],
        }
    }

    pub(crate) fn each_cell(self, each: &mut dyn FnMut(Cell<'_>) -> io::Result<()>) -> io::Result<()> {
        match self {
            Self::Features { jaccard, containment_in_kept, containment_of_kept } => {
                let shares = [jaccard, containment_in_kept, containment_of_kept];
                shares.into_iter().try_for_each(|share| each(Cell::Real(share)))
            }
            Self::Bits { simhash, hamming } => bits(simhash, hamming, each),
        }
    }
}

fn bits(simhash: f64, hamming: u32, each: &mut dyn FnMut(Cell<'_>) -> io::Result<()>) -> io::Result<()> {
    each(Cell::Real(simhash))?;
    each(Cell::Whole(hamming.into()))
}
