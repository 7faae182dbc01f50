//! The rows of a result: removals in any order, one of them side by side, and clusters with their members.

use std::sync::Arc;

use axum::extract::State;
use lookalike::Removal;
use lookalike_page::{Cell, Column, Html, Table, html, name, number};
use serde::Deserialize;

use super::layout::{Current, Page, Screen};
use super::result::{Tab, result_tabs};
use super::{address, measures};
use crate::access::MayRead;
use crate::extract::{Path, Query};
use crate::problem::{Kind, Problem};
use crate::results::{self, band_of};
use crate::runs::opened::unreadable;
use crate::runs::table::{BANDS, PlacedRemoval, Which};
use crate::state::Shared;

/// Which rows an address means.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Asked {
    band: Option<String>,
    order: Option<String>,
    after: u64,
}

/// Which pair an address means: where its row begins.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct AskedPair {
    row: u64,
    whole: bool,
}

/// How many rows a screen has.
const ON_SCREEN: usize = 50;

/// How many bytes of a text are shown to whoever did not ask for more.
const MOST_WHOLE: usize = 1_000_000;

/// Removals: all, of one band, or the least similar first.
pub(super) async fn list(
    _may: MayRead,
    State(shared): State<Arc<Shared>>,
    Path(result): Path<String>,
    Query(asked): Query<Asked>,
) -> Result<Page, Problem> {
    let which = match (&asked.band, asked.order.as_deref()) {
        (Some(band), _) => band_of(band)?,
        (None, Some("least_similar")) => Which::LeastSimilar,
        (None, _) => Which::InPlace,
    };
    let of_job = (result.clone(), asked.clone());
    let after = asked.after;
    let (count, shown) = results::with(&shared, result.clone(), move |open| {
        let (result, asked) = of_job;
        let table = open.table()?;
        let rows = table.rows(which, after, ON_SCREEN).map_err(|error| unreadable(&error))?;
        let bands =
            if which == Which::LeastSimilar { Html::default() } else { bands(&result, &asked, table.by_band()) };
        Ok((rows.count, html!("{}{}", bands, shown_rows(&result, &rows.rows))))
    })
    .await?;
    let (title, lead, tab) = match which {
        Which::LeastSimilar => (
            "Least similar removals",
            "What to doubt first: the removals with the lowest similarity.",
            Tab::LeastSimilar,
        ),
        Which::Copies => {
            ("Exact copies", "Removed documents that equal the kept one in every character.", Tab::Removed)
        }
        Which::Band(_) => {
            ("Removals of one band", "The least similar first; exact copies are listed apart.", Tab::Removed)
        }
        Which::InPlace | Which::Cluster(_) => {
            ("Removals", "Every removed document, with the kept one that it resembles.", Tab::Removed)
        }
    };
    let band = match which {
        Which::Band(band) => {
            format!(" of similarity {:.2} to {:.2}", f64::from(band) / 20.0, f64::from(band + 1) / 20.0)
        }
        _ => String::new(),
    };
    let mut parameters: Vec<(&str, &str)> = Vec::new();
    parameters.extend(asked.band.as_deref().map(|band| ("band", band)));
    parameters.extend(asked.order.as_deref().map(|order| ("order", order)));
    let path = format!("/results/{}/removed", address::part(&result));
    let body = html!(
        "{}<h1>{}{}</h1>\n<p>{}</p>\n{}{}",
        result_tabs(&result, tab),
        title,
        band,
        lead,
        shown,
        pages(&path, &parameters, after, count)
    );
    Ok(Screen { title, current: Current::Results, body }.page())
}

