//! The edit distance of two sequences (Levenshtein), bit-parallel.

use rapidfuzz::distance::levenshtein;

/// Maximum number of cells of the distance table to compute: a second or two of work, 64 cells at a time.
pub const MOST_CELLS: u64 = 10_000_000_000;

/// The smallest number of insertions, deletions and substitutions that turn `left` into `right`; none if, without their
/// common start and end, both are so long that the computation would take more than [`MOST_CELLS`].
///
/// ```
/// use lookalike_core::measure::edit::distance;
///
/// assert_eq!(distance(&['c', 'a', 't'], &['c', 'a', 'r', 't', 's']), Some(2));
/// ```
pub fn distance<T: Into<u64> + Copy + PartialEq>(left: &[T], right: &[T]) -> Option<u64> {
    let same_start = left.iter().zip(right).take_while(|(left, right)| left == right).count();
    let (left, right) = (&left[same_start..], &right[same_start..]);
    let same_end = left.iter().rev().zip(right.iter().rev()).take_while(|(left, right)| left == right).count();
    let (left, right) = (&left[..left.len() - same_end], &right[..right.len() - same_end]);
    let is_short = (left.len() as u64).saturating_mul(right.len() as u64) <= MOST_CELLS;
    let numbers = |sequence: &[T]| sequence.iter().map(|item| (*item).into()).collect::<Vec<u64>>();
    is_short.then(|| levenshtein::distance(numbers(left), numbers(right)) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(left: &str, right: &str) -> Option<u64> {
        let [left, right] = [left, right].map(|text| text.chars().collect::<Vec<char>>());
        distance(&left, &right)
    }

    #[test]
    fn an_edit_is_a_character_put_in_taken_out_or_changed() {
        for (left, right, expected) in
            [("kitten", "sitting", 3), ("", "abc", 3), ("same", "same", 0), ("aba", "ababa", 2), ("añb", "a😀b", 1)]
        {
            assert_eq!((of(left, right), of(right, left)), (Some(expected), Some(expected)), "{left} {right}");
        }
    }

    #[test]
    fn what_is_too_long_is_left_out_unless_most_of_it_is_the_same() {
        let long: Vec<u64> = (0..150_000).collect();
        let other: Vec<u64> = (1_000_000..1_150_000).collect();
        assert_eq!(distance(&long, &other), None);
        let mut near = long.clone();
        near.splice(70_000..70_003, [7, 8]);
        assert_eq!(distance(&long, &near), Some(3));
    }
}
