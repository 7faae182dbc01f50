//! Describes the surroundings of a minutia by a fixed number of bytes, independent of the position and rotation of the
//! print.
//!
//! This is the Minutia Cylinder-Code (Cappelli, Ferrara and Maltoni, 2010), with simpler functions and in bytes. A disc
//! around the minutia, rotated to its direction, is divided into squares, and each square into sectors of direction.
//! The value of a cell is high if the print has minutiae near that position with that direction. Cells far outside the
//! print are void: areas outside the image are unknown, not empty.
//!
//! Bytes instead of floating-point numbers use a quarter of the memory, and comparisons are integer sums, independent
//! of order.

use super::geometry::{Hull, Placed, Vector};

/// Radius of the disc: three to four ridges beyond the nearest neighbors.
const RADIUS: f32 = 70.0;
/// Number of squares along the diameter.
const SQUARES: usize = 8;
/// Number of sectors of direction.
const SECTORS: usize = 6;
/// Number of the 64 squares whose center is within the disc.
const DISC: usize = 52;
/// Bytes of a cylinder.
const CELLS: usize = DISC * SECTORS;
/// Displacement of a minutia relative to its neighbors by elastic skin: about one ridge.
const PLACE_SPREAD: f32 = 8.0;
/// Rotation of a minutia by elastic skin; includes the width of a sector.
const TURN_SPREAD: f32 = 0.7;
/// Above this value, further contributions to a cell matter little.
const SATURATION: f32 = 0.4;
/// A square further outside the hull than this is void. Minutiae of another impression may be outside the hull of this
/// one, but only within a few ridges.
const VOID_DISTANCE: f32 = 50.0;
/// Cylinders with fewer neighbors in range are not compared.
const FEWEST_NEIGHBORS: usize = 2;
/// Two cylinders are compared if at most this many squares are void in one of them.
const MOST_VOID: u32 = 30;

/// The cylinders of all minutiae of a print.
#[derive(Clone, Debug, Default)]
pub(super) struct Cylinders {
    /// [`CELLS`] per minutia, [`SECTORS`] per square of its disc; 0 if the square is void.
    cells: Vec<u8>,
    /// Properties of each cylinder as a whole.
    wholes: Vec<Whole>,
}

#[derive(Clone, Copy, Debug)]
struct Whole {
    /// True if there are enough neighbors.
    speaks: bool,
    /// A bit for each void square of the disc.
    void: u64,
    /// The sum of the squared cells.
    energy: u32,
}

impl Cylinders {
    pub(super) fn of(minutiae: &[Placed], hull: &Hull) -> Self {
        let disc = disc();
        let mut made = Self::default();
        for (own, minutia) in minutiae.iter().enumerate() {
            let reach = RADIUS + 3.0 * PLACE_SPREAD;
            let near: Vec<(Vector, [f32; SECTORS])> = minutiae
                .iter()
                .enumerate()
                .filter(|&(other, neighbor)| other != own && neighbor.at.minus(minutia.at).length() <= reach)
                .map(|(_, neighbor)| (neighbor.at, by_sector(neighbor.direction.turned_back(minutia.direction))))
                .collect();
            let mut whole = Whole { speaks: near.len() >= FEWEST_NEIGHBORS, void: 0, energy: 0 };
            for (place, square) in disc.iter().enumerate() {
                let middle = minutia.at.plus(square.turned(minutia.direction));
                let void = hull.distance(middle) > VOID_DISTANCE;
                let cells = if void { [0; SECTORS] } else { filled(middle, &near) };
                whole.void |= u64::from(void) << place;
                whole.energy += product(&cells, &cells);
                made.cells.extend_from_slice(&cells);
            }
            made.wholes.push(whole);
        }
        made
    }

    /// The similarity of the surroundings of two minutiae: 1 if they are equal, 0 if they have nothing in common or
    /// cannot be compared.
    pub(super) fn similarity(&self, own: usize, other: &Self, others: usize) -> f32 {
        let (left, right) = (self.wholes[own], other.wholes[others]);
        if !left.speaks || !right.speaks || (left.void | right.void).count_ones() > MOST_VOID {
            return 0.0;
        }
        let (left_cells, right_cells) = (&self.cells[own * CELLS..][..CELLS], &other.cells[others * CELLS..][..CELLS]);
        let left_energy = left.energy - energy_within(left_cells, right.void & !left.void);
        let right_energy = right.energy - energy_within(right_cells, left.void & !right.void);
        let lengths = (left_energy as f32).sqrt() + (right_energy as f32).sqrt();
        if lengths <= 0.0 {
            return 0.0;
        }
        // Void cells are 0, so the product needs no mask. The squared distance of two integer vectors is an integer,
        // and never negative.
        let distance = (left_energy + right_energy - 2 * product(left_cells, right_cells)) as f32;
        1.0 - distance.sqrt() / lengths
    }
}

