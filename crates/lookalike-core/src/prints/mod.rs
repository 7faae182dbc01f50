//! Fingerprints by their minutiae: selects candidates and computes scores.
//!
//! ```text
//! template → Print → triangles → candidates → cylinder → relax → align → score
//! ```
//!
//! Impressions of a finger are shifted, rotated and distorted relative to each other. Therefore nothing here depends on
//! the position of a print in its image, except [`grid`], the textbook method for normalized prints.
//!
//! Note that `y` grows downwards, as in images, but angles are counter-clockwise as seen, as in ISO/IEC 19794-2. A
//! minutia at 90 degrees points to smaller `y`.

pub mod accuracy;
mod align;
pub mod candidates;
mod cylinder;
mod geometry;
pub mod grid;
mod relax;
pub mod score;
pub mod template;
mod triangles;

pub use candidates::Gallery;
pub use score::{Comparison, PreparedPrint};

/// Pixels per centimeter of a 500 dpi sensor, by far the most common.
pub const DEFAULT_RESOLUTION: f64 = 197.0;

/// Prints with fewer minutiae score 0 with everything: three points always match some other three.
pub const FEWEST_MINUTIAE: usize = 4;

/// Maximum of ISO/IEC 19794-2. If there are more, those closest to the center of the print are used: extractors produce
/// most spurious ones at the edge.
pub const MOST_MINUTIAE: usize = 255;

/// Type of a minutia.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A ridge ends.
    Ending,
    /// A ridge forks.
    Bifurcation,
    /// Other or unknown: agrees with both.
    #[default]
    Other,
}

impl Kind {
    /// True if the two types are compatible.
    pub fn agrees_with(self, other: Self) -> bool {
        self == other || self == Self::Other || other == Self::Other
    }
}

/// A point where a ridge ends or forks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Minutia {
    /// Pixels from the left.
    pub x: f64,
    /// Pixels from the top.
    pub y: f64,
    /// Direction in degrees, counter-clockwise from the right.
    pub angle: f64,
    /// Its type.
    pub kind: Kind,
}

impl Minutia {
    /// True if the position and angle are finite, and the position is on the image, if its size is known.
    ///
    /// ```
    /// use lookalike_core::prints::{Kind, Minutia};
    ///
    /// let minutia = |x, y| Minutia { x, y, angle: 90.0, kind: Kind::Ending };
    /// assert!(minutia(299.0, 0.0).is_on_image(Some((300, 400))));
    /// assert!(!minutia(300.0, 0.0).is_on_image(Some((300, 400))));
    /// assert!(minutia(300.0, 0.0).is_on_image(None));
    /// assert!(!minutia(-1.0, 0.0).is_on_image(None));
    /// assert!(!minutia(f64::NAN, 0.0).is_on_image(None));
    /// ```
    pub fn is_on_image(&self, size: Option<(u32, u32)>) -> bool {
        let (width, height) = size.map_or((f64::MAX, f64::MAX), |(width, height)| (width.into(), height.into()));
        self.angle.is_finite() && (0.0..width).contains(&self.x) && (0.0..height).contains(&self.y)
    }
}

/// The minutiae of one impression of a finger, as given.
#[derive(Clone, Debug, PartialEq)]
pub struct Print {
    /// In any order, which does not affect results.
    pub minutiae: Vec<Minutia>,
    /// Width and height of the image in pixels, if known.
    pub size: Option<(u32, u32)>,
    /// Pixels per centimeter.
    pub resolution: f64,
}

impl Print {
    /// A print of the most common resolution, from an image of unknown size.
    pub fn new(minutiae: Vec<Minutia>) -> Self {
        Self { minutiae, size: None, resolution: DEFAULT_RESOLUTION }
    }
}
