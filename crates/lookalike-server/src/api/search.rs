//! Searching an index for near-duplicates of a text, or of one of its documents.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use lookalike::Passage;
use lookalike_index::{Answer, Hit, Query, SearchOptions, Snapshot, Store};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::{Path, search_lines};
use crate::body::{self, Content, Held, content};
use crate::keys::MaySearch;
use crate::problem::{Kind, Problem};
use crate::state::{OpenIndex, Shared};

/// What is searched for: a text, or a document of the index by its id.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SearchRequest {
    /// Documents like this text.
    pub(super) text: Option<String>,
    /// Documents like the one with this id, other than itself.
    pub(super) id: Option<String>,
    /// The minimum similarity; that of the index if none is given, and not below it.
    threshold: Option<f64>,
    /// How many matches to return at most: up to 10,000, and with passages up to 100.
    #[serde(default = "ten")]
    pub(super) limit: usize,
    /// How many candidates to look at, those with the best sketches first: up to 1,000,000.
    #[serde(default = "hundred_thousand")]
    max_candidates: usize,
    /// Whether to show which passages a match shares with what was searched for.
    #[serde(default)]
    pub(super) passages: bool,
    /// Whether to return what is stored with a match.
    #[serde(default = "yes")]
    pub(super) fields: bool,
}

fn ten() -> usize {
    10
}

fn hundred_thousand() -> usize {
    100_000
}

fn yes() -> bool {
    true
}

pub(super) const MOST_MATCHES: usize = 10_000;
const MOST_WITH_PASSAGES: usize = 100;
const MOST_CANDIDATES: usize = 1_000_000;

/// Nobody waits any longer for passages.
const LONGEST: Duration = Duration::from_secs(30);

/// What was found.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SearchAnswer {
    /// The most similar first; those of one similarity in the order in which they were added.
    matches: Vec<MatchAnswer>,
    /// Whether all candidates were looked at.
    complete: bool,
    /// How many documents may be alike, by their sketches or as copies.
    candidates: u64,
    /// How many of these were looked at.
    looked_at: u64,
    /// The chance to find a pair exactly at the threshold of the index.
    recall: Option<f64>,
    /// The number of the last write that was seen.
    version: u64,
    /// How long it took.
    seconds: f64,
}

/// A document that is similar enough: measured, not estimated.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MatchAnswer {
    /// Its id.
    id: String,
    /// How similar it is, by the measure of the index.
    similarity: f64,
    /// How much of what was searched for lies in the match.
    #[serde(skip_serializing_if = "Option::is_none")]
    containment_of_query: Option<f64>,
    /// How much of the match lies in what was searched for.
    #[serde(skip_serializing_if = "Option::is_none")]
    containment_of_match: Option<f64>,
    /// Whether they are equal in every character, up to Unicode's NFC and white space at line ends.
    exact_copy: bool,
    /// What is stored with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    fields: Option<Box<RawValue>>,
    /// What they share.
    #[serde(skip_serializing_if = "Option::is_none")]
    passages: Option<Passages>,
}

/// Two texts, cut where sharing begins and ends.
#[derive(Debug, Serialize, ToSchema)]
struct Passages {
    /// What was searched for.
    query: Vec<PassageAnswer>,
    /// The match.
    r#match: Vec<PassageAnswer>,
}

/// A stretch of a text.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PassageAnswer {
    /// Whether the other text has it too.
    is_shared: bool,
    /// The text itself.
    text: String,
}

impl From<Passage> for PassageAnswer {
    fn from(passage: Passage) -> Self {
        let Passage { is_shared, text } = passage;
        Self { is_shared, text }
    }
}

/// Finds the documents that are similar enough, each measured exactly. Several are searched for with one object per line; each
/// is answered by a line, in the same order, which is a problem if that one could not be searched for.
#[utoipa::path(post, path = "/v1/indexes/{index}/search", tag = "search",
    params(("index" = String, Path, description = "The name of the index", example = "news")),
    request_body(description = "What is searched for; or many, one per line", content(
        (SearchRequest = "application/json", example = json!({"text": "the storm hit the coast on Monday night and left a trail of damage in its wake", "limit": 5, "passages": true})),
        (SearchRequest = "application/x-ndjson", example = "{\"id\":\"storm-1\"}\n{\"text\":\"no rain in the south\"}\n"),
    )),
    responses((status = 200, description = "What was found", body = SearchAnswer), (status = 404, description = "There is no such index or document"),
        (status = 422, description = "The threshold is below that of the index"), (status = 503, description = "Too many requests wait, or it took too long")))]
