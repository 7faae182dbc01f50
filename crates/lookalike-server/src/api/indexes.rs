//! Creates, shows and deletes indexes.

use std::fs;
use std::sync::{Arc, PoisonError};

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use lookalike::CreateRequest;
use lookalike_index::{CreateOptions, Index, Store};
use serde::Serialize;
use utoipa::ToSchema;

use crate::access::{MayAdmin, MayRead};
use crate::body::{self, Held, content};
use crate::extract::Path;
use crate::names::{is_name, shown};
use crate::problem::{Kind, Problem};
use crate::state::{OpenIndex, Shared};

/// The part of a document that is stored.
#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
#[expect(dead_code, reason = "it describes Store to readers of the API")]
enum StoredAs {
    /// Their texts.
    Text,
    /// Hashes of their shingles, for texts that must not be kept.
    Features,
}

/// Reads how an index is to be made: the options of `lookalike index create` by name, all of which have a default.
pub(super) fn create_options(bytes: &[u8]) -> Result<CreateOptions, Problem> {
    Ok(CreateRequest::from_options(body::parse(bytes)?)?.check()?)
}

/// An index, in numbers.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct IndexAnswer {
    /// Its name.
    name: String,
    /// Documents that can be found.
    document_count: u64,
    /// Deleted or replaced documents whose bytes are still on the disk.
    deleted_count: u64,
    /// Documents that are in the log and not yet in a segment.
    in_memory_count: u64,
    /// Segments on the disk.
    segment_count: u64,
    /// Bytes of segments.
    segment_bytes: u64,
    /// Bytes of logs, which have the texts.
    log_bytes: u64,
    /// Minimum similarity of near-duplicates.
    threshold: f64,
    /// The measure of similarity.
    measure: String,
    /// The shingles that are compared.
    shingle: String,
    /// Differences that are ignored.
    fold: String,
    /// The part of a document that is stored.
    #[schema(value_type = StoredAs)]
    store: Store,
    /// The chance to find a pair exactly at the threshold.
    recall: Option<f64>,
    /// All parameters in one line.
    scheme: String,
    /// Identifies the parameters, in sixteen hexadecimal digits.
    fingerprint: String,
    /// The number of the last write.
    version: u64,
}

impl IndexAnswer {
    fn of(index: &OpenIndex) -> Result<Self, Problem> {
        let snapshot = index.snapshot()?;
        let stat = snapshot.stat();
        let scheme = index.index.scheme();
        Ok(Self {
            name: index.name.clone(),
            document_count: stat.document_count,
            deleted_count: stat.deleted_count,
            in_memory_count: stat.in_memory_count,
            segment_count: stat.segment_count,
            segment_bytes: stat.segment_bytes,
            log_bytes: stat.log_bytes,
            threshold: scheme.threshold(),
            measure: scheme.criterion().measure().to_owned(),
            shingle: scheme.shingle().to_string(),
            fold: scheme.fold().to_string(),
            store: stat.store,
            recall: stat.recall,
            scheme: stat.scheme,
            fingerprint: format!("{:016x}", scheme.fingerprint()),
            version: snapshot.version(),
        })
    }
}

/// All indexes.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct IndexList {
    /// By name.
    indexes: Vec<IndexAnswer>,
}

/// Lists all indexes.
#[utoipa::path(get, path = "/v1/indexes", operation_id = "list_indexes", tag = "indexes", responses((status = 200, description = "All indexes", body = IndexList)))]
pub(crate) async fn list(State(shared): State<Arc<Shared>>, _: MayRead) -> Result<Json<IndexList>, Problem> {
    let indexes = shared.indexes();
    let all = move || indexes.iter().map(|index| IndexAnswer::of(index)).collect::<Result<_, _>>();
    Ok(Json(IndexList { indexes: shared.work.search(all).await? }))
}

/// Describes an index: its parameters and size.
#[utoipa::path(get, path = "/v1/indexes/{index}", operation_id = "show_index", tag = "indexes",
    params(("index" = String, Path, description = "The name of the index", example = "news")),
    responses((status = 200, description = "The index", body = IndexAnswer), (status = 404, description = "There is no such index")))]
pub(crate) async fn show(
    State(shared): State<Arc<Shared>>,
    _: MayRead,
    Path(name): Path<String>,
) -> Result<Json<IndexAnswer>, Problem> {
    let index = shared.index(&name)?;
    Ok(Json(shared.work.search(move || IndexAnswer::of(&index)).await?))
}

