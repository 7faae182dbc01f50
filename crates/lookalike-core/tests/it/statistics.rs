//! Average properties of sketches: fixed seeds, and bounds that are derived in comments.
//!
//! A bound of five standard deviations is missed by chance once in two million runs; with fixed seeds either always or
//! never.

use lookalike_core::bucket::banding::Banding;
use lookalike_core::hash::mix;
use lookalike_core::measure::distinct::Distinct;
use lookalike_core::measure::similarity::{Similarity, Threshold};
use lookalike_core::method::{Method, Part};
use lookalike_core::sketch::{ClassicSketcher, FastSketcher, Sketches, SlotSketcher, estimate};

/// Two sets that share `shared` features and have `own` more each, different for every `trial`.
fn two_sets(trial: u64, shared: usize, own: usize) -> [Vec<u64>; 2] {
    let feature = |at: usize| mix(mix(trial + 1).wrapping_add(at as u64));
    let common: Vec<u64> = (0..shared).map(feature).collect();
    [0, 1].map(|side| {
        let start = shared + side * own;
        common.iter().copied().chain((start..start + own).map(feature)).collect()
    })
}

/// Mean and variance of the estimate over `trials` pairs of sets.
fn moments(sketcher: &mut dyn SlotSketcher, shared: usize, own: usize, trials: u64) -> (f64, f64) {
    let estimates: Vec<f64> = (0..trials)
        .map(|trial| {
            let [left, right] = two_sets(trial, shared, own).map(|set| sketcher.sketch(&set).unwrap().to_vec());
            estimate(&left, &right)
        })
        .collect();
    let mean = estimates.iter().sum::<f64>() / trials as f64;
    let variance = estimates.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (trials - 1) as f64;
    (mean, variance)
}

#[test]
fn the_estimate_is_unbiased_with_the_variance_it_should_have() {
    let slots = 96;
    // Documents of 1, 5, 20, 100 and 10,000 shingles, with few and with most of them shared.
    for (size, shared, trials) in [
        (5, 2, 4000),
        (5, 4, 4000),
        (20, 8, 4000),
        (20, 18, 4000),
        (100, 50, 4000),
        (100, 89, 4000),
        (10_000, 8_889, 1000),
    ] {
        let jaccard = shared as f64 / (2 * size - shared) as f64;
        let (mean, variance) = moments(&mut FastSketcher::new(slots), shared, size - shared, trials);
        // Each slot agrees with probability J, so the mean of k slots has mean J, and for independent slots variance
        // J(1-J)/k.
        let expected = jaccard * (1.0 - jaccard) / slots as f64;
        let bound = 5.0 * (expected / trials as f64).sqrt();
        assert!((mean - jaccard).abs() < bound, "{size} shingles: mean {mean}, similarity {jaccard}");
        // A sample variance of n normal values has a relative deviation of sqrt(2/n). Slots are drawn without
        // replacement within a round, so short documents have less variance than with independent slots; never more.
        let most = expected * (1.0 + 5.0 * (2.0 / trials as f64).sqrt());
        assert!(variance < most, "{size} shingles: variance {variance}, at most {most}");
        if size >= 10_000 {
            let least = expected * (1.0 - 5.0 * (2.0 / trials as f64).sqrt());
            assert!(variance > least, "{size} shingles: variance {variance}, at least {least}");
        }
    }
}

#[test]
fn permutations_estimate_without_bias_too() {
    let slots = 96;
    for (size, shared, trials) in [(5, 4, 4000), (20, 8, 4000), (100, 89, 2000), (1000, 889, 500)] {
        let jaccard = shared as f64 / (2 * size - shared) as f64;
        let (mean, variance) = moments(&mut ClassicSketcher::new(slots), shared, size - shared, trials);
        // Fixed permutations, random sets: each slot agrees with probability J; slots are practically independent.
        let expected = jaccard * (1.0 - jaccard) / slots as f64;
        let bound = 5.0 * (expected / trials as f64).sqrt();
        assert!((mean - jaccard).abs() < bound, "{size} shingles: mean {mean}, similarity {jaccard}");
        let spread = 5.0 * (2.0 / trials as f64).sqrt();
        assert!(
            (variance / expected - 1.0).abs() < spread,
            "{size} shingles: variance {variance}, expected {expected}"
        );
    }
}

