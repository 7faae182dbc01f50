//! How many pairs there are from which similarity on, without comparing all of them.
//!
//! ```text
//! for each step of similarity: a banding that finds its pairs → buckets → pairs drawn from them → measured → weighed
//! ```
//!
//! All of what was read takes part, so that no cluster is overlooked; only the pairs that are *measured* are drawn. Each step has a
//! banding of its own, since one that finds pairs at 0.5 is full of pairs below it, and pairs at 0.95 would hardly ever be drawn.
//! A pair that agrees in c of the bands is drawn c times as often, and was found with a known chance p: so it counts for 1 / (c · p), and the
//! sum is right on average (Horvitz and Thompson 1952). Draws are independent of each other, whatever pairs are like: so the
//! interval holds for clusters of any size.
//!
//! Where only some parts of the input were read, pairs within a part are met with the chance of a part, and others with about its
//! square. What that adds to the error is measured by leaving out parts (the jackknife).

use std::collections::HashMap;

use lookalike_core::bucket::banding::Banding;
use lookalike_core::measure::similarity::{Similarity, Threshold};

use super::buckets::{Buckets, Slots};
use super::chance::Chance;
use super::interval::{Estimate, of_sum};
use crate::error::Result;

/// Where steps begin: pairs below the first are not counted.
pub(super) const EDGES: [f64; 10] = [0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95];

/// The chance that the banding of a step finds a pair at its beginning.
const RECALL: f64 = 0.995;

/// Into how many groups parts are put, of which one at a time is left out.
const GROUPS: u32 = 40;

/// What is known of the texts that were read.
pub(super) struct Texts<'a> {
    pub(super) slots: Slots<'a>,
    /// How many documents have each text.
    pub(super) weights: &'a [u32],
    /// The documents of each text, and the part that each document was in.
    pub(super) documents: &'a [Vec<u32>],
    pub(super) part_of: &'a [u32],
    /// How many parts were read, and how many there are.
    pub(super) parts_read: u32,
    pub(super) parts: f64,
}

/// How much is drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effort {
    /// Pairs that are measured in each step.
    pub(super) draws: usize,
    /// Up to how many pairs of texts all are measured.
    pub(super) listed: u64,
}

/// A pair that counts for a number of pairs.
struct Hit {
    similarity: f64,
    weight: f64,
    /// What it adds to the variance by itself.
    variance: f64,
    parts: [u32; 2],
}

/// A step, or the copies: how its pairs were had.
struct Stratum {
    /// From this similarity on, up to the next.
    from: f64,
    hits: Vec<Hit>,
    /// What one pair could have counted for at most.
    greatest: f64,
}

/// How many pairs there are.
pub(super) struct PairCounts<'a> {
    texts: &'a Texts<'a>,
    /// Pairs of copies, where they are known.
    copies: f64,
    strata: Vec<Stratum>,
}

impl<'a> PairCounts<'a> {
    /// Estimates; `measure` gives the similarities of pairs of different texts.
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
            // Parts are drawn with documents, so that listing all texts would not do where some were read.
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
            let mut stratum =
                Stratum { from: edge, hits: Vec::new(), greatest: weight.map_or(0.0, |weight| weight / RECALL) };
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

    /// Pairs from a similarity on.
    pub(super) fn from(&self, similarity: f64) -> Estimate {
        let strata = self.strata.iter().filter(|stratum| stratum.end() > similarity);
        self.sum(strata, |hit| hit.similarity >= similarity).plus(self.copies)
    }

    /// Pairs of different texts in the step that begins here.
    pub(super) fn step(&self, from: f64) -> Estimate {
        let strata = self.strata.iter().filter(|stratum| stratum.from <= from && from < stratum.end());
        self.sum(strata, |_| true)
    }

