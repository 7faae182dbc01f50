//! Similarity of two sets of strings with weights, by plain sums over maps.

use std::collections::BTreeMap;

/// A set: its elements and their weights.
pub type WeightedSet = BTreeMap<String, f64>;

/// The measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetMeasure {
    /// Sum of the minima divided by the sum of the maxima.
    Jaccard,
    /// Sum of the minima divided by the weight of the lighter set.
    Containment,
    /// The cosine of the angle between two vectors.
    Cosine,
}

impl SetMeasure {
    /// The similarity of two sets; 0 if they share nothing.
    pub fn similarity(self, left: &WeightedSet, right: &WeightedSet) -> f64 {
        let sum_of = |set: &WeightedSet| set.values().sum::<f64>();
        let over_shared = |of: &dyn Fn(f64, f64) -> f64| -> f64 {
            left.iter().filter_map(|(element, weight)| right.get(element).map(|other| of(*weight, *other))).sum()
        };
        let lesser = over_shared(&f64::min);
        if lesser == 0.0 {
            return 0.0;
        }
        match self {
            Self::Jaccard => lesser / (sum_of(left) + sum_of(right) - lesser),
            Self::Containment => lesser / sum_of(left).min(sum_of(right)),
            Self::Cosine => {
                let length = |set: &WeightedSet| set.values().map(|weight| weight * weight).sum::<f64>().sqrt();
                over_shared(&|weight, other| weight * other) / (length(left) * length(right))
            }
        }
    }
}

/// Multiplies each weight by ln(1 + N / n), where n of all N sets have the element.
pub fn weigh_by_rarity(sets: &mut [WeightedSet]) {
    let mut having: BTreeMap<String, f64> = BTreeMap::new();
    for element in sets.iter().flat_map(BTreeMap::keys) {
        *having.entry(element.clone()).or_insert(0.0) += 1.0;
    }
    let count = sets.len() as f64;
    for (element, weight) in sets.iter_mut().flatten() {
        *weight *= (1.0 + count / having[element]).ln();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_follow_their_definitions() {
        let set =
            |elements: &[(&str, f64)]| elements.iter().map(|(name, weight)| ((*name).to_owned(), *weight)).collect();
        let (left, right): (WeightedSet, WeightedSet) =
            (set(&[("a", 3.0), ("b", 4.0)]), set(&[("b", 2.0), ("c", 1.0)]));
        let similarity = |measure: SetMeasure| measure.similarity(&left, &right);
        assert!((similarity(SetMeasure::Jaccard) - 2.0 / 8.0).abs() < 1e-15);
        assert!((similarity(SetMeasure::Containment) - 2.0 / 3.0).abs() < 1e-15);
        assert!((similarity(SetMeasure::Cosine) - 8.0 / (5.0 * 5_f64.sqrt())).abs() < 1e-15);
        let mut both = [left, right];
        weigh_by_rarity(&mut both);
        assert!((both[0]["a"] - 3.0 * 3_f64.ln()).abs() < 1e-15 && (both[0]["b"] - 4.0 * 2_f64.ln()).abs() < 1e-15);
    }
}
