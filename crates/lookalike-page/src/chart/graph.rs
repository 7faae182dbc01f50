//! A cluster as a graph: its items in a circle, a line for each match, and the match without which it would fall apart.

use super::{Anchor, Chart, WIDTH, label, place};
use crate::html;
use crate::html::Html;
use crate::table::Table;

/// A line between two items.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// One item, by its place.
    pub from: usize,
    /// The other.
    pub to: usize,
    /// Strength of the line, from 0 to 1.
    pub strength: f64,
    /// True if it is the weakest of those that hold the cluster together.
    pub is_weakest: bool,
}

/// A cluster.
#[derive(Clone, Debug)]
pub struct Graph {
    /// Id of the chart in the page.
    pub id: String,
    /// Title of the chart.
    pub title: String,
    /// Description of the chart.
    pub description: String,
    /// Names of the items.
    pub nodes: Vec<String>,
    /// Lines between them.
    pub edges: Vec<Edge>,
    /// The lines as a table.
    pub numbers: Table,
}

const HEIGHT: f64 = 360.0;
const RADIUS: f64 = 130.0;

/// Width of the weakest and of the strongest line.
const WIDTHS: [f64; 2] = [1.0, 5.0];

impl Graph {
    /// Draws it.
    pub fn draw(&self) -> Chart {
        let (middle_x, middle_y) = (WIDTH / 2.0, HEIGHT / 2.0);
        let angle = |at: usize| std::f64::consts::TAU * (at as f64 / self.nodes.len().max(1) as f64 - 0.25);
        let spot = |at: usize| (middle_x + RADIUS * angle(at).cos(), middle_y + RADIUS * angle(at).sin());
        let mut drawn = Html::default();
        for edge in &self.edges {
            let ((x, y), (to_x, to_y)) = (spot(edge.from), spot(edge.to));
            let width = WIDTHS[0] + (WIDTHS[1] - WIDTHS[0]) * edge.strength.clamp(0.0, 1.0);
            let class = Html::ours(if edge.is_weakest { "threshold" } else { "axis" });
            drawn.push(&html!(
                "<path class=\"{}\" stroke-width=\"{}\" d=\"M{} {}L{} {}\"/>",
                class,
                place(if edge.is_weakest { WIDTHS[1] } else { width }),
                place(x),
                place(y),
                place(to_x),
                place(to_y)
            ));
            if edge.is_weakest {
                let (x, y) = (f64::midpoint(x, to_x), f64::midpoint(y, to_y));
                drawn.push(&label(x + 6.0, y - 6.0, Anchor::Start, "value", "weakest"));
            }
        }
        for (at, name) in self.nodes.iter().enumerate() {
            let (x, y) = spot(at);
            drawn.push(&html!("<circle class=\"dot\" cx=\"{}\" cy=\"{}\" r=\"6\"/>", place(x), place(y)));
            let aside = angle(at).cos();
            let (anchor, by) = match aside {
                aside if aside > 0.2 => (Anchor::Start, 12.0),
                aside if aside < -0.2 => (Anchor::End, -12.0),
                _ => (Anchor::Middle, 0.0),
            };
            let down = if matches!(anchor, Anchor::Middle) { 20.0 * angle(at).sin().signum() } else { 0.0 };
            drawn.push(&label(x + by, y + down + 4.0, anchor, "value", name));
        }
        Chart {
            id: self.id.clone(),
            title: self.title.clone(),
            description: self.description.clone(),
            numbers: self.numbers.clone(),
            size: (WIDTH, HEIGHT),
            drawn,
            has_links: false,
            are_numbers_open: true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_dots_and_matches_are_lines() {
        let edge = |from, to, is_weakest| Edge { from, to, strength: 0.5, is_weakest };
        let graph = Graph {
            id: "g".into(),
            title: "A cluster".into(),
            description: String::new(),
            nodes: vec!["<a>".into(), "b".into(), "c".into()],
            edges: vec![edge(0, 1, false), edge(1, 2, true)],
            numbers: Table::new("Matches", Vec::new()),
        };
        let svg = graph.draw().standalone();
        assert_eq!((svg.matches("<circle").count(), svg.matches("class=\"threshold\"").count()), (3, 1));
        assert!(svg.contains("&lt;a&gt;") && svg.contains(">weakest<") && svg.contains("stroke-width=\"3\""), "{svg}");
    }
}
