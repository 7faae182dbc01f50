//! Compares two texts: every measure, and shared passages.

use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderMap;
use lookalike::{Comparison, Scheme, Side, Verdict};
use lookalike_index::Snapshot;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::search::PassageAnswer;
use crate::access::{MaySearch, Sight};
use crate::body::{Held, content};
use crate::names::shown;
use crate::problem::{Kind, Problem};
use crate::state::Shared;

/// The two documents to compare.
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

/// All measures of two documents.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ComparisonAnswer {
    /// The verdict: copies, near-duplicates or neither.
    verdict: VerdictAnswer,
    /// The measure that the threshold applies to: `jaccard` or `containment`.
    measure: &'static str,
    /// Minimum similarity of near-duplicates.
    threshold: f64,
    /// Their similarity by that measure: the number that is compared with the threshold.
    similarity: f64,
    /// Shared shingles divided by all shingles.
    jaccard: f64,
    /// The share of the left document that is contained in the right one.
    containment_of_left: f64,
    /// The share of the right document that is contained in the left one.
    containment_of_right: f64,
    /// The least number of words to insert, delete or substitute to make one of the other; null where it would take too long.
    #[schema(required)]
    word_edit_count: Option<u64>,
    /// The same in characters.
    #[schema(required)]
    character_edit_count: Option<u64>,
    /// The similarity estimated from their sketches; null for methods without slots.
    #[schema(required)]
    sketch_estimate: Option<f64>,
    /// Number of slots of a sketch.
    #[schema(required)]
    slots: Option<usize>,
    /// The share of bits in which their `SimHash` sketches agree; null if one has no shingles.
    #[schema(required)]
    simhash: Option<f64>,
    /// Number of bits in which these differ.
    #[schema(required)]
    hamming: Option<u32>,
    /// Bits per `SimHash` sketch.
    sketch_bits: u32,
    /// Probability that a pair this similar is found; null where it does not depend on the similarity.
    #[schema(required)]
    chance_to_be_found: Option<f64>,
    /// The shingle that was compared, such as `word:5`.
    shingle: String,
    /// The differences that were ignored: accents, digits, both or none.
    fold: String,
    /// Distinct shingles in both.
    shared_shingle_count: u32,
    /// The left document.
    left: SideAnswer,
    /// The right document.
    right: SideAnswer,
}

/// The relation of two documents.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum VerdictAnswer {
    /// One of them has no words, and is similar to nothing.
    NothingToCompare,
    /// Equal, up to the encoding of accents and white space at line ends.
    ExactCopies,
    /// The same words in the same order, but different punctuation, symbols, case or white space.
    SameWords,
    /// At least as similar as the threshold.
    NearDuplicates,
    /// Less similar than the threshold.
    NotNearDuplicates,
}

/// One of two compared documents.
#[derive(Debug, Serialize, ToSchema)]
struct SideAnswer {
    /// Number of tokens.
    token_count: usize,
    /// Number of characters.
    character_count: usize,
    /// Number of shingles, including repeated ones.
    shingle_count: usize,
    /// Number of distinct shingles.
    distinct_shingle_count: u32,
    /// The whole text in order, cut where sharing begins and ends.
    passages: Vec<PassageAnswer>,
}

/// Maximum size of texts to compare at once: the more they have in common, the longer it takes.
const MOST_BYTES: usize = 8 << 20;

/// Compares two texts or documents: all measures, and the passages that they share. Documents of an index need the scope `read`.
#[utoipa::path(post, path = "/v1/compare", tag = "search",
    request_body(content = CompareRequest, example = json!({"index": "news", "left": {"id": "storm-1"}, "right": {"text": "The storm hit the coast on Tuesday night and left a trail of damage in its wake."}})),
    responses(
        (status = 200, description = "All measures, and the passages of both", body = ComparisonAnswer),
        (status = 404, description = "There is no such index or document"), (status = 422, description = "The texts are too long")))]
pub(crate) async fn compare(
    State(shared): State<Arc<Shared>>,
    _: MaySearch,
    sight: Sight,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<ComparisonAnswer>, Problem> {
    content(&headers)?;
    let mut held = Held::read(&shared, &headers, body).await?;
    let (all, counted) = (Arc::clone(&shared), held.bytes().len());
    let compare = move || {
        let CompareRequest { index, left, right } = held.take()?;
        if left.id.is_some() || right.id.is_some() {
            sight.sees_documents()?;
        }
        let index = index.map(|name| all.index(&name)).transpose()?;
        let snapshot = index.as_ref().map(|index| index.snapshot()).transpose()?;
        let (left, right) = (text(left, snapshot.as_ref())?, text(right, snapshot.as_ref())?);
        if left.len() + right.len() > MOST_BYTES {
            return Err(Problem::new(Kind::NotPossible, format!("both together may have {} MiB", MOST_BYTES >> 20)));
        }
        let scheme = index.as_ref().map_or_else(Scheme::default, |index| index.index.scheme().clone());
        let _more = all.memory.beyond(counted, lookalike::comparing_bytes([&left, &right], &scheme))?;
        Ok(lookalike::compare(&left, &right, &scheme)?.into())
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

impl From<Comparison> for ComparisonAnswer {
    fn from(compared: Comparison) -> Self {
        let Comparison {
            verdict,
            measure,
            threshold,
            similarity,
            jaccard,
            containment_of_left,
            containment_of_right,
            word_edit_count,
            character_edit_count,
            sketch_estimate,
            slots,
            simhash,
            hamming,
            sketch_bits,
            chance_to_be_found,
            shingle,
            fold,
            shared_shingle_count,
            left,
            right,
            ..
        } = compared;
        Self {
            verdict: verdict.into(),
            measure,
            threshold,
            similarity,
            jaccard,
            containment_of_left,
            containment_of_right,
            word_edit_count,
            character_edit_count,
            sketch_estimate,
            slots,
            simhash,
            hamming,
            sketch_bits,
            chance_to_be_found,
            shingle,
            fold,
            shared_shingle_count,
            left: left.into(),
            right: right.into(),
        }
    }
}

impl From<Verdict> for VerdictAnswer {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::NothingToCompare => Self::NothingToCompare,
            Verdict::ExactCopies => Self::ExactCopies,
            Verdict::SameWords => Self::SameWords,
            Verdict::NearDuplicates => Self::NearDuplicates,
            Verdict::NotNearDuplicates => Self::NotNearDuplicates,
        }
    }
}

impl From<Side> for SideAnswer {
    fn from(side: Side) -> Self {
        let Side { token_count, character_count, shingle_count, distinct_shingle_count, passages, .. } = side;
        let passages = passages.into_iter().map(PassageAnswer::from).collect();
        Self { token_count, character_count, shingle_count, distinct_shingle_count, passages }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_is_the_comparison_of_the_library_byte_for_byte() {
        let texts = ["a b c d e f g h", "a b c d e f g x", "A b c d e f g h!", "", "y z"];
        for left in texts {
            for right in texts {
                let compared = lookalike::compare(left, right, &Scheme::default()).unwrap();
                let expected = serde_json::to_string(&compared).unwrap();
                assert_eq!(serde_json::to_string(&ComparisonAnswer::from(compared)).unwrap(), expected);
            }
        }
    }
}
