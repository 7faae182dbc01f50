//! Bands and rows: how a sketch is cut, and what that finds.

use crate::error::{Error, Result};
use crate::hash::band_key;
use crate::similarity::{Similarity, Threshold};

/// A sketch is cut into `bands` of `rows` slots each. Two items are candidates when they agree in all rows of a band.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Banding {
    bands: usize,
    rows: usize,
}

/// How many slots a sketch may have when bands and rows are given.
pub const MOST_SLOTS: usize = 4096;

/// How many slots a sketch has at most when bands and rows are chosen. More slots would let fewer pairs below the
/// threshold through, but cost time and memory for every document, where verification costs them for candidates only.
pub const CHOSEN_SLOTS: usize = 144;

impl Banding {
    /// A banding of these numbers.
    ///
    /// # Errors
    ///
    /// [`Error::BandingOutOfRange`] when one is zero, or the sketch would have more than [`MOST_SLOTS`].
    pub fn new(bands: usize, rows: usize) -> Result<Self> {
        if bands >= 1 && rows >= 1 && bands.saturating_mul(rows) <= MOST_SLOTS {
            Ok(Self { bands, rows })
        } else {
            Err(Error::BandingOutOfRange { bands, rows, most: MOST_SLOTS })
        }
    }

    /// The banding with the most rows, and so the fewest false candidates, that finds a pair exactly at the threshold
    /// with this chance, within [`CHOSEN_SLOTS`].
    ///
    /// ```
    /// use lookalike_core::{banding::Banding, similarity::Threshold};
    ///
    /// let banding = Banding::for_recall(Threshold::new(0.8)?, 0.99)?;
    /// assert_eq!((banding.bands(), banding.rows()), (20, 7));
    /// # Ok::<(), lookalike_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::RecallOutOfRange`] when the recall is not above 0 and at most 1; [`Error::RecallOutOfReach`] when even
    /// one row a band finds too few.
    pub fn for_recall(threshold: Threshold, recall: f64) -> Result<Self> {
        if !(recall > 0.0 && recall <= 1.0) {
            return Err(Error::RecallOutOfRange { value: recall });
        }
        let enough = |banding: &Self| banding.recall_at(threshold.into()) >= recall;
        (1..=CHOSEN_SLOTS)
            .rev()
            .find_map(|rows| (1..=CHOSEN_SLOTS / rows).map(|bands| Self { bands, rows }).find(enough))
            .ok_or(Error::RecallOutOfReach { threshold: threshold.value(), recall, most: CHOSEN_SLOTS })
    }

    /// How many bands there are.
    pub fn bands(self) -> usize {
        self.bands
    }

    /// How many rows a band has.
    pub fn rows(self) -> usize {
        self.rows
    }

    /// How many slots the sketch has.
    pub fn slot_count(self) -> usize {
        self.bands * self.rows
    }

    /// The chance that a pair this much alike becomes a candidate.
    pub fn recall_at(self, similarity: Similarity) -> f64 {
        // A band agrees only when all its rows agree; a pair is missed only when
        // every band disagrees. (Leskovec et al., Mining of Massive Datasets, 3.4.2)
        let band_agrees = similarity.value().powi(self.rows as i32);
        1.0 - (1.0 - band_agrees).powi(self.bands as i32)
    }

    /// The key of each band of a sketch.
    pub fn keys(self, sketch: &[u64]) -> impl Iterator<Item = u64> {
        sketch.chunks_exact(self.rows).enumerate().map(|(band, rows)| band_key(band, rows))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recall_at(bands: usize, rows: usize, similarity: f64) -> f64 {
        Banding::new(bands, rows).unwrap().recall_at(Similarity::new(similarity).unwrap())
    }

    #[test]
    fn more_bands_find_more_pairs_and_more_rows_fewer() {
        assert!(recall_at(20, 5, 0.5) > recall_at(10, 5, 0.5));
        assert!(recall_at(20, 6, 0.5) < recall_at(20, 5, 0.5));
    }

    #[test]
    fn the_textbook_curve_is_met() {
        for (similarity, found) in [(0.2, 0.006), (0.4, 0.186), (0.6, 0.802), (0.8, 0.9996)] {
            assert!((recall_at(20, 5, similarity) - found).abs() < 0.0005, "{similarity}");
        }
    }

    #[test]
    fn the_chosen_banding_has_the_recall_that_was_asked_for() {
        for threshold in [0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 1.0] {
            for recall in [0.5, 0.9, 0.99, 0.999] {
                let banding = Banding::for_recall(Threshold::new(threshold).unwrap(), recall).unwrap();
                assert!(recall_at(banding.bands(), banding.rows(), threshold) >= recall);
                assert!(banding.slot_count() <= CHOSEN_SLOTS);
            }
        }
    }

    #[test]
    fn a_recall_of_one_is_one_to_the_last_digit() {
        let banding = Banding::for_recall(Threshold::new(0.8).unwrap(), 1.0).unwrap();
        assert!(recall_at(banding.bands(), banding.rows(), 0.8) >= 1.0);
    }

    #[test]
    fn what_cannot_be_is_refused() {
        assert!(Banding::new(0, 5).is_err());
        assert!(Banding::new(usize::MAX, 2).is_err());
        let threshold = Threshold::new(0.01).unwrap();
        assert!(matches!(Banding::for_recall(threshold, 0.99), Err(Error::RecallOutOfReach { .. })));
        assert!(matches!(Banding::for_recall(threshold, 1.5), Err(Error::RecallOutOfRange { .. })));
    }
}
