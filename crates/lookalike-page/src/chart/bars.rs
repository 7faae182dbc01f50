//! A bar chart of counts by band of similarity; other groups are set apart.

use super::{Anchor, Chart, Plane, WIDTH, label, place, steps};
use crate::html::Html;
use crate::table::{Cell, Column, Table};
use crate::{html, number};

/// A bar.
#[derive(Clone, Debug)]
pub struct Bar {
    /// Its label.
    pub label: String,
    /// Its height.
    pub count: u64,
    /// The address that it links to, if any: `#id` within the page.
    pub opens: Option<String>,
}

/// A bar chart.
#[derive(Clone, Debug, Default)]
pub struct Bars {
    /// Id of the chart in the page.
    pub id: String,
    /// Title of the chart.
    pub title: String,
    /// Description of the chart.
    pub description: String,
    /// The counted items.
    pub counted: String,
    /// Label of the axis.
    pub axis: String,
    /// The bars, from left to right.
    pub bars: Vec<Bar>,
    /// Bars to the right of a gap. They do not affect the scale: a higher one is cut off, and marked.
    pub apart: Vec<Bar>,
}

const HEIGHT: f64 = 280.0;
const GAP: f64 = 22.0;

impl Bars {
    /// Draws them.
    pub fn draw(&self) -> Chart {
        let most = self.bars.iter().map(|bar| bar.count).max().filter(|most| *most > 0);
        let most = most.or_else(|| self.apart.iter().map(|bar| bar.count).max()).unwrap_or(0);
        let steps = steps(most);
        let top = steps.last().copied().unwrap_or(1) as f64;
        let plane = Plane { left: 56.0, right: WIDTH - 16.0, top: 30.0, bottom: HEIGHT - 46.0 };
        let mut drawn = Html::default();
        for step in &steps {
            let share = *step as f64 / top;
            drawn.push(&plane.across(share));
            drawn.push(&label(plane.left - 6.0, plane.y(share) + 4.0, Anchor::End, "tick", &number::short(*step)));
        }
        let count = self.bars.len() + self.apart.len();
        let gap = if self.bars.is_empty() || self.apart.is_empty() { 0.0 } else { GAP };
        let wide = ((plane.right - plane.left - gap) / count.max(1) as f64).min(96.0);
        for (at, bar) in self.bars.iter().chain(&self.apart).enumerate() {
            let is_apart = at >= self.bars.len();
            let left = plane.left + at as f64 * wide + if is_apart { gap } else { 0.0 };
            drawn.push(&one(bar, plane, (left + 0.1 * wide, 0.8 * wide), top, is_apart));
        }
        drawn.push(&html!(
            "<path class=\"axis\" d=\"M{} {}H{}\"/>",
            place(plane.left),
            place(plane.bottom),
            place(plane.right)
        ));
        let middle = plane.left + self.bars.len() as f64 * wide / 2.0;
        drawn.push(&label(middle.max(plane.left + 80.0), HEIGHT - 6.0, Anchor::Middle, "axis-name", &self.axis));
        Chart {
            id: self.id.clone(),
            title: self.title.clone(),
            description: self.description.clone(),
            numbers: self.numbers(),
            size: (WIDTH, HEIGHT),
            drawn,
            has_links: self.bars.iter().chain(&self.apart).any(|bar| bar.opens.is_some()),
            are_numbers_open: false,
        }
    }

    fn numbers(&self) -> Table {
        let mut table = Table::new(&self.title, vec![Column::text(&self.axis), Column::number(&self.counted)]);
        let rows = self.bars.iter().chain(&self.apart);
        table.rows = rows.map(|bar| vec![Cell::text(&bar.label), Cell::count(bar.count)]).collect();
        table
    }
}

/// Draws one bar at a given position and width, with its number above it.
fn one(bar: &Bar, plane: Plane, (left, width): (f64, f64), top: f64, is_apart: bool) -> Html {
    let share = bar.count as f64 / top;
    let is_cut = share > 1.0;
    // A bar that is not empty must be visible.
    let high = if bar.count == 0 { 0.0 } else { (share.min(1.0) * (plane.bottom - plane.top)).max(2.0) };
    let class = Html::ours(if is_apart { "bar apart" } else { "bar" });
    let middle = left + width / 2.0;
    let mut drawn = html!(
        "<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
        class,
        place(left),
        place(plane.bottom - high),
        place(width),
        place(high)
    );
    if is_cut {
        let y = plane.top + 16.0;
        drawn.push(&html!(
            "<path class=\"cut\" d=\"M{} {}l{} -6l{} 6l{} -6l{} 6\"/>",
            place(left - 3.0),
            place(y),
            place((width + 6.0) / 4.0),
            place((width + 6.0) / 4.0),
            place((width + 6.0) / 4.0),
            place((width + 6.0) / 4.0)
        ));
    }
    let shown = if width < 34.0 { number::short(bar.count) } else { number::count(bar.count) };
    // Labels of narrow bars would overlap.
    let [tick, value] = if width < 34.0 { ["tick small", "value small"] } else { ["tick", "value"] };
    // The accessible name of a link is its text, in this order.
    drawn.push(&label(middle, plane.bottom + 17.0, Anchor::Middle, tick, &bar.label));
    drawn.push(&label(middle, plane.bottom - high - 6.0, Anchor::Middle, value, &shown));
    match &bar.opens {
        Some(opens) if bar.count > 0 => html!("<a href=\"{}\">{}</a>\n", opens, drawn),
        _ => html!("{}\n", drawn),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bars(counts: &[u64], apart: u64) -> String {
        let bar = |count: &u64| Bar { label: "0.80".to_owned(), count: *count, opens: Some("#b".to_owned()) };
        let bars = Bars {
            id: "x".into(),
            bars: counts.iter().map(bar).collect(),
            apart: vec![bar(&apart)],
            ..Bars::default()
        };
        bars.draw().figure().to_string()
    }

    #[test]
    fn a_bar_is_as_high_as_its_count_and_opens_its_pairs() {
        let drawn = bars(&[10, 5], 3);
        // The plane is 204 high.
        assert!(drawn.contains("height=\"204\"") && drawn.contains("height=\"102\""));
        assert_eq!(drawn.matches("href=\"#b\"").count(), 3);
        assert!(!drawn.contains("class=\"cut\""));
    }

    #[test]
    fn a_bar_apart_is_cut_rather_than_making_the_others_flat() {
        let drawn = bars(&[10, 5], 100_000);
        assert!(drawn.contains("height=\"102\"") && drawn.contains("class=\"cut\"") && drawn.contains("100,000"));
    }

    #[test]
    fn nothing_at_all_is_drawn_too() {
        assert!(bars(&[], 0).contains("<svg"));
    }
}
