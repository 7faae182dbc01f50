//! Two texts: every measure, and what they share.

use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderMap;
use lookalike::{Comparison, Scheme};
use lookalike_index::Snapshot;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::body::{Held, content};
use crate::keys::MaySearch;
use crate::problem::{Kind, Problem};
use crate::state::{Shared, shown};

/// What is compared.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CompareRequest {
    /// An index: ids are of its documents, and its parameters are used. Without it both sides are texts, and a Jaccard similarity
    /// of 0.8 over runs of five words makes near-duplicates.
    index: Option<String>,
    /// The one.
    left: SideRequest,
    /// The other.
    right: SideRequest,
}

/// One of two documents: a text, or the id of a document of the index.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SideRequest {
    /// The text.
    text: Option<String>,
    /// The id.
    id: Option<String>,
}

/// The most that is compared at once: what they share takes longer the more they have in common.
const MOST_BYTES: usize = 8 << 20;

/// Compares two texts or documents: all measures, and the passages that they share.
#[utoipa::path(post, path = "/v1/compare", tag = "search",
    request_body(content = CompareRequest, example = json!({"index": "news", "left": {"id": "storm-1"}, "right": {"text": "The storm hit the coast on Tuesday night and left a trail of damage in its wake."}})),
    responses(
        (status = 200, description = "Measures and passages: `verdict`, `jaccard`, `containment_left`, `containment_right`, `edit_words`, and for `left` and `right` their `passages`", body = Object),
        (status = 404, description = "There is no such index or document"), (status = 422, description = "The texts are too long")))]
pub(crate) async fn compare(
    State(shared): State<Arc<Shared>>,
    _: MaySearch,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<Comparison>, Problem> {
    content(&headers)?;
    let held = Held::read(&shared, &headers, body).await?;
    let all = Arc::clone(&shared);
    let compare = move || {
        let CompareRequest { index, left, right } = held.parse()?;
        let index = index.map(|name| all.index(&name)).transpose()?;
        let snapshot = index.as_ref().map(|index| index.snapshot()).transpose()?;
        let (left, right) = (text(left, snapshot.as_ref())?, text(right, snapshot.as_ref())?);
        if left.len() + right.len() > MOST_BYTES {
            return Err(Problem::new(Kind::NotPossible, format!("both together may have {} MiB", MOST_BYTES >> 20)));
        }
        let scheme = index.as_ref().map_or_else(Scheme::default, |index| index.index.scheme().clone());
        Ok(lookalike::compare(&left, &right, &scheme)?)
    };
    Ok(Json(shared.work.search(compare).await?))
}

fn text(side: SideRequest, snapshot: Option<&Snapshot>) -> Result<String, Problem> {
    let id = match side {
        SideRequest { text: Some(text), id: None } => return Ok(text),
        SideRequest { text: None, id: Some(id) } => id,
        _ => return Err(Problem::new(Kind::Malformed, "give a text or an id for each side, and not both")),
    };
    let snapshot = snapshot.ok_or_else(|| Problem::new(Kind::Malformed, "an id needs the index that it is of"))?;
    let missing = || Problem::new(Kind::NoSuchDocument, format!("no document has the id '{}'", shown(&id)));
    let document = snapshot.document(&id)?.ok_or_else(missing)?;
    document.text.ok_or_else(|| Problem::new(Kind::Impossible, "the index keeps no texts, so they cannot be compared"))
}
