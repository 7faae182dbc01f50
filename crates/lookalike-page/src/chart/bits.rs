//! The evidence for and against a match, in bits: bars to the right and to the left of zero. The bars of one pair form
//! a waterfall: each starts where the last one ended.

use super::{Anchor, Chart, Plane, WIDTH, label, place};
use crate::html::{Html, clipped};
use crate::table::{Cell, Column, Table};
use crate::{html, number};

/// One bar.
#[derive(Clone, Debug)]
pub struct Bit {
    /// Its label.
    pub label: String,
    /// Note beside it in the table.
    pub note: String,
    /// Weight of the evidence: positive for a match, negative against it.
    pub bits: f64,
}

/// A chart of evidence in bits.
#[derive(Clone, Debug, Default)]
pub struct Bits {
    /// Id of the chart in the page.
    pub id: String,
    /// Title of the chart.
    pub title: String,
    /// Description of the chart.
    pub description: String,
    /// Column titles of labels and notes.
    pub columns: [String; 2],
    /// The bars, from top to bottom.
    pub bars: Vec<Bit>,
    /// True if each bar starts where the previous one ended, and a last one shows the sum.
    pub is_sum: bool,
}

const ROW: f64 = 24.0;

/// Maximum number of letters of a label, and their width.
const LETTERS: usize = 34;
const LABELS: f64 = 256.0;

impl Bits {
    /// Draws them.
    pub fn draw(&self) -> Chart {
        let spans = self.spans();
        let ends = || spans.iter().flat_map(|span| [span.1, span.2]);
        let (low, high) = (ends().fold(-1.0, f64::min), ends().fold(1.0, f64::max));
        let height = 30.0 + ROW * spans.len() as f64 + 30.0;
        // Numbers are at the outer ends of bars.
        let plane = Plane { left: LABELS + 62.0, right: WIDTH - 62.0, top: 8.0, bottom: height - 40.0 };
        let x = |bits: f64| plane.x((bits - low) / (high - low));
        let mut drawn =
            html!("<path class=\"axis\" d=\"M{} {}V{}\"/>\n", place(x(0.0)), place(plane.top), place(plane.bottom));
        for (at, (name, from, to, said)) in spans.iter().enumerate() {
            let top = plane.top + ROW * at as f64;
            let (left, right) = (x(from.min(*to)), x(from.max(*to)));
            let is_total = self.is_sum && at + 1 == spans.len();
            let class = Html::ours(match (is_total, *said < 0.0) {
                (true, _) => "bar apart",
                (false, true) => "against",
                (false, false) => "bar",
            });
            drawn.push(&label(LABELS, top + 16.0, Anchor::End, "tick", &clipped(name, LETTERS)));
            drawn.push(&html!(
                "<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
                class,
                place(left),
                place(top + 4.0),
                place((right - left).max(1.0)),
                place(ROW - 8.0)
            ));
            let (beside, anchor) = if *said < 0.0 { (left - 5.0, Anchor::End) } else { (right + 5.0, Anchor::Start) };
            drawn.push(&label(beside, top + 16.0, anchor, "value", &number::signed(*said)));
            drawn.push(&Html::ours("\n"));
        }
        for (share, bits) in [(0.0, low), ((0.0 - low) / (high - low), 0.0), (1.0, high)] {
            drawn.push(&label(plane.x(share), plane.bottom + 16.0, Anchor::Middle, "tick", &format!("{bits:+.0}")));
        }
        drawn.push(&label(plane.x(0.5), height - 6.0, Anchor::Middle, "axis-name", "bits"));
        Chart {
            id: self.id.clone(),
            title: self.title.clone(),
            description: self.description.clone(),
            numbers: self.numbers(),
            size: (WIDTH, height),
            drawn,
            has_links: false,
            // The numbers of a pair show its values as well.
            are_numbers_open: self.is_sum,
        }
    }

    /// For each bar: its label, start, end, and bits.
    fn spans(&self) -> Vec<(&str, f64, f64, f64)> {
        let mut sum = 0.0;
        let mut spans = Vec::with_capacity(self.bars.len() + 1);
        for bar in &self.bars {
            let from = if self.is_sum { sum } else { 0.0 };
            sum += bar.bits;
            spans.push((bar.label.as_str(), from, from + bar.bits, bar.bits));
        }
        if self.is_sum {
            spans.push(("together", 0.0, sum, sum));
        }
        spans
    }

    fn numbers(&self) -> Table {
        let [label, note] = &self.columns;
        let mut table = Table::new(&self.title, vec![Column::text(label), Column::text(note), Column::number("bits")]);
        let row = |label: &str, note: &str, bits: f64| {
            vec![Cell::text(label), Cell::text(note), Cell::number(&number::signed(bits), bits)]
        };
        table.rows = self.bars.iter().map(|bar| row(&bar.label, &bar.note, bar.bits)).collect();
        if self.is_sum {
            table.rows.push(row("together", "", self.bars.iter().map(|bar| bar.bits).sum()));
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(is_sum: bool) -> Bits {
        let bar = |label: &str, bits: f64| Bit { label: label.to_owned(), note: String::new(), bits };
        Bits { id: "x".into(), bars: vec![bar("prior", -4.0), bar("<name>", 10.0)], is_sum, ..Bits::default() }
    }

    #[test]
    fn bars_of_a_sum_follow_each_other_and_end_in_it() {
        let bits = bits(true);
        let spans: Vec<(f64, f64)> = bits.spans().iter().map(|span| (span.1, span.2)).collect();
        assert_eq!(spans, [(0.0, -4.0), (-4.0, 6.0), (0.0, 6.0)]);
        let shown = bits.draw().figure().to_string();
        assert!(shown.contains("+6.00") && shown.contains("together") && shown.contains("&lt;name&gt;"));
    }

    #[test]
    fn other_bars_all_start_at_nothing() {
        let bits = bits(false);
        assert!(bits.spans().iter().all(|span| span.1.abs() < f64::EPSILON));
        assert!(!bits.draw().figure().to_string().contains("together"));
        assert!(Bits::default().draw().figure().to_string().contains("<svg"));
    }
}
