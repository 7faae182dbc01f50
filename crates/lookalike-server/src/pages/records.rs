//! Records: the matches of `link`, and why two records are one, or are none.

use std::path::Path;
use std::sync::Arc;

use lookalike::{Memory, Silent, explain_result};
use lookalike_page::{Cell, Column, Html, Table, html, name, number};
use serde::Deserialize;
use serde_json::Value;

use super::layout::{Current, Page, Screen, facts};
use super::{address, explanation};
use crate::problem::{Kind, Problem};
use crate::runs::opened::unreadable;
use crate::state::Shared;

/// Which pair an address means, and which part of the list.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Asked {
    left: String,
    right: String,
    after: u64,
}

/// How many matches a screen has.
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
                .map_err(|error| Problem::new(Kind::NotPossible, error.to_string()))?;
            html!("{}{}", form(&asked), explanation::show(ids, &pair))
        };
        Ok(html!("<h1>Records of {}</h1>\n{}{}", name, explained, matches(&folder, &name, asked.after)?))
    });
    Ok(Screen { title: &result, current: Current::Results, body: body.await? }.page())
}

/// What was read and found.
fn summed_up(folder: &Path) -> Result<Html, Problem> {
    let text = std::fs::read_to_string(folder.join("summary.json")).map_err(|error| unreadable(&error))?;
    let summary: Value = serde_json::from_str(&text)
        .map_err(|error| Problem::new(Kind::NoSuchResult, format!("summary.json: {error}")))?;
    let records: u64 = summary["record_counts"].as_array().into_iter().flatten().filter_map(Value::as_u64).sum();
    let count = |name: &str| number::count(summary[name].as_u64().unwrap_or(0));
    let threshold = summary["threshold"].as_f64().unwrap_or(0.0);
    Ok(facts(&[
        ("Records", number::count(records), "that were read".to_owned()),
        ("Matches", count("match_count"), format!("with a probability of {threshold:.3} or more")),
        ("Clusters", count("cluster_count"), "of two records or more".to_owned()),
        ("Compared", count("candidate_count"), "pairs that share a key".to_owned()),
    ]))
}

fn form(asked: &Asked) -> Html {
    html!(
        "<form class=\"ask\" method=\"get\"><div class=\"row\"><span><label for=\"left\">Left id</label><input id=\"left\" name=\"left\" value=\"{}\" required></span><span><label for=\"right\">Right id</label><input id=\"right\" name=\"right\" value=\"{}\" required></span><button class=\"main\">Explain</button></div></form>\n",
        Html::exact(&asked.left),
        Html::exact(&asked.right)
    )
}

/// Some rows of `matches.csv`, read from its beginning: it is sorted by probability, and few go far.
fn matches(folder: &Path, result: &str, after: u64) -> Result<Html, Problem> {
    let wrong = |error: csv::Error| Problem::new(Kind::NoSuchResult, format!("matches.csv: {error}"));
    let mut reader = csv::Reader::from_path(folder.join("matches.csv")).map_err(wrong)?;
    let heads = reader.headers().map_err(wrong)?.clone();
    let column = |name: &str| heads.iter().position(|head| head == name);
    let (Some(left), Some(right)) = (column("left_id"), column("right_id")) else {
        return Err(Problem::new(Kind::NoSuchResult, "matches.csv has other columns"));
    };
    let (bits, probability) = (column("bits"), column("probability"));
    let columns = vec![
        Column::text("left"),
        Column::text("right"),
        Column::number("bits"),
        Column::number("probability"),
        Column::text("explained"),
    ];
    let mut table = Table { is_filtered: true, ..Table::new("Matches", columns) };
    let mut has_more = false;
    for record in reader.records().skip(usize::try_from(after).unwrap_or(usize::MAX)) {
        let record = record.map_err(wrong)?;
        if table.rows.len() == ON_SCREEN {
            has_more = true;
            break;
        }
        let cell = |at: Option<usize>| at.and_then(|at| record.get(at)).unwrap_or_default();
        let of_number = |at: Option<usize>| Cell::number(cell(at), cell(at).parse().unwrap_or(0.0));
        let (left, right) = (cell(Some(left)), cell(Some(right)));
        let to = address::with(&format!("/results/{}", address::part(result)), &[("left", left), ("right", right)]);
        table.rows.push(vec![
            Cell::text(&name(left)),
            Cell::text(&name(right)),
            of_number(bits),
            of_number(probability),
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