/// The sum of the squared cells of some squares.
fn energy_within(cells: &[u8], mut squares: u64) -> u32 {
    let mut energy = 0;
    while squares != 0 {
        let square = &cells[squares.trailing_zeros() as usize * SECTORS..][..SECTORS];
        energy += product(square, square);
        squares &= squares - 1;
    }
    energy
}

fn product(left: &[u8], right: &[u8]) -> u32 {
    left.iter().zip(right).map(|(&left, &right)| u32::from(left) * u32::from(right)).sum()
}

/// The centers of the squares within the disc, relative to a minutia that points to the right.
fn disc() -> Vec<Vector> {
    let side = 2.0 * RADIUS / SQUARES as f32;
    let middle = |place: usize| (place as f32 + 0.5) * side - RADIUS;
    let all = (0..SQUARES * SQUARES).map(|place| Vector { x: middle(place / SQUARES), y: middle(place % SQUARES) });
    let squares: Vec<Vector> = all.filter(|square| square.length() <= RADIUS).collect();
    debug_assert_eq!(squares.len(), DISC);
    squares
}

/// The weight of a neighbor of this relative direction in each sector: a von Mises function.
fn by_sector(direction: Vector) -> [f32; SECTORS] {
    std::array::from_fn(|sector| {
        let (sine, cosine) = ((sector as f32 + 0.5) / SECTORS as f32 * std::f32::consts::TAU).sin_cos();
        ((direction.dot(Vector { x: cosine, y: sine }) - 1.0) / TURN_SPREAD.powi(2)).exp()
    })
}

/// The cells of one square.
fn filled(middle: Vector, near: &[(Vector, [f32; SECTORS])]) -> [u8; SECTORS] {
    let mut sums = [0.0_f32; SECTORS];
    for (at, sectors) in near {
        let offset = at.minus(middle);
        let squared = offset.dot(offset) / PLACE_SPREAD.powi(2);
        if squared <= 9.0 {
            let weight = (-squared / 2.0).exp();
            sums.iter_mut().zip(sectors).for_each(|(sum, sector)| *sum += weight * sector);
        }
    }
    sums.map(|sum| (255.0 * (1.0 - (-sum / SATURATION).exp())).round() as u8)
}

#[cfg(test)]
mod tests {
    use super::super::geometry::place;
    use super::super::{Kind, Minutia, Print};
    use super::*;

    fn cylinders(places: &[(f64, f64, f64)]) -> Cylinders {
        let minutia = |&(x, y, angle): &(f64, f64, f64)| Minutia { x, y, angle, kind: Kind::Ending };
        let minutiae = place(&Print::new(places.iter().map(minutia).collect()));
        Cylinders::of(&minutiae, &Hull::around(&minutiae))
    }

    /// Sorted by x, as they are placed.
    const PLACES: [(f64, f64, f64); 5] =
        [(10.0, 10.0, 0.0), (40.0, 55.0, 80.0), (60.0, 20.0, 200.0), (75.0, 80.0, 310.0), (90.0, 40.0, 120.0)];

    #[test]
    fn surroundings_stay_the_same_when_the_print_is_moved() {
        // Rotated by half a turn and shifted, so that the order is reversed.
        let moved = PLACES.map(|(x, y, angle)| (500.0 - x, 300.0 - y, angle + 180.0));
        let (still, moved) = (cylinders(&PLACES), cylinders(&moved));
        for own in 0..PLACES.len() {
            assert!(still.similarity(own, &moved, PLACES.len() - 1 - own) > 0.98);
        }
    }

    #[test]
    fn other_surroundings_are_less_alike_than_the_own() {
        let mut changed = PLACES;
        changed[2].2 += 90.0;
        let (own, changed) = (cylinders(&PLACES), cylinders(&changed));
        assert!(own.similarity(0, &own, 0) >= 1.0);
        assert!(own.similarity(0, &changed, 0) < 0.95);
        assert!(own.similarity(0, &own, 3) < 0.6);
    }

    #[test]
    fn a_minutia_alone_is_like_nothing() {
        let alone = cylinders(&[(0.0, 0.0, 0.0), (500.0, 0.0, 0.0)]);
        assert!(alone.similarity(0, &alone, 0) <= 0.0);
    }
}
