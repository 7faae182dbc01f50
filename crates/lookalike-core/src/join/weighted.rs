//! Converts elements with weights to sets of tokens with weights, rare tokens first.
//!
//! Weights are integers here. Sums of floating-point numbers depend on their order, and a decision exactly at the
//! threshold must not. All weights are therefore multiplied by one power of ten, as large as possible, and rounded
//! once: weights with up to a dozen decimals are exact, and so are all their sums.
//!
//! Sets may also be *vectors*, compared by their cosine. A vector may have any length, so each has its own power of
//! ten, and sums are over squares and products, which have room for weights of at least eight digits.

use rayon::prelude::*;

use super::{Measure, Near, Sets};
use crate::packed::Lists;

/// Maximum sum of the weights of one set: sums over two sets are then also exact as floating-point numbers.
const MOST: f64 = (1_u64 << 51) as f64;

/// Maximum length of a vector: products of two are then integers of 62 bits, and so are their sums.
const LONGEST: f64 = (1_u64 << 31) as f64;

/// Rounding must not make a bound too low.
const ROUNDED_UP: f64 = 1.0 + 1e-12;

/// An element with its weight, which is above 0 and finite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WeightedItem {
    /// The element's feature.
    pub feature: u64,
    /// Its weight.
    pub weight: f64,
}

/// Sets of tokens, each in ascending order, with weights.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WeightedSets {
    tokens: Lists,
    /// For each token, the weight of the set from there on; for vectors, the sum of squares.
    rests: Vec<u64>,
    /// The start of each set's rests.
    starts: Vec<usize>,
    totals: Vec<u64>,
    token_count: usize,
    scale: Scale,
}

/// The factor of the weights.
#[derive(Clone, Debug, PartialEq)]
enum Scale {
    /// The same for all.
    One(f64),
    /// A separate one for each vector.
    Each(Vec<f64>),
}

impl Default for Scale {
    fn default() -> Self {
        Self::One(1.0)
    }
}

impl WeightedSets {
    /// Builds the sets of these elements. The weights of a repeated element add up.
    ///
    /// ```
    /// use lookalike_core::join::{WeightedItem, WeightedSets};
    ///
    /// let item = |feature, weight| WeightedItem { feature, weight };
    /// let sets = WeightedSets::new(&[vec![item(7, 0.1), item(8, 0.5), item(7, 0.2)], vec![item(7, 0.3)]]);
    /// assert_eq!(sets.total(0), sets.total(1) / 3 * 8);
    /// ```
    pub fn new<I: AsRef<[WeightedItem]> + Sync>(items: &[I]) -> Self {
        let total = |item: &I| item.as_ref().iter().map(|element| element.weight).sum::<f64>();
        let largest = items.iter().map(total).fold(0.0, f64::max);
        let scale = power_of_ten(MOST / largest);
        let merged: Vec<Vec<(u64, u64)>> = items.par_iter().map(|item| merge(whole(item.as_ref(), scale))).collect();
        Self::of_merged(&merged, Scale::One(scale))
    }

    /// Builds the vectors of these elements, for their [cosine](Measure::Cosine). The weights of a repeated element add
    /// up.
    ///
    /// ```
    /// use lookalike_core::join::{Measure, Nearest, Seeker, WeightedItem, WeightedSets};
    ///
    /// let item = |feature, weight| WeightedItem { feature, weight };
    /// let vectors = WeightedSets::of_vectors(&[vec![item(7, 3.0), item(8, 4.0)], vec![item(8, 0.1)], vec![item(9, 1.0)]]);
    /// let nearest = Nearest::new(&vectors, Measure::Cosine, 0.5, None, 0..3);
    /// let mut found = Vec::new();
    /// nearest.of(0, &mut Seeker::new(3), &mut found);
    /// assert_eq!(found.len(), 1);
    /// assert_eq!((found[0].item, found[0].similarity), (1, 0.8));
    /// assert_eq!(vectors.shared_weight(0, &found[0]), 0.4);
    /// ```
    pub fn of_vectors<I: AsRef<[WeightedItem]> + Sync>(items: &[I]) -> Self {
        let (merged, scales): (Vec<Vec<(u64, u64)>>, Vec<f64>) = items
            .par_iter()
            .map(|item| {
                let elements = added_up(item.as_ref());
                let scale = power_of_ten(LONGEST / length(&elements));
                let squares = whole(&elements, scale).into_iter().map(|(feature, weight)| (feature, weight * weight));
                (squares.collect(), scale)
            })
            .unzip();
        Self::of_merged(&merged, Scale::Each(scales))
    }

