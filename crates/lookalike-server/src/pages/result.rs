//! The page of a result: input, removals and reasons; and the page of sources.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use lookalike::is_link_result;
use lookalike_page::{Cell, Column, Html, Table, html, number};

use super::layout::{Current, Page, Screen, tabs};
use super::{address, records, start};
use crate::access::MayRead;
use crate::extract::{Path, Query};
use crate::problem::Problem;
use crate::results;
use crate::results::files::{self, ResultFile};
use crate::runs::example;
use crate::runs::store::StoredResult;
use crate::state::Shared;
use crate::tasks::{Task, TaskKind, TaskState};

/// All results.
pub(super) async fn list(_may: MayRead, State(shared): State<Arc<Shared>>) -> Page {
    let card = |name: &str, what: &str| {
        let to = address::with(&format!("/results/{}", address::part(name)), &[]);
        html!("<li><a class=\"card\" href=\"{}\"><b>{}</b> <span class=\"soft\">{}</span></a></li>\n", to, name, what)
    };
    let is_running = |task: &Task| task.kind == TaskKind::Dedup && task.state == TaskState::Running;
    let running = shared.tasks.all().into_iter().filter(is_running);
    let running: Html = running.map(|task| card(&task.makes, "is being deduplicated")).collect();
    let result = |(name, stored): (String, StoredResult)| {
        card(&name, if is_link_result(&stored.folder) { "linked records" } else { "a deduplicated corpus" })
    };
    let all: Html = shared.results.all().into_iter().map(result).collect();
    let none = if shared.results.makes().is_some() {
        "There is no result yet."
    } else {
        "This server shows no result. Start it with the output folder of a finished run."
    };
    let list = if all.is_empty() && running.is_empty() {
        html!("<p class=\"lead\">{}</p>\n", none)
    } else {
        html!("<ul class=\"cards\">{}{}</ul>\n", running, all)
    };
    let body = html!("<h1>Results</h1>\n{}{}", list, start::dedup_forms(&shared));
    Screen { title: "Results", current: Current::Results, body }.page()
}

/// The result of the example.
pub(super) async fn show_example(
    may: MayRead,
    State(shared): State<Arc<Shared>>,
    query: Query<records::Asked>,
) -> Result<Response, Problem> {
    show(may, State(shared), Path(example::NAME.to_owned()), query).await
}

/// Shows a result: a report for documents, pairs for records. While it is being created, shows the progress.
pub(super) async fn show(
    _may: MayRead,
    State(shared): State<Arc<Shared>>,
    Path(name): Path<String>,
    Query(asked): Query<records::Asked>,
) -> Result<Response, Problem> {
    let stored = match (shared.results.get(&name), shared.tasks.making(&name)) {
        (Ok(stored), _) => stored,
        (Err(_), Some(task)) => return Ok(start::progress(&task)),
        (Err(problem), None) => return Err(problem),
    };
    if is_link_result(&stored.folder) {
        return Ok(records::show(&shared, name, asked).await?.into_response());
    }
    let folder = stored.folder.clone();
    let files = shared.work.search(move || Ok(files::files_of(&folder))).await?;
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
    let body = html!("{}{}{}", result_tabs(&name, Tab::Overview), body, downloads(&name, &files, stored.is_own));
    Ok(Screen { title: &name, current: Current::Results, body }.page().into_response())
}

/// Maximum number of files to list.
const MOST_FILES: usize = 100;

/// The files of a result, and a link to delete it.
fn downloads(result: &str, all: &[ResultFile], is_own: bool) -> Html {
    let mut table = Table::new("Files", vec![Column::text("file"), Column::text("what"), Column::number("size")]);
    for ResultFile { name: file, bytes } in all.iter().take(MOST_FILES) {
        let what = match &**file {
            "removed.jsonl" => "removed documents, each with the kept one and why",
            "summary.json" => "all numbers of the run",
            "report.html" => "the report, in one file for a browser",
            file if file.starts_with("kept/") => "kept documents",
            _ => "",
        };
        let path: Vec<String> = file.split('/').map(address::part).collect();
        let to = format!("/v1/results/{}/files/{}", address::part(result), path.join("/"));
        table.rows.push(vec![
            Cell::html(html!("<a href=\"{}\" download>{}</a>", to, lookalike_page::name(file))),
            Cell::text(what),
            Cell::number(&number::bytes(*bytes), *bytes as f64),
        ]);
    }
    let more = match all.len().saturating_sub(MOST_FILES) {
        0 => Html::default(),
        more => html!("<p class=\"soft\">and {} more</p>\n", number::of(more as u64, "file")),
    };
    let delete = if is_own {
        html!(
            "<p><a class=\"button danger\" href=\"/results/{}/delete\">Delete this result</a></p>\n",
            address::part(result)
        )
    } else {
        Html::default()
    };
    section("files", "Download", &html!("{}{}{}", table.render(), more, delete))
}

/// Shows the number of documents removed between sources.
pub(super) async fn sources(
    _may: MayRead,
    State(shared): State<Arc<Shared>>,
    Path(name): Path<String>,
) -> Result<Page, Problem> {
    let of_job = name.clone();
    let sources = results::with(&shared, name.clone(), move |open| {
        let to_source = |source: &str, kept_in: Option<&str>| {
            // A source of the reference is shown with a note after its name.
            let kept_in = kept_in.map(|kept_in| kept_in.trim_end_matches(" (reference)"));
            let kept_in =
                kept_in.map_or_else(String::new, |kept_in| format!("&kept_source={}", address::part(kept_in)));
            format!("/results/{}/removed?source={}{kept_in}", address::part(&of_job), address::part(source))
        };
        Ok(open.run.sources(&to_source)?)
    })
    .await?;
    let body = html!(
        "{}<h1>Sources of {}</h1>\n<p class=\"lead\">How much each source lost, and to whom.</p>\n{}",
        result_tabs(&name, Tab::Sources),
        name,
        section("sources", "Who copies whom", &sources)
    );
    Ok(Screen { title: &format!("Sources of {name}"), current: Current::Results, body }.page())
}

/// A named section of a page.
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

/// The pages of one result.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Tab {
    Overview,
    Removed,
    LeastSimilar,
    Clusters,
    Sources,
}

/// The links between them.
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
