//! Errors that end a job.

use std::io;
use std::path::PathBuf;

use lookalike_core::remedy::{JobOption, Remedy};
use lookalike_core::sources::SourceError;
use lookalike_io::error::size;
use lookalike_io::remote::shown_path;
use lookalike_io::skipped::{SkipReason, SkippedEntry};

use crate::refused::Refused;

/// Reason why a job failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An error about files.
    #[error(transparent)]
    Io(#[from] lookalike_io::Error),

    /// An error about parameters.
    #[error(transparent)]
    Core(#[from] lookalike_core::Error),

    /// A request that cannot be carried out.
    #[error(transparent)]
    Refused(#[from] Refused),

    /// A file between two stages of a run in tasks that is not what was written.
    #[error("{file} is damaged: delete the row beside it (.json), and run its stage again")]
    DamagedTaskFile {
        /// The file.
        file: String,
    },

    /// A task that a stage does not have.
    #[error("stage {stage} has no task {unit}: it has {count}, counted from 0")]
    NoSuchTask {
        /// The name of the stage.
        stage: &'static str,
        /// The number of the task.
        unit: usize,
        /// Number of tasks of the stage.
        count: usize,
    },

    /// A stage of a run in tasks that needs another one to be complete.
    #[error("stage {stage} is not complete: {missing} of its tasks have no result, the first is {first}")]
    IncompleteStage {
        /// The name of the stage that is not complete.
        stage: &'static str,
        /// Number of tasks without a result.
        missing: usize,
        /// The first of them.
        first: usize,
    },

    /// A run in tasks whose input or program is not the one that it was planned for.
    #[error(
        "the work folder {} has the plan of another input, other options or another version: name another folder",
        shown_path(folder)
    )]
    OtherPlan {
        /// The work folder.
        folder: PathBuf,
    },

    /// Something that a run in tasks cannot do.
    #[error("{what} in tasks is not supported: {instead}")]
    NotInTasks {
        /// The unsupported request.
        what: &'static str,
        /// The alternative.
        instead: &'static str,
    },

    /// An input of which every entry was skipped.
    #[error(
        "nothing could be read: {} skipped{}",
        if *count == 1 { "the only entry was".to_owned() } else { format!("all {count} entries were") },
        if first.is_empty() { String::new() } else { format!(", the first is {first}") }
    )]
    NothingRead {
        /// Number of skipped entries.
        count: u64,
        /// The first of them, with the reason.
        first: String,
        /// Changes of options that would help.
        remedies: Vec<Remedy>,
    },

    /// More documents than can be added to an index in one commit.
    #[error("the kept documents take {} of memory while they are added to the index in one commit: add what was written to the index afterwards instead", size(*bytes))]
    NoRoomToAdd {
        /// Their memory.
        bytes: u64,
    },

    /// More passages that a corpus shares with test items than fit in memory.
    #[error(
        "{hits} passages are shared with test items so far, which take more memory than there is: a test set may be part of the corpus"
    )]
    TooManyHits {
        /// Number of passages.
        hits: u64,
        /// The memory that would have been enough so far.
        bytes: u64,
    },

    /// A test set without the field of the question.
    #[error("no item of {} has the field '{field}': its fields are {fields}", shown_path(path))]
    NoItemField {
        /// The file.
        path: PathBuf,
        /// The requested field.
        field: String,
        /// The existing fields.
        fields: String,
    },

    /// A limit that would hold because there was nothing to compare.
    #[error("{what}, so there is nothing to check")]
    NothingToCheck {
        /// The empty input, with the reason.
        what: String,
        /// The option that sets the limit.
        limit: JobOption,
    },

    /// An error of a saved index.
    #[error(transparent)]
    Index(#[from] lookalike_index::Error),

    /// No document has the requested id.
    #[error(
        "no document has the id '{id}': an id is the value of the id field if one is named, and else file:position"
    )]
    NoSuchDocument {
        /// The id.
        id: String,
    },

    /// A folder that is not the result of a run.
    #[error("{path} is not the output of a finished run of dedup: {reason}", path = path.display())]
    NotARun {
        /// The folder.
        path: PathBuf,
        /// The reason.
        reason: String,
    },

    /// A file that should have the passages of an earlier run.
    #[error("{path}:{line}: not the passages of an earlier run: {reason}; give the cuts.jsonl or cuts.sarif that it wrote", path = path.display())]
    NotABaseline {
        /// The file.
        path: PathBuf,
        /// The line number.
        line: u64,
        /// The reason.
        reason: String,
    },

    /// A line that should be a label.
    #[error("{path}:{line}: not a label: {reason}; give a file that a page of the audit saved", path = path.display())]
    NotALabel {
        /// The file.
        path: PathBuf,
        /// The line number.
        line: u64,
        /// The reason.
        reason: String,
    },

    /// A run without labels.
    #[error("nobody has labeled pairs of {folder} yet: label some first, or name files of labels", folder = folder.display())]
    NoLabels {
        /// The folder of the run.
        folder: PathBuf,
    },

    /// A run without pairs to label.
    #[error(
        "there is nothing to label in {folder}: {}",
        if *without_text > 0 {
            format!("the input of the run is not there any more, or has changed ({without_text} pairs)")
        } else {
            "it removed exact copies only, or nothing, and no kept documents are just below the threshold".to_owned()
        },
        folder = folder.display()
    )]
    NothingToLabel {
        /// The folder of the run.
        folder: PathBuf,
        /// Number of removals whose texts cannot be read again.
        without_text: usize,
    },

    /// A file that cannot be read as a document.
    #[error("{path} is not a document: {reason}")]
    NotADocument {
        /// The file.
        path: String,
        /// The reason why it was skipped.
        reason: SkipReason,
    },

    /// No record has the requested id.
    #[error(
        "no record has the id '{id}': an id is the value of the id column if one is named, and else the number of the row, from 1; \
         if several tables have it, write 2:{id} for the second"
    )]
    NoSuchRecord {
        /// The id.
        id: String,
    },

    /// A folder without a result of `link`, or with one that does not fit the new records.
    #[error(
        "cannot add records to {folder}: {reason}; give the output folder of lookalike link, and a table with its columns"
    )]
    NotALinkResult {
        /// The folder.
        folder: String,
        /// The reason.
        reason: String,
    },

    /// A file that is not the model of a result of `link`.
    #[error("cannot use the model {path}: {reason}; give the model.json that an earlier run wrote")]
    NotAModel {
        /// The file.
        path: String,
        /// The reason.
        reason: String,
    },

    /// A folder that is not the result of linking.
    #[error("cannot explain pairs of {folder}: {reason}; give the output folder of lookalike link, or its tables")]
    NoLinkResult {
        /// The folder.
        folder: String,
        /// The reason.
        reason: String,
    },

    /// A column for the time of writing that has no dates.
    #[error("the column {column} has no dates, so nothing in it is the newest; name a column of dates")]
    NewestWithoutDates {
        /// The column.
        column: String,
    },

    /// A folder whose pairs cannot be reviewed.
    #[error("cannot review pairs of {folder}: {reason}")]
    NothingToReview {
        /// The folder.
        folder: String,
        /// The reason.
        reason: String,
    },

    /// An answer about a pair that is not asked for.
    #[error("pair {number} is not asked for now: look at the page again")]
    NotAsked {
        /// The number of the question.
        number: u64,
    },

    /// A table that cannot be used as reference matches.
    #[error(
        "{path} is not an answer to judge by: {reason}; give a table of two ids per row, or of an id and its cluster"
    )]
    NotLabels {
        /// The file.
        path: String,
        /// The reason.
        reason: String,
    },

    /// An input without prints.
    #[error(
        "no print in {inputs}{}: give a table with one minutia per row, or templates of ISO/IEC 19794-2",
        why.as_ref().map_or(String::new(), |why| format!(" that can be read (first: {why})"))
    )]
    NoPrints {
        /// The input.
        inputs: String,
        /// Reason why the first file or print was skipped, if there is one.
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
        /// The columns that exist.
        columns: String,
    },

    /// An input without sets.
    #[error(
        "{} has no sets{}: give one set per line, or a table with a column of sets and one of elements, or of lists",
        shown_path(path),
        why.as_ref().map_or(String::new(), |why| format!(" that can be read (first: {why})"))
    )]
    NoSets {
        /// The file.
        path: PathBuf,
        /// Reason why the first row could not be read, if there are rows.
        why: Option<String>,
    },

    /// A table whose columns do not show where its sets are.
    #[error("it is not clear which column is which: the columns are {columns}")]
    NoSetColumns {
        /// The option that names the column.
        option: JobOption,
        /// The columns that exist.
        columns: String,
    },

    /// An invalid grid.
    #[error(
        "no grid of squares of {side} pixels, with a margin of {margin}, on images of {width:.0}x{height:.0}: give squares \
         above 0 of which there are a million at most, and a margin of half a square at most"
    )]
    NoGrid {
        /// The side of a square.
        side: f64,
        /// The distance from the next square within which a minutia counts in it too.
        margin: f64,
        /// The width of the images.
        width: f64,
        /// Their height.
        height: f64,
    },

    /// A file of pairs, none of which refers to the input.
    #[error(
        "{path}: {}: nothing can be compared",
        match (*given, *unknown) {
            (0, _) => "no pairs".to_owned(),
            (given, unknown) if given == unknown => format!("all {given} pairs name documents that the input does not have"),
            (given, unknown) => format!("none of {given} pairs can be used, {unknown} name documents that the input does not have"),
        }
    )]
    NoUsablePairs {
        /// The file.
        path: String,
        /// Number of pairs.
        given: u64,
        /// Number of pairs with an unknown document.
        unknown: u64,
    },

    /// A line that should name two documents.
    #[error("{path}:{line}: not a pair: give two ids with a tab between, or objects with left_id and right_id")]
    NotAPair {
        /// The file.
        path: String,
        /// The line number.
        line: u64,
    },

    /// A file that should be one document.
    #[error(
        "{path} has {count} documents, and one is needed: to compare two documents of a corpus, give their ids and the corpus"
    )]
    NotOneDocument {
        /// The file.
        path: String,
        /// Number of its documents.
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

    /// Several files whose documents would be merged into one stream.
    #[error("standard output takes the documents of one file, and the input has {files} files: write them to a folder")]
    ManyFilesToStream {
        /// Number of files.
        files: usize,
    },

    /// An empty range of similarities.
    #[error("no similarity lies between {low} and {high}: give two with 0 < LOW < HIGH <= 1, such as 0.75,0.85")]
    NothingBetween {
        /// The lower end as given.
        low: f64,
        /// The upper end as given.
        high: f64,
    },

    /// A number that is not a valid share of documents.
    #[error("{value} is not a share of documents: it must be above 0 and at most 1, for example 0.95")]
    ShareOutOfRange {
        /// The value as given.
        value: f64,
    },

    /// A field for the keep order that no document has.
    #[error(
        "no document has a number or text in the field '{field}', so the keep order cannot compare by it{}",
        if known.is_empty() { String::new() } else { format!(": the fields of the first document are {}", known.join(", ")) }
    )]
    NoKeepField {
        /// The field.
        field: String,
        /// The fields of the first document, if it has any.
        known: Vec<String>,
    },

    /// A field for the id that no document has.
    #[error(
        "no document has an id in the field '{field}'{}",
        if known.is_empty() { String::new() } else { format!(": the fields of the first document are {}", known.join(", ")) }
    )]
    NoIdField {
        /// The field.
        field: String,
        /// The fields of the first document, if it has any.
        known: Vec<String>,
    },

    /// A field for groups that no document has.
    #[error(
        "no document has the field '{field}', within which documents are compared{}",
        if known.is_empty() { String::new() } else { format!(": the fields of the first document are {}", known.join(", ")) }
    )]
    NoGroupField {
        /// The field.
        field: String,
        /// The fields of the first document, if it has any.
        known: Vec<String>,
    },

    /// Sources that lose more than is allowed.
    #[error(
        "too much would be removed, the limit being a share of {}: {}; nothing was written",
        share,
        losses(sources)
    )]
    SourcesLose {
        /// The smallest loss that ends the run.
        share: f64,
        /// The sources that lose that much, those with the most removed documents first; this may include the whole
        /// input.
        sources: Vec<SourceLoss>,
    },

    /// Features that could not be read, for a reason outside this crate.
    #[error("{cause}")]
    Source {
        /// The reason.
        cause: SourceError,
    },

    /// Sets that share elements with too many others.
    #[error(
        "{sets} sets share elements with so many others that finding the nearest would take {} billion steps: ask for all pairs \
         above a threshold instead, or for most of them, found by sketches",
        steps / 1_000_000_000
    )]
    SetsTooDense {
        /// Number of sets.
        sets: u64,
        /// Approximate number of comparisons of two sets.
        steps: u64,
    },

    /// A method that an index cannot use.
    #[error(
        "an index cannot use the method '{method}': an index needs one that sketches each text by itself and finds near-duplicates"
    )]
    MethodWithoutIndex {
        /// The method and its parameters.
        method: String,
    },

    /// A keep order by values without one value per text.
    #[error("{values} values for {texts} texts: give one for each")]
    WrongNumberOfValues {
        /// Number of values.
        values: usize,
        /// Number of texts.
        texts: usize,
    },

    /// Too little memory for any job.
    #[error("a memory limit of {} is too small: at least {} are needed", size(*bytes), size(*least))]
    MemoryTooSmall {
        /// The memory limit.
        bytes: u64,
        /// The minimum limit.
        least: u64,
    },

    /// Too little memory for this many documents.
    #[error(
        "a memory limit of {} is too small for {documents} documents: {} are needed, or a smaller input",
        size(*bytes),
        size(*needed)
    )]
    MemoryTooSmallFor {
        /// The memory limit.
        bytes: u64,
        /// Number of documents.
        documents: u64,
        /// The limit that would be enough.
        needed: u64,
    },

    /// Too little memory for this many files.
    #[error(
        "a memory limit of {} is too small for {files} files: {} are needed, or fewer files",
        size(*bytes),
        size(*needed)
    )]
    MemoryTooSmallForFiles {
        /// The memory limit.
        bytes: u64,
        /// Number of files.
        files: u64,
        /// The limit that would be enough.
        needed: u64,
    },

    /// Too little memory for one document.
    #[error(
        "a memory limit of {} is too small for a document of {}: about {} are needed",
        size(*bytes),
        size(*document_bytes),
        size(*needed)
    )]
    MemoryTooSmallForDocument {
        /// The memory limit.
        bytes: u64,
        /// The size of the document.
        document_bytes: u64,
        /// The limit that would be enough, approximately.
        needed: u64,
    },

    /// Too little memory for a method that holds all features.
    #[error(
        "a memory limit of {} is too small for method {method} on this input: about {} are needed",
        size(*bytes),
        size(*needed)
    )]
    MemoryTooSmallForMethod {
        /// The memory limit.
        bytes: u64,
        /// The method.
        method: &'static str,
        /// The limit that would be enough, approximately.
        needed: u64,
    },

    /// Too little memory for the largest family of documents that may be near-duplicates.
    #[error(
        "a memory limit of {} is too small for the many documents here that may all be near-duplicates: about {} are needed",
        size(*bytes),
        size(*needed)
    )]
    MemoryTooSmallForFamily {
        /// The memory limit.
        bytes: u64,
        /// The limit that would be enough, approximately.
        needed: u64,
    },

    /// Tables or sets that would need more memory than the limit.
    #[error("{job} needs about {} for {count} {what}, and may use {}: raise the memory limit, or {advice}",
        size(*needed), size(*bytes))]
    MemoryTooSmallForTables {
        /// The command.
        job: &'static str,
        /// Number of items.
        count: String,
        /// The kind of items.
        what: &'static str,
        /// The memory limit.
        bytes: u64,
        /// The limit that would be enough, approximately.
        needed: u64,
        /// Other advice.
        advice: &'static str,
    },

    /// Pairs that would need more memory than the limit, which only becomes known during the search.
    #[error("{job} may use {}, which is too little for the very many pairs here: raise the memory limit, or {advice}",
        size(*bytes))]
    MemoryTooSmallForPairs {
        /// The command.
        job: &'static str,
        /// The memory limit.
        bytes: u64,
        /// The minimum memory needed.
        needed: u64,
        /// Other advice.
        advice: &'static str,
    },

    /// An input that cannot be read a second time.
    #[error("{input} cannot be read again, so the run cannot be resumed: start over")]
    CannotResume {
        /// The input.
        input: String,
    },

    /// An input that is gone once it is read, where it has to be read twice.
    #[error(
        "{input} cannot be read twice, first to learn boilerplate and then to compare: give a file, or a table of boilerplate"
    )]
    CannotReadTwice {
        /// The input.
        input: String,
    },

    /// A run to be resumed that is already finished.
    #[error("the run is finished, and there is nothing to resume: its result is in {}", shown_path(output))]
    RunIsDone {
        /// The folder of the result.
        output: PathBuf,
        /// Number of entries that the run skipped.
        skipped: u64,
    },

    /// The job was stopped by its caller.
    #[error("stopped, and nothing was written: run it again, or resume it if it had a work folder")]
    Stopped,

    /// A single input where splits are to be compared.
    #[error("splits needs at least two inputs, such as train.jsonl test.jsonl")]
    OneSplit,

    /// A file that is part of two splits.
    #[error("a file is part of two splits: each must have files of its own")]
    SplitsOverlap,

    /// More documents than a 32-bit number can count.
    #[error("more than 4,294,967,295 documents in one run: split the input")]
    TooManyDocuments,
}

