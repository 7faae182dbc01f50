//! Baskets in which no element is rare, modeled on the corpus T10I4D100K (Agrawal, Srikant: Fast algorithms for mining
//! association rules, 1994): composed of patterns that people buy together, some far more often than others.

use std::fmt::Write;

use super::dice::Dice;

const BASKETS: usize = 100_000;
const ELEMENTS: usize = 870;
const PATTERNS: usize = 2000;

/// Average size of a basket.
const BASKET_SIZE: f64 = 10.0;

/// Average size of a pattern.
const PATTERN_SIZE: f64 = 4.0;

/// Elements that are bought together.
struct Pattern {
    elements: Vec<usize>,
    /// Average share that is left out.
    corruption: f64,
}

/// One basket per line.
pub(in crate::bench) fn make() -> String {
    let mut dice = Dice::new(104_100);
    let patterns = patterns(&mut dice);
    // Cumulative weights of patterns, which are exponentially distributed.
    let mut total = 0.0;
    let ends: Vec<f64> = (0..PATTERNS)
        .map(|_| {
            total -= (1.0 - dice.unit()).ln();
            total
        })
        .collect();
    let mut lines = String::new();
    let mut left_over: Vec<usize> = Vec::new();
    for _ in 0..BASKETS {
        let size = poisson(&mut dice, BASKET_SIZE).max(1);
        let mut basket = std::mem::take(&mut left_over);
        while basket.len() < size {
            let drawn = dice.unit() * total;
            let pattern = &patterns[ends.partition_point(|end| *end < drawn).min(PATTERNS - 1)];
            let mut some = pattern.elements.clone();
            while !some.is_empty() && dice.chance(pattern.corruption) {
                some.swap_remove(dice.below(some.len()));
            }
            // A pattern that does not fit is added anyway, or goes to the next basket.
            if basket.len() + some.len() > size && !basket.is_empty() && dice.chance(0.5) {
                left_over = some;
                break;
            }
            basket.extend(some);
            basket.sort_unstable();
            basket.dedup();
        }
        let words: Vec<String> = basket.iter().map(usize::to_string).collect();
        writeln!(lines, "{}", words.join(" ")).expect("a string takes everything");
    }
    lines
}

/// Patterns that share some of their elements with the previous one.
fn patterns(dice: &mut Dice) -> Vec<Pattern> {
    let mut patterns: Vec<Pattern> = Vec::new();
    for _ in 0..PATTERNS {
        let size = poisson(dice, PATTERN_SIZE - 1.0) + 1;
        let mut elements: Vec<usize> = Vec::new();
        if let Some(before) = patterns.last() {
            let common = (-(1.0 - dice.unit()).ln() * 0.5).min(1.0);
            let count = ((common * size as f64).round() as usize).min(before.elements.len());
            elements.extend(&before.elements[..count]);
        }
        while elements.len() < size {
            let element = dice.below(ELEMENTS);
            if !elements.contains(&element) {
                elements.push(element);
            }
        }
        dice.shuffle(&mut elements);
        patterns.push(Pattern { elements, corruption: (0.5 + dice.normal() * 0.1_f64.sqrt()).clamp(0.0, 0.95) });
    }
    patterns
}

/// A number from the Poisson distribution (Knuth, The Art of Computer Programming 2, 3.4.1).
fn poisson(dice: &mut Dice, mean: f64) -> usize {
    let least = (-mean).exp();
    let (mut count, mut product) = (0, dice.unit());
    while product > least {
        count += 1;
        product *= dice.unit();
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn baskets_have_ten_elements_of_which_none_is_rare() {
        let lines = make();
        let sizes: Vec<usize> =
            lines.lines().map(|line| line.split(' ').filter(|word| !word.is_empty()).count()).collect();
        let mean = sizes.iter().sum::<usize>() as f64 / sizes.len() as f64;
        assert_eq!(sizes.len(), BASKETS);
        assert!((9.0..11.0).contains(&mean), "{mean}");
        let mut words: Vec<&str> = lines.split_ascii_whitespace().collect();
        words.sort_unstable();
        words.dedup();
        assert!((800..=ELEMENTS).contains(&words.len()), "{}", words.len());
    }
}
