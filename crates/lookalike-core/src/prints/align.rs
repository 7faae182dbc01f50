//! Aligns two prints, and pairs minutiae that then agree in position and angle.
//!
//! Each of the pairs with the most votes is a hypothesis: it and those that agree with it vote for a rotation and a
//! shift. Then all minutiae are paired under that transformation, and it is fitted again to the pairs.

use super::geometry::{Hull, Motion, Placed, Vector};
use super::relax::{OTHER_KIND, Pair, Relaxed, one_to_one};

/// Number of transformations to try.
const HYPOTHESES: usize = 5;
/// Number of times a transformation is fitted again.
const ROUNDS: usize = 2;
/// Two minutiae are the same if they are closer than this …
const PLACE_TOLERANCE: f32 = 14.0;
/// … and their directions differ by less than 25 degrees, by its cosine.
const COSINE_TOLERANCE: f32 = 0.906;
/// Pairs that agree with a hypothesis less than this do not contribute to its transformation.
const LEAST_SAY: f32 = 0.05;
/// Weight of a direction for the rotation: as much as a minutia at this distance from the center.
const ARM: f32 = 20.0;
/// The boundary of a print is not sharp: its hull is given by the outermost minutiae that were found.
const HULL_BLUR: f32 = 10.0;
/// Number of unpaired minutiae added to the overlap. Without them, three pairs on a small overlap would be perfect.
const DOUBT: f32 = 8.0;

/// Result of aligning two prints.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Aligned {
    /// Number of paired minutiae.
    pub(super) paired: usize,
    /// The share of the minutiae in the overlap that agree, weighted by how well, from 0 to 1.
    pub(super) share: f32,
    /// Rotation of the right print, by the positions of the pairs and by their directions: as vectors of any length.
    pub(super) turns: [Vector; 2],
}

/// The data of a print for alignment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sheet<'a> {
    pub(super) minutiae: &'a [Placed],
    pub(super) hull: &'a Hull,
}

/// The best of some transformations of the right print onto the left one.
pub(super) fn align(left: Sheet<'_>, right: Sheet<'_>, relaxed: &Relaxed) -> Aligned {
    let mut best = Aligned::default();
    for &anchor in relaxed.order.iter().take(HYPOTHESES) {
        let mut fitting: Vec<Pair> = Vec::with_capacity(relaxed.pairs.len());
        for (place, pair) in relaxed.pairs.iter().enumerate() {
            let say = if place == anchor { 1.0 } else { relaxed.agreement(anchor, place) * pair.weight };
            if say > LEAST_SAY {
                fitting.push(Pair { weight: say, ..*pair });
            }
        }
        let mut motion = fit(left.minutiae, right.minutiae, &fitting);
        let mut pairs = pair_up(left.minutiae, right.minutiae, &motion);
        for _ in 0..ROUNDS {
            if pairs.len() < 3 {
                break;
            }
            motion = fit(left.minutiae, right.minutiae, &pairs);
            pairs = pair_up(left.minutiae, right.minutiae, &motion);
        }
        let aligned = measure(left, right, &motion, &pairs);
        if aligned.share > best.share {
            best = Aligned { turns: turns(left.minutiae, right.minutiae, &pairs), ..aligned };
        }
    }
    best
}

/// The transformation that maps the right minutiae of pairs closest to the left ones, by weighted least squares.
fn fit(left: &[Placed], right: &[Placed], pairs: &[Pair]) -> Motion {
    let [left_middle, right_middle] = middles(left, right, pairs);
    let mut turn = Vector::default();
    for pair in pairs {
        let (one, other) = (pair.left_of(left), pair.right_of(right));
        let by_place = one.at.minus(left_middle).turned_back(other.at.minus(right_middle));
        let by_direction = one.direction.turned_back(other.direction);
        turn = turn.plus(by_place.plus(by_direction.times(ARM * ARM)).times(pair.weight));
    }
    let length = turn.length();
    let turn = if length > 0.0 { turn.times(1.0 / length) } else { Vector { x: 1.0, y: 0.0 } };
    Motion { turn, shift: left_middle.minus(right_middle.turned(turn)) }
}

