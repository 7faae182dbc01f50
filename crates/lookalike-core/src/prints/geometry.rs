//! Minutiae in normalized coordinates: the scale is the same for every sensor, `y` grows upwards, directions are unit
//! vectors, and the order is fixed. Also transformations of the plane, and the convex hull of a print.
//!
//! The unit is the pixel of a 500 dpi sensor, which the literature uses for its constants.

use super::{DEFAULT_RESOLUTION, Kind, MOST_MINUTIAE, Print};

/// A minutia in normalized coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Placed {
    pub(super) at: Vector,
    /// A unit vector.
    pub(super) direction: Vector,
    pub(super) kind: Kind,
}

/// A point, a difference of points, or, with length 1, a direction or a rotation (as a complex number).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Vector {
    pub(super) x: f32,
    pub(super) y: f32,
}

impl Vector {
    pub(super) fn minus(self, other: Self) -> Self {
        Self { x: self.x - other.x, y: self.y - other.y }
    }

    pub(super) fn plus(self, other: Self) -> Self {
        Self { x: self.x + other.x, y: self.y + other.y }
    }

    pub(super) fn times(self, factor: f32) -> Self {
        Self { x: self.x * factor, y: self.y * factor }
    }

    pub(super) fn dot(self, other: Self) -> f32 {
        self.x * other.x + self.y * other.y
    }

    /// Twice the signed area between the two: positive if `other` is to the left.
    pub(super) fn cross(self, other: Self) -> f32 {
        self.x * other.y - self.y * other.x
    }

    pub(super) fn length(self) -> f32 {
        self.dot(self).sqrt()
    }

    /// This vector, rotated.
    pub(super) fn turned(self, turn: Self) -> Self {
        Self { x: self.x * turn.x - self.y * turn.y, y: self.x * turn.y + self.y * turn.x }
    }

    /// This vector, rotated the other way.
    pub(super) fn turned_back(self, turn: Self) -> Self {
        self.turned(Self { x: turn.x, y: -turn.y })
    }
}

/// The distinct minutiae of a print relative to their centroid, sorted by `x`, at most [`MOST_MINUTIAE`], without those
/// at invalid positions.
pub(super) fn place(print: &Print) -> Vec<Placed> {
    let usable = print.resolution.is_finite() && print.resolution > 0.0;
    let scale = if usable { DEFAULT_RESOLUTION / print.resolution } else { 1.0 };
    let mut points: Vec<(f64, f64, f64, Kind)> = print
        .minutiae
        .iter()
        .map(|minutia| (minutia.x * scale, -minutia.y * scale, minutia.angle.rem_euclid(360.0), minutia.kind))
        .filter(|(x, y, angle, _)| x.is_finite() && y.is_finite() && angle.is_finite())
        .collect();
    let in_order = |left: &(f64, f64, f64, Kind), right: &(f64, f64, f64, Kind)| {
        let by_place = left.0.total_cmp(&right.0).then(left.1.total_cmp(&right.1));
        by_place.then(left.2.total_cmp(&right.2)).then(left.3.cmp(&right.3))
    };
    points.sort_unstable_by(in_order);
    points.dedup();

    // Summed in sorted order, so that rounding does not depend on the input order.
    let count = points.len().max(1) as f64;
    let middle_x = points.iter().map(|point| point.0 / count).sum::<f64>();
    let middle_y = points.iter().map(|point| point.1 / count).sum::<f64>();
    if points.len() > MOST_MINUTIAE {
        let distance = |point: &(f64, f64, f64, Kind)| (point.0 - middle_x).hypot(point.1 - middle_y);
        points.sort_by(|left, right| distance(left).total_cmp(&distance(right)));
        points.truncate(MOST_MINUTIAE);
        points.sort_unstable_by(in_order);
    }
    points
        .into_iter()
        .map(|(x, y, angle, kind)| {
            let (sine, cosine) = angle.to_radians().sin_cos();
            Placed {
                at: Vector { x: (x - middle_x) as f32, y: (y - middle_y) as f32 },
                direction: Vector { x: cosine as f32, y: sine as f32 },
                kind,
            }
        })
        .collect()
}

/// A rotation around the origin, then a shift.
#[derive(Clone, Copy, Debug)]
pub(super) struct Motion {
    pub(super) turn: Vector,
    pub(super) shift: Vector,
}

impl Motion {
    pub(super) fn moves(&self, point: Vector) -> Vector {
        point.turned(self.turn).plus(self.shift)
    }

    pub(super) fn inverse(&self) -> Self {
        let turn = Vector { x: self.turn.x, y: -self.turn.y };
        Self { turn, shift: self.shift.turned(turn).times(-1.0) }
    }
}

/// The corners of the convex hull of a print's minutiae, counter-clockwise.
#[derive(Clone, Debug, Default)]
pub(super) struct Hull {
    corners: Vec<Vector>,
}

