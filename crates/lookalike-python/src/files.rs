//! Files to files, as the command does it: the same bytes.

use std::path::{Path, PathBuf};

use lookalike::core::decision::Scope;
use lookalike::io::read::{Fields, Settings, Split};
use lookalike::io::web::Extract;
use lookalike::io::write::OutputFile;
use lookalike::{Against, DedupOptions, Output, PairsOptions, Progress, ReadOptions, ReportTexts, RowFormat, SourceBy};
use pyo3::prelude::*;
use serde::Deserialize;
use serde_json::json;

use crate::dedup::DedupRequest;
use crate::error;
use crate::pairs::PairsRequest;
use crate::settings::{Resources, parse, unknown};

/// What is read, and how.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReadRequest {
    pub(crate) inputs: Vec<PathBuf>,
    pub(crate) text: String,
    #[serde(default)]
    pub(crate) id: Option<String>,
    #[serde(default)]
    pub(crate) source: Option<String>,
    #[serde(default)]
    pub(crate) extract: Option<String>,
    #[serde(default)]
    pub(crate) split: Option<String>,
    #[serde(default)]
    pub(crate) delimiter: Option<String>,
    #[serde(default = "yes")]
    pub(crate) header: bool,
}

fn yes() -> bool {
    true
}

impl ReadRequest {
    pub(crate) fn options(&self, py: Python<'_>, value: Option<&str>, resources: &Resources) -> PyResult<ReadOptions> {
        let settings = Settings {
            fields: Fields {
                text: self.text.clone(),
                id: self.id.clone(),
                source: self.source_by().1,
                value: value.map(str::to_owned),
                others: Vec::new(),
            },
            split: match self.split.as_deref() {
                None | Some("file") => Split::File,
                Some("paragraph") => Split::Paragraph,
                Some("line") => Split::Line,
                Some(other) => return Err(unknown(py, "split", other, "'file', 'paragraph' or 'line'")),
            },
            extract: match self.extract.as_deref() {
                None | Some("text") => Extract::Text,
                Some("article") => Extract::Article,
                Some(other) => return Err(unknown(py, "extract", other, "'text' or 'article'")),
            },
            delimiter: match self.delimiter.as_deref().map(str::as_bytes) {
                None => None,
                Some(b"tab" | b"\t") => Some(b'\t'),
                Some([byte]) if byte.is_ascii() && !matches!(byte, b'"' | b'\n' | b'\r') => Some(*byte),
                Some(_) => {
                    return Err(error::option(py, "delimiter", "delimiter= takes one ASCII character, or \"tab\""));
                }
            },
            has_header: self.header,
            longest: resources.longest(py)?,
            ..Settings::default()
        };
        Ok(ReadOptions { settings, ..ReadOptions::new(self.inputs.clone()) })
    }

    fn source_by(&self) -> (SourceBy, Option<String>) {
        match self.source.as_deref() {
            None => (SourceBy::HostOrFile, None),
            Some("host") => (SourceBy::Host, None),
            Some("file") => (SourceBy::File, None),
            Some(field) => (SourceBy::Field, Some(field.strip_prefix("field:").unwrap_or(field).to_owned())),
        }
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct DedupFilesRequest {
    read: ReadRequest,
    dedup: DedupRequest,
    output: PathBuf,
    #[serde(default)]
    against: Vec<PathBuf>,
    /// `kept`, `annotated` or `none`.
    write: String,
    /// `none`, `excerpt` or `full`; without it there is no report.
    #[serde(default)]
    report: Option<String>,
}

/// Removes near-duplicates from files, and writes what the command writes. Returns the summary as JSON.
#[pyfunction]
#[pyo3(signature = (request, progress=None))]
pub(crate) fn dedup_files(py: Python<'_>, request: &str, progress: Option<Py<PyAny>>) -> PyResult<String> {
    let request: DedupFilesRequest = parse(py, request)?;
    let resources = &request.dedup.resources;
    let runner = resources.runner(py, progress)?;
    let mut options = DedupOptions::new(Vec::<PathBuf>::new()).to_folder(&request.output);
    request.dedup.apply(py, &mut options)?;
    options.read = request.read.options(py, options.keep.field(), resources)?;
    options.read.settings.limit =
        options.read.settings.limit.with_window_log(runner.memory.window_log(runner.thread_count()));
    options.source = request.read.source_by().0;
    options.memory = runner.memory;
    options.work = resources.work();
    options.force = resources.force;
    if !request.against.is_empty() {
        let scope = if request.dedup.only_against { Scope::References } else { Scope::Everything };
        options.against = Some(Against { references: request.against.clone(), scope });
    }
    options.output = match &*request.write {
        "kept" => Output::Kept,
        "annotated" => Output::Annotated,
        "none" => Output::DryRun,
        other => return Err(unknown(py, "write", other, "'kept', 'annotated' or 'none'")),
    };
    options.report = match request.report.as_deref() {
        None => None,
        Some("none") => Some(ReportTexts::None),
        Some("excerpt") => Some(ReportTexts::Excerpt),
        Some("full") => Some(ReportTexts::Full),
        Some(other) => return Err(unknown(py, "report", other, "'none', 'excerpt' or 'full'")),
    };
    let summary = runner.run(py, |progress| lookalike::dedup(&options, progress))?;
    Ok(serde_json::to_string(&summary).expect("keys are strings"))
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PairsFilesRequest {
    read: ReadRequest,
    pairs: PairsRequest,
    output: PathBuf,
    #[serde(default)]
    against: Vec<PathBuf>,
    format: String,
}

/// Writes all pairs of files to a file, and returns a report as JSON.
#[pyfunction]
#[pyo3(signature = (request, progress=None))]
pub(crate) fn pairs_files(py: Python<'_>, request: &str, progress: Option<Py<PyAny>>) -> PyResult<String> {
    let request: PairsFilesRequest = parse(py, request)?;
    let resources = &request.pairs.resources;
    let runner = resources.runner(py, progress)?;
    let mut options = PairsOptions::new(Vec::<PathBuf>::new());
    request.pairs.apply(py, &mut options)?;
    options.read = request.read.options(py, None, resources)?;
    options.read.settings.limit =
        options.read.settings.limit.with_window_log(runner.memory.window_log(runner.thread_count()));
    options.selection.references.clone_from(&request.against);
    options.format = row_format(py, &request.format)?;
    options.output = Some(request.output.clone());
    options.memory = runner.memory;
    options.work = resources.work();
    let report = runner.run(py, |progress| {
        to_file(&request.output, resources.force, progress, |writer| lookalike::pairs(&options, writer, progress))
    })?;
    Ok(json!({ "input": report.input, "found": report.found, "pairs": report.pairs, "stages": report.stages })
        .to_string())
}

/// How rows are written.
pub(crate) fn row_format(py: Python<'_>, format: &str) -> PyResult<RowFormat> {
    match format {
        "jsonl" => Ok(RowFormat::Jsonl),
        "tsv" => Ok(RowFormat::Tsv),
        "csv" => Ok(RowFormat::Csv),
        other => Err(unknown(py, "format", other, "'jsonl', 'tsv' or 'csv'")),
    }
}

/// Writes rows to a file that is complete or absent.
fn to_file<T>(
    path: &Path,
    force: bool,
    progress: &dyn Progress,
    write: impl FnOnce(&mut (dyn std::io::Write + Send)) -> lookalike::Result<T>,
) -> lookalike::Result<T> {
    let mut file = OutputFile::new(path, force, &progress.unfinished())?;
    let written = write(file.writer())?;
    file.commit()?;
    Ok(written)
}
