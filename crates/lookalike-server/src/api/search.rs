//! Searches an index for near-duplicates of a text, or of one of its documents.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use lookalike::index::Search;
use lookalike::{JobOption, Passage, Refused};
use lookalike_index::{Answer, Hit, Query, Snapshot, Store};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::search_lines;
use crate::access::{MaySearch, Sight};
use crate::body::{self, Content, Held, content};
use crate::extract::Path;
use crate::problem::{Kind, Problem};
use crate::state::{OpenIndex, Shared};

/// A query: a text, or a document of the index by its id.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SearchRequest {
    /// Documents like this text.
    text: Option<String>,
    /// The id of the text. If the index has this text under this id, that document is the first match.
    id: Option<String>,
    /// Documents like the stored one with this id, other than itself.
    like: Option<String>,
    /// The minimum similarity; that of the index if none is given, and not below it.
    threshold: Option<f64>,
    /// Maximum number of matches: 10 by default, up to 10,000, and with passages up to 100.
    top: Option<i64>,
    /// Maximum number of candidates to compare, those with the best sketches first: 100,000 by default, up to 1,000,000.
    max_candidates: Option<i64>,
    /// True to return the passages that a match shares with the query.
    #[serde(default)]
    passages: bool,
    /// True to return the fields stored with a match.
    #[serde(default = "yes")]
    fields: bool,
}

/// A checked request.
pub(super) struct Asked {
    /// The query, and its options.
    pub(super) search: Search,
    /// True to return the passages that a match shares with the query.
    pub(super) passages: bool,
    /// True to return the fields stored with a match.
    pub(super) fields: bool,
}

fn yes() -> bool {
    true
}

pub(super) const MOST_MATCHES: usize = 10_000;
const MOST_WITH_PASSAGES: usize = 100;
const MOST_CANDIDATES: usize = 1_000_000;

/// Nobody waits any longer for passages.
const LONGEST: Duration = Duration::from_secs(30);

/// The result of a search.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SearchAnswer {
    /// The most similar first. Of those with one similarity, the document with the id of the query comes first, then exact copies,
    /// then the others, each in the order in which they were added.
    matches: Vec<MatchAnswer>,
    /// Documents that are similar enough; `matches` has the first of them, at most `top`.
    match_count: u64,
    /// True if `matches` has every match and all candidates were compared.
    complete: bool,
    /// Documents that may be similar, by their sketches or as copies.
    candidate_count: u64,
    /// Candidates that were compared.
    compared_count: u64,
    /// Probability of finding a pair exactly at the threshold of the index.
    recall: Option<f64>,
    /// The number of the last write that was seen.
    version: u64,
    /// Duration of the search, in seconds.
    seconds: f64,
}

/// A document that is similar enough: measured, not estimated.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MatchAnswer {
    /// Its id.
    id: String,
    /// Similarity to the query, by the measure of the index.
    similarity: f64,
    /// Share of the query's features that the match has.
    #[serde(skip_serializing_if = "Option::is_none")]
    containment_of_query: Option<f64>,
    /// Share of the match's features that the query has.
    #[serde(skip_serializing_if = "Option::is_none")]
    containment_of_match: Option<f64>,
    /// True if they are equal in every character, up to Unicode's NFC and white space at line ends.
    exact_copy: bool,
    /// The fields stored with the document.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    fields: Option<Box<RawValue>>,
    /// The passages that both share.
    #[serde(skip_serializing_if = "Option::is_none")]
    passages: Option<Passages>,
}

/// Two texts, cut where sharing begins and ends. With the scope `search`, those of stored documents are the shared passages alone.
#[derive(Debug, Serialize, ToSchema)]
struct Passages {
    /// The passages of the query.
    query: Vec<PassageAnswer>,
    /// The match.
    r#match: Vec<PassageAnswer>,
}

/// A stretch of a text.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PassageAnswer {
    /// True if the other text has it too.
    shared: bool,
    /// The text itself.
    text: String,
}

impl From<Passage> for PassageAnswer {
    fn from(passage: Passage) -> Self {
        let Passage { shared, text, .. } = passage;
        Self { shared, text }
    }
}

/// Finds the documents that are similar enough, each measured exactly. With one object per line, several queries are answered; each
/// has a line in the response, in the same order, which is a problem if that query failed.
#[utoipa::path(post, path = "/v1/indexes/{index}/search", tag = "search",
    params(("index" = String, Path, description = "The name of the index", example = "news")),
    request_body(description = "What is searched for; or many, one per line", content(
        (SearchRequest = "application/json", example = json!({"text": "the storm hit the coast on Monday night and left a trail of damage in its wake", "top": 5, "passages": true})),
        (SearchRequest = "application/x-ndjson", example = "{\"like\":\"storm-1\"}\n{\"text\":\"no rain in the south\"}\n"),
    )),
    responses((status = 200, description = "The matches", body = SearchAnswer), (status = 404, description = "There is no such index or document"),
        (status = 422, description = "The threshold is below that of the index"), (status = 503, description = "Too many requests are waiting, or the search took too long")))]
