//! What ends a job.

use std::io;
use std::path::PathBuf;

use lookalike_core::doors::SourceError;
use lookalike_io::remote::shown_path;

use crate::options::Share;
use crate::report::losses::{Source, losses};

/// Why a job could not be done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Something about files.
    #[error(transparent)]
    Io(#[from] lookalike_io::Error),

    /// Something about parameters.
    #[error(transparent)]
    Core(#[from] lookalike_core::Error),

    /// A document that was asked for by its id.
    #[error("no document has the id '{id}': ids are those of --id FIELD, or file:position")]
    NoSuchDocument {
        /// The id.
        id: String,
    },

    /// A field in use that `--annotate` would overwrite.
    #[error("--annotate writes a field '{}', which would replace the field '{field}' that this run uses: rename it in the input", field.split('.').next().unwrap_or_default())]
    NoteReplacesField {
        /// The field, as it was named.
        field: String,
    },

    /// A file that cannot be read as a document.
    #[error("{path} is no document: {reason}")]
    NotADocument {
        /// The file.
        path: String,
        /// Why not.
        reason: String,
    },

    /// A record that was asked for by its id.
    #[error("no record has the id '{id}': ids are those of --id COLUMN, or the numbers of rows from 1 on")]
    NoSuchRecord {
        /// The id.
        id: String,
    },

    /// A folder that is not the result of linking, or one that the new records do not fit.
    #[error(
        "cannot add records to {folder}: {reason}; give the output folder of lookalike link, and a table with its columns"
    )]
    NotALinkResult {
        /// The folder.
        folder: String,
        /// Why not.
        reason: String,
    },

    /// An input without a single print.
    #[error("no print in {inputs}: give a table with a minutia a row, or templates of ISO/IEC 19794-2")]
    NoPrints {
        /// The input.
        inputs: String,
    },

    /// A table of minutiae that lacks a column.
    #[error("{path} has no column '{name}': name the right one with {flag}; its columns are {columns}")]
    NoSuchPrintColumn {
        /// The file.
        path: String,
        /// The column.
        name: String,
        /// The flag that names it.
        flag: &'static str,
        /// The columns that there are.
        columns: String,
    },

    /// An input without a set that has elements.
    #[error(
        "{} has no sets{}: give a set a line, or a table with --set and --element or --column",
        shown_path(path),
        why.as_ref().map_or(String::new(), |why| format!(" that can be read (first: {why})"))
    )]
    NoSets {
        /// The file.
        path: PathBuf,
        /// Why the first row could not be read, if there are rows.
        why: Option<String>,
    },

    /// A table of which nobody knows where its sets are.
    #[error("it is not clear which column is what: give {needed} COLUMN; the columns are {columns}")]
    NoSetColumns {
        /// The flag that would help.
        needed: &'static str,
        /// The columns that there are.
        columns: String,
    },

    /// A grid that cannot be.
    #[error(
        "no grid of squares of {side} pixels, with a margin of {margin}, on images of {width:.0}x{height:.0}: give squares \
         above 0 of which there are a million at most, and a margin of half a square at most"
    )]
    NoGrid {
        /// The side of a square.
        side: f64,
        /// How near to the next square a minutia is in it too.
        margin: f64,
        /// The width of the images.
        width: f64,
        /// Their height.
        height: f64,
    },

    /// A line that should name two documents.
    #[error("{path}:{line}: not a pair: give two ids with a tab between, or objects with left_id and right_id")]
    NotAPair {
        /// The file.
        path: String,
        /// Which line.
        line: u64,
    },

    /// A file that should be one document.
    #[error("{path} has {count} documents: to compare two documents of a corpus, give their ids and --in {path}")]
    NotOneDocument {
        /// The file.
        path: String,
        /// How many documents it has.
        count: usize,
    },

    /// A file that is held against itself.
    #[error(
        "{} is both input and reference, and each document would be compared with itself: leave it out of one of them",
        shown_path(path)
    )]
    InputIsReference {
        /// The file.
        path: PathBuf,
    },

    /// Several files, whose documents would run into each other in one stream.
    #[error(
        "standard output takes the documents of one file, and the input has {files} files: give -o DIR to write them to a folder"
    )]
    ManyFilesToStream {
        /// How many files there are.
        files: usize,
    },

    /// A range of similarities with nothing in it.
    #[error("no similarity lies between {low} and {high}: give two with 0 < LOW < HIGH <= 1, such as 0.75,0.85")]
    NothingBetween {
        /// The lower end as given.
        low: f64,
        /// The upper end as given.
        high: f64,
    },

    /// A share of documents that is none.
    #[error("{value} is not a share of documents: it must be above 0 and at most 1, for example 0.95")]
    ShareOutOfRange {
        /// The value as given.
        value: f64,
    },

    /// A field of keep order that is nowhere.
    #[error(
        "no document has a number or text in the field '{field}', so --keep cannot compare by it: {}",
        if known.is_empty() {
            "name a field that documents have, or use --keep longest, first or last".to_owned()
        } else {
            format!("the fields of the first document are {}", known.join(", "))
        }
    )]
    NoKeepField {
        /// The field.
        field: String,
        /// The fields of the first document, where it has some.
        known: Vec<String>,
    },

    /// Sources that lose more than was allowed.
    #[error(
        "too much would be removed for --fail-if-source-loses {}: {}; nothing was written: \
         to see why, run without it, with --dry-run, and look at removed.jsonl",
        share.value(),
        losses(sources)
    )]
    SourcesLose {
        /// The share from which on a loss ends the run.
        share: Share,
        /// The sources that lose so much, those that lose most documents first; the whole input among them.
        sources: Vec<Source>,
    },

    /// Features that could not be had, for a reason that is not of this crate.
    #[error("{cause}")]
    Source {
        /// The reason.
        cause: SourceError,
    },

    /// Sets that have too much in common with too many others.
    #[error(
        "{sets} sets share elements with so many others that their nearest would take {} billion steps: give --threshold \
         without --top, or --recall 0.95 with --threshold to find most of them by sketches",
        steps / 1_000_000_000
    )]
    SetsTooDense {
        /// How many sets there are.
        sets: u64,
        /// About how often two sets would be held against each other.
        steps: u64,
    },

    /// A keep order by values of which there is not one for each text.
    #[error("{values} values for {texts} texts: give one for each")]
    WrongNumberOfValues {
        /// How many values there are.
        values: usize,
        /// How many texts there are.
        texts: usize,
    },

    /// Memory with which nothing can be done.
    #[error("{bytes} bytes of memory are too little: give --memory at least {}M", least.div_ceil(1_000_000))]
    MemoryTooSmall {
        /// What was asked for.
        bytes: u64,
        /// What can be asked for.
        least: u64,
    },

    /// Memory that does not do for so many documents.
    #[error(
        "{bytes} bytes of memory are too little for {documents} documents: give --memory {}M, or split the input",
        needed.div_ceil(1_000_000)
    )]
    MemoryTooSmallFor {
        /// What was asked for.
        bytes: u64,
        /// How many documents there are.
        documents: u64,
        /// What would do.
        needed: u64,
    },

    /// Memory that does not do for so many files.
    #[error(
        "{bytes} bytes of memory are too little for {files} files: give --memory {}M, or put their documents into fewer files",
        needed.div_ceil(1_000_000)
    )]
    MemoryTooSmallForFiles {
        /// What was asked for.
        bytes: u64,
        /// How many files there are.
        files: u64,
        /// What would do.
        needed: u64,
    },

    /// Memory that does not do for a method that holds much.
    #[error(
        "{bytes} bytes of memory are too little for method {method} on this input: give --memory {}M, or use --method minhash",
        needed.div_ceil(1_000_000)
    )]
    MemoryTooSmallForMethod {
        /// What was asked for.
        bytes: u64,
        /// The method.
        method: &'static str,
        /// What would do, about.
        needed: u64,
    },

    /// Memory that does not do for the largest family of documents that may be alike.
    #[error(
        "{bytes} bytes of memory are too little for the many documents here that may all be alike: give --memory {}M",
        needed.div_ceil(1_000_000)
    )]
    MemoryTooSmallForFamily {
        /// What was asked for.
        bytes: u64,
        /// What would do, about.
        needed: u64,
    },

    /// Tables or sets that would need more memory than there is.
    #[error("{job} needs about {} for {count} {what}, and may use {}: give --memory {}, or {remedy}",
        in_words(*needed), in_words(*bytes), as_flag(*needed))]
    MemoryTooSmallForTables {
        /// The command.
        job: &'static str,
        /// How many items there are.
        count: String,
        /// What they are.
        what: &'static str,
        /// What was asked for.
        bytes: u64,
        /// What would do, about.
        needed: u64,
        /// What else would help.
        remedy: &'static str,
    },

    /// Pairs that would need more memory than there is, which shows only when they are looked for.
    #[error("{job} may use {}, which is too little for the very many pairs here: give --memory {} or more, or {remedy}",
        in_words(*bytes), as_flag(*needed))]
    MemoryTooSmallForPairs {
        /// The command.
        job: &'static str,
        /// What was asked for.
        bytes: u64,
        /// What is needed at least.
        needed: u64,
        /// What else would help.
        remedy: &'static str,
    },

    /// An input that cannot be read twice.
    #[error(
        "{input} cannot be read again, so that the run cannot be resumed: start anew with --force instead of --resume"
    )]
    CannotResume {
        /// The input.
        input: String,
    },

    /// A run that is to be resumed, and has come to its end.
    #[error("the run is done, and there is nothing to resume: its result is in {}", shown_path(output))]
    RunIsDone {
        /// The folder of the result.
        output: PathBuf,
        /// How many entries the run has skipped.
        skipped: u64,
    },

    /// A job that was asked to stop.
    #[error("stopped, and nothing was written: run it again, or resume it if it had a work folder")]
    Stopped,

    /// More documents than a 32-bit number counts.
    #[error("more than 4,294,967,295 documents in one run: split the input")]
    TooManyDocuments,
}

