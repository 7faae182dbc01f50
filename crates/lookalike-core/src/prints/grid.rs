//! The textbook method: a print as the set of grid squares that contain a minutia, and random triples of squares as
//! buckets (Leskovec, Rajaraman and Ullman, Mining of Massive Datasets, 3.8.3).
//!
//! It requires prints that have been normalized to the same position, angle and size. Real prints are shifted and
//! rotated relative to each other, usually by more than a square, and then share no more squares than prints of
//! different people. The rest of this folder handles those.
//!
//! The formula assumes that the buckets are independent. They are not: two triples may share squares, and a print with
//! many minutiae is in more buckets overall. On a grid of thousands of squares the effect is negligible. On a small
//! one, fewer prints are found than predicted (the tests have the numbers).

use super::Print;
use crate::hash::{ROUND_STEP, mix};

/// Number of buckets in the textbook.
pub const DEFAULT_BUCKETS: usize = 1024;

/// Number of squares of a bucket.
const TRIPLE: usize = 3;

/// A grid of squares over an image.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    columns: u32,
    rows: u32,
    side: f64,
    margin: f64,
}

impl Grid {
    /// Creates a grid of squares of `side` pixels for an image of `width` and `height` pixels. A minutia within
    /// `margin` pixels of a neighboring square counts for that square too; with 0, each is in one square only.
    ///
    /// `None` if there would be no square, or more than a million.
    pub fn new(width: f64, height: f64, side: f64, margin: f64) -> Option<Self> {
        const MOST_SQUARES: f64 = 1e6;
        let (columns, rows) = ((width / side).ceil(), (height / side).ceil());
        let usable = side > 0.0 && columns >= 1.0 && rows >= 1.0 && columns * rows <= MOST_SQUARES;
        let usable = usable && (0.0..=side / 2.0).contains(&margin);
        usable.then_some(Self { columns: columns as u32, rows: rows as u32, side, margin })
    }

    /// Number of squares.
    pub fn square_count(&self) -> u32 {
        self.columns * self.rows
    }

    /// The distinct squares with a minutia of the print, sorted. Minutiae outside the grid are ignored.
    ///
    /// ```
    /// use lookalike_core::prints::{Kind, Minutia, Print, grid::Grid};
    ///
    /// let print = Print::new(vec![Minutia { x: 19.0, y: 5.0, angle: 0.0, kind: Kind::Ending }]);
    /// let squares = |margin| Some(Grid::new(100.0, 100.0, 10.0, margin)?.squares(&print));
    /// assert_eq!(squares(0.0), Some(vec![1]));
    /// assert_eq!(squares(2.0), Some(vec![1, 2]));
    /// ```
    pub fn squares(&self, print: &Print) -> Vec<u32> {
        let mut squares = Vec::new();
        for minutia in &print.minutiae {
            for row in self.places(minutia.y, self.rows) {
                squares.extend(self.places(minutia.x, self.columns).map(|column| row * self.columns + column));
            }
        }
        squares.sort_unstable();
        squares.dedup();
        squares
    }

    /// The columns or rows of one coordinate: its own, and the next if it is near.
    fn places(&self, coordinate: f64, count: u32) -> impl Iterator<Item = u32> {
        let place = |coordinate: f64| (coordinate / self.side).floor();
        let on_grid = (0.0..f64::from(count)).contains(&place(coordinate));
        let (first, last) = (place(coordinate - self.margin).max(0.0), place(coordinate + self.margin));
        let last = last.min(f64::from(count) - 1.0);
        // Empty for coordinates outside the grid, or NaN.
        let steps = if on_grid { first as u32..last as u32 + 1 } else { 0..0 };
        steps.into_iter()
    }
}

/// Random sets of three squares. A print is in each bucket all of whose squares it has.
#[derive(Clone, Debug)]
pub struct Triples {
    triples: Vec<[u32; TRIPLE]>,
}

impl Triples {
    /// Creates triples of distinct squares, which depend only on the seed. Empty if there are fewer than three squares.
    pub fn new(square_count: u32, bucket_count: usize, seed: u64) -> Self {
        let mut state = mix(seed.wrapping_add(ROUND_STEP));
        let mut next_square = || {
            state = state.wrapping_add(ROUND_STEP);
            // The upper half of the product: a uniform choice, up to a bias of square_count in 2^64.
            ((u128::from(mix(state)) * u128::from(square_count)) >> 64) as u32
        };
        let mut triple = || loop {
            let squares: [u32; TRIPLE] = std::array::from_fn(|_| next_square());
            if squares[0] != squares[1] && squares[0] != squares[2] && squares[1] != squares[2] {
                return squares;
            }
        };
        let bucket_count = if (square_count as usize) < TRIPLE { 0 } else { bucket_count };
        Self { triples: (0..bucket_count).map(|_| triple()).collect() }
    }

    /// The buckets of a print by its sorted squares. Two prints that share one are candidates.
    pub fn buckets<'a>(&'a self, squares: &'a [u32]) -> impl Iterator<Item = u32> + 'a {
        let has = |square: &u32| squares.binary_search(square).is_ok();
        (0..).zip(&self.triples).filter(move |(_, triple)| triple.iter().all(has)).map(|(bucket, _)| bucket)
    }
}

