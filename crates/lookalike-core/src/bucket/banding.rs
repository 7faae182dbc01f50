//! Bands and rows: how a sketch is cut, and which pairs that finds.

use crate::bucket::chance::{at_least, binomial, share_of_sets};
use crate::error::{Error, Result};
use crate::hash::{band_key, row_draw};
use crate::measure::similarity::{Similarity, Threshold};

/// A sketch is cut into `bands` of `rows` slots each. Two items are candidates if they agree in all rows of a band, or
/// of as many bands as are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Banding {
    bands: usize,
    rows: usize,
    /// Number of bands in which candidates agree.
    agreeing: usize,
    choice: Choice,
}

/// Assignment of slots to bands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Choice {
    /// Every slot is in one band.
    InOrder,
    /// The rows of each band are drawn from this many slots.
    Random(usize),
}

/// Maximum number of slots when bands and rows are given.
pub const MOST_SLOTS: usize = 4096;

/// Maximum number of slots when bands and rows are chosen automatically. More slots would let fewer pairs below the
/// threshold through, but cost time and memory for every document, where verification costs them for candidates only.
pub const CHOSEN_SLOTS: usize = 144;

impl Banding {
    /// Creates a banding with these numbers.
    ///
    /// # Errors
    ///
    /// [`Error::BandingOutOfRange`] if one is zero, or the sketch would have more than [`MOST_SLOTS`].
    pub fn new(bands: usize, rows: usize) -> Result<Self> {
        if bands >= 1 && rows >= 1 && bands.saturating_mul(rows) <= MOST_SLOTS {
            Ok(Self { bands, rows, agreeing: 1, choice: Choice::InOrder })
        } else {
            Err(Error::BandingOutOfRange { bands, rows, most: MOST_SLOTS })
        }
    }

    /// Creates a banding whose rows are drawn at random from `slots`: bands may share slots, so that many bands need
    /// few slots.
    ///
    /// # Errors
    ///
    /// [`Error::BandingOutOfRange`] if a number is zero or too large; [`Error::TooFewSlots`] if a band has more rows
    /// than there are slots.
    pub fn random(bands: usize, rows: usize, slots: usize) -> Result<Self> {
        let banding = Self::new(bands, rows)?;
        if (rows..=MOST_SLOTS).contains(&slots) {
            Ok(Self { choice: Choice::Random(slots), ..banding })
        } else {
            Err(Error::TooFewSlots { rows, slots, most: MOST_SLOTS })
        }
    }

    /// The same banding, but candidates must agree in `agreeing` bands.
    ///
    /// # Errors
    ///
    /// [`Error::AgreeingOutOfRange`] if it is zero, or more than the number of bands.
    pub fn with_agreeing(self, agreeing: usize) -> Result<Self> {
        if (1..=self.bands).contains(&agreeing) {
            Ok(Self { agreeing, ..self })
        } else {
            Err(Error::AgreeingOutOfRange { agreeing, bands: self.bands })
        }
    }

    /// Finds the banding with the most rows, and so the fewest false candidates, that finds a pair exactly at the
    /// threshold with this probability, within [`CHOSEN_SLOTS`].
    ///
    /// ```
    /// use lookalike_core::{bucket::banding::Banding, measure::similarity::Threshold};
    ///
    /// let banding = Banding::for_recall(Threshold::new(0.8)?, 0.99)?;
    /// assert_eq!((banding.bands(), banding.rows()), (20, 7));
    /// # Ok::<(), lookalike_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::RecallOutOfRange`] if the recall is not above 0 and at most 1; [`Error::RecallOutOfReach`] if even one
    /// row per band finds too few.
    pub fn for_recall(threshold: Threshold, recall: f64) -> Result<Self> {
        if !(recall > 0.0 && recall <= 1.0) {
            return Err(Error::RecallOutOfRange { value: recall });
        }
        let enough = |banding: &Self| banding.recall_at(threshold.into()) >= recall;
        let of = |bands, rows| Self { bands, rows, agreeing: 1, choice: Choice::InOrder };
        (1..=CHOSEN_SLOTS)
            .rev()
            .find_map(|rows| (1..=CHOSEN_SLOTS / rows).map(|bands| of(bands, rows)).find(enough))
            .ok_or(Error::RecallOutOfReach { threshold: threshold.value(), recall, most: CHOSEN_SLOTS })
    }

    /// Number of bands.
    pub fn bands(self) -> usize {
        self.bands
    }

    /// Rows per band.
    pub fn rows(self) -> usize {
        self.rows
    }

    /// Number of bands in which candidates agree.
    pub fn agreeing(self) -> usize {
        self.agreeing
    }

    /// Slots per sketch.
    pub fn slot_count(self) -> usize {
        match self.choice {
            Choice::InOrder => self.bands * self.rows,
            Choice::Random(slots) => slots,
        }
    }

