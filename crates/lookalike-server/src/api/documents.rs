//! Adds, shows, lists and deletes documents.

use std::sync::Arc;
use std::time::Instant;

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use lookalike_index::{NewDocument, Put};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};
use utoipa::{IntoParams, ToSchema};

use crate::access::{MayRead, MayWrite};
use crate::body::{Content, Held, Lines, content, is_object};
use crate::extract::{Path, Query};
use crate::keys::hexadecimal;
use crate::memory::Memory;
use crate::names::shown;
use crate::problem::{Kind, Problem};
use crate::state::{OpenIndex, Shared};

/// A document to be stored.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DocumentRequest {
    /// The id of the document. Default: the SHA-256 of the text.
    id: Option<String>,
    /// The text that searches compare.
    text: String,
    /// An object with whatever belongs to the document.
    #[schema(value_type = Option<Object>)]
    fields: Option<Box<RawValue>>,
}

/// Options for adding documents.
#[derive(Clone, Copy, Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct AddParameters {
    /// Do not add documents with a near-duplicate in the index, or among those before them.
    #[serde(default)]
    unless_duplicate: bool,
}

/// The result of adding documents.
#[derive(Debug, Default, Serialize, ToSchema)]
pub(crate) struct AddAnswer {
    /// Documents that are new.
    added_count: u64,
    /// Documents that replaced others with the same id.
    replaced_count: u64,
    /// Documents that were there already, with the same text and fields.
    unchanged_count: u64,
    /// Documents that were not added because the index has a near-duplicate of them.
    duplicate_count: u64,
    /// Documents that were not added because of a near-duplicate: the first 10,000.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    duplicates: Vec<DuplicateAnswer>,
    /// Lines or items that are not documents.
    skipped_count: u64,
    /// Lines or items that are not documents, each with the reason: the first 1,000.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    skipped: Vec<SkippedLine>,
    /// The number of the last write: every later search sees these documents.
    version: u64,
    /// Duration of the request, in seconds.
    seconds: f64,
}

/// A document that was not added because the index has a near-duplicate of it.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DuplicateAnswer {
    /// Its line, or its place in the list, from 1.
    line: u64,
    /// Its id.
    id: String,
    /// The stored document.
    kept_id: String,
    /// Similarity of the two.
    similarity: f64,
    /// True if they are equal in every character, up to Unicode's NFC and white space at line ends.
    exact_copy: bool,
}

/// A line that is not a document.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SkippedLine {
    /// The line, or the place in the list, from 1.
    line: u64,
    /// The reason.
    detail: String,
}

const MOST_DUPLICATES_NAMED: usize = 10_000;
const MOST_SKIPPED_NAMED: usize = 1000;

/// The longest id that an index takes.
const LONGEST_ID: usize = 64 << 10;

impl AddAnswer {
    fn skip(&mut self, line: u64, detail: String) {
        self.skipped_count += 1;
        if self.skipped.len() < MOST_SKIPPED_NAMED {
            self.skipped.push(SkippedLine { line, detail });
        }
    }

    fn count(&mut self, line: u64, id: &str, put: Put) {
        match put {
            Put::Added => self.added_count += 1,
            Put::Replaced => self.replaced_count += 1,
            Put::Unchanged => self.unchanged_count += 1,
            Put::Duplicate { id: kept_id, similarity, exact_copy, .. } => {
                self.duplicate_count += 1;
                if self.duplicates.len() < MOST_DUPLICATES_NAMED {
                    let id = id.to_owned();
                    self.duplicates.push(DuplicateAnswer { line, id, kept_id, similarity, exact_copy });
                }
            }
        }
    }
}

/// Adds documents: an object, a list of objects, or one object per line. When the response arrives they are on disk, and every
/// later search finds them. A document with a known id replaces the stored one.
#[utoipa::path(post, path = "/v1/indexes/{index}/documents", operation_id = "add_documents", tag = "documents",
    params(("index" = String, Path, description = "The name of the index", example = "news"), AddParameters),
    request_body(description = "One document, a list of them, or one per line", content(
        (DocumentRequest = "application/json", example = json!([
            {"id": "storm-1", "text": "The storm hit the coast on Monday night and left a trail of damage in its wake.", "fields": {"source": "agency"}},
            {"id": "storm-2", "text": "The storm hit the coast on Monday night, and left a trail of damage in its wake!"},
        ])),
        (DocumentRequest = "application/x-ndjson", example = "{\"id\":\"rain-1\",\"text\":\"It will rain in the north tomorrow.\"}\n{\"text\":\"No rain in the south.\"}\n"),
    )),
    responses(
        (status = 200, description = "No line was skipped", body = AddAnswer),
        (status = 207, description = "Lines that are not documents were skipped", body = AddAnswer),
        (status = 507, description = "The disk is full"),
    ))]
