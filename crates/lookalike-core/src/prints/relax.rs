//! Matches minutiae of two prints by their surroundings and by mutual consistency.
//!
//! The most similar surroundings form pairs. Then the pairs vote for each other: two pairs agree if the second minutia
//! is at the same distance, in the same relative direction, and with the same orientation relative to the first in both
//! prints. A chance pair has little support and sinks. (Local similarity sort with relaxation, Cappelli et al. 2010;
//! after Feng 2008.)

use super::cylinder::Cylinders;
use super::geometry::{Placed, Vector};

/// Number of rounds of voting.
const ROUNDS: usize = 5;
/// Share of its strength that a pair keeps in a round; the rest is the support of the others.
const KEPT: f32 = 0.5;
/// Tolerance of distances in a print without distortion …
const DISTANCE_SPREAD: f32 = 6.0;
/// … plus this share of the distance for distortion.
const STRETCH: f32 = 0.08;
/// Tolerance of directions, in radians: 16 degrees.
const TURN_SPREAD: f32 = 0.28;
/// Directions between minutiae closer than this, in pixels, are unreliable.
const BLUR: f32 = 6.0;
/// Factor for surroundings of minutiae of different types: extractors often confuse the types.
pub(super) const OTHER_KIND: f32 = 0.9;
/// Number of pairs examined per minutia, most similar first: later ones are chance.
const RIVALS: usize = 12;
/// Minimum and maximum number of pairs that form the consensus.
const CONSENSUS: (usize, usize) = (4, 12);

/// Two minutiae, by their positions in two prints, that may be the same.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    pub(super) left: u16,
    pub(super) right: u16,
    /// Its strength: above 0, at most 1.
    pub(super) weight: f32,
}

impl Pair {
    pub(super) fn new(left: usize, right: usize, weight: f32) -> Self {
        Self { left: left as u16, right: right as u16, weight }
    }

    pub(super) fn left_of(self, minutiae: &[Placed]) -> Placed {
        minutiae[usize::from(self.left)]
    }

    pub(super) fn right_of(self, minutiae: &[Placed]) -> Placed {
        minutiae[usize::from(self.right)]
    }

    /// Sorts by descending weight, then by position. The bits of non-negative floats sort like the floats.
    fn rank(self) -> u64 {
        u64::from(!self.weight.to_bits()) << 32 | u64::from(self.left) << 16 | u64::from(self.right)
    }
}

/// Pairs, with each minutia in at most one, and their mutual support.
#[derive(Debug)]
pub(super) struct Relaxed {
    pub(super) pairs: Vec<Pair>,
    /// A square matrix.
    agreement: Vec<f32>,
    /// Positions of the pairs, strongest after the vote first.
    pub(super) order: Vec<usize>,
    /// The mean strength of the best pairs after the vote, from 0 to 1.
    pub(super) consensus: f32,
}

impl Relaxed {
    pub(super) fn agreement(&self, one: usize, other: usize) -> f32 {
        self.agreement[one * self.pairs.len() + other]
    }
}

/// The two sides of a comparison, with their surroundings.
pub(super) type Side<'a> = (&'a [Placed], &'a Cylinders);

/// Computes pairs and votes; without any pair if nothing is similar.
pub(super) fn relax(left: Side<'_>, right: Side<'_>) -> Relaxed {
    let fewer = left.0.len().min(right.0.len());
    let pairs = most_alike(left, right);
    let count = pairs.len();

    let mut agreement = vec![0.0; count * count];
    for one in 0..count {
        for other in 0..one {
            let agrees = agree(left.0, right.0, pairs[one], pairs[other]);
            agreement[one * count + other] = agrees;
            agreement[other * count + one] = agrees;
        }
    }

    let mut strength: Vec<f32> = pairs.iter().map(|pair| pair.weight).collect();
    let share = (1.0 - KEPT) / count.saturating_sub(1).max(1) as f32;
    for _ in 0..ROUNDS {
        let voted = agreement.chunks_exact(count.max(1)).zip(&strength).map(|(row, own)| {
            let votes: f32 = row.iter().zip(&strength).map(|(agrees, strength)| agrees * strength).sum();
            KEPT * own + share * votes
        });
        strength = voted.collect();
    }

    let endured: Vec<f32> = strength.iter().zip(&pairs).map(|(strength, pair)| strength / pair.weight).collect();
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|&one, &other| endured[other].total_cmp(&endured[one]));
    // Half of the smaller print, minus spurious minutiae. Missing pairs count as 0.
    let voters = (fewer / 2).saturating_sub(2).clamp(CONSENSUS.0, CONSENSUS.1);
    let consensus = order.iter().take(voters).map(|&place| strength[place]).sum::<f32>() / voters as f32;
    Relaxed { pairs, agreement, order, consensus }
}

