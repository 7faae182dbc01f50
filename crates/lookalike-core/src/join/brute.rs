//! For tests: a generator of items, and a join by plain sets that shares no code with the real one.

use std::collections::HashSet;
use std::num::NonZeroU32;

use proptest::prelude::*;

use crate::measure::criterion::Criterion;
use crate::measure::similarity::Threshold;

/// Runs `work` with this number of threads.
pub(super) fn in_threads<R: Send>(count: usize, work: impl FnOnce() -> R + Send) -> R {
    rayon::ThreadPoolBuilder::new().num_threads(count).build().unwrap().install(work)
}

/// Small sets over few elements; larger ones that are changed copies of each other; empty ones; and unrelated ones.
pub(super) fn items() -> impl Strategy<Value = Vec<Vec<u64>>> {
    let small = proptest::collection::vec((0_u64..25).prop_map(|element| element * element), 0..9);
    let changed = (0_u64..3, 20_u64..90, proptest::collection::vec((0_u64..90, 0_u64..200), 0..25)).prop_map(
        |(family, size, changes)| {
            let mut copy: Vec<u64> = (0..size).map(|element| family << 40 | element).collect();
            changes.iter().for_each(|(at, element)| copy[(at % size) as usize] = family << 40 | element);
            copy
        },
    );
    let lonely = proptest::collection::vec(any::<u64>(), 1..5);
    let item = prop_oneof![4 => small, 3 => changed, 1 => lonely, 1 => Just(Vec::new())];
    proptest::collection::vec(item, 0..50)
}

/// Every measure, at thresholds with difficult rounding.
pub(super) fn criterion() -> impl Strategy<Value = Criterion> {
    let values = prop_oneof![Just(1.0), Just(0.5), Just(0.8), Just(2.0 / 3.0), Just(0.7), Just(0.9), 0.05_f64..1.0];
    (0..4, values, 1_u32..8).prop_map(|(measure, value, count)| {
        let threshold = Threshold::new(value).unwrap();
        match measure {
            0 => Criterion::Jaccard(threshold),
            1 => Criterion::Containment(threshold),
            2 => Criterion::Cosine(threshold),
            _ => Criterion::Overlap(NonZeroU32::new(count).unwrap()),
        }
    })
}

/// The items as plain sets.
pub(super) fn plain_sets(items: &[Vec<u64>]) -> Vec<HashSet<u64>> {
    items.iter().map(|item| item.iter().copied().collect()).collect()
}

/// The similarity of two sets if it is high enough, and the number of shared elements.
pub(super) fn similarity(criterion: Criterion, left: &HashSet<u64>, right: &HashSet<u64>) -> Option<(f64, u32)> {
    let shared = left.intersection(right).count();
    if shared == 0 {
        return None;
    }
    let (l, r, s) = (left.len() as f64, right.len() as f64, shared as f64);
    let (similarity, least) = match criterion {
        Criterion::Jaccard(threshold) => (s / (l + r - s), threshold.value()),
        Criterion::Containment(threshold) => (s / l.min(r), threshold.value()),
        Criterion::Cosine(threshold) => (s / (l * r).sqrt(), threshold.value()),
        Criterion::Overlap(least) => (s, f64::from(least.get())),
    };
    (similarity >= least).then_some((similarity, shared as u32))
}
