//! Errors that end a run. (A bad record does not: it is a [`crate::skipped::SkippedEntry`].)

use std::io;
use std::path::PathBuf;

use lookalike_core::remedy::{JobOption, Remedy};

use crate::address::shown_path;
use crate::problem::Problem;

/// The reason why reading or writing cannot continue, with the place and the remedy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An input that does not exist or cannot be read.
    #[error("cannot read {}: {cause}; check the path and its permissions", shown_path(path))]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        cause: io::Error,
    },

    /// A folder without files to read.
    #[error("nothing to read in {}: name a file, or a folder with files that are not hidden", shown_path(path))]
    NothingToRead {
        /// The folder.
        path: PathBuf,
    },

    /// Patterns that leave nothing to read.
    #[error("everything that was given is excluded, {} among it: exclude less", shown_path(path))]
    AllExcluded {
        /// A file or folder that is excluded.
        path: PathBuf,
    },

    /// An invalid pattern.
    #[error("{} is not a pattern: {reason}", shown_path(path))]
    NotAPattern {
        /// The pattern.
        path: PathBuf,
        /// The problem.
        reason: String,
    },

    /// A pattern that no file matches.
    #[error("nothing matches {}: check the pattern and the current folder", shown_path(path))]
    NothingMatches {
        /// The pattern.
        path: PathBuf,
    },

    /// The same input twice, which would make every document a duplicate of itself.
    #[error("{} is given twice: every document in it would be a duplicate of itself; give it once", shown_path(path))]
    GivenTwice {
        /// The file.
        path: PathBuf,
    },

    /// A file whose records have no text.
    #[error(
        "no record of {} has text in the field '{field}': name the field of the text, or leave the file out; \
         its fields are {fields}",
        shown_path(path)
    )]
    NoTextField {
        /// The file.
        path: PathBuf,
        /// The field that was asked for.
        field: String,
        /// The fields that there are.
        fields: String,
        /// True if the file was found in a folder, by a pattern or in a list.
        is_met: bool,
    },

    /// Standard input can be read once.
    #[error("standard input is given twice, but can be read only once: put one of the two into a file")]
    StdinTwice,

    /// A file that cannot be read as a table.
    #[error("{} is not a table: {reason}; give CSV, TSV, Excel, JSON or Parquet", shown_path(path))]
    NotATable {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },

    /// A table in the memory of the caller that cannot be used.
    #[error("{name} cannot be used: {reason}; {advice}")]
    UnusableTable {
        /// Its name.
        name: String,
        /// The reason.
        reason: String,
        /// Advice for the caller.
        advice: &'static str,
    },

    /// A file that changed during the run.
    #[error("{} changed while it was read: run again when nothing writes to it", shown_path(path))]
    Changed {
        /// The file.
        path: PathBuf,
    },

    /// An output that already exists.
    #[error("{} exists and is not empty: choose another output, or replace what is there", shown_path(path))]
    OutputExists {
        /// The folder or file.
        path: PathBuf,
    },

    /// An output that another run is writing.
    #[error("{} is being written by another run: wait for it, or choose another output", shown_path(path))]
    OutputInUse {
        /// The folder.
        path: PathBuf,
    },

    /// An output that is the input, or would replace it.
    #[error("{} would be overwritten, and it is read in this run: choose an output beside the input", shown_path(path))]
    OutputIsInput {
        /// The input.
        path: PathBuf,
    },

    /// Something with a name that the output needs, and that lookalike did not write.
    #[error("{} was not written by lookalike: move it away, or choose another output", shown_path(path))]
    NotOurs {
        /// The existing file or folder.
        path: PathBuf,
    },

    /// A file where a folder is needed, or a folder where a file is.
    #[error("{} is {what}: choose another output", shown_path(path))]
    WrongKind {
        /// The existing file or folder.
        path: PathBuf,
        /// Its kind.
        what: &'static str,
    },

    /// An address with an unknown scheme.
    #[error("{url} cannot be read or written: give the path of a file, or an address that begins with {known}")]
    UnknownAddress {
        /// The address.
        url: String,
        /// The kinds that are known.
        known: &'static str,
    },

    /// An error of an object store or web server.
    #[error("{url}: {problem}")]
    Remote {
        /// The address, without a signature.
        url: String,
        /// The problem, with advice.
        problem: Problem,
    },

    /// A work folder that cannot be used.
    #[error(
        "cannot work in {}: {cause}; a work folder of your own keeps what was done so far: make room there, and resume the run",
        shown_path(path)
    )]
    Unworkable {
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        cause: io::Error,
    },

    /// A work folder that cannot be created.
    #[error("{} cannot be the work folder: {cause}; choose a folder that exists or can be created", shown_path(path))]
    WorkNotMade {
        /// The folder.
        path: PathBuf,
        /// The error of the system.
        cause: io::Error,
    },

    /// A work folder that contains something else.
    #[error("{} holds files that lookalike did not write: choose a work folder that is empty or new", shown_path(path))]
    WorkNotOurs {
        /// The folder.
        path: PathBuf,
    },

    /// A work folder with an unfinished run.
    #[error("{} holds an unfinished run: resume it, or discard it", shown_path(path))]
    WorkUnfinished {
        /// The folder.
        path: PathBuf,
    },

    /// A work folder with a run of something else.
    #[error(
        "{} belongs to another run, which this one cannot resume: it had {then}, and now there is {now}; \
         run it as it was, or start over",
        shown_path(path)
    )]
    WorkOfAnother {
        /// The folder.
        path: PathBuf,
        /// The previous values of what differs.
        then: String,
        /// The current values of what differs.
        now: String,
    },

    /// A file in a work folder that its run did not write.
    #[error("{} was not written by the run in its folder: remove it, or start over", shown_path(path))]
    WorkFileOfAnother {
        /// The file.
        path: PathBuf,
    },

    /// A work folder that another run uses.
    #[error("{} is in use by another run: wait for it, or choose another work folder", shown_path(path))]
    WorkInUse {
        /// The folder.
        path: PathBuf,
    },

    /// A work folder without the room that a run will need.
    #[error(
        "{} has {} of free space, and the run will need about {}: make room, or choose a work folder on another disk",
        shown_path(path),
        size(*free),
        size(*needed)
    )]
    WorkTooSmall {
        /// The folder.
        path: PathBuf,
        /// Bytes that are free.
        free: u64,
        /// Bytes that are needed, about.
        needed: u64,
    },

    /// More input than a run may read.
    #[error(
        "the input has more than {} of text, which is the limit: raise the limit, or read less input",
        size(*most)
    )]
    InputTooLarge {
        /// Maximum number of bytes.
        most: u64,
    },

    /// A disk that temporary copies would fill.
    #[error(
        "{} is nearly full: the last {} are left free for other programs; make room, choose a work folder (or TMPDIR) on a \
         larger disk, or limit the input",
        path.display(),
        size(*left)
    )]
    NoRoomLeft {
        /// The folder of the temporary copies.
        path: PathBuf,
        /// Bytes that are left free.
        left: u64,
    },

    /// An output that cannot be written.
    #[error("cannot write {}: {cause}; check the disk's space and the folder's permissions", shown_path(path))]
    Unwritable {
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        cause: io::Error,
    },
}

