//! Finds documents contained in others, however much larger these are.
//!
//! Bands find documents that are similar as a whole; a quotation and the book that contains it are not. Therefore a few
//! features of each document are selected, those with the smallest hashes (a bottom-k sketch), and every document that
//! has one of them is a candidate. If a share c of A's features is in B, each of A's selected features is in B with
//! probability c; since they are drawn without replacement, all m of them are missed with a probability of at most (1 -
//! c)^m. This gives the recall, independent of the sizes.
//!
//! The sketch alone finds nothing. All documents are read again, to find the selected features in them.

use rayon::prelude::*;

use super::{Method, Sketched, Sketcher, Take};
use crate::bucket::{Entry, lists_of_columns};
use crate::error::{Error, Result};
use crate::ids::Document;
use crate::join::Sets;
use crate::measure::distinct::Distinct;
use crate::measure::feature_set::FeatureSet;
use crate::measure::similarity::{Similarity, Threshold};
use crate::sketch::{Layout, Sketches, concat};
use crate::sources::SourceError;

/// Finds items that contain one of a few features of another item.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// Number of features selected per item.
    taken: usize,
}

/// Maximum number of features selected per item.
const MOST_TAKEN: usize = 144;

impl Part {
    /// Creates the method that finds an item contained in another at this threshold with this probability.
    ///
    /// # Errors
    ///
    /// [`Error::RecallOutOfRange`] if the recall is not above 0 and at most 1; [`Error::ContainmentOutOfReach`] if it
    /// would need too many features.
    pub fn new(threshold: Threshold, recall: f64) -> Result<Self> {
        if !(recall > 0.0 && recall <= 1.0) {
            return Err(Error::RecallOutOfRange { value: recall });
        }
        let enough = |taken: &usize| Self { taken: *taken }.recall(threshold.value()) >= recall;
        let taken = (1..=MOST_TAKEN).find(enough);
        taken.map(|taken| Self { taken }).ok_or_else(|| Error::ContainmentOutOfReach {
            threshold: threshold.value(),
            recall,
            lowest: lowest_threshold(recall),
            most: MOST_TAKEN,
        })
    }

    /// Creates the method that selects this number of features per item.
    ///
    /// # Errors
    ///
    /// [`Error::TakenOutOfRange`] if it is zero or too large.
    pub fn of_taken(taken: usize) -> Result<Self> {
        if (1..=MOST_TAKEN).contains(&taken) {
            Ok(Self { taken })
        } else {
            Err(Error::TakenOutOfRange { taken, most: MOST_TAKEN })
        }
    }

    /// Number of features selected per item.
    pub fn taken(self) -> usize {
        self.taken
    }

    fn recall(self, containment: f64) -> f64 {
        1.0 - (1.0 - containment).powi(self.taken as i32)
    }
}

/// The lowest threshold with this recall, rounded up to four digits.
fn lowest_threshold(recall: f64) -> f64 {
    let all = Part { taken: MOST_TAKEN };
    // Found by the same test that decides: a formula would have rounding errors.
    (1..10_000).map(|step| f64::from(step) / 1e4).find(|threshold| all.recall(*threshold) >= recall).unwrap_or(1.0)
}

impl Method for Part {
    fn layout(&self) -> Layout {
        Layout { keys: self.taken, bytes: 0 }
    }

    fn sketcher(&self) -> Box<dyn Sketcher> {
        Box::new(LeastFeatures { least: Vec::with_capacity(self.taken + 1), taken: self.taken })
    }

    fn memory(&self, items: u64, _: u64) -> u64 {
        // In a list and in a set, and as an entry of every item that has it: usually one.
        64 * items * self.taken as u64
    }

    fn candidates(&self, sketched: Sketched<'_>, take: Take<'_>) -> std::result::Result<Option<Sets>, SourceError> {
        let Sketched { items, source, memory, .. } = sketched;
        let mut taken: Vec<u64> = Vec::with_capacity(items.len() * self.taken);
        let columns: Vec<usize> = (0..self.taken).collect();
        sketched.each_keys(&columns, |_, keys| taken.extend(keys))?;
        let taken = FeatureSet::new(&taken);
        let entries_of = |(rank, item): (usize, &Document)| {
            let mut shared = source.features(*item)?;
            shared.retain(|feature| taken.contains(*feature));
            shared.sort_unstable();
            shared.dedup();
            Ok(shared.into_iter().map(|key| Entry { key, rank: rank as u32 }).collect())
        };
        let entries =
            items.par_iter().enumerate().map(entries_of).collect::<std::result::Result<Vec<_>, SourceError>>()?;
        let entries = concat(entries);
        let push_all = |_, push: &mut dyn FnMut(Entry)| {
            entries.iter().copied().for_each(push);
            Ok(())
        };
        lists_of_columns(1, entries.len(), memory, push_all, take)?;
        Ok(None)
    }

    fn recall_at(&self, similarity: Similarity) -> Option<f64> {
        Some(self.recall(similarity.value()))
    }
}

struct LeastFeatures {
    least: Vec<u64>,
    taken: usize,
}

impl Sketcher for LeastFeatures {
    fn sketch(&mut self, features: &[u64], _: &Distinct, sketches: &mut Sketches) {
        let Some(first) = features.first() else { return sketches.push_none() };
        self.least.clear();
        for &feature in features {
            if self.least.len() == self.taken && self.least.last().is_some_and(|last| feature >= *last) {
                continue;
            }
            if let Err(place) = self.least.binary_search(&feature) {
                self.least.insert(place, feature);
                self.least.truncate(self.taken);
            }
        }
        // An item with fewer features repeats some of them.
        let first = self.least.first().unwrap_or(first);
        sketches.push(self.least.iter().chain(std::iter::repeat(first)).take(self.taken).copied(), []);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_features_are_taken_as_the_recall_asks_for() {
        let part = |threshold, recall| Part::new(Threshold::new(threshold).unwrap(), recall);
        // 1 - 0.2^2 = 0.96, 1 - 0.2^3 = 0.992.
        assert_eq!(part(0.8, 0.99).unwrap().taken(), 3);
        assert_eq!(part(0.8, 0.96).unwrap().taken(), 2);
        assert_eq!(part(1.0, 1.0).unwrap().taken(), 1);
        assert!(part(0.8, 1.5).is_err());
    }

    #[test]
    fn a_threshold_that_is_too_low_is_refused_with_one_that_is_not() {
        for recall in [0.5, 0.9, 0.99, 0.999, 1.0] {
            let part = |threshold| Part::new(Threshold::new(threshold).unwrap(), recall);
            let Err(Error::ContainmentOutOfReach { lowest, .. }) = part(0.001) else { panic!("{recall}") };
            assert!(part(lowest).is_ok() && part(lowest - 1.01e-4).is_err(), "{recall}: {lowest}");
        }
    }

    #[test]
    fn the_least_features_are_kept_in_any_order() {
        let mut sketches = Sketches::new(Layout { keys: 3, bytes: 0 });
        let mut sketcher = Part { taken: 3 }.sketcher();
        for features in [&[5, 1, 9, 1, 7, 3][..], &[3, 9, 7, 5, 1], &[4, 4], &[]] {
            sketcher.sketch(features, &Distinct::new(features), &mut sketches);
        }
        assert_eq!(
            (0..4).map(|item| sketches.keys(item).to_vec()).collect::<Vec<_>>(),
            [[1, 3, 5], [1, 3, 5], [4, 4, 4], [0, 0, 0]]
        );
    }
}
