//! What each part of a decision adds to it, as bars to the left and to the right of nothing: evidence against, and evidence for.

use super::{Anchor, Chart, WIDTH, label, place};
use crate::html::{Html, clipped};
use crate::table::{Cell, Column, Table};
use crate::{html, number};

/// What one part adds.
#[derive(Clone, Debug)]
pub struct Weight {
    /// What it is called.
    pub label: String,
    /// How much it adds, or takes off.
    pub value: f64,
    /// Whether it is what all the others make together.
    pub is_total: bool,
}

/// Parts below each other.
#[derive(Clone, Debug, Default)]
pub struct Weights {
    /// What the page calls the chart.
    pub id: String,
    /// What it shows.
    pub title: String,
    /// What is to be seen in it.
    pub description: String,
    /// What the parts are.
    pub parts: String,
    /// What they are counted in.
    pub unit: String,
    /// The parts, in order.
    pub weights: Vec<Weight>,
}

const ROW: f64 = 30.0;
const LABELS: f64 = 150.0;

/// What is left free for numbers at either end.
const NUMBERS: f64 = 60.0;

/// How many characters of a name there is room for.
const NAME_LENGTH: usize = 20;

impl Weights {
    /// Draws them.
    pub fn draw(&self) -> Chart {
        let values = || self.weights.iter().map(|weight| weight.value);
        let (least, most) = (values().fold(0.0, f64::min), values().fold(0.0, f64::max));
        let room = WIDTH - LABELS - 2.0 * NUMBERS;
        let scale = room / (most - least).max(1e-9);
        let nothing = LABELS + NUMBERS - least * scale;
        let bottom = 6.0 + self.weights.len() as f64 * ROW;
        let mut drawn = html!("<path class=\"axis\" d=\"M{} 2V{}\"/>", place(nothing), place(bottom));
        for (at, weight) in self.weights.iter().enumerate() {
            let top = 6.0 + at as f64 * ROW;
            let wide = (weight.value.abs() * scale).max(1.0);
            let is_for = weight.value >= 0.0;
            let left = if is_for { nothing } else { nothing - wide };
            let class = Html::ours(match (weight.is_total, is_for) {
                (true, _) => "bar apart",
                (false, true) => "bar",
                (false, false) => "against",
            });
            drawn.push(&label(LABELS - 10.0, top + 16.0, Anchor::End, "tick", &clipped(&weight.label, NAME_LENGTH)));
            drawn.push(&html!(
                "<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n",
                class,
                place(left),
                place(top + 2.0),
                place(wide),
                place(ROW - 10.0)
            ));
            let (x, anchor) = if is_for { (left + wide + 6.0, Anchor::Start) } else { (left - 6.0, Anchor::End) };
            drawn.push(&label(x, top + 16.0, anchor, "value", &number::signed(weight.value)));
        }
        Chart {
            id: self.id.clone(),
            title: self.title.clone(),
            description: self.description.clone(),
            numbers: self.numbers(),
            size: (WIDTH, bottom + 4.0),
            drawn,
            has_links: false,
        }
    }

    fn numbers(&self) -> Table {
        let mut table = Table::new(&self.title, vec![Column::text(&self.parts), Column::number(&self.unit)]);
        let row = |weight: &Weight| {
            vec![Cell::text(&clipped(&weight.label, 72)), Cell::number(&number::signed(weight.value), weight.value)]
        };
        table.rows = self.weights.iter().map(row).collect();
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evidence_for_goes_to_the_right_and_evidence_against_to_the_left() {
        let weight = |label: &str, value: f64| Weight { label: label.to_owned(), value, is_total: false };
        let weights = vec![weight("<name>", 10.0), weight("city", -5.0), weight("born", 0.0)];
        let chart = Weights { id: "w".into(), weights, ..Weights::default() }.draw();
        let drawn = chart.drawn.as_str();
        // 370 pixels for 15: nothing is at 210 + 5 × 24.67.
        assert!(drawn.contains("class=\"bar\" x=\"333.3\" y=\"8\" width=\"246.7\""), "{drawn}");
        assert!(drawn.contains("class=\"against\" x=\"210\" y=\"38\" width=\"123.3\""), "{drawn}");
        assert!(drawn.contains("&lt;name&gt;") && drawn.contains("+10.00") && drawn.contains("−5.00"));
        assert_eq!(chart.numbers.rows.len(), 3);
    }

    #[test]
    fn nothing_at_all_is_drawn_too() {
        assert!(Weights::default().draw().figure().as_str().contains("<svg"));
    }
}
