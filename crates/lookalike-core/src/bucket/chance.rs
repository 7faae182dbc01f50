//! Probabilities of hits among independent draws.

/// Probability of exactly this many hits.
pub fn binomial(draws: usize, hits: usize, chance: f64) -> f64 {
    if chance <= 0.0 || chance >= 1.0 {
        let certain = if chance >= 1.0 { draws } else { 0 };
        return if hits == certain { 1.0 } else { 0.0 };
    }
    // With logarithms: the coefficients alone would overflow.
    (log_choose(draws, hits) + hits as f64 * chance.ln() + (draws - hits) as f64 * (-chance).ln_1p()).exp()
}

/// Probability of at least this many hits.
pub fn at_least(draws: usize, hits: usize, chance: f64) -> f64 {
    match hits {
        0 => 1.0,
        // Computed directly, so that it is exactly one where it should be.
        1 => 1.0 - (1.0 - chance).powi(draws as i32),
        _ => (1.0 - (0..hits.min(draws + 1)).map(|hits| binomial(draws, hits, chance)).sum::<f64>()).max(0.0),
    }
}

/// Of all choices of `rows` slots out of `slots`, the fraction that lies within `within` given slots.
pub fn share_of_sets(slots: usize, within: usize, rows: usize) -> f64 {
    (0..rows).map(|row| within.saturating_sub(row) as f64 / (slots - row) as f64).product()
}

fn log_choose(draws: usize, hits: usize) -> f64 {
    (1..=hits).map(|i| ((draws - hits + i) as f64 / i as f64).ln()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binomial_chances_add_up_to_one() {
        let sum: f64 = (0..=96).map(|hits| binomial(96, hits, 0.8)).sum();
        assert!((sum - 1.0).abs() < 1e-12);
        assert!((binomial(3, 2, 0.5) - 0.375).abs() < 1e-12);
        assert!(binomial(5, 5, 1.0) >= 1.0 && binomial(5, 4, 1.0) <= 0.0 && binomial(5, 0, 0.0) >= 1.0);
    }

    #[test]
    fn at_least_one_is_not_none() {
        assert!((at_least(20, 1, 0.328) - 0.99965).abs() < 1e-5);
        assert!((at_least(3, 2, 0.5) - 0.5).abs() < 1e-12);
        assert!(at_least(3, 4, 0.5).abs() < 1e-12);
        assert!((at_least(3, 0, 0.5) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn sets_of_slots_are_drawn_without_replacement() {
        // Of the 10 pairs of 5 slots, 3 lie within three of them.
        assert!((share_of_sets(5, 3, 2) - 0.3).abs() < 1e-12);
        assert!(share_of_sets(5, 1, 2).abs() < 1e-12);
        assert!((share_of_sets(5, 5, 2) - 1.0).abs() < 1e-12);
    }
}
