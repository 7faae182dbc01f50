//! A matrix of sources: documents removed from one source because of a document in another.

use super::{Anchor, Chart, label, place};
use crate::html::clipped;
use crate::table::{Cell, Column, Table};
use crate::{html, number};

/// Number of documents of one source that were removed because of documents of another.
#[derive(Clone, Copy, Debug)]
pub struct Flow {
    /// The source of the removed documents.
    pub from: usize,
    /// The source of the kept documents.
    pub to: usize,
    /// The number of documents.
    pub removed: u64,
}

/// The address of the removals from one source because of another, by their names.
pub type FlowAddress<'a> = &'a dyn Fn(&str, &str) -> String;

/// A matrix of sources.
#[derive(Clone, Debug, Default)]
pub struct Matrix {
    /// Id of the chart in the page.
    pub id: String,
    /// Title of the chart.
    pub title: String,
    /// Description of the chart.
    pub description: String,
    /// The sources, in order.
    pub sources: Vec<String>,
    /// Numbers of removals between sources.
    pub flows: Vec<Flow>,
}

const CELL: (f64, f64) = (34.0, 24.0);
const NAMES: f64 = 232.0;
const TOP: f64 = 56.0;

/// Maximum number of characters of a name.
const NAME_LENGTH: usize = 26;

/// Number of flows in the table: the largest ones.
const TOLD: usize = 100;

impl Matrix {
    /// Draws it.
    pub fn draw(&self) -> Chart {
        self.draw_with(None)
    }

    /// Draws it with cells that link to the documents they count.
    pub fn draw_with(&self, address: Option<FlowAddress<'_>>) -> Chart {
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
            // The square root, so that a tenth of the maximum is still visible. Five shades are as many as the eye can
            // distinguish.
            let shade = 1 + ((flow.removed as f64 / most).sqrt() * 4.99) as usize;
            let cell = html!(
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
            );
            let (from, to) = (&*self.sources[flow.from], &*self.sources[flow.to]);
            drawn.push(&address.map_or_else(
                || cell.clone(),
                |address| {
                    let said = format!("{} of {from}, because of {to}", number::of(flow.removed, "document"));
                    html!("<a href=\"{}\" aria-label=\"{}\">{}</a>", address(from, to), crate::name(&said), cell)
                },
            ));
        }
        Chart {
            id: self.id.clone(),
            title: self.title.clone(),
            description: self.description.clone(),
            numbers: self.numbers(address),
            size: ((right + 10.0).max(480.0), top(count) + 6.0),
            drawn,
            has_links: address.is_some(),
            are_numbers_open: false,
        }
    }

    fn numbers(&self, address: Option<FlowAddress<'_>>) -> Table {
        let columns = vec![Column::text("removed from"), Column::text("kept in"), Column::number("documents")];
        let mut table = Table::new(&self.title, columns);
        let mut flows = self.flows.clone();
        flows.sort_by_key(|flow| (std::cmp::Reverse(flow.removed), flow.from, flow.to));
        let name = |source: usize| Cell::text(&crate::name(&self.sources[source]));
        let count = |flow: &Flow| match address {
            Some(address) => {
                let to = address(&self.sources[flow.from], &self.sources[flow.to]);
                let link = html!("<a href=\"{}\">{}</a>", to, number::count(flow.removed));
                Cell::html(link).valued(flow.removed as f64)
            }
            None => Cell::count(flow.removed),
        };
        let row = |flow: &Flow| vec![name(flow.from), name(flow.to), count(flow)];
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
        let linked = matrix.draw_with(Some(&|from, to| format!("/removed?from={from}&to={to}")));
        assert!(linked.drawn.as_str().contains("<a href=\"/removed?from=&lt;a&gt;&amp;to=b\""), "{:?}", linked.drawn);
        assert!(linked.has_links && !chart.has_links);
    }
}
