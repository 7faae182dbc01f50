//! The page of an index: its contents, its actions, and API examples.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, header};
use lookalike_index::Stat;
use lookalike_page::{Cell, Column, Html, Table, html, name, number};
use serde::Deserialize;

use super::layout::{Current, Page, Screen, facts};
use super::{address, hits, start};
use crate::access::MayRead;
use crate::extract::{Path, Query};
use crate::problem::{Kind, Problem};
use crate::runs::example;
use crate::state::Shared;
use crate::tasks::{Task, TaskKind, TaskState};

/// The document in a URL.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct AskedDocument {
    pub(super) id: String,
}

/// Maximum bytes of a text to show.
const MOST_TEXT: usize = 200_000;

/// Lists all indexes, or shows the only one.
pub(super) async fn list(may: MayRead, State(shared): State<Arc<Shared>>, headers: HeaderMap) -> Result<Page, Problem> {
    let indexes = shared.indexes();
    if let ([only], None) = (&indexes[..], &shared.root) {
        let name = only.name.clone();
        return show(may, State(shared), Path(name), headers).await;
    }
    let mut list = Html::default();
    for index in indexes {
        let of_job = Arc::clone(&index);
        let documents = shared.work.search(move || Ok(of_job.snapshot()?.len())).await?;
        list.push(&html!(
            "<li><a class=\"card\" href=\"{}\"><b>{}</b> <span class=\"soft\">{}</span></a></li>\n",
            address::with(&format!("/indexes/{}", address::part(&index.name)), &[]),
            index.name,
            number::of(documents, "document")
        ));
    }
    let body = if list.is_empty() {
        html!("<h1>Indexes</h1>\n{}{}", none(&shared), start::index_forms(&shared))
    } else {
        html!("<h1>Indexes</h1>\n<ul class=\"cards\">{}</ul>\n{}", list, start::index_forms(&shared))
    };
    Ok(Screen { title: "Indexes", current: Current::Index, body }.page())
}

/// The page without any index: how to create one, and alternatives.
pub(super) fn none(shared: &Shared) -> Html {
    let by_request = if shared.root.is_some() {
        ", send <code>PUT /v1/indexes/NAME</code>, or make one on the page of <a href=\"/indexes\">indexes</a>"
    } else {
        ""
    };
    let instead = if shared.results.all().is_empty() {
        ""
    } else {
        "<p>There is a finished run to look at: <a href=\"/results\">results</a>.</p>\n"
    };
    html!(
        "<p class=\"lead\">This server has no index to search.</p>\n{}<p>Make an index with <code>lookalike index create FOLDER</code> and start <code>lookalike serve FOLDER</code>{}.</p>\n",
        Html::ours(instead),
        Html::ours(by_request)
    )
}

/// The index of the example.
pub(super) async fn show_example(
    may: MayRead,
    shared: State<Arc<Shared>>,
    headers: HeaderMap,
) -> Result<Page, Problem> {
    show(may, shared, Path(example::NAME.to_owned()), headers).await
}

/// One index.
pub(super) async fn show(
    _may: MayRead,
    State(shared): State<Arc<Shared>>,
    Path(index): Path<String>,
    headers: HeaderMap,
) -> Result<Page, Problem> {
    let open = shared.index(&index)?;
    let stat = shared.work.search(move || Ok(open.snapshot()?.stat())).await?;
    let changes = if shared.is_read_only {
        html!("<p>{}</p>\n", "This server only reads: nothing can be added or deleted.")
    } else {
        add_form(&index)
    };
    let body = html!(
        "<h1>{}</h1>\n<p class=\"lead\">{}</p>\n{}<h2>Add documents</h2>\n{}<h2>Look up or delete a document</h2>\n{}{}<h2>The API by example</h2>\n{}",
        index,
        sentence(&stat),
        numbers(&stat),
        changes,
        document_form(&index),
        tasks(&shared.tasks.all(), &index),
        examples(&index, &server(&shared, &headers), shared.keys.are_needed())
    );
    Ok(Screen { title: &index, current: Current::Index, body }.page())
}