pub(crate) async fn add(
    State(shared): State<Arc<Shared>>,
    _: MayWrite,
    Path(name): Path<String>,
    Query(parameters): Query<AddParameters>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    let start = Instant::now();
    let index = shared.index(&name)?;
    let mut answer = match content(&headers)? {
        Content::Json => {
            let held = Held::read(&shared, &headers, body).await?;
            let of_job = Arc::clone(&shared);
            let store = move || put(&index, &items(&held)?, parameters, AddAnswer::default(), &of_job.memory);
            shared.work.write(store).await?
        }
        Content::Lines => add_lines(&shared, &index, parameters, Lines::new(&shared, &headers, body)?).await?,
    };
    answer.seconds = start.elapsed().as_secs_f64();
    let status = if answer.skipped_count > 0 { StatusCode::MULTI_STATUS } else { StatusCode::OK };
    Ok((status, Json(answer)).into_response())
}

/// Stores lines as they arrive. An error does not undo what was stored before it: the problem reports how far it got.
async fn add_lines(
    shared: &Arc<Shared>,
    index: &Arc<OpenIndex>,
    parameters: AddParameters,
    mut lines: Lines,
) -> Result<AddAnswer, Problem> {
    let mut answer = AddAnswer::default();
    loop {
        let some = lines.next().await.map_err(|problem| so_far(problem, &answer))?;
        if some.is_empty() {
            return Ok(answer);
        }
        let bytes = some.iter().map(|(_, line)| line.len()).sum();
        let work = shared.memory.work(bytes).await.map_err(|problem| so_far(problem, &answer))?;
        let (index, of_job) = (Arc::clone(index), Arc::clone(shared));
        let done = std::mem::take(&mut answer);
        let store = move || {
            let _work = work;
            let lines: Vec<(u64, &[u8])> = some.iter().map(|(line, bytes)| (*line, &**bytes)).collect();
            put(&index, &lines, parameters, done, &of_job.memory)
        };
        answer = shared.work.write(store).await?;
    }
}

fn so_far(problem: Problem, answer: &AddAnswer) -> Problem {
    problem
        .with("added_count", answer.added_count)
        .with("replaced_count", answer.replaced_count)
        .with("unchanged_count", answer.unchanged_count)
        .with("duplicate_count", answer.duplicate_count)
        .with("skipped_count", answer.skipped_count)
}

/// The documents of a body: one, or a list.
fn items(held: &Held) -> Result<Vec<(u64, &[u8])>, Problem> {
    if held.bytes().trim_ascii_start().first() != Some(&b'[') {
        // A single invalid document is an error; only in lists are invalid documents skipped.
        read(held.bytes()).map_err(|detail| Problem::new(Kind::Malformed, detail))?;
        return Ok(vec![(1, held.bytes())]);
    }
    let list: Vec<&RawValue> =
        serde_json::from_slice(held.bytes()).map_err(|error| Problem::new(Kind::Malformed, error.to_string()))?;
    Ok((1..).zip(list).map(|(line, item)| (line, item.get().as_bytes())).collect())
}

/// Checks and parses a document: anything that an index would refuse is refused here, so that it does not hold up the
/// others.
fn read(bytes: &[u8]) -> Result<DocumentRequest, String> {
    if !is_object(bytes) {
        return Err("a document must be a JSON object".to_owned());
    }
    let document: DocumentRequest = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    match &document {
        DocumentRequest { id: Some(id), .. } if id.is_empty() => Err("the id is empty".to_owned()),
        DocumentRequest { id: Some(id), .. } if id.len() > LONGEST_ID => Err("the id is longer than 64 KiB".to_owned()),
        DocumentRequest { fields: Some(fields), .. } if !fields.get().starts_with('{') => {
            Err("fields must be an object".to_owned())
        }
        _ => Ok(document),
    }
}

/// Reads bytes that may be anything: for the fuzzer.
pub(super) fn check_body(bytes: &[u8]) {
    let _ = read(bytes);
    let _ = serde_json::from_slice::<Vec<&RawValue>>(bytes);
}

