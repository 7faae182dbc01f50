//! Maintenance of an index: compact, copy, verify. Each is a task whose progress can be queried.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use crate::access::{MayAdmin, MayRead};
use crate::body::{Held, content};
use crate::extract::Path;
use crate::names::is_name;
use crate::problem::{Kind, Problem, without_folder};
use crate::state::{OpenIndex, Shared};
use crate::tasks::{Task, TaskKind};

/// A task that was begun, and where to ask about it.
type Begun = (StatusCode, [(HeaderName, String); 1], Json<Task>);

fn begun(task: Task) -> Begun {
    (StatusCode::ACCEPTED, [(header::LOCATION, format!("/v1/tasks/{}", task.id))], Json(task))
}

/// A body that may be left out.
async fn optional<T: Default + DeserializeOwned>(
    shared: &Shared,
    headers: &HeaderMap,
    body: Body,
) -> Result<T, Problem> {
    let held = Held::read(shared, headers, body).await?;
    if held.is_empty() {
        return Ok(T::default());
    }
    content(headers)?;
    held.parse()
}

/// Options of a compaction.
#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct CompactRequest {
    /// True to remove every byte of deleted documents.
    purge: bool,
}

/// Merges segments and frees space. Searches continue; writes wait.
#[utoipa::path(post, path = "/v1/indexes/{index}/compact", operation_id = "compact_index", tag = "tasks",
    params(("index" = String, Path, description = "The name of the index", example = "news")),
    request_body(content = CompactRequest, example = json!({"purge": true})),
    responses((status = 202, description = "The task was started", body = Task), (status = 409, description = "Another task of the index is running")))]
pub(crate) async fn compact(
    State(shared): State<Arc<Shared>>,
    _: MayAdmin,
    Path(name): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Result<Begun, Problem> {
    let index = shared.index(&name)?;
    let CompactRequest { purge } = optional(&shared, &headers, body).await?;
    let job = move || {
        index.with_writer(|writer| writer.compact(purge))?;
        let stat = index.snapshot()?.stat();
        Ok(json!({
            "document_count": stat.document_count, "deleted_count": stat.deleted_count, "segment_count": stat.segment_count,
            "segment_bytes": stat.segment_bytes, "log_bytes": stat.log_bytes,
        }))
    };
    Ok(begun(shared.tasks.start(TaskKind::Compact, &name, job)?))
}

/// The name of a copy of an index.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct SnapshotRequest {
    /// The name of the folder to make; without it, the index and the time.
    name: Option<String>,
}

/// Copies the current state of the index to the folder for snapshots, with hard links where possible. Writes continue.
#[utoipa::path(post, path = "/v1/indexes/{index}/snapshots", operation_id = "copy_index", tag = "tasks",
    params(("index" = String, Path, description = "The name of the index", example = "news")),
    request_body(content = SnapshotRequest, example = json!({"name": "news-before-the-change"})),
    responses((status = 202, description = "The task was started", body = Task), (status = 409, description = "The server has no folder for snapshots, or another task is running")))]
pub(crate) async fn snapshot(
    State(shared): State<Arc<Shared>>,
    _: MayAdmin,
    Path(name): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Result<Begun, Problem> {
    let index = shared.index(&name)?;
    let request: SnapshotRequest = optional(&shared, &headers, body).await?;
    let Some(folder) = &shared.snapshots else {
        return Err(Problem::new(Kind::Impossible, "this server was started without a folder for copies"));
    };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let copy = request.name.unwrap_or_else(|| format!("{:.48}-{now}", index.name));
    if !is_name(&copy) {
        let detail = "a name has up to 64 letters, digits, dots, hyphens and underscores, and no dot first";
        return Err(Problem::new(Kind::NotPossible, detail));
    }
    let destination = folder.join(&copy);
    let job = move || {
        lookalike_index::snapshot_to(&index.path, &destination)?;
        Ok(json!({ "name": copy }))
    };
    Ok(begun(shared.tasks.start(TaskKind::Snapshot, &name, job)?))
}

/// Checks every byte of the index.
#[utoipa::path(post, path = "/v1/indexes/{index}/verify", operation_id = "verify_index", tag = "tasks",
    params(("index" = String, Path, description = "The name of the index", example = "news")),
    responses((status = 202, description = "The task was started", body = Task), (status = 409, description = "Another task of the index is running")))]
pub(crate) async fn verify(
    State(shared): State<Arc<Shared>>,
    _: MayAdmin,
    Path(name): Path<String>,
) -> Result<Begun, Problem> {
    let index = shared.index(&name)?;
    let job = move || verified(&index);
    Ok(begun(shared.tasks.start(TaskKind::Verify, &name, job)?))
}

/// Maximum number of attempts: a check starts over if segments were merged while it was running.
const ATTEMPTS: usize = 10;

fn verified(index: &OpenIndex) -> Result<serde_json::Value, Problem> {
    let manifest = || index.snapshot().map(|snapshot| snapshot.stat().manifest);
    for _ in 0..ATTEMPTS {
        let before = manifest()?;
        let found = lookalike_index::verify(&index.path, false)?;
        // Files that were removed during the check were not damaged.
        if found.problems.is_empty() || manifest()? == before {
            let without_folder = |problem: &lookalike_index::Problem| json!({ "file": problem.file, "message": without_folder(&problem.message, &index.path) });
            let problems: Vec<_> = found.problems.iter().map(without_folder).collect();
            return Ok(json!({
                "document_count": found.document_count, "checked_bytes": found.checked_bytes, "problems": problems,
            }));
        }
    }
    Err(Problem::new(Kind::Busy, "the index changes too fast to be verified: try again when less is written"))
}

/// All tasks.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TaskList {
    /// The newest first.
    tasks: Vec<Task>,
}

/// Lists the last 100 tasks.
#[utoipa::path(get, path = "/v1/tasks", operation_id = "list_tasks", tag = "tasks", responses((status = 200, description = "The tasks", body = TaskList)))]
pub(crate) async fn tasks(State(shared): State<Arc<Shared>>, _: MayRead) -> Json<TaskList> {
    Json(TaskList { tasks: shared.tasks.all() })
}

/// Returns the state of a task.
#[utoipa::path(get, path = "/v1/tasks/{task}", operation_id = "show_task", tag = "tasks",
    params(("task" = u64, Path, description = "The number of the task", example = 1)),
    responses((status = 200, description = "The task", body = Task), (status = 404, description = "There is no such task")))]
pub(crate) async fn task(
    State(shared): State<Arc<Shared>>,
    _: MayRead,
    Path(id): Path<u64>,
) -> Result<Json<Task>, Problem> {
    Ok(Json(shared.tasks.task(id)?))
}
