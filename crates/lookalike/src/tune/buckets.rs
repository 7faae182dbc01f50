//! Pairs of texts that agree in a band: counted, drawn at random, or listed.
//!
//! Pairs are of documents, so a text with n copies counts n times on its side. A pair that agrees in several bands
//! occurs several times: draws must be divided by that number.

use lookalike_core::bucket::Union;
use lookalike_core::bucket::banding::Banding;
use lookalike_core::hash::mix;
use rayon::prelude::*;

use super::chance::Chance;

/// Slots of the sketch of each text, from which all bandings are cut. Sixteen bits each: differing slots agree by
/// chance once in 65,536 times, which is negligible compared with similar pairs.
pub(super) struct Slots<'a> {
    pub(super) slots: &'a [u16],
    pub(super) per_text: usize,
}

impl Slots<'_> {
    pub(super) fn of(&self, text: u32) -> &[u16] {
        &self.slots[text as usize * self.per_text..][..self.per_text]
    }

    /// Number of bands in which two texts agree.
    pub(super) fn agreeing(&self, banding: Banding, left: u32, right: u32) -> usize {
        let [left, right] = [left, right].map(|text| self.of(text).chunks_exact(banding.rows()).take(banding.bands()));
        left.zip(right).filter(|(left, right)| left == right).count()
    }
}

/// All buckets of a banding.
pub(super) struct Buckets<'a> {
    /// Number of documents with each text.
    weights: &'a [u32],
    members: Vec<u32>,
    /// The end of each bucket among the members, and the number of pairs up to there.
    ends: Vec<(usize, u64)>,
    /// Number of pairs of texts.
    pub(super) text_pairs: u64,
}

impl<'a> Buckets<'a> {
    pub(super) fn new(slots: &Slots<'_>, weights: &'a [u32], banding: Banding) -> Self {
        let mut buckets = Self { weights, members: Vec::new(), ends: Vec::new(), text_pairs: 0 };
        let mut keys: Vec<(u64, u32)> = Vec::with_capacity(weights.len());
        for band in 0..banding.bands() {
            keys.clear();
            let rows = band * banding.rows()..(band + 1) * banding.rows();
            let key =
                |text: u32| slots.of(text)[rows.clone()].iter().fold(0, |key, slot| mix(key ^ u64::from(*slot)) + 1);
            keys.par_extend((0..weights.len() as u32).into_par_iter().map(|text| (key(text), text)));
            keys.par_sort_unstable();
            keys.chunk_by(|left, right| left.0 == right.0).filter(|equal| equal.len() > 1).for_each(|equal| {
                buckets.push(equal.iter().map(|(_, text)| *text));
            });
        }
        buckets
    }

    /// Adds a bucket of distinct texts.
    fn push(&mut self, texts: impl Iterator<Item = u32>) {
        let start = self.members.len();
        self.members.extend(texts);
        let weights = self.members[start..].iter().map(|text| u64::from(self.weights[*text as usize]));
        let (sum, squares) = weights.fold((0, 0), |(sum, squares), weight| (sum + weight, squares + weight * weight));
        let count = (self.members.len() - start) as u64;
        self.text_pairs += count * (count - 1) / 2;
        self.ends.push((self.members.len(), self.pair_count() + (sum * sum - squares) / 2));
    }

    /// Number of pairs of documents, with repetition for those in several buckets.
    pub(super) fn pair_count(&self) -> u64 {
        self.ends.last().map_or(0, |end| end.1)
    }

    /// All distinct pairs of texts.
    pub(super) fn all(&self) -> Vec<(u32, u32)> {
        let mut pairs = Vec::new();
        let mut start = 0;
        for (end, _) in &self.ends {
            let members = &self.members[start..*end];
            for (at, left) in members.iter().enumerate() {
                pairs.extend(members[at + 1..].iter().map(|right| (*left, *right)));
            }
            start = *end;
        }
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }

    /// The number of texts of the largest family, which share buckets directly or through others, and of the buckets
    /// that join them.
    pub(super) fn largest_family(&self) -> Option<(u64, u64)> {
        let starts = std::iter::once(0).chain(self.ends.iter().map(|end| end.0));
        let members = || starts.clone().zip(&self.ends).map(|(start, end)| &self.members[start..end.0]);
        let mut union = Union::new(self.weights.len());
        for texts in members() {
            texts.iter().skip(1).for_each(|text| union.join(texts[0], *text));
        }
        let mut families = vec![(0, 0); self.weights.len()];
        (0..self.weights.len() as u32).for_each(|text| families[union.root(text) as usize].0 += 1);
        members().for_each(|texts| families[union.root(texts[0]) as usize].1 += 1);
        families.into_iter().filter(|family| family.0 > 1).max()
    }

