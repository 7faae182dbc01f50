//! The S-curve: the probability that a pair is found, by its similarity, above the corpus's own histogram of
//! similarities.

use super::{Anchor, Chart, Plane, WIDTH, label, place};
use crate::html::Html;
use crate::table::{Cell, Column, Table};
use crate::{html, number};

/// A point of the curve.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    /// Similarity of a pair.
    pub similarity: f64,
    /// Probability that it is found.
    pub found: f64,
}

/// A step of the corpus's histogram.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// Lower end.
    pub from: f64,
    /// Upper end.
    pub to: f64,
    /// The count.
    pub count: u64,
}

/// An S-curve with its threshold.
#[derive(Clone, Debug, Default)]
pub struct Curve {
    /// Id of the chart in the page.
    pub id: String,
    /// Title of the chart.
    pub title: String,
    /// Description of the chart.
    pub description: String,
    /// The curve, from similarity 0 to 1.
    pub points: Vec<Point>,
    /// The threshold.
    pub threshold: f64,
    /// Probability that a pair at the threshold is found.
    pub recall: Option<f64>,
    /// Histogram of the corpus; may be empty.
    pub histogram: Vec<Step>,
    /// The items counted by the histogram.
    pub counted: String,
}

const CURVE_HEIGHT: f64 = 300.0;
const HISTOGRAM_HEIGHT: f64 = 100.0;

/// Number of points in the table.
const TOLD: usize = 20;

impl Curve {
    /// Draws it.
    pub fn draw(&self) -> Chart {
        let plane = Plane { left: 56.0, right: WIDTH - 24.0, top: 16.0, bottom: CURVE_HEIGHT - 46.0 };
        let mut drawn = Html::default();
        for tenth in (0..=10).step_by(2) {
            let share = f64::from(tenth) / 10.0;
            drawn.push(&plane.across(share));
            drawn.push(&label(plane.left - 8.0, plane.y(share) + 4.0, Anchor::End, "tick", &format!("{share:.1}")));
        }
        for tenth in 0..=10 {
            let share = f64::from(tenth) / 10.0;
            drawn.push(&plane.up(share));
            drawn.push(&label(plane.x(share), plane.bottom + 18.0, Anchor::Middle, "tick", &format!("{share:.1}")));
        }
        drawn.push(&html!(
            "<rect class=\"beyond\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
            place(plane.x(self.threshold)),
            place(plane.top),
            place(plane.x(1.0) - plane.x(self.threshold)),
            place(plane.bottom - plane.top)
        ));
        let points = self
            .points
            .iter()
            .map(|point| format!("{},{}", place(plane.x(point.similarity)), place(plane.y(point.found))));
        drawn.push(&html!("<polyline class=\"curve\" points=\"{}\"/>", points.collect::<Vec<_>>().join(" ")));
        drawn.push(&self.threshold(plane));
        drawn.push(&html!(
            "<text class=\"axis-name\" text-anchor=\"middle\" transform=\"translate(14 {}) rotate(-90)\">{}</text>",
            place(plane.y(0.5)),
            "chance to be found"
        ));
        drawn.push(&label(plane.x(0.5), plane.bottom + 38.0, Anchor::Middle, "axis-name", "similarity of a pair"));
        let mut height = CURVE_HEIGHT;
        if self.histogram.iter().any(|step| step.count > 0) {
            height += HISTOGRAM_HEIGHT;
            drawn.push(&self.below(plane, height));
        }
        Chart {
            id: self.id.clone(),
            title: self.title.clone(),
            description: self.description.clone(),
            numbers: self.numbers(),
            size: (WIDTH, height),
            drawn,
            has_links: false,
            are_numbers_open: false,
        }
    }