/// Parameters of a new index: options of `lookalike index create` by name, all with a default.
#[derive(ToSchema)]
#[expect(dead_code, reason = "bodies are read by the library; this describes them, and a test compares the two")]
pub(crate) struct IndexOptions {
    /// Minimum similarity of near-duplicates: above 0, at most 1; 0.8 by default.
    threshold: Option<f64>,
    /// The runs of text that are compared: `word:K`, `char:K`, `token:K`, `stopword` or `stopword:LANGUAGES`; `word:5` by default.
    shingle: Option<String>,
    /// The purpose, which stands for settings that are given here as well: `web`, `news`, `code`, `short`, `chat` or `legal`.
    purpose: Option<String>,
    /// `words`, `code` for the tokens of source code, or `code:LANGUAGE`; `words` by default.
    tokens: Option<String>,
    /// A shingle that a text repeats counts as often as it occurs.
    count_repeats: Option<bool>,
    /// Your own stop words, for the shingle `stopword`.
    stopwords: Option<Vec<String>>,
    /// Differences to ignore: `accents`, `digits`, or `accents,digits`; in source code, `identifiers`.
    fold: Option<String>,
    /// The measure of similarity: `jaccard` by default, or `containment`.
    measure: Option<String>,
    /// The key of the sketches: 1 to 16 hexadecimal digits, or `random`.
    key: Option<String>,
    /// The method by which near-duplicates are found. Default: `minhash`.
    method: Option<String>,
    /// Miss nothing: the same as the method `exact`.
    exact: Option<bool>,
    /// minhash: probability of finding a pair exactly at the threshold; 0.99 by default.
    recall: Option<f64>,
    /// minhash, supershingle: bands per sketch.
    bands: Option<i64>,
    /// minhash, supershingle: rows per band.
    rows: Option<i64>,
    /// minhash: draw the rows of each band at random.
    rows_random: Option<bool>,
    /// minhash: number of slots that random rows are drawn from; 128 by default.
    slots: Option<i64>,
    /// minhash, supershingle: how slots are filled; `fast` by default.
    sketch: Option<String>,
    /// minhash, supershingle: number of bands in which candidates agree.
    agree: Option<i64>,
    /// simhash: number of bits in which near-duplicates may differ; 3 by default.
    bits: Option<i64>,
    /// simhash: bits per sketch, 64 or 128.
    sketch_bits: Option<i64>,
    /// simhash: the weight of a shingle; `count` by default.
    shingle_weights: Option<String>,
    /// simhash: how sketches are looked up; `blocks` by default.
    tables: Option<String>,
    /// simhash: keep only pairs that reach the threshold, measured exactly.
    verify: Option<bool>,
    /// copies: what exact copies share; no index is made with it.
    checksum: Option<String>,
    /// The part of a document that is stored: `text` (default) or `features`.
    store: Option<String>,
}

/// Creates an index; without a body, with default parameters. An existing index with the same parameters is left as it is.
#[utoipa::path(put, path = "/v1/indexes/{index}", operation_id = "create_index", tag = "indexes",
    params(("index" = String, Path, description = "The name of the index", example = "news")),
    request_body(content = IndexOptions, description = "Options of `lookalike index create` by name; all have a default", example = json!({"threshold": 0.8, "shingle": "word:5"})),
    responses(
        (status = 201, description = "The index was created", body = IndexAnswer),
        (status = 200, description = "The index exists with these parameters", body = IndexAnswer),
        (status = 409, description = "The index exists with other parameters"),
        (status = 422, description = "A parameter is invalid"),
    ))]
