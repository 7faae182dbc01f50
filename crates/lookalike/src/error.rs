//! What ends a job.

use std::io;
use std::path::PathBuf;

use lookalike_core::doors::SourceError;
use lookalike_core::remedy::{JobOption, Remedy};
use lookalike_io::error::size;
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
    #[error(
        "no document has the id '{id}': an id is the value of the id field if one is named, and else file:position"
    )]
    NoSuchDocument {
        /// The id.
        id: String,
    },

    /// A field in use that notes would overwrite.
    #[error(
        "annotated documents get a field '{}', which would replace the field '{field}' that this run uses: rename it in the input",
        field.split('.').next().unwrap_or_default()
    )]
    NoteReplacesField {
        /// The field, as it was named.
        field: String,
    },

    /// A file that cannot be read as a document.
    #[error("{path} is not a document: {reason}")]
    NotADocument {
        /// The file.
        path: String,
        /// Why not.
        reason: String,
    },

    /// A record that was asked for by its id.
    #[error(
        "no record has the id '{id}': an id is the value of the id column if one is named, and else the number of the row, from 1"
    )]
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
    #[error(
        "no print in {inputs}{}: give a table with one minutia per row, or templates of ISO/IEC 19794-2",
        why.as_ref().map_or(String::new(), |why| format!(" that can be read (first: {why})"))
    )]
    NoPrints {
        /// The input.
        inputs: String,
        /// Why the first file or print was skipped, if there is one.
        why: Option<String>,
    },

    /// A table of minutiae that lacks a column.
    #[error("{path} has no column '{name}': its columns are {columns}")]
    NoSuchPrintColumn {
        /// The file.
        path: String,
        /// The column.
        name: String,
        /// The option that names it.
        option: JobOption,
        /// The columns that there are.
        columns: String,
    },

    /// An input without a set that has elements.
    #[error(
        "{} has no sets{}: give one set per line, or a table with a column of sets and one of elements, or of lists",
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
    #[error("it is not clear which column is which: the columns are {columns}")]
    NoSetColumns {
        /// The option that would tell.
        option: JobOption,
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
    #[error(
        "{path} has {count} documents, and one is needed: to compare two documents of a corpus, give their ids and the corpus"
    )]
    NotOneDocument {
        /// The file.
        path: String,
        /// How many documents it has.
        count: usize,
    },

    /// A file that would be compared with itself.
    #[error(
        "{} is both input and reference, and each document would be compared with itself: leave it out of one of them",
        shown_path(path)
    )]
    InputIsReference {
        /// The file.
        path: PathBuf,
    },

    /// Several files, whose documents would run into each other in one stream.
    #[error("standard output takes the documents of one file, and the input has {files} files: write them to a folder")]
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

    /// A number that is not a share of documents.
    #[error("{value} is not a share of documents: it must be above 0 and at most 1, for example 0.95")]
    ShareOutOfRange {
        /// The value as given.
        value: f64,
    },

    /// A field of keep order that is nowhere.
    #[error(
        "no document has a number or text in the field '{field}', so the keep order cannot compare by it{}",
        if known.is_empty() { String::new() } else { format!(": the fields of the first document are {}", known.join(", ")) }
    )]
    NoKeepField {
        /// The field.
        field: String,
        /// The fields of the first document, where it has some.
        known: Vec<String>,
    },

    /// Sources that lose more than was allowed.
    #[error(
        "too much would be removed, the limit being a share of {}: {}; nothing was written",
        share.value(),
        losses(sources)
    )]
    SourcesLose {
        /// The smallest share whose loss ends the run.
        share: Share,
        /// The sources that lose that much, those that lose most documents first; the whole input among them.
        sources: Vec<Source>,
    },

    /// Features that could not be read, for a reason from outside this crate.
    #[error("{cause}")]
    Source {
        /// The reason.
        cause: SourceError,
    },

    /// Sets that have too much in common with too many others.
    #[error(
        "{sets} sets share elements with so many others that finding the nearest would take {} billion steps: ask for all pairs \
         from a threshold on instead, or for most of them, found by sketches",
        steps / 1_000_000_000
    )]
    SetsTooDense {
        /// How many sets there are.
        sets: u64,
        /// About how many comparisons of two sets there would be.
        steps: u64,
    },

    /// A method that no index can be made with.
    #[error(
        "an index cannot use the method '{method}': it has to sketch each text by itself, and to tell near-duplicates"
    )]
    MethodWithoutIndex {
        /// The method and its parameters.
        method: String,
    },

    /// A keep order by values of which there is not one for each text.
    #[error("{values} values for {texts} texts: give one for each")]
    WrongNumberOfValues {
        /// How many values there are.
        values: usize,
        /// How many texts there are.
        texts: usize,
    },

    /// Too little memory for any job.
    #[error("a memory limit of {} is too small: at least {} are needed", size(*bytes), size(*least))]
    MemoryTooSmall {
        /// What was asked for.
        bytes: u64,
        /// What can be asked for.
        least: u64,
    },

    /// Too little memory for this many documents.
    #[error(
        "a memory limit of {} is too small for {documents} documents: {} are needed, or a smaller input",
        size(*bytes),
        size(*needed)
    )]
    MemoryTooSmallFor {
        /// What was asked for.
        bytes: u64,
        /// How many documents there are.
        documents: u64,
        /// What would be enough.
        needed: u64,
    },

    /// Too little memory for this many files.
    #[error(
        "a memory limit of {} is too small for {files} files: {} are needed, or fewer files",
        size(*bytes),
        size(*needed)
    )]
    MemoryTooSmallForFiles {
        /// What was asked for.
        bytes: u64,
        /// How many files there are.
        files: u64,
        /// What would be enough.
        needed: u64,
    },

    /// Too little memory for a method that holds much.
    #[error(
        "a memory limit of {} is too small for method {method} on this input: about {} are needed",
        size(*bytes),
        size(*needed)
    )]
    MemoryTooSmallForMethod {
        /// What was asked for.
        bytes: u64,
        /// The method.
        method: &'static str,
        /// What would be enough, about.
        needed: u64,
    },

    /// Too little memory for the largest family of documents that may be alike.
    #[error(
        "a memory limit of {} is too small for the many documents here that may all be alike: about {} are needed",
        size(*bytes),
        size(*needed)
    )]
    MemoryTooSmallForFamily {
        /// What was asked for.
        bytes: u64,
        /// What would be enough, about.
        needed: u64,
    },

    /// Tables or sets that would need more memory than there is.
    #[error("{job} needs about {} for {count} {what}, and may use {}: raise the memory limit, or {advice}",
        size(*needed), size(*bytes))]
    MemoryTooSmallForTables {
        /// The command.
        job: &'static str,
        /// How many items there are.
        count: String,
        /// What they are.
        what: &'static str,
        /// What was asked for.
        bytes: u64,
        /// What would be enough, about.
        needed: u64,
        /// What else would help.
        advice: &'static str,
    },

    /// Pairs that would need more memory than there is, which shows only when they are looked for.
    #[error("{job} may use {}, which is too little for the very many pairs here: raise the memory limit, or {advice}",
        size(*bytes))]
    MemoryTooSmallForPairs {
        /// The command.
        job: &'static str,
        /// What was asked for.
        bytes: u64,
        /// What is needed at least.
        needed: u64,
        /// What else would help.
        advice: &'static str,
    },

    /// An input that cannot be read twice.
    #[error("{input} cannot be read again, so the run cannot be resumed: start over")]
    CannotResume {
        /// The input.
        input: String,
    },

    /// A run that is to be resumed, and is finished.
    #[error("the run is finished, and there is nothing to resume: its result is in {}", shown_path(output))]
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
    /// The changes of options that would help, any one of them.
    pub fn remedies(&self) -> Vec<Remedy> {
        match self {
            Self::Io(error) => error.remedies(),
            Self::Core(error) => error.remedies(),
            Self::NotADocument { reason, .. } => lookalike_io::read::remedies(reason),
            Self::NoteReplacesField { .. } => vec![Remedy::LeaveOut(JobOption::Annotate)],
            Self::NoSuchPrintColumn { option, .. } => vec![Remedy::give(*option)],
            Self::NoSetColumns { option, .. } => vec![Remedy::give(*option), baskets()],
            Self::NoSets { .. } => vec![Remedy::give(JobOption::Set), Remedy::give(JobOption::Column), baskets()],
            Self::NotOneDocument { .. } => vec![Remedy::give(JobOption::In)],
            Self::ManyFilesToStream { .. } => vec![Remedy::give(JobOption::Output)],
            Self::NoKeepField { .. } => vec![Remedy::give_word(JobOption::Keep, "longest")],
            Self::SourcesLose { .. } => vec![Remedy::Replace(JobOption::DryRun, JobOption::FailIfSourceLoses)],
            Self::SetsTooDense { .. } => vec![
                Remedy::Replace(JobOption::Threshold, JobOption::Top),
                Remedy::give_word(JobOption::Recall, "0.95"),
            ],
            Self::MemoryTooSmall { least: needed, .. }
            | Self::MemoryTooSmallFor { needed, .. }
            | Self::MemoryTooSmallForFiles { needed, .. }
            | Self::MemoryTooSmallForFamily { needed, .. }
            | Self::MemoryTooSmallForTables { needed, .. }
            | Self::MemoryTooSmallForPairs { needed, .. } => vec![Remedy::give_bytes(JobOption::Memory, *needed)],
            Self::MemoryTooSmallForMethod { needed, .. } => {
                vec![Remedy::give_bytes(JobOption::Memory, *needed), Remedy::give_word(JobOption::Method, "minhash")]
            }
            Self::CannotResume { .. } => vec![Remedy::Replace(JobOption::Force, JobOption::Resume)],
            _ => Vec::new(),
        }
    }

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

/// Each line is a set, and has commas, though the name says that the file is a table.
fn baskets() -> Remedy {
    Remedy::give_word(JobOption::Separator, "','")
}

/// A reader that goes away, as `head` does, has all it wanted: writing ends there, and the job is done.
pub(crate) fn until_closed<T: Default>(written: Result<T>) -> Result<T> {
    match written {
        Err(error) if error.is_closed_pipe() => Ok(T::default()),
        written => written,
    }
}

/// A job's result.
pub type Result<T> = std::result::Result<T, Error>;
