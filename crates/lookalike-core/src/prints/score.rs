//! Computes a score for two prints: the confidence that they are of the same finger.
//!
//! The score is the geometric mean of two shares, both from 0 to 1: how well the best pairs of similar surroundings
//! agree with each other (`relax.rs`), and how much of the overlap is paired after alignment (`align.rs`). One of them
//! is occasionally high by chance, but rarely both.
//!
//! It is a score, not a probability: most impressions of one finger score 0.13 to 0.5, and most of different fingers
//! 0.04 to 0.07. Even a print compared with itself scores less than 1, and less the fewer minutiae it has: on partial
//! prints, half a dozen minutiae often agree well by chance. Therefore, with fewer than [`ENOUGH_PAIRED`], a high score
//! is reduced in proportion to their number.

use super::align::{Sheet, align};
use super::cylinder::Cylinders;
use super::geometry::{Hull, Placed, place};
use super::relax::relax;
use super::{FEWEST_MINUTIAE, Print};

/// Default score from which two prints are assumed to be of the same finger.
///
/// Of the pairs of different fingers of FVC2002 (the B sets; `cargo xtask quality` measures it), one in two thousand
/// reaches it, and 0.92 of the pairs of the same finger.
pub const DEFAULT_THRESHOLD: f64 = 0.11;

/// Number of paired minutiae for the full score. Of squares of 120 pixels cut out of the prints of FVC2002, with 8
/// minutiae on average, 230 of 11,520 pairs of different fingers reach the threshold without this rule, and 7 with it.
pub const ENOUGH_PAIRED: usize = 10;

/// Scores up to this are not evidence, and are not reduced: few minutiae are not evidence against a match.
const NO_PROOF: f64 = 0.09;

/// A print prepared for many comparisons, which takes a third of a millisecond and 10 kB.
#[derive(Clone, Debug)]
pub struct PreparedPrint {
    minutiae: Vec<Placed>,
    hull: Hull,
    cylinders: Cylinders,
}

/// Result of a comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Comparison {
    /// From 0 (nothing in common) to 1.
    pub score: f64,
    /// Number of minutiae that agree in position and angle.
    pub paired_count: usize,
    /// Rotation between the prints in radians, by the positions of the paired minutiae.
    pub turn_by_place: f64,
    /// Rotation by their directions. It is the opposite if all angles were given in the wrong direction.
    pub turn_by_direction: f64,
}

impl PreparedPrint {
    /// Prepares a print. Minutiae at invalid positions are ignored.
    pub fn new(print: &Print) -> Self {
        let minutiae = place(print);
        let hull = Hull::around(&minutiae);
        let cylinders = Cylinders::of(&minutiae, &hull);
        Self { minutiae, hull, cylinders }
    }

    /// Number of distinct minutiae.
    pub fn minutia_count(&self) -> usize {
        self.minutiae.len()
    }

    /// Compares two prints. The result does not depend on which is which, on their position and rotation in the images,
    /// or on the order of the minutiae.
    ///
    /// ```
    /// use lookalike_core::prints::{Kind, Minutia, PreparedPrint, Print};
    ///
    /// let minutia = |(x, y, angle)| Minutia { x, y, angle, kind: Kind::Ending };
    /// let places = [(10., 10., 0.), (50., 20., 40.), (30., 60., 300.), (90., 40., 90.), (70., 90., 200.), (20., 95., 10.)];
    /// let print = Print::new(places.map(minutia).to_vec());
    /// // Turned by a quarter, counter-clockwise, and shifted.
    /// let turned = Print::new(places.map(|(x, y, angle)| minutia((y + 200., 300. - x, angle + 90.))).to_vec());
    ///
    /// let comparison = PreparedPrint::new(&print).compare(&PreparedPrint::new(&turned));
    /// assert_eq!(comparison.paired_count, 6);
    /// assert!(comparison.score > 0.3);
    /// ```
    pub fn compare(&self, other: &Self) -> Comparison {
        // The same order for (a, b) and (b, a), so that rounding is the same.
        let (left, right) = if self.comes_before(other) { (self, other) } else { (other, self) };
        if left.minutiae.len().min(right.minutiae.len()) < FEWEST_MINUTIAE {
            return Comparison::default();
        }
        let relaxed = relax((&left.minutiae, &left.cylinders), (&right.minutiae, &right.cylinders));
        let aligned = align(left.sheet(), right.sheet(), &relaxed);
        let enough = (aligned.paired as f64 / ENOUGH_PAIRED as f64).min(1.0);
        let score = f64::from(relaxed.consensus.max(0.0) * aligned.share).sqrt().min(1.0);
        let score = (score * enough).max(score.min(NO_PROOF));
        let [turn_by_place, turn_by_direction] = aligned.turns.map(|turn| f64::from(turn.y).atan2(f64::from(turn.x)));
        Comparison { score, paired_count: aligned.paired, turn_by_place, turn_by_direction }
    }