/// Stores some documents in one commit, and adds their results to those of others.
fn put(
    index: &OpenIndex,
    some: &[(u64, &[u8])],
    parameters: AddParameters,
    mut answer: AddAnswer,
    memory: &Memory,
) -> Result<AddAnswer, Problem> {
    let mut read_ones = Vec::with_capacity(some.len());
    for (line, bytes) in some {
        match read(bytes) {
            Ok(document) => {
                let id = document.id.unwrap_or_else(|| hexadecimal(&Sha256::digest(document.text.as_bytes())));
                read_ones.push((*line, id, document.text, document.fields));
            }
            Err(detail) => answer.skip(*line, detail),
        }
    }
    let counted = some.iter().map(|(_, bytes)| bytes.len()).sum();
    let needed = read_ones.iter().map(|(_, _, text, _)| index.index.working_bytes(text)).sum();
    let _more = memory.beyond(counted, needed).map_err(|problem| so_far(problem, &answer))?;
    let new: Vec<NewDocument<'_>> = read_ones
        .iter()
        .map(|(_, id, text, fields)| {
            NewDocument::new(id, text).with_fields(fields.as_deref().map_or("", RawValue::get))
        })
        .collect();
    let stored =
        index.with_writer(
            |writer| {
                if parameters.unless_duplicate { writer.put_if_new(&new) } else { writer.put_many(&new) }
            },
        );
    let stored = match stored {
        Ok(stored) => stored,
        Err(problem) => return Err(so_far(problem, &answer)),
    };
    for ((line, id, ..), put) in read_ones.iter().zip(stored) {
        answer.count(*line, id, put);
    }
    answer.version = index.snapshot()?.version();
    Ok(answer)
}

/// A stored document.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DocumentAnswer {
    /// The id of the document.
    id: String,
    /// Its text, where it is kept and asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// The fields stored with the document.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    fields: Option<Box<RawValue>>,
}

impl DocumentAnswer {
    fn of(document: lookalike_index::Document, with_text: bool) -> Self {
        let text = document.text.filter(|_| with_text);
        Self { id: document.id, text, fields: RawValue::from_string(document.fields).ok() }
    }
}

/// Path of a document: the path of the document with the id `delete` is also that of another route.
#[derive(Debug, Deserialize)]
pub(crate) struct DocumentPath {
    index: String,
    #[serde(default = "id_of_the_other_route")]
    id: String,
}

fn id_of_the_other_route() -> String {
    "delete".to_owned()
}

/// Returns a document.
#[utoipa::path(get, path = "/v1/indexes/{index}/documents/{id}", operation_id = "show_document", tag = "documents",
    params(("index" = String, Path, description = "The name of the index", example = "news"),
           ("id" = String, Path, description = "The id, percent-encoded", example = "storm-1")),
    responses((status = 200, description = "The document", body = DocumentAnswer), (status = 404, description = "There is no such index or document")))]
pub(crate) async fn show(
    State(shared): State<Arc<Shared>>,
    _: MayRead,
    Path(path): Path<DocumentPath>,
) -> Result<Json<DocumentAnswer>, Problem> {
    let index = shared.index(&path.index)?;
    let find = move || {
        let found = index.snapshot()?.document(&path.id)?;
        let missing = || Problem::new(Kind::NoSuchDocument, format!("no document has the id '{}'", shown(&path.id)));
        found.map(|document| DocumentAnswer::of(document, true)).ok_or_else(missing)
    };
    Ok(Json(shared.work.search(find).await?))
}

/// Options for listing documents.
#[derive(Clone, Copy, Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ListParameters {
    /// Start of the page: `next` of the previous page. It stays valid regardless of writes between two pages.
    #[serde(default)]
    after: u64,
    /// Number of documents per page, from 1 to 1,000.
    #[serde(default = "hundred")]
    #[param(minimum = 1, maximum = 1000)]
    limit: usize,
    /// True to return the texts as well.
    #[serde(default)]
    text: bool,
}

fn hundred() -> usize {
    100
}

/// A page of documents.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DocumentList {
    /// In the order in which they were added.
    documents: Vec<DocumentAnswer>,
    /// Start of the next page; null on the last page.
    next: Option<u64>,
    /// The number of the last write that this page knows of.
    version: u64,
}

/// A page ends where its texts take this much.
const PAGE_BYTES: usize = 16 << 20;

/// Lists documents in the order in which they were added, page by page.
#[utoipa::path(get, path = "/v1/indexes/{index}/documents", operation_id = "list_documents", tag = "documents",
    params(("index" = String, Path, description = "The name of the index", example = "news"), ListParameters),
    responses((status = 200, description = "A page of documents", body = DocumentList)))]
