//! Finds the nearest neighbors of each set: all above a threshold, or only the best few.
//!
//! A search walks through the tokens of a set, rare ones first, and measures the sets it finds. The overlap with a set
//! not found so far is at most the remaining weight; once that is too little to be among the best so far, the walk
//! ends. The worst of the best is thus a rising threshold, and the filters of the join apply.
//!
//! Sets that are indistinguishable to all others, such as equal ones, form one *class*: it is measured once, and as
//! many of its first members are taken as are wanted.
//!
//! Bounds have no formulas of their own. A bound is the similarity of the best possible pair, computed like all
//! similarities, so that rounding never makes it too low.

use std::ops::Range;

use rayon::prelude::*;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::index::outline;
use super::left::{Left, weight};
use super::{Measure, WeightedSets};
use crate::packed::Lists;

/// A neighbor of a set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Near {
    /// The other set.
    pub item: u32,
    /// Its similarity.
    pub similarity: f64,
    /// The shared weight.
    pub shared: u64,
}

impl Near {
    /// True if this one ranks before the other: by similarity, then by order.
    fn is_before(&self, other: &Self) -> bool {
        self.similarity > other.similarity
            || self.similarity.total_cmp(&other.similarity).is_eq() && self.item < other.item
    }
}

/// An index for nearest-neighbor queries.
#[derive(Debug)]
pub struct Nearest<'a> {
    sets: &'a WeightedSets,
    measure: Measure,
    threshold: f64,
    /// Maximum number of neighbors.
    count: Option<usize>,
    /// The sets of each class, ascending.
    classes: Lists,
    /// By token, lightest classes first; of equal ones those with the largest remaining weight, and then those with the
    /// smallest first member. For vectors, where the weight means nothing, the largest remaining share comes first.
    postings: Vec<Posting>,
    /// The end of each token's postings.
    ends: Vec<usize>,
}

/// A class that has a token.
#[derive(Clone, Copy, Debug, Default)]
struct Posting {
    /// The weight of a whole set.
    total: u64,
    /// Its weight from the token on.
    rest: u64,
    /// The outline of the set: a token whose bit is missing is not in it.
    outline: u64,
    class: u32,
    /// The position of the token in the set.
    place: u32,
}

impl Posting {
    /// The remaining share of the set.
    fn left_share(&self) -> f64 {
        self.rest as f64 / self.total as f64
    }
}

/// The current position in the walk of a set.
#[derive(Clone, Copy)]
struct Met {
    item: u32,
    total: u64,
    place: usize,
    /// The remaining weight of the set.
    rest: u64,
}

/// State of a thread for consecutive queries.
#[derive(Debug)]
pub struct Seeker {
    /// The turn in which each class was last found.
    met: Vec<u32>,
    turn: u32,
    /// Number of postings examined and elements compared.
    steps: u64,
    left: Left,
}

impl Seeker {
    /// Creates the state for `set_count` sets.
    pub fn new(set_count: usize) -> Self {
        Self { met: vec![0; set_count], turn: 0, steps: 0, left: Left::default() }
    }

    /// Amount of work so far: sets that share an element with the query, and elements compared with it.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    fn begin(&mut self) {
        self.turn = self.turn.wrapping_add(1);
        if self.turn == 0 {
            self.met.fill(0);
            self.turn = 1;
        }
    }

    #[inline]
    fn meets(&mut self, class: u32) -> bool {
        std::mem::replace(&mut self.met[class as usize], self.turn) != self.turn
    }
}

