//! Converts features to sets of tokens for a join, rare tokens first.
//!
//! A token is the rank of a feature in the order of the number of sets that have it, so a set sorted by tokens begins
//! with its rarest features.
//!
//! Features that only one set has can never be shared, and are not stored, but they count in the size of the set. As
//! the rarest of all they would come first, so bounds on positions in a set must be counted from its end: the last `n`
//! features of a set are its last `n` tokens.

use std::ops::Range;

use rayon::prelude::*;

use super::dictionary::{Dictionary, SECTIONS, Tokens, scattered, section};
use crate::measure::feature_set::{FeatureSet, Overlap};
use crate::packed::Lists;

/// Sets of tokens, each in ascending order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sets {
    tokens: Lists,
    sizes: Vec<u32>,
    token_count: usize,
}

impl Sets {
    /// Builds the sets of these features, which may be repeated within an item.
    pub fn new<F: AsRef<[u64]> + Sync>(items: &[F]) -> Self {
        let parts = items.par_chunks(ITEMS_AT_ONCE).map(|items| Part::new(items.iter().map(AsRef::as_ref))).collect();
        Self::of_parts(parts)
    }

    /// Number of sets.
    pub fn len(&self) -> usize {
        self.sizes.len()
    }

    /// True if there are no sets.
    pub fn is_empty(&self) -> bool {
        self.sizes.is_empty()
    }

    /// Number of distinct features of a set.
    #[inline]
    pub fn size(&self, item: u32) -> u32 {
        self.sizes[item as usize]
    }

    /// Number of distinct features of each set.
    pub fn sizes(&self) -> &[u32] {
        &self.sizes
    }

    /// The features of a set that at least one other set has, rarest first.
    #[inline]
    pub fn tokens(&self, item: u32) -> &[u32] {
        self.tokens.list(item as usize)
    }

    /// Number of features that at least two sets have. Tokens are the numbers below it.
    pub fn token_count(&self) -> usize {
        self.token_count
    }

    /// The overlap of two sets that share `shared` features.
    #[inline]
    pub(super) fn overlap_of(&self, left: u32, right: u32, shared: u32) -> Overlap {
        Overlap { shared, left: self.size(left), right: self.size(right) }
    }

    fn of_parts(parts: Vec<Part>) -> Self {
        let dictionary = Dictionary::new(|section, features| {
            parts.iter().for_each(|part| features.extend_from_slice(&part.features[part.section(section)]));
        });
        let token_count = dictionary.token_count();
        let sections: Vec<Section> =
            (0..SECTIONS).into_par_iter().map(|section| Section::new(section, &parts, &dictionary)).collect();
        let part_sizes: Vec<Vec<u32>> = parts.into_iter().map(|part| part.sizes).collect();
        drop(dictionary);
        let of_part = |(part, sizes): (usize, &Vec<u32>)| token_lists(part, sizes.len(), &sections);
        let by_part: Vec<Lists> = part_sizes.par_iter().enumerate().map(of_part).collect();
        drop(sections);
        let mut tokens = Lists::default();
        tokens.reserve(by_part.iter().map(|lists| lists.values().len()).sum());
        for lists in by_part {
            lists.iter().for_each(|list| tokens.push(list.iter().copied()));
        }
        Self { tokens, sizes: part_sizes.concat(), token_count }
    }
}

/// Number of items converted at a time: enough to be worth scheduling, and few enough to be numbered by a byte.
const ITEMS_AT_ONCE: usize = u8::MAX as usize + 1;

/// Number of features a builder holds before it converts them, so that repeated ones do not take memory for long.
const FEATURES_AT_ONCE: usize = 4 << 20;

/// Builds sets from features, item by item.
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

    /// Builds the sets of all items, in the order in which they were added.
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

/// The distinct features of a few items, scattered, by section.
#[derive(Debug)]
struct Part {
    features: Vec<u64>,
    /// For each feature, its item in the part.
    holders: Vec<u8>,
    /// The end of each section.
    section_ends: Vec<usize>,
    sizes: Vec<u32>,
}

impl Part {
    /// Builds a part of at most [`ITEMS_AT_ONCE`] items.
    fn new<'f>(items: impl Iterator<Item = &'f [u64]>) -> Self {
        let (mut mixed, mut distinct, mut set) = (Vec::new(), Vec::new(), FeatureSet::default());
        let mut sizes = Vec::new();
        for features in items {
            mixed.clear();
            mixed.extend(features.iter().map(|feature| scattered(*feature)));
            set.fill(&mixed);
            set.append_to(&mut distinct);
            sizes.push(set.size());
        }
        let mut section_ends = vec![0; SECTIONS];
        distinct.iter().for_each(|feature| section_ends[section(*feature)] += 1);
        let mut total = 0;
        for end in &mut section_ends {
            // For now the start; filling in moves each to its end.
            (*end, total) = (total, total + *end);
        }
        let (mut features, mut holders) = (vec![0; total], vec![0; total]);
        let mut rest = distinct.into_iter();
        for (holder, size) in (0..=u8::MAX).zip(&sizes) {
            for feature in rest.by_ref().take(*size as usize) {
                let end = &mut section_ends[section(feature)];
                (features[*end], holders[*end]) = (feature, holder);
                *end += 1;
            }
        }
        Self { features, holders, section_ends, sizes }
    }

    /// The range of the features of a section.
    fn section(&self, at: usize) -> Range<usize> {
        if at == 0 { 0..self.section_ends[0] } else { self.section_ends[at - 1]..self.section_ends[at] }
    }
}

/// The tokens of a section's features, part by part.
struct Section {
    tokens: Tokens,
    part_ends: Vec<usize>,
}

impl Section {
    fn new(section: usize, parts: &[Part], dictionary: &Dictionary) -> Self {
        let mut tokens = Tokens::default();
        let mut end_of_part = |part: &Part| {
            let places = part.section(section);
            dictionary.add_tokens(&part.features[places.clone()], &part.holders[places], &mut tokens);
            tokens.tokens.len()
        };
        let part_ends = parts.iter().map(&mut end_of_part).collect();
        Self { tokens, part_ends }
    }

    /// The holders and tokens of a part.
    fn part(&self, at: usize) -> impl Iterator<Item = (usize, u32)> {
        let places = if at == 0 { 0 } else { self.part_ends[at - 1] }..self.part_ends[at];
        let holders = self.tokens.holders[places.clone()].iter().map(|holder| usize::from(*holder));
        holders.zip(self.tokens.tokens[places].iter().copied())
    }
}

/// The tokens of each item of a part in ascending order.
fn token_lists(part: usize, item_count: usize, sections: &[Section]) -> Lists {
    let found = || sections.iter().flat_map(|section| section.part(part));
    let mut ends = vec![0; item_count];
    found().for_each(|(holder, _)| ends[holder] += 1);
    let mut total = 0;
    for end in &mut ends {
        (*end, total) = (total, total + *end);
    }
    let mut tokens = vec![0; total];
    found().for_each(|(holder, token)| {
        tokens[ends[holder]] = token;
        ends[holder] += 1;
    });
    let mut lists = Lists::default();
    lists.reserve(total);
    let mut start = 0;
    for end in ends {
        let list = &mut tokens[start..end];
        list.sort_unstable();
        lists.push(list.iter().copied());
        start = end;
    }
    lists
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
            let plain = brute::plain_sets(&items);
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
