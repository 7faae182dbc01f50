//! Sources: the losses of each, to which source, and which source copies which.

use lookalike_page::chart::{Flow, FlowAddress, Matrix};
use lookalike_page::{Budget, Cell, Column, Html, Table, html, name, number};

use super::rows::Gathered;
use crate::report::summary::Summary;

/// Maximum bytes of the table's rows.
const TABLE_BYTES: usize = 250_000;

/// Number of sources in the matrix.
const IN_MATRIX: usize = 20;

/// The address of the removals of a source, and of those that are kept in another.
pub(super) type Address<'a> = &'a dyn Fn(&str, Option<&str>) -> String;

pub(super) fn section(summary: &Summary, gathered: &Gathered, address: Option<Address<'_>>) -> Html {
    if summary.sources.len() < 2 {
        let only = summary.sources.first().map_or_else(|| "no source".to_owned(), |source| name(&source.source));
        return html!("<p>All documents are of one source: {}.</p>", only);
    }
    let columns = ["documents", "removed", "share removed"].map(Column::number);
    let columns = [Column::text("source")]
        .into_iter()
        .chain(columns)
        .chain([Column::text("mostly lost to"), Column::number("of these")]);
    let mut table = Table { is_filtered: true, ..Table::new("Sources", columns.collect()) };
    let mostly_to = gathered.flows.mostly_to();
    let (mut rows, mut room, mut shown) = (Html::default(), Budget::new(TABLE_BYTES), 0);
    for source in &summary.sources {
        let to = mostly_to.get(&*source.source);
        let to_name = match to {
            Some((to, _)) if **to == *source.source => Cell::html(Html::ours("<span class=\"soft\">itself</span>")),
            Some((to, _)) => Cell::text(&name(to)),
            None => Cell::text("–"),
        };
        let linked = |to: Option<&str>, count: u64| match address {
            Some(address) if count > 0 => {
                let link = html!("<a href=\"{}\">{}</a>", address(&source.source, to), number::count(count));
                Cell::html(link).valued(count as f64)
            }
            _ => Cell::count(count),
        };
        let own = match address {
            Some(address) if source.removed_count > 0 => {
                Cell::html(html!("<a href=\"{}\">{}</a>", address(&source.source, None), name(&source.source)))
            }
            _ => Cell::text(&name(&source.source)),
        };
        let row = table.row(&[
            own,
            Cell::count(source.document_count),
            linked(None, source.removed_count),
            Cell::share(source.share),
            to_name,
            linked(to.map(|(to, _)| *to), to.map_or(0, |(_, count)| *count)),
        ]);
        if !room.take(&row) {
            break;
        }
        rows.push(&row);
        shown += 1;
    }
    table.rows.clear();
    let more = summary.more_source_count + summary.sources.len() as u64 - shown;
    let more = if more == 0 {
        Html::default()
    } else {
        html!(
            "<p class=\"soft\">{}</p>",
            format!("These are the {} largest; there are {} more.", number::count(shown), number::count(more))
        )
    };
    html!("{}{}{}", matrix(gathered, address), table.around(&rows), more)
}

/// The matrix of sources that copy each other.
fn matrix(gathered: &Gathered, address: Option<Address<'_>>) -> Html {
    let (sources, flows) = gathered.flows.largest(IN_MATRIX);
    if sources.len() < 2 {
        return Html::default();
    }
    let most = flows
        .iter()
        .filter(|(from, to, _)| from != to)
        .max_by_key(|(from, to, removed)| (*removed, std::cmp::Reverse((*from, *to))));
    let most = most.map_or_else(
        || "No document was removed because of one of another source.".to_owned(),
        |(from, to, removed)| {
            format!(
                "Most between two sources: {} of {}, because of documents of {}. If a row is nearly all in one other column, that source is a mirror, and a crawler could skip it.",
                number::of(*removed, "document"),
                name(&sources[*from]),
                name(&sources[*to])
            )
        },
    );
    let matrix = Matrix {
        id: "who-copies".to_owned(),
        title: "Removed from one source because of another".to_owned(),
        description: most,
        sources,
        flows: flows.into_iter().map(|(from, to, removed)| Flow { from, to, removed }).collect(),
    };
    let to_flow = address.map(|address| move |from: &str, to: &str| address(from, Some(to)));
    matrix.draw_with(to_flow.as_ref().map(|to_flow| to_flow as FlowAddress<'_>)).figure()
}