/// The centroids of the left and the right minutiae of pairs.
fn middles(left: &[Placed], right: &[Placed], pairs: &[Pair]) -> [Vector; 2] {
    let total: f32 = pairs.iter().map(|pair| pair.weight).sum();
    let middle = |place: &dyn Fn(Pair) -> Vector| {
        pairs.iter().fold(Vector::default(), |sum, pair| sum.plus(place(*pair).times(pair.weight / total)))
    };
    [middle(&|pair| pair.left_of(left).at), middle(&|pair| pair.right_of(right).at)]
}

/// The rotation of the right minutiae of pairs, by their positions and by their directions.
fn turns(left: &[Placed], right: &[Placed], pairs: &[Pair]) -> [Vector; 2] {
    let [left_middle, right_middle] = middles(left, right, pairs);
    let mut turns = [Vector::default(); 2];
    for pair in pairs {
        let (one, other) = (pair.left_of(left), pair.right_of(right));
        let by_place = one.at.minus(left_middle).turned_back(other.at.minus(right_middle));
        let by_direction = one.direction.turned_back(other.direction);
        turns = [turns[0].plus(by_place.times(pair.weight)), turns[1].plus(by_direction.times(pair.weight))];
    }
    turns
}

/// Pairs of minutiae that agree in position and angle after the transformation: closest first, each minutia at most
/// once.
fn pair_up(left: &[Placed], right: &[Placed], motion: &Motion) -> Vec<Pair> {
    let mut near = Vec::with_capacity(2 * left.len());
    for (right_place, minutia) in right.iter().enumerate() {
        let at = motion.moves(minutia.at);
        let direction = minutia.direction.turned(motion.turn);
        // They are sorted by x, so only a strip has to be examined.
        let first = left.partition_point(|candidate| candidate.at.x < at.x - PLACE_TOLERANCE);
        let strip = left[first..].iter().take_while(|candidate| candidate.at.x < at.x + PLACE_TOLERANCE);
        for (left_place, candidate) in (first..).zip(strip) {
            let offset = candidate.at.minus(at);
            let squared = offset.dot(offset) / (PLACE_TOLERANCE * PLACE_TOLERANCE);
            let cosine = candidate.direction.dot(direction);
            if squared < 1.0 && cosine > COSINE_TOLERANCE {
                let factor = if minutia.kind.agrees_with(candidate.kind) { 1.0 } else { OTHER_KIND };
                let in_angle = ((cosine - COSINE_TOLERANCE) / (1.0 - COSINE_TOLERANCE)).min(1.0);
                near.push(Pair::new(left_place, right_place, factor * (1.0 - squared) * in_angle));
            }
        }
    }
    one_to_one(&mut near, left.len(), right.len());
    near
}

/// The paired share of the overlap.
fn measure(left: Sheet<'_>, right: Sheet<'_>, motion: &Motion, pairs: &[Pair]) -> Aligned {
    let back = motion.inverse();
    let within = |hull: &Hull, point| (0.5 - hull.distance(point) / (2.0 * HULL_BLUR)).clamp(0.0, 1.0);
    let left_overlap: f32 = left.minutiae.iter().map(|minutia| within(right.hull, back.moves(minutia.at))).sum();
    let right_overlap: f32 = right.minutiae.iter().map(|minutia| within(left.hull, motion.moves(minutia.at))).sum();
    let paired = pairs.len() as f32;
    let overlap = (left_overlap.max(paired) + DOUBT) * (right_overlap.max(paired) + DOUBT);
    // The square root: a weight falls with position and angle together, which is too strict for elastic skin.
    let weight: f32 = pairs.iter().map(|pair| pair.weight.sqrt()).sum();
    Aligned { paired: pairs.len(), share: weight / overlap.sqrt(), ..Aligned::default() }
}

