//! Estimates the number of pairs above each similarity, without comparing all of them.
//!
//! ```text
//! for each step of similarity: a banding that finds its pairs → buckets → pairs drawn from them → measured → weighed
//! ```
//!
//! Everything that was read is included, so that no cluster is missed; only the pairs to *measure* are drawn. Each step
//! has its own banding, since one that finds pairs at 0.5 mostly finds pairs below it, and pairs at 0.95 would hardly
//! ever be drawn. A pair that agrees in c of the bands is drawn c times as often, and was found with a known
//! probability p, so it counts for 1 / (c · p), and the sum is unbiased (Horvitz and Thompson 1952). Draws are
//! independent of each other, so the interval holds for clusters of any size.
//!
//! If only some parts of the input were read, pairs within a part are seen with the probability of a part, and others
//! with about its square. The resulting error is measured by leaving out parts (the jackknife).

#[cfg(test)]
mod tests;
mod weigh;

use std::collections::{HashMap, HashSet};

use lookalike_core::bucket::banding::Banding;
use lookalike_core::measure::similarity::{Similarity, Threshold};

use super::buckets::Buckets;
use super::chance::Chance;
use crate::error::Result;
use crate::statistics::{Estimate, of_sum};

pub(super) use self::weigh::Texts;
use self::weigh::{Hit, Stratum};

/// Lower ends of steps: pairs below the first are not counted.
pub(super) const EDGES: [f64; 10] = [0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95];

/// The probability that the banding of a step finds a pair at its lower end.
const RECALL: f64 = 0.995;

/// Number of groups of parts, of which one at a time is left out.
const GROUPS: u32 = 40;

/// Amount of sampling.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effort {
    /// Number of pairs measured in each step.
    pub(super) draws: usize,
    /// Maximum number of pairs of texts for which all are measured.
    pub(super) listed: u64,
}

/// The estimated numbers of pairs.
pub(super) struct PairCounts<'a> {
    texts: &'a Texts<'a>,
    /// Pairs of copies, if known.
    copies: f64,
    strata: Vec<Stratum>,
}

impl<'a> PairCounts<'a> {
    /// Computes estimates; `measure` returns the similarities of pairs of distinct texts.
    pub(super) fn estimate(
        texts: &'a Texts<'a>,
        effort: Effort,
        seed: u64,
        measure: impl Fn(&[(u32, u32)]) -> Result<Vec<f64>>,
    ) -> Result<Self> {
        let mut chance = Chance::new(seed);
        let mut counts = Self { texts, copies: 0.0, strata: Vec::new() };
        if texts.is_whole() {
            let pairs = |weight: &u32| f64::from(*weight) * f64::from(weight.saturating_sub(1)) / 2.0;
            counts.copies = texts.weights.iter().map(pairs).sum();
        } else {
            counts.strata.push(texts.drawn_copies(effort.draws, &mut chance));
        }
        let mut drawn = Vec::new();
        for edge in EDGES {
            let banding = Banding::for_recall(Threshold::new(edge)?, RECALL)?;
            let buckets = Buckets::new(&texts.slots, texts.weights, banding);
            // Parts are drawn with documents, so listing all texts is not sufficient if only some were read.
            let is_listed = texts.is_whole() && buckets.text_pairs <= effort.listed;
            let pairs = match buckets.pair_count() {
                0 => Vec::new(),
                _ if is_listed => buckets.all(),
                _ => buckets.drawn(effort.draws, &mut chance),
            };
            let weight = if is_listed { None } else { Some(buckets.pair_count() as f64 / effort.draws as f64) };
            drawn.push((edge, banding, pairs, weight));
        }
        let mut all: Vec<(u32, u32)> = drawn.iter().flat_map(|(_, _, pairs, _)| pairs).copied().collect();
        all.sort_unstable();
        all.dedup();
        let similarities: HashMap<(u32, u32), f64> = all.iter().copied().zip(measure(&all)?).collect();
        for (at, (edge, banding, pairs, weight)) in drawn.into_iter().enumerate() {
            let end = EDGES.get(at + 1).copied().unwrap_or(f64::INFINITY);
            let recall = |similarity: f64| Ok::<_, crate::Error>(banding.recall_at(Similarity::new(similarity)?));
            let mut stratum = Stratum {
                from: edge,
                hits: Vec::new(),
                greatest: weight.map_or(0.0, |weight| weight / RECALL),
                certain: 0.0,
            };
            for pair in pairs {
                let similarity = similarities[&pair];
                if (edge..end).contains(&similarity) {
                    let found = recall(similarity)?;
                    stratum.hits.push(texts.hit(pair, similarity, found, weight, banding, &mut chance));
                }
            }
            counts.strata.push(stratum);
        }
        Ok(counts)
    }