impl Error {
    /// Whether nobody reads the output any more, as after `| head`.
    pub fn is_closed_pipe(&self) -> bool {
        matches!(self, Self::Io(error) if error.is_closed_pipe())
    }

    /// What went wrong when a writer was written to that someone else named.
    pub(crate) fn unwritable(cause: io::Error) -> Self {
        lookalike_io::Error::Unwritable { path: "the output".into(), cause }.into()
    }

    /// What went wrong when a document was read again: the core passes it on without knowing it.
    pub(crate) fn of_source(error: SourceError) -> Self {
        error.downcast::<Self>().map_or_else(|cause| Self::Source { cause }, |error| *error)
    }
}

/// A reader that goes away, as `head` does, has all it wanted: writing ends there, and the job is done.
pub(crate) fn until_closed<T: Default>(written: Result<T>) -> Result<T> {
    match written {
        Err(error) if error.is_closed_pipe() => Ok(T::default()),
        written => written,
    }
}

/// A size as people say it.
fn in_words(bytes: u64) -> String {
    if bytes < 1_000_000_000 {
        format!("{} MB", bytes.div_ceil(1_000_000))
    } else {
        format!("{:.1} GB", bytes as f64 / 1e9)
    }
}

/// A size to be typed, no less than this one.
fn as_flag(bytes: u64) -> String {
    if bytes < 10_000_000_000 {
        format!("{}M", bytes.div_ceil(1_000_000))
    } else {
        format!("{}G", bytes.div_ceil(1_000_000_000))
    }
}

/// A job's result.
pub type Result<T> = std::result::Result<T, Error>;