#[cfg(test)]
mod tests {
    use super::super::Kind;
    use super::*;

    fn placed(x: f32, y: f32, degrees: f32) -> Placed {
        let (sine, cosine) = degrees.to_radians().sin_cos();
        Placed { at: Vector { x, y }, direction: Vector { x: cosine, y: sine }, kind: Kind::Ending }
    }

    const MOTION: Motion = Motion { turn: Vector { x: 0.6, y: 0.8 }, shift: Vector { x: 40.0, y: -9.0 } };

    /// A print moved by [`MOTION`], sorted by x, and the original.
    fn sheets() -> (Vec<Placed>, Vec<Placed>) {
        let right =
            vec![placed(0.0, 40.0, 0.0), placed(0.0, 0.0, 70.0), placed(50.0, 30.0, 200.0), placed(70.0, 0.0, 300.0)];
        let moved = |minutia: &Placed| Placed {
            at: MOTION.moves(minutia.at),
            direction: minutia.direction.turned(MOTION.turn),
            kind: minutia.kind,
        };
        (right.iter().map(moved).collect(), right)
    }

    #[test]
    fn the_motion_is_found_from_pairs() {
        let (left, right) = sheets();
        let pairs: Vec<Pair> = (0..3).map(|place| Pair::new(place, place, 0.5)).collect();
        let motion = fit(&left, &right, &pairs);
        assert!(motion.turn.minus(MOTION.turn).length() < 1e-5);
        assert!(motion.shift.minus(MOTION.shift).length() < 1e-3);
    }

    #[test]
    fn places_and_directions_tell_the_same_turn() {
        let (mut left, right) = sheets();
        let pairs: Vec<Pair> = (0..4).map(|place| Pair::new(place, place, 0.5)).collect();
        let angles = |left: &[Placed]| turns(left, &right, &pairs).map(|turn| turn.y.atan2(turn.x));
        let turn = MOTION.turn.y.atan2(MOTION.turn.x);
        assert!(angles(&left).iter().all(|angle| (angle - turn).abs() < 1e-4));
        // Directions that turn the other way.
        for (minutia, still) in left.iter_mut().zip(&right) {
            minutia.direction = still.direction.turned_back(MOTION.turn);
        }
        let [by_place, by_direction] = angles(&left);
        assert!((by_place - turn).abs() < 1e-4 && (by_direction + turn).abs() < 1e-4);
    }

    #[test]
    fn what_lies_alike_but_points_elsewhere_is_no_pair() {
        let (mut left, right) = sheets();
        assert_eq!(pair_up(&left, &right, &MOTION).len(), 4);
        left[2].direction = left[2].direction.times(-1.0);
        left[3].at.x += 2.0 * PLACE_TOLERANCE;
        assert_eq!(pair_up(&left, &right, &MOTION).len(), 2);
    }

    #[test]
    fn what_is_unpaired_counts_only_where_the_prints_overlap() {
        let (left, right) = sheets();
        let share = |left: &[Placed]| {
            let hulls = (Hull::around(left), Hull::around(&right));
            let (left, right) = (Sheet { minutiae: left, hull: &hulls.0 }, Sheet { minutiae: &right, hull: &hulls.1 });
            measure(left, right, &MOTION, &pair_up(left.minutiae, right.minutiae, &MOTION)).share
        };
        let with_more_at = |middle: Vector| {
            let more = (0..6).map(|step| placed(middle.x + step as f32, middle.y, 0.0));
            let mut all: Vec<Placed> = left.iter().copied().chain(more).collect();
            all.sort_by(|one, other| one.at.x.total_cmp(&other.at.x));
            all
        };
        let outside = with_more_at(Vector { x: -300.0, y: 0.0 });
        let inside = with_more_at(MOTION.moves(Vector { x: 25.0, y: 15.0 }));
        assert!(share(&outside) > share(&inside));
    }
}
