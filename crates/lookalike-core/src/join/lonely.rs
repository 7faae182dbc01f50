//! Finds the items that may have a match, in two passes over their features: all others need not be joined.
//!
//! A match of a set shares a known minimum of features with it, so a set that shares fewer features with any other has
//! no match. A table of slots finds these features: a slot that only one feature occurrence hit belongs to a feature of
//! a single set. If two different features collide, a set is joined unnecessarily, but nothing is missed.

use crate::measure::criterion::Criterion;

/// Minimum number of slots per feature: one feature in eight collides with another.
const PLACES: usize = 8;

/// Number of passes without the sets already excluded. Most are excluded in the first, and some only after others are
/// gone.
const ROUNDS: usize = 3;

/// The items that may match another, given their sizes and the upper halves of their features, which may be repeated.
///
/// ```
/// use lookalike_core::join::may_match;
/// use lookalike_core::measure::criterion::Criterion;
/// use lookalike_core::measure::similarity::Threshold;
///
/// let items = [[1, 2, 3], [4, 5, 6], [2, 3, 7]];
/// let may_match = may_match(&[3, 3, 3], |item| &items[item], Criterion::Jaccard(Threshold::new(0.5)?));
/// assert_eq!(may_match, [true, false, true]);
/// # Ok::<(), lookalike_core::Error>(())
/// ```
pub fn may_match<'f>(sizes: &[u32], features: impl Fn(usize) -> &'f [u32], criterion: Criterion) -> Vec<bool> {
    let mut may_match = vec![true; sizes.len()];
    let mut left: Vec<usize> = (0..sizes.len()).collect();
    for _ in 0..ROUNDS {
        let mut places = Places::new(left.iter().map(|item| features(*item).len()).sum());
        left.iter().for_each(|item| places.add(features(*item)));
        let before = left.len();
        left.retain(|item| {
            // A feature that occurs twice in one item is counted as shared: this overestimates, and never
            // underestimates.
            may_match[*item] = places.met_count(features(*item)) >= least_shared(sizes[*item], criterion);
            may_match[*item]
        });
        if left.len() == before {
            break;
        }
    }
    may_match
}

/// Minimum number of features that a set of this size shares with a match.
fn least_shared(size: u32, criterion: Criterion) -> u32 {
    let partner = criterion.least_partner(size);
    if partner > size { 1 } else { criterion.least_shared(size, partner).max(1) }
}

/// Two bits per slot, adjacent so that they share a cache line: the first is set if a feature hit the slot, the second
/// if another one did.
struct Places {
    words: Vec<u64>,
    /// Number of low bits of a feature's half that are not needed to select its word.
    shift: u32,
}

/// Bits per slot.
const SEEN: u64 = 1;
const MET: u64 = 2;

/// Slots per word.
const OF_WORD: usize = 32;

impl Places {
    fn new(features: usize) -> Self {
        let words = (features * PLACES / OF_WORD).next_power_of_two();
        Self { words: vec![0; words], shift: u32::BITS.saturating_sub(words.trailing_zeros()) }
    }

    /// The word of a feature, and the offset of its slot. Features are hash values, so any bits can be used.
    #[inline]
    fn of(&self, feature: u32) -> (usize, u32) {
        let word = feature.checked_shr(self.shift).unwrap_or(0) as usize;
        (word, 2 * (feature % OF_WORD as u32))
    }

    fn add(&mut self, features: &[u32]) {
        for feature in features {
            let (word, bit) = self.of(*feature);
            let word = &mut self.words[word];
            // The second occurrence sets the other bit.
            *word |= (SEEN << bit) | ((*word >> bit & SEEN) << (bit + 1));
        }
    }

    fn met_count(&self, features: &[u32]) -> u32 {
        let is_met = |feature: &u32| {
            let (word, bit) = self.of(*feature);
            u32::from(self.words[word] >> bit & MET != 0)
        };
        features.iter().map(is_met).sum()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::super::brute;
    use super::*;
    use crate::decision::References;
    use crate::hash::mix;
    use crate::join::{Sets, matches};
    use crate::measure::similarity::Threshold;

    /// Sets of hash values, like features.
    fn scattered(items: &[Vec<u64>]) -> Vec<Vec<u64>> {
        let distinct = |item: &Vec<u64>| item.iter().map(|feature| mix(*feature)).collect::<HashSet<u64>>();
        items.iter().map(|item| distinct(item).into_iter().collect()).collect()
    }

    fn of_sets(items: &[Vec<u64>], criterion: Criterion) -> Vec<bool> {
        let sizes: Vec<u32> = items.iter().map(|item| item.len() as u32).collect();
        let half = |item: &Vec<u64>| item.iter().map(|feature| (feature >> 32) as u32).collect();
        let halves: Vec<Vec<u32>> = items.iter().map(half).collect();
        may_match(&sizes, |item| &halves[item], criterion)
    }

    proptest! {
        #[test]
        fn whatever_has_a_match_may_match(items in brute::items(), criterion in brute::criterion()) {
            let items = scattered(&items);
            let may_match = of_sets(&items, criterion);
            for found in matches(&Sets::new(&items), criterion, References::default()) {
                prop_assert!(may_match[found.left as usize] && may_match[found.right as usize]);
            }
        }
    }

    #[test]
    fn texts_that_share_less_than_the_threshold_are_alone() {
        // Half of each is common to all, and one pair shares nine tenths.
        let item = |at: u64| (0..50).chain((1 + at) * 1000..(1 + at) * 1000 + 50).collect::<Vec<u64>>();
        let mut items: Vec<Vec<u64>> = (0..200).map(item).collect();
        items.push(items[7].iter().map(|feature| if feature % 10 == 0 { feature + 500 } else { *feature }).collect());
        let items = scattered(&items);
        let criterion = Criterion::Jaccard(Threshold::new(0.8).unwrap());
        let may_match = of_sets(&items, criterion);
        let all: Vec<usize> = (0..items.len()).filter(|item| may_match[*item]).collect();
        assert_eq!(all, [7, 200]);
    }

    #[test]
    fn nothing_and_nobody_matches_nothing() {
        let criterion = Criterion::Jaccard(Threshold::new(0.8).unwrap());
        assert!(may_match(&[], |_| &[], criterion).is_empty());
        assert_eq!(may_match(&[0, 0], |_| &[], criterion), [false, false]);
    }
}
