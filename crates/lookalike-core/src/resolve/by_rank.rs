//! Tests that the limits on buckets depend on ranks only: the parallel implementations against one loop that is the
//! definition.

use std::collections::HashSet;
use std::sync::Mutex;

use proptest::prelude::*;

use super::components::{self, components_within};
use super::independent::{self, independent_set_within};
use super::matches::each_match_within;
use super::{Candidates, References, Removed, Scope};
use crate::bucket::Buckets;
use crate::bucket::passed_over::PassedOver;
use crate::decision::Match;
use crate::ids::{Document, Number, Rank};
use crate::measure::criterion::Criterion;
use crate::measure::feature_set::{FeatureSet, Overlap};
use crate::measure::similarity::Threshold;
use crate::method::Exact;
use crate::packed::Lists;
use crate::sketch::{Layout, Sketches};
use crate::sources::{FeatureSource, SourceError};
use crate::verify::Verifier;

/// Items with few features, so that many are similar, and unrelated buckets.
#[derive(Clone, Debug)]
struct Case {
    features: Vec<Vec<u64>>,
    buckets: Vec<Vec<u32>>,
    references: References,
    most: usize,
    block: usize,
    threads: usize,
}

impl FeatureSource for Case {
    fn features(&self, document: Document) -> Result<Vec<u64>, SourceError> {
        Ok(self.features[document.index()].clone())
    }
}

fn any_case() -> impl Strategy<Value = Case> {
    (2_usize..40).prop_flat_map(|count| {
        let bucket = proptest::collection::vec(proptest::bool::weighted(0.5), count);
        let members = |bucket: Vec<bool>| (0..).zip(bucket).filter(|(_, is_in)| *is_in).map(|(rank, _)| rank).collect();
        let features = proptest::collection::vec(proptest::collection::vec(0_u64..9, 1..6), count);
        let buckets = proptest::collection::vec(bucket.prop_map(members), 1..7);
        let references = (prop_oneof![Just(0), 0..count as u32], any::<bool>()).prop_map(|(count, is_everything)| {
            References { count, scope: if is_everything { Scope::Everything } else { Scope::References } }
        });
        (features, buckets, references, 1_usize..4, 1_usize..40, 1_usize..4).prop_map(
            |(features, buckets, references, most, block, threads)| Case {
                features,
                buckets: buckets.into_iter().filter(|bucket: &Vec<u32>| bucket.len() > 1).collect(),
                references,
                most,
                block,
                threads,
            },
        )
    })
}

fn criterion() -> Criterion {
    Criterion::Jaccard(Threshold::new(0.5).unwrap())
}

impl Case {
    fn overlap(&self, left: u32, right: u32) -> Overlap {
        let [left, right] = [left, right].map(|item| self.features[item as usize].iter().collect::<HashSet<_>>());
        Overlap { shared: left.intersection(&right).count() as u32, left: left.len() as u32, right: right.len() as u32 }
    }

    fn similarity(&self, left: u32, right: u32) -> f64 {
        criterion().similarity(self.overlap(left, right))
    }

    fn is_match(&self, left: u32, right: u32) -> bool {
        self.references.compare(left, right) && criterion().accepts(self.overlap(left, right))
    }

    fn is_reference(&self, item: u32) -> bool {
        item < self.references.count
    }

    /// The first of these items that count: this many references and this many others.
    fn first(&self, items: &[u32]) -> Vec<u32> {
        let (references, others): (Vec<u32>, Vec<u32>) = items.iter().partition(|item| self.is_reference(**item));
        [references, others].iter().flat_map(|items| items.iter().take(self.most)).copied().collect()
    }

    /// Pairs that share a bucket, and were not compared.
    fn not_compared(&self, compared: impl Fn(&[u32], u32, u32) -> bool) -> HashSet<(u32, u32)> {
        let mut pairs = HashSet::new();
        let mut seen = HashSet::new();
        for bucket in &self.buckets {
            for (at, right) in bucket.iter().enumerate() {
                for left in bucket[..at].iter().filter(|left| self.references.compare(**left, *right)) {
                    let pair = (*left, *right);
                    if compared(bucket, *left, *right) {
                        seen.insert(pair)
                    } else {
                        pairs.insert(pair)
                    };
                }
            }
        }
        &pairs - &seen
    }

