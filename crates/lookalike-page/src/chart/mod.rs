//! Charts: SVG with a title, a description, and the same numbers as a table.
//!
//! Colors are CSS variables, so that light, dark and print need no separate pictures. Information is never conveyed by
//! color alone: every bar and every cell has its number.

mod bars;
mod bits;
mod curve;
mod funnel;
mod graph;
mod lines;
mod matrix;
mod sizes;

pub use bars::{Bar, Bars};
pub use bits::{Bit, Bits};
pub use curve::{Curve, Point, Step};
pub use funnel::{Funnel, FunnelStep};
pub use graph::{Edge, Graph};
pub use lines::{Line, Lines};
pub use matrix::{Flow, FlowAddress, Matrix};
pub use sizes::Sizes;

use crate::html;
use crate::html::Html;
use crate::table::Table;

/// A drawn chart.
#[derive(Clone, Debug)]
pub struct Chart {
    /// Its id in the page: letters, digits and dashes.
    pub id: String,
    /// Its title.
    pub title: String,
    /// A description in a sentence or two.
    pub description: String,
    /// Its numbers.
    pub numbers: Table,
    /// Width and height.
    size: (f64, f64),
    /// The drawing.
    drawn: Html,
    /// True if parts of it are links.
    has_links: bool,
    /// True if the table of numbers is initially open.
    are_numbers_open: bool,
}

/// Colors and lines of charts, for pages and for standalone pictures.
pub(crate) const STYLE: &str = include_str!("../assets/chart.css");

/// Colors of a standalone picture.
const COLORS: &str = include_str!("../assets/colors.css");

impl Chart {
    /// The chart for a page, with its description and its numbers below it.
    pub fn figure(&self) -> Html {
        html!(
            "<figure class=\"chart\" id=\"{}\"><figcaption><h3>{}</h3><p>{}</p></figcaption>\n<div class=\"scroll\" role=\"group\" aria-label=\"{}\" tabindex=\"0\">{}</div>\n<details class=\"numbers\"{}><summary>The numbers</summary>{}</details></figure>\n",
            self.id,
            self.title,
            self.description,
            self.title,
            self.svg(""),
            Html::ours(if self.are_numbers_open { " open" } else { "" }),
            self.numbers.render()
        )
    }

    /// The chart as a standalone picture.
    pub fn standalone(&self) -> String {
        let mut picture = self
            .svg(&format!("<style>{COLORS}{STYLE}</style><rect class=\"paper\" width=\"100%\" height=\"100%\"/>"))
            .to_string();
        picture.push('\n');
        picture
    }

    /// The chart for embedding in another page, such as a notebook: its text has the color of the page, and its
    /// background is transparent.
    pub fn embedded(&self) -> String {
        format!("<div style=\"{EMBEDDED}\">{}</div>\n", self.svg(&format!("<style>{STYLE}</style>")))
    }

    fn svg(&self, before: &str) -> Html {
        // The parts of a picture are hidden from assistive technology, and links must not be.
        let role = Html::ours(if self.has_links { "group" } else { "img" });
        let (width, height) = self.size;
        html!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"drawn\" viewBox=\"0 0 {} {}\" role=\"{}\" aria-labelledby=\"{}-t {}-d\">\n<title id=\"{}-t\">{}</title><desc id=\"{}-d\">{}</desc>{}\n{}</svg>",
            place(width),
            place(height),
            role,
            self.id,
            self.id,
            self.id,
            self.title,
            self.id,
            self.description,
            Html::ours(before),
            self.drawn
        )
    }
}

/// Colors of a chart in a page that may be light or dark: those of the page, or colors visible on both.
const EMBEDDED: &str = "--ink:currentColor;--soft:currentColor;--paper:transparent;--line:#8883;--accent:#5b95e0;--bar:#5b95e0;\
                        --apart:#a27fd0;--beyond:#5b95e02e;--dot:#e0705a";

/// Width of a chart.
const WIDTH: f64 = 640.0;

/// A coordinate, rounded to a tenth of a pixel.
fn place(at: f64) -> Html {
    let rounded = (10.0 * at).round() / 10.0;
    Html::ours(if rounded.fract().abs() < f64::EPSILON { format!("{rounded:.0}") } else { format!("{rounded:.1}") })
}

/// The area between the axes of a chart.
#[derive(Clone, Copy, Debug)]
struct Plane {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Plane {
    /// The x coordinate at a fraction of the width.
    fn x(self, share: f64) -> f64 {
        self.left + share * (self.right - self.left)
    }

    /// The y coordinate at a fraction of the height, from the bottom.
    fn y(self, share: f64) -> f64 {
        self.bottom - share * (self.bottom - self.top)
    }

    /// A horizontal line at this height.
    fn across(self, share: f64) -> Html {
        html!("<path class=\"grid\" d=\"M{} {}H{}\"/>", place(self.left), place(self.y(share)), place(self.right))
    }

    /// A vertical line at this position.
    fn up(self, share: f64) -> Html {
        html!("<path class=\"grid\" d=\"M{} {}V{}\"/>", place(self.x(share)), place(self.bottom), place(self.top))
    }
}

/// Alignment of a text at its position.
#[derive(Clone, Copy, Debug)]
enum Anchor {
    Start,
    Middle,
    End,
}

/// A text in a chart.
fn label(x: f64, y: f64, anchor: Anchor, class: &'static str, text: &str) -> Html {
    let anchor = match anchor {
        Anchor::Start => "start",
        Anchor::Middle => "middle",
        Anchor::End => "end",
    };
    html!("<text x=\"{}\" y=\"{}\" text-anchor=\"{}\" class=\"{}\">{}</text>", place(x), place(y), anchor, class, text)
}

/// Round steps of an axis from 0: 1, 2 or 5 times a power of ten; at most five. The last is at least `most`.
fn steps(most: u64) -> Vec<u64> {
    let most = most.max(1);
    let mut step = 1_u64;
    loop {
        for factor in [1, 2, 5] {
            let step = step * factor;
            if most.div_ceil(step) <= 5 {
                return (0..=most.div_ceil(step)).map(|at| at * step).collect();
            }
        }
        step = step.saturating_mul(10);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_count_as_people_do() {
        assert_eq!(steps(0), [0, 1]);
        assert_eq!(steps(7), [0, 2, 4, 6, 8]);
        assert_eq!(steps(1234), [0, 500, 1000, 1500]);
        assert!(steps(u64::MAX / 8).len() <= 6);
    }

    #[test]
    fn a_coordinate_has_one_digit() {
        assert_eq!([12.0, 12.04, 12.36].map(|at| place(at).to_string()), ["12", "12", "12.4"]);
    }
}