pub(crate) async fn list(
    State(shared): State<Arc<Shared>>,
    _: MayRead,
    Path(name): Path<String>,
    Query(parameters): Query<ListParameters>,
) -> Result<Json<DocumentList>, Problem> {
    if !(1..=1000).contains(&parameters.limit) {
        return Err(Problem::new(Kind::Malformed, "limit must be between 1 and 1,000"));
    }
    let index = shared.index(&name)?;
    let page = move || {
        let snapshot = index.snapshot()?;
        let (mut documents, mut next, mut bytes) = (Vec::new(), None, 0);
        let mut last = parameters.after;
        for document in snapshot.documents_after(parameters.after)? {
            let (number, document) = document?;
            if documents.len() == parameters.limit || bytes > PAGE_BYTES {
                next = Some(last);
                break;
            }
            last = number;
            bytes += document.fields.len() + document.text.as_ref().map_or(0, String::len);
            documents.push(DocumentAnswer::of(document, parameters.text));
        }
        Ok(DocumentList { documents, next, version: snapshot.version() })
    };
    Ok(Json(shared.work.search(page).await?))
}

/// The documents to delete.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DeleteRequest {
    /// Their ids.
    ids: Vec<String>,
}

/// The number of documents that were deleted.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub(crate) struct DeleteAnswer {
    /// Documents that were stored and are deleted now.
    deleted_count: u64,
    /// The number of the last write: no later search sees these documents.
    version: u64,
}

fn delete_ids(index: &OpenIndex, ids: &[String]) -> Result<DeleteAnswer, Problem> {
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let deleted_count = index.with_writer(|writer| writer.delete(&ids))?;
    Ok(DeleteAnswer { deleted_count, version: index.snapshot()?.version() })
}

/// Deletes a document; an id that is not stored is ignored.
#[utoipa::path(delete, path = "/v1/indexes/{index}/documents/{id}", operation_id = "delete_document", tag = "documents",
    params(("index" = String, Path, description = "The name of the index", example = "news"),
           ("id" = String, Path, description = "The id, percent-encoded", example = "rain-1")),
    responses((status = 200, description = "Deleted", body = DeleteAnswer)))]
pub(crate) async fn delete(
    State(shared): State<Arc<Shared>>,
    _: MayWrite,
    Path(path): Path<DocumentPath>,
) -> Result<Json<DeleteAnswer>, Problem> {
    let index = shared.index(&path.index)?;
    Ok(Json(shared.work.write(move || delete_ids(&index, &[path.id])).await?))
}

/// Deletes several documents; ids that are not stored are ignored.
#[utoipa::path(post, path = "/v1/indexes/{index}/documents/delete", operation_id = "delete_documents", tag = "documents",
    params(("index" = String, Path, description = "The name of the index", example = "news")),
    request_body(content = DeleteRequest, example = json!({"ids": ["storm-2", "rain-1"]})),
    responses((status = 200, description = "Deleted", body = DeleteAnswer)))]
pub(crate) async fn delete_many(
    State(shared): State<Arc<Shared>>,
    _: MayWrite,
    Path(name): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<DeleteAnswer>, Problem> {
    let index = shared.index(&name)?;
    content(&headers)?;
    let held = Held::read(&shared, &headers, body).await?;
    let delete = move || delete_ids(&index, &held.parse::<DeleteRequest>()?.ids);
    Ok(Json(shared.work.write(delete).await?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_index_would_refuse_is_refused_alone() {
        assert!(read(br#"{"text":"a"}"#).is_ok());
        assert!(read(br#"{"id":"a/b\u0000","text":"a","fields":{"year":1999}}"#).is_ok());
        assert!(read(br#"{"id":"a","text":"","fields":null}"#).is_ok());
        let long = format!(r#"{{"id":"{}","text":"a"}}"#, "x".repeat(LONGEST_ID + 1));
        let wrong = [
            r#"{"id":"","text":"a"}"#,
            r#"{"id":"a"}"#,
            r#"{"text":"a","fields":[1]}"#,
            r#"{"text":"a","tags":1}"#,
            "7",
            r#"["a","b"]"#,
            &long,
        ];
        wrong.iter().for_each(|wrong| assert!(read(wrong.as_bytes()).is_err(), "{wrong:.40}"));
        // Unlimited nesting by a client is rejected, not followed.
        assert!(read(format!(r#"{{"text":"a","fields":{}"#, "[".repeat(100_000)).as_bytes()).is_err());
    }
}