    fn sum<'s>(&self, strata: impl Iterator<Item = &'s Stratum>, is_counted: impl Fn(&Hit) -> bool) -> Estimate {
        let factors = self.texts.factors(self.texts.parts_read);
        // Where nothing was drawn since nothing was found, there may be pairs in what was not read.
        let (mut greatest, mut hits) = (if self.texts.is_whole() { 0.0 } else { factors[1] }, Vec::new());
        for stratum in strata {
            greatest = greatest.max(stratum.greatest * factors[1]);
            hits.extend(stratum.hits.iter().filter(|hit| is_counted(hit)));
        }
        let factor = |hit: &Hit| factors[usize::from(hit.parts[0] != hit.parts[1])];
        let sum = hits.iter().map(|hit| hit.weight * factor(hit)).sum();
        let own: f64 = hits.iter().map(|hit| hit.variance * factor(hit) * factor(hit)).sum();
        of_sum(sum, own + self.variance_of_parts(&hits), greatest)
    }

    /// What it adds that only some parts were read.
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

impl Stratum {
    fn end(&self) -> f64 {
        EDGES.iter().copied().find(|edge| *edge > self.from).unwrap_or(f64::INFINITY)
    }
}

impl Texts<'_> {
    pub(super) fn is_whole(&self) -> bool {
        f64::from(self.parts_read) >= self.parts
    }

    /// For how many pairs of the whole input a pair counts if so many parts were read: within a part, and of two.
    fn factors(&self, parts_read: u32) -> [f64; 2] {
        let (read, all) = (f64::from(parts_read), self.parts);
        if read >= all {
            return [1.0, 1.0];
        }
        let other = if read > 1.0 { (all - 1.0) / (read - 1.0) } else { all };
        [all / read, all / read * other]
    }

    /// What a pair of different texts counts for. One that was drawn counts for `weight`, less where it is drawn more often; one that was
    /// listed for all its documents. Besides, each pair could have been missed, with all its documents at once.
    fn hit(
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
        let parts = [left, right].map(|text| self.any_part(text, chance));
        let Some(weight) = weight else {
            let weight = documents / recall;
            return Hit { similarity, weight, variance: weight * missed, parts };
        };
        let agreeing = self.slots.agreeing(banding, left, right).max(1) as f64;
        let weight = weight / (agreeing * recall);
        Hit { similarity, weight, variance: weight * weight + weight * missed, parts }
    }

    /// The part of one of a text's documents.
    fn any_part(&self, text: u32, chance: &mut Chance) -> u32 {
        let documents = &self.documents[text as usize];
        self.part_of[documents[chance.below(documents.len() as u64) as usize] as usize]
    }

    /// Pairs of copies, drawn with the parts that they are of.
    fn drawn_copies(&self, draws: usize, chance: &mut Chance) -> Stratum {
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
            hits.push(Hit { similarity: 1.0, weight, variance: weight * weight, parts });
        }
        Stratum { from: f64::INFINITY, hits, greatest: weight }
    }
}

#[cfg(test)]
mod tests {
    use lookalike_core::sketch::{FastSketcher, SlotSketcher};

    use super::*;
    use crate::tune::read::SLOTS;

    /// Documents as sorted sets of features, made by chance.
    struct Made {
        documents: Vec<Vec<u64>>,
        chance: Chance,
    }

    impl Made {
        /// A document of new features.
        fn new_document(&mut self, length: usize) -> Vec<u64> {
            (0..length).map(|_| self.chance.below(u64::MAX)).collect()
        }

        /// Another one, with so many features replaced.
        fn changed(&mut self, from: &[u64], replaced: u64) -> Vec<u64> {
            let mut changed = from.to_vec();
            for _ in 0..replaced {
                let at = self.chance.below(changed.len() as u64) as usize;
                changed[at] = self.chance.below(u64::MAX);
            }
            changed
        }

        /// A document and others made of it, each with up to so many features replaced.
        fn family(&mut self, size: usize, most_replaced: u64) {
            let first = self.new_document(60);
            for _ in 0..size {
                let replaced = self.chance.below(most_replaced + 1);
                let member = self.changed(&first, replaced);
                self.documents.push(member);
            }
        }

