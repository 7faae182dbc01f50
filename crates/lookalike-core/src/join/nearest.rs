//! Sets to those nearest to each: all from a threshold on, or only the best few.
//!
//! A set walks through its tokens, the rare ones first, and measures whom it meets there. What it can share with someone
//! whom it did not meet so far is the weight that remains; once that is too little to get among the best so far, the
//! walk ends. So the worst of the best is a threshold that rises by itself, and the filters of the join apply.
//!
//! Sets that look the same to all others, such as equal ones, are one *class*: whoever meets it measures it once, and takes of its
//! members the first ones, as many as are wanted.
//!
//! Note that bounds are no formulas of their own. A bound is the similarity of the best pair that
//! is still possible, computed as all similarities are, so that rounding never makes it lower than what it bounds.

use std::ops::Range;

use rayon::prelude::*;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::index::outline;
use super::left::{Left, weight};
use super::{Measure, WeightedSets};
use crate::packed::Lists;

/// A set that is near another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Near {
    /// The other set.
    pub item: u32,
    /// How near it is.
    pub similarity: f64,
    /// The weight that both share.
    pub shared: u64,
}

impl Near {
    /// Whether this one is nearer; of equals the first in order.
    fn is_before(&self, other: &Self) -> bool {
        self.similarity > other.similarity
            || self.similarity.total_cmp(&other.similarity).is_eq() && self.item < other.item
    }
}

/// Sets that can be asked for.
#[derive(Debug)]
pub struct Nearest<'a> {
    sets: &'a WeightedSets,
    measure: Measure,
    threshold: f64,
    /// How many of the nearest are wanted.
    count: Option<usize>,
    /// The sets of each class, ascending.
    classes: Lists,
    /// By token, the lightest classes first, of equal ones those that have the most from the token on, and of these the one
    /// with the first member. Of vectors the weight says nothing: those come first of which the largest share is left.
    postings: Vec<Posting>,
    /// Where the postings of each token end.
    ends: Vec<usize>,
}

/// A class whose sets have a token.
#[derive(Clone, Copy, Debug, Default)]
struct Posting {
    /// The weight of a whole set.
    total: u64,
    /// Its weight from the token on.
    rest: u64,
    /// The outline of the set: a token whose bit is missing is not in it.
    outline: u64,
    class: u32,
    /// Where the token is in the set.
    place: u32,
}

impl Posting {
    /// The share of the set that is left.
    fn left_share(&self) -> f64 {
        self.rest as f64 / self.total as f64
    }
}

/// Where a set is on its walk.
#[derive(Clone, Copy)]
struct Met {
    item: u32,
    total: u64,
    place: usize,
    /// The weight of the set from there on.
    rest: u64,
}

/// What a thread needs to ask for one set after the other.
#[derive(Debug)]
pub struct Seeker {
    /// The turn in which each class was last met.
    met: Vec<u32>,
    turn: u32,
    /// How many postings were looked at, and elements compared.
    steps: u64,
    left: Left,
}

impl Seeker {
    /// One who has met nobody of so many sets.
    pub fn new(set_count: usize) -> Self {
        Self { met: vec![0; set_count], turn: 0, steps: 0, left: Left::default() }
    }

