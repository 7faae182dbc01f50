//! Weights elements by rarity: elements that nearly all sets have carry little information.

use std::collections::HashMap;

use super::gather::Collection;

/// The number of sets, and the number that have each element.
pub(super) struct Rarity {
    sets: f64,
    frequencies: HashMap<u64, u32>,
}

impl Rarity {
    pub(super) fn of(all: &Collection) -> Self {
        let mut frequencies = HashMap::new();
        for set in 0..all.len() {
            for feature in all.distinct_features(set) {
                *frequencies.entry(feature).or_insert(0) += 1;
            }
        }
        Self { sets: all.len() as f64, frequencies }
    }

    /// The inverse document frequency ln(1 + sets / sets with the element): an element of every set still has a weight.
    pub(super) fn weight(&self, feature: u64) -> f64 {
        let having = self.frequencies.get(&feature).copied().unwrap_or(1);
        (1.0 + self.sets / f64::from(having)).ln()
    }
}

#[cfg(test)]
mod tests {
    use lookalike_core::hash::Key;

    use super::super::gather::Gather;
    use super::*;

    #[test]
    fn what_fewer_sets_have_counts_more_and_repetition_does_not_count() {
        let mut gather = Gather::new(Key::FIXED, false, false);
        for (name, elements) in [("a", ["x", "y", "y"]), ("b", ["x", "x", "z"]), ("c", ["x", "z", "z"])] {
            gather.begin(name);
            elements.iter().for_each(|element| gather.add(element, 1.0));
        }
        let all = gather.finish();
        let rarity = Rarity::of(&all);
        let weight = |element: &str| rarity.weight(Key::FIXED.token_hash(element.as_bytes()));
        for (element, expected) in [("x", 2_f64), ("y", 4.0), ("z", 2.5)] {
            assert!((weight(element) - expected.ln()).abs() < 1e-12, "{element}");
        }
    }
}