#[test]
fn documents_of_one_shingle_are_alike_or_not_without_doubt() {
    for trials in 0..200 {
        let mut sketcher = FastSketcher::new(96);
        let mut of = |shared, own| {
            let [left, right] = two_sets(trials, shared, own).map(|set| sketcher.sketch(&set).unwrap().to_vec());
            estimate(&left, &right)
        };
        assert!((of(1, 0) - 1.0).abs() < f64::EPSILON);
        assert!(of(0, 1).abs() < f64::EPSILON);
    }
}

#[test]
fn pairs_at_the_threshold_are_found_as_often_as_was_asked_for() {
    // Union sizes at which the threshold is met exactly, from a handful of shingles to a long page.
    for (threshold, recall, shared, own) in [
        (0.8, 0.99, 8, 1),
        (0.8, 0.99, 80, 10),
        (0.8, 0.99, 800, 100),
        (0.5, 0.9, 2, 1),
        (0.5, 0.9, 50, 25),
        (0.9, 0.99, 180, 10),
    ] {
        let trials = 10_000;
        let banding = Banding::for_recall(Threshold::new(threshold).unwrap(), recall).unwrap();
        let promised = banding.recall_at(Similarity::new(threshold).unwrap());
        assert!(promised >= recall);
        let mut sketcher = FastSketcher::new(banding.slot_count());
        let cutter = banding.cutter();
        let found = (0..trials).filter(|trial| {
            let [left, right] = two_sets(*trial, shared, own).map(|set| {
                let mut keys = Vec::new();
                cutter.keys(sketcher.sketch(&set).unwrap(), |key| keys.push(key));
                keys
            });
            left.iter().zip(&right).any(|(left, right)| left == right)
        });
        let measured = found.count() as f64 / trials as f64;
        // A share p of n trials has the standard deviation sqrt(p(1-p)/n).
        let bound = 5.0 * (promised * (1.0 - promised) / trials as f64).sqrt();
        assert!(measured > promised - bound, "{threshold}, {shared} shared: {measured}, promised {promised}");
        // Slots of short documents are drawn without replacement, which spreads agreement over more bands: they are
        // found more often. Long ones are found as often as with independent slots.
        assert!(
            measured < promised + bound || shared < 800,
            "{threshold}, {shared} shared: {measured}, promised {promised}"
        );
    }
}

#[test]
fn a_part_is_found_as_often_as_was_asked_for_whatever_the_sizes() {
    let threshold = Threshold::new(0.8).unwrap();
    let part = Part::new(threshold, 0.99).unwrap();
    let promised = part.recall_at(threshold.into()).unwrap();
    let trials = 4000;
    // Forty of fifty features are in a set of the same size, of ten times and of a hundred times that size.
    for size in [50, 500, 5000] {
        let found = (0..trials).filter(|trial| {
            let feature = |at: usize| mix(mix(trial + 1).wrapping_add(at as u64));
            let inner: Vec<u64> = (0..50).map(feature).collect();
            let outer: Vec<u64> = (10..50).chain(1000..960 + size).map(feature).collect();
            let mut sketches = Sketches::new(part.layout());
            for set in [&inner, &outer] {
                part.sketcher().sketch(set, &Distinct::new(set), &mut sketches);
            }
            let has = |set: &[u64], item: u32| sketches.keys(item).iter().any(|key| set.contains(key));
            has(&outer, 0) || has(&inner, 1)
        });
        let measured = found.count() as f64 / trials as f64;
        let bound = 5.0 * (promised * (1.0 - promised) / trials as f64).sqrt();
        assert!(measured > promised - bound, "{size}: {measured}, promised {promised}");
    }
}
