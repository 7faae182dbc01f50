//! Bandings for a given number of bytes per document.

use lookalike_core::bucket::banding::{Banding, MOST_SLOTS};
use lookalike_core::measure::similarity::{Similarity, Threshold};
use serde::Serialize;

/// A banding that fits a budget.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Bought {
    /// Bands and rows of the sketch.
    #[serde(skip)]
    pub banding: Banding,
    /// Bands per sketch.
    pub bands: usize,
    /// Rows per band.
    pub rows: usize,
    /// Bytes per sketch: a key of eight bytes per band, and nothing else.
    pub sketch_bytes: usize,
    /// Probability of finding a pair exactly at the threshold.
    pub recall_at_threshold: f64,
    /// Probability that a pair of half that similarity becomes a candidate, and is compared in vain.
    pub at_half_the_threshold: f64,
}

/// Maximum probability that a pair of half the threshold's similarity becomes a candidate. With a higher one, a corpus
/// with many such pairs would spend its time on them; with fewer rows per band, any recall can be reached.
const MOST_THROUGH: f64 = 0.01;

/// Bytes of a band's key.
const KEY: usize = size_of::<u64>();

/// The bandings for this many bytes, one for each number of rows; the first has the best recall of those without too
/// many false candidates.
pub(crate) fn best_within(bytes: usize, threshold: Threshold) -> Vec<Bought> {
    let bands = bytes / KEY;
    let bought = |rows: usize| {
        let banding = Banding::new(bands, rows).ok()?;
        let at = |similarity: f64| Similarity::new(similarity).map_or(0.0, |similarity| banding.recall_at(similarity));
        Some(Bought {
            banding,
            bands,
            rows,
            sketch_bytes: bands * KEY,
            recall_at_threshold: at(threshold.value()),
            at_half_the_threshold: at(threshold.value() / 2.0),
        })
    };
    let mut all: Vec<Bought> = (1..=MOST_SLOTS / bands.max(1)).map_while(bought).collect();
    // Rows that find a pair less than once in a hundred times are useless.
    all.retain(|bought| bought.recall_at_threshold >= 0.01);
    // Recall decreases with rows, so the fewest rows with few false candidates have the best recall.
    all.sort_by_key(|bought| (bought.at_half_the_threshold > MOST_THROUGH, bought.rows));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_bytes_buy_more_recall() {
        let threshold = Threshold::new(0.8).unwrap();
        let recall = |bytes| best_within(bytes, threshold)[0].recall_at_threshold;
        assert!(recall(256) > recall(128) && recall(128) > recall(64) && recall(64) > recall(8));
        let best = best_within(64, threshold)[0];
        assert_eq!((best.bands, best.sketch_bytes), (8, 64));
        assert!(best.at_half_the_threshold <= MOST_THROUGH);
        // With one row fewer, there would be more false candidates than that.
        let fewer = Banding::new(8, best.rows - 1).unwrap().recall_at(Similarity::new(0.4).unwrap());
        assert!(fewer > MOST_THROUGH);
        assert!(best_within(7, threshold).is_empty());
    }
}