impl Error {
    /// The error for an input of which all entries were skipped.
    pub(crate) fn nothing_read(count: u64, first: Option<&SkippedEntry>) -> Self {
        let shown = |entry: &SkippedEntry| match entry.entry {
            "file" => format!("{}: {}", entry.file, entry.reason),
            kind => format!("{}, {kind} {}: {}", entry.file, entry.position, entry.reason),
        };
        let remedies = first.map(|entry| entry.reason.remedies()).unwrap_or_default();
        Self::NothingRead { count, first: first.map(shown).unwrap_or_default(), remedies }
    }

    /// Changes of options that would help; any one of them is sufficient.
    pub fn remedies(&self) -> Vec<Remedy> {
        match self {
            Self::Io(error) => error.remedies(),
            Self::Core(error) => error.remedies(),
            Self::Refused(refused) => refused.remedies().to_vec(),
            Self::NothingRead { remedies, .. } => remedies.clone(),
            Self::NoUsablePairs { .. } => vec![Remedy::give(JobOption::Id)],
            Self::NotADocument { reason, .. } => reason.remedies(),
            Self::NoSuchPrintColumn { option, .. } => vec![Remedy::give(*option)],
            Self::NoSetColumns { option, .. } => vec![Remedy::give(*option), baskets()],
            Self::NoSets { .. } => vec![Remedy::give(JobOption::Set), Remedy::give(JobOption::Column), baskets()],
            Self::NotOneDocument { .. } => vec![Remedy::give(JobOption::In)],
            Self::ManyFilesToStream { .. } => vec![Remedy::give(JobOption::Output)],
            Self::NoKeepField { .. } => vec![Remedy::give_word(JobOption::Keep, "longest")],
            Self::NoGroupField { .. } => vec![Remedy::LeaveOut(JobOption::Within)],
            Self::NoIdField { .. } => vec![Remedy::LeaveOut(JobOption::Id)],
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
            Self::MemoryTooSmallForDocument { needed, document_bytes, .. } => vec![
                Remedy::give_bytes(JobOption::Memory, *needed),
                Remedy::give_bytes(JobOption::MaxRecord, document_bytes / 2),
            ],
            Self::MemoryTooSmallForMethod { needed, .. } => {
                vec![Remedy::give_bytes(JobOption::Memory, *needed), Remedy::give_word(JobOption::Method, "minhash")]
            }
            Self::NoItemField { .. } => vec![Remedy::give(JobOption::Fields)],
            Self::NothingToCheck { limit, .. } => vec![Remedy::LeaveOut(*limit)],
            Self::TooManyHits { bytes, .. } => vec![Remedy::give_bytes(JobOption::Memory, 2 * bytes)],
            Self::CannotResume { .. } => vec![Remedy::Replace(JobOption::Force, JobOption::Resume)],
            _ => Vec::new(),
        }
    }

