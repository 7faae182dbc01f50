//! Clusters by size, and the largest of them by name.

use std::collections::BTreeMap;

use lookalike_page::chart::Sizes;
use lookalike_page::{Budget, Cell, Column, Html, Table, html, name, number};

use super::pairs::Pairs;
use super::rows::Gathered;
use crate::report::summary::Summary;

/// What the names of members may take.
const MEMBER_BYTES: usize = 120_000;

/// How many numbers of copies are listed one by one.
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

/// How many clusters have how many documents.
pub(super) fn by_size(summary: &Summary) -> Html {
    let largest = summary.clusters_by_size.keys().next_back().copied().unwrap_or(0);
    let clustered: u64 = summary.clusters_by_size.range(2..).map(|(size, count)| size * count).sum();
    let sizes = Sizes {
        id: "by-size".to_owned(),
        title: "Clusters by number of documents".to_owned(),
        description: format!(
            "{} of two or more documents hold {} documents; the largest has {}. Each cluster has one kept document. Both scales are powers of ten.",
            number::of(summary.found.cluster_count, "cluster"),
            number::count(clustered),
            number::count(largest)
        ),
        items: "documents".to_owned(),
        clusters: summary.clusters_by_size.clone(),
    };
    sizes.draw().figure()
}

/// How often kept documents occur.
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