    /// Draws the line of the threshold, and its intersection with the curve.
    fn threshold(&self, plane: Plane) -> Html {
        let x = plane.x(self.threshold);
        // On the side with more room.
        let (anchor, aside) = if self.threshold > 0.4 { (Anchor::End, -8.0) } else { (Anchor::Start, 8.0) };
        let mut drawn =
            html!("<path class=\"threshold\" d=\"M{} {}V{}\"/>", place(x), place(plane.bottom), place(plane.top));
        drawn.push(&label(x + aside, plane.bottom - 10.0, anchor, "value", &format!("threshold {}", self.threshold)));
        if let Some(recall) = self.recall {
            let y = plane.y(recall);
            drawn.push(&html!("<circle class=\"dot\" cx=\"{}\" cy=\"{}\" r=\"4.5\"/>", place(x), place(y)));
            // Below the curve, which is flat there; if there is too little room, the text ends at the edge.
            let is_narrow = x + 110.0 > plane.right;
            let (at, anchor) = if is_narrow { (plane.right, Anchor::End) } else { (x + 8.0, Anchor::Start) };
            drawn.push(&label(at, y + 22.0, anchor, "value", &format!("recall {recall:.4}")));
        }
        drawn
    }

    /// The corpus's own histogram, below the curve and with the same horizontal scale.
    fn below(&self, above: Plane, height: f64) -> Html {
        let plane = Plane { top: CURVE_HEIGHT + 24.0, bottom: height - 10.0, ..above };
        let most = self.histogram.iter().map(|step| step.count).max().unwrap_or(1).max(1) as f64;
        let mut drawn = label(plane.left, plane.top - 12.0, Anchor::Start, "axis-name", &self.counted);
        for step in self.histogram.iter().filter(|step| step.count > 0) {
            let high = (step.count as f64 / most * (plane.bottom - plane.top - 14.0)).max(1.5);
            let [left, right] = [step.from, step.to].map(|edge| plane.x(edge));
            drawn.push(&html!(
                "<rect class=\"bar\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
                place(left + 1.0),
                place(plane.bottom - high),
                place((right - left - 2.0).max(1.0)),
                place(high)
            ));
            let middle = f64::midpoint(left, right);
            drawn.push(&label(
                middle,
                plane.bottom - high - 4.0,
                Anchor::Middle,
                "value small",
                &number::short(step.count),
            ));
        }
        drawn.push(&html!(
            "<path class=\"axis\" d=\"M{} {}H{}\"/>",
            place(plane.left),
            place(plane.bottom),
            place(plane.right)
        ));
        drawn
    }

    fn numbers(&self) -> Table {
        let mut columns = vec![Column::text("similarity"), Column::number("chance to be found")];
        if !self.histogram.is_empty() {
            columns.push(Column::number(&self.counted));
        }
        let mut table = Table::new(&self.title, columns);
        let every = (self.points.len().saturating_sub(1) / TOLD).max(1);
        for point in self.points.iter().step_by(every) {
            let mut row = vec![
                Cell::text(&format!("{:.2}", point.similarity)),
                Cell::number(&format!("{:.4}", point.found), point.found),
            ];
            if !self.histogram.is_empty() {
                let step = self.histogram.iter().find(|step| (step.from - point.similarity).abs() < 1e-9);
                row.push(step.map_or_else(|| Cell::text("–"), |step| Cell::count(step.count)));
            }
            table.rows.push(row);
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(histogram: Vec<Step>) -> Chart {
        let points = (0..=60).map(|at| f64::from(at) / 60.0).map(|at| Point { similarity: at, found: at }).collect();
        Curve {
            id: "s".into(),
            title: "a <title>".into(),
            points,
            threshold: 0.8,
            recall: Some(0.8),
            histogram,
            ..Curve::default()
        }
        .draw()
    }

    #[test]
    fn a_picture_is_one_element_with_all_points() {
        let svg = curve(Vec::new()).standalone();
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
        assert_eq!(svg.matches("<svg").count(), 1);
        let points = svg.split("points=\"").nth(1).unwrap().split('"').next().unwrap();
        assert_eq!(points.split(' ').count(), 61);
        assert!(svg.contains("threshold 0.8") && svg.contains("recall 0.8000") && svg.contains("a &lt;title&gt;"));
    }

    #[test]
    fn the_histogram_stands_below_the_curve() {
        let without = curve(Vec::new());
        let with = curve(vec![Step { from: 0.8, to: 0.85, count: 7 }]);
        assert!((with.size.1 - without.size.1 - HISTOGRAM_HEIGHT).abs() < 1e-9);
        assert_eq!(with.drawn.as_str().matches("class=\"bar\"").count(), 1);
    }
}
