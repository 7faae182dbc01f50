//! What a pair that was found counts for: how often it was drawn, with which chance it was found, and how much of the input
//! was read.

use lookalike_core::bucket::banding::Banding;

use super::EDGES;
use crate::tune::buckets::Slots;
use crate::tune::chance::Chance;

/// What is known of the texts that were read.
pub(in crate::tune) struct Texts<'a> {
    pub(in crate::tune) slots: Slots<'a>,
    /// How many documents have each text.
    pub(in crate::tune) weights: &'a [u32],
    /// The documents of each text, and the part that each document was in.
    pub(in crate::tune) documents: &'a [Vec<u32>],
    pub(in crate::tune) part_of: &'a [u32],
    /// How many parts were read, and how many there are.
    pub(in crate::tune) parts_read: u32,
    pub(in crate::tune) parts: f64,
}

/// A pair that counts for a number of pairs.
pub(super) struct Hit {
    pub(super) similarity: f64,
    pub(super) weight: f64,
    /// What it adds to the variance by itself.
    pub(super) variance: f64,
    pub(super) parts: [u32; 2],
    /// The two texts, where these are different.
    pub(super) texts: Option<(u32, u32)>,
    /// The pairs of documents that these texts certainly make.
    pub(super) documents: f64,
}

/// A step, or the copies: how its pairs were had.
pub(super) struct Stratum {
    /// From this similarity on, up to the next.
    pub(super) from: f64,
    pub(super) hits: Vec<Hit>,
    /// What one pair could have counted for at most.
    pub(super) greatest: f64,
    /// Pairs that are certainly there, whatever was drawn.
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

    /// The number of pairs that so many documents can make.
    pub(super) fn most_pairs(&self) -> f64 {
        let read: u64 = self.weights.iter().map(|weight| u64::from(*weight)).sum();
        let all =
            if self.is_whole() { read as f64 } else { read as f64 * self.parts / f64::from(self.parts_read.max(1)) };
        (all * (all - 1.0) / 2.0).max(0.0)
    }

    /// For how many pairs of the whole input a pair counts if so many parts were read: within a part, and of two.
    pub(super) fn factors(&self, parts_read: u32) -> [f64; 2] {
        let (read, all) = (f64::from(parts_read), self.parts);
        if read >= all {
            return [1.0, 1.0];
        }
        let other = if read > 1.0 { (all - 1.0) / (read - 1.0) } else { all };
        [all / read, all / read * other]
    }

    /// What a pair of different texts counts for. One that was drawn counts for `weight`, less where it is drawn more often; one that was
    /// listed for all its documents. Besides, each pair could have been missed, with all its documents at once.
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

    /// The part of one of a text's documents.
    fn any_part(&self, text: u32, chance: &mut Chance) -> u32 {
        let documents = &self.documents[text as usize];
        self.part_of[documents[chance.below(documents.len() as u64) as usize] as usize]
    }

    /// Pairs of copies, drawn with the parts that they are of.
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