    fn of_merged(merged: &[Vec<(u64, u64)>], scale: Scale) -> Self {
        let dictionary = Dictionary::new(merged);
        let lists: Vec<Vec<(u32, u64)>> = merged
            .par_iter()
            .map(|set| {
                let token = |(feature, weight): &(u64, u64)| dictionary.token(*feature).map(|token| (token, *weight));
                let mut list: Vec<(u32, u64)> = set.iter().filter_map(token).collect();
                list.sort_unstable();
                list
            })
            .collect();
        let totals = merged.iter().map(|set| set.iter().map(|(_, weight)| weight).sum()).collect();
        let mut sets = Self { totals, token_count: dictionary.shared.len(), scale, ..Self::default() };
        lists.iter().for_each(|list| sets.push(list));
        sets
    }

    /// Builds sets whose elements all have the same weight.
    pub fn of_equal_weights(plain: &Sets) -> Self {
        let totals = plain.sizes().iter().map(|size| u64::from(*size)).collect();
        let mut sets = Self { totals, token_count: plain.token_count(), ..Self::default() };
        let mut list = Vec::new();
        for item in 0..plain.len() as u32 {
            list.clear();
            list.extend(plain.tokens(item).iter().map(|token| (*token, 1)));
            sets.push(&list);
        }
        sets
    }

    fn push(&mut self, list: &[(u32, u64)]) {
        let start = self.rests.len();
        self.starts.push(start);
        self.tokens.push(list.iter().map(|(token, _)| *token));
        let mut rest = 0;
        self.rests.extend(list.iter().rev().map(|(_, weight)| {
            rest += weight;
            rest
        }));
        self.rests[start..].reverse();
    }

    /// Number of sets.
    pub fn len(&self) -> usize {
        self.totals.len()
    }

    /// True if there are no sets.
    pub fn is_empty(&self) -> bool {
        self.totals.is_empty()
    }

    /// The weight of a whole set.
    #[inline]
    pub fn total(&self, item: u32) -> u64 {
        self.totals[item as usize]
    }

    /// The weight that a set and a neighbor share, in the user's units; for vectors, their dot product.
    pub fn shared_weight(&self, item: u32, near: &Near) -> f64 {
        let scale = match &self.scale {
            Scale::One(scale) => *scale,
            Scale::Each(scales) => scales[item as usize] * scales[near.item as usize],
        };
        near.shared as f64 / scale
    }

    /// True if these are vectors.
    #[inline]
    pub(super) fn are_vectors(&self) -> bool {
        matches!(self.scale, Scale::Each(_))
    }

    /// The shared part of two weights of one element.
    #[inline]
    pub(super) fn shared(&self, left: u64, right: u64) -> u64 {
        if self.are_vectors() { left.isqrt() * right.isqrt() } else { left.min(right) }
    }

    /// The similarity of two sets that share this.
    #[inline]
    pub(super) fn similarity(&self, measure: Measure, shared: u64, totals: [u64; 2]) -> f64 {
        if self.are_vectors() {
            // With integers, so that vectors of the same direction have exactly 1.
            let whole = u128::from(totals[0]) * u128::from(totals[1]);
            let is_one = u128::from(shared).pow(2) >= whole;
            return if is_one { 1.0 } else { (shared as f64 / (whole as f64).sqrt()).min(1.0) };
        }
        measure.similarity(shared, totals[0], totals[1])
    }

    /// Upper bound of the similarity of two sets that share only elements in these rests.
    #[inline]
    pub(super) fn most(&self, measure: Measure, rests: [u64; 2], totals: [u64; 2]) -> f64 {
        if self.are_vectors() {
            // Cauchy–Schwarz: a dot product is at most the product of the lengths.
            let share = |at: usize| rests[at] as f64 / totals[at].max(1) as f64;
            return (share(0) * share(1)).sqrt() * ROUNDED_UP;
        }
        measure.similarity(rests[0].min(rests[1]), totals[0], totals[1])
    }

    pub(super) fn token_count(&self) -> usize {
        self.token_count
    }

    /// The elements of a set that another set has as well, rarest first.
    #[inline]
    pub(super) fn tokens(&self, item: u32) -> &[u32] {
        self.tokens.list(item as usize)
    }