        /// Five kinds of corpora, each another one for each seed.
        fn corpus(kind: usize, seed: u64) -> Vec<Vec<u64>> {
            let mut made = Made { documents: Vec::new(), chance: Chance::new(1000 + seed * 10 + kind as u64) };
            match kind {
                // Pairs of every similarity.
                0 => (0..50).for_each(|at| made.family(2, at % 30)),
                // Clusters of very different sizes.
                1 => [60, 20, 9, 4, 3, 2, 2, 2].iter().for_each(|size| made.family(*size, 12)),
                // A boilerplate that all share, just below or above the lowest step; and a few near-duplicates.
                2 => {
                    let boilerplate = made.new_document(42);
                    for at in 0..80 {
                        let own = made.new_document(if at % 4 == 0 { 16 } else { 24 });
                        let document: Vec<u64> = boilerplate.iter().chain(&own).copied().collect();
                        let near = made.changed(&document, 3);
                        made.documents.push(document);
                        made.documents.extend((at % 10 == 0).then_some(near));
                    }
                }
                // Texts with very different numbers of copies, and others near them.
                3 => {
                    for copies in [40, 12, 5, 2, 1, 1, 1, 1] {
                        let document = made.new_document(50);
                        for replaced in [2, 6, 15] {
                            let near = made.changed(&document, replaced);
                            made.documents.extend(vec![near; copies / 3 + 1]);
                        }
                        made.documents.extend(vec![document; copies]);
                    }
                }
                // A chain, each member a little further from the first.
                _ => {
                    let mut member = made.new_document(60);
                    for _ in 0..100 {
                        made.documents.push(member.clone());
                        member = made.changed(&member, 2);
                    }
                }
            }
            made.documents.iter_mut().for_each(|document| {
                document.sort_unstable();
                document.dedup();
            });
            made.documents
        }
    }

    fn jaccard(left: &[u64], right: &[u64]) -> f64 {
        let (mut at, mut shared) = (0, 0);
        for feature in left {
            while at < right.len() && right[at] < *feature {
                at += 1;
            }
            shared += usize::from(right.get(at) == Some(feature));
        }
        shared as f64 / (left.len() + right.len() - shared) as f64
    }

    fn true_counts(documents: &[Vec<u64>]) -> Vec<f64> {
        let mut counts = vec![0.0; EDGES.len()];
        for (at, left) in documents.iter().enumerate() {
            for right in &documents[at + 1..] {
                let similarity = jaccard(left, right);
                counts
                    .iter_mut()
                    .zip(EDGES)
                    .filter(|(_, edge)| similarity >= *edge)
                    .for_each(|(count, _)| *count += 1.0);
            }
        }
        counts
    }

    /// Estimates from some documents, each in a part.
    fn estimates(
        documents: &[&Vec<u64>],
        part_of: &[u32],
        parts_read: u32,
        parts: u32,
        effort: Effort,
        seed: u64,
    ) -> Vec<Estimate> {
        let mut numbers: HashMap<&[u64], usize> = HashMap::new();
        let (mut texts, mut copies, mut slots) = (Vec::new(), Vec::<Vec<u32>>::new(), Vec::new());
        let mut sketcher = FastSketcher::new(SLOTS);
        for (number, document) in (0..).zip(documents) {
            let text = *numbers.entry(document).or_insert_with(|| {
                slots.extend(
                    sketcher.sketch(document).unwrap().iter().map(|slot| lookalike_core::hash::mix(*slot) as u16),
                );
                texts.push(*document);
                copies.push(Vec::new());
                copies.len() - 1
            });
            copies[text].push(number);
        }
        let weights: Vec<u32> = copies.iter().map(|copies| copies.len() as u32).collect();
        let texts_read = Texts {
            slots: Slots { slots: &slots, per_text: SLOTS },
            weights: &weights,
            documents: &copies,
            part_of,
            parts_read,
            parts: f64::from(parts),
        };
        let measure = |pairs: &[(u32, u32)]| {
            Ok(pairs.iter().map(|(left, right)| jaccard(texts[*left as usize], texts[*right as usize])).collect())
        };
        let counts = PairCounts::estimate(&texts_read, effort, seed, measure).unwrap();
        EDGES.map(|edge| counts.from(edge)).to_vec()
    }

    /// In how many of a hundred corpora the interval holds the truth, for each similarity; and how wide intervals are on average
    /// beside the truth, where that is fifty or more.
    fn covered(estimate: impl Fn(&[Vec<u64>], u64) -> Vec<Estimate>) -> (Vec<u32>, f64) {
        let mut covered = vec![0; EDGES.len()];
        let mut widths = Vec::new();
        for (kind, seed) in (0..5).flat_map(|kind| (0..20).map(move |seed| (kind, seed))) {
            let documents = Made::corpus(kind, seed);
            let truth = true_counts(&documents);
            for (at, (estimate, truth)) in estimate(&documents, seed).iter().zip(truth).enumerate() {
                // Half a pair for rounding.
                covered[at] += u32::from(estimate.low - 0.5 <= truth && truth <= estimate.high + 0.5);
                widths.extend((truth >= 50.0).then(|| (estimate.high - estimate.low) / truth));
            }
        }
        (covered, widths.iter().sum::<f64>() / widths.len() as f64)
    }

