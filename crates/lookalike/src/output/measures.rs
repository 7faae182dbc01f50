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
    /// Of features, where the Jaccard similarity decides.
    Jaccard {
        /// What both share of what either has.
        jaccard: f64,
        /// How much of the left lies in the right.
        containment_left: f64,
        /// How much of the right lies in the left.
        containment_right: f64,
    },
    /// Of features, where containment decides: that comes first.
    Containment {
        /// The similarity of the run.
        containment: f64,
        /// What both share of what either has.
        jaccard: f64,
        /// How much of the left lies in the right.
        containment_left: f64,
        /// How much of the right lies in the left.
        containment_right: f64,
    },
    /// Of the bits of sketches.
    Bits {
        /// The share of bits that are equal.
        simhash: f64,
        /// How many bits differ.
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
    /// Of features.
    Features {
        /// What both share of what either has.
        jaccard: f64,
        /// How much of the removed document lies in the kept one.
        containment_in_kept: f64,
        /// How much of the kept document lies in the removed one.
        containment_of_kept: f64,
    },
    /// Of the bits of sketches.
    Bits {
        /// The share of bits that are equal.
        simhash: f64,
        /// How many bits differ.
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