/// Shows one document and its actions.
pub(super) async fn document(
    _may: MayRead,
    State(shared): State<Arc<Shared>>,
    Path(index): Path<String>,
    Query(AskedDocument { id }): Query<AskedDocument>,
) -> Result<Page, Problem> {
    let open = shared.index(&index)?;
    let of_job = id.clone();
    let document = shared.work.search(move || Ok(open.snapshot()?.document(&of_job)?)).await?;
    let missing = || Problem::new(Kind::NoSuchDocument, format!("the index '{index}' has no document '{}'", name(&id)));
    let document = document.ok_or_else(missing)?;
    let text = document.text.as_deref().map_or_else(
        || html!("<p>{}</p>\n", "The index keeps no texts."),
        |text| {
            let end = (0..=MOST_TEXT.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
            let more = text[end..].chars().count() as u64;
            let more = if more == 0 {
                Html::default()
            } else {
                html!("<p class=\"soft\">{} more</p>", number::of(more, "character"))
            };
            html!("<div class=\"text\" dir=\"auto\">{}</div>{}\n", &text[..end], more)
        },
    );
    let delete = if shared.is_read_only {
        Html::default()
    } else {
        html!(
            "<p><a class=\"button danger\" href=\"{}\">Delete this document</a></p>\n",
            address::with(&format!("/indexes/{}/delete", address::part(&index)), &[("id", &id)])
        )
    };
    let body = html!(
        "<p><a href=\"/indexes/{}\">{}</a></p>\n<h1 dir=\"auto\">{}</h1>\n{}<p><a class=\"button\" href=\"{}\">More like it</a></p>\n{}{}",
        address::part(&index),
        index,
        name(&id),
        hits::stored(&document.fields),
        address::with("/", &[("index", &index), ("like", &id)]),
        text,
        delete
    );
    Ok(Screen { title: "A document", current: Current::Index, body }.page())
}

fn sentence(stat: &Stat) -> String {
    let recall = stat.recall.map_or(String::new(), |recall| {
        format!(
            " A pair exactly at the threshold is found with a chance of {recall:.4}; every answer is measured exactly."
        )
    });
    format!("{} can be found.{recall}", number::of(stat.document_count, "document"))
}

fn numbers(stat: &Stat) -> Html {
    let bytes = stat.segment_bytes + stat.log_bytes;
    let per_document = match stat.document_count {
        0 => String::new(),
        documents => format!("{} per document", number::bytes(bytes / documents)),
    };
    let kept = format!("{:?}", stat.store).to_lowercase();
    html!(
        "{}<p class=\"soft\">Scheme: <code>{}</code></p>\n",
        facts(&[
            (
                "Documents",
                number::count(stat.document_count),
                format!("{} not yet in a segment", number::count(stat.in_memory_count))
            ),
            ("On the disk", number::bytes(bytes), per_document),
            ("Segments", number::count(stat.segment_count), number::bytes(stat.segment_bytes)),
            ("Logs", number::count(stat.log_count), number::bytes(stat.log_bytes)),
            ("Deleted", number::count(stat.deleted_count), "whose bytes are still there".to_owned()),
            ("Kept of documents", kept, "besides ids, fields and sketches".to_owned()),
        ]),
        stat.scheme
    )
}

fn add_form(index: &str) -> Html {
    html!(
        "<form class=\"ask\" method=\"post\" action=\"/indexes/{}/add\" enctype=\"multipart/form-data\">\n<div class=\"row\"><span class=\"file\"><label for=\"file\">A file (JSONL, CSV, Parquet, WARC, text …)</label><input id=\"file\" name=\"file\" type=\"file\" data-drop required></span><span><label for=\"text-field\">Field of the text</label><input id=\"text-field\" name=\"text_field\" placeholder=\"text\"></span><span><label for=\"id-field\">Field of the id</label><input id=\"id-field\" name=\"id_field\" placeholder=\"file and position\"></span><span class=\"tick\"><input id=\"unless\" name=\"unless_duplicate\" type=\"checkbox\" value=\"true\"><label for=\"unless\">unless there is a near-duplicate</label></span><button class=\"main\">Add</button></div></form>\n",
        address::part(index)
    )
}

fn document_form(index: &str) -> Html {
    html!(
        "<form class=\"ask\" method=\"get\" action=\"/indexes/{}/document\"><div class=\"row\"><span><label for=\"id\">Id</label><input id=\"id\" name=\"id\" required></span><button>Look up</button></div></form>\n",
        address::part(index)
    )
}

/// Current and past tasks of the index.
fn tasks(all: &[Task], index: &str) -> Html {
    let mut table = Table::new(
        "Tasks",
        vec![Column::number("task"), Column::text("what"), Column::text("state"), Column::number("seconds")],
    );
    for task in all.iter().filter(|task| task.index == index) {
        let what = match task.kind {
            TaskKind::Compact => "compact",
            TaskKind::Snapshot => "snapshot",
            TaskKind::Verify => "verify",
            TaskKind::Dedup => "deduplicate",
        };
        let state = match task.state {
            TaskState::Running => "running",
            TaskState::Done => "done",
            TaskState::Failed => "failed",
        };
        table.rows.push(vec![
            Cell::count(task.id),
            Cell::text(what),
            Cell::text(state),
            Cell::number(&format!("{:.1}", task.seconds), task.seconds),
        ]);
    }
    let shown = if table.rows.is_empty() {
        html!(
            "<p class=\"soft\">{}</p>\n",
            "None since the server was started. Compacting, copying and verifying are tasks."
        )
    } else {
        table.render()
    };
    html!("<h2>Tasks</h2>\n{}", shown)
}

/// The address of this server as the user entered it.
fn server(shared: &Shared, headers: &HeaderMap) -> String {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or("127.0.0.1:7811");
    format!("{}://{host}", if shared.is_secure { "https" } else { "http" })
}

/// Example requests to copy.
fn examples(index: &str, server: &str, needs_key: bool) -> Html {
    let key = if needs_key { " -H \"Authorization: Bearer $KEY\"" } else { "" };
    let at = format!("{server}/v1/indexes/{index}");
    let json = "-H 'Content-Type: application/json'";
    let examples = [
        (
            "Add a document",
            format!(
                "curl{key} {json} {at}/documents -d '{{\"id\": \"a\", \"text\": \"The storm hit the coast on Monday night.\"}}'"
            ),
        ),
        (
            "Add many, unless a near-duplicate is there",
            format!(
                "curl{key} -H 'Content-Type: application/x-ndjson' '{at}/documents?unless_duplicate=true' -X POST -T news.jsonl"
            ),
        ),
        (
            "Search",
            format!(
                "curl{key} {json} {at}/search -d '{{\"text\": \"The storm hit the coast on Monday night!\", \"top\": 5}}'"
            ),
        ),
        (
            "Compare two documents",
            format!(
                "curl{key} {json} {server}/v1/compare -d '{{\"index\": \"{index}\", \"left\": {{\"id\": \"a\"}}, \"right\": {{\"id\": \"b\"}}}}'"
            ),
        ),
        ("Delete a document", format!("curl{key} -X DELETE {at}/documents/a")),
        ("Free the space of what was deleted", format!("curl{key} {json} {at}/compact -d '{{\"purge\": true}}'")),
    ];
    let example =
        |(what, command): &(&str, String)| html!("<h3>{}</h3><pre dir=\"ltr\"><code>{}</code></pre>\n", *what, command);
    html!(
        "<p>All routes are described in <a href=\"/openapi.json\">openapi.json</a>.</p>\n{}",
        examples.iter().map(example).collect::<Html>()
    )
}
