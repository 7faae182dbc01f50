//! Features to sets of tokens, ready to be joined: rare tokens first.
//!
//! A token is the rank of a feature in the order of how many sets hold it, so that a set that is sorted by tokens
//! begins with what it shares with few others.
//!
//! What a reader would get wrong: a feature that a single set holds can never be shared, and is not stored. It still
//! counts in the set's size. As the rarest of all it would come first in the set, so a bound on places of a set must
//! be counted from its end: the last `n` features of a set are its last `n` tokens.

use rayon::prelude::*;

use super::dictionary::{Dictionary, scattered};
use crate::feature_set::{FeatureSet, Overlap};
use crate::lists::Lists;

/// Sets of tokens, each in ascending order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sets {
    tokens: Lists,
    sizes: Vec<u32>,
    token_count: usize,
}

impl Sets {
    /// The sets of these features, which may be repeated within an item.
    pub fn new<F: AsRef<[u64]> + Sync>(items: &[F]) -> Self {
        let parts = items.par_chunks(ITEMS_AT_ONCE).map(|items| Part::new(items.iter().map(AsRef::as_ref))).collect();
        Self::of_parts(parts)
    }

    /// How many sets there are.
    pub fn len(&self) -> usize {
        self.sizes.len()
    }

    /// Whether there is no set.
    pub fn is_empty(&self) -> bool {
        self.sizes.is_empty()
    }

    /// How many different features a set has.
    #[inline]
    pub fn size(&self, item: u32) -> u32 {
        self.sizes[item as usize]
    }

    /// How many different features each set has.
    pub fn sizes(&self) -> &[u32] {
        &self.sizes
    }

    /// Those features of a set that another set has as well, the rarest first.
    #[inline]
    pub fn tokens(&self, item: u32) -> &[u32] {
        self.tokens.list(item as usize)
    }

    /// How many features at least two sets have. Tokens are the numbers below.
    pub fn token_count(&self) -> usize {
        self.token_count
    }

    /// What two sets share when that many features are known to be shared.
    #[inline]
    pub(super) fn overlap_of(&self, left: u32, right: u32, shared: u32) -> Overlap {
        Overlap { shared, left: self.size(left), right: self.size(right) }
    }

    fn of_parts(parts: Vec<Part>) -> Self {
        let dictionary = Dictionary::new(parts.iter().map(|part| &part.features[..]).collect());
        let token_count = dictionary.token_count();
        let token_lists: Vec<Lists> = parts.par_iter().map(|part| part.tokens(&dictionary)).collect();
        let sizes = parts.iter().flat_map(|part| &part.sizes).copied().collect();
        drop((parts, dictionary));
        let mut tokens = Lists::default();
        tokens.reserve(token_lists.iter().map(|lists| lists.values().len()).sum());
        for lists in token_lists {
            lists.iter().for_each(|list| tokens.push(list.iter().copied()));
        }
        Self { tokens, sizes, token_count }
    }
}

/// How many items are made sets in one go: enough to be worth a turn of a thread.
const ITEMS_AT_ONCE: usize = 256;

/// How many features a builder holds before it makes sets of them, so that repeated ones take no memory for long.
const FEATURES_AT_ONCE: usize = 4 << 20;

/// Takes features item after item.
///
/// ```
/// use lookalike_core::join::SetsBuilder;
///
/// let mut builder = SetsBuilder::default();
/// builder.push(&[30, 10, 20, 10]);
/// builder.push(&[20, 40]);
/// let sets = builder.build();
///
/// assert_eq!(sets.sizes(), [3, 2]);
/// // Only 20 is shared.
/// assert_eq!(sets.tokens(0), sets.tokens(1));
/// assert_eq!(sets.token_count(), 1);
/// ```
#[derive(Debug, Default)]
pub struct SetsBuilder {
    parts: Vec<Part>,
    features: Vec<u64>,
    ends: Vec<usize>,
}

impl SetsBuilder {
    /// Adds the next item: its features, which may be repeated.
    pub fn push(&mut self, features: &[u64]) {
        self.features.extend_from_slice(features);
        self.ends.push(self.features.len());
        if self.features.len() >= FEATURES_AT_ONCE {
            self.make_parts();
        }
    }

