//! Two prints to one number: how sure it is that they are of the same finger.
//!
//! The score is the geometric mean of two shares, both from 0 to 1: how well the best pairs of alike surroundings agree
//! with each other ([`super::relax`]), and how much of the overlap is paired once one print lies on the other
//! ([`super::align`]). Chance finds one of them now and then, but rarely both.
//!
//! It is a score and no similarity: two good impressions of one finger have .3 to .7, and different fingers .02 to .08.

use super::align::{Sheet, align};
use super::cylinder::Cylinders;
use super::geometry::{Hull, Placed, place};
use super::relax::relax;
use super::{FEWEST_MINUTIAE, Print};

/// From this score on, two prints are taken to be of the same finger, unless another threshold is given.
///
/// Of the pairs of different fingers of FVC2002 (the B sets, `examples/prints_accuracy.rs`), fewer than one in a
/// thousand reach it.
pub const DEFAULT_THRESHOLD: f64 = 0.12;

/// A print made ready for many comparisons: about a millisecond, and 20 kilobytes.
#[derive(Clone, Debug)]
pub struct PreparedPrint {
    minutiae: Vec<Placed>,
    hull: Hull,
    cylinders: Cylinders,
}

/// What a comparison found.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Comparison {
    /// From 0, nothing in common, to 1.
    pub score: f64,
    /// How many minutiae agree in place and angle.
    pub paired_count: usize,
}

impl PreparedPrint {
    /// Prepares a print. Minutiae at no finite place are left out.
    pub fn new(print: &Print) -> Self {
        let minutiae = place(print);
        let hull = Hull::around(&minutiae);
        let cylinders = Cylinders::of(&minutiae, &hull);
        Self { minutiae, hull, cylinders }
    }

    /// How many different minutiae it has.
    pub fn minutia_count(&self) -> usize {
        self.minutiae.len()
    }

    /// Compares two prints. It does not matter which is which, nor where and how they lie on their images, nor in which
    /// order their minutiae were given.
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
    /// assert!(comparison.score > 0.5);
    /// ```
    pub fn compare(&self, other: &Self) -> Comparison {
        // The same order for (a, b) and (b, a), so that both round alike.
        let (left, right) = if self.comes_before(other) { (self, other) } else { (other, self) };
        if left.minutiae.len().min(right.minutiae.len()) < FEWEST_MINUTIAE {
            return Comparison::default();
        }
        let relaxed = relax((&left.minutiae, &left.cylinders), (&right.minutiae, &right.cylinders));
        let aligned = align(left.sheet(), right.sheet(), &relaxed);
        let score = f64::from(relaxed.consensus.max(0.0) * aligned.share).sqrt().min(1.0);
        Comparison { score, paired_count: aligned.paired }
    }

    fn sheet(&self) -> Sheet<'_> {
        Sheet { minutiae: &self.minutiae, hull: &self.hull }
    }

    fn comes_before(&self, other: &Self) -> bool {
        let key = |minutia: &Placed| {
            [minutia.at.x, minutia.at.y, minutia.direction.x, minutia.direction.y].map(|number| number.to_bits())
        };
        let (left, right) = (&self.minutiae, &other.minutiae);
        let by_kind = || left.iter().map(|minutia| minutia.kind).le(right.iter().map(|minutia| minutia.kind));
        match left.len().cmp(&right.len()).then_with(|| left.iter().map(key).cmp(right.iter().map(key))) {
            std::cmp::Ordering::Equal => by_kind(),
            order => order.is_lt(),
        }
    }
}