pub(crate) async fn create(
    State(shared): State<Arc<Shared>>,
    _: MayAdmin,
    Path(name): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Result<(StatusCode, Json<IndexAnswer>), Problem> {
    let held = Held::read(&shared, &headers, body).await?;
    if !is_name(&name) {
        let detail = "a name has up to 64 letters, digits, dots, hyphens and underscores, and no dot first";
        return Err(Problem::new(Kind::NotPossible, detail));
    }
    let options = if held.is_empty() {
        CreateOptions::default()
    } else {
        content(&headers)?;
        create_options(held.bytes())?
    };
    let make = Arc::clone(&shared);
    let (status, index) = shared.work.write(move || make_index(&make, &name, &options)).await?;
    Ok((status, Json(shared.work.search(move || IndexAnswer::of(&index)).await?)))
}

/// Makes an index, unless there is one with the same parameters.
///
/// # Errors
///
/// If there is one with other parameters, the server has no folder for it, or the disk refuses.
pub(crate) fn make_index(
    shared: &Shared,
    name: &str,
    options: &CreateOptions,
) -> Result<(StatusCode, Arc<OpenIndex>), Problem> {
    let _one_at_a_time = shared.arranging.lock().unwrap_or_else(PoisonError::into_inner);
    match shared.index(name) {
        Ok(index) => {
            let (found, asked) = (index.index.scheme().to_string(), options.scheme.to_string());
            let store = index.store;
            if found == asked && store == options.store {
                return Ok((StatusCode::OK, index));
            }
            let in_words = |scheme: &str, store: Store| match store {
                Store::Text => scheme.to_owned(),
                Store::Features => format!("{scheme}, without texts"),
            };
            let (found, asked) = (in_words(&found, store), in_words(&asked, options.store));
            let detail = format!("the index '{name}' has {found}, and {asked} was asked for");
            Err(Problem::new(Kind::OtherParameters, detail).with("found", found).with("asked", asked))
        }
        Err(problem) if problem.kind() == Kind::NoSuchIndex => {
            let Some(root) = &shared.root else {
                let detail = "this server has no folder for new indexes: start it with a folder of indexes";
                return Err(Problem::new(Kind::Impossible, detail));
            };
            let path = root.join(name);
            let index = OpenIndex::of(name, &path, Index::create(&path, options)?, shared)?;
            Ok((StatusCode::CREATED, shared.add(index)))
        }
        Err(problem) => Err(problem),
    }
}

/// Deletes an index with all its documents.
#[utoipa::path(delete, path = "/v1/indexes/{index}", operation_id = "delete_index", tag = "indexes",
    params(("index" = String, Path, description = "The name of the index", example = "news")),
    responses((status = 204, description = "Deleted"), (status = 404, description = "There is no such index"), (status = 409, description = "A task of the index is running")))]
pub(crate) async fn delete(
    State(shared): State<Arc<Shared>>,
    _: MayAdmin,
    Path(name): Path<String>,
) -> Result<StatusCode, Problem> {
    let gone = Arc::clone(&shared);
    shared.work.write(move || delete_index(&gone, &name)).await?;
    Ok(StatusCode::NO_CONTENT)
}

fn delete_index(shared: &Shared, name: &str) -> Result<(), Problem> {
    let _one_at_a_time = shared.arranging.lock().unwrap_or_else(PoisonError::into_inner);
    let index = shared.index(name)?;
    shared.tasks.none_of(name)?;
    shared.remove(name);
    let refused = |error: std::io::Error| {
        let detail =
            format!("the index '{}' is served no more, but not all of its files are gone: {error}", shown(name));
        Problem::new(Kind::Unreadable, detail)
    };
    // Later writes find no writer; writes that fail here are no longer wanted.
    let _ = index.close();
    // First the file without which it is not an index, so that a half-deleted index is never opened.
    fs::remove_file(index.path.join("index.json")).map_err(refused)?;
    fs::remove_dir_all(&index.path).map_err(refused)
}

#[cfg(test)]
mod tests {
    use lookalike::Scheme;

    use super::*;

    #[test]
    fn all_options_of_an_index_are_described() {
        let description: serde_json::Value = serde_json::from_str(crate::openapi()).unwrap();
        let described = description["components"]["schemas"]["IndexOptions"]["properties"].as_object().unwrap();
        let known = serde_json::to_value(CreateRequest::default()).unwrap();
        let names = |object: &serde_json::Map<String, serde_json::Value>| object.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(described), names(known.as_object().unwrap()));
    }

    #[test]
    fn the_usual_parameters_are_those_of_the_command() {
        assert_eq!(create_options(b"{}").unwrap().scheme.to_string(), Scheme::default().to_string());
        let scheme = create_options(br#"{"measure":"containment","fold":"digits"}"#).unwrap().scheme;
        assert_eq!((scheme.criterion().measure(), scheme.fold().to_string()), ("containment", "digits".to_owned()));
        let scheme = create_options(br#"{"bands":25,"rows":6,"key":"5eed"}"#).unwrap().scheme;
        assert!(scheme.to_string().contains("bands=25 rows=6 key=#"), "{scheme}");
    }

    #[test]
    fn impossible_and_unknown_parameters_are_refused() {
        for wrong in [
            r#"{"threshold":0}"#,
            r#"{"threshold":"high"}"#,
            r#"{"shingle":"word:0"}"#,
            r#"{"recall":2}"#,
            r#"{"treshold":0.8}"#,
            r#"{"method":"copies"}"#,
        ] {
            assert_eq!(create_options(wrong.as_bytes()).unwrap_err().kind(), Kind::NotPossible, "{wrong}");
        }
    }
}