    /// The sets of all items, in the order in which they came.
    pub fn build(mut self) -> Sets {
        self.make_parts();
        self.features = Vec::new();
        Sets::of_parts(self.parts)
    }

    fn make_parts(&mut self) {
        let Self { parts, features, ends } = self;
        let item = |at: usize| &features[if at == 0 { 0 } else { ends[at - 1] }..ends[at]];
        let starts = (0..ends.len()).into_par_iter().step_by(ITEMS_AT_ONCE);
        let part = |start: usize| Part::new((start..ends.len().min(start + ITEMS_AT_ONCE)).map(item));
        parts.extend(starts.map(part).collect::<Vec<_>>());
        features.clear();
        ends.clear();
    }
}

/// The different features of a few items, scattered.
#[derive(Debug)]
struct Part {
    features: Vec<u64>,
    sizes: Vec<u32>,
}

impl Part {
    fn new<'f>(items: impl Iterator<Item = &'f [u64]>) -> Self {
        let mut part = Self { features: Vec::new(), sizes: Vec::new() };
        let mut mixed = Vec::new();
        let mut set = FeatureSet::default();
        for features in items {
            mixed.clear();
            mixed.extend(features.iter().map(|feature| scattered(*feature)));
            set.fill(&mixed);
            part.features.extend(set.iter());
            part.sizes.push(set.size());
        }
        part.features.shrink_to_fit();
        part
    }

    fn tokens(&self, dictionary: &Dictionary) -> Lists {
        let mut lists = Lists::default();
        let mut tokens: Vec<u32> = Vec::new();
        let mut rest = &self.features[..];
        for size in &self.sizes {
            let features;
            (features, rest) = rest.split_at(*size as usize);
            tokens.clear();
            tokens.extend(features.iter().filter_map(|feature| dictionary.token(*feature)));
            tokens.sort_unstable();
            lists.push(tokens.iter().copied());
        }
        lists
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::super::brute::{self, in_threads};
    use super::*;

    #[test]
    fn rare_tokens_come_first_and_lonely_ones_not_at_all() {
        // 7 is held by three sets, 5 by two, 1 and 9 by one.
        let sets = Sets::new(&[vec![7, 1, 5], vec![5, 7, 7], vec![9, 7], vec![]]);
        assert_eq!(sets.sizes(), [3, 2, 2, 0]);
        assert_eq!(sets.token_count(), 2);
        let tokens: Vec<&[u32]> = (0..4).map(|item| sets.tokens(item)).collect();
        assert_eq!(tokens, [&[0, 1][..], &[0, 1], &[1], &[]]);
    }

    #[test]
    fn no_sets_are_no_sets() {
        assert!(Sets::new::<Vec<u64>>(&[]).is_empty());
        assert_eq!(SetsBuilder::default().build(), Sets::default());
    }

    proptest! {
        #[test]
        fn tokens_share_what_features_share(items in brute::items()) {
            let sets = Sets::new(&items);
            let plain: Vec<HashSet<u64>> = items.iter().map(|item| item.iter().copied().collect()).collect();
            for left in 0..items.len() {
                prop_assert_eq!(sets.sizes()[left] as usize, plain[left].len());
                let tokens = sets.tokens(left as u32);
                prop_assert!(tokens.is_sorted_by(|one, next| one < next));
                for right in 0..left {
                    let others: HashSet<u32> = sets.tokens(right as u32).iter().copied().collect();
                    let shared = tokens.iter().filter(|token| others.contains(token)).count();
                    prop_assert_eq!(shared, plain[left].intersection(&plain[right]).count());
                }
            }
        }

        #[test]
        fn built_item_by_item_or_by_more_threads_sets_are_the_same(items in brute::items()) {
            let sets = in_threads(1, || Sets::new(&items));
            prop_assert_eq!(&sets, &in_threads(4, || Sets::new(&items)));
            let mut builder = SetsBuilder::default();
            items.iter().for_each(|item| builder.push(item));
            prop_assert_eq!(sets, builder.build());
        }
    }
}
