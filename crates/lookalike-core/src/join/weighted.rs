//! Elements with weights to sets of tokens with weights, rare tokens first.
//!
//! Weights are whole numbers here. Sums of floating-point numbers depend on their order,
//! and a pair exactly at the threshold must not. So all weights are multiplied by one power of ten, as large as fits,
//! and rounded once: weights with up to a dozen decimals are exact, and so are all their sums.

use rayon::prelude::*;

use super::Sets;
use crate::packed::Lists;

/// What the weights of one set may add up to: the sums of two sets are then exact as floating-point numbers, too.
const MOST: f64 = (1_u64 << 51) as f64;

/// An element with its weight, which is above 0 and finite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WeightedItem {
    /// The element's feature.
    pub feature: u64,
    /// How much it counts.
    pub weight: f64,
}

/// Sets of tokens, each in ascending order, with weights.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WeightedSets {
    tokens: Lists,
    /// For each token the weight of the set from there on.
    rests: Vec<u64>,
    /// Where the rests of each set begin.
    starts: Vec<usize>,
    totals: Vec<u64>,
    token_count: usize,
    scale: f64,
}

impl WeightedSets {
    /// The sets of these elements. The weights of a repeated element add up.
    ///
    /// ```
    /// use lookalike_core::join::{WeightedItem, WeightedSets};
    ///
    /// let item = |feature, weight| WeightedItem { feature, weight };
    /// let sets = WeightedSets::new(&[vec![item(7, 0.1), item(8, 0.5), item(7, 0.2)], vec![item(7, 0.3)]]);
    /// assert_eq!(sets.weight(sets.total(1)), 0.3);
    /// assert_eq!(sets.total(0), sets.total(1) / 3 * 8);
    /// ```
    pub fn new<I: AsRef<[WeightedItem]> + Sync>(items: &[I]) -> Self {
        let total = |item: &I| item.as_ref().iter().map(|element| element.weight).sum::<f64>();
        let largest = items.iter().map(total).fold(0.0, f64::max);
        // Nothing is known of no sets; any scale will do.
        let scale = if largest > 0.0 { 10_f64.powi((MOST / largest).log10().floor() as i32) } else { 1.0 };
        // However light an element is, it is there.
        let whole = |weight: f64| ((weight * scale).round() as u64).max(1);
        let merged: Vec<Vec<(u64, u64)>> = items
            .par_iter()
            .map(|item| merge(item.as_ref().iter().map(|element| (element.feature, whole(element.weight))).collect()))
            .collect();
        let dictionary = Dictionary::new(&merged);
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

    /// Sets whose elements all count the same.
    pub fn of_equal_weights(plain: &Sets) -> Self {
        let totals = plain.sizes().iter().map(|size| u64::from(*size)).collect();
        let mut sets = Self { totals, token_count: plain.token_count(), scale: 1.0, ..Self::default() };
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

    /// How many sets there are.
    pub fn len(&self) -> usize {
        self.totals.len()
    }

    /// Whether there is no set.
    pub fn is_empty(&self) -> bool {
        self.totals.is_empty()
    }

    /// The weight of a whole set.
    #[inline]
    pub fn total(&self, item: u32) -> u64 {
        self.totals[item as usize]
    }

    /// A weight as the user knows it.
    pub fn weight(&self, weight: u64) -> f64 {
        weight as f64 / self.scale
    }

    pub(super) fn token_count(&self) -> usize {
        self.token_count
    }

    /// Those elements of a set that another set has as well, the rarest first.
    #[inline]
    pub(super) fn tokens(&self, item: u32) -> &[u32] {
        self.tokens.list(item as usize)
    }

    /// For each token of a set the weight from there on.
    #[inline]
    pub(super) fn rests(&self, item: u32) -> &[u64] {
        let start = self.starts[item as usize];
        &self.rests[start..start + self.tokens(item).len()]
    }
}

/// Features in ascending order, each once.
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

/// The features that two sets have at least, and their tokens.
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
        assert_eq!([0, 1, 2].map(|set| sets.weight(sets.total(set)).to_string()), ["0.3", "5.05", "0"]);
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
