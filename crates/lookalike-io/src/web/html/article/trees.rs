//! Estimates the share of a block that is main content from its features, by learned decision trees.
//!
//! `trees.txt` has one tree per line, written from its root: `FEATURE<=THRESHOLD` is followed by the tree for smaller
//! or equal values and then by the tree for larger ones, and a number is a leaf. The sum of the leaves is the logarithm
//! of the odds.

use std::sync::LazyLock;

/// Decision trees whose leaves are added.
pub(super) struct Trees {
    nodes: Vec<Node>,
    roots: Vec<usize>,
}

/// A node in eight bytes, so that all trees fit into the L1 cache.
#[derive(Clone, Copy, Debug)]
struct Node {
    /// The feature that it splits, or [`LEAF`].
    feature: u16,
    /// Offset, in nodes, of the tree for values above the threshold; the tree for other values is the next node.
    above: u16,
    /// The threshold, or the value of a leaf.
    value: f32,
}

const LEAF: u16 = u16::MAX;

static LEARNED: LazyLock<Trees> = LazyLock::new(|| Trees::parse(include_str!("trees.txt"), &super::context::NAMES));

impl Trees {
    /// The trees of this version.
    pub(super) fn learned() -> &'static Self {
        &LEARNED
    }

    /// Trees over the features with these names.
    fn parse(written: &str, names: &[&str]) -> Self {
        let mut trees = Self { nodes: Vec::new(), roots: Vec::new() };
        for line in written.lines() {
            let root = trees.nodes.len();
            trees.grow(&mut line.split(' '), names);
            trees.roots.push(root);
        }
        trees
    }

    fn grow<'w>(&mut self, words: &mut impl Iterator<Item = &'w str>, names: &[&str]) {
        let word = words.next().expect("a tree of this version is complete");
        let Some((name, threshold)) = word.split_once("<=") else {
            self.nodes.push(Node { feature: LEAF, above: 0, value: number(word) });
            return;
        };
        let feature = names.iter().position(|known| *known == name).expect("a tree of this version knows its features");
        let split = self.nodes.len();
        self.nodes.push(Node { feature: feature as u16, above: 0, value: number(threshold) });
        self.grow(words, names);
        self.nodes[split].above = (self.nodes.len() - split) as u16;
        self.grow(words, names);
    }

    /// The share that is expected to be main content.
    pub(super) fn share(&self, row: &[f32]) -> f32 {
        let odds: f32 = self.roots.iter().map(|root| self.leaf(*root, row)).sum();
        logistic(odds)
    }

    fn leaf(&self, mut at: usize, row: &[f32]) -> f32 {
        loop {
            let Node { feature, above, value } = self.nodes[at];
            if feature == LEAF {
                return value;
            }
            at += if row[usize::from(feature)] <= value { 1 } else { usize::from(above) };
        }
    }
}

fn number(word: &str) -> f32 {
    word.parse().expect("a tree of this version has numbers")
}

/// The probability for the logarithm of the odds. `exp` is not used, since its last digits differ between machines: (1
/// - x/1024)^1024 is close enough.
fn logistic(odds: f32) -> f32 {
    let mut power = 1.0 - odds.clamp(-30.0, 30.0) / 1024.0;
    for _ in 0..10 {
        power *= power;
    }
    1.0 / (1.0 + power)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_goes_down_each_tree_to_its_leaf() {
        let trees = Trees::parse("a<=1 b<=0.5 -2 -1 3\nb<=0 0.25 -0.25", &["a", "b"]);
        for (row, odds) in [([1.0, 0.5], -2.25), ([1.0, 0.6], -1.25), ([2.0, 0.0], 3.25)] {
            assert!((trees.share(&row) - logistic(odds)).abs() < 1e-6, "{row:?}");
        }
    }

    #[test]
    fn odds_become_probabilities() {
        assert!((logistic(0.0) - 0.5).abs() < 1e-6);
        for odds in [-6.0_f32, -1.0, 0.5, 4.0] {
            assert!((logistic(odds) - 1.0 / (1.0 + (-odds).exp())).abs() < 0.003, "{odds}");
        }
    }

    #[test]
    fn the_learned_trees_use_known_features() {
        assert!(Trees::learned().roots.len() > 10);
    }
}
