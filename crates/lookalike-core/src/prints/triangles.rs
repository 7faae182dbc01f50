//! Features that do not depend on position and rotation: triangles of neighboring minutiae, by the lengths of their
//! sides and the directions of the minutiae, in coarse cells.
//!
//! Skin is elastic, so a triangle of another impression may fall into an adjacent cell. A gallery print has each
//! triangle in one cell; a query also looks into adjacent cells if it is near an edge. The features of the two are
//! therefore computed differently: [`features`] is for the gallery, [`probes`] is for the query.
//!
//! Types are not part of the feature: of the minutiae that agree in two impressions of FVC2002, 22 of 100 change their
//! type, so half of the true triangles would be lost.

use super::Print;
use super::geometry::{Placed, Vector, place};

/// Triangles consist of a minutia and two of this many nearest neighbors: enough that three true minutiae are still
/// neighbors if an extractor has missed or invented some.
const NEIGHBORS: usize = 9;
/// Cell width for the length of a side, in pixels at 500 dpi.
const SIDE_CELL: f32 = 12.0;
/// Distance to the edge of a cell within which the adjacent one is also examined, as a share of the cell.
const SIDE_EDGE: f32 = 0.3;
/// Number of sectors for a minutia's direction relative to the longest side.
const SECTORS: usize = 10;
/// The same for sectors.
const SECTOR_EDGE: f32 = 0.3;
/// Longer sides are clipped to this; neighbors are closer.
const LONGEST_SIDE: f32 = 255.0;
/// A triangle whose longest sides differ by less has no reliable first corner.
const SIDES_ALIKE: f32 = 4.0;
/// Triangles with less height than this are too easily mirrored.
const LEAST_HEIGHT: f32 = 4.0;

/// A triangle's feature, and its direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Triangle {
    /// The cell of its sides and angles: equal for similar triangles, whatever their rotation.
    pub(super) feature: u64,
    /// The direction of its longest side, in 256ths of a full turn. The difference of two is the rotation between the
    /// prints.
    pub(super) turn: u8,
}

/// The triangles of a gallery print, sorted, each in its cell.
pub(super) fn features(print: &Print) -> Vec<Triangle> {
    let minutiae = place(print);
    let mut found: Vec<Triangle> = corners(&minutiae)
        .into_iter()
        .map(|corners| {
            let (cells, turn) = measure(&minutiae, corners);
            Triangle { feature: packed(cells.map(|cell| cell.0)), turn }
        })
        .collect();
    found.sort_unstable();
    found
}