/// One removal, side by side with what was kept.
pub(super) async fn pair(
    _may: MayRead,
    State(shared): State<Arc<Shared>>,
    Path(result): Path<String>,
    Query(asked): Query<AskedPair>,
) -> Result<Page, Problem> {
    let longest = if asked.whole { usize::MAX } else { MOST_WHOLE };
    let of_job = result.clone();
    let body = results::with(&shared, result.clone(), move |open| {
        let row = open.table()?.at(asked.row).map_err(|error| unreadable(&error))?;
        let row = row.ok_or_else(|| Problem::new(Kind::Malformed, "row: no row of removed.jsonl begins there"))?;
        let (removal, pair) = (&row.removal, open.run.pair(&row.removal, longest));
        let missing = match (pair.has_texts, pair.more) {
            (false, _) => html!(
                "<p class=\"ask-first\">{}</p>",
                "The texts are not shown: the input could not be read again from here, or has changed since the run."
            ),
            (true, 0) => Html::default(),
            (true, more) => html!(
                "<p class=\"ask-first\">{} are left out. <a class=\"button\" href=\"{}\">Show both whole</a></p>",
                number::of(more, "character"),
                address::with(
                    &format!("/results/{}/pair", address::part(&of_job)),
                    &[("row", &asked.row.to_string()), ("whole", "true")]
                )
            ),
        };
        let cluster = address::with(&format!("/results/{}/clusters/{}", address::part(&of_job), removal.cluster), &[]);
        Ok(html!(
            "<h2 class=\"unseen\">The removed and the kept document</h2>\n<article class=\"pair whole\">{}<p><a href=\"{}\">All {} of their cluster</a></p>{}{}{}{}</article>\n",
            pair.head,
            cluster,
            number::of(removal.cluster_size.into(), "document"),
            if pair.has_texts { measures::legend() } else { Html::default() },
            missing,
            pair.strip,
            pair.sides
        ))
    });
    let body = body.await?;
    let body = html!("{}<h1>A removal of {}</h1>\n{}", result_tabs(&result, Tab::Removed), result, body);
    Ok(Screen { title: "A removal", current: Current::Results, body }.page())
}

/// Clusters, the largest first.
pub(super) async fn clusters(
    _may: MayRead,
    State(shared): State<Arc<Shared>>,
    Path(result): Path<String>,
    Query(asked): Query<Asked>,
) -> Result<Page, Problem> {
    let (of_job, after) = (result.clone(), asked.after);
    let shown = results::with(&shared, result.clone(), move |open| {
        let found = open.table()?;
        let columns = vec![
            Column::text("kept document"),
            Column::number("documents"),
            Column::number("removed"),
            Column::text("source"),
        ];
        let mut table = Table::new("Clusters", columns);
        for (cluster, removed, PlacedRemoval { removal, .. }) in
            found.clusters(after, ON_SCREEN).map_err(|error| unreadable(&error))?
        {
            let to = address::with(&format!("/results/{}/clusters/{cluster}", address::part(&of_job)), &[]);
            table.rows.push(vec![
                Cell::html(html!("<a href=\"{}\">{}</a>", to, name(&removal.kept_id))),
                Cell::count(u64::from(removal.cluster_size).max(removed + 1)),
                Cell::count(removed),
                Cell::text(&name(&removal.kept_source)),
            ]);
        }
        let is_first = after == 0;
        let sizes = if is_first { html!("<h2>By size</h2>\n{}", open.run.clusters_by_size()) } else { Html::default() };
        let copies = if is_first { open.run.copies() } else { Html::default() };
        let path = format!("/results/{}/clusters", address::part(&of_job));
        Ok(html!(
            "{}<h2>The largest first</h2>\n{}{}{}",
            sizes,
            table.render(),
            pages(&path, &[], after, found.cluster_count()),
            copies
        ))
    });
    let shown = shown.await?;
    let body = html!(
        "{}<h1>Clusters of {}</h1>\n<p>A kept document, and what was removed for it. A huge cluster is often boilerplate.</p>\n{}",
        result_tabs(&result, Tab::Clusters),
        result,
        shown
    );
    Ok(Screen { title: "Clusters", current: Current::Results, body }.page())
}

/// The removed documents of one cluster.
pub(super) async fn cluster(
    _may: MayRead,
    State(shared): State<Arc<Shared>>,
    Path((result, cluster)): Path<(String, u32)>,
    Query(asked): Query<Asked>,
) -> Result<Page, Problem> {
    let (of_job, after) = (result.clone(), asked.after);
    let shown = results::with(&shared, result.clone(), move |open| {
        let rows = open.table()?.rows(Which::Cluster(cluster), after, ON_SCREEN).map_err(|error| unreadable(&error))?;
        let missing = || Problem::new(Kind::NoSuchResult, format!("no document was removed for cluster {cluster}"));
        let first = rows.rows.first().ok_or_else(missing)?;
        let path = format!("/results/{}/clusters/{cluster}", address::part(&of_job));
        Ok(html!(
            "<p class=\"lead\">{} removed for <b dir=\"auto\">{}</b>, which is kept.</p>\n{}{}",
            if rows.count == 1 {
                "1 document was".to_owned()
            } else {
                format!("{} documents were", number::count(rows.count))
            },
            name(&first.removal.kept_id),
            shown_rows(&of_job, &rows.rows),
            pages(&path, &[], after, rows.count)
        ))
    });
    let shown = shown.await?;
    let body = html!("{}<h1>Cluster {} of {}</h1>\n{}", result_tabs(&result, Tab::Clusters), cluster, result, shown);
    Ok(Screen { title: "A cluster", current: Current::Results, body }.page())
}