    /// How much was looked at so far: sets that have an element in common with the one that is asked for, and elements of sets that were
    /// compared with it.
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
    /// Finds, among `others`, those with this similarity or more; with a `count` no more than so many of them, and a
    /// threshold of 0 then takes whoever shares anything.
    pub fn new(
        sets: &'a WeightedSets,
        measure: Measure,
        threshold: f64,
        count: Option<usize>,
        others: Range<u32>,
    ) -> Self {
        // Whoever finds this set at a token has at best nothing but what is shared.
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

    /// The nearest of a set, without itself: with a count the nearest first, else in no order that means anything.
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

    /// Measures those that are met at a token, the likeliest weights first.
    fn visit_by_total(&self, met: Met, postings: &[Posting], seeker: &mut Seeker, nearest: &mut Vec<Near>) {
        let Met { total, rest, .. } = met;
        // At best somebody has what remains here and nothing else. The further from that weight, in either
        // direction, the less is possible.
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

    /// Measures those that are met at a token, until what they have left is too little.
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
                // Nearly all others are told by their outline, which is at hand: to look at a set is to wait for memory.
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

    /// Whether a set of this similarity, or less, would be taken; which set it is, is asked only where that decides.
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

    /// The weight that two sets share from the first token on that they share, and how many tokens were compared.
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

/// Sets that look the same to all others: the same tokens with the same weights, and the same weight of what only one set has. They
/// need not be equal. Sets that share nothing are in no class.
fn classes(sets: &WeightedSets, others: Range<u32>) -> Lists {
    let hash = |set: u32| {
        let rests = xxh3_64(bytemuck::cast_slice(sets.rests(set)));
        xxh3_64_with_seed(bytemuck::cast_slice(sets.tokens(set)), rests ^ sets.total(set))
    };
    let mut keys: Vec<(u64, u32)> =
        others.into_par_iter().filter(|set| !sets.tokens(*set).is_empty()).map(|set| (hash(set), set)).collect();
    keys.par_sort_unstable();
    // Others with the same hash could stand between two that look the same: these are then in two classes, and nothing is lost.
    let look_the_same = |(hash, set): &(u64, u32), (next_hash, next): &(u64, u32)| {
        let of = |set: u32| (sets.total(set), sets.tokens(set), sets.rests(set));
        hash == next_hash && of(*set) == of(*next)
    };
    keys.chunk_by(look_the_same).map(|class| class.iter().map(|(_, set)| *set)).collect()
}

/// The lists that end so, to be written to.
fn lists_mut<'l>(mut postings: &'l mut [Posting], ends: &[usize]) -> Vec<&'l mut [Posting]> {
    let starts = [0].into_iter().chain(ends.iter().copied());
    let lengths = starts.zip(ends).map(|(start, end)| end - start);
    lengths.map(|length| postings.split_off_mut(..length).expect("lists end within the postings")).collect()
}

/// How many postings, from the first on, are so: there is at least one, and often no more.
#[inline]
fn equal_count(postings: &[Posting], is_so: impl Fn(&Posting) -> bool) -> usize {
    if postings.get(1).is_some_and(&is_so) { postings.partition_point(is_so) } else { 1 }
}

/// How many postings are lighter than the last, which has this weight: often all but itself.
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

    /// Weights are eighths, which are exact, so that brute force decides as we do at the threshold.
    fn items() -> impl Strategy<Value = Vec<Plain>> {
        let small = proptest::collection::hash_map(0_u64..20, 1_u64..30, 0..8);
        let like = proptest::collection::hash_map(100_u64..130, 8_u64..10, 15..28);
        let some = proptest::collection::vec(prop_oneof![3 => small, 2 => like], 0..40);
        // Some are there several times, here and there; and some of these have an element that nobody else has.
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

    /// Holds what is found against brute force.
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

        // Each vector is stretched by some power of ten, which changes no angle.
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

    /// How many steps it takes to find the nearest of each, of which there are so many.
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
        // The second and the fourth have an element that nobody else has, the fifth shares nothing.
        let features = [vec![1, 2], vec![1, 2, 7], vec![2, 1], vec![8, 1, 2], vec![9], vec![1], vec![]];
        let sets = WeightedSets::of_equal_weights(&Sets::new(&features));
        let mut found: Vec<Vec<u32>> = classes(&sets, 0..7).iter().map(<[u32]>::to_vec).collect();
        found.sort_unstable();
        assert_eq!(found, [vec![0, 2], vec![1, 3], vec![5]]);
        // The same elements with other weights, and the same weights of others.
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
            // All equal; of five kinds; and with an element that nobody else has.
            growth(|_| (0..10).collect(), measure);
            growth(|at| (at % 5..10).collect(), measure);
            growth(|at| (0..10).chain([100 + at]).collect(), measure);
        }
        // All lie in the same few large ones, which are as near as can be.
        growth(|at| if at < 4 { (0..40).collect() } else { vec![at % 39, 39] }, Measure::Containment);
    }
}