    /// With a chance of 95 %, fewer than 90 of 100 hold once in 90 times; the gamma interval is a little wider than that.
    #[test]
    fn intervals_hold_the_truth_whatever_the_corpus_is_like() {
        let effort = Effort { draws: 150, listed: 0 };
        let (covered, width) = covered(|documents, seed| {
            let all: Vec<&Vec<u64>> = documents.iter().collect();
            estimates(&all, &vec![0; all.len()], 1, 1, effort, seed)
        });
        assert!(covered.iter().all(|count| *count >= 90), "{covered:?}");
        // Not by being so wide that they say nothing: 150 draws of which a third are hits are 14 % off, one time of three.
        assert!(width < 0.6, "{width}");
    }

    /// Where all pairs are measured, only those are missed that agree in no band: one in two hundred at the edge of a step.
    #[test]
    fn few_pairs_are_all_measured() {
        for kind in 0..5 {
            let documents = Made::corpus(kind, 77);
            let all: Vec<&Vec<u64>> = documents.iter().collect();
            let estimates = estimates(&all, &vec![0; all.len()], 1, 1, Effort { draws: 1, listed: u64::MAX }, 0);
            for (estimate, truth) in estimates.iter().zip(true_counts(&documents)) {
                assert!((estimate.value - truth).abs() <= 2.0 + 0.01 * truth, "{kind}: {estimate:?}, in truth {truth}");
            }
        }
    }

    #[test]
    fn finding_none_in_some_parts_does_not_mean_that_there_are_none() {
        let mut made = Made { documents: Vec::new(), chance: Chance::new(1) };
        (0..20).for_each(|_| made.family(1, 0));
        let (documents, parts): (Vec<&Vec<u64>>, Vec<u32>) = made.documents.iter().zip(0..).unzip();
        let effort = Effort { draws: 100, listed: 100 };
        let whole = estimates(&documents, &parts, 20, 20, effort, 0);
        assert!(whole.iter().all(|estimate| *estimate == Estimate::exactly(0.0)), "{whole:?}");
        // A pair of two parts is seen with a chance of 1 in 25: of 92 one sees none in 2.5 % of all cases.
        let some = estimates(&documents, &parts, 20, 100, effort, 0);
        assert!(
            some.iter().all(|estimate| estimate.value.abs() < 1e-9 && (90.0..100.0).contains(&estimate.high)),
            "{some:?}"
        );
    }

    /// Half of forty parts, chosen by chance. Documents of a cluster lie side by side, or anywhere.
    #[test]
    fn intervals_hold_where_only_some_parts_are_read() {
        const PARTS: u32 = 40;
        for is_mixed in [false, true] {
            let (covered, width) = covered(|documents, seed| {
                let mut chance = Chance::new(seed + 500);
                let mut parts: Vec<u32> = (0..PARTS).collect();
                (1..parts.len()).rev().for_each(|at| parts.swap(at, chance.below(at as u64 + 1) as usize));
                let read = &parts[..PARTS as usize / 2];
                let part = |at: usize| {
                    if is_mixed { at as u32 % PARTS } else { (at * PARTS as usize / documents.len()) as u32 }
                };
                let chosen = documents.iter().enumerate().filter_map(|(at, document)| {
                    Some((document, read.iter().position(|chosen| *chosen == part(at))? as u32))
                });
                let (documents, part_of): (Vec<&Vec<u64>>, Vec<u32>) = chosen.unzip();
                estimates(&documents, &part_of, PARTS / 2, PARTS, Effort { draws: 400, listed: 0 }, seed)
            });
            assert!(covered.iter().all(|count| *count >= 90), "{is_mixed}: {covered:?}");
            assert!(width < 1.3, "{is_mixed}: {width}");
        }
    }
}
