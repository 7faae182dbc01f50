//! Changes to an index: add a file, delete a document, and restore it while its bytes exist.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Redirect;
use lookalike::index::{self, Added};
use lookalike::{AddRequest, Silent};
use lookalike_index::NewDocument;
use lookalike_page::{Cell, Column, Html, Table, clipped, html, name, number};

use super::address;
use super::index::AskedDocument;
use super::layout::{Current, Page, Screen, facts};
use crate::access::MayWrite;
use crate::extract::{Path, Query};
use crate::form::{Fields, Form, Takes};
use crate::problem::{Kind, Problem};
use crate::state::Shared;

/// Maximum number of skipped entries to list.
const LISTED: usize = 20;

/// Maximum number of characters of a reason.
const REASON: usize = 200;

/// Adds the documents of a file, in any supported format.
pub(super) async fn add(
    _may: MayWrite,
    State(shared): State<Arc<Shared>>,
    Path(index): Path<String>,
    form: Form,
) -> Result<Page, Problem> {
    let open = shared.index(&index)?;
    let mut fields = Fields::read(form, Takes::Documents, &shared).await?;
    let file = fields.file.take().ok_or_else(|| Problem::new(Kind::Malformed, "choose a file to add"))?;
    let mut request = AddRequest::new([file.path.clone()]);
    request.read.text = fields.given("text_field").map(str::to_owned);
    request.read.id = fields.given("id_field").map(str::to_owned);
    request.unless_duplicate = fields.given("unless_duplicate").map(|_| true);
    let (room, bytes) = shared.memory.job().await?;
    let options = request.memory(bytes).check()?;
    let added = shared.work.write(move || {
        let _room = room;
        let added = open.with_writer(|writer| Ok(index::add(writer, &options, &Silent)))?;
        // The file is deleted when this ends.
        added.map_err(|error| file.problem(&error))
    });
    let added = added.await?;
    let body = html!(
        "<h1>Added to {}</h1>\n{}<p><a class=\"button\" href=\"/indexes/{}\">Back to the index</a></p>\n",
        index,
        shown(&added),
        address::part(&index)
    );
    Ok(Screen { title: "Added", current: Current::Index, body }.page())
}

/// Asks for confirmation before a document is deleted.
pub(super) async fn ask_delete(
    _may: MayWrite,
    State(shared): State<Arc<Shared>>,
    Path(index): Path<String>,
    Query(AskedDocument { id }): Query<AskedDocument>,
) -> Result<Page, Problem> {
    let (open, of_job) = (shared.index(&index)?, id.clone());
    let is_there = shared.work.search(move || Ok(open.snapshot()?.document(&of_job)?.is_some())).await?;
    if !is_there {
        return Err(Problem::new(Kind::NoSuchDocument, format!("the index '{index}' has no document '{}'", name(&id))));
    }
    let body = html!(
        "<h1>Delete this document?</h1>\n<p class=\"lead\"><b dir=\"auto\">{}</b> will no longer be found in {}. This can be undone until the index is compacted.</p>\n<form method=\"post\" action=\"/indexes/{}/delete\" enctype=\"multipart/form-data\"><input type=\"hidden\" name=\"id\" value=\"{}\"><button class=\"danger\">Delete</button> <a class=\"button\" href=\"{}\">Cancel</a></form>\n",
        name(&id),
        index,
        address::part(&index),
        Html::exact(&id),
        address::with(&format!("/indexes/{}/document", address::part(&index)), &[("id", &id)])
    );
    Ok(Screen { title: "Delete a document", current: Current::Index, body }.page())
}

/// Restores a deleted document.
pub(super) async fn restore(
    _may: MayWrite,
    State(shared): State<Arc<Shared>>,
    Path(index): Path<String>,
    form: Form,
) -> Result<Redirect, Problem> {
    let open = shared.index(&index)?;
    let id = Fields::read(form, Takes::Words, &shared).await?.text("id").to_owned();
    let of_job = id.clone();
    let restored = shared.work.write(move || {
        let document = open.snapshot()?.deleted_document(&of_job)?;
        let Some((document, text)) = document.and_then(|document| Some((document.clone(), document.text?))) else {
            return Ok(false);
        };
        let again = NewDocument::new(&document.id, &text).with_fields(&document.fields);
        open.with_writer(|writer| writer.put(again))?;
        Ok(true)
    });
    if !restored.await? {
        let detail = format!("'{}' cannot be restored: the index was compacted, or keeps no texts", name(&id));
        return Err(Problem::new(Kind::NoSuchDocument, detail));
    }
    let to = format!("/indexes/{}/document?id={}", address::part(&index), address::part(&id));
    Ok(Redirect::to(&to))
}

/// Deletes a document.
pub(super) async fn delete(
    _may: MayWrite,
    State(shared): State<Arc<Shared>>,
    Path(index): Path<String>,
    form: Form,
) -> Result<Page, Problem> {
    let open = shared.index(&index)?;
    let id = Fields::read(form, Takes::Words, &shared).await?.text("id").to_owned();
    let of_job = id.clone();
    let deleted = shared.work.write(move || open.with_writer(|writer| writer.delete(&[&of_job]))).await?;
    if deleted == 0 {
        return Err(Problem::new(Kind::NoSuchDocument, format!("the index '{index}' has no document '{}'", name(&id))));
    }
    let body = html!(
        "<h1>Deleted</h1>\n<p class=\"lead\"><b dir=\"auto\">{}</b> is no longer in {}, and no search finds it.</p>\n<p>Its bytes stay on the disk until the index is compacted.</p>\n<form method=\"post\" action=\"/indexes/{}/restore\" enctype=\"multipart/form-data\"><input type=\"hidden\" name=\"id\" value=\"{}\"><button>Undo</button> <a class=\"button\" href=\"/indexes/{}\">Back to the index</a></form>\n",
        name(&id),
        index,
        address::part(&index),
        Html::exact(&id),
        address::part(&index)
    );
    Ok(Screen { title: "Deleted", current: Current::Index, body }.page())
}

fn shown(added: &Added) -> Html {
    let numbers = facts(&[
        ("Read", number::count(added.document_count), number::bytes(added.input_bytes)),
        ("Added", number::count(added.added_count), "are new, on the disk, and can be found".to_owned()),
        ("Replaced", number::count(added.replaced_count), "had the id of another".to_owned()),
        ("Unchanged", number::count(added.unchanged_count), "were there already".to_owned()),
        (
            "Duplicates",
            number::count(added.duplicate_count),
            "were not added: the index has a near-duplicate".to_owned(),
        ),
        ("Skipped", number::count(added.skipped_count), "could not be read".to_owned()),
    ]);
    if added.skipped.is_empty() {
        return numbers;
    }
    let mut table =
        Table::new("Skipped entries", vec![Column::text("entry"), Column::number("position"), Column::text("reason")]);
    let row = |entry: &lookalike::SkippedEntry| {
        vec![Cell::text(entry.entry), Cell::count(entry.position), Cell::text(&clipped(entry.reason.text(), REASON))]
    };
    table.rows = added.skipped.iter().take(LISTED).map(row).collect();
    html!("{}<h2>Skipped</h2>\n{}", numbers, table.render())
}
