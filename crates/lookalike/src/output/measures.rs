//! The measures shown beside the similarity in a row.

use std::io;

use lookalike_core::measure::likeness::Likeness;

use crate::output::sink::Cell;

/// The measures of two documents. Missing ones are `None`: bit sketches have no features to compare.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Measures {
    pub(crate) jaccard: Option<f64>,
    pub(crate) containment_of_left: Option<f64>,
    pub(crate) containment_of_right: Option<f64>,
    pub(crate) hamming: Option<u32>,
}

impl Measures {
    pub(crate) fn of(likeness: Likeness) -> Self {
        match likeness {
            Likeness::Features(overlap) => Self {
                jaccard: Some(overlap.jaccard()),
                containment_of_left: Some(overlap.containment_left()),
                containment_of_right: Some(overlap.containment_right()),
                hamming: None,
            },
            Likeness::Bits { differing, .. } => Self { hamming: Some(differing), ..Self::default() },
        }
    }

    /// Names of the columns, given those of both containments.
    pub(crate) fn names(self, [of_left, of_right]: [&'static str; 2]) -> Vec<&'static str> {
        if self.hamming.is_some() { vec!["hamming"] } else { vec!["jaccard", of_left, of_right] }
    }

    /// Passes the cells of these columns to `each`.
    pub(crate) fn each_cell(self, each: &mut dyn FnMut(Cell<'_>) -> io::Result<()>) -> io::Result<()> {
        if let Some(hamming) = self.hamming {
            return each(Cell::Whole(hamming.into()));
        }
        let shares = [self.jaccard, self.containment_of_left, self.containment_of_right];
        shares.into_iter().try_for_each(|share| each(share.map_or(Cell::Empty, Cell::Real)))
    }
}