/// The triangles of a query, sorted, each in its cell and the adjacent ones it may have come from.
pub(super) fn probes(print: &Print) -> Vec<Triangle> {
    let minutiae = place(print);
    let mut found = Vec::new();
    for corners in corners(&minutiae) {
        for start in starts(&minutiae, corners) {
            let (cells, turn) = measure(&minutiae, start);
            let mut chosen = cells.map(|cell| cell.0);
            spread(&cells, 0, &mut chosen, &mut |chosen| found.push(Triangle { feature: packed(*chosen), turn }));
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Positions of three minutiae, counter-clockwise. The longest side is from the first to the second.
type Corners = [usize; 3];

/// Each triangle of neighbors, once.
fn corners(minutiae: &[Placed]) -> Vec<Corners> {
    let mut all = Vec::new();
    for (own, minutia) in minutiae.iter().enumerate() {
        let mut others: Vec<(f32, usize)> = minutiae
            .iter()
            .enumerate()
            .filter(|&(other, _)| other != own)
            .map(|(other, neighbor)| (neighbor.at.minus(minutia.at).length(), other))
            .collect();
        others.sort_unstable_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
        others.truncate(NEIGHBORS);
        for (place, &(_, one)) in others.iter().enumerate() {
            for &(_, other) in &others[..place] {
                let mut corners = [own, one, other];
                corners.sort_unstable();
                all.push(corners);
            }
        }
    }
    all.sort_unstable();
    all.dedup();
    all.into_iter().filter_map(|corners| oriented(minutiae, corners)).collect()
}

fn oriented(minutiae: &[Placed], [one, two, three]: Corners) -> Option<Corners> {
    let at = |place: usize| minutiae[place].at;
    let doubled_area = at(two).minus(at(one)).cross(at(three).minus(at(one)));
    let [one, two, three] = if doubled_area < 0.0 { [one, three, two] } else { [one, two, three] };
    let longest = [[one, two, three], [two, three, one], [three, one, two]]
        .into_iter()
        .max_by(|left, right| first_side(minutiae, *left).total_cmp(&first_side(minutiae, *right)))?;
    (doubled_area.abs() >= LEAST_HEIGHT * first_side(minutiae, longest)).then_some(longest)
}

fn first_side(minutiae: &[Placed], corners: Corners) -> f32 {
    minutiae[corners[1]].at.minus(minutiae[corners[0]].at).length()
}

/// The triangle, and again from each corner whose side is nearly as long as the longest.
fn starts(minutiae: &[Placed], [one, two, three]: Corners) -> impl Iterator<Item = Corners> {
    let longest = first_side(minutiae, [one, two, three]);
    [[one, two, three], [two, three, one], [three, one, two]]
        .into_iter()
        .filter(move |corners| first_side(minutiae, *corners) > longest - SIDES_ALIKE)
}

/// A cell, and the adjacent one if it is near.
type Cell = (u8, Option<u8>);

/// Sides, then angles; and the direction of the first side.
fn measure(minutiae: &[Placed], corners: Corners) -> ([Cell; 6], u8) {
    let at = corners.map(|place| minutiae[place].at);
    let sides = [at[1].minus(at[0]), at[2].minus(at[1]), at[0].minus(at[2])];
    let first = sides[0].times(1.0 / sides[0].length().max(1e-3));
    let side = |side: Vector| {
        let exact = side.length().min(LONGEST_SIDE) / SIDE_CELL;
        cell(exact, SIDE_EDGE, None)
    };
    let angle = |place: usize| {
        let exact = share_of_turn(minutiae[corners[place]].direction.turned_back(first)) * SECTORS as f32;
        cell(exact, SECTOR_EDGE, Some(SECTORS as u8))
    };
    let cells = [side(sides[0]), side(sides[1]), side(sides[2]), angle(0), angle(1), angle(2)];
    (cells, (share_of_turn(first) * 256.0) as u8)
}

/// A direction as a fraction of a full turn, from 0 to below 1.
fn share_of_turn(direction: Vector) -> f32 {
    let share = direction.y.atan2(direction.x) / std::f32::consts::TAU;
    let share = if share < 0.0 { share + 1.0 } else { share };
    if share < 1.0 { share } else { 0.0 }
}

/// `around`: the number of cells, if the last is adjacent to the first.
fn cell(exact: f32, edge: f32, around: Option<u8>) -> Cell {
    let whole = exact as u8;
    let part = exact - f32::from(whole);
    let beside = if part < edge {
        if whole == 0 { around.map(|count| count - 1) } else { Some(whole - 1) }
    } else if part > 1.0 - edge {
        Some(if around == Some(whole + 1) { 0 } else { whole + 1 })
    } else {
        None
    };
    (whole, beside)
}

/// Every combination of own and adjacent cells.
fn spread(cells: &[Cell; 6], from: usize, chosen: &mut [u8; 6], found: &mut impl FnMut(&[u8; 6])) {
    if from == cells.len() {
        return found(chosen);
    }
    let (own, beside) = cells[from];
    for choice in std::iter::once(own).chain(beside) {
        chosen[from] = choice;
        spread(cells, from + 1, chosen, found);
    }
    chosen[from] = own;
}

fn packed(cells: [u8; 6]) -> u64 {
    cells.iter().fold(0, |sum, &cell| sum << 8 | u64::from(cell))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Kind, Minutia};
    use super::*;

    fn prints() -> impl Strategy<Value = Print> {
        let minutia = (0.0..300.0, 0.0..400.0, 0.0..360.0);
        proptest::collection::vec(minutia, 0..40).prop_map(|minutiae| {
            Print::new(minutiae.into_iter().map(|(x, y, angle)| Minutia { x, y, angle, kind: Kind::Other }).collect())
        })
    }

    /// Rotated counter-clockwise by degrees, and shifted.
    fn moved(print: &Print, degrees: f64, shift: (f64, f64)) -> Print {
        let (sine, cosine) = degrees.to_radians().sin_cos();
        let minutiae = print.minutiae.iter().map(|minutia| Minutia {
            x: minutia.x * cosine + minutia.y * sine + shift.0,
            y: minutia.y * cosine - minutia.x * sine + shift.1,
            angle: minutia.angle + degrees,
            kind: minutia.kind,
        });
        Print::new(minutiae.collect())
    }

    proptest! {
        #[test]
        fn a_moved_print_is_found_by_its_probes(
            print in prints(), degrees in -180.0..180.0, shift in (-500.0..500.0, -500.0..500.0)
        ) {
            let probes = probes(&moved(&print, degrees, shift));
            let expected = (-degrees / 360.0 * 256.0).rem_euclid(256.0);
            for triangle in features(&print) {
                let found = probes.iter().any(|probe| {
                    let turn = f64::from(triangle.turn.wrapping_sub(probe.turn));
                    let apart = (turn - expected).abs();
                    probe.feature == triangle.feature && apart.min(256.0 - apart) <= 2.0
                });
                prop_assert!(found, "{triangle:?}");
            }
        }

        #[test]
        fn the_order_of_minutiae_does_not_matter(print in prints()) {
            let mut turned_over = print.clone();
            turned_over.minutiae.reverse();
            prop_assert_eq!(features(&print), features(&turned_over));
            prop_assert_eq!(probes(&print), probes(&turned_over));
        }
    }

    #[test]
    fn a_mirrored_triangle_is_another_triangle() {
        let minutia = |x: f64, y: f64| Minutia { x, y, angle: 90.0, kind: Kind::Other };
        let print = Print::new(vec![minutia(0.0, 0.0), minutia(70.0, 10.0), minutia(20.0, 30.0)]);
        let mirrored = Print::new(vec![minutia(0.0, 0.0), minutia(-70.0, 10.0), minutia(-20.0, 30.0)]);
        let feature = features(&print)[0].feature;
        assert!(probes(&print).iter().any(|probe| probe.feature == feature));
        assert!(probes(&mirrored).iter().all(|probe| probe.feature != feature));
    }

    #[test]
    fn sectors_go_around_and_sides_do_not() {
        assert_eq!(cell(0.1, 0.3, Some(10)), (0, Some(9)));
        assert_eq!(cell(9.9, 0.3, Some(10)), (9, Some(0)));
        assert_eq!(cell(0.1, 0.3, None), (0, None));
        assert_eq!(cell(4.5, 0.3, None), (4, None));
        assert_eq!(cell(4.8, 0.3, None), (4, Some(5)));
    }

    #[test]
    fn fewer_than_three_minutiae_make_no_triangle() {
        let minutia = Minutia { x: 1.0, y: 2.0, angle: 3.0, kind: Kind::Ending };
        for count in 0..3 {
            assert!(features(&Print::new(vec![minutia; count])).is_empty());
        }
    }
}
