//! Compares intervals with the true numbers, counted by brute force, on synthetic corpora of five kinds.

use lookalike_core::sketch::{FastSketcher, SlotSketcher};

use super::*;
use crate::tune::buckets::Slots;
use crate::tune::read::SLOTS;

/// Random documents as sorted sets of features.
struct Made {
    documents: Vec<Vec<u64>>,
    chance: Chance,
}

impl Made {
    /// A document of new features.
    fn new_document(&mut self, length: usize) -> Vec<u64> {
        (0..length).map(|_| self.chance.below(u64::MAX)).collect()
    }

    /// A copy with `replaced` features replaced.
    fn changed(&mut self, from: &[u64], replaced: u64) -> Vec<u64> {
        let mut changed = from.to_vec();
        for _ in 0..replaced {
            let at = self.chance.below(changed.len() as u64) as usize;
            changed[at] = self.chance.below(u64::MAX);
        }
        changed
    }

    /// A document and copies, each with up to `most_replaced` features replaced.
    fn family(&mut self, size: usize, most_replaced: u64) {
        let first = self.new_document(60);
        for _ in 0..size {
            let replaced = self.chance.below(most_replaced + 1);
            let member = self.changed(&first, replaced);
            self.documents.push(member);
        }
    }

    /// Five kinds of corpora, different for each seed.
    fn corpus(kind: usize, seed: u64) -> Vec<Vec<u64>> {
        let mut made = Made { documents: Vec::new(), chance: Chance::new(1000 + seed * 10 + kind as u64) };
        match kind {
            // Pairs of every similarity.
            0 => (0..50).for_each(|at| made.family(2, at % 30)),
            // Clusters of very different sizes.
            1 => [60, 20, 9, 4, 3, 2, 2, 2].iter().for_each(|size| made.family(*size, 12)),
            // Boilerplate that all share, just below or above the lowest step; and a few near-duplicates.
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
            // Texts with very different numbers of copies, and others similar to them.
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
            // A chain, with members increasingly different from the first.
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
            counts.iter_mut().zip(EDGES).filter(|(_, edge)| similarity >= *edge).for_each(|(count, _)| *count += 1.0);
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
            slots.extend(sketcher.sketch(document).unwrap().iter().map(|slot| lookalike_core::hash::mix(*slot) as u16));
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

/// The number of a hundred corpora for which the interval contains the true value, for each similarity; and the average
/// relative width of intervals, for values of at least fifty.
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

/// With a probability of 95 %, fewer than 90 of 100 hold once in 90 times; the gamma interval is slightly wider than
/// that.
#[test]
fn intervals_hold_the_truth_whatever_the_corpus_is_like() {
    let effort = Effort { draws: 150, listed: 0 };
    let (covered, width) = covered(|documents, seed| {
        let all: Vec<&Vec<u64>> = documents.iter().collect();
        estimates(&all, &vec![0; all.len()], 1, 1, effort, seed)
    });
    assert!(covered.iter().all(|count| *count >= 90), "{covered:?}");
    // Not because they are too wide: 150 draws of which a third are hits have an error of 14 %, one time of three.
    assert!(width < 0.6, "{width}");
}

/// If all pairs are measured, only those are missed that agree in no band: one in two hundred at the edge of a step.
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
    // A pair across two parts is seen with probability 1/25: with 92 pairs, none is seen in 2.5 % of all cases.
    let some = estimates(&documents, &parts, 20, 100, effort, 0);
    assert!(
        some.iter().all(|estimate| estimate.value.abs() < 1e-9 && (90.0..100.0).contains(&estimate.high)),
        "{some:?}"
    );
}

/// Half of forty parts, chosen at random. Documents of a cluster are adjacent, or anywhere.
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