pub(crate) async fn search(
    State(shared): State<Arc<Shared>>,
    _: MaySearch,
    Path(name): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    let start = Instant::now();
    let index = shared.index(&name)?;
    let content = content(&headers)?;
    let held = Held::read(&shared, &headers, body).await?;
    match content {
        Content::Json => {
            let find = move || answer(&index, &index.snapshot()?, &held.parse()?, start);
            Ok(Json(shared.work.search(find).await?).into_response())
        }
        Content::Lines => Ok(search_lines::answer_lines(&shared, index, held)),
    }
}

/// Searches for one.
pub(super) fn answer(
    index: &OpenIndex,
    snapshot: &Snapshot,
    request: &SearchRequest,
    start: Instant,
) -> Result<SearchAnswer, Problem> {
    let query = match (&request.text, &request.id) {
        (Some(text), None) => Query::Text(text),
        (None, Some(id)) => Query::Id(id),
        _ => return Err(Problem::new(Kind::Malformed, "give a text or an id, and not both")),
    };
    check(request)?;
    let found = snapshot.search(query, &request.options())?;
    let mut answer = SearchAnswer::of(index, snapshot, found, request.fields, start);
    if request.passages {
        if index.store == Store::Features {
            return Err(Problem::new(Kind::Impossible, "the index keeps no texts, so passages cannot be shown"));
        }
        let own = match query {
            Query::Text(text) => text.to_owned(),
            Query::Id(id) => snapshot.document(id)?.and_then(|document| document.text).unwrap_or_default(),
        };
        for found in &mut answer.matches {
            if start.elapsed() > LONGEST {
                return Err(Problem::new(Kind::TookTooLong, "passages take too long: ask for fewer matches"));
            }
            let text = snapshot.document(&found.id)?.and_then(|document| document.text).unwrap_or_default();
            let compared = lookalike::compare(&own, &text, index.index.scheme())?;
            let answers = |passages: Vec<Passage>| passages.into_iter().map(PassageAnswer::from).collect();
            let (query, found_text) = (answers(compared.left.passages), answers(compared.right.passages));
            found.passages = Some(Passages { query, r#match: found_text });
        }
    }
    answer.seconds = start.elapsed().as_secs_f64();
    Ok(answer)
}

impl SearchRequest {
    pub(super) fn options(&self) -> SearchOptions {
        SearchOptions { threshold: self.threshold, limit: self.limit, max_candidates: self.max_candidates }
    }
}

impl SearchAnswer {
    /// What was found in a snapshot, without passages.
    pub(super) fn of(index: &OpenIndex, snapshot: &Snapshot, found: Answer, with_fields: bool, start: Instant) -> Self {
        Self {
            matches: found.hits.into_iter().map(|hit| of_hit(hit, with_fields)).collect(),
            complete: found.complete,
            candidates: found.candidates,
            looked_at: found.looked_at,
            recall: index.recall,
            version: snapshot.version(),
            seconds: start.elapsed().as_secs_f64(),
        }
    }
}

pub(super) fn check(request: &SearchRequest) -> Result<(), Problem> {
    let most = if request.passages { MOST_WITH_PASSAGES } else { MOST_MATCHES };
    if !(1..=most).contains(&request.limit) {
        return Err(Problem::new(Kind::NotPossible, format!("limit must be between 1 and {most}")));
    }
    if !(1..=MOST_CANDIDATES).contains(&request.max_candidates) {
        let detail = format!("max_candidates must be between 1 and {MOST_CANDIDATES}");
        return Err(Problem::new(Kind::NotPossible, detail));
    }
    Ok(())
}

fn of_hit(hit: Hit, with_fields: bool) -> MatchAnswer {
    MatchAnswer {
        similarity: hit.similarity,
        containment_of_query: hit.containment_left(),
        containment_of_match: hit.containment_right(),
        exact_copy: hit.is_exact_copy,
        fields: Some(hit.fields).filter(|_| with_fields).and_then(|fields| RawValue::from_string(fields).ok()),
        id: hit.id,
        passages: None,
    }
}

/// Reads bytes that may be anything: for the fuzzer.
pub(super) fn check_body(bytes: &[u8]) {
    if let Ok(request) = body::parse::<SearchRequest>(bytes) {
        let _ = check(&request);
    }
}
