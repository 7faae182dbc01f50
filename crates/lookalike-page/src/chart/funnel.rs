//! A funnel from all documents to removed ones: the number left after each stage.

use super::{Anchor, Chart, WIDTH, label, place};
use crate::html::Html;
use crate::table::{Cell, Column, Table};
use crate::{html, number};

/// The number of items left after a stage.
#[derive(Clone, Debug)]
pub struct FunnelStep {
    /// Its label.
    pub label: String,
    /// The number of items.
    pub count: u64,
    /// The counted items: documents, texts or pairs.
    pub unit: &'static str,
    /// Explanation.
    pub note: String,
}

/// A funnel chart.
#[derive(Clone, Debug, Default)]
pub struct Funnel {
    /// Id of the chart in the page.
    pub id: String,
    /// Title of the chart.
    pub title: String,
    /// Description of the chart.
    pub description: String,
    /// The stages, in order.
    pub steps: Vec<FunnelStep>,
}

const ROW: f64 = 34.0;
const LABELS: f64 = 170.0;
const NUMBERS: f64 = 150.0;

impl Funnel {
    /// Draws it.
    pub fn draw(&self) -> Chart {
        let most = self.steps.iter().map(|step| step.count).max().unwrap_or(1).max(1);
        let scale = |count: u64| count as f64 / most as f64;
        let room = WIDTH - LABELS - NUMBERS;
        let mut drawn = Html::default();
        for (at, step) in self.steps.iter().enumerate() {
            let top = 6.0 + at as f64 * ROW;
            let wide = if step.count == 0 { 0.0 } else { (scale(step.count) * room).max(2.0) };
            drawn.push(&label(LABELS - 10.0, top + 17.0, Anchor::End, "tick", &step.label));
            drawn.push(&html!(
                "<rect class=\"bar\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n",
                place(LABELS),
                place(top + 2.0),
                place(wide),
                place(ROW - 12.0)
            ));
            let shown = format!("{} {}", number::count(step.count), step.unit);
            drawn.push(&label(LABELS + wide + 8.0, top + 17.0, Anchor::Start, "value", &shown));
        }
        Chart {
            id: self.id.clone(),
            title: self.title.clone(),
            description: self.description.clone(),
            numbers: self.numbers(),
            size: (WIDTH, 10.0 + self.steps.len() as f64 * ROW),
            drawn,
            has_links: false,
            are_numbers_open: false,
        }
    }

    fn numbers(&self) -> Table {
        let columns =
            vec![Column::text("stage"), Column::number("left"), Column::text("of"), Column::text("what it means")];
        let mut table = Table::new(&self.title, columns);
        let row = |step: &FunnelStep| {
            vec![Cell::text(&step.label), Cell::count(step.count), Cell::text(step.unit), Cell::text(&step.note)]
        };
        table.rows = self.steps.iter().map(row).collect();
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_stage_fills_the_room_and_none_is_nothing() {
        let step = |count| FunnelStep { label: "a".into(), count, unit: "documents", note: String::new() };
        let chart = Funnel { steps: vec![step(1000), step(250), step(0)], ..Funnel::default() }.draw();
        assert!(chart.drawn.as_str().contains("width=\"80\""), "a quarter is a quarter as long");
        assert!(chart.drawn.as_str().contains("width=\"320\"") && chart.drawn.as_str().contains("width=\"0\""));
    }
}
