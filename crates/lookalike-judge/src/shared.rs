//! Given two texts, says how many words they share: in a row, and in order with others between them.

use crate::repeat::words;

/// The words that two texts share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedWords {
    /// The longest run of words that both have.
    pub run: usize,
    /// The most words that both have in the same order.
    pub in_order: usize,
}

/// Compares all words of two texts with each other.
pub fn shared_words(left: &str, right: &str) -> SharedWords {
    let [left, right] = [left, right].map(words);
    // Of each pair of words, the longest run that ends there, and the most words in order up to there.
    let mut runs = vec![vec![0; right.len() + 1]; left.len() + 1];
    let mut in_order = runs.clone();
    for (i, (word, ..)) in left.iter().enumerate() {
        for (j, (other, ..)) in right.iter().enumerate() {
            if word == other {
                runs[i + 1][j + 1] = runs[i][j] + 1;
                in_order[i + 1][j + 1] = in_order[i][j] + 1;
            } else {
                in_order[i + 1][j + 1] = in_order[i][j + 1].max(in_order[i + 1][j]);
            }
        }
    }
    let run = runs.iter().flatten().copied().max().unwrap_or(0);
    SharedWords { run, in_order: in_order[left.len()][right.len()] }
}

/// The bytes of each place where `text` has all words of `part` in a row, from the first word to the last.
pub fn occurrences(part: &str, text: &str) -> Vec<(usize, usize)> {
    let [part, text] = [part, text].map(words);
    let is_part = |window: &&[(String, usize, usize)]| window.iter().zip(&part).all(|(word, other)| word.0 == other.0);
    let windows = text.windows(part.len().max(1)).filter(|_| !part.is_empty());
    windows.filter(is_part).map(|window| (window[0].1, window[window.len() - 1].2)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_counted_in_a_row_and_in_order() {
        let shared = shared_words("a b c d e", "A, b x c D! y");
        assert_eq!(shared, SharedWords { run: 2, in_order: 4 });
        assert_eq!(shared_words("", "a"), SharedWords { run: 0, in_order: 0 });
    }

    #[test]
    fn all_places_of_a_part_are_found() {
        assert_eq!(occurrences("b c", "a B, c b. c"), [(2, 6), (7, 11)]);
        assert_eq!(occurrences("", "a"), []);
        assert_eq!(occurrences("a b", "a"), []);
    }
}