/// Rows as a table, each with a link to its pair.
fn shown_rows(result: &str, rows: &[PlacedRemoval]) -> Html {
    let columns = [Column::number("similarity"), Column::text("removed"), Column::text("kept")];
    let columns = columns.into_iter().chain([Column::text("what"), Column::text("from"), Column::number("cluster")]);
    let mut table = Table { is_filtered: true, ..Table::new("Removals", columns.collect()) };
    for PlacedRemoval { at, removal } in rows {
        let to = address::with(&format!("/results/{}/pair", address::part(result)), &[("row", &at.to_string())]);
        let from = if removal.removed_source == removal.kept_source {
            name(&removal.removed_source)
        } else {
            format!("{} → {}", name(&removal.removed_source), name(&removal.kept_source))
        };
        table.rows.push(vec![
            Cell::number(&number::similarity(removal.similarity), removal.similarity),
            Cell::html(html!("<a href=\"{}\">{}</a>", to, name(&removal.removed_id))),
            Cell::text(&name(&removal.kept_id)),
            Cell::text(what(removal)),
            Cell::text(&from),
            Cell::count(removal.cluster_size.into()),
        ]);
    }
    if table.rows.is_empty() {
        return html!("<p>{}</p>\n", "There are none.");
    }
    table.render()
}

/// What two documents have in common.
fn what(removal: &Removal) -> &'static str {
    match removal {
        Removal { exact_copy: true, .. } => "exact copy",
        Removal { same_words: true, .. } => "same words",
        _ => "near-duplicate",
    }
}

/// Links to the bands that have rows, of which one may be open.
fn bands(result: &str, asked: &Asked, by_band: &[u64]) -> Html {
    let path = format!("/results/{}/removed", address::part(result));
    let link = |parameters: &[(&str, &str)], shown: String, count: u64, is_here: bool| {
        let is_here = Html::ours(if is_here { " aria-current=\"page\"" } else { "" });
        let to = address::with(&path, parameters);
        html!("<li><a href=\"{}\"{}>{} <small>{}</small></a></li>", to, is_here, shown, number::count(count))
    };
    let mut links = link(&[], "all".to_owned(), by_band.iter().sum(), asked.band.is_none());
    for (band, count) in by_band.iter().enumerate().filter(|(_, count)| **count > 0) {
        let (name, shown) = if band == usize::from(BANDS) {
            ("copies".to_owned(), "exact copies".to_owned())
        } else {
            ((5 * band).to_string(), format!("{:.2}–{:.2}", band as f64 / 20.0, (band + 1) as f64 / 20.0))
        };
        links.push(&link(&[("band", &name)], shown, *count, asked.band.as_ref() == Some(&name)));
    }
    html!("<nav class=\"bands\" aria-label=\"Bands of similarity\"><ul>{}</ul></nav>\n", links)
}

/// Where a list goes on, and where it came from.
pub(super) fn pages(path: &str, parameters: &[(&str, &str)], after: u64, count: u64) -> Html {
    let step = ON_SCREEN as u64;
    let to = |after: u64, what: &str, relation: &'static str| {
        let after = after.to_string();
        let all: Vec<(&str, &str)> = parameters.iter().copied().chain([("after", &*after)]).collect();
        html!("<a class=\"button\" rel=\"{}\" href=\"{}\">{}</a> ", relation, address::with(path, &all), what)
    };
    if count <= step && after == 0 {
        return Html::default();
    }
    let earlier = if after > 0 { to(after.saturating_sub(step), "Earlier", "prev") } else { Html::default() };
    let later = if after.saturating_add(step) < count { to(after + step, "Later", "next") } else { Html::default() };
    let last = after.saturating_add(step).min(count);
    html!(
        "<nav class=\"pages\" aria-label=\"Pages\"><p>{}{}<span class=\"soft\">{} to {} of {}</span></p></nav>\n",
        earlier,
        later,
        number::count((after + 1).min(count)),
        number::count(last),
        number::count(count)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_links_to_what_is_before_and_after() {
        assert!(pages("/a", &[], 0, 50).is_empty());
        let first = pages("/a", &[("band", "80")], 0, 120).to_string();
        assert!(
            first.contains("href=\"/a?band=80&amp;after=50\"")
                && !first.contains("Earlier")
                && first.contains("1 to 50 of 120")
        );
        let last = pages("/a", &[], 100, 120).to_string();
        assert!(last.contains("after=50") && !last.contains("Later") && last.contains("101 to 120 of 120"));
    }
}
