//! Runs that are started here: an uploaded file is deduplicated in the background, and served as a result.

use std::sync::{Arc, PoisonError};

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderName, StatusCode, header};
use lookalike::{JobOption, Refused};
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
const WORDS: [&str; 23] = [
    "text",
    "html_field",
    "id",
    "extract",
    "split",
    "delimiter",
    "shingle",
    "tokens",
    "purpose",
    "fold",
    "measure",
    "key",
    "method",
    "sketch",
    "shingle_weights",
    "tables",
    "checksum",
    "keep",
    "within",
    "different_numbers",
    "group",
    "source",
    "report_texts",
];
const NUMBERS: [&str; 9] =
    ["threshold", "recall", "bands", "rows", "slots", "agree", "bits", "sketch_bits", "fail_if_source_loses"];
const FLAGS: [&str; 9] =
    ["alt", "count_repeats", "each_field", "exact", "links", "no_header", "no_report", "rows_random", "verify"];
/// Words that are separated by commas.
const LISTS: [&str; 1] = ["stopwords"];

/// Fields of a form that are no options.
const OTHERS: [&str; 1] = ["name"];

/// Removes near-duplicates from an uploaded file, and serves the outcome as a result. The response is a task whose progress can be queried.
#[utoipa::path(post, path = "/v1/results", operation_id = "make_result", tag = "results",
    request_body(content = Object, content_type = "multipart/form-data", description = "The file, as `file`; the name of the result, as `name`; and options of `lookalike dedup` by name, such as text, id, threshold, measure, keep and source. For example `curl -F file=@news.jsonl -F threshold=0.7`"),
    responses((status = 202, description = "The task was started; `makes` is the name of the result", body = Task), (status = 400, description = "There is no file"), (status = 409, description = "A result with this name exists"), (status = 413, description = "The file is too large"), (status = 422, description = "An option is unknown or invalid"), (status = 503, description = "Too many files are being deduplicated"), (status = 507, description = "The results of this server have reached their limit on disk")))]
pub(crate) async fn make(
    _may: MayWrite,
    State(shared): State<Arc<Shared>>,
    form: Form,
) -> Result<(StatusCode, [(HeaderName, String); 1], Json<Task>), Problem> {
    let task = start(&shared, form).await?;
    Ok((StatusCode::ACCEPTED, [(header::LOCATION, format!("/v1/tasks/{}", task.id))], Json(task)))
}

/// Deletes a result that was created by this server, with its uploaded file; a run in progress is stopped.
#[utoipa::path(delete, path = "/v1/results/{result}", operation_id = "delete_result", tag = "results",
    params(("result" = String, Path, description = "The name of the result", example = "clean")),
    responses((status = 204, description = "Deleted"), (status = 404, description = "There is no such result"), (status = 409, description = "It was not created by this server")))]
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
/// If there is no such result, or it was not created here.
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
/// If the form or an option is invalid, or there is no room.
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
/// If there is no room.
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
        // One is running, and the others wait.
        let most = 1 + of_job.limits.runs_waiting;
        of_job.tasks.start_run(&made.name, most, run).inspect_err(|_| made.abandon())
    };
    shared.work.write(begun).await
}

fn deduplicate(shared: &Shared, made: &NewResult, options: &Map<String, Value>, seen: &Seen) -> Result<Value, Problem> {
    let _one_at_a_time = shared.making.lock().unwrap_or_else(PoisonError::into_inner);
    let limits = &shared.limits;
    // Half of the cores, so that searches are not delayed.
    let threads = std::thread::available_parallelism().map_or(1, |cores| usize::from(cores).div_ceil(2));
    let request =
        made.request(options)?.memory(limits.run_bytes()).max_input(limits.input_bytes).threads(threads as i64);
    let options = request.check()?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(options.resources().threads()).build();
    let pool = pool.map_err(|error| Problem::logged(Kind::Internal, &error))?;
    let summary = pool.install(|| lookalike::dedup(&options, seen));
    // Clients must not see where their file is on this machine.
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
            name if LISTS.contains(&name) => text.split(',').map(str::trim).collect(),
            name if name == JobOption::IgnoreBoilerplate.name() => boilerplate(text)?,
            // Anything that is not a number, or neither true nor false, is rejected with the name of the option.
            name if NUMBERS.contains(&name) => serde_json::from_str(text).unwrap_or_else(|_| Value::from(text)),
            name if FLAGS.contains(&name) => match text {
                "true" | "false" => Value::from(text == "true"),
                other => Value::from(other),
            },
            name => {
                let known = [&WORDS[..], &NUMBERS, &FLAGS, &LISTS].concat().into_iter().filter_map(JobOption::of_name);
                let known = known.chain([JobOption::IgnoreBoilerplate]);
                return Err(Refused::unknown_option(&shown(name), known).into());
            }
        };
        options.insert(name.to_owned(), value);
    }
    Ok(options)
}

/// The boilerplate to ignore. A table is not accepted, since it would be a file of the server.
fn boilerplate(text: &str) -> Result<Value, Problem> {
    let is_possible = |value: &Value| value.is_boolean() || value.is_number();
    let value = serde_json::from_str(text).ok().filter(is_possible);
    value.ok_or_else(|| {
        Refused::unknown_word(JobOption::IgnoreBoilerplate, shown(text), "true, or a share of pages such as 0.3").into()
    })
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
    use lookalike::DedupRequest;

    use super::*;

    #[test]
    fn a_result_is_named_by_its_file() {
        let named = |file: &str| name_of(std::path::Path::new(file));
        assert_eq!(named("/tmp/x/news 2024.jsonl.gz"), "news-2024");
        assert_eq!([named("/tmp/été.csv"), named("/tmp/日本.csv"), named("/")], ["-t-", "file", "file"]);
        assert!(crate::names::is_name(&named(&"x".repeat(300))));
    }

    /// Options of `dedup` that a form does not take, with the reason.
    const NOT_TAKEN: [(&str, &[&str]); 4] = [
        ("they name files of the server", &["inputs", "against", "against_index", "work", "exclude"]),
        ("they need one of those", &["only_against", "add_kept", "resume", "force"]),
        (
            "the service decides where a result is stored, and in which form",
            &["output", "removed", "report", "dry_run", "annotate"],
        ),
        ("the service has limits of its own", &["threads", "memory", "max_record", "max_input"]),
    ];

    #[test]
    fn every_option_of_dedup_is_taken_or_has_a_reason_not_to_be() {
        let Ok(Value::Object(all)) = serde_json::to_value(DedupRequest::default()) else { panic!("it has fields") };
        let boilerplate = [JobOption::IgnoreBoilerplate.name()];
        let taken = [&WORDS[..], &NUMBERS, &FLAGS, &LISTS, &boilerplate].concat();
        let not_taken = NOT_TAKEN.iter().flat_map(|(_, options)| *options).copied();
        let mut listed: Vec<&str> = taken.into_iter().chain(not_taken).collect();
        let mut options: Vec<&str> = all.keys().map(String::as_str).collect();
        listed.sort_unstable();
        options.sort_unstable();
        assert_eq!(listed, options);
    }
}
