//! The start page: deduplicate a file, create an index, or try either with an example.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use lookalike::index as into_index;
use lookalike::{AddRequest, CreateRequest, Silent};
use lookalike_page::{Html, html, number};
use serde_json::{Map, Value};

use super::layout::{Current, Page, Screen};
use super::{address, first_upper};
use crate::access::{MayAdmin, MayWrite};
use crate::api::make_index;
use crate::extract::Path;
use crate::form::{Fields, Form, Takes};
use crate::names::is_name;
use crate::problem::{Kind, Problem};
use crate::results::make;
use crate::runs::example;
use crate::state::Shared;
use crate::tasks::{Task, TaskState};

/// Seconds between updates of the progress of a run.
const LOOK_AGAIN: u64 = 1;

/// The form to deduplicate a file, and the example; empty if no results can be created.
pub(super) fn dedup_forms(shared: &Shared) -> Html {
    let Some(is_temporary) = shared.results.makes() else { return Html::default() };
    let kept = if is_temporary {
        html!(
            "<p class=\"soft\">Results made here are removed when the server ends. Start it with a folder for results to keep them.</p>\n"
        )
    } else {
        Html::default()
    };
    html!(
        "<section aria-labelledby=\"new-result\"><h2 id=\"new-result\">Deduplicate a file</h2>\n<form class=\"ask\" method=\"post\" action=\"/results\" enctype=\"multipart/form-data\">\n<div class=\"row\"><span class=\"file\"><label for=\"file\">A file (JSONL, CSV, Parquet, WARC, text …)</label><input id=\"file\" name=\"file\" type=\"file\" data-drop required></span><span><label for=\"threshold\">Threshold</label><input id=\"threshold\" name=\"threshold\" type=\"number\" min=\"0.01\" max=\"1\" step=\"0.01\" value=\"0.8\"></span><span><label for=\"text-field\">Field of the text</label><input id=\"text-field\" name=\"text\" placeholder=\"text\"></span><span><label for=\"id-field\">Field of the id</label><input id=\"id-field\" name=\"id\" placeholder=\"file and position\"></span><span><label for=\"source-field\">Field of the source</label><input id=\"source-field\" name=\"source\" placeholder=\"host or file\"></span><span><label for=\"keep\">Keep</label><select id=\"keep\" name=\"keep\"><option value=\"\">the longest</option><option value=\"first\">the first</option><option value=\"last\">the last</option></select></span><button class=\"main\">Deduplicate</button></div></form>\n<form method=\"post\" action=\"/results/example\" class=\"inline\"><span>No file at hand?</span> <button>Try an example</button></form>\n{}</section>\n",
        kept
    )
}

/// The form to create an index, and the example; empty if none can be created.
pub(super) fn index_forms(shared: &Shared) -> Html {
    if shared.root.is_none() {
        return Html::default();
    }
    html!(
        "<section aria-labelledby=\"new-index\"><h2 id=\"new-index\">New index</h2>\n<form class=\"ask\" method=\"post\" action=\"/indexes\" enctype=\"multipart/form-data\">\n<div class=\"row\"><span><label for=\"name\">Name</label><input id=\"name\" name=\"name\" required maxlength=\"64\" pattern=\"[A-Za-z0-9_\\-][A-Za-z0-9._\\-]*\" title=\"Letters, digits, dots, hyphens and underscores\"></span><span><label for=\"threshold\">Threshold</label><input id=\"threshold\" name=\"threshold\" type=\"number\" min=\"0.01\" max=\"1\" step=\"0.01\" value=\"0.8\"></span><span><label for=\"measure\">Find</label><select id=\"measure\" name=\"measure\"><option value=\"\">near-duplicates</option><option value=\"containment\">quotations and excerpts</option></select></span><span><label for=\"store\">Store</label><select id=\"store\" name=\"store\"><option value=\"\">texts</option><option value=\"features\">no texts</option></select></span><button class=\"main\">Make the index</button></div></form>\n<form method=\"post\" action=\"/indexes/example\" class=\"inline\"><span>No documents at hand?</span> <button>Try an example</button></form>\n</section>\n"
    )
}

/// Accepts a file, and redirects to the progress of its run.
pub(super) async fn dedup(_may: MayWrite, State(shared): State<Arc<Shared>>, form: Form) -> Result<Redirect, Problem> {
    Ok(to_result(&make::start(&shared, form).await?))
}

/// Deduplicates the example.
pub(super) async fn dedup_example(_may: MayWrite, State(shared): State<Arc<Shared>>) -> Result<Redirect, Problem> {
    Ok(to_result(&make::start_example(&shared).await?))
}

fn to_result(task: &Task) -> Redirect {
    Redirect::to(&format!("/results/{}", address::part(&task.makes)))
}

