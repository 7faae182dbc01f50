//! The rows of a result: removals with any filter and order, and clusters with their members. `pair.rs` shows one of
//! them.

use std::sync::Arc;

use axum::extract::State;
use lookalike::Removal;
use lookalike_page::{Cell, Column, Html, Table, html, name, number};
use serde::Deserialize;

use super::address;
use super::layout::{Current, Page, Screen};
use super::result::{Tab, result_tabs};
use crate::access::MayRead;
use crate::extract::{Path, Query};
use crate::problem::{Kind, Problem};
use crate::results;
use crate::runs::filter::{AskedRows, Order};
use crate::runs::opened::unreadable;
use crate::runs::starts::Starts;
use crate::runs::table::{BANDS, PlacedRemoval, Which};
use crate::state::Shared;

/// Start of a list.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Asked {
    after: u64,
}

/// Number of rows per page.
const ON_SCREEN: usize = 50;

/// Lists the removals that match a filter, in its order.
pub(super) async fn list(
    _may: MayRead,
    State(shared): State<Arc<Shared>>,
    Path(result): Path<String>,
    Query(Asked { after }): Query<Asked>,
    Query(asked): Query<AskedRows>,
) -> Result<Page, Problem> {
    let filter = asked.check()?;
    let (of_job, of_filter, of_rows) = (result.clone(), filter.clone(), asked.clone());
    let (count, shown) = results::with(&shared, result.clone(), move |open| {
        let rows = open.rows(&of_filter, after, ON_SCREEN)?;
        let shown = shown_rows(&of_job, &of_rows, after, &rows.rows, &*open.starts()?);
        let bands = bands(&of_job, &of_rows, open.table()?.by_band());
        Ok((rows.count, html!("{}{}{}", bands, list_form(&of_job, &of_rows, rows.count), shown)))
    })
    .await?;
    let (title, lead, tab) = match (filter.group(), filter.order) {
        (Some(Which::Copies), _) => {
            ("Exact copies", "Removed documents that equal the kept one in every character.", Tab::Removed)
        }
        (Some(Which::Band(_)), _) => {
            ("Removals of one band", "The least similar first; exact copies are listed apart.", Tab::Removed)
        }
        (_, Order::LeastSimilar) => (
            "Least similar removals",
            "What to check first: the removals with the lowest similarity.",
            Tab::LeastSimilar,
        ),
        _ => ("Removals", "Every removed document, with the kept one that it resembles.", Tab::Removed),
    };
    let band = match filter.group() {
        Some(Which::Band(band)) => {
            format!(" of similarity {:.2} to {:.2}", f64::from(band) / 20.0, f64::from(band + 1) / 20.0)
        }
        _ => String::new(),
    };
    let path = format!("/results/{}/removed", address::part(&result));
    let body = html!(
        "{}<h1>{}{}</h1>\n<p>{}</p>\n{}{}",
        result_tabs(&result, tab),
        title,
        band,
        lead,
        shown,
        pages(&path, &asked.given(), after, count)
    );
    Ok(Screen { title, current: Current::Results, body }.page())
}

/// The form to filter and sort all rows, and links to export them.
fn list_form(result: &str, asked: &AskedRows, count: u64) -> Html {
    let value = |value: &Option<String>| Html::exact(value.as_deref().unwrap_or_default());
    let options = |chosen: &Option<String>, all: &[(&str, &str)]| {
        let option = |(value, name): &(&str, &str)| {
            let is_chosen = Html::ours(if chosen.as_deref().unwrap_or_default() == *value { " selected" } else { "" });
            html!("<option value=\"{}\"{}>{}</option>", *value, is_chosen, *name)
        };
        all.iter().map(option).collect::<Html>()
    };
    let kinds =
        [("", "all"), ("copy", "exact copies"), ("same_words", "same words"), ("near_duplicate", "near-duplicates")];
    let orders = [
        ("", "as in the input"),
        ("least_similar", "least similar first"),
        ("most_similar", "most similar first"),
        ("removed", "removed id"),
        ("kept", "kept id"),
        ("source", "source"),
        ("largest_cluster", "largest cluster first"),
    ];
    let hidden = |name: &'static str, value: &Option<String>| match value.as_deref() {
        Some(value) if !value.is_empty() => {
            html!("<input type=\"hidden\" name=\"{}\" value=\"{}\">", name, Html::exact(value))
        }
        _ => Html::default(),
    };
    let path = format!("/results/{}/removed", address::part(result));
    let export = |format: &'static str| {
        let parameters: Vec<(&str, &str)> = asked.given().into_iter().chain([("format", format)]).collect();
        address::with(&format!("/v1/results/{}/export", address::part(result)), &parameters)
    };
    let is_filtered = asked.given().iter().any(|(name, _)| *name != "order");
    let clear =
        if is_filtered { html!("<a class=\"button\" href=\"{}\">Show all</a>", &*path) } else { Html::default() };
    html!(
        "<form class=\"ask filters\" method=\"get\" action=\"{}\">{}{}<div class=\"row\"><span><label for=\"text\">Text or id</label><input id=\"text\" name=\"text\" type=\"search\" value=\"{}\"></span><span><label for=\"source\">Source</label><input id=\"source\" name=\"source\" value=\"{}\"></span><span><label for=\"kept-source\">Kept in source</label><input id=\"kept-source\" name=\"kept_source\" value=\"{}\"></span><span><label for=\"from\">Similarity from</label><input id=\"from\" name=\"similarity_from\" type=\"number\" min=\"0\" max=\"1\" step=\"any\" value=\"{}\"></span><span><label for=\"to\">to</label><input id=\"to\" name=\"similarity_to\" type=\"number\" min=\"0\" max=\"1\" step=\"any\" value=\"{}\"></span><span><label for=\"kind\">What</label><select id=\"kind\" name=\"kind\">{}</select></span><span><label for=\"order\">Order</label><select id=\"order\" name=\"order\">{}</select></span><button class=\"main\">Show</button>{}</div></form>\n<p class=\"counted\"><b>{}</b> · export all of them: <a href=\"{}\" download>CSV</a>, <a href=\"{}\" download>TSV</a>, <a href=\"{}\" download>JSONL</a></p>\n",
        &*path,
        hidden("band", &asked.band),
        hidden("cluster", &asked.cluster),
        value(&asked.text),
        value(&asked.source),
        value(&asked.kept_source),
        value(&asked.similarity_from),
        value(&asked.similarity_to),
        options(&asked.kind, &kinds),
        options(&asked.order, &orders),
        clear,
        number::of(count, "removal"),
        export("csv"),
        export("tsv"),
        export("jsonl")
    )
}

