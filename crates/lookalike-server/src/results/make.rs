//! Runs that are made here: a file is sent, deduplicated beside all requests, and served as a result.

use std::sync::{Arc, PoisonError};

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderName, StatusCode, header};
use serde_json::{Map, Value, json};
use tempfile::TempDir;

use crate::access::MayWrite;
use crate::extract::Path;
use crate::form::{Fields, Form, Takes};
use crate::names::shown;
use crate::problem::{Kind, Problem};
use crate::runs::example;
use crate::runs::store::NewResult;
use crate::state::Shared;
use crate::tasks::{Seen, Task};

/// Options of `dedup` that a form may have. None of them is a path of this machine.
const WORDS: [&str; 13] = [
    "text",
    "html_field",
    "id",
    "extract",
    "split",
    "delimiter",
    "shingle",
    "fold",
    "measure",
    "method",
    "keep",
    "group",
    "source",
];
const NUMBERS: [&str; 4] = ["threshold", "recall", "bands", "rows"];
const FLAGS: [&str; 2] = ["exact", "no_header"];

/// Fields of a form that are no options.
const OTHERS: [&str; 1] = ["name"];

/// Removes near-duplicates from a file that is sent, and serves what comes of it as a result. It is a task that can be asked about.
#[utoipa::path(post, path = "/v1/results", operation_id = "make_result", tag = "results",
    request_body(content = Object, content_type = "multipart/form-data", description = "The file, as `file`; the name of the result, as `name`; and options of `lookalike dedup` by name, such as text, id, threshold, measure, keep and source. For example `curl -F file=@news.jsonl -F threshold=0.7`"),
    responses((status = 202, description = "The task has begun; `makes` is the name of the result", body = Task), (status = 400, description = "A field is unknown, or there is no file"), (status = 409, description = "There is a result of this name"), (status = 413, description = "The file is too large"), (status = 422, description = "An option is impossible"), (status = 503, description = "Too many files are being deduplicated"), (status = 507, description = "The results of this server take all the room that they have")))]
pub(crate) async fn make(
    _may: MayWrite,
    State(shared): State<Arc<Shared>>,
    form: Form,
) -> Result<(StatusCode, [(HeaderName, String); 1], Json<Task>), Problem> {
    let task = start(&shared, form).await?;
    Ok((StatusCode::ACCEPTED, [(header::LOCATION, format!("/v1/tasks/{}", task.id))], Json(task)))
}

/// Deletes a result that was made here, with the file that was sent for it; a run that is under way is stopped.
#[utoipa::path(delete, path = "/v1/results/{result}", operation_id = "delete_result", tag = "results",
    params(("result" = String, Path, description = "The name of the result", example = "clean")),
    responses((status = 204, description = "It is gone"), (status = 404, description = "There is no such result"), (status = 409, description = "It was not made by this server")))]