/// The progress of the run that creates a result, or its error.
pub(super) fn progress(task: &Task) -> Response {
    let name = &*task.makes;
    let body = if task.state == TaskState::Failed {
        let detail = task.problem.as_ref().and_then(|problem| problem["detail"].as_str()).unwrap_or_default();
        html!(
            "<h1>{} was not deduplicated</h1>\n<p class=\"wrong\" role=\"alert\">{}</p>\n<p><a class=\"button\" href=\"/results\">Back to the results</a></p>\n",
            name,
            first_upper(detail)
        )
    } else {
        let stage = task.stage.map_or_else(|| "waiting".to_owned(), |stage| format!("stage: {stage}"));
        let share = task.done_share.map_or_else(
            || html!("<progress aria-label=\"Progress\"></progress>"),
            |share| {
                html!("<progress aria-label=\"Progress\" max=\"100\" value=\"{}\"></progress>", (100.0 * share) as u64)
            },
        );
        html!(
            "<h1>Deduplicating {}</h1>\n<p class=\"lead\" role=\"status\">{} for {}.</p>\n<p>{}</p>\n<p class=\"soft\">This page looks again by itself.</p>\n<form method=\"post\" action=\"/results/{}/delete\" enctype=\"multipart/form-data\"><button class=\"danger\">Stop</button></form>\n",
            name,
            first_upper(&stage).trim_end_matches('.'),
            number::seconds(task.seconds),
            share,
            address::part(name)
        )
    };
    let title = format!("Deduplicating {name}");
    let page = Screen { title: &title, current: Current::Results, body }.page();
    match task.state {
        TaskState::Failed => (Kind::NotPossible.status(), page).into_response(),
        _ => page.again_in(LOOK_AGAIN).into_response(),
    }
}

/// Asks for confirmation before a result is deleted.
pub(super) async fn ask_delete(
    _may: MayWrite,
    State(shared): State<Arc<Shared>>,
    Path(name): Path<String>,
) -> Result<Page, Problem> {
    shared.results.get(&name)?;
    let body = html!(
        "<h1>Delete the result {}?</h1>\n<p class=\"lead\">The file that was sent, what was kept of it and the report are removed from this server. This cannot be undone.</p>\n<form method=\"post\" action=\"/results/{}/delete\" enctype=\"multipart/form-data\"><button class=\"danger\">Delete the result</button> <a class=\"button\" href=\"/results/{}\">Cancel</a></form>\n",
        name,
        address::part(&name),
        address::part(&name)
    );
    Ok(Screen { title: "Delete a result", current: Current::Results, body }.page())
}

/// Deletes a result, or stops the run that creates it.
pub(super) async fn delete(
    _may: MayWrite,
    State(shared): State<Arc<Shared>>,
    Path(name): Path<String>,
) -> Result<Redirect, Problem> {
    let of_job = Arc::clone(&shared);
    shared.work.write(move || make::remove(&of_job, &name)).await?;
    Ok(Redirect::to("/results"))
}

/// Creates an index.
pub(super) async fn new_index(
    _may: MayAdmin,
    State(shared): State<Arc<Shared>>,
    form: Form,
) -> Result<Redirect, Problem> {
    let fields = Fields::read(form, Takes::Words, &shared).await?;
    let name = fields.given("name").unwrap_or_default().to_owned();
    let mut options = Map::new();
    for option in ["threshold", "measure", "store"] {
        if let Some(text) = fields.given(option) {
            // Anything that is not a number is rejected with the name of the option.
            let value = if option == "threshold" { serde_json::from_str(text).ok() } else { None };
            options.insert(option.to_owned(), value.unwrap_or_else(|| Value::from(text)));
        }
    }
    make_one(&shared, name.clone(), options).await?;
    Ok(Redirect::to(&format!("/indexes/{}", address::part(&name))))
}

async fn make_one(shared: &Arc<Shared>, name: String, options: Map<String, Value>) -> Result<(), Problem> {
    if !is_name(&name) {
        let detail = "a name has up to 64 letters, digits, dots, hyphens and underscores, and no dot first";
        return Err(Problem::new(Kind::NotPossible, detail));
    }
    let options = CreateRequest::from_options(options)?.check()?;
    let of_job = Arc::clone(shared);
    shared.work.write(move || make_index(&of_job, &name, &options)).await?;
    Ok(())
}

/// Creates an index of the example, with a threshold at which it finds many pairs.
pub(super) async fn index_example(_may: MayAdmin, State(shared): State<Arc<Shared>>) -> Result<Redirect, Problem> {
    let options = Map::from_iter([("threshold".to_owned(), Value::from(0.5))]);
    make_one(&shared, example::NAME.to_owned(), options).await?;
    let open = shared.index(example::NAME)?;
    let added = shared.work.write(move || {
        let failed = |error: std::io::Error| Problem::logged(Kind::Internal, &error);
        let folder = tempfile::tempdir().map_err(failed)?;
        example::write_to(folder.path()).map_err(failed)?;
        let mut request = AddRequest::new([folder.path()]);
        request.read.id = Some(example::ID.to_owned());
        let options = request.check()?;
        open.with_writer(|writer| Ok(into_index::add(writer, &options, &Silent)))?.map_err(Problem::from)
    });
    added.await?;
    // A search that finds more than the document itself.
    Ok(Redirect::to(&format!("/?index={}&like={}", example::NAME, example::SIMILAR)))
}