    /// Number of pairs from a similarity upwards.
    pub(super) fn from(&self, similarity: f64) -> Estimate {
        let strata = self.strata.iter().filter(|stratum| stratum.end() > similarity);
        self.sum(strata, |hit| hit.similarity >= similarity).plus(self.copies)
    }

    /// Number of pairs of distinct texts in the step that begins here.
    pub(super) fn step(&self, from: f64) -> Estimate {
        let strata = self.strata.iter().filter(|stratum| stratum.from <= from && from < stratum.end());
        self.sum(strata, |_| true)
    }

    fn sum<'s>(&self, strata: impl Iterator<Item = &'s Stratum>, is_counted: impl Fn(&Hit) -> bool) -> Estimate {
        let factors = self.texts.factors(self.texts.parts_read);
        // If nothing was found and so nothing drawn, there may be pairs in the unread part.
        let (mut greatest, mut hits) = (if self.texts.is_whole() { 0.0 } else { factors[1] }, Vec::new());
        let mut certain = 0.0;
        for stratum in strata {
            certain += stratum.certain;
            greatest = greatest.max(stratum.greatest * factors[1]);
            hits.extend(stratum.hits.iter().filter(|hit| is_counted(hit)));
        }
        let factor = |hit: &Hit| factors[usize::from(hit.parts[0] != hit.parts[1])];
        let sum = hits.iter().map(|hit| hit.weight * factor(hit)).sum();
        let own: f64 = hits.iter().map(|hit| hit.variance * factor(hit) * factor(hit)).sum();
        // Measured pairs exist, however often they were drawn; and the total is at most all pairs of documents.
        let mut seen = HashSet::new();
        let is_new = |hit: &&&Hit| hit.texts.is_some_and(|texts| seen.insert(texts));
        certain += hits.iter().filter(is_new).map(|hit| hit.documents).sum::<f64>();
        let most = (self.texts.most_pairs() - self.copies).max(certain);
        of_sum(sum, own + self.variance_of_parts(&hits), greatest).within(certain, most)
    }

    /// The additional variance because only some parts were read.
    fn variance_of_parts(&self, hits: &[&Hit]) -> f64 {
        let texts = self.texts;
        let groups = GROUPS.min(texts.parts_read);
        if texts.is_whole() || groups < 2 {
            return 0.0;
        }
        let without = |group: u32| {
            let left_out = (0..texts.parts_read).filter(|part| part % groups == group).count() as u32;
            let factors = texts.factors(texts.parts_read - left_out);
            let is_in = |hit: &&&Hit| hit.parts.iter().all(|part| part % groups != group);
            let weight = |hit: &&Hit| hit.weight * factors[usize::from(hit.parts[0] != hit.parts[1])];
            hits.iter().filter(is_in).map(weight).sum::<f64>()
        };
        let sums: Vec<f64> = (0..groups).map(without).collect();
        let count = f64::from(groups);
        let mean = sums.iter().sum::<f64>() / count;
        let unread = 1.0 - f64::from(texts.parts_read) / texts.parts;
        (count - 1.0) / count * unread * sums.iter().map(|sum| (sum - mean).powi(2)).sum::<f64>()
    }
}