pub(crate) async fn delete(
    _may: MayWrite,
    State(shared): State<Arc<Shared>>,
    Path(name): Path<String>,
) -> Result<StatusCode, Problem> {
    let of_job = Arc::clone(&shared);
    shared.work.write(move || remove(&of_job, &name)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Deletes a result, stops the run that makes it, or forgets that it failed.
///
/// # Errors
///
/// When there is none of them, or it was not made here.
pub(crate) fn remove(shared: &Shared, name: &str) -> Result<(), Problem> {
    if shared.tasks.stop_run(name) {
        return Ok(());
    }
    let has_failed = shared.tasks.making(name).is_some();
    match shared.results.delete(name) {
        Err(problem) if problem.kind() == Kind::NoSuchResult && has_failed => {}
        deleted => deleted?,
    }
    shared.opened.forget(name);
    shared.tasks.forget(name);
    Ok(())
}

/// Reads a form with a file, and begins to deduplicate it.
///
/// # Errors
///
/// When the form or an option is wrong, or there is no room.
pub(crate) async fn start(shared: &Arc<Shared>, form: Form) -> Result<Task, Problem> {
    let of_job = Arc::clone(shared);
    let (folder, room) = shared.work.write(move || of_job.results.room()).await?;
    let most = room.min(shared.limits.stream_bytes);
    let mut fields = Fields::read_in(form, Takes::Documents, shared, Some(folder), most).await?;
    let options = options(&fields)?;
    let file = fields.file.take().ok_or_else(|| Problem::new(Kind::Malformed, "choose a file to deduplicate"))?;
    let given = fields.given("name").map(str::to_owned);
    let name = given.clone().unwrap_or_else(|| name_of(&file.path));
    begin(shared, name, given.is_some(), file.into_folder(), options).await
}

/// Begins to deduplicate the example.
///
/// # Errors
///
/// When there is no room.
pub(crate) async fn start_example(shared: &Arc<Shared>) -> Result<Task, Problem> {
    let of_job = Arc::clone(shared);
    let folder = shared.work.write(move || {
        let (folder, _) = of_job.results.room()?;
        let refused = |error: std::io::Error| Problem::logged(Kind::Internal, &error);
        example::write_to(folder.path()).map_err(refused)?;
        Ok(folder)
    });
    let options = json!({"id": example::ID}).as_object().cloned().unwrap_or_default();
    begin(shared, example::NAME.to_owned(), false, folder.await?, options).await
}

async fn begin(
    shared: &Arc<Shared>,
    name: String,
    must_be: bool,
    sent: TempDir,
    options: Map<String, Value>,
) -> Result<Task, Problem> {
    let of_job = Arc::clone(shared);
    let begun = move || {
        let made = of_job.results.begin(&name, must_be, sent, &options)?;
        of_job.tasks.forget(&made.name);
        let (of_run, of_task) = (Arc::clone(&of_job), made.clone());
        let run = move |seen: &Seen| {
            let done = deduplicate(&of_run, &of_task, &options, seen);
            match &done {
                Ok(_) => of_run.results.add(&of_task),
                Err(_) => of_task.abandon(),
            }
            done
        };
        // One is under way, and the others wait.
        let most = 1 + of_job.limits.runs_waiting;
        of_job.tasks.start_run(&made.name, most, run).inspect_err(|_| made.abandon())
    };
    shared.work.write(begun).await
}

fn deduplicate(shared: &Shared, made: &NewResult, options: &Map<String, Value>, seen: &Seen) -> Result<Value, Problem> {
    let _one_at_a_time = shared.making.lock().unwrap_or_else(PoisonError::into_inner);
    let limits = &shared.limits;
    // Half of the machine, so that searches go on.
    let threads = std::thread::available_parallelism().map_or(1, |cores| usize::from(cores).div_ceil(2));
    let request =
        made.request(options)?.memory(limits.run_bytes()).max_input(limits.input_bytes).threads(threads as i64);
    let options = request.check()?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(options.resources().threads()).build();
    let pool = pool.map_err(|error| Problem::logged(Kind::Internal, &error))?;
    let summary = pool.install(|| lookalike::dedup(&options, seen));
    // Whoever sent the file does not know where it is on this machine.
    let summary = summary.map_err(|error| Problem::new(Kind::NotPossible, made.without_folder(&error.to_string())))?;
    Ok(json!({
        "document_count": summary.input.document_count, "removed_count": summary.found.removed_count,
        "kept_count": summary.found.kept_count, "skipped_count": summary.input.skipped_count,
    }))
}

/// Options of `dedup` by name, from the fields of a form. A field that was left empty is not given.
fn options(fields: &Fields) -> Result<Map<String, Value>, Problem> {
    let mut options = Map::new();
    for (name, text) in fields.texts() {
        let text = text.trim();
        let value = match name {
            _ if text.is_empty() => continue,
            name if OTHERS.contains(&name) => continue,
            name if WORDS.contains(&name) => Value::from(text),
            // What is not a number is refused with the name of the option.
            name if NUMBERS.contains(&name) => serde_json::from_str(text).unwrap_or_else(|_| Value::from(text)),
            name if FLAGS.contains(&name) => Value::from(text == "true"),
            name => {
                let detail = format!("the form has an unknown field '{}'", shown(name));
                return Err(Problem::new(Kind::Malformed, detail));
            }
        };
        options.insert(name.to_owned(), value);
    }
    Ok(options)
}

/// A name for the result of a file.
fn name_of(file: &std::path::Path) -> String {
    let name = file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let stem = name.split('.').next().unwrap_or_default();
    let plain = |letter: char| if letter.is_ascii_alphanumeric() || "-_".contains(letter) { letter } else { '-' };
    let plain: String = stem.chars().take(58).map(plain).collect();
    if plain.trim_matches('-').is_empty() { "file".to_owned() } else { plain }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_named_by_its_file() {
        let named = |file: &str| name_of(std::path::Path::new(file));
        assert_eq!(named("/tmp/x/news 2024.jsonl.gz"), "news-2024");
        assert_eq!([named("/tmp/été.csv"), named("/tmp/日本.csv"), named("/")], ["-t-", "file", "file"]);
        assert!(crate::names::is_name(&named(&"x".repeat(300))));
    }
}