/// Result of reading and writing.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// Changes of options that would help; any one of them is enough.
    pub fn remedies(&self) -> Vec<Remedy> {
        match self {
            Self::NoTextField { is_met: true, .. } => {
                vec![Remedy::give(JobOption::Text), Remedy::give(JobOption::Exclude)]
            }
            Self::NoTextField { .. } => vec![Remedy::give(JobOption::Text)],
            Self::AllExcluded { .. } => vec![Remedy::LeaveOut(JobOption::Exclude)],
            Self::OutputExists { .. } => vec![Remedy::give(JobOption::Force)],
            Self::Unworkable { .. } => vec![Remedy::give(JobOption::Resume)],
            Self::WorkNotMade { .. }
            | Self::WorkNotOurs { .. }
            | Self::WorkInUse { .. }
            | Self::WorkTooSmall { .. } => {
                vec![Remedy::give(JobOption::Work)]
            }
            Self::WorkUnfinished { .. } => vec![Remedy::give(JobOption::Resume), Remedy::give(JobOption::Force)],
            Self::WorkOfAnother { .. } | Self::WorkFileOfAnother { .. } => {
                vec![Remedy::Replace(JobOption::Force, JobOption::Resume)]
            }
            Self::InputTooLarge { .. } => vec![Remedy::Raise(JobOption::MaxInput)],
            Self::NoRoomLeft { .. } => vec![Remedy::give(JobOption::Work), Remedy::give(JobOption::MaxInput)],
            _ => Vec::new(),
        }
    }

    /// True if the reader of the output has closed it, as `head` does after its last line.
    pub fn is_closed_pipe(&self) -> bool {
        matches!(self, Self::Unwritable { cause, .. } if cause.kind() == io::ErrorKind::BrokenPipe)
    }

    pub(crate) fn unreadable(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        // The reader of a remote file wraps its own error in one of the system.
        move |cause| cause.downcast::<Self>().unwrap_or_else(|cause| Self::Unreadable { path, cause })
    }

    pub(crate) fn unworkable(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |cause| Self::Unworkable { path, cause }
    }

    pub(crate) fn unwritable(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |cause| Self::Unwritable { path, cause }
    }
}

/// A number of bytes in readable form.
pub fn size(bytes: u64) -> String {
    let units = ["bytes", "kB", "MB", "GB", "TB"];
    let step = (0..units.len() - 1).find(|step| bytes < 1000_u64.pow(*step as u32 + 1)).unwrap_or(units.len() - 1);
    let value = bytes as f64 / 1000_f64.powi(step as i32);
    if step == 0 { format!("{bytes} bytes") } else { format!("{value:.1} {}", units[step]) }
}