    /// All matches.
    fn matches(
        &self,
        candidates: Candidates<'_>,
        items: &[Document],
        verifier: &Verifier<'_>,
    ) -> Result<Vec<(u32, u32)>, SourceError> {
        let all = Mutex::new(Vec::new());
        let take = |some: Vec<Match<Rank>>| {
            assert!(!some.is_empty());
            all.lock().unwrap().extend(some.into_iter().map(|found| (found.left.0, found.right.0)));
            Ok(())
        };
        each_match_within(candidates, items, self.references, verifier, self.most, &take)?;
        Ok(all.into_inner().unwrap())
    }

    /// Runs a resolver, and returns the pairs it passed over.
    fn run(
        &self,
        resolve: impl Fn(Candidates<'_>, &[Document], &Verifier<'_>) -> Result<Vec<(u32, u32)>, SourceError> + Sync,
    ) -> (Vec<(u32, u32)>, PassedOver) {
        let items: Vec<Document> = (0..self.features.len() as u32).map(Document).collect();
        let sizes: Vec<u32> = self.features.iter().map(|features| FeatureSet::new(features).size()).collect();
        let mut sketches = Sketches::new(Layout::default());
        items.iter().for_each(|_| sketches.push_none());
        let lists: Lists = self.buckets.iter().map(|bucket| bucket.iter().copied()).collect();
        let buckets = Buckets::of_lists(items.len(), &[lists]);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.threads).build().unwrap();
        pool.install(|| {
            let verifier = Verifier::new(criterion(), &sizes, &sketches, &Exact, self, 1 << 20);
            let mut found = resolve(Candidates::Buckets(&buckets), &items, &verifier).unwrap();
            found.sort_unstable();
            (found, verifier.take_passed_over())
        })
    }

    /// The kept items: each item, best first, unless it matches one of the first kept members of a bucket.
    fn kept(&self) -> Vec<Vec<u32>> {
        let mut kept: Vec<Vec<u32>> = vec![Vec::new(); self.buckets.len()];
        for item in 0..self.features.len() as u32 {
            let of_item: Vec<usize> = (0..self.buckets.len()).filter(|at| self.buckets[*at].contains(&item)).collect();
            let is_removed = of_item.iter().any(|at| self.first(&kept[*at]).iter().any(|by| self.is_match(*by, item)));
            if !is_removed {
                of_item.iter().for_each(|at| kept[*at].push(item));
            }
        }
        kept
    }

    /// Every removed item, and the item it is removed for: the most similar reference, or else the most similar better
    /// kept item that counts.
    fn removals(&self, kept: &[Vec<u32>]) -> Vec<(u32, u32)> {
        let removal = |item: u32| {
            let of_item = || self.buckets.iter().zip(kept).filter(move |(bucket, _)| bucket.contains(&item));
            if of_item().next().is_none() || of_item().any(|(_, kept)| kept.contains(&item)) {
                return None;
            }
            let may_stand = |by: &u32| *by < item && self.is_match(*by, item);
            let near = of_item().flat_map(|(_, kept)| self.first(kept)).filter(may_stand);
            let order = |by: &u32| (self.is_reference(*by), self.similarity(item, *by), std::cmp::Reverse(*by));
            let by = near.max_by(|one, other| order(one).partial_cmp(&order(other)).unwrap());
            Some((item, by.expect("a removed item has a match")))
        };
        (0..self.features.len() as u32).filter_map(removal).collect()
    }

    /// The component of each item, and the leaders of each bucket.
    fn components(&self) -> (Vec<usize>, Vec<Vec<u32>>) {
        let mut component: Vec<usize> = (0..self.features.len()).collect();
        let mut leaders: Vec<Vec<u32>> = vec![Vec::new(); self.buckets.len()];
        for item in 0..self.features.len() as u32 {
            let of_item: Vec<usize> = (0..self.buckets.len()).filter(|at| self.buckets[*at].contains(&item)).collect();
            let near: Vec<u32> = of_item
                .iter()
                .flat_map(|at| if self.is_large(&self.buckets[*at]) { &leaders[*at] } else { &self.buckets[*at] })
                .copied()
                .filter(|other| *other < item && !self.is_reference(item) && self.is_match(*other, item))
                .collect();
            for other in near {
                let (from, to) = (component[item as usize], component[other as usize]);
                component.iter_mut().filter(|at| **at == from).for_each(|at| *at = to);
            }
            for at in of_item.into_iter().filter(|at| self.is_large(&self.buckets[*at])) {
                let is_joined =
                    leaders[at].iter().any(|leader| component[*leader as usize] == component[item as usize]);
                let mut with = leaders[at].clone();
                with.push(item);
                if self.first(&with).contains(&item) && (self.is_reference(item) || !is_joined) {
                    leaders[at].push(item);
                }
            }
        }
        (component, leaders)
    }

    fn is_large(&self, bucket: &[u32]) -> bool {
        bucket.len() > self.most + 2
    }
}