    fn sheet(&self) -> Sheet<'_> {
        Sheet { minutiae: &self.minutiae, hull: &self.hull }
    }

    fn comes_before(&self, other: &Self) -> bool {
        let key =
            |minutia: &Placed| [minutia.at.x, minutia.at.y, minutia.direction.x, minutia.direction.y].map(f32::to_bits);
        let (left, right) = (&self.minutiae, &other.minutiae);
        let by_kind = || left.iter().map(|minutia| minutia.kind).le(right.iter().map(|minutia| minutia.kind));
        match left.len().cmp(&right.len()).then_with(|| left.iter().map(key).cmp(right.iter().map(key))) {
            std::cmp::Ordering::Equal => by_kind(),
            order => order.is_lt(),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Kind, MOST_MINUTIAE, Minutia};
    use super::*;

    fn prints(count: std::ops::Range<usize>) -> impl Strategy<Value = Print> {
        let kind = prop_oneof![Just(Kind::Ending), Just(Kind::Bifurcation), Just(Kind::Other)];
        let minutia = (0.0..300.0, 0.0..400.0, 0.0..360.0, kind);
        proptest::collection::vec(minutia, count).prop_map(|minutiae| {
            Print::new(minutiae.into_iter().map(|(x, y, angle, kind)| Minutia { x, y, angle, kind }).collect())
        })
    }

    /// Another impression of the same finger: rotated and shifted, with each minutia slightly displaced, and some
    /// missing.
    fn impression(print: &Print, degrees: f64, shift: f64, off: &[(f64, f64, f64)]) -> Print {
        let (sine, cosine) = degrees.to_radians().sin_cos();
        let minutiae = print.minutiae.iter().zip(off.iter().cycle()).map(|(minutia, off)| Minutia {
            x: minutia.x * cosine + minutia.y * sine + shift + off.0,
            y: minutia.y * cosine - minutia.x * sine - 2.0 * shift + off.1,
            angle: minutia.angle + degrees + off.2,
            kind: minutia.kind,
        });
        Print::new(minutiae.collect())
    }

    fn score(left: &Print, right: &Print) -> f64 {
        PreparedPrint::new(left).compare(&PreparedPrint::new(right)).score
    }

    proptest! {
        #[test]
        fn it_does_not_matter_which_print_is_which(left in prints(0..40), right in prints(0..40)) {
            let (left, right) = (PreparedPrint::new(&left), PreparedPrint::new(&right));
            prop_assert_eq!(left.compare(&right), right.compare(&left));
            prop_assert!((0.0..=1.0).contains(&left.compare(&right).score));
        }

        #[test]
        fn the_order_of_minutiae_does_not_matter(left in prints(0..40), right in prints(0..40)) {
            let mut turned_over = left.clone();
            turned_over.minutiae.reverse();
            prop_assert_eq!(
                PreparedPrint::new(&left).compare(&PreparedPrint::new(&right)),
                PreparedPrint::new(&turned_over).compare(&PreparedPrint::new(&right))
            );
        }

        // Up to rounding: a byte of a cylinder may be rounded differently.
        #[test]
        fn a_moved_print_scores_as_if_it_had_not_moved(
            print in prints(12..40),
            off in proptest::collection::vec((-4.0..4.0, -4.0..4.0, -8.0..8.0), 40),
            degrees in -180.0..180.0,
            shift in -1000.0..1000.0,
        ) {
            let other = impression(&print, 20.0, 5.0, &off);
            let moved = impression(&other, degrees, shift, &[(0.0, 0.0, 0.0)]);
            let (still, moved) = (score(&print, &other), score(&print, &moved));
            prop_assert!((still - moved).abs() < 0.02, "{still} {moved}");
        }

        #[test]
        fn impressions_of_one_finger_score_far_higher_than_strangers(
            print in prints(25..40),
            stranger in prints(25..40),
            off in proptest::collection::vec((-4.0..4.0, -4.0..4.0, -8.0..8.0), 40),
            degrees in -180.0..180.0,
        ) {
            let mut other = impression(&print, degrees, 30.0, &off);
            other.minutiae.truncate(20);
            prop_assert!(score(&print, &other) > DEFAULT_THRESHOLD);
            prop_assert!(score(&print, &other) > 2.0 * score(&print, &stranger));
        }
    }

    #[test]
    fn prints_with_few_minutiae_score_nothing() {
        let minutia = |place: usize| Minutia { x: 40.0 * place as f64, y: 9.0, angle: 45.0, kind: Kind::Ending };
        let many = Print::new((0..30).map(minutia).collect());
        for count in 0..FEWEST_MINUTIAE {
            let few = Print::new((0..count).map(minutia).collect());
            assert_eq!(PreparedPrint::new(&few).compare(&PreparedPrint::new(&many)), Comparison::default());
            assert_eq!(PreparedPrint::new(&few).compare(&PreparedPrint::new(&few)), Comparison::default());
        }
        // One position, however often repeated, is one minutia.
        let same = PreparedPrint::new(&Print::new(vec![minutia(1); 30]));
        assert_eq!(same.compare(&same), Comparison::default());
    }

    #[test]
    fn few_minutiae_prove_less_than_many() {
        let minutia = |place: usize| {
            let scattered = crate::hash::mix(place as u64 + 1);
            let (x, y) = ((scattered % 150) as f64, (scattered >> 20) as f64 % 150.0);
            Minutia { x, y, angle: (scattered >> 40) as f64 % 360.0, kind: Kind::Ending }
        };
        let with_itself = |count: usize| {
            let print = PreparedPrint::new(&Print::new((0..count).map(minutia).collect()));
            print.compare(&print)
        };
        let scores: Vec<f64> = (4..=12).map(|count| with_itself(count).score).collect();
        assert!(scores.is_sorted(), "{scores:?}");
        assert!(scores[0] < 0.3 && scores[8] > 0.6, "{scores:?}");
    }

    #[test]
    fn hostile_prints_are_bounded_and_have_a_score() {
        let minutia = |x, y, angle| Minutia { x, y, angle, kind: Kind::Ending };
        let huge = Print::new((0..9_000).map(|place| minutia(f64::from(place) * 1e300, -1e30, 1e18)).collect());
        let line = Print::new((0..2_000).map(|place| minutia(f64::from(place), 0.0, 0.0)).collect());
        let nowhere = Print { resolution: 0.0, ..Print::new(vec![minutia(f64::NAN, f64::INFINITY, 1.0); 9]) };
        let tiny = Print { resolution: 1e-300, ..line.clone() };
        let prints = [huge, line, nowhere, tiny].map(|print| PreparedPrint::new(&print));
        for left in &prints {
            assert!(left.minutia_count() <= MOST_MINUTIAE);
            for right in &prints {
                assert!((0.0..=1.0).contains(&left.compare(right).score));
            }
        }
    }
}
