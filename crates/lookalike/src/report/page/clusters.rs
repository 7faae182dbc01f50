//! Clusters by size, and a list of the largest ones.

use std::collections::BTreeMap;

use lookalike_page::chart::{Bar, Bars};
use lookalike_page::{Budget, Cell, Column, Html, Table, html, name, number};

use super::pairs::Pairs;
use super::rows::Gathered;
use crate::report::summary::Summary;

/// Maximum bytes of the members' names.
const MEMBER_BYTES: usize = 120_000;

/// Number of counts of copies listed individually.
const LISTED: usize = 20;

pub(super) fn section(summary: &Summary, gathered: &Gathered, pairs: &Pairs) -> Html {
    if summary.found.cluster_count == 0 {
        return html!("<p>{}</p>", "There are no clusters of two documents or more.");
    }
    let mut room = Budget::new(MEMBER_BYTES);
    let clusters: Html = summary.largest_clusters.iter().map(|cluster| {
        let copies = if cluster.copy_count > 1 { format!(", occurs {} times", number::count(cluster.copy_count)) } else { String::new() };
        let members = gathered.members(cluster.cluster);
        let mut list = Html::default();
        for member in members {
            let item = html!("<li>{} <span dir=\"auto\">{}</span></li>", number::similarity(member.similarity), name(&member.removed_id));
            if room.take(&item) {
                list.push(&item);
            }
        }
        let more = (cluster.cluster_size - 1).saturating_sub(members.len() as u64);
        if more > 0 {
            list.push(&html!("<li>and {} more</li>", number::count(more)));
        }
        let pair = pairs.of_clusters.get(&cluster.cluster).cloned().unwrap_or_default();
        html!(
            "<details class=\"group\"><summary><span dir=\"auto\">{}</span> <small>{}{}</small></summary><div><p>Removed in its favor, with their similarity:</p><ul>{}</ul>{}</div></details>\n",
            name(&cluster.kept_id),
            number::of(cluster.cluster_size, "document"),
            copies,
            list,
            pair
        )
    }).collect();
    html!("{}<h3>The largest clusters</h3>\n{}{}", by_size(summary), clusters, copies(&summary.kept_by_copy_count))
}

/// The number of clusters by number of documents.
pub(super) fn by_size(summary: &Summary) -> Html {
    let largest = summary.clusters_by_size.keys().next_back().copied().unwrap_or(0);
    let clustered: u64 = summary.clusters_by_size.range(2..).map(|(size, count)| size * count).sum();
    let bars = Bars {
        id: "by-size".to_owned(),
        title: "Clusters by number of documents".to_owned(),
        description: format!(
            "{} of two or more documents hold {} documents; the largest has {}. Each cluster has one kept document.",
            number::of(summary.found.cluster_count, "cluster"),
            number::count(clustered),
            number::count(largest)
        ),
        counted: "clusters".to_owned(),
        axis: "documents in the cluster".to_owned(),
        bars: bars_of(&summary.clusters_by_size),
        apart: Vec::new(),
    };
    bars.draw().figure()
}

/// Largest size with its own bar; above it, bars represent ranges.
const SINGLE: u64 = 5;

/// A bar for each small size, and for ranges of larger ones: 6–10, 11–20, 21–50 and so on, up to the largest cluster.
fn bars_of(by_size: &BTreeMap<u64, u64>) -> Vec<Bar> {
    let largest = by_size.keys().next_back().copied().unwrap_or(0);
    let edges = (2..=SINGLE).chain((1..18).flat_map(|power| [1, 2, 5].map(|factor| factor * 10_u64.pow(power))));
    let (mut bars, mut from) = (Vec::new(), 2);
    for to in edges {
        if from > largest {
            break;
        }
        let label =
            if from == to { number::count(from) } else { format!("{}–{}", number::short(from), number::short(to)) };
        let count = by_size.range(from..=to).map(|(_, count)| *count).sum();
        bars.push(Bar { label, count, opens: None });
        from = to + 1;
    }
    bars
}

/// The numbers of occurrences of kept documents.
pub(super) fn copies(by_copies: &BTreeMap<u64, u64>) -> Html {
    if by_copies.range(2..).next().is_none() {
        return Html::default();
    }
    let mut table = Table::new(
        "Kept documents by how often they occur",
        vec![Column::number("occurrences"), Column::number("kept documents")],
    );
    let row = |occurs: String, from: u64, count: u64| vec![Cell::number(&occurs, from as f64), Cell::count(count)];
    table.rows =
        by_copies.iter().take(LISTED).map(|(occurs, count)| row(number::count(*occurs), *occurs, *count)).collect();
    let rest: Vec<(&u64, &u64)> = by_copies.iter().skip(LISTED).collect();
    if let (Some((first, _)), Some((last, _))) = (rest.first(), rest.last()) {
        let shown = format!("{} to {}", number::count(**first), number::count(**last));
        table.rows.push(row(shown, **first, rest.iter().map(|(_, count)| **count).sum()));
    }
    html!(
        "<h3>How often kept documents occur</h3><p>Exact copies of a kept document, and itself; <code>copy_count</code> in the output.</p>{}",
        table.render()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cluster_is_in_one_bar() {
        let by_size =
            BTreeMap::from([(1, 900), (2, 40), (3, 7), (5, 2), (6, 3), (10, 1), (11, 4), (60, 5), (4_321, 1)]);
        let bars = bars_of(&by_size);
        let shown: Vec<(&str, u64)> = bars.iter().map(|bar| (&*bar.label, bar.count)).collect();
        let expected =
            [("2", 40), ("3", 7), ("4", 0), ("5", 2), ("6–10", 4), ("11–20", 4), ("21–50", 0), ("51–100", 5)];
        assert_eq!(shown[..8], expected);
        assert_eq!(shown[8..], [("101–200", 0), ("201–500", 0), ("501–1.0k", 0), ("1.0k–2.0k", 0), ("2.0k–5.0k", 1)]);
        assert!(bars_of(&BTreeMap::from([(1, 5)])).is_empty());
    }
}
