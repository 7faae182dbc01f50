//! Results of `link`: the matches, and why two records match or do not.

use std::path::Path;
use std::sync::Arc;

use lookalike::{Memory, Silent, explain_result};
use lookalike_page::{Cell, Column, Html, Table, html, name, number};
use serde::Deserialize;

use super::layout::{Current, Page, Screen, facts};
use super::{address, explanation};
use crate::problem::{Kind, Problem, without_folder};
use crate::runs::opened::unreadable;
use crate::state::Shared;

/// The pair in a URL, and the part of the list.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Asked {
    left: String,
    right: String,
    after: u64,
}

/// Number of matches per page.
const ON_SCREEN: usize = 50;

/// The result of `link` with this name.
pub(super) async fn show(shared: &Arc<Shared>, result: String, asked: Asked) -> Result<Page, Problem> {
    let folder = shared.result(&result)?;
    let name = result.clone();
    let body = shared.work.search(move || {
        let explained = if asked.left.is_empty() || asked.right.is_empty() {
            html!("{}{}", summed_up(&folder)?, form(&asked))
        } else {
            let ids = [&*asked.left, &*asked.right];
            let pair = explain_result(&folder, ids, Memory::half_of_machine(), &Silent)
                .map_err(|error| Problem::new(Kind::NotPossible, without_folder(&error.to_string(), &folder)))?;
            html!("{}{}", form(&asked), explanation::show(ids, &pair))
        };
        Ok(html!("<h1>Records of {}</h1>\n{}{}", name, explained, matches(&folder, &name, asked.after)?))
    });
    Ok(Screen { title: &result, current: Current::Results, body: body.await? }.page())
}

/// The part of `summary.json` that is shown.
#[derive(Debug, Deserialize)]
struct Summary {
    record_counts: Vec<u64>,
    match_count: u64,
    cluster_count: u64,
    candidate_count: u64,
    threshold: f64,
}

/// The part of a row of `matches.csv` that is shown.
#[derive(Debug, Deserialize)]
struct Match {
    left_id: String,
    right_id: String,
    bits: f64,
    probability: f64,
}

/// Summary of the input and the matches.
fn summed_up(folder: &Path) -> Result<Html, Problem> {
    let text = std::fs::read_to_string(folder.join("summary.json")).map_err(|error| unreadable(&error))?;
    let summary: Summary = serde_json::from_str(&text)
        .map_err(|error| Problem::new(Kind::NoSuchResult, format!("summary.json: {error}")))?;
    let records = summary.record_counts.iter().sum();
    Ok(facts(&[
        ("Records", number::count(records), "that were read".to_owned()),
        (
            "Matches",
            number::count(summary.match_count),
            format!("with a probability of {:.3} or more", summary.threshold),
        ),
        ("Clusters", number::count(summary.cluster_count), "of two records or more".to_owned()),
        ("Compared", number::count(summary.candidate_count), "pairs that share a key".to_owned()),
    ]))
}

fn form(asked: &Asked) -> Html {
    html!(
        "<form class=\"ask\" method=\"get\"><div class=\"row\"><span><label for=\"left\">Left id</label><input id=\"left\" name=\"left\" value=\"{}\" required></span><span><label for=\"right\">Right id</label><input id=\"right\" name=\"right\" value=\"{}\" required></span><button class=\"main\">Explain</button></div></form>\n",
        Html::exact(&asked.left),
        Html::exact(&asked.right)
    )
}

/// Some rows of `matches.csv`, read from the beginning: it is sorted by probability, and few people page far.
fn matches(folder: &Path, result: &str, after: u64) -> Result<Html, Problem> {
    let wrong = |error: csv::Error| Problem::new(Kind::NoSuchResult, format!("matches.csv: {error}"));
    let mut reader = csv::Reader::from_path(folder.join("matches.csv")).map_err(wrong)?;
    let columns = vec![
        Column::text("left"),
        Column::text("right"),
        Column::number("bits"),
        Column::number("probability"),
        Column::text("explained"),
    ];
    let mut table = Table { is_filtered: true, ..Table::new("Matches", columns) };
    let mut has_more = false;
    for row in reader.deserialize().skip(usize::try_from(after).unwrap_or(usize::MAX)) {
        let Match { left_id, right_id, bits, probability } = row.map_err(wrong)?;
        if table.rows.len() == ON_SCREEN {
            has_more = true;
            break;
        }
        let (left, right) = (&*left_id, &*right_id);
        let to = address::with(&format!("/results/{}", address::part(result)), &[("left", left), ("right", right)]);
        table.rows.push(vec![
            Cell::text(&name(left)),
            Cell::text(&name(right)),
            Cell::number(&format!("{bits:.2}"), bits),
            Cell::number(&format!("{probability:.6}"), probability),
            Cell::html(html!(
                "<a href=\"{}\">Why<span class=\"unseen\"> {} and {}</span></a>",
                to,
                name(left),
                name(right)
            )),
        ]);
    }
    let go = |after: u64, what: &str| {
        let to = address::with(&format!("/results/{}", address::part(result)), &[("after", &after.to_string())]);
        html!("<a class=\"button\" href=\"{}\">{}</a> ", to, what)
    };
    let earlier = if after > 0 { go(after.saturating_sub(ON_SCREEN as u64), "Earlier") } else { Html::default() };
    let later = if has_more { go(after + ON_SCREEN as u64, "Later") } else { Html::default() };
    Ok(html!("<h2>Matches</h2>\n{}<p>{}{}</p>\n", table.render(), earlier, later))
}
