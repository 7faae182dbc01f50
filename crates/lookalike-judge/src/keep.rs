//! Decides which items are kept, from pairs and an order of preference.

use crate::measure::Pair;

/// The greedy maximal independent set: keeps each item that has no pair with an item kept before it.
///
/// `order` lists the items best first; an item that is not listed is not kept.
///
/// ```
/// use lookalike_judge::{Shingle, independent_set, pairs};
///
/// let texts = ["a b c d", "a b c", "b c"];
/// let found = pairs(&texts, Shingle::Word(1), 0.6);
/// assert_eq!(independent_set(3, &[0, 1, 2], &found), [true, false, true]);
/// assert_eq!(independent_set(3, &[1, 0, 2], &found), [false, true, false]);
/// ```
///
/// # Panics
///
/// If `order` or `pairs` refer to an item that is not among the `n`.
pub fn independent_set(n: usize, order: &[usize], pairs: &[Pair]) -> Vec<bool> {
    let mut neighbors = vec![Vec::new(); n];
    for pair in pairs {
        neighbors[pair.left].push(pair.right);
        neighbors[pair.right].push(pair.left);
    }

    let mut kept = vec![false; n];
    for &item in order {
        kept[item] = !neighbors[item].iter().any(|&neighbor| kept[neighbor]);
    }
    kept
}