    /// True if rows are drawn at random.
    pub fn is_random(self) -> bool {
        self.choice != Choice::InOrder
    }

    /// Probability that a pair of this similarity becomes a candidate.
    pub fn recall_at(self, similarity: Similarity) -> f64 {
        match self.choice {
            // A band agrees only when all its rows agree; a pair is missed only when
            // every band disagrees. (Leskovec et al., Mining of Massive Datasets, 3.4.2)
            Choice::InOrder => {
                let band_agrees = similarity.value().powi(self.rows as i32);
                at_least(self.bands, self.agreeing, band_agrees)
            }
            // Given the number of agreeing slots, bands are independent even if they share slots.
            Choice::Random(slots) => (0..=slots)
                .map(|within| {
                    let band_agrees = share_of_sets(slots, within, self.rows);
                    binomial(slots, within, similarity.value()) * at_least(self.bands, self.agreeing, band_agrees)
                })
                .sum::<f64>()
                .min(1.0),
        }
    }

    /// Returns the cutter for this banding. Create it once, since it draws the random rows.
    pub fn cutter(self) -> Cutter {
        let row_sets = match self.choice {
            Choice::InOrder => Vec::new(),
            Choice::Random(slots) => (0..self.bands).flat_map(|band| draw(band, self.rows, slots)).collect(),
        };
        Cutter { banding: self, row_sets }
    }
}

/// Distinct slots for one band, the same on every machine.
fn draw(band: usize, rows: usize, slots: usize) -> Vec<u16> {
    let mut drawn: Vec<u16> = Vec::with_capacity(rows);
    let mut attempt = 0;
    while drawn.len() < rows {
        let slot = ((u128::from(row_draw(band, attempt)) * slots as u128) >> 64) as u16;
        attempt += 1;
        if !drawn.contains(&slot) {
            drawn.push(slot);
        }
    }
    drawn
}

/// Cuts sketches into the keys of their bands.
#[derive(Clone, Debug)]
pub struct Cutter {
    banding: Banding,
    /// The slots of all bands, one band after the other; empty if they are in order.
    row_sets: Vec<u16>,
}

impl Cutter {
    /// Passes the key of each band of a sketch to `each`.
    pub fn keys(&self, sketch: &[u64], mut each: impl FnMut(u64)) {
        let rows = self.banding.rows;
        if self.row_sets.is_empty() {
            sketch.chunks_exact(rows).enumerate().for_each(|(band, rows)| each(band_key(band, rows)));
            return;
        }
        let mut drawn = vec![0; rows];
        for (band, row_set) in self.row_sets.chunks_exact(rows).enumerate() {
            drawn.iter_mut().zip(row_set).for_each(|(row, slot)| *row = sketch[usize::from(*slot)]);
            each(band_key(band, &drawn));
        }
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
    fn two_bands_that_must_agree_find_fewer_pairs_than_one() {
        let similarity = Similarity::new(0.95).unwrap();
        let one = Banding::new(6, 14).unwrap();
        let two = one.with_agreeing(2).unwrap();
        // 0.95^14 = 0.4877; none of six 0.0181, one of six 0.1032.
        assert!((one.recall_at(similarity) - 0.9819).abs() < 0.0001);
        assert!((two.recall_at(similarity) - 0.8787).abs() < 0.0001);
        assert!(one.with_agreeing(7).is_err() && one.with_agreeing(0).is_err());
    }

    #[test]
    fn random_rows_of_very_many_slots_find_what_bands_find() {
        let random = Banding::random(125, 3, 4096).unwrap();
        for similarity in [0.1, 0.3, 0.5, 0.8] {
            let found = random.recall_at(Similarity::new(similarity).unwrap());
            assert!((found - recall_at(125, 3, similarity)).abs() < 0.005, "{similarity}: {found}");
        }
        // With few slots, bands share them, and tend to agree together.
        let few = Banding::random(125, 3, 10).unwrap().recall_at(Similarity::new(0.3).unwrap());
        assert!(few < recall_at(125, 3, 0.3) - 0.05, "{few}");
        assert!(Banding::random(125, 3, 2).is_err());
    }

    #[test]
    fn random_rows_are_different_slots_and_always_the_same() {
        let cutter = Banding::random(50, 7, 9).unwrap().cutter();
        for rows in cutter.row_sets.chunks(7) {
            let mut sorted = rows.to_vec();
            sorted.sort_unstable();
            sorted.dedup();
            assert_eq!(sorted.len(), 7);
            assert!(sorted.iter().all(|slot| *slot < 9));
        }
        let first = Banding::random(2, 3, 100).unwrap().cutter();
        assert_eq!(first.row_sets, [8, 89, 26, 37, 38, 98]);
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