/// The pairs with the most similar surroundings, best first, each minutia at most once.
fn most_alike(left: Side<'_>, right: Side<'_>) -> Vec<Pair> {
    let mut all = Vec::with_capacity(left.0.len() * right.0.len());
    for (one, minutia) in left.0.iter().enumerate() {
        for (other, candidate) in right.0.iter().enumerate() {
            let factor = if minutia.kind.agrees_with(candidate.kind) { 1.0 } else { OTHER_KIND };
            let weight = factor * left.1.similarity(one, right.1, other);
            if weight > 0.0 {
                all.push(Pair::new(one, other, weight));
            }
        }
    }
    let worth_sorting = RIVALS * left.0.len().min(right.0.len());
    if all.len() > worth_sorting {
        all.select_nth_unstable_by_key(worth_sorting, |pair| pair.rank());
        all.truncate(worth_sorting);
    }
    one_to_one(&mut all, left.0.len(), right.0.len());
    all
}

/// Sorts pairs by descending weight, and keeps those whose minutiae are in no earlier pair.
pub(super) fn one_to_one(pairs: &mut Vec<Pair>, left_count: usize, right_count: usize) {
    pairs.sort_unstable_by_key(|pair| pair.rank());
    let (mut left_free, mut right_free) = (vec![true; left_count], vec![true; right_count]);
    pairs.retain(|pair| {
        let (left, right) = (&mut left_free[usize::from(pair.left)], &mut right_free[usize::from(pair.right)]);
        let free = *left && *right;
        if free {
            (*left, *right) = (false, false);
        }
        free
    });
}

/// Consistency of two pairs, from 0 to 1.
fn agree(left: &[Placed], right: &[Placed], one: Pair, other: Pair) -> f32 {
    let (left_one, left_other) = (one.left_of(left), other.left_of(left));
    let (right_one, right_other) = (one.right_of(right), other.right_of(right));
    let (left_way, right_way) = (left_other.at.minus(left_one.at), right_other.at.minus(right_one.at));
    let (left_distance, right_distance) = (left_way.length(), right_way.length());

    let spread = DISTANCE_SPREAD + STRETCH * left_distance.min(right_distance);
    let distance = ((left_distance - right_distance) / spread).powi(2) / 2.0;

    // Each pair gives a rotation of the right print; so do the vectors between them.
    let turn_of_one = left_one.direction.turned_back(right_one.direction);
    let turn_of_other = left_other.direction.turned_back(right_other.direction);
    let lengths = left_distance * right_distance + BLUR * BLUR;
    let way_cosine = |turn: Vector| (left_way.dot(right_way.turned(turn)) + BLUR * BLUR) / lengths;
    // 1 minus the cosine is half the squared angle, for small angles.
    let turns = 3.0 - turn_of_one.dot(turn_of_other) - way_cosine(turn_of_one) - way_cosine(turn_of_other);
    (-distance - turns / (TURN_SPREAD * TURN_SPREAD)).exp()
}

#[cfg(test)]
mod tests {
    use super::super::Kind;
    use super::*;

    fn placed(x: f32, y: f32, degrees: f32) -> Placed {
        let (sine, cosine) = degrees.to_radians().sin_cos();
        Placed { at: Vector { x, y }, direction: Vector { x: cosine, y: sine }, kind: Kind::Ending }
    }

    #[test]
    fn pairs_agree_when_one_motion_explains_both() {
        let left = [placed(0.0, 0.0, 10.0), placed(50.0, 0.0, 100.0)];
        // Rotated by a quarter turn.
        let right = [placed(7.0, 7.0, 100.0), placed(7.0, 57.0, 190.0)];
        let (one, other) = (Pair::new(0, 0, 1.0), Pair::new(1, 1, 1.0));
        assert!(agree(&left, &right, one, other) > 0.99);
        let further = [right[0], placed(7.0, 97.0, 190.0)];
        assert!(agree(&left, &further, one, other) < 0.01);
        let turned = [right[0], placed(7.0, 57.0, 280.0)];
        assert!(agree(&left, &turned, one, other) < 0.01);
        let elsewhere = [right[0], placed(57.0, 7.0, 190.0)];
        assert!(agree(&left, &elsewhere, one, other) < 0.01);
    }

    #[test]
    fn the_weightiest_pair_of_a_minutia_is_kept() {
        let mut pairs = vec![
            Pair::new(0, 0, 0.5),
            Pair::new(0, 1, 0.9),
            Pair::new(1, 1, 0.8),
            Pair::new(2, 2, 0.1),
            Pair::new(2, 3, 0.1),
        ];
        one_to_one(&mut pairs, 3, 4);
        let places: Vec<(u16, u16)> = pairs.iter().map(|pair| (pair.left, pair.right)).collect();
        assert_eq!(places, [(0, 1), (2, 2)]);
    }

    #[test]
    fn nothing_has_no_consensus() {
        let nothing = Cylinders::default();
        let relaxed = relax((&[], &nothing), (&[], &nothing));
        assert!(relaxed.pairs.is_empty());
        assert!(relaxed.consensus <= 0.0);
    }
}