pub(crate) async fn search(
    State(shared): State<Arc<Shared>>,
    _: MaySearch,
    sight: Sight,
    Path(name): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    let start = Instant::now();
    let index = shared.index(&name)?;
    let content = content(&headers)?;
    match content {
        Content::Json => {
            let mut held = Held::read(&shared, &headers, body).await?;
            let (of_job, counted) = (Arc::clone(&shared), held.bytes().len());
            let find = move || {
                let (snapshot, request) = (index.snapshot()?, held.take::<SearchRequest>()?);
                let asked = request.check()?;
                let _more = of_job.memory.beyond(counted, asked.working_bytes(&index, &snapshot)?)?;
                answer(&index, &snapshot, &asked, sight, start)
            };
            Ok(Json(shared.work.search(find).await?).into_response())
        }
        Content::Lines => {
            let held = Held::receive(&shared, &headers, body).await?;
            Ok(search_lines::answer_lines(&shared, index, held, sight))
        }
    }
}

/// Searches for one.
pub(super) fn answer(
    index: &OpenIndex,
    snapshot: &Snapshot,
    asked: &Asked,
    sight: Sight,
    start: Instant,
) -> Result<SearchAnswer, Problem> {
    let query = asked.query();
    let found = snapshot.search(query, &asked.search.options)?;
    let mut answer = SearchAnswer::of(index, snapshot, found, asked.fields, start);
    if asked.passages {
        if index.store == Store::Features {
            return Err(Problem::new(Kind::Impossible, "the index keeps no texts, so passages cannot be shown"));
        }
        if matches!(query, Query::Id(_)) {
            // If two stored documents are copies, their shared passages are the whole documents.
            sight.sees_documents()?;
        }
        let own = match query {
            Query::Text(text) | Query::Document { text, .. } => text.to_owned(),
            Query::Id(id) => snapshot.document(id)?.and_then(|document| document.text).unwrap_or_default(),
        };
        for found in &mut answer.matches {
            if start.elapsed() > LONGEST {
                return Err(Problem::new(Kind::TookTooLong, "passages take too long: ask for fewer matches"));
            }
            let text = snapshot.document(&found.id)?.and_then(|document| document.text).unwrap_or_default();
            let compared = lookalike::compare(&own, &text, index.index.scheme())?;
            let query = passages(compared.left.passages, true);
            let found_text = passages(compared.right.passages, sight == Sight::Everything);
            found.passages = Some(Passages { query, r#match: found_text });
        }
    }
    answer.seconds = start.elapsed().as_secs_f64();
    Ok(answer)
}

/// The passages of a text: all of them, or those that the other one has too.
fn passages(passages: Vec<Passage>, sees_all: bool) -> Vec<PassageAnswer> {
    passages.into_iter().filter(|passage| sees_all || passage.shared).map(PassageAnswer::from).collect()
}

impl SearchRequest {
    /// Checks a request as the command does, and also against the bounds of the service.
    pub(super) fn check(self) -> Result<Asked, Problem> {
        let mut request = lookalike::SearchRequest::default();
        request.text = self.text;
        request.id = self.id;
        request.like = self.like;
        request.threshold = self.threshold;
        request.top = self.top;
        request.max_candidates = self.max_candidates;
        let search = request.check()?;
        let most = if self.passages { MOST_WITH_PASSAGES } else { MOST_MATCHES };
        for (option, value, most) in [
            (JobOption::Top, search.options.top(), most),
            (JobOption::MaxCandidates, search.options.max_candidates(), MOST_CANDIDATES),
        ] {
            if value > most {
                return Err(Refused::out_of_range(option, value, format!("at most {most}")).into());
            }
        }
        Ok(Asked { search, passages: self.passages, fields: self.fields })
    }
}

impl Asked {
    /// The query. There is always one, since a request names no files.
    pub(super) fn query(&self) -> Query<'_> {
        self.search.query.single().unwrap_or(Query::Text(""))
    }

    /// About how much memory the search takes.
    pub(super) fn working_bytes(&self, index: &OpenIndex, snapshot: &Snapshot) -> Result<u64, Problem> {
        Ok(match self.query() {
            Query::Text(text) | Query::Document { text, .. } => index.index.working_bytes(text),
            Query::Id(id) => {
                let text = snapshot.document(id)?.and_then(|document| document.text);
                text.map_or(0, |text| index.index.working_bytes(&text))
            }
        })
    }
}

impl SearchAnswer {
    /// Answers with the matches found in a snapshot, without passages.
    pub(super) fn of(index: &OpenIndex, snapshot: &Snapshot, found: Answer, with_fields: bool, start: Instant) -> Self {
        Self {
            matches: found.hits.into_iter().map(|hit| of_hit(hit, with_fields)).collect(),
            match_count: found.match_count,
            complete: found.complete,
            candidate_count: found.candidate_count,
            compared_count: found.compared_count,
            recall: index.recall,
            version: snapshot.version(),
            seconds: start.elapsed().as_secs_f64(),
        }
    }
}

fn of_hit(hit: Hit, with_fields: bool) -> MatchAnswer {
    MatchAnswer {
        similarity: hit.similarity,
        containment_of_query: hit.containment_of_query(),
        containment_of_match: hit.containment_of_match(),
        exact_copy: hit.exact_copy,
        fields: Some(hit.fields).filter(|_| with_fields).and_then(|fields| RawValue::from_string(fields).ok()),
        id: hit.id,
        passages: None,
    }
}

/// Reads bytes that may be anything: for the fuzzer.
pub(super) fn check_body(bytes: &[u8]) {
    if let Ok(request) = body::parse::<SearchRequest>(bytes) {
        let _ = request.check();
    }
}