    /// Draws pairs of texts at random, with a probability proportional to their pairs of documents in buckets, with
    /// replacement.
    pub(super) fn drawn(&self, count: usize, chance: &mut Chance) -> Vec<(u32, u32)> {
        let mut places: Vec<u64> = (0..count).map(|_| chance.below(self.pair_count())).collect();
        places.sort_unstable();
        let bucket_of = |place: &u64| self.ends.partition_point(|end| end.1 <= *place);
        let mut drawn = Vec::with_capacity(count);
        for places in places.chunk_by(|left, right| bucket_of(left) == bucket_of(right)) {
            let bucket = bucket_of(&places[0]);
            let start = if bucket == 0 { 0 } else { self.ends[bucket - 1].0 };
            let members = Members::new(&self.members[start..self.ends[bucket].0], self.weights);
            drawn.extend(places.iter().map(|_| members.draw(chance)));
        }
        drawn
    }
}

/// The members of a bucket, for drawing pairs.
struct Members<'a> {
    texts: &'a [u32],
    /// Cumulative number of documents, and of their pairs with all others.
    documents: Vec<u64>,
    pairs: Vec<u64>,
}

impl<'a> Members<'a> {
    fn new(texts: &'a [u32], weights: &[u32]) -> Self {
        let weight = |text: &u32| u64::from(weights[*text as usize]);
        let all: u64 = texts.iter().map(weight).sum();
        let (mut documents, mut pairs) = (Vec::with_capacity(texts.len()), Vec::with_capacity(texts.len()));
        let (mut before, mut pairs_before) = (0, 0);
        for text in texts {
            before += weight(text);
            pairs_before += weight(text) * (all - weight(text));
            documents.push(before);
            pairs.push(pairs_before);
        }
        Self { texts, documents, pairs }
    }

    /// Two distinct texts, with a probability proportional to their pairs of documents.
    fn draw(&self, chance: &mut Chance) -> (u32, u32) {
        let place = chance.below(*self.pairs.last().expect("a bucket has members"));
        let one = self.pairs.partition_point(|end| *end <= place);
        let start = if one == 0 { 0 } else { self.documents[one - 1] };
        let own = self.documents[one] - start;
        // Skip the documents of the first text.
        let all = *self.documents.last().expect("a bucket has members");
        let place = chance.below(all - own);
        let place = if place < start { place } else { place + own };
        let other = self.documents.partition_point(|end| *end <= place);
        let (one, other) = (self.texts[one], self.texts[other]);
        (one.min(other), one.max(other))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn pairs_are_drawn_as_often_as_they_have_documents() {
        // Two bands of one slot: texts 0, 1 and 2 share the first, 2 and 3 the second; they have 3, 2, 1 and 4
        // documents.
        let slots = Slots { slots: &[7, 1, 7, 2, 7, 3, 8, 3], per_text: 2 };
        let weights = [3, 2, 1, 4];
        let buckets = Buckets::new(&slots, &weights, Banding::new(2, 1).unwrap());
        assert_eq!((buckets.pair_count(), buckets.text_pairs), (6 + 3 + 2 + 4, 4));
        assert_eq!(buckets.all(), [(0, 1), (0, 2), (1, 2), (2, 3)]);
        assert_eq!(buckets.largest_family(), Some((4, 2)));
        let mut counts: HashMap<(u32, u32), f64> = HashMap::new();
        let mut chance = Chance::new(1);
        buckets.drawn(30_000, &mut chance).into_iter().for_each(|pair| *counts.entry(pair).or_default() += 1.0);
        // A fifteenth of 30,000 draws is 2,000, with a standard deviation of at most 87 for six fifteenths.
        for (pair, documents) in [((0, 1), 6.0), ((0, 2), 3.0), ((1, 2), 2.0), ((2, 3), 4.0)] {
            assert!((counts[&pair] - 2000.0 * documents).abs() < 440.0, "{pair:?}: {}", counts[&pair]);
        }
    }

    #[test]
    fn a_text_with_very_many_copies_does_not_stop_a_draw() {
        let slots = Slots { slots: &[7, 7], per_text: 1 };
        let buckets = Buckets::new(&slots, &[1_000_000, 1], Banding::new(1, 1).unwrap());
        assert_eq!(buckets.pair_count(), 1_000_000);
        assert_eq!(buckets.drawn(5, &mut Chance::new(1)), [(0, 1); 5]);
    }
}
