//! Result: what came in, went and why; and Sources: who lost how much to whom.

use std::sync::Arc;

use axum::extract::State;
use lookalike::is_link_result;
use lookalike_page::{Html, html};

use super::layout::{Current, Page, Screen, tabs};
use super::{address, records};
use crate::access::MayRead;
use crate::extract::{Path, Query};
use crate::problem::Problem;
use crate::results;
use crate::state::Shared;

/// All results.
pub(super) async fn list(_may: MayRead, State(shared): State<Arc<Shared>>) -> Page {
    let result = |(name, folder): (&String, &std::path::PathBuf)| {
        let what = if is_link_result(folder) { "linked records" } else { "a deduplicated corpus" };
        let to = address::with(&format!("/results/{}", address::part(name)), &[]);
        html!("<li><a class=\"card\" href=\"{}\"><b>{}</b> <span class=\"soft\">{}</span></a></li>\n", to, name, what)
    };
    let all: Html = shared.results.iter().map(result).collect();
    let body = if all.is_empty() {
        html!(
            "<h1>Results</h1>\n<p class=\"lead\">{}</p>\n",
            "This server shows no result. Start it with the output folder of a finished run."
        )
    } else {
        html!("<h1>Results</h1>\n<ul class=\"cards\">{}</ul>\n", all)
    };
    Screen { title: "Results", current: Current::Results, body }.page()
}

/// A result: of documents as a whole, of records pair by pair.
pub(super) async fn show(
    _may: MayRead,
    State(shared): State<Arc<Shared>>,
    Path(name): Path<String>,
    Query(asked): Query<records::Asked>,
) -> Result<Page, Problem> {
    if is_link_result(shared.result(&name)?) {
        return records::show(&shared, name, asked).await;
    }
    let of_job = name.clone();
    let body = results::with(&shared, name.clone(), move |open| {
        let run = &open.run;
        let to_band = |band: &str| format!("/results/{}/removed?band={band}", address::part(&of_job));
        Ok(html!(
            "<header>{}</header>\n<div class=\"charts\">{}{}{}{}</div>\n{}{}",
            run.lead(&of_job),
            section("similarity", "Similarity of what was removed", &run.similarity(&to_band)),
            section("recall", "What the method finds", &run.recall()),
            section("clusters", "Clusters by size", &run.clusters_by_size()),
            section("funnel", "From documents to removals", &run.funnel()),
            section("stages", "Stages", &run.stages()),
            section("run", "Parameters", &run.parameters())
        ))
    });
    let body = body.await?;
    let body = html!("{}{}", result_tabs(&name, Tab::Overview), body);
    Ok(Screen { title: &name, current: Current::Results, body }.page())
}

/// Who lost how much to whom.
pub(super) async fn sources(
    _may: MayRead,
    State(shared): State<Arc<Shared>>,
    Path(name): Path<String>,
) -> Result<Page, Problem> {
    let sources = results::with(&shared, name.clone(), |open| Ok(open.run.sources()?)).await?;
    let body = html!(
        "{}<h1>Sources of {}</h1>\n<p class=\"lead\">How much each source lost, and to whom.</p>\n{}",
        result_tabs(&name, Tab::Sources),
        name,
        section("sources", "Who copies whom", &sources)
    );
    Ok(Screen { title: &format!("Sources of {name}"), current: Current::Results, body }.page())
}

/// A part of a screen that has a name.
pub(super) fn section(id: &'static str, title: &str, body: &Html) -> Html {
    html!(
        "<section id=\"{}\" aria-labelledby=\"{}-h\"><h2 id=\"{}-h\">{}</h2>\n{}</section>\n",
        id,
        id,
        id,
        title,
        body
    )
}

/// The screens of one result.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Tab {
    Overview,
    Removed,
    LeastSimilar,
    Clusters,
    Sources,
}

/// The ways between them.
pub(super) fn result_tabs(name: &str, current: Tab) -> Html {
    let to = |rest: &str, parameters: &[(&str, &str)]| {
        address::with(&format!("/results/{}{rest}", address::part(name)), parameters)
    };
    tabs(
        "Screens of the result",
        &[
            (to("", &[]), "Overview", current == Tab::Overview),
            (to("/removed", &[]), "Removed", current == Tab::Removed),
            (to("/removed", &[("order", "least_similar")]), "Least similar", current == Tab::LeastSimilar),
            (to("/clusters", &[]), "Clusters", current == Tab::Clusters),
            (to("/sources", &[]), "Sources", current == Tab::Sources),
        ],
    )
}
