//! The number of clusters by size, on two logarithmic scales: most are small, and a few are huge.

use std::collections::BTreeMap;

use super::{Anchor, Chart, Plane, WIDTH, label, place};
use crate::html::Html;
use crate::table::{Cell, Column, Table};
use crate::{html, number};

/// Clusters by size.
#[derive(Clone, Debug, Default)]
pub struct Sizes {
    /// Id of the chart in the page.
    pub id: String,
    /// Title of the chart.
    pub title: String,
    /// Description of the chart.
    pub description: String,
    /// The items in clusters: documents or records.
    pub items: String,
    /// Number of clusters by size.
    pub clusters: BTreeMap<u64, u64>,
}

const HEIGHT: f64 = 300.0;

/// Maximum number of sizes drawn individually; more are drawn in bins.
const MOST_POINTS: usize = 120;

/// Number of bins per power of ten.
const BINS: f64 = 20.0;

impl Sizes {
    /// Draws them.
    pub fn draw(&self) -> Chart {
        let points = self.points();
        let powers = |most: u64| f64::from(most.max(2).ilog10() + 1);
        let (wide, high) = (
            powers(points.iter().map(|point| point.1).max().unwrap_or(1)),
            powers(points.iter().map(|point| point.2).max().unwrap_or(1)),
        );
        let plane = Plane { left: 56.0, right: WIDTH - 24.0, top: 16.0, bottom: HEIGHT - 46.0 };
        let (x, y) = (|size: f64| plane.x(size.log10() / wide), |count: u64| plane.y((count as f64).log10() / high));
        let mut drawn = Html::default();
        for power in 0..=high as u32 {
            let share = f64::from(power) / high;
            drawn.push(&plane.across(share));
            drawn.push(&label(
                plane.left - 8.0,
                plane.y(share) + 4.0,
                Anchor::End,
                "tick",
                &number::short(10_u64.pow(power)),
            ));
        }
        for power in 0..=wide as u32 {
            let share = f64::from(power) / wide;
            drawn.push(&plane.up(share));
            drawn.push(&label(
                plane.x(share),
                plane.bottom + 18.0,
                Anchor::Middle,
                "tick",
                &number::short(10_u64.pow(power)),
            ));
        }
        for (from, to, count) in &points {
            let size = (*from as f64 * *to as f64).sqrt();
            drawn.push(&html!("<circle class=\"dot\" cx=\"{}\" cy=\"{}\" r=\"4\"/>", place(x(size)), place(y(*count))));
        }
        drawn.push(&html!(
            "<path class=\"axis\" d=\"M{} {}V{}H{}\"/>",
            place(plane.left),
            place(plane.top),
            place(plane.bottom),
            place(plane.right)
        ));
        drawn.push(&label(
            plane.x(0.5),
            plane.bottom + 38.0,
            Anchor::Middle,
            "axis-name",
            &format!("{} in a cluster", self.items),
        ));
        drawn.push(&html!(
            "<text class=\"axis-name\" text-anchor=\"middle\" transform=\"translate(14 {}) rotate(-90)\">clusters</text>",
            place(plane.y(0.5))
        ));
        Chart {
            id: self.id.clone(),
            title: self.title.clone(),
            description: self.description.clone(),
            numbers: self.numbers(&points),
            size: (WIDTH, HEIGHT),
            drawn,
            has_links: false,
            are_numbers_open: false,
        }
    }

    /// Sizes and numbers of clusters: from, to, and count; in bins if there are many.
    fn points(&self) -> Vec<(u64, u64, u64)> {
        let sizes = self.clusters.iter().filter(|(size, count)| **size > 0 && **count > 0);
        if self.clusters.len() <= MOST_POINTS {
            return sizes.map(|(size, count)| (*size, *size, *count)).collect();
        }
        let mut bins: BTreeMap<u64, (u64, u64, u64)> = BTreeMap::new();
        for (size, count) in sizes {
            let bin = bins.entry(((*size as f64).log10() * BINS) as u64).or_insert((*size, *size, 0));
            *bin = (bin.0, *size, bin.2 + count);
        }
        bins.into_values().collect()
    }

    fn numbers(&self, points: &[(u64, u64, u64)]) -> Table {
        let mut table = Table::new(
            &self.title,
            vec![Column::number(&format!("{} in a cluster", self.items)), Column::number("clusters")],
        );
        for (from, to, count) in points {
            let size = if from == to {
                number::count(*from)
            } else {
                format!("{} to {}", number::count(*from), number::count(*to))
            };
            table.rows.push(vec![Cell::number(&size, *from as f64), Cell::count(*count)]);
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_sizes_are_points_and_many_are_bins_that_lose_nothing() {
        let drawn = |sizes: u64| {
            let clusters: BTreeMap<u64, u64> = (1..=sizes).map(|size| (size, 3)).collect();
            let sizes = Sizes { clusters, ..Sizes::default() };
            (
                sizes.draw().drawn.as_str().matches("<circle").count(),
                sizes.points().iter().map(|point| point.2).sum::<u64>(),
            )
        };
        assert_eq!(drawn(100), (100, 300));
        let (points, clusters) = drawn(100_000);
        assert!(points <= MOST_POINTS, "{points}");
        assert_eq!(clusters, 300_000);
        assert_eq!(drawn(0), (0, 0));
    }
}