/// Clusters, largest first.
pub(super) async fn clusters(
    _may: MayRead,
    State(shared): State<Arc<Shared>>,
    Path(result): Path<String>,
    Query(Asked { after }): Query<Asked>,
) -> Result<Page, Problem> {
    let of_job = result.clone();
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
    Query(Asked { after }): Query<Asked>,
) -> Result<Page, Problem> {
    let of_job = result.clone();
    let shown = results::with(&shared, result.clone(), move |open| {
        let asked = AskedRows { cluster: Some(cluster.to_string()), ..AskedRows::default() };
        let rows = open.rows(&asked.check()?, after, ON_SCREEN)?;
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
            shown_rows(&of_job, &asked, after, &rows.rows, &*open.starts()?),
            pages(&path, &[], after, rows.count)
        ))
    });
    let shown = shown.await?;
    let body = html!("{}<h1>Cluster {} of {}</h1>\n{}", result_tabs(&result, Tab::Clusters), cluster, result, shown);
    Ok(Screen { title: "A cluster", current: Current::Results, body }.page())
}

/// Rows as a table, each with a link to its pair. Column headers link to the list in another order.
fn shown_rows(result: &str, asked: &AskedRows, after: u64, rows: &[PlacedRemoval], starts: &Starts) -> Html {
    if rows.is_empty() {
        return html!("<p>{}</p>\n", "There are none.");
    }
    let path = format!("/results/{}", address::part(result));
    let head = |name: &'static str, order: &'static str, class: &'static str| {
        let others = asked.given().into_iter().filter(|(name, _)| *name != "order");
        let parameters: Vec<(&str, &str)> = others.chain([("order", order)]).collect();
        let is_sorted = Html::ours(if asked.order.as_deref() == Some(order) { " aria-sort=\"other\"" } else { "" });
        let to = address::with(&format!("{path}/removed"), &parameters);
        html!("<th scope=\"col\"{}{}><a href=\"{}\">{}</a></th>", Html::ours(class), is_sorted, to, name)
    };
    let document = |id: &str, start: &str| match start {
        "" => html!("{}", name(id)),
        start => html!("<b>{}</b><small>{}</small>", start, name(id)),
    };
    let row = |(n, PlacedRemoval { at, removal }): (u64, &PlacedRemoval)| {
        let [removed, kept] = starts.of(removal);
        let (at, n) = (at.to_string(), n.to_string());
        let parameters: Vec<(&str, &str)> = asked.given().into_iter().chain([("n", &*n), ("row", &*at)]).collect();
        let from = if removal.removed_source == removal.kept_source {
            name(&removal.removed_source)
        } else {
            format!("{} → {}", name(&removal.removed_source), name(&removal.kept_source))
        };
        html!(
            "<tr><td class=\"n\">{}</td><th scope=\"row\" dir=\"auto\"><a href=\"{}\">{}</a></th><td dir=\"auto\">{}</td><td>{}</td><td dir=\"auto\">{}</td><td class=\"n\"><a href=\"{}/clusters/{}\">{}</a></td></tr>\n",
            number::similarity(removal.similarity),
            address::with(&format!("{path}/pair"), &parameters),
            document(&removal.removed_id, removed),
            document(&removal.kept_id, kept),
            what(removal),
            from,
            &*path,
            removal.cluster.to_string(),
            number::of(removal.cluster_size.into(), "document")
        )
    };
    html!(
        "<div class=\"scroll\" role=\"group\" aria-label=\"Removals\" tabindex=\"0\">\n<table class=\"rows\"><caption>Removals</caption>\n<thead><tr>{}{}{}<th scope=\"col\">what</th>{}{}</tr></thead>\n<tbody>\n{}</tbody></table></div>\n",
        head("similarity", "least_similar", " class=\"n\""),
        head("removed", "removed", ""),
        head("kept", "kept", ""),
        head("source", "source", ""),
        head("cluster", "largest_cluster", " class=\"n\""),
        (after..).zip(rows).map(row).collect::<Html>()
    )
}

/// Describes the kind of a removal.
pub(super) fn what(removal: &Removal) -> &'static str {
    match removal {
        Removal { exact_copy: true, .. } => "exact copy",
        Removal { same_words: true, .. } => "same words",
        _ => "near-duplicate",
    }
}

/// Links to the bands that have rows, one of which may be current.
fn bands(result: &str, asked: &AskedRows, by_band: &[u64]) -> Html {
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

/// Links to the next and previous parts of a list.
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
