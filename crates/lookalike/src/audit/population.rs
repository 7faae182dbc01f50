//! Divides the removals of a run into strata, each with a random sample. A stratum is a band of similarity, within one
//! source or across two.
//!
//! Exact copies are in no stratum: they are equal in every character, and need no inspection.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use lookalike_core::hash::draw;

use super::labels::PairKey;
use crate::error::Result;
use crate::output::read_back::each_removal;
use crate::output::rows::Removal;
use crate::report::page::rows::insert_least;

/// A group of removals that is sampled together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Stratum {
    pub(crate) has_one_source: bool,
    /// The number of the band: the similarity is at least a twentieth of it.
    pub(crate) band: u8,
}

/// Number of bands of similarity.
pub(crate) const BANDS: u8 = 20;

/// Minimum number of pairs to label from each stratum, if it has as many.
const LEAST: usize = 15;

/// The removals of a run.
#[derive(Debug, Default)]
pub(crate) struct Population {
    pub(crate) removed: u64,
    pub(crate) exact_copies: u64,
    /// Number of removals of each stratum.
    pub(crate) sizes: BTreeMap<Stratum, u64>,
    /// The first removals of each stratum in a random order.
    drawn: BTreeMap<Stratum, BTreeMap<u64, Removal>>,
    /// The strata of the requested pairs.
    pub(crate) strata_of: HashMap<PairKey, Stratum>,
}

impl Population {
    /// Reads the removals of a folder: draws up to `most` from each stratum, and records the strata of `pairs`.
    pub(crate) fn read(folder: &Path, most: usize, seed: u64, pairs: &HashSet<PairKey>) -> Result<Self> {
        let mut population = Self::default();
        each_removal(folder, |number, removal| population.take(removal, most, draw(seed, number), pairs))?;
        Ok(population)
    }

    fn take(&mut self, removal: Removal, most: usize, drawn: u64, pairs: &HashSet<PairKey>) {
        self.removed += 1;
        if removal.exact_copy {
            self.exact_copies += 1;
            return;
        }
        let has_one_source = removal.removed_source == removal.kept_source;
        let stratum = Stratum { has_one_source, band: band(removal.similarity) };
        *self.sizes.entry(stratum).or_default() += 1;
        if !pairs.is_empty() {
            let key = (removal.removed_place(), removal.kept_place());
            if pairs.contains(&key) {
                self.strata_of.insert(key, stratum);
            }
        }
        insert_least(self.drawn.entry(stratum).or_default(), most, drawn, || removal);
    }

    /// A sample of about this size: at least 15 pairs of each stratum, and the rest in proportion to the number of
    /// their removals.
    pub(crate) fn sample(mut self, size: usize) -> Vec<Removal> {
        let sizes: Vec<u64> = self.sizes.values().copied().collect();
        let counts = allocate(&sizes, size);
        let of_stratum = |(stratum, count): (&Stratum, usize)| {
            self.drawn.remove(stratum).unwrap_or_default().into_values().take(count)
        };
        self.sizes.keys().zip(counts).flat_map(of_stratum).collect()
    }
}

/// The band of a similarity.
pub(crate) fn band(similarity: f64) -> u8 {
    (similarity * f64::from(BANDS)).clamp(0.0, f64::from(BANDS - 1)) as u8
}

/// Number of pairs to take from each stratum.
fn allocate(sizes: &[u64], sample: usize) -> Vec<usize> {
    let fits = |size: u64, count: usize| count.min(usize::try_from(size).unwrap_or(usize::MAX));
    let least = LEAST.min(sample.checked_div(sizes.len()).unwrap_or(0)).max(1);
    let mut counts: Vec<usize> = sizes.iter().map(|size| fits(*size, least)).collect();
    let sample = sample.min(sizes.iter().map(|size| fits(*size, sample)).sum());
    while counts.iter().sum::<usize>() < sample {
        // The stratum with the fewest pairs for its size gets the next one.
        let lacks = |at: &usize| (sizes[*at] > counts[*at] as u64).then(|| counts[*at] as f64 / sizes[*at] as f64);
        let open = (0..sizes.len()).filter_map(|at| Some((lacks(&at)?, at)));
        let Some((_, next)) = open.min_by(|left, right| left.0.total_cmp(&right.0)) else { break };
        counts[next] += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_stratum_has_its_least_and_the_rest_goes_by_weight() {
        assert_eq!(allocate(&[1_000_000, 1_000_000], 300), [150, 150]);
        let counts = allocate(&[9, 40, 900, 90_000], 300);
        assert_eq!((counts[0], counts[1], counts[2]), (9, 15, 15));
        assert_eq!(counts.iter().sum::<usize>(), 300);
        let counts = allocate(&[50_000, 150_000, 100], 300);
        assert!(counts[2] == 15 && counts[0].abs_diff(71) <= 1 && counts[1].abs_diff(214) <= 1, "{counts:?}");
    }

    #[test]
    fn a_small_run_is_labeled_as_a_whole_and_a_small_sample_has_some_of_each() {
        assert_eq!(allocate(&[3, 5, 1], 300), [3, 5, 1]);
        assert_eq!(allocate(&[100; 10], 20), [2; 10]);
        assert_eq!(allocate(&[], 300), [0; 0]);
    }

    #[test]
    fn bands_are_of_a_twentieth() {
        assert_eq!([0.0, 0.8, 0.8499, 0.85, 1.0].map(band), [0, 16, 16, 17, 19]);
    }
}
