//! Decides on pairs that are already known: to try several thresholds, pairs are found once.

use lookalike_core::ids::{Document, Number};

/// Two texts and how similar they are.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct KnownPair {
    /// One of them.
    pub left: usize,
    /// The other.
    pub right: usize,
    /// Their similarity.
    pub similarity: f64,
}

impl KnownPair {
    /// Creates a pair of texts, by their positions, with their similarity.
    pub fn new(left: usize, right: usize, similarity: f64) -> Self {
        Self { left, right, similarity }
    }
}

/// Returns for each text the one that is kept instead and their similarity; none if it is kept itself.
///
/// `order` is all texts, best first ([`keep_order`](lookalike_core::resolve::keep::keep_order)). The result equals that
/// of [`dedup`](crate::texts::dedup) if these are all of its near-duplicate pairs: a removed text is removed for the
/// most similar of the kept ones before it in keep order, and of equals for the best. Texts with a similarity of 1 are
/// removed for the same one, like copies.
///
/// ```
/// use lookalike::core::ids::Document;
/// use lookalike::texts::{KnownPair, resolve};
///
/// let pairs = [KnownPair::new(0, 1, 0.9), KnownPair::new(1, 2, 0.8)];
/// let fates = resolve(&pairs, &[0, 1, 2].map(Document));
/// assert_eq!(fates, [None, Some((0, 0.9)), None]);
/// ```
///
/// # Panics
///
/// If a pair names a text that is not in `order`.
pub fn resolve(pairs: &[KnownPair], order: &[Document]) -> Vec<Option<(usize, f64)>> {
    let mut ranks = vec![0_u32; order.len()];
    (0..).zip(order).for_each(|(rank, text)| ranks[text.index()] = rank);
    // Each pair twice, so that those of a text are adjacent.
    let mut near: Vec<(usize, usize, f64)> = pairs
        .iter()
        .flat_map(|pair| [(pair.left, pair.right, pair.similarity), (pair.right, pair.left, pair.similarity)])
        .filter(|(one, other, _)| one != other)
        .collect();
    near.sort_unstable_by_key(|(text, ..)| *text);
    let of = |text: usize| {
        let start = near.partition_point(|(one, ..)| *one < text);
        near[start..].iter().take_while(move |(one, ..)| *one == text)
    };
    let mut is_kept = vec![false; order.len()];
    for text in order {
        is_kept[text.index()] = !of(text.index()).any(|(_, other, _)| is_kept[*other]);
    }
    let best_before = |text: usize, rank: u32| {
        let kept = of(text).filter(|(_, other, _)| is_kept[*other] && ranks[*other] < rank);
        kept.max_by(|left, right| left.2.total_cmp(&right.2).then(ranks[right.1].cmp(&ranks[left.1])))
    };
    // Copies are joined before any decision, and removed for the text that the best of them is removed for.
    let first_copy = |text: usize| {
        let copies = of(text).filter(|(.., similarity)| *similarity >= 1.0).map(|(_, other, _)| *other);
        copies.chain([text]).min_by_key(|copy| ranks[*copy]).filter(|first| !is_kept[*first])
    };
    let by = |text: usize| {
        let of_first = || first_copy(text).and_then(|first| best_before(text, ranks[first]));
        let (_, by, similarity) = of_first().or_else(|| best_before(text, ranks[text]))?;
        (!is_kept[text]).then_some((*by, *similarity))
    };
    (0..order.len()).map(by).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_removed_text_is_removed_by_the_most_similar_kept_one_before_it_and_of_equals_by_the_best() {
        let pair = |left, right, similarity| KnownPair { left, right, similarity };
        let pairs = [pair(0, 3, 0.8), pair(1, 3, 0.9), pair(2, 3, 0.9), pair(3, 4, 1.0)];
        let fates = resolve(&pairs, &[2, 1, 0, 3, 4].map(Document));
        // 4 matches nothing that is kept before it, and so is kept; it comes after 3, and is not the reason.
        assert_eq!(fates, [None, None, None, Some((2, 0.9)), None]);
        let fates = resolve(&pairs[..3], &[2, 1, 0, 3].map(Document));
        assert_eq!(fates[3], Some((2, 0.9)));
    }

    #[test]
    fn a_copy_is_removed_for_what_the_best_copy_is_removed_for() {
        let pair = |left, right, similarity| KnownPair { left, right, similarity };
        // 1 and 3 are copies; 2 is between them, and is more similar to them than 0, for which 1 is removed.
        let pairs = [pair(0, 1, 0.7), pair(0, 3, 0.7), pair(1, 2, 0.9), pair(2, 3, 0.9), pair(1, 3, 1.0)];
        let fates = resolve(&pairs, &[0, 1, 2, 3].map(Document));
        assert_eq!(fates, [None, Some((0, 0.7)), None, Some((0, 0.7))]);
        // If a copy is kept, the other one is its copy.
        assert_eq!(resolve(&pairs[2..], &[1, 2, 3, 0].map(Document))[3], Some((1, 1.0)));
    }

    #[test]
    fn nothing_is_removed_without_pairs_and_no_text_by_itself() {
        assert_eq!(resolve(&[], &[]), []);
        let itself = KnownPair { left: 0, right: 0, similarity: 1.0 };
        assert_eq!(resolve(&[itself], &[Document(0)]), [None]);
    }
}