    /// True if the reader of the output has closed it, as after `| head`.
    pub fn is_closed_pipe(&self) -> bool {
        matches!(self, Self::Io(error) if error.is_closed_pipe())
    }

    /// The error of a writer that the caller provided.
    pub fn unwritable(cause: io::Error) -> Self {
        lookalike_io::Error::Unwritable { path: "the output".into(), cause }.into()
    }

    /// The error of rereading a document, which the core passes on without knowing its type.
    pub(crate) fn of_source(error: SourceError) -> Self {
        error.downcast::<Self>().map_or_else(|cause| Self::Source { cause }, |error| *error)
    }
}

/// Each line is a set and contains commas, although the file name indicates a table.
fn baskets() -> Remedy {
    Remedy::give_word(JobOption::Delimiter, "','")
}

/// Treats a closed pipe as success: a reader such as `head` has received all it needs, so writing ends, and the job is
/// done.
///
/// # Errors
///
/// Any other error.
pub fn until_closed<T: Default>(written: Result<T>) -> Result<T> {
    match written {
        Err(error) if error.is_closed_pipe() => Ok(T::default()),
        written => written,
    }
}

/// A job's result.
pub type Result<T> = std::result::Result<T, Error>;

/// Loss of one source.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SourceLoss {
    /// Name of the source.
    pub source: String,
    /// Documents of the source.
    pub documents: u64,
    /// Removed documents divided by all.
    pub share: f64,
}

/// Maximum number of sources in an error message.
const NAMED_IN_ERROR: usize = 3;

/// Maximum number of characters of a source's name in an error message.
const NAME_LENGTH: usize = 80;

/// Losses of sources in words: the first few, and the number of others.
fn losses(sources: &[SourceLoss]) -> String {
    let loss = |source: &SourceLoss| {
        let name: String = source.source.chars().take(NAME_LENGTH).collect();
        format!("{:.1} % of {} documents of {name}", 100.0 * source.share, source.documents)
    };
    let mut losses: Vec<String> = sources.iter().take(NAMED_IN_ERROR).map(loss).collect();
    match sources.len().saturating_sub(NAMED_IN_ERROR) {
        0 => {}
        1 => losses.push("and 1 more source".to_owned()),
        more => losses.push(format!("and {more} more sources")),
    }
    losses.join(", ")
}