impl Hull {
    /// Computes the hull by Andrew's monotone chain.
    pub(super) fn around(minutiae: &[Placed]) -> Self {
        let mut points: Vec<Vector> = minutiae.iter().map(|minutia| minutia.at).collect();
        points.sort_unstable_by(|left, right| left.x.total_cmp(&right.x).then(left.y.total_cmp(&right.y)));
        points.dedup();
        if points.len() < 3 {
            return Self { corners: points };
        }
        let mut corners: Vec<Vector> = Vec::with_capacity(points.len());
        let mut extend = |points: &mut dyn Iterator<Item = &Vector>, fixed: usize| {
            for &point in points {
                while corners.len() >= fixed + 2 && {
                    let (before, last) = (corners[corners.len() - 2], corners[corners.len() - 1]);
                    last.minus(before).cross(point.minus(before)) <= 0.0
                } {
                    corners.pop();
                }
                corners.push(point);
            }
            corners.len() - 1
        };
        let lower = extend(&mut points.iter(), 0);
        extend(&mut points.iter().rev().skip(1), lower);
        corners.pop();
        Self { corners }
    }

    /// The distance of a point outside the hull, negative inside.
    pub(super) fn distance(&self, point: Vector) -> f32 {
        let mut nearest = f32::INFINITY;
        let mut inside = self.corners.len() >= 3;
        for (place, &corner) in self.corners.iter().enumerate() {
            let next = self.corners[if place + 1 < self.corners.len() { place + 1 } else { 0 }];
            let (edge, offset) = (next.minus(corner), point.minus(corner));
            let squared = edge.dot(edge);
            let along = if squared > 0.0 { (offset.dot(edge) / squared).clamp(0.0, 1.0) } else { 0.0 };
            let away = offset.minus(edge.times(along));
            nearest = nearest.min(away.dot(away));
            inside &= edge.cross(offset) >= 0.0;
        }
        if inside { -nearest.sqrt() } else { nearest.sqrt() }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Minutia;
    use super::*;

    fn minutia(x: f64, y: f64) -> Minutia {
        Minutia { x, y, angle: 90.0, kind: Kind::Ending }
    }

    #[test]
    fn an_angle_of_ninety_degrees_points_to_the_top_of_the_image() {
        let placed = place(&Print::new(vec![minutia(0.0, 0.0), minutia(0.0, 10.0)]));
        let top = placed.iter().max_by(|left, right| left.at.y.total_cmp(&right.at.y)).unwrap();
        assert_eq!(top.at, Vector { x: 0.0, y: 5.0 });
        assert!((top.direction.y - 1.0).abs() < 1e-6);
    }

    #[test]
    fn a_finer_sensor_gives_the_same_place() {
        let coarse = Print::new(vec![minutia(0.0, 0.0), minutia(30.0, 10.0)]);
        let fine =
            Print { resolution: 2.0 * DEFAULT_RESOLUTION, ..Print::new(vec![minutia(0.0, 0.0), minutia(60.0, 20.0)]) };
        assert_eq!(place(&coarse), place(&fine));
    }

    #[test]
    fn nonsense_is_left_out_and_doubles_count_once() {
        let print = Print::new(vec![minutia(f64::NAN, 1.0), minutia(f64::INFINITY, 1.0), minutia(1.0, 1.0)]);
        assert_eq!(place(&print).len(), 1);
        assert_eq!(place(&Print::new(vec![minutia(1.0, 1.0); 50])).len(), 1);
        assert_eq!(place(&Print::new((0..999).map(|x| minutia(f64::from(x), 0.0)).collect())).len(), MOST_MINUTIAE);
    }

    #[test]
    fn a_hull_knows_inside_from_outside() {
        let corners = [(0.0, 0.0), (10.0, 0.0), (10.0, 10.0), (0.0, 10.0), (5.0, 5.0), (5.0, 0.0)];
        let placed: Vec<Placed> = corners
            .map(|(x, y)| Placed { at: Vector { x, y }, direction: Vector { x: 1.0, y: 0.0 }, kind: Kind::Other })
            .to_vec();
        let hull = Hull::around(&placed);
        assert_eq!(hull.corners.len(), 4);
        assert!((hull.distance(Vector { x: 5.0, y: 3.0 }) + 3.0).abs() < 1e-5);
        assert!((hull.distance(Vector { x: 13.0, y: 14.0 }) - 5.0).abs() < 1e-5);
        assert!(Hull::around(&placed[..2]).distance(Vector { x: 5.0, y: 2.0 }) > 1.9);
        assert!(Hull::default().distance(Vector::default()).is_infinite());
    }

    #[test]
    fn a_motion_and_its_inverse_cancel() {
        let motion = Motion { turn: Vector { x: 0.6, y: 0.8 }, shift: Vector { x: 3.0, y: -7.0 } };
        let point = Vector { x: 11.0, y: 5.0 };
        assert!(motion.inverse().moves(motion.moves(point)).minus(point).length() < 1e-5);
    }
}