/// The probability that two prints share a bucket, if each square has a minutia in both with probability `both`.
///
/// If a square of a print has a minutia with probability 0.2, and then the same square of another impression of the
/// finger has one with probability 0.8, `both` is 0.16; for different fingers it is 0.04:
///
/// ```
/// use lookalike_core::prints::grid::{DEFAULT_BUCKETS, chance_to_share_a_bucket};
///
/// assert_eq!(format!("{:.3}", chance_to_share_a_bucket(0.2 * 0.8, DEFAULT_BUCKETS)), "0.985");
/// assert_eq!(format!("{:.3}", chance_to_share_a_bucket(0.2 * 0.2, DEFAULT_BUCKETS)), "0.063");
/// ```
pub fn chance_to_share_a_bucket(both: f64, bucket_count: usize) -> f64 {
    // A bucket is shared if both prints have all its squares; a pair is missed if no bucket is shared.
    let shared = both.powi(TRIPLE as i32);
    1.0 - (1.0 - shared).powi(bucket_count as i32)
}

#[cfg(test)]
mod tests {
    use super::super::{Kind, Minutia};
    use super::*;

    /// A pseudorandom generator with a fixed seed.
    struct Dice(u64);

    impl Dice {
        fn happens(&mut self, chance: f64) -> bool {
            self.0 = self.0.wrapping_add(ROUND_STEP);
            ((mix(self.0) >> 11) as f64) < chance * (1_u64 << 53) as f64
        }
    }

    /// The shares of pairs of impressions, and of pairs of different fingers, that share a bucket.
    fn simulate(square_count: u32, trial_count: u32) -> (f64, f64) {
        let mut dice = Dice(u64::from(square_count));
        let (mut found, mut false_candidates) = (0, 0);
        for trial in 0..trial_count {
            let triples = Triples::new(square_count, DEFAULT_BUCKETS, u64::from(trial));
            let mut squares: [Vec<u32>; 3] = Default::default();
            for square in 0..square_count {
                let first = dice.happens(0.2);
                // 0.2 · 0.8 + 0.8 · 0.05 = 0.2: the second impression has as many minutiae as the first.
                let second = dice.happens(if first { 0.8 } else { 0.05 });
                for (has, squares) in [first, second, dice.happens(0.2)].into_iter().zip(&mut squares) {
                    squares.extend(has.then_some(square));
                }
            }
            let buckets = squares.each_ref().map(|squares| triples.buckets(squares).collect::<Vec<u32>>());
            let share = |other: &[u32]| u32::from(buckets[0].iter().any(|bucket| other.contains(bucket)));
            found += share(&buckets[1]);
            false_candidates += share(&buckets[2]);
        }
        (f64::from(found) / f64::from(trial_count), f64::from(false_candidates) / f64::from(trial_count))
    }

    #[test]
    fn the_formulas_are_those_of_the_textbook() {
        assert!((chance_to_share_a_bucket(0.16, 1024) - 0.985).abs() < 0.0005);
        assert!((chance_to_share_a_bucket(0.04, 1024) - 0.063).abs() < 0.0005);
    }

    #[test]
    fn on_a_large_grid_the_simulation_agrees_with_the_formulas() {
        let trial_count = 3_000;
        let (found, false_candidates) = simulate(4_000, trial_count);
        for (simulated, promised) in [(found, 0.985), (false_candidates, 0.063)] {
            // Four standard deviations of a share of this many trials: 0.009 and 0.018.
            let deviation = f64::sqrt(promised * (1.0 - promised) / f64::from(trial_count));
            assert!((simulated - promised).abs() < 4.0 * deviation, "{simulated} {promised}");
        }
    }

    #[test]
    fn on_a_small_grid_fewer_are_found() {
        let (found, _) = simulate(100, 3_000);
        // For 0.985 ± 0.009 this would not be chance.
        assert!((0.90..0.976).contains(&found), "{found}");
    }

    #[test]
    fn a_print_is_in_the_buckets_whose_three_squares_it_has() {
        let triples = Triples::new(50, 200, 7);
        let all: Vec<u32> = (0..50).collect();
        assert_eq!(triples.buckets(&all).count(), 200);
        assert_eq!(triples.buckets(&all[..2]).count(), 0);
        let some: Vec<u32> = (0..25).collect();
        let expected = triples.triples.iter().filter(|triple| triple.iter().all(|square| *square < 25)).count();
        assert_eq!(triples.buckets(&some).count(), expected);
    }

    #[test]
    fn a_grid_too_small_for_triples_has_no_bucket() {
        assert_eq!(Triples::new(2, 100, 1).triples.len(), 0);
        assert_eq!(Triples::new(0, 100, 1).triples.len(), 0);
        assert_eq!(Triples::new(3, 100, 1).triples.len(), 100);
    }

    #[test]
    fn what_is_near_an_edge_is_in_both_squares_and_what_is_off_the_grid_in_none() {
        let grid = Grid::new(30.0, 30.0, 10.0, 2.0).unwrap();
        let squares = |x, y| grid.squares(&Print::new(vec![Minutia { x, y, angle: 0.0, kind: Kind::Ending }]));
        assert_eq!(squares(15.0, 15.0), [4]);
        assert_eq!(squares(11.0, 15.0), [3, 4]);
        assert_eq!(squares(11.0, 19.0), [3, 4, 6, 7]);
        assert_eq!(squares(0.5, 29.5), [6]);
        for (x, y) in [(-0.5, 5.0), (30.5, 5.0), (f64::NAN, 5.0), (5.0, f64::INFINITY), (1e300, 5.0)] {
            assert!(squares(x, y).is_empty(), "{x} {y}");
        }
    }

    #[test]
    fn a_grid_without_squares_is_refused() {
        for (width, side, margin) in
            [(0.0, 10.0, 0.0), (10.0, 0.0, 0.0), (1e9, 1e-3, 0.0), (f64::NAN, 1.0, 0.0), (10.0, 1.0, 0.7)]
        {
            assert_eq!(Grid::new(width, 10.0, side, margin), None, "{width} {side} {margin}");
        }
    }
}
