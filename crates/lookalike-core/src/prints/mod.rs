//! Fingerprints by their minutiae: given points with a direction, it makes candidates and scores.
//!
//! ```text
//! template → Print → triangles → candidates → cylinder → relax → align → score
//! ```
//!
//! Impressions of a finger are shifted, turned and stretched against each other. So nothing here looks at where a
//! print lies on its image, except [`grid`], the method of the textbook, which is for prints that lie alike.
//!
//! `y` grows downwards, as in images, but angles turn counter-clockwise as one sees
//! them, as in ISO/IEC 19794-2. A minutia at 90 degrees points to smaller `y`.

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

/// Pixels a centimeter of a sensor of 500 dots an inch, by far the most common.
pub const DEFAULT_RESOLUTION: f64 = 197.0;

/// Prints with fewer minutiae score 0 with everything: three points always fit some other three.
pub const FEWEST_MINUTIAE: usize = 4;

/// As many as ISO/IEC 19794-2 can say. Of more, those nearest to the middle of the print are used: the edge is where
/// extractors invent.
pub const MOST_MINUTIAE: usize = 255;

/// What a ridge does at a minutia.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// It ends.
    Ending,
    /// It forks.
    Bifurcation,
    /// Something else, or not told: agrees with both.
    #[default]
    Other,
}

impl Kind {
    /// Whether these can be the same minutia as far as kinds go.
    pub fn agrees_with(self, other: Self) -> bool {
        self == other || self == Self::Other || other == Self::Other
    }
}

/// A place where a ridge ends or forks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Minutia {
    /// Pixels from the left.
    pub x: f64,
    /// Pixels from the top.
    pub y: f64,
    /// Direction in degrees, counter-clockwise from the right.
    pub angle: f64,
    /// What the ridge does here.
    pub kind: Kind,
}

impl Minutia {
    /// Whether it can be: at a finite place and angle, and on the image, as far as the size of that is known.
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

/// The minutiae of one impression of a finger, as they were given.
#[derive(Clone, Debug, PartialEq)]
pub struct Print {
    /// In any order; nothing depends on it.
    pub minutiae: Vec<Minutia>,
    /// Width and height of the image in pixels, where known.
    pub size: Option<(u32, u32)>,
    /// Pixels a centimeter.
    pub resolution: f64,
}

impl Print {
    /// A print of the most common resolution, from an image of unknown size.
    pub fn new(minutiae: Vec<Minutia>) -> Self {
        Self { minutiae, size: None, resolution: DEFAULT_RESOLUTION }
    }
}
