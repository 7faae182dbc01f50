//! Downloads of the files of a result: kept documents, removals with reasons, the summary and the report.

use std::path::Path as FilePath;
use std::sync::Arc;

use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use futures_util::stream::try_unfold;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Serialize;
use tokio::io::AsyncReadExt as _;
use utoipa::ToSchema;

use crate::access::MayRead;
use crate::extract::Path;
use crate::names::shown;
use crate::problem::{Kind, Problem};
use crate::runs::opened::unreadable;
use crate::state::Shared;

/// Files that a result has at its top.
const TOP: [&str; 4] = ["removed.jsonl", "clusters.jsonl", "summary.json", "report.html"];

/// Folder of the kept documents.
const KEPT: &str = "kept";

/// Maximum number of files of kept documents to list, and maximum depth of their folders.
const MOST: usize = 1_000;
const DEEPEST: usize = 16;

/// Bytes of a file sent at once.
const PIECE: usize = 1 << 16;

/// The files of a result.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ResultFiles {
    /// Those with the kept documents last.
    files: Vec<ResultFile>,
}

/// A file of a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct ResultFile {
    /// Its path below the folder of the result.
    pub(crate) name: String,
    /// Its size.
    pub(crate) bytes: u64,
}

/// Lists the files of a result.
#[utoipa::path(get, path = "/v1/results/{result}/files", operation_id = "list_files", tag = "results",
    params(("result" = String, Path, description = "The name of the result", example = "clean")),
    responses((status = 200, description = "Names and sizes; of the kept documents, the first 1,000 files", body = ResultFiles), (status = 404, description = "There is no such result")))]
pub(crate) async fn list(
    _may: MayRead,
    State(shared): State<Arc<Shared>>,
    Path(name): Path<String>,
) -> Result<Json<ResultFiles>, Problem> {
    let folder = shared.result(&name)?;
    let files = shared.work.search(move || Ok(files_of(&folder))).await?;
    Ok(Json(ResultFiles { files }))
}

/// Downloads a file of a result.
#[utoipa::path(get, path = "/v1/results/{result}/files/{file}", operation_id = "download_file", tag = "results",
    params(
        ("result" = String, Path, description = "The name of the result", example = "clean"),
        ("file" = String, Path, description = "The name of the file, as listed", example = "kept/news.jsonl"),
    ),
    responses((status = 200, description = "The file", body = String, content_type = "application/octet-stream"), (status = 404, description = "There is no such result or file")))]
pub(crate) async fn download(
    _may: MayRead,
    State(shared): State<Arc<Shared>>,
    Path((name, file)): Path<(String, String)>,
) -> Result<Response, Problem> {
    let folder = shared.result(&name)?;
    let wanted = file.clone();
    // Only listed files are opened, so a name cannot lead elsewhere.
    let found = shared.work.search(move || {
        let found = files_of(&folder).into_iter().find(|listed| listed.name == wanted);
        Ok(found.map(|listed| (folder.join(&listed.name), listed.bytes)))
    });
    let Some((path, bytes)) = found.await? else {
        return Err(Problem::new(Kind::NoSuchResult, format!("the result '{name}' has no file '{}'", shown(&file))));
    };
    let opened = tokio::fs::File::open(&path).await.map_err(|error| unreadable(&error))?;
    let pieces = try_unfold(opened, async |mut file| {
        let mut piece = vec![0; PIECE];
        let read = file.read(&mut piece).await?;
        piece.truncate(read);
        Ok::<_, std::io::Error>((read > 0).then(|| (Bytes::from(piece), file)))
    });
    let last = file.rsplit('/').next().unwrap_or_default();
    let name = utf8_percent_encode(last, NON_ALPHANUMERIC);
    let headers = [
        (header::CONTENT_TYPE, "application/octet-stream".to_owned()),
        (header::CONTENT_LENGTH, bytes.to_string()),
        // Never displayed as a page of this server: a report has a script.
        (header::CONTENT_DISPOSITION, format!("attachment; filename*=UTF-8''{name}")),
    ];
    Ok((headers, Body::from_stream(pieces)).into_response())
}

/// The files in the folder of a result.
pub(crate) fn files_of(folder: &FilePath) -> Vec<ResultFile> {
    let file = |name: &str| {
        let facts = folder.join(name).symlink_metadata().ok().filter(std::fs::Metadata::is_file)?;
        Some(ResultFile { name: name.to_owned(), bytes: facts.len() })
    };
    let mut kept = Vec::new();
    walk(folder, FilePath::new(KEPT), 0, &mut kept);
    TOP.iter().copied().filter_map(file).chain(kept.iter().filter_map(|name| file(name))).collect()
}

fn walk(folder: &FilePath, below: &FilePath, depth: usize, found: &mut Vec<String>) {
    let entries = std::fs::read_dir(folder.join(below)).into_iter().flatten().flatten();
    let mut entries: Vec<_> = entries.collect();
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let path = below.join(entry.file_name());
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && depth < DEEPEST => walk(folder, &path, depth + 1, found),
            Ok(kind) if kind.is_file() && found.len() < MOST => {
                found.extend(path.to_str().map(|name| name.replace(std::path::MAIN_SEPARATOR, "/")));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_a_result_are_listed_and_nothing_else_is() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("kept/b")).unwrap();
        for name in ["summary.json", "removed.jsonl", "secret.txt", "kept/a.jsonl", "kept/b/c.jsonl"] {
            std::fs::write(folder.path().join(name), name).unwrap();
        }
        #[cfg(unix)]
        std::os::unix::fs::symlink("/etc/passwd", folder.path().join("kept/link")).unwrap();
        let names: Vec<String> = files_of(folder.path()).into_iter().map(|file| file.name).collect();
        assert_eq!(names, ["removed.jsonl", "summary.json", "kept/a.jsonl", "kept/b/c.jsonl"]);
    }
}