impl<'a> Nearest<'a> {
    /// Builds an index of `others` for neighbors of at least this similarity; with a `count`, at most that many, and
    /// then a threshold of 0 includes every set that shares anything.
    pub fn new(
        sets: &'a WeightedSets,
        measure: Measure,
        threshold: f64,
        count: Option<usize>,
        others: Range<u32>,
    ) -> Self {
        // A set that finds this one at a token shares at most the rest from there on.
        let prefix = |set: u32| {
            let total = sets.total(set);
            sets.rests(set).partition_point(|rest| sets.most(measure, [*rest; 2], [*rest, total]) >= threshold)
        };
        let classes = classes(sets, others);
        let first = |class: u32| classes.list(class as usize)[0];
        let mut ends = vec![0; sets.token_count()];
        for set in (0..classes.len() as u32).map(first) {
            sets.tokens(set)[..prefix(set)].iter().for_each(|token| ends[*token as usize] += 1);
        }
        let mut total = 0;
        for end in &mut ends {
            // For now the start; filling in moves each to its end.
            (*end, total) = (total, total + *end);
        }
        let mut postings = vec![Posting::default(); total];
        for class in 0..classes.len() as u32 {
            let set = first(class);
            let outline = outline(sets.tokens(set));
            let places = sets.tokens(set)[..prefix(set)].iter().zip(sets.rests(set));
            for (place, (token, rest)) in (0..).zip(places) {
                let end: &mut usize = &mut ends[*token as usize];
                postings[*end] = Posting { total: sets.total(set), rest: *rest, outline, class, place };
                *end += 1;
            }
        }
        let order = |one: &Posting, other: &Posting| {
            let by_weight = if sets.are_vectors() {
                other.left_share().total_cmp(&one.left_share())
            } else {
                one.total.cmp(&other.total).then(other.rest.cmp(&one.rest))
            };
            by_weight.then_with(|| first(one.class).cmp(&first(other.class)))
        };
        lists_mut(&mut postings, &ends).into_par_iter().for_each(|list| list.sort_unstable_by(order));
        Self { sets, measure, threshold, count, classes, postings, ends }
    }

    /// Finds the nearest neighbors of a set, excluding itself: with a count nearest first, otherwise in no particular
    /// order.
    pub fn of(&self, item: u32, seeker: &mut Seeker, nearest: &mut Vec<Near>) {
        nearest.clear();
        seeker.begin();
        let total = self.sets.total(item);
        seeker.left.fill(self.sets.tokens(item), self.sets.rests(item));
        for (place, (token, rest)) in self.sets.tokens(item).iter().zip(self.sets.rests(item)).enumerate() {
            if !self.is_wanted(nearest, self.most([*rest; 2], [total, *rest]), || 0) {
                return;
            }
            let met = Met { item, total, place, rest: *rest };
            let postings = self.postings(*token);
            if self.sets.are_vectors() {
                self.visit(met, postings, seeker, nearest);
            } else {
                self.visit_by_total(met, postings, seeker, nearest);
            }
            seeker.left.leave(place, *token, self.sets.rests(item));
        }
    }

    /// Measures the classes found at a token, most promising weights first.
    fn visit_by_total(&self, met: Met, postings: &[Posting], seeker: &mut Seeker, nearest: &mut Vec<Near>) {
        let Met { total, rest, .. } = met;
        // At best, another set has exactly the remaining elements. The further its weight is from that, in either
        // direction, the less similar it can be.
        let can_be_near = |of: u64, nearest: &[Near]| self.is_wanted(nearest, self.most([rest, of], [total, of]), || 0);
        let (mut lighter, mut heavier) = postings.split_at(postings.partition_point(|posting| posting.total < rest));
        while let [first, ..] = heavier
            && can_be_near(first.total, nearest)
        {
            let of_total;
            (of_total, heavier) = heavier.split_at(equal_count(heavier, |posting| posting.total == first.total));
            self.visit(met, of_total, seeker, nearest);
        }
        while let [.., last] = lighter
            && can_be_near(last.total, nearest)
        {
            let of_total;
            (lighter, of_total) = lighter.split_at(less_count(lighter, last.total));
            self.visit(met, of_total, seeker, nearest);
        }
    }

    /// Measures the classes found at a token, until their remaining share is too small.
    fn visit(&self, met: Met, mut postings: &[Posting], seeker: &mut Seeker, nearest: &mut Vec<Near>) {
        let Met { item, total, place, rest } = met;
        while let [first, ..] = postings {
            let alike;
            let is_alike = |posting: &Posting| (posting.total, posting.rest) == (first.total, first.rest);
            (alike, postings) = postings.split_at(equal_count(postings, is_alike));
            let bound = self.most([rest, first.rest], [total, first.total]);
            seeker.steps += 1;
            if !self.is_wanted(nearest, bound, || 0) {
                return;
            }
            for posting in alike {
                seeker.steps += 1;
                // The others come later in order.
                if !self.is_wanted(nearest, bound, || self.members(posting)[0]) {
                    break;
                }
                // The outline, which is at hand, excludes nearly all others: accessing a set is a cache miss.
                let left = rest - seeker.left.missing_in(posting.outline);
                let bound = self.most([left, posting.rest], [total, posting.total]);
                if self.is_wanted(nearest, bound, || 0) && seeker.meets(posting.class) {
                    let (shared, compared) = self.shared(item, place, posting);
                    seeker.steps += compared;
                    self.take(item, shared, posting, nearest);
                }
            }
        }
    }