/// The pairs of the sample, which has all of them if there are few.
fn sampled(passed_over: &PassedOver) -> HashSet<(u32, u32)> {
    assert_eq!(passed_over.meetings(), passed_over.drawn().len() as u64, "all of them are drawn");
    let pairs: Vec<(u32, u32)> = passed_over.sample().map(|(left, right)| (left.0, right.0)).collect();
    let set: HashSet<(u32, u32)> = pairs.iter().copied().collect();
    assert_eq!(set.len(), pairs.len(), "no pair twice");
    assert_eq!(passed_over.estimate(0, u64::MAX).pair_count, pairs.len() as u64);
    set
}

/// Each removed item with the one that is kept.
fn removed_for_kept(removals: Vec<Removed<Rank>>) -> Vec<(u32, u32)> {
    removals.into_iter().map(|removal| (removal.removed.0, removal.kept.0)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn only_the_first_kept_of_a_bucket_remove_others(case in any_case()) {
        let limits = independent::Limits { block: case.block, most_kept: case.most };
        let (found, passed_over) = case.run(|candidates, items, verifier| {
            independent_set_within(candidates, items, case.references, verifier, limits).map(removed_for_kept)
        });
        let kept = case.kept();
        prop_assert_eq!(found, case.removals(&kept));
        let is_kept = |item: u32| kept.iter().any(|kept| kept.contains(&item));
        let of_bucket = |bucket: &[u32]| {
            let kept: Vec<u32> = bucket.iter().copied().filter(|item| is_kept(*item)).collect();
            case.first(&kept)
        };
        let mut expected = case.not_compared(|bucket, left, _| of_bucket(bucket).contains(&left));
        expected.retain(|(left, right)| is_kept(*left) && is_kept(*right));
        prop_assert_eq!(sampled(&passed_over), expected);
    }

    #[test]
    fn pairs_are_compared_with_the_first_of_a_bucket(case in any_case()) {
        let (found, passed_over) = case.run(|candidates, items, verifier| {
            case.matches(candidates, items, verifier)
        });
        let is_compared = |bucket: &[u32], left: u32, _: u32| case.first(bucket).contains(&left);
        let not_compared = case.not_compared(is_compared);
        let all = case.not_compared(|_, _, _| false);
        let mut expected: Vec<(u32, u32)> =
            all.difference(&not_compared).copied().filter(|(left, right)| case.is_match(*left, *right)).collect();
        expected.sort_unstable();
        prop_assert_eq!(found, expected);
        prop_assert_eq!(sampled(&passed_over), not_compared);
    }

    #[test]
    fn components_grow_around_the_leaders_of_a_bucket(mut case in any_case()) {
        case.references.scope = Scope::Everything;
        let limits = components::Limits { block: case.block, small: case.most + 2, most_leaders: case.most };
        let (found, passed_over) = case.run(|candidates, items, verifier| {
            components_within(candidates, items, case.references, verifier, limits).map(removed_for_kept)
        });
        let (component, leaders) = case.components();
        let best = |item: u32| {
            let is_same = |other: &u32| component[*other as usize] == component[item as usize];
            (0..=item).find(is_same).unwrap()
        };
        let count = case.features.len() as u32;
        let expected: Vec<(u32, u32)> =
            (case.references.count..count).map(|item| (item, best(item))).filter(|(item, best)| item != best).collect();
        prop_assert_eq!(found, expected);
        let at = |bucket: &[u32]| case.buckets.iter().position(|other| other == bucket).unwrap();
        let is_compared =
            |bucket: &[u32], left: u32, _: u32| !case.is_large(bucket) || leaders[at(bucket)].contains(&left);
        let mut expected = case.not_compared(is_compared);
        expected.retain(|(left, right)| component[*left as usize] != component[*right as usize]);
        prop_assert_eq!(sampled(&passed_over), expected);
    }
}

/// 0 leads the large bucket; 2 is not joined with it when its turn comes, since 3 joins both only later. So 2 leads
/// too, and 4 is found through it, even if 2 and 3 are processed together.
#[test]
fn who_leads_does_not_depend_on_later_members_of_a_block() {
    for block in 1..6 {
        let case = Case {
            features: vec![vec![1, 2, 3], vec![3, 4, 5], vec![4, 5, 6], vec![2, 3, 4], vec![5, 6, 7]],
            buckets: vec![vec![0, 2, 4], vec![1, 2], vec![1, 3], vec![0, 3]],
            references: References::default(),
            most: 2,
            block,
            threads: 1,
        };
        let limits = components::Limits { block, small: 2, most_leaders: 2 };
        let (found, _) = case.run(|candidates, items, verifier| {
            components_within(candidates, items, case.references, verifier, limits).map(removed_for_kept)
        });
        assert_eq!(found, [(1, 0), (2, 0), (3, 0), (4, 0)], "blocks of {block}");
    }
}

/// Hundreds of items in random buckets: the true number is counted pair by pair.
#[test]
fn the_estimate_of_what_was_passed_over_is_right_within_its_error() {
    let mut inside = 0;
    for seed in 0..10_u64 {
        let random = |at: u64| crate::hash::draw(seed, at);
        let bucket =
            |bucket: u64| (0..400).filter(|item| random(bucket << 32 | u64::from(*item)) % 8 < bucket).collect();
        let case = Case {
            features: (0..400).map(|item| vec![random(1 << 40 | item) % 40, random(1 << 41 | item) % 40]).collect(),
            buckets: (1..6).map(bucket).collect(),
            references: References::default(),
            most: 30,
            block: 1024,
            threads: 1,
        };
        let (_, passed_over) = case.run(|candidates, items, verifier| case.matches(candidates, items, verifier));
        assert!(passed_over.meetings() > 40_000, "too many to draw them all");
        let truth = case.not_compared(|bucket, left, _| bucket[..case.most].contains(&left));
        let true_matches = truth.iter().filter(|(left, right)| case.is_match(*left, *right)).count() as u64;
        let matches = passed_over.sample().filter(|(left, right)| case.is_match(left.0, right.0)).count();
        let estimate = passed_over.estimate(matches, u64::MAX);
        assert!(
            true_matches > 0 && estimate.sampled_count >= 500 && estimate.pair_count_error * 20 < estimate.pair_count,
            "{estimate:?}"
        );
        inside += u32::from(estimate.pair_count.abs_diff(truth.len() as u64) <= estimate.pair_count_error);
        inside += u32::from((estimate.match_count_at_least..=estimate.match_count_at_most).contains(&true_matches));
    }
    // 20 intervals of 95 %: fewer than 16 hold with probability 0.003.
    assert!(inside >= 16, "{inside} of 20");
}
