//! Shares that depend on one number, as lines in one plane: precision and recall by threshold.

use super::{Anchor, Chart, Plane, WIDTH, label, place};
use crate::html;
use crate::html::Html;
use crate::table::Table;

/// A line.
#[derive(Clone, Debug)]
pub struct Line {
    /// Its name, which stands at its end.
    pub name: String,
    /// Its points, each as shares of the width and of the height.
    pub points: Vec<(f64, f64)>,
}

/// Several lines.
#[derive(Clone, Debug)]
pub struct Lines {
    /// Id of the chart in the page.
    pub id: String,
    /// Title of the chart.
    pub title: String,
    /// Description of the chart.
    pub description: String,
    /// The lines; the first is solid, each further one has shorter dashes.
    pub lines: Vec<Line>,
    /// The name of the horizontal axis.
    pub axis: String,
    /// Labels of the horizontal axis, each at a share of the width.
    pub ticks: Vec<(f64, String)>,
    /// A vertical line with its label, at a share of the width.
    pub mark: Option<(f64, String)>,
    /// The same numbers as a table.
    pub numbers: Table,
}

const HEIGHT: f64 = 320.0;

/// Dashes of the lines in their order.
const DASHES: [&str; 3] = ["none", "9 5", "3 4"];

/// The least distance of two names.
const APART: f64 = 16.0;

impl Lines {
    /// Draws them.
    pub fn draw(&self) -> Chart {
        let plane = Plane { left: 48.0, right: WIDTH - 96.0, top: 16.0, bottom: HEIGHT - 46.0 };
        let mut drawn = Html::default();
        for tenth in (0..=10).step_by(2) {
            let share = f64::from(tenth) / 10.0;
            drawn.push(&plane.across(share));
            drawn.push(&label(plane.left - 8.0, plane.y(share) + 4.0, Anchor::End, "tick", &format!("{share:.1}")));
        }
        for (share, text) in &self.ticks {
            drawn.push(&plane.up(*share));
            drawn.push(&label(plane.x(*share), plane.bottom + 18.0, Anchor::Middle, "tick", text));
        }
        drawn.push(&label(plane.x(0.5), plane.bottom + 38.0, Anchor::Middle, "axis-name", &self.axis));
        if let Some((share, text)) = &self.mark {
            let x = plane.x(*share);
            let (anchor, aside) = if *share > 0.5 { (Anchor::End, -8.0) } else { (Anchor::Start, 8.0) };
            drawn.push(&html!(
                "<path class=\"threshold\" d=\"M{} {}V{}\"/>",
                place(x),
                place(plane.bottom),
                place(plane.top)
            ));
            drawn.push(&label(x + aside, plane.bottom - 10.0, anchor, "value", text));
        }
        let mut taken: Vec<f64> = Vec::new();
        for (line, dashes) in self.lines.iter().zip(DASHES) {
            let at = |(x, y): &(f64, f64)| format!("{},{}", place(plane.x(*x)), place(plane.y(*y)));
            let points: Vec<String> = line.points.iter().map(at).collect();
            drawn.push(&html!(
                "<polyline class=\"curve\" stroke-dasharray=\"{}\" points=\"{}\"/>",
                dashes,
                points.join(" ")
            ));
            let Some((x, y)) = line.points.last() else { continue };
            let mut y = plane.y(*y) + 4.0;
            while let Some(other) = taken.iter().find(|other| (*other - y).abs() < APART) {
                y = other + APART;
            }
            taken.push(y);
            drawn.push(&label(plane.x(*x) + 8.0, y, Anchor::Start, "value", &line.name));
        }
        Chart {
            id: self.id.clone(),
            title: self.title.clone(),
            description: self.description.clone(),
            numbers: self.numbers.clone(),
            size: (WIDTH, HEIGHT),
            drawn,
            has_links: false,
            are_numbers_open: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_has_its_name_and_no_two_names_overlap() {
        let line = |name: &str| Line { name: name.to_owned(), points: vec![(0.0, 0.2), (1.0, 0.9)] };
        let lines = Lines {
            id: "l".into(),
            title: "a <title>".into(),
            description: String::new(),
            lines: vec![line("precision"), line("recall"), line("F1")],
            axis: "threshold".into(),
            ticks: vec![(0.5, "0.5".into())],
            mark: Some((0.75, "threshold 0.985".into())),
            numbers: Table::new("numbers", Vec::new()),
        };
        let svg = lines.draw().standalone();
        assert_eq!(svg.matches("<polyline").count(), 3);
        for part in ["precision", "recall", "F1", "threshold 0.985", "a &lt;title&gt;", "stroke-dasharray=\"9 5\""] {
            assert!(svg.contains(part), "{part}: {svg}");
        }
        let y = |name: &str| -> f64 {
            let end = svg.find(&format!(">{name}</text>")).unwrap();
            let start = svg[..end].rfind(" y=\"").unwrap() + 4;
            svg[start..].split('"').next().unwrap().parse().unwrap()
        };
        assert!((y("precision") - y("recall")).abs() >= APART - 0.1 && (y("recall") - y("F1")).abs() >= APART - 0.1);
    }
}