    /// Takes the members of a class, as many as are wanted.
    fn take(&self, item: u32, shared: u64, posting: &Posting, nearest: &mut Vec<Near>) {
        let similarity = self.sets.similarity(self.measure, shared, [self.sets.total(item), posting.total]);
        for member in self.members(posting).iter().filter(|member| **member != item) {
            if !self.is_wanted(nearest, similarity, || *member) {
                break;
            }
            self.insert(nearest, Near { item: *member, similarity, shared });
        }
    }

    #[inline]
    fn most(&self, rests: [u64; 2], totals: [u64; 2]) -> f64 {
        self.sets.most(self.measure, rests, totals)
    }

    /// The sets of a class, ascending.
    #[inline]
    fn members(&self, posting: &Posting) -> &[u32] {
        self.classes.list(posting.class as usize)
    }

    #[inline]
    fn postings(&self, token: u32) -> &[Posting] {
        let start = if token == 0 { 0 } else { self.ends[token as usize - 1] };
        &self.postings[start..self.ends[token as usize]]
    }

    /// True if a set of this similarity would be taken; `item` is evaluated only for ties.
    #[inline]
    fn is_wanted(&self, nearest: &[Near], similarity: f64, item: impl FnOnce() -> u32) -> bool {
        similarity >= self.threshold
            && self.count.is_none_or(|count| {
                nearest.len() < count
                    || nearest.last().is_some_and(|last| {
                        similarity > last.similarity
                            || similarity.total_cmp(&last.similarity).is_eq() && item() < last.item
                    })
            })
    }

    fn insert(&self, nearest: &mut Vec<Near>, near: Near) {
        let Some(count) = self.count else { return nearest.push(near) };
        let place = nearest.partition_point(|other| other.is_before(&near));
        nearest.insert(place, near);
        nearest.truncate(count);
    }

    /// The weight that two sets share from their first shared token on, and the number of tokens compared.
    fn shared(&self, item: u32, place: usize, posting: &Posting) -> (u64, u64) {
        let (left, left_rests) = (&self.sets.tokens(item)[place..], &self.sets.rests(item)[place..]);
        let from = posting.place as usize;
        let other = self.members(posting)[0];
        let (right, right_rests) = (&self.sets.tokens(other)[from..], &self.sets.rests(other)[from..]);
        let (mut l, mut r, mut shared) = (0, 0, 0);
        while l < left.len() && r < right.len() {
            let (one, next) = (left[l], right[r]);
            if one == next {
                shared += self.sets.shared(weight(left_rests, l), weight(right_rests, r));
            }
            l += usize::from(one <= next);
            r += usize::from(next <= one);
        }
        (shared, (l + r) as u64)
    }
}

/// Classes of sets that are indistinguishable to all others: the same tokens with the same weights, and the same total
/// weight of unshared elements. They need not be equal. Sets that share nothing are in no class.
fn classes(sets: &WeightedSets, others: Range<u32>) -> Lists {
    let hash = |set: u32| {
        let rests = xxh3_64(bytemuck::cast_slice(sets.rests(set)));
        xxh3_64_with_seed(bytemuck::cast_slice(sets.tokens(set)), rests ^ sets.total(set))
    };
    let mut keys: Vec<(u64, u32)> =
        others.into_par_iter().filter(|set| !sets.tokens(*set).is_empty()).map(|set| (hash(set), set)).collect();
    keys.par_sort_unstable();
    // Different sets with the same hash could stand between two equal ones: these are then in two classes, which does
    // no harm.
    let look_the_same = |(hash, set): &(u64, u32), (next_hash, next): &(u64, u32)| {
        let of = |set: u32| (sets.total(set), sets.tokens(set), sets.rests(set));
        hash == next_hash && of(*set) == of(*next)
    };
    keys.chunk_by(look_the_same).map(|class| class.iter().map(|(_, set)| *set)).collect()
}

