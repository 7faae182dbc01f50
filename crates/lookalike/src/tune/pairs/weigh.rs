//! The weight of a found pair: depends on how often it was drawn, the probability of finding it, and the share of the
//! input that was read.

use lookalike_core::bucket::banding::Banding;

use super::EDGES;
use crate::tune::buckets::Slots;
use crate::tune::chance::Chance;

/// Data on the texts that were read.
pub(in crate::tune) struct Texts<'a> {
    pub(in crate::tune) slots: Slots<'a>,
    /// Number of documents with each text.
    pub(in crate::tune) weights: &'a [u32],
    /// The documents of each text, and the part of each document.
    pub(in crate::tune) documents: &'a [Vec<u32>],
    pub(in crate::tune) part_of: &'a [u32],
    /// Number of parts read, and total number.
    pub(in crate::tune) parts_read: u32,
    pub(in crate::tune) parts: f64,
}

/// A pair that represents a number of pairs.
pub(super) struct Hit {
    pub(super) similarity: f64,
    pub(super) weight: f64,
    /// Its contribution to the variance.
    pub(super) variance: f64,
    pub(super) parts: [u32; 2],
    /// The two texts, if they are distinct.
    pub(super) texts: Option<(u32, u32)>,
    /// The number of pairs of documents that these texts certainly form.
    pub(super) documents: f64,
}

/// A step, or the copies, with its sampling parameters.
pub(super) struct Stratum {
    /// From this similarity up to the next one.
    pub(super) from: f64,
    pub(super) hits: Vec<Hit>,
    /// Maximum weight of one pair.
    pub(super) greatest: f64,
    /// Number of pairs that certainly exist, whatever was drawn.
    pub(super) certain: f64,
}

impl Stratum {
    pub(super) fn end(&self) -> f64 {
        EDGES.iter().copied().find(|edge| *edge > self.from).unwrap_or(f64::INFINITY)
    }
}

impl Texts<'_> {
    pub(in crate::tune) fn is_whole(&self) -> bool {
        f64::from(self.parts_read) >= self.parts
    }

    /// Maximum number of pairs of this many documents.
    pub(super) fn most_pairs(&self) -> f64 {
        let read: u64 = self.weights.iter().map(|weight| u64::from(*weight)).sum();
        let all =
            if self.is_whole() { read as f64 } else { read as f64 * self.parts / f64::from(self.parts_read.max(1)) };
        (all * (all - 1.0) / 2.0).max(0.0)
    }

    /// Number of pairs of the whole input that a pair represents if this many parts were read: within a part, and
    /// across two.
    pub(super) fn factors(&self, parts_read: u32) -> [f64; 2] {
        let (read, all) = (f64::from(parts_read), self.parts);
        if read >= all {
            return [1.0, 1.0];
        }
        let other = if read > 1.0 { (all - 1.0) / (read - 1.0) } else { all };
        [all / read, all / read * other]
    }

    /// The weight of a pair of distinct texts. A drawn pair counts for `weight`, less if it is drawn more often; a
    /// listed one for all its documents. In addition, each pair could have been missed, with all its documents at once.
    pub(super) fn hit(
        &self,
        (left, right): (u32, u32),
        similarity: f64,
        recall: f64,
        weight: Option<f64>,
        banding: Banding,
        chance: &mut Chance,
    ) -> Hit {
        let documents = f64::from(self.weights[left as usize]) * f64::from(self.weights[right as usize]);
        let missed = documents * (1.0 - recall) / recall;
        let texts = Some((left, right));
        let parts = [left, right].map(|text| self.any_part(text, chance));
        let Some(weight) = weight else {
            let weight = documents / recall;
            return Hit { similarity, weight, variance: weight * missed, parts, texts, documents };
        };
        let agreeing = self.slots.agreeing(banding, left, right).max(1) as f64;
        let weight = weight / (agreeing * recall);
        Hit { similarity, weight, variance: weight * weight + weight * missed, parts, texts, documents }
    }

    /// The part of a random document of a text.
    fn any_part(&self, text: u32, chance: &mut Chance) -> u32 {
        let documents = &self.documents[text as usize];
        self.part_of[documents[chance.below(documents.len() as u64) as usize] as usize]
    }

    /// Pairs of copies, drawn with their parts.
    pub(super) fn drawn_copies(&self, draws: usize, chance: &mut Chance) -> Stratum {
        let mut ends = Vec::with_capacity(self.weights.len());
        let mut count = 0;
        for weight in self.weights {
            count += u64::from(*weight) * u64::from(weight.saturating_sub(1)) / 2;
            ends.push(count);
        }
        let weight = count as f64 / draws as f64;
        let mut hits = Vec::new();
        for _ in 0..if count == 0 { 0 } else { draws } {
            let place = chance.below(count);
            let documents = &self.documents[ends.partition_point(|end| *end <= place)];
            let one = chance.below(documents.len() as u64);
            let other = chance.below(documents.len() as u64 - 1);
            let other = if other < one { other } else { other + 1 };
            let parts = [one, other].map(|at| self.part_of[documents[at as usize] as usize]);
            let variance = weight * weight;
            hits.push(Hit { similarity: 1.0, weight, variance, parts, texts: None, documents: 0.0 });
        }
        Stratum { from: f64::INFINITY, hits, greatest: weight, certain: count as f64 }
    }
}