    /// For each token of a set, the weight from there on.
    #[inline]
    pub(super) fn rests(&self, item: u32) -> &[u64] {
        let start = self.starts[item as usize];
        &self.rests[start..start + self.tokens(item).len()]
    }
}

/// The largest power of ten that is at most this, or 1 if it is unknown.
fn power_of_ten(most: f64) -> f64 {
    if most.is_finite() && most > 0.0 { 10_f64.powi(most.log10().floor() as i32) } else { 1.0 }
}

/// Converts weights to integers of at least 1.
fn whole(elements: &[WeightedItem], scale: f64) -> Vec<(u64, u64)> {
    elements.iter().map(|element| (element.feature, ((element.weight * scale).round() as u64).max(1))).collect()
}

/// Distinct elements sorted by feature: the weights of a repeated one are added in input order.
fn added_up(elements: &[WeightedItem]) -> Vec<WeightedItem> {
    let mut elements = elements.to_vec();
    elements.sort_by_key(|element| element.feature);
    elements.dedup_by(|next, kept| {
        let is_same = next.feature == kept.feature;
        if is_same {
            kept.weight += next.weight;
        }
        is_same
    });
    elements
}

/// The length of a vector. The order of its elements does not matter, even for rounding.
fn length(elements: &[WeightedItem]) -> f64 {
    let mut weights: Vec<f64> = elements.iter().map(|element| element.weight).collect();
    weights.sort_unstable_by(f64::total_cmp);
    // Relative to the largest, whose square could overflow.
    let largest = weights.last().copied().unwrap_or(0.0);
    largest * weights.iter().map(|weight| (weight / largest).powi(2)).sum::<f64>().sqrt()
}

/// Distinct features in ascending order.
fn merge(mut elements: Vec<(u64, u64)>) -> Vec<(u64, u64)> {
    elements.sort_unstable();
    elements.dedup_by(|next, kept| {
        let is_same = next.0 == kept.0;
        if is_same {
            kept.1 += next.1;
        }
        is_same
    });
    elements
}

/// The features that at least two sets have, and their tokens.
struct Dictionary {
    /// In ascending order.
    shared: Vec<u64>,
    tokens: Vec<u32>,
}

impl Dictionary {
    fn new(sets: &[Vec<(u64, u64)>]) -> Self {
        let mut all: Vec<u64> = sets.iter().flatten().map(|(feature, _)| *feature).collect();
        all.par_sort_unstable();
        let counted = all.chunk_by(|left, right| left == right).filter(|run| run.len() > 1);
        let (shared, frequencies): (Vec<u64>, Vec<usize>) = counted.map(|run| (run[0], run.len())).unzip();
        let mut by_frequency: Vec<u32> = (0..shared.len() as u32).collect();
        by_frequency.par_sort_unstable_by_key(|place| (frequencies[*place as usize], *place));
        let mut tokens = vec![0; shared.len()];
        for (token, place) in (0..).zip(by_frequency) {
            tokens[place as usize] = token;
        }
        Self { shared, tokens }
    }

    fn token(&self, feature: u64) -> Option<u32> {
        self.shared.binary_search(&feature).ok().map(|place| self.tokens[place])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_of_a_dozen_decimals_are_exact() {
        let item = |feature, weight| WeightedItem { feature, weight };
        let sets = WeightedSets::new(&[vec![item(1, 0.1), item(2, 0.2)], vec![item(1, 0.3), item(2, 4.75)], vec![]]);
        let weight = |set: u32| sets.shared_weight(0, &Near { item: 0, similarity: 1.0, shared: sets.total(set) });
        assert_eq!([0, 1, 2].map(|set| weight(set).to_string()), ["0.3", "5.05", "0"]);
        assert_eq!(sets.rests(0).len(), 2);
        assert_eq!(sets.rests(0)[0], sets.total(0));
        assert_eq!(sets.total(0) * 505, sets.total(1) * 30);
    }

    #[test]
    fn the_smallest_and_the_largest_weights_stay() {
        let item = |feature, weight| WeightedItem { feature, weight };
        let sets = WeightedSets::new(&[vec![item(1, 1e-300), item(2, 1e300)], vec![item(1, 5.0)]]);
        assert!(sets.total(0) > 1 << 47 && sets.rests(0).len() == 1 && sets.total(1) == 1);
    }
}