/// Mutable slices of the lists with these ends.
fn lists_mut<'l>(mut postings: &'l mut [Posting], ends: &[usize]) -> Vec<&'l mut [Posting]> {
    let starts = [0].into_iter().chain(ends.iter().copied());
    let lengths = starts.zip(ends).map(|(start, end)| end - start);
    lengths.map(|length| postings.split_off_mut(..length).expect("lists end within the postings")).collect()
}

/// Length of the leading run of postings that satisfy `is_so`: at least one, and often no more.
#[inline]
fn equal_count(postings: &[Posting], is_so: impl Fn(&Posting) -> bool) -> usize {
    if postings.get(1).is_some_and(&is_so) { postings.partition_point(is_so) } else { 1 }
}

/// Number of postings that are lighter than the last one, which has weight `total`: often all but itself.
#[inline]
fn less_count(postings: &[Posting], total: u64) -> usize {
    match postings {
        [.., before, _] if before.total == total => postings.partition_point(|posting| posting.total < total),
        _ => postings.len() - 1,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::super::{Sets, WeightedItem};
    use super::*;

    type Plain = HashMap<u64, u64>;

    /// Weights are eighths, which are exact, so that brute force decides equally at the threshold.
    fn items() -> impl Strategy<Value = Vec<Plain>> {
        let small = proptest::collection::hash_map(0_u64..20, 1_u64..30, 0..8);
        let like = proptest::collection::hash_map(100_u64..130, 8_u64..10, 15..28);
        let some = proptest::collection::vec(prop_oneof![3 => small, 2 => like], 0..40);
        // Some occur several times, and some of these have an element that no other set has.
        let copies = proptest::collection::vec((any::<prop::sample::Index>(), any::<bool>()), 0..30);
        (some, copies).prop_map(|(mut items, copies)| {
            for (of, has_own) in copies {
                if let Some(mut copy) = (!items.is_empty()).then(|| of.get(&items).clone()) {
                    copy.extend(has_own.then_some((1000 + items.len() as u64, 8)));
                    items.insert(of.index(items.len()), copy);
                }
            }
            items
        })
    }

    fn similarity(measure: Measure, left: &Plain, right: &Plain) -> f64 {
        let sum = |set: &Plain| set.values().sum::<u64>() as f64;
        let shared: u64 = left.iter().map(|(element, weight)| *weight.min(right.get(element).unwrap_or(&0))).sum();
        let (shared, l, r) = (shared as f64, sum(left), sum(right));
        if shared == 0.0 {
            return 0.0;
        }
        match measure {
            Measure::Jaccard => shared / (l + r - shared),
            Measure::Cosine => shared / (l * r).sqrt(),
            Measure::Containment | Measure::Overlap => shared / l.min(r),
        }
    }

    fn by_brute_force(
        items: &[Plain],
        measure: Measure,
        threshold: f64,
        count: Option<usize>,
        others: Range<u32>,
    ) -> Vec<Vec<u32>> {
        let of_item = |item: usize| {
            let mut near: Vec<(f64, u32)> = others
                .clone()
                .filter(|other| *other as usize != item)
                .map(|other| (similarity(measure, &items[item], &items[other as usize]), other))
                .filter(|(similarity, _)| *similarity > 0.0 && *similarity >= threshold)
                .collect();
            near.sort_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(&right.1)));
            near.truncate(count.unwrap_or(usize::MAX));
            near.into_iter().map(|(_, other)| other).collect()
        };
        (0..items.len()).map(of_item).collect()
    }

    /// Compares the results with brute force.
    fn check(
        sets: &WeightedSets,
        items: &[Plain],
        measure: Measure,
        threshold: f64,
        count: Option<usize>,
        first: u32,
    ) -> Result<(), TestCaseError> {
        let others = first.min(items.len() as u32)..items.len() as u32;
        let expected = by_brute_force(items, measure, threshold, count, others.clone());
        let nearest = Nearest::new(sets, measure, threshold, count, others);
        let (mut seeker, mut found) = (Seeker::new(items.len()), Vec::new());
        for (item, mut expected) in (0..).zip(expected) {
            nearest.of(item, &mut seeker, &mut found);
            let mut found: Vec<u32> = found.iter().map(|near| near.item).collect();
            if count.is_none() {
                found.sort_unstable();
                expected.sort_unstable();
            }
            prop_assert_eq!(found, expected);
        }
        Ok(())
    }

    fn threshold() -> impl Strategy<Value = f64> {
        prop_oneof![Just(0.0), Just(0.5), Just(1.0), 0.01..1.0]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        #[test]
        fn the_nearest_by_weight_are_those_that_brute_force_finds(
            items in items(), threshold in threshold(), count in proptest::option::of(1_usize..6), first in 0_u32..10
        ) {
            let eighth = |(feature, weight): (&u64, &u64)| {
                WeightedItem { feature: *feature, weight: *weight as f64 / 8.0 }
            };
            let eighths: Vec<Vec<_>> = items.iter().map(|item| item.iter().map(eighth).collect()).collect();
            let sets = WeightedSets::new(&eighths);
            for measure in [Measure::Jaccard, Measure::Containment, Measure::Overlap] {
                check(&sets, &items, measure, threshold, count, first)?;
            }
        }

        #[test]
        fn the_nearest_by_number_are_those_that_brute_force_finds(
            mut items in items(), threshold in threshold(), count in proptest::option::of(1_usize..6), first in 0_u32..10
        ) {
            items.iter_mut().flat_map(Plain::values_mut).for_each(|weight| *weight = 1);
            let features: Vec<Vec<u64>> = items.iter().map(|item| item.keys().copied().collect()).collect();
            let sets = WeightedSets::of_equal_weights(&Sets::new(&features));
            for measure in [Measure::Jaccard, Measure::Containment, Measure::Cosine, Measure::Overlap] {
                check(&sets, &items, measure, threshold, count, first)?;
            }
        }
    }
    /// The cosine of two vectors.
    fn cosine(left: &Plain, right: &Plain) -> f64 {
        let product = |one: &Plain, other: &Plain| {
            one.iter().map(|(element, weight)| weight * other.get(element).unwrap_or(&0)).sum::<u64>() as f64
        };
        let whole = (product(left, left) * product(right, right)).sqrt();
        if whole > 0.0 { product(left, right) / whole } else { 0.0 }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        // Each vector is scaled by a power of ten, which changes no angle.
        #[test]
        fn the_nearest_vectors_are_those_that_brute_force_finds(
            items in items(), threshold in 0.0_f64..1.0, count in proptest::option::of(1_usize..6), stretch in -9_i32..9
        ) {
            let vector = |(at, item): (usize, &Plain)| {
                let unit = 10_f64.powi(stretch * (at % 3) as i32);
                item.iter().map(|(feature, weight)| WeightedItem { feature: *feature, weight: *weight as f64 * unit }).collect()
            };
            let vectors: Vec<Vec<_>> = items.iter().enumerate().map(vector).collect();
            let sets = WeightedSets::of_vectors(&vectors);
            let nearest = Nearest::new(&sets, Measure::Cosine, threshold, count, 0..items.len() as u32);
            let (mut seeker, mut found) = (Seeker::new(items.len()), Vec::new());
            for (item, own) in items.iter().enumerate() {
                nearest.of(item as u32, &mut seeker, &mut found);
                let mut expected: Vec<f64> = (0..items.len())
                    .filter(|other| *other != item)
                    .map(|other| cosine(own, &items[other]))
                    .filter(|cosine| *cosine > 0.0 && *cosine >= threshold)
                    .collect();
                expected.sort_by(|one, other| other.total_cmp(one));
                expected.truncate(count.unwrap_or(usize::MAX));
                let mut similarities: Vec<f64> = found.iter().map(|near| near.similarity).collect();
                similarities.sort_by(|one, other| other.total_cmp(one));
                prop_assert_eq!(similarities.len(), expected.len());
                for (near, expected) in similarities.iter().zip(expected) {
                    prop_assert!((near - expected).abs() < 1e-12, "{near} {expected}");
                }
                for near in &found {
                    prop_assert!((near.similarity - cosine(own, &items[near.item as usize])).abs() < 1e-12);
                }
            }
        }
    }

    #[test]
    fn vectors_of_one_direction_have_the_cosine_1_however_long_they_are() {
        let vector =
            |unit: f64| [(1, 1.0), (2, 2.5)].map(|(feature, weight)| WeightedItem { feature, weight: weight * unit });
        let sets = WeightedSets::of_vectors(&[vector(1.0), vector(3.0), vector(1e-200), vector(1e200), vector(0.07)]);
        let nearest = Nearest::new(&sets, Measure::Cosine, 1.0, None, 0..5);
        let mut found = Vec::new();
        nearest.of(0, &mut Seeker::new(5), &mut found);
        assert_eq!(found.iter().map(|near| near.similarity.to_bits()).collect::<Vec<_>>(), [1_f64.to_bits(); 4]);
    }

    /// Number of steps to find the nearest neighbors of each set.
    fn steps(features: &[Vec<u64>], measure: Measure, threshold: f64, count: Option<usize>, expected: usize) -> u64 {
        let sets = WeightedSets::of_equal_weights(&Sets::new(features));
        let nearest = Nearest::new(&sets, measure, threshold, count, 0..features.len() as u32);
        let (mut seeker, mut found) = (Seeker::new(features.len()), Vec::new());
        for item in 0..features.len() as u32 {
            nearest.of(item, &mut seeker, &mut found);
            assert_eq!(found.len(), expected);
        }
        seeker.steps()
    }

    #[test]
    fn an_element_of_all_sets_costs_no_square_where_it_makes_no_match() {
        let set = |at: u64| [0].into_iter().chain((0..15 + at % 9).map(|place| (at / 2 + 1) << 20 | place)).collect();
        let [few, many] = [500, 2_000]
            .map(|count| steps(&(0..count).map(set).collect::<Vec<Vec<u64>>>(), Measure::Jaccard, 0.05, None, 1));
        assert!(few > 0 && many * 10 <= few * 53, "{few} {many}");
    }

    #[test]
    fn sets_that_look_the_same_to_all_others_are_one_class() {
        // The second and the fourth have an element that no other set has; the fifth shares nothing.
        let features = [vec![1, 2], vec![1, 2, 7], vec![2, 1], vec![8, 1, 2], vec![9], vec![1], vec![]];
        let sets = WeightedSets::of_equal_weights(&Sets::new(&features));
        let mut found: Vec<Vec<u32>> = classes(&sets, 0..7).iter().map(<[u32]>::to_vec).collect();
        found.sort_unstable();
        assert_eq!(found, [vec![0, 2], vec![1, 3], vec![5]]);
        // The same elements with other weights, and the same weights for other elements.
        let item = |feature, weight| WeightedItem { feature, weight };
        let weighted = [[1.0, 2.0], [2.0, 1.0], [1.0, 2.0]].map(|[one, two]| [item(1, one), item(2, two)]);
        let mut found: Vec<Vec<u32>> =
            classes(&WeightedSets::new(&weighted), 0..3).iter().map(<[u32]>::to_vec).collect();
        found.sort_unstable();
        assert_eq!(found, [vec![0, 2], vec![1]]);
    }

    #[test]
    fn sets_that_are_equal_or_nearly_cost_no_square() {
        let growth = |set: fn(u64) -> Vec<u64>, measure: Measure| {
            let sets = |count: u64| (0..count).map(set).collect::<Vec<_>>();
            let [few, many] = [500, 2_000].map(|count| steps(&sets(count), measure, 0.0, Some(3), 3));
            // Four times as many to the power of 1.2.
            assert!(many * 10 <= few * 53, "{few} {many}");
        };
        for measure in [Measure::Jaccard, Measure::Containment, Measure::Cosine] {
            // All equal; of five kinds; and with an element that no other set has.
            growth(|_| (0..10).collect(), measure);
            growth(|at| (at % 5..10).collect(), measure);
            growth(|at| (0..10).chain([100 + at]).collect(), measure);
        }
        // All are contained in the same few large ones, which are at similarity 1.
        growth(|at| if at < 4 { (0..40).collect() } else { vec![at % 39, 39] }, Measure::Containment);
    }
}
