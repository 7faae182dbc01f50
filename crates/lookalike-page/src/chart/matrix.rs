//! Who copies whom: removed from one source because of a document in another.

use super::{Anchor, Chart, label, place};
use crate::html::clipped;
use crate::table::{Cell, Column, Table};
use crate::{html, number};

/// How many documents of one source were removed because of documents of another.
#[derive(Clone, Copy, Debug)]
pub struct Flow {
    /// Which source lost them.
    pub from: usize,
    /// Which one has what is kept.
    pub to: usize,
    /// How many.
    pub removed: u64,
}

/// Sources against sources.
#[derive(Clone, Debug, Default)]
pub struct Matrix {
    /// What the page calls the chart.
    pub id: String,
    /// What it shows.
    pub title: String,
    /// What is to be seen in it.
    pub description: String,
    /// The sources, in order.
    pub sources: Vec<String>,
    /// What went from one to another.
    pub flows: Vec<Flow>,
}

const CELL: (f64, f64) = (34.0, 24.0);
const NAMES: f64 = 232.0;
const TOP: f64 = 56.0;

/// How many characters of a name there is room for.
const NAME_LENGTH: usize = 26;

/// How many flows the numbers have; the rest is less.
const TOLD: usize = 100;

impl Matrix {
    /// Draws it.
    pub fn draw(&self) -> Chart {
        let (wide, high) = CELL;
        let count = self.sources.len();
        let right = NAMES + count as f64 * wide;
        let (left, top) = (|column: usize| NAMES + column as f64 * wide, |row: usize| TOP + row as f64 * high);
        let mut drawn = label(NAMES, 16.0, Anchor::Start, "axis-name", "kept in source number");
        drawn.push(&label(NAMES - 10.0, TOP - 10.0, Anchor::End, "axis-name", "removed from"));
        for (at, source) in self.sources.iter().enumerate() {
            let name = format!("{}  {}", clipped(source, NAME_LENGTH), at + 1);
            drawn.push(&label(NAMES - 10.0, top(at) + 16.0, Anchor::End, "tick", &name));
            drawn.push(&label(left(at) + wide / 2.0, TOP - 10.0, Anchor::Middle, "tick", &(at + 1).to_string()));
            drawn.push(&html!("<path class=\"grid\" d=\"M{} {}H{}\"/>", place(NAMES), place(top(at)), place(right)));
        }
        let most = self.flows.iter().map(|flow| flow.removed).max().unwrap_or(1).max(1) as f64;
        for flow in self.flows.iter().filter(|flow| flow.removed > 0) {
            // The square root, so that a tenth of the most is still seen. Five shades are all that an eye tells apart.
            let shade = 1 + ((flow.removed as f64 / most).sqrt() * 4.99) as usize;
            drawn.push(&html!(
                "<rect class=\"cell s{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/><text class=\"on s{}\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                shade,
                place(left(flow.to) + 1.0),
                place(top(flow.from) + 1.0),
                place(wide - 2.0),
                place(high - 2.0),
                shade,
                place(left(flow.to) + wide / 2.0),
                place(top(flow.from) + 16.5),
                number::short(flow.removed)
            ));
        }
        Chart {
            id: self.id.clone(),
            title: self.title.clone(),
            description: self.description.clone(),
            numbers: self.numbers(),
            size: ((right + 10.0).max(480.0), top(count) + 6.0),
            drawn,
            has_links: false,
            are_numbers_open: false,
        }
    }

    fn numbers(&self) -> Table {
        let columns = vec![Column::text("removed from"), Column::text("kept in"), Column::number("documents")];
        let mut table = Table::new(&self.title, columns);
        let mut flows = self.flows.clone();
        flows.sort_by_key(|flow| (std::cmp::Reverse(flow.removed), flow.from, flow.to));
        let name = |source: usize| Cell::text(&crate::name(&self.sources[source]));
        let row = |flow: &Flow| vec![name(flow.from), name(flow.to), Cell::count(flow.removed)];
        table.rows = flows.iter().filter(|flow| flow.removed > 0).take(TOLD).map(row).collect();
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flow_is_a_cell_with_its_number() {
        let flows = vec![
            Flow { from: 0, to: 1, removed: 400 },
            Flow { from: 1, to: 1, removed: 4 },
            Flow { from: 1, to: 0, removed: 0 },
        ];
        let matrix = Matrix { id: "m".into(), sources: vec!["<a>".into(), "b".into()], flows, ..Matrix::default() };
        let chart = matrix.draw();
        assert_eq!(chart.drawn.as_str().matches("<rect").count(), 2);
        assert!(chart.drawn.as_str().contains("cell s5") && chart.drawn.as_str().contains("&lt;a&gt;"));
        assert_eq!(chart.numbers.rows.len(), 2);
    }
}
